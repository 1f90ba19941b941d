// Convolution layers against values that PyTorch printed with the same weights; pools as layers.

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

const Tensor kImages = Wave({1, 2, 4, 4}, 0.3);  // [batch, channels, height, width]

Tensor ToLast(const Tensor& x) { return Transpose(x, {0, 2, 3, 1}); }
Tensor ToFirst(const Tensor& x) { return Transpose(x, {0, 3, 1, 2}); }

// Builds a layer, gives it weights (kernels as PyTorch has them) and calls it.
Tensor Filled(const ConvolutionLayer& layer, const Tensor& x, const Tensor& kernel) {
  layer(x);
  const std::vector<Variable> v = layer.variables();
  v[0].Assign(kernel);
  v[1].Assign(Wave(v[1].shape(), 0.1));
  return layer(x);
}

TEST(ConvLayers, AsPyTorchChannelsFirst) {
  const LayerOptions options = {.dtype = kFloat64};
  const Tensor kernel = Wave({3, 2, 2, 2}, 0.7);
  const ConvOptions conv = {.strides = {2}, .padding = kExplicit, .low = {1}, .format = kChannelsFirst};
  ExpectNear(Filled(Convolution2D(3, {2}, {}, conv, options), kImages, kernel),
             {-0.255488172596, 1.323239128237,   -0.9586844234078, 0.5554273449057, 0.8666303268097, -0.6709544952153,
              2.172014561029,  -4.69511373013,   3.279835826921,   5.015805729716,  -2.318499519293, 2.577797344362,
              1.506552426903,  3.619184857769,   1.184018754885,   2.868076781655,  -3.041265007998, 5.6220845444,
              2.893517301995,  -6.191196554413,  1.101636303966,   -1.508796066664, 0.3420858503515, -0.6124977618877,
              -1.731988386489, -0.9125276684026, -0.0213361174952},
             1e-12, "conv2d");
  ExpectNear(
      Filled(Convolution2D(4, {2}, {}, {.groups = 2, .format = kChannelsFirst}, options), kImages,
             Wave({4, 1, 2, 2}, 0.7)),
      {-0.05503799368899, 0.831606420911,   0.2915277870926,  0.2767496520735, 0.8354145835773,  -0.04124118025581,
       0.5884028786689,   0.6731622428606,  -0.3110837652754, 1.043277904394,  2.439695270737,   2.725329634418,
       1.348481607165,    2.794493846323,   2.32869824555,    1.810202924149,  2.928104381284,   1.832546964947,
       -0.02617765034052, 0.3349417640036,  -1.644052015137,  0.4454314109942, -0.2034951067539, -1.976911823826,
       0.6174388725054,   -0.872030713742,  -1.976645020935,  -1.35625324841,  -0.4759925345428, -2.510220413065,
       -0.7403017153214,  -0.9320810936527, -3.008642946648,  -0.392505239191, -1.606230973502,  -3.182718422081},
      1e-12, "groups");
  ExpectNear(
      Filled(DepthwiseConvolution2D({2}, 2, {}, {.format = kChannelsFirst}, options), kImages, Wave({4, 1, 2, 2}, 0.7)),
      {-0.05503799368899, 0.831606420911,   0.2915277870926,  0.2767496520735, 0.8354145835773,  -0.04124118025581,
       0.5884028786689,   0.6731622428606,  -0.3110837652754, 1.043277904394,  2.439695270737,   2.725329634418,
       1.348481607165,    2.794493846323,   2.32869824555,    1.810202924149,  2.928104381284,   1.832546964947,
       -0.02617765034052, 0.3349417640036,  -1.644052015137,  0.4454314109942, -0.2034951067539, -1.976911823826,
       0.6174388725054,   -0.872030713742,  -1.976645020935,  -1.35625324841,  -0.4759925345428, -2.510220413065,
       -0.7403017153214,  -0.9320810936527, -3.008642946648,  -0.392505239191, -1.606230973502,  -3.182718422081},
      1e-12, "depthwise");
  const ConvTransposeOptions transposed = {.strides = {2}, .format = kChannelsFirst};
  ExpectNear(Filled(ConvolutionTranspose2D(3, {2}, {}, transposed, options), Slice(kImages, {0, 0, 0, 0}, {1, 2, 2, 2}),
                    Wave({2, 3, 2, 2}, 0.7)),
             {3.136643466839,   -1.025467076347,  0.05691180955645, 4.968805960364,  -2.421606282188, 2.100273960883,
              -0.8865327810739, -4.289570613742,  2.870487556085,   1.432188489682,  -1.378676369809, 4.650214141659,
              -2.788761148548,  -0.2627698389761, 0.6311530018265,  -4.362069709432, 4.07920284882,   -0.5021779001179,
              4.190721933396,   5.858929434395,   0.4474930119522,  4.784154024065,  -1.303213387973, -1.125815548932,
              5.055288081963,   1.609339483234,   2.691718369137,   6.317705242453,  -1.072707000099, 3.064375444274,
              0.07756870231695, -1.940403697301,  0.06771160478552, -3.736259702957, 3.34135208658,   1.330128765275,
              -0.6888374818917, 2.329846675894,   -5.268030483874,  -1.556534179093, 2.031079619664,  -2.522419441152,
              2.170480392362,   2.446437656298,   -2.964998766145,  1.702548113299,  -4.384819298739, -2.900436867126},
             1e-12, "transpose");
}

