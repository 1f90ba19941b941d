#ifndef REEL_TESTS_CODEGEN_RANDOM_ARRAYS_H_
#define REEL_TESTS_CODEGEN_RANDOM_ARRAYS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"

// Arrays of three axes that are turned round, cut, padded, stacked, sorted, scattered, scanned, pooled and multiplied
// in batches, along any axis, in several dtypes: what other generators do to matrices.

namespace reel::codegen {

class RandomArrays {
 public:
  explicit RandomArrays(uint32_t seed) : random_(seed), module_(StrCat("a", seed)), f_("main"), b_(&f_, &module_) {
    for (Ints list : {Ints{1, 2, 5, 9}, Ints{1, 3, 8, 20, 40}, Ints{1, 2, 3, 4, 7, 16, 33, 64, 130}})
      shape_.push_back(Pick(list));
    for (int i = 0; i < 3; ++i) arrays_.push_back(f_.AddParameter(StrCat("x", i), {kFloat32, shape_}));
    row_ = f_.AddParameter("r", {kFloat32, {shape_[2]}});
    start_ = b_.Cast(b_.ReduceMax(row_, {0}), kInt64);  // known when it runs
    for (int i = 3 + Below(10); i > 0; --i) Step();
    Finish();
  }

  const ir::Module& module() const { return module_; }

