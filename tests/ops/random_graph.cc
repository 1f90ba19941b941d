#include "tests/ops/random_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "ir/builder.h"
#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

using ir::Op;
using ir::Value;

// What is known of a float: |x| <= bound, and two engines differ by at most `error` (0: not at
// all).
struct Known {
  double bound = 0, error = 0;
  bool exact() const { return error == 0; }
};

constexpr double kMaxBound = 1e4;
constexpr int64_t kMaxSize = 4096;

class Generator {
 public:
  Generator(uint64_t seed, const RandomGraphOptions& options)
      : options_(options),
        rng_(seed),
        module_(StrCat("random_", seed)),
        f_("main"),
        b_(&f_, &module_) {}

  RandomGraph Make() {
    AddInputs();
    const int nodes = options_.min_nodes + Int(options_.max_nodes - options_.min_nodes + 1);
    for (int tries = 0; static_cast<int>(f_.nodes().size()) < nodes && tries < 100 * nodes; ++tries)
      Step();
    if (!b_.status().ok()) throw std::logic_error(std::string(b_.status().message()));
    RandomGraph out;
    std::vector<Value> results;
    std::vector<bool> used(static_cast<size_t>(f_.num_values()));
    for (const ir::Node& node : f_.nodes()) {
      for (Value v : node.operands) used[static_cast<size_t>(v.id)] = true;
    }
    for (Value v : pool_) {
      if (f_.is_parameter(v) || (used[static_cast<size_t>(v.id)] && Int(6) != 0)) continue;
      results.push_back(v);
      out.allowed.push_back(4 * known(v).error);
    }
    f_.SetResults(std::move(results));
    module_.AddFunction(std::move(f_));
    out.module = std::move(module_);
    out.inputs = std::move(inputs_);
    return out;
  }

 private:
  int Int(int64_t n) { return static_cast<int>(rng_() % static_cast<uint64_t>(n)); }
  template <typename T>
  const T& Pick(const std::vector<T>& list) {
    return list[static_cast<size_t>(Int(static_cast<int64_t>(list.size())))];
  }
  const Type& type(Value v) const { return f_.type(v); }
  bool is_float(Value v) const { return IsFloat(type(v).dtype); }
  bool is_int(Value v) const { return IsInteger(type(v).dtype); }
  bool is_bool(Value v) const { return type(v).dtype == kBool; }
  Known& known(Value v) {
    if (known_.size() <= static_cast<size_t>(v.id)) known_.resize(static_cast<size_t>(v.id) + 1);
    return known_[static_cast<size_t>(v.id)];
  }
  static double Epsilon(DType d) {
    return d == kFloat32 ? double{std::numeric_limits<float>::epsilon()}
                         : std::numeric_limits<double>::epsilon();
  }
  double Epsilon(Value v) const { return Epsilon(type(v).dtype); }

  // Puts a value into the pool.
  Value Keep(Value v, Known k = {}) {
    if (!v.valid()) return v;
    known(v) = k;
    pool_.push_back(v);
    return v;
  }
  // Result of a function that is not correctly rounded, or of inexact operands.
  Value KeepRounded(Value v, double bound, double error, bool exact) {
    return Keep(v, {bound, exact ? 0 : error + 2 * Epsilon(v) * bound + 1e-30});
  }

  // A random value of the pool that satisfies the test; invalid if there is none.
  template <typename F>
  Value Find(F test) {
    std::vector<Value> fit;
    for (Value v : pool_) {
      if (test(v)) fit.push_back(v);
    }
    return fit.empty() ? Value{} : Pick(fit);
  }
  Value FindLike(Value a) {
    return Find([&](Value v) { return type(v) == type(a); });
  }

  // In two steps: the order in which arguments are evaluated is the compiler's.
  Value OnePlusAbs(Value x) {
    const Value a = b_.Abs(x);
    return b_.Add(a, b_.ScalarLike(x, 1));
  }

