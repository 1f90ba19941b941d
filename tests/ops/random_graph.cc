#include "tests/ops/random_graph.h"

#include <cmath>

#include "tests/ops/random_graph_maker.h"

namespace reel::optable {

void GraphMaker::AddInputs() {
  const std::vector<Shape> shapes{{}, {1}, {3}, {7}, {33}, {4, 5}, {3, 1, 5}, {2, 3, 4}, {5, 3}, {3, 4, 1, 2}};
  const auto add = [&](const Type& t, double bound) {
    const ir::Literal l = Sample(t, Domain{-bound, bound}, rng_);
    inputs_.push_back(l);
    return Keep(f_.AddParameter(StrCat("x", f_.num_parameters()), t), {bound, 0});
  };
  for (const DType dtype : {kFloat32, kFloat32, kFloat64, kInt32, kBool}) {
    const Shape shape = Pick(shapes);
    for (int n = 0; n < (IsFloat(dtype) ? 2 : 1); ++n) add({dtype, shape}, IsFloat(dtype) ? 3 : 100);
  }
  add({kInt32, {}}, 5);
  add({kBool, {}}, 1);
  const auto add_ints = [&](const Shape& shape, const std::vector<int64_t>& values) {
    inputs_.push_back(MakeIntLiteral({kInt64, shape}, values));
    return f_.AddParameter(StrCat("x", f_.num_parameters()), {kInt64, shape});
  };
  indices_ = add_ints({4}, {Int(3), Int(3), Int(3), Int(3)});
  random_state_ = add_ints({2}, {Int(1000), Int(1000)});
}

void GraphMaker::Step() {
  using Maker = void (GraphMaker::*)();
  static const std::vector<Maker> makers{
      &GraphMaker::FloatUnary,  &GraphMaker::FloatUnary, &GraphMaker::FloatBinary, &GraphMaker::FloatBinary,
      &GraphMaker::FloatBinary, &GraphMaker::IntUnary,   &GraphMaker::IntBinary,   &GraphMaker::Compare,
      &GraphMaker::Logic,       &GraphMaker::Select,     &GraphMaker::Cast,        &GraphMaker::Reduce,
      &GraphMaker::Reduce,      &GraphMaker::Move,       &GraphMaker::Move,        &GraphMaker::Stretch,
      &GraphMaker::Stretch,     &GraphMaker::Contract,   &GraphMaker::Factor,      &GraphMaker::Index,
      &GraphMaker::Window,      &GraphMaker::Function,   &GraphMaker::Function,    &GraphMaker::Function,
      &GraphMaker::Exact,       &GraphMaker::Arrange,    &GraphMaker::Exact,       &GraphMaker::Accumulate,
      &GraphMaker::Arrange,     &GraphMaker::Convolve,   &GraphMaker::AsComplex,   &GraphMaker::Control};
  (this->*Pick(makers))();
}

void GraphMaker::FloatUnary() {
  const Value x = Find([&](Value v) { return is_float(v); });
  if (!x.valid()) return;
  const auto [bound, error] = known(x);
  const bool exact = known(x).exact();
  const double e = Epsilon(x);
  switch (Int(13)) {
    case 0: Keep(b_.Neg(x), {bound, error}); break;
    case 1: Keep(b_.Abs(x), {bound, error}); break;
    case 2:
      if (exact) Keep(b_.Floor(x), {bound + 1, 0});
      break;
    case 3:
      if (exact) Keep(b_.Ceil(x), {bound + 1, 0});
      break;
    case 4:
      if (exact) Keep(b_.Sign(x), {1, 0});
      break;
    case 5: KeepRounded(b_.Tanh(x), 1, 1.1 * error, false); break;
    case 6: KeepRounded(b_.Sigmoid(x), 1, error, false); break;
    case 7: KeepRounded(b_.Erf(x), 1, 1.2 * error, false); break;
    case 8: KeepRounded(b_.Sin(x), 1, error + e * bound, false); break;
    case 9: KeepRounded(b_.Cos(x), 1, error + e * bound, false); break;
    case 10:
      if (bound < 8) KeepRounded(b_.Exp(x), std::exp(bound), std::exp(bound) * error * 1.1, false);
      break;
    case 11:  // sqrt(|x| + 1), slope at most 1/2
      KeepRounded(b_.Sqrt(OnePlusAbs(x)), bound + 1, error + 4 * e * bound, exact);
      break;
    default:  // log(|x| + 1), slope at most 1
      KeepRounded(b_.Log(OnePlusAbs(x)), std::log(bound + 1) + 1, error + 4 * e * (bound + 1), false);
  }
}

void GraphMaker::IntUnary() {
  const Value x = Find([&](Value v) { return is_int(v) || is_bool(v); });
  if (!x.valid()) return;
  if (is_bool(x) || Int(2) == 0) {
    Keep(b_.Not(x));
    return;
  }
  const Op op = Pick(std::vector<Op>{Op::kNeg, Op::kAbs, Op::kSign});
  Keep(b_.Emit(op, {x}));
}

void GraphMaker::FloatBinary() {
  const Value x = Find([&](Value v) { return is_float(v); });
  if (!x.valid()) return;
  const Value y = FindLike(x);
  const Known a = known(x), c = known(y);
  const bool exact = a.exact() && c.exact();
  switch (Int(6)) {
    case 0: KeepRounded(b_.Add(x, y), a.bound + c.bound, a.error + c.error, exact); break;
    case 1: KeepRounded(b_.Sub(x, y), a.bound + c.bound, a.error + c.error, exact); break;
    case 2:
      if (a.bound * c.bound > kMaxBound) break;
      KeepRounded(b_.Mul(x, y), a.bound * c.bound, a.error * c.bound + c.error * a.bound + a.error * c.error, exact);
      break;
    case 3:  // x / (|y| + 1)
      KeepRounded(b_.Div(x, OnePlusAbs(y)), a.bound, a.error + a.bound * (c.error + 4 * Epsilon(x) * (c.bound + 1)),
                  exact);
      break;
    case 4: Keep(b_.Max(x, y), {std::max(a.bound, c.bound), std::max(a.error, c.error)}); break;
    default: Keep(b_.Min(x, y), {std::max(a.bound, c.bound), std::max(a.error, c.error)});
  }
}

void GraphMaker::IntBinary() {
  const Value x = Find([&](Value v) { return is_int(v); });
  if (!x.valid()) return;
  static const std::vector<Op> ops{Op::kAdd, Op::kSub, Op::kMul, Op::kDiv,       Op::kMax,       Op::kMin,
                                   Op::kAnd, Op::kOr,  Op::kXor, Op::kShiftLeft, Op::kShiftRight};
  const Value y = FindLike(x);
  Keep(b_.Emit(Pick(ops), {x, y}));
}

void GraphMaker::Compare() {
  const Value x = Find([&](Value v) { return !is_bool(v) && known(v).exact(); });
  if (!x.valid()) return;
  const Value y = Find([&](Value v) { return type(v) == type(x) && known(v).exact(); });
  static const std::vector<Op> ops{Op::kEqual,     Op::kNotEqual, Op::kLess,
                                   Op::kLessEqual, Op::kGreater,  Op::kGreaterEqual};
  Keep(b_.Emit(Pick(ops), {x, y}));
}

void GraphMaker::Logic() {
  const Value x = Find([&](Value v) { return is_bool(v); });
  if (!x.valid()) return;
  static const std::vector<Op> ops{Op::kAnd, Op::kOr, Op::kXor};
  const Value y = FindLike(x);
  Keep(b_.Emit(Pick(ops), {x, y}));
}

void GraphMaker::Select() {
  const Value c = Find([&](Value v) { return is_bool(v); });
  if (!c.valid()) return;
  const Value x = Find([&](Value v) { return type(v).shape == type(c).shape; });
  const Value y = FindLike(x);
  const Known a = known(x), d = known(y);
  Keep(b_.Select(c, x, y), {std::max(a.bound, d.bound), std::max(a.error, d.error)});
}

void GraphMaker::Cast() {
  const Value x = Find([&](Value) { return true; });
  const DType to = Pick(std::vector<DType>{kFloat32, kFloat64, kInt32, kInt64, kBool});
  if (to == type(x).dtype || (is_float(x) && !IsFloat(to) && !known(x).exact())) return;
  if (!IsFloat(to)) {
    Keep(b_.Cast(x, to));
  } else if (is_float(x)) {
    KeepRounded(b_.Cast(x, to), known(x).bound, known(x).error, known(x).exact());
  } else if (is_bool(x)) {
    Keep(b_.Cast(x, to), {1, 0});
  } else {  // any integer: bring it into bounds first
    const Value low = b_.And(x, b_.ScalarLike(x, 255));
    Keep(b_.Cast(low, to), {255, 0});
  }
}

void GraphMaker::Reduce() {
  const Value x = Find([&](Value v) { return type(v).shape.rank() > 0; });
  if (!x.valid()) return;
  std::vector<int64_t> axes;
  int64_t n = 1;
  for (int k = 0; k < type(x).shape.rank(); ++k) {
    if (Int(2) == 0) continue;
    axes.push_back(k);
    n *= type(x).shape.dim(k);
  }
  if (axes.empty()) return;
  const Known a = known(x);
  const auto terms = static_cast<double>(n);
  const int which = Int(3);
  if (which == 0 && !is_bool(x)) {
    if (a.bound * terms > kMaxBound) return;
    KeepRounded(b_.ReduceSum(x, axes), a.bound * terms, terms * (a.error + Epsilon(x) * a.bound * terms),
                n == 1 && a.exact());
  } else {
    Keep(which == 1 ? b_.ReduceMax(x, axes) : b_.ReduceMin(x, axes), a);
  }
}

RandomGraph MakeRandomGraph(uint64_t seed, const RandomGraphOptions& options) {
  return GraphMaker(seed, options).Make();
}

}  // namespace reel::optable
