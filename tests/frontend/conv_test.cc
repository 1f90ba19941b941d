// Convolution and pooling against values printed by PyTorch (channels first) and TensorFlow
// (channels last).

#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

Tensor Counting(const Shape& shape) { return Reshape(Arange(1, shape.size() + 1, kInt64), shape.dims()); }
Tensor Image(int64_t n, int64_t m) {  // the upper left corner of 1 .. 25
  return Slice(Cast(Counting({1, 5, 5, 1}), kFloat64), {0, 0, 0, 0}, {1, n, m, 1});
}
const std::vector<double> kFilter{1, 2, -1, 0, 3, 1, 2, -2, 1};
Tensor Filter() { return Tensor::FromData(kFilter, {3, 3, 1, 1}); }
Tensor FilterFirst() { return Tensor::FromData(kFilter, {1, 1, 3, 3}); }
Tensor First(const Tensor& x) { return Transpose(x, {0, 3, 1, 2}); }

const std::vector<double> kStrided{0, 20, 13, 35, 84, 72, 100, 127, 134};

TEST(Conv, PaddingStrideAndDilation) {
  EXPECT_THAT(Values(Conv2D(Image(5, 5), Filter())), ElementsAre(42, 49, 56, 77, 84, 91, 112, 119, 126));
  EXPECT_THAT(Values(Conv2D(Image(5, 5), Filter(), {.strides = {2}, .padding = kSame})), ElementsAreArray(kStrided));
  EXPECT_THAT(Values(Conv2D(Image(5, 5), Filter(), {.strides = {2}, .padding = kExplicit, .low = {1}})),
              ElementsAreArray(kStrided));
  EXPECT_THAT(Values(Conv2D(Image(5, 5), Filter(), {.dilation = {2, 2}})), ElementsAre(77));
  EXPECT_THAT(Values(Conv2D(Image(4, 4), Filter(), {.strides = {2}, .padding = kSame})), ElementsAre(42, 36, 91, 98));
  const Tensor y =
      Conv2D(First(Image(5, 5)), FilterFirst(),
             {.strides = {2, 2}, .padding = kExplicit, .low = {1, 1}, .high = {1, 1}, .format = kChannelsFirst});
  EXPECT_EQ(y.shape(), Shape({1, 1, 3, 3}));
  EXPECT_THAT(Values(y), ElementsAreArray(kStrided));
  EXPECT_THAT(Values(Conv(Image(5, 5), Filter(), {.padding = kExplicit, .low = {-1}, .high = {0}})),
              ElementsAre(84, 91, 119, 126));
  EXPECT_EQ(Conv1D(Zeros({2, 7, 3}), Zeros({3, 3, 4})).shape(), Shape({2, 5, 4}));
  EXPECT_EQ(Conv3D(Zeros({2, 4, 5, 6, 3}), Zeros({2, 2, 2, 3, 4})).shape(), Shape({2, 3, 4, 5, 4}));
  EXPECT_EQ(Conv1D(Zeros({0, 7, 3}), Zeros({3, 3, 4})).shape(), Shape({0, 5, 4}));
}

TEST(Conv, Groups) {
  const Tensor x = Reshape(Cast(Counting({8}), kFloat64), {1, 2, 4});
  const Tensor filter = Tensor::FromData(std::vector<double>{1, 2, 0, -1, 3, 1, 1, 1}, {4, 1, 2});
  EXPECT_THAT(Values(Conv1D(x, filter, {.groups = 2, .format = kChannelsFirst})),
              ElementsAre(5, 8, 11, -2, -3, -4, 21, 25, 29, 11, 13, 15));
  const Tensor image = Cast(Counting({1, 3, 3, 2}), kFloat64), depthwise = Cast(Counting({2, 2, 2, 2}), kFloat64);
  EXPECT_THAT(Values(DepthwiseConv2D(image, depthwise)),
              ElementsAre(196, 216, 272, 296, 252, 280, 344, 376, 364, 408, 488, 536, 420, 472, 560, 616));
}