  void AddInputs();
  void Step();
  void FloatUnary();
  void IntUnary();
  void FloatBinary();
  void IntBinary();
  void Compare();
  void Logic();
  void Select();
  void Cast();
  void Reduce();
  void Move();
  void Stretch();
  void Contract();
  void Factor();
  void Index();
  void Window();
  void Control();
  void AddBody(std::string_view name, const Type& type);
  void AddLoop(std::string_view suffix, const Type& type);

  RandomGraphOptions options_;
  Rng rng_;
  ir::Module module_;
  ir::Function f_;
  ir::Builder b_;
  std::vector<ir::Literal> inputs_;
  std::vector<Value> pool_;
  std::vector<Known> known_;
  Value indices_, random_state_;  // i64[4] in [0, 3); i64[2]
};

void Generator::AddInputs() {
  const std::vector<Shape> shapes{{},     {1},       {3},       {7},    {33},
                                  {4, 5}, {3, 1, 5}, {2, 3, 4}, {5, 3}, {3, 4, 1, 2}};
  const auto add = [&](const Type& t, double bound) {
    const ir::Literal l = Sample(t, Domain{-bound, bound}, rng_);
    inputs_.push_back(l);
    return Keep(f_.AddParameter(StrCat("x", f_.num_parameters()), t), {bound, 0});
  };
  for (const DType dtype : {kFloat32, kFloat32, kFloat64, kInt32, kBool}) {
    const Shape shape = Pick(shapes);
    for (int n = 0; n < (IsFloat(dtype) ? 2 : 1); ++n)
      add({dtype, shape}, IsFloat(dtype) ? 3 : 100);
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

void Generator::Step() {
  using Maker = void (Generator::*)();
  static const std::vector<Maker> makers{
      &Generator::FloatUnary,  &Generator::FloatUnary,  &Generator::FloatBinary,
      &Generator::FloatBinary, &Generator::FloatBinary, &Generator::IntUnary,
      &Generator::IntBinary,   &Generator::Compare,     &Generator::Logic,
      &Generator::Select,      &Generator::Cast,        &Generator::Reduce,
      &Generator::Reduce,      &Generator::Move,        &Generator::Move,
      &Generator::Stretch,     &Generator::Stretch,     &Generator::Contract,
      &Generator::Factor,      &Generator::Index,       &Generator::Window,
      &Generator::Control};
  (this->*Pick(makers))();
}

void Generator::FloatUnary() {
  const Value x = Find([&](Value v) { return is_float(v); });
  if (!x.valid()) return;
  const auto [bound, error] = known(x);
  const bool exact = known(x).exact();
  const double e = Epsilon(x);
  switch (Int(13)) {
    case 0:
      Keep(b_.Neg(x), {bound, error});
      break;
    case 1:
      Keep(b_.Abs(x), {bound, error});
      break;
    case 2:
      if (exact) Keep(b_.Floor(x), {bound + 1, 0});
      break;
    case 3:
      if (exact) Keep(b_.Ceil(x), {bound + 1, 0});
      break;
    case 4:
      if (exact) Keep(b_.Sign(x), {1, 0});
      break;
    case 5:
      KeepRounded(b_.Tanh(x), 1, 1.1 * error, false);
      break;
    case 6:
      KeepRounded(b_.Sigmoid(x), 1, error, false);
      break;
    case 7:
      KeepRounded(b_.Erf(x), 1, 1.2 * error, false);
      break;
    case 8:
      KeepRounded(b_.Sin(x), 1, error + e * bound, false);
      break;
    case 9:
      KeepRounded(b_.Cos(x), 1, error + e * bound, false);
      break;
    case 10:
      if (bound < 8) KeepRounded(b_.Exp(x), std::exp(bound), std::exp(bound) * error * 1.1, false);
      break;
    case 11:  // sqrt(|x| + 1), slope at most 1/2
      KeepRounded(b_.Sqrt(OnePlusAbs(x)), bound + 1, error + 4 * e * bound, exact);
      break;
    default:  // log(|x| + 1), slope at most 1
      KeepRounded(b_.Log(OnePlusAbs(x)), std::log(bound + 1) + 1, error + 4 * e * (bound + 1),
                  false);
  }
}

void Generator::IntUnary() {
  const Value x = Find([&](Value v) { return is_int(v) || is_bool(v); });
  if (!x.valid()) return;
  if (is_bool(x) || Int(2) == 0) {
    Keep(b_.Not(x));
    return;
  }
  const Op op = Pick(std::vector<Op>{Op::kNeg, Op::kAbs, Op::kSign});
  Keep(b_.Emit(op, {x}));
}

void Generator::FloatBinary() {
  const Value x = Find([&](Value v) { return is_float(v); });
  if (!x.valid()) return;
  const Value y = FindLike(x);
  const Known a = known(x), c = known(y);
  const bool exact = a.exact() && c.exact();
  switch (Int(6)) {
    case 0:
      KeepRounded(b_.Add(x, y), a.bound + c.bound, a.error + c.error, exact);
      break;
    case 1:
      KeepRounded(b_.Sub(x, y), a.bound + c.bound, a.error + c.error, exact);
      break;
    case 2:
      if (a.bound * c.bound > kMaxBound) break;
      KeepRounded(b_.Mul(x, y), a.bound * c.bound,
                  a.error * c.bound + c.error * a.bound + a.error * c.error, exact);
      break;
    case 3:  // x / (|y| + 1)
      KeepRounded(b_.Div(x, OnePlusAbs(y)), a.bound,
                  a.error + a.bound * (c.error + 4 * Epsilon(x) * (c.bound + 1)), exact);
      break;
    case 4:
      Keep(b_.Max(x, y), {std::max(a.bound, c.bound), std::max(a.error, c.error)});
      break;
    default:
      Keep(b_.Min(x, y), {std::max(a.bound, c.bound), std::max(a.error, c.error)});
  }
}

void Generator::IntBinary() {
  const Value x = Find([&](Value v) { return is_int(v); });
  if (!x.valid()) return;
  static const std::vector<Op> ops{Op::kAdd, Op::kSub,       Op::kMul,       Op::kDiv,
                                   Op::kMax, Op::kMin,       Op::kAnd,       Op::kOr,
                                   Op::kXor, Op::kShiftLeft, Op::kShiftRight};
  const Value y = FindLike(x);
  Keep(b_.Emit(Pick(ops), {x, y}));
}

void Generator::Compare() {
  const Value x = Find([&](Value v) { return !is_bool(v) && known(v).exact(); });
  if (!x.valid()) return;
  const Value y = Find([&](Value v) { return type(v) == type(x) && known(v).exact(); });
  static const std::vector<Op> ops{Op::kEqual,     Op::kNotEqual, Op::kLess,
                                   Op::kLessEqual, Op::kGreater,  Op::kGreaterEqual};
  Keep(b_.Emit(Pick(ops), {x, y}));
}

void Generator::Logic() {
  const Value x = Find([&](Value v) { return is_bool(v); });
  if (!x.valid()) return;
  static const std::vector<Op> ops{Op::kAnd, Op::kOr, Op::kXor};
  const Value y = FindLike(x);
  Keep(b_.Emit(Pick(ops), {x, y}));
}

void Generator::Select() {
  const Value c = Find([&](Value v) { return is_bool(v); });
  if (!c.valid()) return;
  const Value x = Find([&](Value v) { return type(v).shape == type(c).shape; });
  const Value y = FindLike(x);
  const Known a = known(x), d = known(y);
  Keep(b_.Select(c, x, y), {std::max(a.bound, d.bound), std::max(a.error, d.error)});
}

void Generator::Cast() {
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

void Generator::Reduce() {
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
    KeepRounded(b_.ReduceSum(x, axes), a.bound * terms,
                terms * (a.error + Epsilon(x) * a.bound * terms), n == 1 && a.exact());
  } else {
    Keep(which == 1 ? b_.ReduceMax(x, axes) : b_.ReduceMin(x, axes), a);
  }
}

// transpose, reshape, slice
void Generator::Move() {
  const Value x = Find([&](Value v) { return type(v).shape.rank() > 0; });
  if (!x.valid()) return;
  const Shape shape = type(x).shape;
  const auto rank = static_cast<size_t>(shape.rank());
  switch (Int(3)) {
    case 0: {
      std::vector<int64_t> permutation(rank);
      std::iota(permutation.begin(), permutation.end(), 0);
      for (size_t k = rank; k > 1; --k) std::swap(permutation[k - 1], permutation[rng_() % k]);
      Keep(b_.Transpose(x, permutation), known(x));
      break;
    }
    case 1: {
      const int64_t size = shape.size();
      if (rank > 1) {
        Keep(b_.Reshape(x, {size}), known(x));
      } else {
        const int64_t by = size % 3 == 0 ? 3 : size % 2 == 0 ? 2 : 1;
        Keep(b_.Reshape(x, {by, size / by}), known(x));
      }
      break;
    }
    default: {
      std::vector<int64_t> starts, limits, strides;
      for (int k = 0; k < shape.rank(); ++k) {
        starts.push_back(Int(shape.dim(k)));
        limits.push_back(starts.back() + 1 + Int(shape.dim(k) - starts.back()));
        strides.push_back(1 + Int(2));
      }
      Keep(b_.Slice(x, starts, limits, strides), known(x));
    }
  }
}

// broadcast, pad, iota, random bits
void Generator::Stretch() {
  const Value x = Find([&](Value v) { return type(v).shape.rank() < 4; });
  if (!x.valid()) return;
  const Shape shape = type(x).shape;
  switch (Int(4)) {
    case 0: {
      if (shape.size() > kMaxSize / 5) break;
      Shape to{1 + Int(4)};
      for (Extent e : shape) to.push_back(e == Extent(1) ? Extent(1 + Int(4)) : e);
      Keep(b_.BroadcastTo(x, to), known(x));
      break;
    }
    case 1: {
      const Value value = Find([&](Value v) { return type(v) == Type{type(x).dtype, {}}; });
      if (!value.valid() || shape.size() > kMaxSize / 8) break;
      std::vector<int64_t> low, high, interior;
      for (int k = 0; k < shape.rank(); ++k) {
        low.push_back(Int(2));
        high.push_back(Int(2));
        interior.push_back(Int(2));
      }
      const Known a = known(x), c = known(value);
      Keep(b_.Pad(x, value, low, high, interior),
           {std::max(a.bound, c.bound), std::max(a.error, c.error)});
      break;
    }
    case 2: {
      if (shape.rank() == 0) break;
      const DType dtype = Pick(std::vector<DType>{kFloat32, kFloat64, kInt32});
      const int axis = Int(shape.rank());
      Keep(b_.Iota(dtype, shape, axis), {static_cast<double>(shape.dim(axis)), 0});
      break;
    }
    default:
      Keep(b_.RandomBits(random_state_, shape));
  }
}

// Over one pair of equal axes; sometimes another pair is a batch axis.
void Generator::Contract() {
  const Value x = Find([&](Value v) { return !is_bool(v) && type(v).shape.rank() > 0; });
  if (!x.valid()) return;
  const int axis = Int(type(x).shape.rank());
  const auto matching = [&](const Shape& shape, Extent extent, int except) {
    for (int k = 0; k < shape.rank(); ++k) {
      if (k != except && shape[k] == extent) return k;
    }
    return -1;
  };
  const Value y = Find([&](Value v) {
    return type(v).dtype == type(x).dtype && matching(type(v).shape, type(x).shape[axis], -1) >= 0;
  });
  const Shape a = type(x).shape, c = type(y).shape;
  const int other = matching(c, a[axis], -1);
  ir::Builder::ContractAxes axes{{}, {}, {axis}, {other}};
  for (int k = 0; k < a.rank() && axes.a_batch.empty(); ++k) {
    const int batch = k == axis ? -1 : matching(c, a[k], other);
    if (batch < 0 || Int(2) == 0) continue;
    axes.a_batch.push_back(k);
    axes.b_batch.push_back(batch);
  }
  const Known p = known(x), q = known(y);
  const auto terms = static_cast<double>(a.dim(axis));
  const double bound = p.bound * q.bound * terms;
  if (a.size() * c.size() > kMaxSize * a.dim(axis) || a.rank() + c.rank() > 6) return;
  if (is_float(x) && bound > kMaxBound) return;
  const double error = terms * (p.error * q.bound + q.error * p.bound + p.error * q.error) +
                       terms * Epsilon(x) * bound;
  KeepRounded(b_.Contract(x, y, axes), bound, error, is_int(x));
}

// Factors of w w' + (a large diagonal), of condition below 2: errors stay those of the operand.
void Generator::Factor() {
  const Value x = Find([&](Value v) {
    const Shape& s = type(v).shape;
    return is_float(v) && s.rank() >= 2 && s.size() > 0 && s.size() < 300;
  });
  if (!x.valid() || known(x).bound > 100) return;
  const int rank = type(x).shape.rank();
  const auto m = static_cast<double>(type(x).shape.dim(rank - 2));
  const auto n = static_cast<double>(type(x).shape.dim(rank - 1));
  ir::Builder::ContractAxes axes{{}, {}, {rank - 1}, {rank - 1}};
  for (int64_t k = 0; k + 2 < rank; ++k) axes.a_batch.push_back(k);
  axes.b_batch = axes.a_batch;
  const double square = n * std::max(known(x).bound * known(x).bound, 1e-3);
  const double size = 2 * (m + 1) * square;
  const double error = 2 * n * known(x).bound * known(x).error + (n + 4) * Epsilon(x) * square +
                       64 * m * Epsilon(x) * size;
  const Value gram = b_.Contract(x, x, axes);
  const Shape shape = type(gram).shape;
  const Value row = b_.Iota(kInt32, shape, rank - 2), column = b_.Iota(kInt32, shape, rank - 1);
  const Value a = b_.Add(gram, b_.Select(b_.Equal(row, column), b_.ScalarLike(gram, size),
                                         b_.ScalarLike(gram, 0)));
  const auto keep = [&](Value v, double bound, double relative) {
    KeepRounded(v, bound, 16 * m * relative, false);
  };
  const double relative = error / size, root = std::sqrt(2 * size);
  switch (Int(6)) {
    case 0: return keep(b_.Emit(Op::kCholesky, {a}), root, relative * root);
    case 1: return keep(b_.TriangularSolve(a, gram, {.lower = Int(2) == 0}), 1, relative);
    case 2: return keep(b_.EmitAll(Op::kLu, {a})[0], 2 * size, error);
    case 3: return keep(b_.EmitAll(Op::kQr, {a})[1], 2 * size, error);
    case 4: return keep(b_.EmitAll(Op::kEigh, {a})[0], 2 * size, error);
    default: return keep(b_.EmitAll(Op::kSvd, {a})[1], 2 * size, error);
  }
}

// gather and scatter_add at the input indices, which are below 3
void Generator::Index() {
  const Value x = Find([&](Value v) {
    const Shape& s = type(v).shape;
    return s.rank() > 0 && s.rank() < 5 &&
           std::any_of(s.begin(), s.end(), [](Extent e) { return e.value() >= 3; });
  });
  if (!x.valid()) return;
  int axis = 0;
  while (type(x).shape.dim(axis) < 3) ++axis;
  const Known a = known(x);
  const Value gathered = Keep(b_.Gather(x, indices_, axis), a);
  if (is_bool(x) || Int(2) == 0 || 5 * a.bound > kMaxBound) return;
  KeepRounded(b_.ScatterAdd(x, indices_, gathered, axis), 5 * a.bound,
              5 * a.error + 5 * Epsilon(x) * a.bound, is_int(x));
}

// dynamic_slice and dynamic_update at any i32: out of range is clamped
void Generator::Window() {
  const Value x = Find([&](Value v) { return type(v).shape.rank() > 0; });
  const Value start = Find([&](Value v) { return type(v) == Type{kInt32, {}}; });
  if (!x.valid() || !start.valid()) return;
  const int axis = Int(type(x).shape.rank());
  const Value part =
      Keep(b_.DynamicSlice(x, start, axis, 1 + Int(type(x).shape.dim(axis))), known(x));
  const Value update = FindLike(part);
  if (Int(2) == 0) return;
  const Known a = known(x), c = known(update);
  Keep(b_.DynamicUpdate(x, update, start, axis),
       {std::max(a.bound, c.bound), std::max(a.error, c.error)});
}

// @scale_T: (x, y) -> tanh(x) * y, and @add_T: (x, y) -> x + y.
void Generator::AddBody(std::string_view name, const Type& type) {
  if (module_.FindFunction(name)) return;
  ir::Function f{std::string(name)};
  const Value x = f.AddParameter("x", type), y = f.AddParameter("y", type);
  ir::Builder b(&f);
  f.SetResults({name[0] == 's' ? b.Mul(b.Tanh(x), y) : b.Add(x, y)});
  module_.AddFunction(std::move(f));
}

// @more: (i, x) -> i < 3, and @next: (i, x) -> (i + 1, sin(x) + x / 2).
void Generator::AddLoop(std::string_view suffix, const Type& type) {
  ir::Function more(StrCat("more_", suffix)), next(StrCat("next_", suffix));
  if (module_.FindFunction(more.name())) return;
  const Value i = more.AddParameter("i", {kInt32, {}});
  more.AddParameter("x", type);
  ir::Builder b(&more);
  more.SetResults({b.Less(i, b.Scalar(kInt32, 3))});
  const Value j = next.AddParameter("i", {kInt32, {}}), x = next.AddParameter("x", type);
  ir::Builder c(&next);
  const Value one = c.Scalar(kInt32, 1), sine = c.Sin(x), half = c.ScalarLike(x, 0.5);
  next.SetResults({c.Add(j, one), c.Add(sine, c.Mul(x, half))});
  module_.AddFunction(std::move(more));
  module_.AddFunction(std::move(next));
}

void Generator::Control() {
  if (!options_.control) return;
  const Value x = Find([&](Value v) { return is_float(v); });
  if (!x.valid()) return;
  const Type t = type(x);
  std::string suffix = StrCat(Name(t.dtype));
  for (Extent e : t.shape) StrAppend(&suffix, "_", e.value());
  const Value y = FindLike(x);
  const Known a = known(x), c = known(y);
  const std::string scale = StrCat("scale_", suffix), add = StrCat("add_", suffix);
  const double scale_error = c.error + c.bound * (1.1 * a.error + 4 * Epsilon(x));
  switch (Int(3)) {
    case 0:
      AddBody(scale, t);
      KeepRounded(b_.Call(scale, {x, y})[0], c.bound, scale_error, false);
      break;
    case 1: {
      const Value condition = Find([&](Value v) { return type(v) == Type{kBool, {}}; });
      if (!condition.valid()) break;
      AddBody(scale, t);
      AddBody(add, t);
      KeepRounded(b_.If(condition, scale, add, {x, y})[0], a.bound + c.bound, a.error + scale_error,
                  false);
      break;
    }
    default: {
      AddLoop(suffix, t);
      const Value zero = b_.Scalar(kInt32, 0);
      const ir::ValueList r =
          b_.While(StrCat("more_", suffix), StrCat("next_", suffix), {zero, x}, 5);
      Keep(r[0]);
      Known k = a;
      for (int n = 0; n < 3; ++n) {
        k = {1 + k.bound / 2, 1.5 * k.error + 4 * Epsilon(x) * (k.bound + 1)};
      }
      Keep(r[1], k);
    }
  }
}

}  // namespace

RandomGraph MakeRandomGraph(uint64_t seed, const RandomGraphOptions& options) {
  return Generator(seed, options).Make();
}

}  // namespace reel::optable
