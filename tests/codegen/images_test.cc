// Nets on images whose channels come first: convolutions are computed with channels last, what stands between them
// stays so, and weights that are only read are stored as they are read. No bit depends on it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reel/reel.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

using Tensors = std::vector<Tensor>;
using Ints = std::vector<int64_t>;

Tensor Relu6(const Tensor& x) { return Minimum(Maximum(x, 0.0), 6.0); }

// A net that grows from x, with these weights: the first time it makes them.
class Net {
 public:
  Net(const Tensor& x, std::vector<Variable>* weights) : x_(x), weights_(weights) {}

  Tensor Weight(const Ints& dims) {
    if (next_ == weights_->size()) {
      const Generator generator(static_cast<uint64_t>(next_) + 7);
      weights_->emplace_back(RandomNormal(Shape(dims), {.generator = generator}) * 0.3);
    }
    return (*weights_)[next_++].value();
  }
  Tensor Conv(const Tensor& x, int64_t outputs, int64_t size, ConvOptions options) {
    options.format = kChannelsFirst;
    const Tensor y = reel::Conv2D(x, Weight({outputs, x.shape().dim(1) / options.groups, size, size}), options);
    return y + Reshape(Weight({outputs}), {1, outputs, 1, 1});
  }
  const Tensor& x() const { return x_; }

 private:
  Tensor x_;
  std::vector<Variable>* weights_;
  size_t next_ = 0;
};

struct Case {
  std::string name;
  Ints shape;
  Tensor (*net)(Net* net);
};

Tensor Plain(Net* n) {
  const Tensor y = Relu6(n->Conv(n->x(), 5, 3, {.padding = kSame}));
  return Relu(n->Conv(y, 7, 3, {.strides = {2}, .padding = kSame}));
}
Tensor Inverted(Net* n) {
  const Tensor y = Relu6(n->Conv(n->x(), 18, 1, {}));
  const Tensor z = Relu6(n->Conv(y, 18, 3, {.padding = kExplicit, .low = {1}, .groups = 18}));
  return n->Conv(z, n->x().shape().dim(1), 1, {}) + n->x();
}
Tensor Strided(Net* n) {
  const Tensor y = Relu6(n->Conv(n->x(), 20, 1, {}));
  return Relu6(n->Conv(y, 20, 5, {.strides = {2}, .padding = kExplicit, .low = {2}, .groups = 20}));
}
Tensor Grouped(Net* n) {
  const Tensor y = Tanh(n->Conv(n->x(), 12, 3, {.padding = kSame, .groups = 2}));
  return HardSwish(n->Conv(y, 6, 3, {.padding = kSame, .dilation = {2}, .groups = 3}));
}
Tensor Residual(Net* n) {
  const Tensor y = MaxPool(Relu(n->Conv(n->x(), 9, 3, {.strides = {2}, .padding = kSame})), {3, 3},
                           {.strides = {2, 2}, .padding = kSame, .format = kChannelsFirst});
  const Tensor z = Relu(n->Conv(y, 9, 3, {.padding = kSame}));
  return Relu(n->Conv(z, 9, 3, {.padding = kSame}) + y);
}
Tensor Squeezed(Net* n) {
  const Tensor y = HardSwish(n->Conv(n->x(), 16, 3, {.padding = kSame}));
  const Tensor s = GlobalAvgPool(y, kChannelsFirst, {.keepdims = true});
  return n->Conv(y * HardSigmoid(n->Conv(s, 16, 1, {})), 3, 1, {});
}
Tensor Joined(Net* n) {
  const Tensor y = Relu(n->Conv(n->x(), 4, 3, {.padding = kSame})), z = Relu(n->Conv(y, 5, 1, {}));
  return AvgPool(n->Conv(Concat({y, z, n->x()}, 1), 6, 3, {.padding = kSame}), {2, 2}, {.format = kChannelsFirst});
}
// Filters large enough for panels; what is added is cut into panels, or not, or is one for a channel.
Tensor Panels(Net* n) {
  const Tensor y = Relu(n->Conv(n->x(), 128, 3, {.padding = kSame})), z = Relu6(n->Conv(y, 64, 3, {.padding = kSame}));
  const Tensor s = HardSigmoid(GlobalAvgPool(z, kChannelsFirst, {.keepdims = true}));
  const Tensor w = Relu(n->Conv(z * s, 128, 3, {.padding = kSame}) + y);
  return n->Conv(w, 96, 3, {.strides = {2}, .padding = kSame, .dilation = {1}}) *
         Sigmoid(n->Conv(y, 96, 1, {.strides = {2}}));
}
// The same of matrices, for a few rows and for one.
Tensor Matrices(Net* n) {
  const Tensor bias = n->Weight({512}), y = Gelu(MatMul(n->x(), n->Weight({256, 512})) + bias);
  const Tensor z = MatMul(y, n->Weight({256, 512}), {.transpose_b = true}) + n->x();
  const Tensor heads = Transpose(Reshape(MatMul(Softmax(z), n->Weight({256, 512})), {-1, 8, 64}), {1, 0, 2});
  const Tensor one = MatMul(ReduceMean(heads, {1}), n->Weight({64, 1024}));
  return Concat({Reshape(heads, {-1}), Reshape(one, {-1})}, 0);
}
Tensor Flattened(Net* n) {
  const Tensor y = Relu6(n->Conv(n->x(), 6, 3, {}));
  const Tensor flat = Reshape(y, {y.shape().dim(0), -1});
  return MatMul(flat, n->Weight({11, flat.shape().dim(1)}), {.transpose_b = true});
}

