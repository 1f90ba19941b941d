#ifndef REEL_TESTS_CODEGEN_RANDOM_LAYERS_H_
#define REEL_TESTS_CODEGEN_RANDOM_LAYERS_H_

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/strings.h"

// Layers as training has them, where a product meets what it can take in: maps of its result, statistics over its rows,
// an operand that only it and a sum over the same rows read; deep and shallow, of rows of one or two axes. Each such
// thing is sometimes not quite so: another shape, another reader, another order.

namespace reel::codegen {

class RandomLayers {
 public:
  explicit RandomLayers(uint32_t seed) : random_(seed), module_(StrCat("l", seed)), f_("main"), b_(&f_, &module_) {
    outer_ = Pick({1, 1, 2, 9});
    rows_ = outer_ * Pick({8, 65, 128, 128, 192, 256});
    columns_ = Pick({7, 16, 33, 33, 48, 48, 1});
    if (columns_ == 1) rows_ = 8192 * (outer_ = 1);  // a sum of them is in parts, too
    const int64_t depth = Pick({5, 40, 300, 300, 300, 520});
    x_ = f_.AddParameter("x", {kFloat32, {rows_, depth}});
    w_ = f_.AddParameter("w", {kFloat32, {depth, columns_}});
    t_ = f_.AddParameter("t", {kFloat32, {rows_, columns_}});
    square_ = f_.AddParameter("q", {kFloat32, {columns_, columns_}});
    bias_ = f_.AddParameter("b", {kFloat32, {columns_}});
    scale_ = f_.AddParameter("s", {kFloat32, {rows_}});
    y_ = Product(x_, w_);
    for (int i = Below(3); i >= 0; --i) Forward();
    for (int i = Below(3); i >= 0; --i) Backward();
    if (results_.empty() || Below(4) == 0) results_.push_back(y_);
    EXPECT_TRUE(b_.status().ok()) << b_.status();
    f_.SetResults(std::move(results_));
    module_.AddFunction(std::move(f_));
  }

  const ir::Module& module() const { return module_; }

 private:
  using Value = ir::Value;
  int Below(size_t n) { return static_cast<int>(random_() % n); }
  int64_t Pick(std::vector<int64_t> list) { return list[static_cast<size_t>(Below(list.size()))]; }
  Shape matrix() const { return {rows_, columns_}; }

  Value Product(Value x, Value w) {
    const Value y = b_.Contract(x, w, {{}, {}, {1}, {0}});
    return b_.Mul(y, b_.ScalarLike(y, 0.1));
  }
  Value Map(Value x) {
    switch (Below(6)) {
      case 0: return b_.Tanh(x);
      case 1: return b_.Max(x, b_.ScalarLike(x, 0));
      case 2: return b_.Add(x, b_.Broadcast(bias_, matrix(), {1}));
      case 3: return b_.Mul(x, b_.Broadcast(scale_, matrix(), {0}));
      case 4: return b_.Sub(x, t_);
      default: return b_.Mul(x, x);
    }
  }
  Value Split(Value x) { return b_.Reshape(x, {outer_, rows_ / outer_, b_.shape(x).dim(1)}); }
  // Rows of two axes that know one of them.
  Value SplitMap(Value x) {
    const Value rows = b_.Slice(scale_, {0}, {rows_ / outer_}, {1});
    const Value split = Split(x), factor = b_.Broadcast(rows, b_.shape(split), {1});
    const Shape shape = b_.shape(x);  // not a reference to what grows
    return b_.Reshape(b_.Mul(b_.Tanh(split), factor), shape);
  }
  // Rows in another order, or of two axes that were one, or all but the first.
  Value Odd(Value x) {
    const Shape shape = b_.shape(x);
    switch (Below(5)) {
      case 0: return b_.Reshape(b_.Reverse(Split(x), {Below(2)}), shape);
      case 1: {
        std::vector<int64_t> rows;
        for (int64_t i = 0; i < rows_; ++i) rows.push_back(Below(static_cast<size_t>(rows_)));
        return b_.Gather(x, b_.Constant(ir::Literal::From<int64_t>({rows_}, rows)), 0);
      }
      case 2: {
        const Value rest = b_.Slice(x, {1, 0}, shape.dims(), {1, 1});
        return b_.Pad(rest, b_.Scalar(kFloat32, 0.5), {0, 0}, {1, 0}, {0, 0});
      }
      default: return b_.Reverse(x, {Below(2)});
    }
  }
  Value MaybeOdd(Value x) { return Below(8) == 0 ? Odd(x) : x; }

  // A sum over rows of one axis or of two, all of them or all but the outer ones, or of columns.
  void Sum(Value x) {
    const auto reduce = [this](Value v, std::vector<int64_t> axes) {
      return Below(5) ? b_.ReduceSum(v, std::move(axes)) : b_.ReduceMax(v, std::move(axes));
    };
    switch (Below(10)) {
      case 0: return results_.push_back(reduce(x, {1}));
      case 1:
        return results_.push_back(reduce(Split(x), Below(4) ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{1}));
      case 2:
      case 3: {  // of pairs of rows, or of pieces of a row
        const int64_t by = rows_ % 2 == 0 && Below(2) ? 2 : 1, pieces = by == 1 && columns_ % 2 == 0 ? 2 : 1;
        const Value pairs = b_.Reshape(x, {rows_ * pieces / by, columns_ * by / pieces});
        return results_.push_back(reduce(pairs, {0}));
      }
      default: return results_.push_back(reduce(x, {0}));
    }
  }