TEST(ConvLayers, BothLayoutsAgree) {
  const Generator g(1);
  const LayerOptions options = {.generator = g, .dtype = kFloat64};
  const auto both = [&](const auto& last, const auto& first) {
    g.Seed(1);
    const Tensor a = last(ToLast(kImages));
    g.Seed(1);
    const Tensor b = first(kImages);
    ExpectNear(ToFirst(a), Values(b), 1e-13, "layouts");
  };
  const ConvOptions first = {.padding = kSame, .format = kChannelsFirst};
  both(Convolution2D(3, {2, 3}, Relu, {.padding = kSame}, options), Convolution2D(3, {2, 3}, Relu, first, options));
  const ConvTransposeOptions transposed = {.strides = {2}, .format = kChannelsFirst};
  both(ConvolutionTranspose2D(3, {3}, {}, {.strides = {2}}, options),
       ConvolutionTranspose2D(3, {3}, {}, transposed, options));
}

TEST(ConvLayers, OfAModel) {
  const Sequential model{Convolution2D(4, {3}, Relu, {.padding = kSame}),
                         MaxPooling2D({2}),
                         DepthwiseConvolution2D({2}),
                         BatchNorm(),
                         AveragePooling2D({1}),
                         GlobalAveragePooling(),
                         Dense(2)};
  const Tensor x = Cast(ToLast(kImages), kFloat32);
  EXPECT_EQ(model(x).shape(), Shape({1, 2}));
  std::vector<std::string> names;
  for (const Variable& v : model.trainable_variables()) names.push_back(v.name());
  EXPECT_THAT(names, ElementsAre("conv2d/kernel", "conv2d/bias", "depthwise_conv2d/kernel", "depthwise_conv2d/bias",
                                 "batch_norm/scale", "batch_norm/offset", "dense/kernel", "dense/bias"));
  EXPECT_EQ(model.variables()[0].shape(), Shape({3, 3, 2, 4}));
  ExpectCompiledBits([&](const TensorVector& in) { return model(in[0]); }, {x});
  EXPECT_EQ(Convolution1D(5, {3})(Zeros({2, 7, 1})).shape(), Shape({2, 5, 5}));
  EXPECT_EQ(Convolution3D(2, {2})(Zeros({1, 3, 3, 3, 1})).shape(), Shape({1, 2, 2, 2, 2}));
}

TEST(ConvLayers, Mistakes) {
  ExpectError(ErrorCode::kInvalidArgument, "conv2d: needs an input of rank 4, got f32[2,3]",
              [] { Convolution2D(1, {2})(Zeros({2, 3})); });
  ExpectError(ErrorCode::kInvalidArgument, "conv2d: 3 sizes for 2 spatial axes", [] { Convolution2D(1, {1, 2, 3}); });
  ExpectError(ErrorCode::kInvalidArgument, "conv1d: 3 channels do not divide into 2 groups",
              [] { Convolution1D(2, {1}, {}, {.groups = 2})(Zeros({1, 4, 3})); });
}

}  // namespace
}  // namespace reel
