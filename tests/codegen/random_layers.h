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
    rows_ = outer_ * Pick({8, 65, 130, 200});
    columns_ = Pick({7, 16, 33});
    const int64_t depth = Pick({5, 40, 300, 520});
    x_ = f_.AddParameter("x", {kFloat32, {rows_, depth}});
    w_ = f_.AddParameter("w", {kFloat32, {depth, columns_}});
    t_ = f_.AddParameter("t", {kFloat32, {rows_, columns_}});
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
  // Rows in another order, or of two axes that were one.
  Value Odd(Value x) {
    if (Below(2)) return b_.Reverse(x, {Below(2)});
    const Shape shape = b_.shape(x);
    return b_.Reshape(b_.Reverse(b_.Reshape(x, {outer_, rows_ / outer_, shape.dim(1)}), {Below(2)}), shape);
  }
  Value MaybeOdd(Value x) { return Below(8) == 0 ? Odd(x) : x; }

  // A sum over rows of one axis or of two, all of them or all but the outer ones, or of columns.
  void Sum(Value x) {
    const auto reduce = [this](Value v, std::vector<int64_t> axes) {
      return Below(5) ? b_.ReduceSum(v, std::move(axes)) : b_.ReduceMax(v, std::move(axes));
    };
    switch (Below(8)) {
      case 0: return results_.push_back(reduce(x, {1}));
      case 1:
      case 2: {
        const Value split = b_.Reshape(x, {outer_, rows_ / outer_, columns_});
        return results_.push_back(reduce(split, Below(4) ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{1}));
      }
      default: return results_.push_back(reduce(x, {0}));
    }
  }

  // What follows a product: maps, statistics of it or of these, another product's result beside it.
  void Forward() {
    const Value before = y_;
    y_ = MaybeOdd(Map(y_));
    if (Below(2)) Sum(Below(2) ? before : y_);
    if (Below(3) == 0) Sum(MaybeOdd(Map(before)));
    if (Below(6) == 0) y_ = b_.Add(y_, Product(MaybeOdd(x_), w_));
  }

  // The gradients by a bias and by a few rows of weights, of a map that perhaps nothing else reads.
  void Backward() {
    const Value dy = MaybeOdd(b_.Mul(Map(t_), Below(2) ? y_ : b_.Broadcast(scale_, matrix(), {0})));
    const int64_t few = std::min<int64_t>(b_.shape(x_).dim(1), Pick({1, 3, 5}));
    const Value x = Below(6) == 0 ? Map(dy) : b_.Slice(x_, {0, 0}, {rows_, few}, {1, 1});
    const Value second = Below(5) == 0 ? Map(dy) : dy;
    Sum(Below(3) == 0 ? b_.Neg(dy) : dy);
    results_.push_back(b_.Contract(x, second, {{}, {}, {0}, {0}}));
    if (Below(5) == 0) results_.push_back(Map(dy));
    if (Below(5) == 0) y_ = b_.Add(y_, dy);
  }

  std::minstd_rand random_;
  ir::Module module_;
  ir::Function f_;
  ir::Builder b_;
  int64_t outer_ = 1, rows_ = 1, columns_ = 1;
  Value x_, w_, t_, bias_, scale_, y_;
  std::vector<Value> results_;
};

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_RANDOM_LAYERS_H_