TEST(Conv, Transposed) {
  const Tensor x = Reshape(Tensor({1.0, 2.0, 3.0, 4.0}), {1, 2, 2, 1});
  const std::vector<double> valid{1, 2, 1, 4, -2, 0, 3, 1, 6, 2, 5, 4, 6, 4, -2, 0, 9, 3, 12, 4, 6, -6, 11, -8, 4};
  EXPECT_THAT(Values(ConvTranspose2D(x, Filter(), {.strides = {2}})), ElementsAreArray(valid));
  EXPECT_THAT(Values(ConvTranspose2D(First(x), FilterFirst(),
                                     {.strides = {2}, .padding = kExplicit, .format = kChannelsFirst})),
              ElementsAreArray(valid));
  EXPECT_THAT(Values(ConvTranspose2D(x, Filter(), {.strides = {2}, .padding = kSame})),
              ElementsAre(1, 2, 1, 4, 0, 3, 1, 6, 5, 4, 6, 4, 0, 9, 3, 12));
  EXPECT_THAT(Values(ConvTranspose2D(x, Filter(), {.strides = {2}, .padding = kSame, .output_size = {3, 3}})),
              ElementsAre(3, 1, 6, 4, 6, 4, 9, 3, 12));
  EXPECT_THAT(
      Values(ConvTranspose2D(x, Filter(), {.strides = {2}, .padding = kExplicit, .low = {1}, .output_padding = {1}})),
      ElementsAre(3, 1, 6, 2, 4, 6, 4, -2, 9, 3, 12, 4, -6, 11, -8, 4));
  const Tensor grouped = Reshape(Cast(Counting({6}), kFloat64), {1, 2, 3});
  const Tensor filter = Tensor::FromData(std::vector<double>{1, 2, 3, -1, 0, 1, 2, 2}, {2, 2, 2});
  EXPECT_THAT(Values(ConvTranspose1D(grouped, filter, {.strides = {2}, .groups = 2, .format = kChannelsFirst})),
              ElementsAre(1, 2, 2, 4, 3, 6, 3, -1, 6, -2, 9, -3, 0, 4, 0, 5, 0, 6, 8, 8, 10, 10, 12, 12));
}

// The transposed convolution is the gradient of the convolution, and the other way round.
TEST(Conv, GradientIsTheTransposedConvolution) {
  const Tensor x = Image(5, 5), filter = Filter();
  GradientTape tape;
  tape.Watch(x);
  tape.Watch(filter);
  const Tensor y = Conv2D(x, filter, {.strides = {2}, .padding = kSame});
  const auto d = tape.Gradient(ReduceSum(Mul(y, y)), {x, filter});
  EXPECT_THAT(Values(d.Dense(0)), ElementsAreArray(Values(ConvTranspose2D(
                                      Mul(y, 2), filter, {.strides = {2}, .padding = kSame, .output_size = {5}}))));
  // sum of 2 y times the padded image under each tap, by hand for the middle one
  double middle = 0;
  for (size_t i = 0; i < 9; ++i) {
    middle += 2 * kStrided[i] * static_cast<double>(1 + 10 * static_cast<int>(i / 3) + 2 * static_cast<int>(i % 3));
  }
  EXPECT_EQ(Values(d.Dense(1))[4], middle);
}

