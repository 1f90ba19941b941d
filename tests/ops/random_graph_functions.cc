// The makers of functions of floats, products, scans, convolutions and complex numbers.

#include <cmath>

#include "ir/eval/eval.h"
#include "tests/ops/random_graph_maker.h"

namespace reel::optable {

// low to high as x goes from -inf to inf; *error: of the result.
Value GraphMaker::Squashed(Value x, double low, double high, double* error) {
  const double middle = (low + high) / 2, half = (high - low) / 2;
  *error = half * (1.1 * known(x).error + 4 * Epsilon(x)) + 4 * Epsilon(x) * (std::abs(middle) + half);
  if (low == high) return b_.ScalarLike(x, low);
  const Value t = b_.Tanh(x), scale = b_.ScalarLike(x, half), shift = b_.ScalarLike(x, middle);
  return b_.Add(b_.Mul(t, scale), shift);
}

namespace {

// A function of floats on a box where |f| <= bound and its partial derivatives sum to at most
// slope.
struct FunctionRow {
  Op op;
  struct Interval {
    double low, high;
  };
  std::vector<Interval> box;
  double bound, slope, ulps = 1;
};

// A function of codegen/math on the domain of its row, with what the reference says of it there.
FunctionRow Sampled(ir::Op op) {
  constexpr int64_t kPoints = 1000;
  const Domain& domain = RowOf(op).domain;
  const double step = (domain.high - domain.low) / (kPoints - 1);
  std::vector<double> x;
  for (int64_t k = 0; k < kPoints; ++k) x.push_back(domain.low + static_cast<double>(k) * step);
  ir::Function f("f");
  const Type type{kFloat64, {kPoints}};
  const Value parameter = f.AddParameter("x", type);
  f.SetResults({ir::Builder(&f).Emit(op, {parameter})});
  const auto y = ir::EvaluateLiterals(ir::Module("m"), f, {MakeLiteral(type, x)});
  if (!y.ok()) throw std::logic_error(y.status().ToString());
  FunctionRow row{op, {{domain.low, domain.high}}, 0, 0};
  double last = (*y)[0].AsDouble(0);
  for (int64_t k = 0; k < kPoints; ++k) {
    const double now = (*y)[0].AsDouble(k);
    row.bound = std::max(row.bound, std::fabs(now));
    row.slope = std::max(row.slope, 1.2 * std::fabs(now - last) / step);
    last = now;
  }
  return row;
}

std::vector<FunctionRow> AllRows() {
  std::vector<FunctionRow> rows{{Op::kErfc, {{-2, 2}}, 2, 1.13, 8},
                                {Op::kErfInv, {{-0.9, 0.9}}, 1.2, 3.5, 8},
                                {Op::kErfcInv, {{0.1, 1.9}}, 1.2, 3.5, 8},
                                {Op::kLgamma, {{0.5, 2.5}}, 0.6, 2, 16},
                                {Op::kDigamma, {{0.5, 2.5}}, 2, 5, 16},
                                {Op::kAtan2, {{-2, 2}, {0.5, 2.5}}, 1.4, 2},
                                {Op::kPow, {{0.5, 2.5}, {-2, 2}}, 6.3, 22},
                                {Op::kIgamma, {{0.5, 2.5}, {0.5, 2.5}}, 1, 2, 64},
                                {Op::kIgammac, {{0.5, 2.5}, {0.5, 2.5}}, 1, 2, 64},
                                {Op::kZeta, {{1.5, 3.5}, {0.5, 2.5}}, 12, 120, 64},
                                {Op::kPolygamma, {{2, 2}, {1, 3}}, 2.5, 6.5, 64},
                                {Op::kBetainc, {{0.5, 2.5}, {0.5, 2.5}, {0.1, 0.9}}, 1, 6, 256}};
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) rows.push_back(Sampled(Op::k##Enum));
#include "ir/ops.def"
#undef OP
  return rows;
}

const std::vector<FunctionRow>& FunctionRows() {
  static const auto* const rows = new std::vector<FunctionRow>(AllRows());
  return *rows;
}

}  // namespace

void GraphMaker::Function() {
  const Value x = Find([&](Value v) { return is_float(v); });
  if (!x.valid()) return;
  // in turn, from another one in each graph, which draws at least one: so many graphs have all
  const FunctionRow& row = FunctionRows()[next_function_++ % FunctionRows().size()];
  std::vector<Value> operands;
  double error = 0;
  for (const FunctionRow::Interval& interval : row.box) {
    double own = 0;
    operands.push_back(Squashed(FindLike(x), interval.low, interval.high, &own));
    error = std::max(error, own);
  }
  KeepRounded(b_.Emit(row.op, operands), row.bound, row.slope * error + row.ulps * Epsilon(x) * row.bound, false);
}

// Functions with jumps, and those whose result is one of many: of operands known to the bit.
void GraphMaker::Exact() {
  const Value x = Find([&](Value v) { return is_float(v) && known(v).exact(); });
  if (!x.valid()) return;
  const Value y = Find([&](Value v) { return type(v) == type(x) && known(v).exact(); });
  const double bound = known(x).bound;
  switch (Int(6)) {
    case 0: Keep(b_.Round(x), {bound + 1, 0}); return;
    case 1: Keep(b_.Trunc(x), {bound, 0}); return;
    case 2: Keep(b_.Rem(x, OnePlusAbs(y)), {bound, 0}); return;
    case 3: Keep(b_.NextAfter(x, y), {bound + 1, 0}); return;
    case 4: Keep(b_.Bitcast(x, type(x).dtype == kFloat32 ? kInt32 : kInt64)); return;
    default:
      if (type(x).shape.rank() > 0) {
        Keep(b_.Argsort(x, Int(type(x).shape.rank()), Int(2) == 0));
      }
  }
}

// reduce_prod, recurrence
void GraphMaker::Accumulate() {
  const Value x = Find([&](Value v) { return is_float(v) && type(v).shape.rank() > 0; });
  if (!x.valid()) return;
  const int axis = Int(type(x).shape.rank());
  const auto n = static_cast<double>(type(x).shape.dim(axis));
  const Known a = known(x);
  if (Int(2) == 0) {
    const double most = std::max(a.bound, 1.0), bound = std::pow(most, n);
    if (bound > kMaxBound) return;
    KeepRounded(b_.ReduceProd(x, {axis}), bound, n * bound * (a.error + Epsilon(x)), false);
    return;
  }
  double error = 0;
  const Value factor = Squashed(FindLike(x), -0.9, 0.9, &error);
  const double bound = 10 * a.bound;  // 1 + 0.9 + 0.81 + ...
  KeepRounded(b_.Recurrence(factor, x, axis, Int(2) == 0), bound, 10 * (a.error + bound * (error + 2 * Epsilon(x))),
              false);
}

// reverse, window, scatter_*, and what only names its operand
void GraphMaker::Arrange() {
  const Value x = Find([&](Value v) { return type(v).shape.rank() > 0 && type(v).shape.rank() < 5; });
  if (!x.valid()) return;
  const Shape shape = type(x).shape;
  const int axis = Int(shape.rank());
  const Known a = known(x);
  switch (Int(5)) {
    case 0: Keep(b_.Identity(x), a); return;
    case 1: Keep(b_.StopGradient(x), a); return;
    case 2: Keep(b_.Reverse(x, {axis}), a); return;
    case 3:
      if (shape.dim(axis) < 2 || shape.size() > kMaxSize / 2) return;
      Keep(b_.Window(x, {.axes = {axis}, .sizes = {2}, .strides = {1 + Int(2)}, .dilations = {1}}), a);
      return;
    default:
      if (shape.dim(axis) < 3 || is_bool(x)) return;
      const Value part = b_.Gather(x, indices_, axis), moved = b_.Reverse(part, {axis});
      const Op op = Pick(std::vector<Op>{Op::kScatterSet, Op::kScatterMax, Op::kScatterMin, Op::kScatterMul});
      if (op != Op::kScatterMul) {
        Keep(b_.Scatter(op, x, indices_, moved, axis), a);
        return;
      }
      const double bound = std::pow(std::max(a.bound, 1.0), 5);  // at most four factors hit one place
      if (is_float(x) && bound > kMaxBound) return;
      KeepRounded(b_.Scatter(op, x, indices_, moved, axis), bound, 5 * bound * (a.error + Epsilon(x)), is_int(x));
  }
}

// All elements of one value with a few of another as the filter.
void GraphMaker::Convolve() {
  const Value x = Find([&](Value v) { return is_float(v) && type(v).shape.size() > 0; });
  if (!x.valid()) return;
  const Value y = Find(
      [&](Value v) { return type(v).dtype == type(x).dtype && type(v).shape.size() > 0 && type(v).shape.size() <= 8; });
  if (!y.valid()) return;
  const Known a = known(x), c = known(y);
  const int64_t taps = type(y).shape.size();
  const double bound = static_cast<double>(taps) * a.bound * c.bound;
  if (bound > kMaxBound) return;
  const Value signal = b_.Reshape(x, {1, type(x).shape.size(), 1, 1});
  const Value filter = b_.Reshape(y, {taps, 1, 1, 1});
  KeepRounded(
      b_.Conv(signal, filter,
              {.strides = {1 + Int(2)},
               .low = {taps - 1},
               .high = {Int(taps)},
               .a_dilation = {1 + Int(2)},
               .b_dilation = {1}}),
      bound,
      static_cast<double>(taps) * (a.error * c.bound + c.error * a.bound + a.error * c.error + Epsilon(x) * bound),
      false);
}

// The parts of (x + i y)^2.
void GraphMaker::AsComplex() {
  const Value x = Find([&](Value v) { return is_float(v); });
  if (!x.valid()) return;
  const Value y = FindLike(x);
  const double most = std::max({known(x).bound, known(y).bound, 1.0});
  const double bound = 2 * most * most, error = std::max(known(x).error, known(y).error);
  if (bound > kMaxBound) return;
  const Value z = b_.Complex(x, y), square = b_.Mul(z, z);
  KeepRounded(Int(2) == 0 ? b_.Real(square) : b_.Imag(square), bound, 4 * most * error + 4 * Epsilon(x) * bound, false);
}

}  // namespace reel::optable
