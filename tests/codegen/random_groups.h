#ifndef REEL_TESTS_CODEGEN_RANDOM_GROUPS_H_
#define REEL_TESTS_CODEGEN_RANDOM_GROUPS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"

// Modules that make many groups which could become one: maps, reductions, products, rows, scatters, loops and branches
// over few shapes, that read each other's values again and again, and their gradients.

namespace reel::codegen {

class RandomGroups {
 public:
  /// Matrices of rows x width, and what goes with them; `ops` of each choice, then the gradient, if asked.
  RandomGroups(uint32_t seed, int64_t rows, int64_t width, int ops, bool gradient)
      : random_(seed), rows_(rows), width_(width), module_(StrCat("s", seed)), f_("main"), b_(&f_, &module_) {
    const Shape matrix{rows, width}, column{rows}, row{width};
    AddLoop("of_matrix", matrix);
    AddLoop("of_column", column);
    for (int i = 0; i < 2; ++i) {
      matrices_.push_back(f_.AddParameter(StrCat("x", i), {kFloat32, matrix}));
      columns_.push_back(f_.AddParameter(StrCat("c", i), {kFloat32, column}));
      vectors_.push_back(f_.AddParameter(StrCat("r", i), {kFloat32, row}));
    }
    weights_ = f_.AddParameter("w", {kFloat32, {width, width}});
    for (int i = 0; i < ops; ++i) Step();
    Finish(gradient);
  }

  const ir::Module& module() const { return module_; }

 private:
  using Value = ir::Value;
  int Below(size_t n) { return static_cast<int>(random_() % n); }

  Shape matrix() const { return {rows_, width_}; }
  void Add(Value matrix) { matrices_.push_back(matrix); }
  // The latest values most often.
  Value Pick(const std::vector<Value>& pool) {
    const size_t n = pool.size();
    return pool[Below(2) ? n - 1 - static_cast<size_t>(Below(std::min<size_t>(n, 3))) : static_cast<size_t>(Below(n))];
  }
  Value Matrix() { return Pick(matrices_); }
  Value Column() { return Pick(columns_); }
  Value Whole(Value scalar) { return b_.BroadcastTo(scalar, matrix()); }

  // A loop of three iterations of a map, and its functions.
  void AddLoop(const std::string& name, const Shape& shape) {
    ir::Function cond(name + "_cond"), body(name + "_body");
    for (ir::Function* g : {&cond, &body}) {
      g->AddParameter("i", {kInt64, {}});
      g->AddParameter("x", {kFloat32, shape});
    }
    ir::Builder c(&cond), d(&body);
    cond.SetResults({c.Less({0}, c.Scalar(kInt64, 3))});
    body.SetResults({d.Add({0}, d.Scalar(kInt64, 1)), d.Tanh({1})});
    module_.AddFunction(std::move(cond));
    module_.AddFunction(std::move(body));
  }
  Value Loop(const std::string& name, Value x) {
    const ir::ValueList out = b_.While(name + "_cond", name + "_body", {b_.Scalar(kInt64, 0), x}, 3);
    return b_.status().ok() ? out[1] : Value{};
  }

  Value Unary(Value x) {
    switch (Below(7)) {
      case 0: return b_.Tanh(x);
      case 1: return b_.Sin(x);
      case 2: return b_.Cos(x);
      case 3: return b_.Neg(x);
      case 4: return b_.Abs(x);
      case 5: return b_.Sqrt(b_.Add(b_.Mul(x, x), b_.ScalarLike(x, 1)));
      default: return b_.Mul(x, b_.ScalarLike(x, 0.75));
    }
  }
  Value Binary(Value x, Value y) {
    switch (Below(6)) {
      case 0: return b_.Add(x, y);
      case 1: return b_.Sub(x, y);
      case 2: return b_.Max(x, y);
      case 3: return b_.Atan2(x, b_.Add(y, b_.ScalarLike(y, 3.5)));
      case 4: return b_.Div(x, b_.Add(b_.Mul(y, y), b_.ScalarLike(y, 1)));
      default: return b_.Mul(x, y);
    }
  }
  Value Reduced(Value x, std::vector<int64_t> axes) {
    int64_t n = 1;
    for (int64_t a : axes) n *= b_.shape(x).dim(static_cast<int>(a));
    if (Below(3) == 0) return b_.ReduceMax(x, std::move(axes));
    const Value sum = b_.ReduceSum(x, std::move(axes));
    return b_.Mul(sum, b_.ScalarLike(sum, 1.0 / static_cast<double>(n)));
  }
  Value Spread(Value v, int64_t axis) { return b_.Broadcast(v, matrix(), {axis}); }
  Value Softmax(Value x) {
    const Value e = b_.Exp(b_.Sub(x, Spread(b_.ReduceMax(x, {1}), 0)));
    return b_.Div(e, Spread(b_.ReduceSum(e, {1}), 0));
  }
  Value Scan(Value x) {
    const Value factor = b_.Tanh(Matrix());
    return b_.Recurrence(factor, x, Below(2), Below(2));
  }
  Value Product(Value x) {
    const Value y = b_.Contract(x, weights_, {{}, {}, {1}, {0}});
    return b_.Mul(y, b_.ScalarLike(y, 1.0 / static_cast<double>(width_)));
  }
  Value Indices() {  // some rows, with repetitions
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < rows_; ++i) rows.push_back(Below(static_cast<size_t>(rows_)));
    return b_.Constant(ir::Literal::From<int64_t>({rows_}, rows));
  }
  Value Moved(Value x) {
    switch (Below(6)) {
      case 0: return b_.Reverse(x, {Below(2)});
      case 1: return b_.Gather(x, Indices(), 0);
      case 2: return b_.Mul(b_.ScatterAdd(x, Indices(), Matrix(), 0), b_.ScalarLike(x, 0.5));
      case 3: {
        const Value first = b_.Slice(Matrix(), {0, 0}, {1, width_}, {1, 1});
        return b_.DynamicUpdate(x, first, b_.Scalar(kInt64, Below(3)), 0);
      }
      case 4: return Transposed(x);
      default: {
        const Value part = b_.Slice(x, {1, 0}, {rows_, width_}, {1, 1});
        return b_.Pad(part, b_.Scalar(kFloat32, 0.5), {0, 0}, {1, 0}, {0, 0});
      }
    }
  }
  Value MovedColumn(Value x) { return Below(2) ? b_.Reverse(x, {0}) : b_.Gather(x, Indices(), 0); }
  // Rows of another order beside rows of this one.
  Value MovedBeside(Value x) {
    if (Below(4) == 0) return Binary(x, Spread(MovedColumn(Reduced(x, {1})), 0));
    if (Below(2)) x = Unary(Unary(x));
    Value moved = Below(2) ? b_.Reverse(x, {Below(2)}) : Moved(x);
    if (Below(2)) return Binary(Softmax(moved), x);
    moved = Unary(Unary(moved));
    Add(moved);  // for others, too
    return Binary(moved, x);
  }
  // x, and a map of it that all of x has been added up for.
  Value BesideSum(Value x) {
    const Value y = Unary(Unary(x));
    scalars_.push_back(Reduced(y, {0, 1}));
    return Binary(y, Below(2) ? Spread(Column(), 0) : Matrix());
  }
  Value Transposed(Value x) {  // there and back, with something between that is no map of rows
    const Value t = b_.Transpose(x, {1, 0});
    return b_.Transpose(b_.Add(t, b_.Broadcast(Column(), {width_, rows_}, {1})), {1, 0});
  }