TEST(Conv, Mistakes) {
  const Tensor x = Zeros({1, 5, 5, 3}), f = Zeros({3, 3, 3, 4});
  const auto code = ErrorCode::kInvalidArgument;
  ExpectError(code, "conv2d: stride 0 must be at least 1", [&] { Conv2D(x, f, {.strides = {0}}); });
  ExpectError(code, "conv2d: dilation -1 must be", [&] { Conv2D(x, f, {.dilation = {-1}}); });
  ExpectError(code, "strides has 3 entries for 2 spatial axes", [&] { Conv2D(x, f, {.strides = {1, 1, 1}}); });
  ExpectError(code, "does not fit into extent 5", [&] { Conv2D(x, f, {.dilation = {3}}); });
  ExpectError(code, "must both have rank spatial axes + 2", [&] { Conv1D(x, f); });
  ExpectError(code, "do not fit in 1 groups", [&] { Conv2D(x, Zeros({3, 3, 2, 4})); });
  ExpectError(code, "do not fit in 2 groups", [&] { Conv2D(x, f, {.groups = 2}); });
  ExpectError(code, "groups 0 must be", [&] { Conv2D(x, f, {.groups = 0}); });
  ExpectError(code, "a result of extent 12 is not convolved to an input of 5", [&] {
    ConvTranspose2D(x, Zeros({3, 3, 4, 3}), {.strides = {2}, .padding = kSame, .output_size = {12}});
  });
  ExpectError(code, "must end in the 3 channels", [&] { ConvTranspose2D(x, f); });
  constexpr int64_t kHuge = INT64_MAX;
  ExpectError(code, "stride 9223372036854775807 is out of range",
              [&] { ConvTranspose1D(Zeros({1, 2, 1}), Zeros({1, 1, 1}), {.strides = {kHuge}}); });
  ExpectError(code, "conv2d: padding 9223372036854775807 is out of range",
              [&] { Conv2D(x, f, {.padding = kExplicit, .low = {kHuge}}); });
  ExpectError(code, "output_padding -9223372036854775807 is out of range", [&] {
    ConvTranspose1D(Zeros({1, 2, 1}), Zeros({1, 1, 1}), {.padding = kExplicit, .output_padding = {-kHuge}});
  });
}

const Tensor& Ties() {
  static const Tensor* const x = new Tensor(
      Reshape(Tensor({1.0, 5.0, 2.0, 5.0, 7.0, 7.0, 0.0, 1.0, 3.0, 2.0, 9.0, 4.0, 0.0, 8.0, 9.0, 6.0}), {1, 4, 4, 1}));
  return *x;
}

TEST(Pool, MaximumAndItsGradientAtTies) {
  const auto pool = [](const std::vector<int64_t>& window, const PoolOptions& options) {
    const Tensor x = Ties();
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = MaxPool2D(x, window, options);
    return std::pair(Values(y), Values(*tape.Gradient(ReduceSum(y), x)));
  };
  const auto [y, dx] = pool({2}, {});
  EXPECT_THAT(y, ElementsAre(7, 5, 8, 9));
  EXPECT_THAT(dx, ElementsAre(0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0));
  const auto [z, dz] = pool({3, 3}, {.strides = {1}, .padding = kSame});
  EXPECT_THAT(z, ElementsAre(7, 7, 7, 5, 7, 9, 9, 9, 8, 9, 9, 9, 8, 9, 9, 9));
  EXPECT_THAT(dz, ElementsAre(0, 0, 0, 1, 3, 1, 0, 0, 0, 0, 9, 0, 0, 2, 0, 0));
  EXPECT_EQ(MaxPool1D(Cast(Counting({1, 6, 1}), kInt32), {3}, {.strides = {2}, .ceil_mode = true}).shape(),
            Shape({1, 3, 1}));
  EXPECT_THAT(
      Values(MaxPool1D(Counting({1, 1, 6}), {3}, {.strides = {2}, .ceil_mode = true, .format = kChannelsFirst})),
      ElementsAre(3, 5, 6));
  EXPECT_THAT(Values(GlobalMaxPool(Ties())), ElementsAre(9));
  EXPECT_EQ(GlobalAvgPool(Zeros({2, 3, 4, 5}), kChannelsFirst, {.keepdims = true}).shape(), Shape({2, 3, 1, 1}));
}