const Case kCases[] = {
    {"plain", {2, 3, 9, 7}, Plain},
    {"plain_odd", {1, 1, 28, 5}, Plain},
    {"inverted", {1, 6, 13, 11}, Inverted},
    {"inverted_one_row", {3, 4, 1, 17}, Inverted},
    {"strided", {1, 3, 15, 14}, Strided},
    {"grouped", {2, 4, 8, 9}, Grouped},
    {"residual", {1, 3, 21, 19}, Residual},
    {"squeezed", {2, 5, 7, 6}, Squeezed},
    {"squeezed_14", {1, 3, 14, 14}, Squeezed},
    {"squeezed_7", {2, 3, 7, 7}, Squeezed},
    {"joined", {1, 2, 10, 12}, Joined},
    {"panels", {1, 3, 7, 5}, Panels},
    {"panels_batch", {3, 2, 6, 4}, Panels},
    {"matrices", {19, 256}, Matrices},
    {"matrices_one_row", {1, 256}, Matrices},
    {"flattened", {3, 2, 7, 8}, Flattened},
};

class Images : public testing::TestWithParam<Case> {};

TEST_P(Images, HaveTheBitsOfEveryLevel) {
  const Case& c = GetParam();
  const Generator generator(3);
  const Tensor x = RandomNormal(Shape(c.shape), {.generator = generator});
  std::vector<Variable> weights;
  const auto f = [&](const Tensor& a) {
    Net net(a, &weights);
    return Tensors{c.net(&net)};
  };
  const Tensors eager = f(x);
  ExpectSameBits(Trace(f, {Spec(x)}), {x}, eager);
}

// Weights that change, and gradients by them: of what is turned, and of what turns it.
TEST_P(Images, HaveThoseOfASum) {
  const Case& c = GetParam();
  const Generator generator(4);
  const Tensor x = RandomNormal(Shape(c.shape), {.generator = generator});
  std::vector<Variable> weights;
  const auto f = [&](const Tensor& a) {
    GradientTape tape({.persistent = true});
    tape.Watch(a);
    Net net(a, &weights);
    const Tensor loss = ReduceMean(Square(c.net(&net)));
    return Tensors{loss, *tape.Gradient(loss, a), *tape.Gradient(loss, weights[0])};
  };
  const Tensors eager = f(x);
  ExpectSameBits(Trace(f, {Spec(x)}), {x}, eager);
}

INSTANTIATE_TEST_SUITE_P(All, Images, testing::ValuesIn(kCases), [](const auto& p) { return p.param.name; });

TEST(ImagesPlan, NothingTurnsWhatStandsBetweenConvolutions) {
  const Generator generator(5);
  const Tensor x = RandomNormal({1, 8, 16, 16}, {.generator = generator});
  std::vector<Variable> weights;
  const auto f = [&](const Tensor& a) {
    Net net(a, &weights);
    Tensor y = a;
    for (int i = 0; i < 4; ++i) y = Relu6(net.Conv(y, 32, 1, {}));
    return y;
  };
  f(x);
  // Each product is one with what follows it; the result alone is turned back.
  EXPECT_THAT(Compile(Trace(f, {Spec(x)}), {.cpu = "x86-64-v4"}).Plan(), testing::HasSubstr("entry main: 5 steps"));
}

// Weights that are stored in panels are read and set as they were.
TEST(ImagesPlan, ProductsReadPanels) {
  const Generator generator(6);
  const Tensor x = RandomNormal({1, 128, 6, 5}, {.generator = generator});
  std::vector<Variable> weights;
  const auto f = [&](const Tensor& a) {
    Net net(a, &weights);
    return Relu(net.Conv(a, 64, 3, {.padding = kSame}));
  };
  f(x);
  const Executable run = Compile(Trace(f, {Spec(x)}), {.cpu = "x86-64-v4"});
  EXPECT_THAT(run.Plan(), testing::HasSubstr("to f32[1,6,5,2,32]"));
  EXPECT_THAT(run.Plan(), testing::Not(testing::HasSubstr("packed")));
  const Tensor filter = RandomNormal(weights[0].shape(), {.generator = generator});
  EXPECT_TRUE(SameBits(run.variable(weights[0].name()), weights[0].value()));
  run.set_variable(weights[0].name(), filter);
  EXPECT_TRUE(SameBits(run.variable(weights[0].name()), filter));
  weights[0].Assign(filter);
  EXPECT_TRUE(SameBits(run("main", {x}).tensors()[0], f(x)));
}

}  // namespace
}  // namespace reel
