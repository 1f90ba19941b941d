#ifndef REEL_TESTS_CODEGEN_RANDOM_CONVOLUTIONS_H_
#define REEL_TESTS_CODEGEN_RANDOM_CONVOLUTIONS_H_

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"

// Convolutional layers as training has them: strides, dilations, padding, groups, channels last or first; biases and
// activations, statistics over the channels, pooling, residuals, and the gradients by the image and the filters.

namespace reel::codegen {

class RandomConvolutions {
 public:
  explicit RandomConvolutions(uint32_t seed)
      : random_(seed), module_(StrCat("c", seed)), f_("main"), b_(&f_, &module_) {
    spatial_ = Below(4) ? 2 : 1;
    channels_ = Pick({3, 8, 16, 20});
    channels_first_ = Below(3) == 0;
    Shape image{Pick({1, 2, 4})};
    for (int i = 0; i < spatial_; ++i) image.push_back(Pick({5, 8, 16}));
    image.push_back(channels_);
    x_ = f_.AddParameter("x", {kFloat32, Laid(image)});
    const int layers = 1 + Below(3);
    for (int i = 0; i < layers; ++i) AddFilter();
    bias_ = f_.AddParameter("b", {kFloat32, {channels_}});
    Value y = x_;
    for (const Value filter : filters_) y = Layer(y, filter);
    results_.push_back(y);
    Finish();
  }

  const ir::Module& module() const { return module_; }

 private:
  using Value = ir::Value;
  using Ints = std::vector<int64_t>;
  int Below(size_t n) { return static_cast<int>(random_() % n); }
  int64_t Pick(Ints list) { return list[static_cast<size_t>(Below(list.size()))]; }

  // Axes of [n, spatial..., channels] as values have them.
  Shape Laid(const Shape& last) const {
    Shape first{last[0], last[spatial_ + 1]};
    for (int i = 0; i < spatial_; ++i) first.push_back(last[i + 1]);
    return channels_first_ ? first : last;
  }
  Ints Places() const {  // all axes but that of the channels
    Ints axes{0};
    for (int i = 0; i < spatial_; ++i) axes.push_back(i + (channels_first_ ? 2 : 1));
    return axes;
  }
  int64_t ChannelAxis() const { return channels_first_ ? 1 : spatial_ + 1; }
  Value Spread(Value v, Value like) { return b_.Broadcast(v, b_.shape(like), {ChannelAxis()}); }

  void AddFilter() {
    Shape shape;
    for (int i = 0; i < spatial_; ++i) shape.push_back(Pick({1, 2, 3, 3}));
    const int64_t groups = Below(3) ? 1 : Below(2) || channels_ % 2 ? channels_ : 2;
    for (int64_t n : {groups, channels_ / groups, channels_ / groups}) shape.push_back(n);
    filters_.push_back(f_.AddParameter(StrCat("w", filters_.size()), {kFloat32, shape}));
  }

  // Some padding, a stride and dilations with which at least one place is left.
  ir::Builder::ConvGeometry Geometry(const Shape& image, const Shape& filter) {
    ir::Builder::ConvGeometry g;
    const bool plain = Below(2);  // every place of the image
    for (int i = 0; i < spatial_; ++i) {
      const int64_t taps = filter.dim(i), low = plain ? (taps - 1) / 2 : Below(static_cast<size_t>(taps));
      int64_t by = plain || Below(3) ? 1 : 2, spread = plain || Below(4) ? 1 : 2;
      int64_t high = plain ? taps - 1 - low : Below(static_cast<size_t>(taps)) - (Below(4) == 0);
      if ((image.dim(i + 1) - 1) * spread + 1 + low + high < (taps - 1) * by + 1) by = spread = 1, high = taps;
      g.strides.push_back(plain || Below(2) ? 1 : 2);
      g.low.push_back(low);
      g.high.push_back(high);
      g.a_dilation.push_back(spread);
      g.b_dilation.push_back(by);
    }
    return g;
  }