  // By the mean of each row, or that of another row; perhaps the rows are added up, too.
  Value Centered(Value x) {
    const Value sum = b_.ReduceSum(x, {1}), mean = b_.Mul(sum, b_.ScalarLike(sum, 1.0 / static_cast<double>(columns_)));
    if (Below(2)) results_.push_back(b_.ReduceSum(x, {0}));
    return b_.Sub(x, b_.Broadcast(Below(4) ? mean : b_.Reverse(mean, {0}), matrix(), {0}));
  }

  // Layers as wide as the last one, between which rows may turn round.
  Value Hidden(Value x) {
    x = Product(x, square_);
    x = Below(2) ? b_.Reverse(x, {1}) : Product(x, square_);
    return Product(Map(x), square_);
  }

  // What follows a product: maps, statistics of it or of these, another product's result beside it.
  void Forward() {
    const Value before = y_;
    y_ = MaybeOdd(Map(y_));
    if (Below(4) == 0) y_ = SplitMap(y_);
    const Value x = Below(2) ? before : y_;
    if (Below(2) == 0) y_ = Centered(x);
    for (int i = Below(3); i > 0; --i) Sum(Below(3) ? x : b_.Reverse(x, {Below(2)}));
    if (Below(4) == 0) y_ = Hidden(y_);
    if (Below(6) == 0) y_ = b_.Recurrence(b_.Tanh(t_), y_, Below(2), Below(2));
    if (Below(6) == 0) results_.push_back(b_.Tanh(b_.Slice(x, {0, 0}, {rows_ / 2, columns_}, {1, 1})));
    if (Below(3) == 0) Sum(MaybeOdd(Map(before)));
    if (Below(6) == 0) y_ = b_.Add(y_, Product(MaybeOdd(x_), w_));
  }

  // The gradients by a bias and by a few rows of weights, of a map that perhaps nothing else reads. What it is
  // multiplied with may know the bias's gradient.
  void Backward() {
    if (columns_ == 48 && Below(2)) return BackwardOfPieces();
    const Value t = Below(4) ? t_ : Odd(t_);
    const Value dy = MaybeOdd(b_.Mul(Map(t), Below(2) ? y_ : b_.Broadcast(scale_, matrix(), {0})));
    Sum(Below(3) == 0 ? b_.Neg(dy) : dy);
    const Value second = Below(5) == 0 ? Map(dy) : Below(3) == 0 ? b_.Reverse(dy, {Below(2)}) : dy;
    results_.push_back(b_.Contract(Few(dy), second, {{}, {}, {0}, {0}}));
    switch (Below(10)) {
      case 0: return results_.push_back(Map(dy));
      case 1: return results_.push_back(dy);
      case 2: return results_.push_back(b_.ReduceMax(dy, {1}));
      case 3: return results_.push_back(b_.Contract(dy, w_, {{}, {}, {1}, {1}}));
      case 4:
      case 5: y_ = b_.Add(y_, dy); return;
      default: return;
    }
  }
  // The same of rows of three pieces, which padding or the order of rows has moved.
  void BackwardOfPieces() {
    const Shape pieces{rows_, 3, 16};
    Value t = b_.Reshape(t_, pieces);
    if (Below(2))
      t = b_.Pad(b_.Slice(t, {0, 1, 0}, {rows_, 3, 16}, {1, 1, 1}), b_.Scalar(kFloat32, 0.5), {0, 0, 0}, {0, 1, 0},
                 {0, 0, 0});
    if (Below(4) == 0) t = b_.Reverse(t, {Below(3)});
    const Value dy = b_.Mul(b_.Tanh(t), Below(2) ? b_.Reshape(y_, pieces) : b_.Broadcast(scale_, pieces, {0}));
    results_.push_back(b_.ReduceSum(dy, {0}));
    results_.push_back(b_.Contract(Few(b_.Reshape(dy, matrix())), b_.Reshape(dy, matrix()), {{}, {}, {0}, {0}}));
  }
  Value Few(Value dy) {
    const int64_t few = std::min<int64_t>(b_.shape(x_).dim(1), Pick({1, 3, 5}));
    const Value x = b_.Slice(x_, {0, 0}, {rows_, few}, {1, 1});
    switch (Below(6)) {
      case 0: return Map(dy);
      case 1: {
        std::vector<int64_t> axes;
        for (int i = 0; i < b_.shape(results_.back()).rank(); ++i) axes.push_back(i);
        const Shape shape = b_.shape(x);
        return b_.Tanh(b_.Mul(x, b_.BroadcastTo(b_.ReduceMax(results_.back(), axes), shape)));
      }
      default: return x;
    }
  }

  std::minstd_rand random_;
  ir::Module module_;
  ir::Function f_;
  ir::Builder b_;
  int64_t outer_ = 1, rows_ = 1, columns_ = 1;
  Value x_, w_, t_, square_, bias_, scale_, y_;
  std::vector<Value> results_;
};

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_RANDOM_LAYERS_H_