TEST(Pool, MeanCountsTheInputOrThePaddingToo) {
  const Tensor x = Cast(Counting({1, 6, 1}), kFloat64);
  const PoolOptions padded{.strides = {2}, .padding = kExplicit, .low = {1}};
  PoolOptions counting = padded;
  counting.count_include_pad = true;
  EXPECT_THAT(Values(AvgPool1D(x, {3}, padded)), ElementsAre(1.5, 3, 5));
  EXPECT_THAT(Values(AvgPool1D(x, {3}, counting)), ElementsAre(1, 3, 5));
  counting.ceil_mode = true;
  EXPECT_THAT(Values(AvgPool1D(x, {3}, counting)), ElementsAre(1, 3, 5, 3));
  EXPECT_THAT(Values(AvgPool2D(Image(4, 4), {2}, {.strides = {3}, .padding = kSame})), ElementsAre(4, 6.5, 16.5, 19));
  EXPECT_THAT(Values(AvgPool2D(Image(3, 3), {2}, {.strides = {1}, .padding = kSame})),
              ElementsAre(4, 5, 5.5, 9, 10, 10.5, 11.5, 12.5, 13));
  ExpectError(ErrorCode::kInvalidArgument, "needs floats", [] { AvgPool1D(Counting({1, 6, 1}), {2}); });
}

// Of every window, dilation and stride, the elements counted one by one.
TEST(Pool, CountsElementsOfAnyWindow) {
  for (const int64_t size : {2, 5}) {
    for (const int64_t stride : {1, 3}) {
      for (const int64_t dilation : {1, 2}) {
        for (const int64_t low : {0, 4}) {
          const int64_t extent = 7, high = 5, span = (size - 1) * dilation + 1;
          std::vector<double> want;
          for (int64_t at = -low; at + span <= extent + high; at += stride) {
            double n = 0;
            for (int64_t k = 0; k < size; ++k) {
              const int64_t i = at + k * dilation;
              n += i >= 0 && i < extent;
            }
            want.push_back(n > 0 ? 1 : NAN);
          }
          const Tensor y = AvgPool1D(
              Ones({1, extent, 1}), {size},
              {.strides = {stride}, .padding = kExplicit, .low = {low}, .high = {high}, .dilation = {dilation}});
          EXPECT_THAT(Values(y), testing::Pointwise(testing::NanSensitiveDoubleEq(), want))
              << size << " " << stride << " " << dilation << " " << low;
        }
      }
    }
  }
}

TEST(Pool, MeansOfHalvesAreSummedInSingle) {
  const Tensor y = AvgPool1D(Full({1, 400, 1}, 300, kFloat16), {400});
  EXPECT_EQ(y.dtype(), kFloat16);
  EXPECT_THAT(Values(y), ElementsAre(300));
}