  Value ToLast(Value x) {
    Ints order = Places();
    order.push_back(ChannelAxis());
    return channels_first_ ? b_.Transpose(x, order) : x;
  }
  Value FromLast(Value y) {
    Ints order{0, spatial_ + 1};
    for (int i = 0; i < spatial_; ++i) order.push_back(i + 1);
    return channels_first_ ? b_.Transpose(y, order) : y;
  }
  Value Convolved(Value x, Value filter) {
    const Shape shape = b_.shape(filter), image = b_.shape(ToLast(x));
    const int64_t groups = shape.dim(spatial_), depth = shape.size() / channels_;
    Shape split{image[0]}, joined = split;
    for (int i = 1; i <= spatial_; ++i) split.push_back(image[i]);
    split.push_back(groups);
    split.push_back(channels_ / groups);
    const Value y = b_.Conv(b_.Reshape(ToLast(x), split), filter, Geometry(image, shape));
    for (int i = 1; i <= spatial_; ++i) joined.push_back(b_.shape(y)[i]);
    joined.push_back(channels_);
    const Value sums = b_.Reshape(y, joined);
    return FromLast(b_.Mul(sums, b_.ScalarLike(sums, 1.0 / static_cast<double>(depth))));
  }

  Value Activated(Value y) {
    switch (Below(4)) {
      case 0: return b_.Tanh(y);
      case 1: return b_.Mul(y, b_.Sigmoid(y));
      default: return b_.Max(y, b_.ScalarLike(y, 0));
    }
  }
  Value Mean(Value y) {
    const Value sum = b_.ReduceSum(y, Places());
    return b_.Mul(sum, b_.ScalarLike(sum, static_cast<double>(channels_) / static_cast<double>(b_.shape(y).size())));
  }
  // By the statistics of its channels.
  Value Normalized(Value y) {
    const Value mean = Mean(y), square = Mean(b_.Mul(y, y));
    results_.push_back(mean);
    results_.push_back(square);
    const Value deviation = b_.Sqrt(b_.Add(square, b_.ScalarLike(square, 0.1)));
    return b_.Div(b_.Sub(y, Spread(mean, y)), Spread(deviation, y));
  }
  Value Pooled(Value y) {
    Ints axes = Places(), reduced;
    axes.erase(axes.begin());
    for (int64_t axis : axes) {
      if (b_.shape(y).dim(static_cast<int>(axis)) < 2) return y;
      reduced.push_back(static_cast<int64_t>(b_.shape(y).rank()) + static_cast<int64_t>(reduced.size()));
    }
    const Ints twos(axes.size(), 2), ones(axes.size(), 1);
    return b_.ReduceMax(b_.Window(y, {axes, twos, twos, ones}), reduced);
  }
  Value Layer(Value x, Value filter) {
    Value y = Convolved(x, filter);
    if (Below(2)) y = b_.Add(y, Spread(bias_, y));
    if (Below(2)) y = Normalized(y);
    if (Below(4)) y = Activated(y);
    if (Below(3) == 0) results_.push_back(Mean(y));
    if (b_.shape(y) == b_.shape(x) && Below(2)) y = b_.Add(x, y);
    return Below(4) ? y : Pooled(y);
  }

  void Finish() {
    EXPECT_TRUE(b_.status().ok()) << b_.status();
    if (Below(3)) {
      std::vector<Value> xs = filters_;
      xs.push_back(bias_);
      if (Below(2)) xs.push_back(x_);
      const auto dxs = passes::Gradients(&f_, &module_, results_, xs, {.zero_unconnected = true});
      EXPECT_TRUE(dxs.ok()) << dxs.status();
      if (dxs.ok()) results_.insert(results_.end(), dxs->begin(), dxs->end());
    }
    f_.SetResults(std::move(results_));
    module_.AddFunction(std::move(f_));
  }

  std::minstd_rand random_;
  ir::Module module_;
  ir::Function f_;
  ir::Builder b_;
  int spatial_ = 2;
  int64_t channels_ = 1;
  bool channels_first_ = false;
  Value x_, bias_;
  std::vector<Value> filters_, results_;
};

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_RANDOM_CONVOLUTIONS_H_