 private:
  using Value = ir::Value;
  using Ints = std::vector<int64_t>;
  int Below(int64_t n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  int64_t Pick(Ints list) { return list[static_cast<size_t>(Below(static_cast<int64_t>(list.size())))]; }
  Value Array() {
    return arrays_[arrays_.size() - 1 - static_cast<size_t>(Below(static_cast<int64_t>(arrays_.size())))];
  }
  int64_t Extent(int axis) const { return shape_.dim(axis); }

  Value Map(Value x) {
    switch (Below(6)) {
      case 0: return b_.Tanh(x);
      case 1: return b_.Mul(x, b_.Broadcast(row_, shape_, {2}));
      case 2: return b_.Add(x, Array());
      case 3: return b_.Sub(Array(), x);
      case 4: return b_.Max(x, Array());
      default: return b_.Mul(x, b_.ScalarLike(x, 0.75));
    }
  }
  // Of another extent along an axis: cut or padded to what arrays have.
  Value Fitted(Value x, int axis) {
    const int64_t have = b_.shape(x).dim(axis), want = Extent(axis);
    Ints zeros(3, 0), ones(3, 1), high(3, 0), limits = b_.shape(x).dims();
    if (have < want) {
      (Below(2) ? high : zeros)[static_cast<size_t>(axis)] = want - have;
      return b_.Pad(x, b_.Scalar(b_.type(x).dtype, 0.5), zeros, high, Ints(3, 0));
    }
    limits[static_cast<size_t>(axis)] = want;
    return have == want ? x : b_.Slice(x, zeros, limits, ones);
  }
  // Scalars and whole numbers of it as f32 again.
  Value Float(Value x) {
    const Value y = b_.Cast(x, kFloat32);
    return b_.Mul(y, b_.ScalarLike(y, 0.125));
  }

  Value Reduced(Value x, Ints axes) {
    switch (Below(4)) {
      case 0: return b_.ReduceMax(x, std::move(axes));
      case 1: return b_.ReduceMin(x, std::move(axes));
      case 2: return b_.ReduceProd(b_.Tanh(x), std::move(axes));
      default: {
        const double n = static_cast<double>(b_.shape(x).size());
        const Value sum = b_.ReduceSum(x, std::move(axes));
        return b_.Mul(sum, b_.ScalarLike(sum, 4 / n));
      }
    }
  }
  // Over some axes, and beside what it was made of.
  Value BesideReduced(Value x) {
    Ints axes, kept;
    for (int a = 0; a < 3; ++a) (Below(2) ? axes : kept).push_back(a);
    if (axes.empty()) return Map(x);
    const Value sum = Reduced(x, axes);
    if (Below(3) == 0) results_.push_back(sum);
    return b_.Add(x, b_.Broadcast(sum, shape_, kept));
  }
  Value Masked(Value x) {
    const Value i = b_.Iota(kInt32, shape_, Below(3)), j = b_.Iota(kInt32, shape_, Below(3));
    const Value mask = Below(2) ? b_.LessEqual(i, j) : b_.Less(i, b_.ScalarLike(i, 3));
    return b_.Select(mask, x, Below(2) ? b_.ScalarLike(x, -1e9) : Map(x));
  }
  Value Sorted(Value x) {
    const int axis = Below(3);
    if (Below(4) == 0) x = b_.Cast(x, Below(2) ? kFloat64 : kBFloat16);
    if (Below(4) == 0) x = b_.Cast(b_.Mul(x, b_.ScalarLike(x, 7)), kInt32);
    return Float(b_.Argsort(x, axis, Below(2)));
  }

  // Positions along an axis, of rank one or two: a constant, or what was computed; some are out of range.
  Value Indices(const Shape& shape, int64_t extent) {
    if (Below(3) == 0) {
      const Value i = b_.Iota(kInt64, shape, 0);
      return b_.Rem(b_.Mul(i, b_.ScalarLike(i, 3)), b_.ScalarLike(i, static_cast<double>(extent)));
    }
    Ints values;
    for (int64_t i = 0; i < shape.size(); ++i) values.push_back(Below(extent + (Below(8) == 0)));
    return b_.Constant(ir::Literal::From<int64_t>(shape, values));
  }
  Value Gathered(Value x) {
    const int axis = Below(3);
    return b_.Gather(x, Indices({Extent(axis)}, Extent(axis)), axis);
  }
  ir::Op ScatterOp() {
    constexpr ir::Op kOps[] = {ir::Op::kScatterAdd, ir::Op::kScatterAdd, ir::Op::kScatterSet,
                               ir::Op::kScatterMax, ir::Op::kScatterMin, ir::Op::kScatterMul};
    return kOps[Below(6)];
  }
  // All elements, one after the other, into a few places: where these ascend, neighbours go into the same one.
  Value Counted(Value x) {
    const int64_t n = shape_.size(), places = Extent(2);
    const Value i = b_.Iota(kInt64, {n}, 0);
    const bool ascend = Below(3) > 0;
    const Value at = ascend ? b_.Div(i, b_.ScalarLike(i, static_cast<double>(n / places))) : Indices({n}, places);
    const Value sums = b_.Scatter(ScatterOp(), row_, at, b_.Reshape(Map2(x), {n}), 0);
    const Value small = b_.Mul(sums, b_.ScalarLike(sums, 4 / static_cast<double>(n)));
    return b_.Add(x, b_.Broadcast(small, shape_, {2}));
  }
  Value Scattered(Value x) {
    const int axis = Below(3);
    const bool pairs = Below(3) == 0 && Extent(axis) % 2 == 0;
    Value to = Below(3) == 0 ? b_.ScalarLike(x, 1) : Below(2) ? Array() : Map(Array());
    if (pairs) {  // indices of rank two
      Shape split = shape_;
      split.set(axis, Extent(axis) / 2);
      split.insert(axis, 2);
      const Value indices = Indices({2, Extent(axis) / 2}, Extent(axis));
      return b_.Scatter(ScatterOp(), to, indices, b_.Reshape(x, split), axis);
    }
    return b_.Scatter(ScatterOp(), to, Indices({Extent(axis)}, Extent(axis)), x, axis);
  }

  // Parts side by side along a short axis: select(iota == k, part, ...). Of no element, if k is no whole number.
  Value Stacked(Value x) {
    const int axis = Below(3);
    const int64_t n = std::min<int64_t>(Extent(axis), 5);
    const bool odd = Below(6) == 0;
    const Value at = b_.Iota(odd ? kFloat32 : kInt32, shape_, axis);
    Value out = x;
    for (int64_t k = 0; k < n; ++k) {
      const Value here = b_.Equal(at, b_.ScalarLike(at, static_cast<double>(k) + (odd && Below(2) ? 0.5 : 0)));
      if (Below(4) == 0) results_.push_back(here);
      out = b_.Select(here, Map(Below(2) ? x : Array()), out);
    }
    return out;
  }
  Value Pooled(Value x) {
    const int axis = Below(3);
    const int64_t taps = std::min(Extent(axis), Pick({2, 3, 5, 20}));
    const Value windows = b_.Window(x, {{axis}, {taps}, {Pick({1, 1, 2})}, {1}});
    return Fitted(Reduced(windows, {3}), axis);
  }
  Value Padded(Value x) {
    Ints low, high, interior, zeros(3, 0), ones(3, 1);
    for (int a = 0; a < 3; ++a) {
      low.push_back(Below(3));
      high.push_back(Below(3));
      interior.push_back(Below(4) == 0);
    }
    const Value y = Map2(b_.Pad(x, b_.Scalar(kFloat32, 0.5), low, high, interior));
    return b_.Slice(y, zeros, shape_.dims(), ones);
  }
  Value Map2(Value x) { return Below(2) ? b_.Tanh(x) : x; }

  // In another shape or order, where something is done to it that is no map of what it was.
  Value Turned(Value x) {
    Ints order{0, 1, 2}, back(3);
    for (size_t k = 3; k > 1; --k) std::swap(order[k - 1], order[static_cast<size_t>(Below(static_cast<int64_t>(k)))]);
    for (size_t k = 0; k < 3; ++k) back[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
    Value t = b_.Transpose(x, order);
    const Shape turned = b_.shape(t);
    t = b_.Tanh(t);
    if (Below(2)) results_.push_back(t);
    if (Below(2)) t = b_.Mul(t, b_.Broadcast(Reduced(t, {0, 1}), turned, {2}));
    return b_.Transpose(t, back);
  }
  Value Reshaped(Value x) {
    const int64_t a = Extent(0), c = Extent(1), d = Extent(2);
    const std::vector<Shape> shapes{{a * c, d}, {a, c * d}, {a * c * d}, {c, a, d}, {d, c, a}};
    Value y = b_.Tanh(b_.Reshape(x, shapes[static_cast<size_t>(Below(5))]));
    const Shape other = b_.shape(y);
    const int axis = Below(other.rank());
    Ints kept;
    for (int i = 0; i < other.rank(); ++i) {
      if (i != axis) kept.push_back(i);
    }
    if (Below(2)) y = b_.Sub(y, b_.Broadcast(Reduced(y, {axis}), other, kept));
    return b_.Reshape(y, shape_);
  }
  Value Reversed(Value x) { return b_.Reverse(x, {Below(3)}); }
  Value Scanned(Value x) { return b_.Recurrence(b_.Tanh(Array()), x, Below(3), Below(2)); }
  Value Parts(Value x) {
    const int axis = Below(3);
    const int64_t size = 1 + Below(Extent(axis));
    const Value part = b_.DynamicSlice(x, start_, axis, size);
    if (Below(2)) return Fitted(part, axis);
    return b_.DynamicUpdate(Below(2) ? Array() : x, Map2(part), b_.Scalar(kInt64, Below(Extent(axis))), axis);
  }

  // Scores of all pairs along an axis in batches, and their sums again: attention without its softmax, or with it.
  Value Attended(Value x) {
    const Value y = Array();
    if (Below(3) == 0) {  // one number for each, of a batch of two axes
      const Value dots = b_.Contract(x, y, {{0, 1}, {0, 1}, {2}, {2}});
      return b_.Mul(x, b_.Broadcast(b_.Tanh(dots), shape_, {0, 1}));
    }
    const int batch = Below(2);
    const Ints other{1 - batch};
    Value scores = b_.Contract(x, y, {{batch}, {batch}, {2}, {2}});
    const Shape shape = b_.shape(scores);
    scores = b_.Tanh(scores);
    if (Below(2)) {
      const Value e = b_.Exp(b_.Sub(scores, b_.Broadcast(b_.ReduceMax(scores, {2}), shape, {0, 1})));
      scores = b_.Div(e, b_.Broadcast(b_.ReduceSum(e, {2}), shape, {0, 1}));
    }
    const Value sums = b_.Contract(scores, Array(), {{0}, {batch}, {2}, other});
    return batch == 0 ? sums : b_.Transpose(sums, {1, 0, 2});
  }
  // Many sums of few columns, or few of many: along any axes.
  Value Multiplied(Value x) {
    const int axis = Below(3);
    const Value y = Array();
    Ints others;
    for (int a = 0; a < 3; ++a) {
      if (a != axis) others.push_back(a);
    }
    const Value gram = b_.Contract(x, y, {{}, {}, others, others});  // [extent, extent]
    const Value scaled = b_.Mul(gram, b_.ScalarLike(gram, 1.0 / static_cast<double>(shape_.size())));
    const Value z = b_.Contract(scaled, x, {{}, {}, {1}, {axis}});
    return axis == 0 ? z : axis == 1 ? b_.Transpose(z, {1, 0, 2}) : b_.Transpose(z, {1, 2, 0});
  }

  Value InDType(Value x) {
    switch (Below(5)) {
      case 0: return b_.Cast(b_.Tanh(b_.Cast(x, kFloat64)), kFloat32);
      case 1: return b_.Cast(b_.Mul(b_.Cast(x, kBFloat16), b_.Cast(Array(), kBFloat16)), kFloat32);
      case 2: return b_.Cast(b_.ReduceSum(b_.Cast(b_.Reshape(x, Doubled()), kFloat16), {3}), kFloat32);
      case 3: {
        const Value i = b_.Cast(b_.Mul(x, b_.ScalarLike(x, 100)), kInt32);
        return Float(b_.And(b_.Mul(i, i), b_.ScalarLike(i, 15)));
      }
      default: {
        const Value positive = b_.Greater(x, b_.ScalarLike(x, 0));
        const Value any = b_.ReduceMax(positive, {Below(3)});
        results_.push_back(any);
        return b_.Select(positive, x, Array());
      }
    }
  }
  Shape Doubled() const {
    Shape shape = shape_;
    shape.push_back(1);
    return shape;
  }
  Value Drawn(Value x) {
    const Value state = b_.Constant(ir::Literal::From<int64_t>({2}, Ints{Below(100), Below(100)}));
    const Value bits = b_.RandomBits(state, shape_);
    const Value low = b_.And(bits, b_.ScalarLike(bits, 1));
    return b_.Mul(x, b_.Cast(low, kFloat32));
  }

  void Step() {
    const Value x = Array();
    using Maker = Value (RandomArrays::*)(Value);
    constexpr Maker kMakers[] = {
        &RandomArrays::Map,           &RandomArrays::Map,        &RandomArrays::BesideReduced, &RandomArrays::Masked,
        &RandomArrays::Sorted,        &RandomArrays::Gathered,   &RandomArrays::Scattered,     &RandomArrays::Scattered,
        &RandomArrays::Stacked,       &RandomArrays::Pooled,     &RandomArrays::Padded,        &RandomArrays::Turned,
        &RandomArrays::Reshaped,      &RandomArrays::Reversed,   &RandomArrays::Scanned,       &RandomArrays::Parts,
        &RandomArrays::Attended,      &RandomArrays::Multiplied, &RandomArrays::InDType,       &RandomArrays::Drawn,
        &RandomArrays::BesideReduced, &RandomArrays::Counted};
    arrays_.push_back((this->*kMakers[static_cast<size_t>(Below(std::size(kMakers)))])(x));
    if (Below(6) == 0) results_.push_back(arrays_.back());
  }

  void Finish() {
    results_.push_back(arrays_.back());
    EXPECT_TRUE(b_.status().ok()) << b_.status();
    if (Below(2) == 0 && b_.status().ok()) {
      const auto dxs = passes::Gradients(&f_, &module_, {arrays_.back()}, {{0}, {1}, row_}, {.zero_unconnected = true});
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
  Shape shape_;
  Value row_, start_;
  std::vector<Value> arrays_, results_;
};

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_RANDOM_ARRAYS_H_