TEST(Windows, AreViewsOfAxes) {
  const Tensor x = Counting({5});
  EXPECT_THAT(Values(Unfold(x, -1, 2, 2)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Values(Windows(x, {0}, {2}, {.dilations = {3}})), ElementsAre(1, 4, 2, 5));
  EXPECT_THAT(Values(ReduceWindow(x, WindowReduction::kSum, {3}, {.low = {1}, .high = {1}})),
              ElementsAre(3, 6, 9, 12, 9));
  EXPECT_THAT(Values(ReduceWindow(x, WindowReduction::kProd, {2}, {.strides = {2}})), ElementsAre(2, 12));
  EXPECT_THAT(Values(ReduceWindow(x, WindowReduction::kMin, {2}, {.low = {1}})), ElementsAre(1, 1, 2, 3, 4));
  EXPECT_THAT(Values(ReduceWindow(x, WindowReduction::kMax, {1})), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(Values(ExtractPatches(Image(3, 3), {2})),
              ElementsAre(1, 2, 6, 7, 2, 3, 7, 8, 6, 7, 11, 12, 7, 8, 12, 13));
  const auto code = ErrorCode::kInvalidArgument;
  ExpectError(code, "a window of 6 elements", [&] { Unfold(x, 0, 6); });
  ExpectError(code, "window stride 0 must be at least 1", [&] { Unfold(x, 0, 2, 0); });
  ExpectError(code, "window size -1 must be at least 1", [&] { Unfold(x, 0, -1); });
  ExpectError(code, "axis 1 is out of range for rank 1", [&] { Unfold(x, 1, 2); });
  ExpectError(code, "max_pool2d: window size 0", [] { MaxPool2D(Ties(), {0}); });
  ExpectError(code, "padding is negative", [] { MaxPool2D(Ties(), {2}, {.padding = kExplicit, .low = {-1}}); });
}

// Products and convolutions of compiled code, in whatever order it walks memory: the bits of the scalar loops. Sizes
// beyond a block of k, a panel of columns and a tile of rows.
struct Compiled {
  const char* what;
  std::vector<Shape> shapes;
  Tensor (*apply)(const Tensor& x, const Tensor& w);
};
const Compiled kCompiled[] = {
    {"tiles and masks", {{131, 300}, {300, 70}}, [](const Tensor& x, const Tensor& w) { return MatMul(x, w); }},
    {"transposed",
     {{65, 300}, {70, 300}},
     [](const Tensor& x, const Tensor& w) { return MatMul(x, Transpose(w, {1, 0})); }},
    {"transposed, one row",
     {{1, 530}, {37, 530}},
     [](const Tensor& x, const Tensor& w) { return MatMul(x, Transpose(w, {1, 0})); }},
    {"w beyond L2", {{64, 601}, {601, 450}}, [](const Tensor& x, const Tensor& w) { return MatMul(x, w); }},
    {"heads",
     {{2, 9, 3, 40}, {2, 11, 3, 40}},
     [](const Tensor& x, const Tensor& w) { return MatMul(Transpose(x, {0, 2, 1, 3}), Transpose(w, {0, 2, 3, 1})); }},
    {"conv",
     {{2, 13, 11, 40}, {3, 3, 40, 24}},
     [](const Tensor& x, const Tensor& w) { return Relu(Conv2D(x, w, {.padding = kSame})); }},
    {"strided and dilated",
     {{2, 23, 19, 3}, {5, 3, 3, 70}},
     [](const Tensor& x, const Tensor& w) { return Conv2D(x, w, {.strides = {2, 1}, .dilation = {1, 3}}); }},
    {"groups",
     {{2, 9, 8, 6}, {3, 3, 3, 34}},
     [](const Tensor& x, const Tensor& w) { return Conv2D(x, w, {.padding = kSame, .groups = 2}); }},
    {"gradient by the filter",
     {{3, 14, 17, 5}, {3, 3, 5, 33}},
     [](const Tensor& x, const Tensor& w) {
       GradientTape tape;
       tape.Watch(w);
       return *tape.Gradient(Sin(Conv2D(x, w, {.padding = kSame})), w);
     }},
    {"gradient by the image",
     {{3, 14, 17, 5}, {3, 3, 5, 33}},
     [](const Tensor& x, const Tensor& w) {
       GradientTape tape;
       tape.Watch(x);
       return *tape.Gradient(Sin(Conv2D(x, w, {.strides = {2}, .padding = kSame})), x);
     }},
};

TEST(Conv, CompiledProductsHaveTheBitsOfScalarLoops) {
  for (const Compiled& c : kCompiled) {
    SCOPED_TRACE(c.what);
    const Generator generator(3);
    const Tensor x = RandomNormal(c.shapes[0], {.generator = generator}),
                 w = RandomNormal(c.shapes[1], {.generator = generator});
    const Function f = Trace(c.apply, {Spec(kFloat32, c.shapes[0]), Spec(kFloat32, c.shapes[1])});
    const Executable slow = Compile(f, {.opt_level = 0}), fast = Compile(f), narrow = Compile(f, {.cpu = "x86-64-v3"});
    const Tensor want = slow(slow.entries()[0], x, w);
    EXPECT_EQ(Values(Tensor(fast(fast.entries()[0], x, w))), Values(want));
    EXPECT_EQ(Values(Tensor(narrow(narrow.entries()[0], x, w))), Values(want));
    EXPECT_EQ(Values(c.apply(x, w)), Values(want));
  }
}

}  // namespace
}  // namespace reel