  // Sums over the rows of a product, or of maps of it.
  void Statistics(Value y) {
    for (Value x : {Unary(y), Below(2) ? y : Unary(y)}) {
      const Value sum = Below(4) ? b_.ReduceSum(x, {0}) : b_.ReduceMax(x, {0});
      vectors_.push_back(b_.Mul(sum, b_.ScalarLike(sum, 1.0 / static_cast<double>(rows_))));
    }
    Add(y);
  }

  // The gradients of a layer's bias and of a few rows of its weights: sums over the rows of what a product reads.
  void WeightsGradient(Value dy) {
    const Value sum = b_.ReduceSum(dy, {0});
    vectors_.push_back(b_.Mul(sum, b_.ScalarLike(sum, 1.0 / static_cast<double>(rows_))));
    const Value x = b_.Slice(Matrix(), {0, 0}, {rows_, std::min<int64_t>(width_, 3)}, {1, 1});
    const Value dw = b_.Contract(x, dy, {{}, {}, {0}, {0}});
    vectors_.push_back(b_.Mul(b_.ReduceMax(dw, {0}), b_.ScalarLike(sum, 1.0 / static_cast<double>(rows_))));
  }

  void Step() {
    switch (Below(20)) {
      case 0:
      case 1: return Add(Unary(Matrix()));
      case 2:
      case 3:
      case 4: return Add(Binary(Matrix(), Matrix()));
      case 5: return columns_.push_back(Reduced(Matrix(), {1}));
      case 6: return vectors_.push_back(Reduced(Matrix(), {0}));
      case 7: return Add(Binary(Matrix(), Spread(Column(), 0)));
      case 8: return Add(Binary(Matrix(), Spread(Pick(vectors_), 1)));
      case 9: return Add(Below(2) ? Softmax(Matrix()) : Scan(Matrix()));
      case 10: return Add(Below(2) ? Product(Matrix()) : Product(Unary(Product(Product(Matrix())))));
      case 11: return Add(Moved(Matrix()));
      case 14: return Statistics(Product(Matrix()));
      case 13: return WeightsGradient(Binary(Matrix(), Matrix()));
      case 12: return Add(Below(2) ? Loop("of_matrix", Matrix()) : Binary(Matrix(), Whole(Reduced(Matrix(), {0, 1}))));
      case 15: return columns_.push_back(Below(2) ? Binary(Column(), Column()) : Loop("of_column", Column()));
      case 16: return columns_.push_back(MovedColumn(Column()));
      case 17:
      case 18: return Add(MovedBeside(Matrix()));
      default: return Add(BesideSum(Matrix()));
    }
  }

  void Finish(bool gradient) {
    std::vector<Value> ys{Matrix(), matrices_.back(), columns_.back(), vectors_.back()};
    ys.insert(ys.end(), scalars_.begin(), scalars_.end());
    std::vector<Value> results = ys;
    if (gradient) {
      const std::vector<Value> xs{{0}, {1}, weights_};
      const auto dxs = passes::Gradients(&f_, &module_, ys, xs, {.zero_unconnected = true});
      EXPECT_TRUE(dxs.ok()) << dxs.status();
      if (dxs.ok()) results.insert(results.end(), dxs->begin(), dxs->end());
    }
    EXPECT_TRUE(b_.status().ok()) << b_.status();
    f_.SetResults(std::move(results));
    module_.AddFunction(std::move(f_));
  }

  std::minstd_rand random_;
  const int64_t rows_, width_;
  ir::Module module_;
  ir::Function f_;
  ir::Builder b_;
  Value weights_;
  std::vector<Value> matrices_, columns_, vectors_, scalars_;
};

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_RANDOM_GROUPS_H_
