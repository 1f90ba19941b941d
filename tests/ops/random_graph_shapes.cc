// The makers that move, stretch, contract and factor, and control flow.

#include <cmath>
#include <numeric>

#include "ir/check.h"
#include "tests/ops/random_graph_maker.h"

namespace reel::optable {

// transpose, reshape, slice
void GraphMaker::Move() {
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
void GraphMaker::Stretch() {
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
      Keep(b_.Pad(x, value, low, high, interior), {std::max(a.bound, c.bound), std::max(a.error, c.error)});
      break;
    }
    case 2: {
      if (shape.rank() == 0) break;
      const DType dtype = Pick(std::vector<DType>{kFloat32, kFloat64, kInt32});
      const int axis = Int(shape.rank());
      Keep(b_.Iota(dtype, shape, axis), {static_cast<double>(shape.dim(axis)), 0});
      break;
    }
    default: Keep(b_.RandomBits(random_state_, shape));
  }
}

// Over one pair of equal axes; sometimes another pair is a batch axis.
void GraphMaker::Contract() {
  const Value x = Find([&](Value v) { return !is_bool(v) && type(v).shape.rank() > 0; });
  if (!x.valid()) return;
  const int axis = Int(type(x).shape.rank());
  const auto matching = [&](const Shape& shape, Extent extent, int except) {
    for (int k = 0; k < shape.rank(); ++k) {
      if (k != except && shape[k] == extent) return k;
    }
    return -1;
  };
  const Value y = Find(
      [&](Value v) { return type(v).dtype == type(x).dtype && matching(type(v).shape, type(x).shape[axis], -1) >= 0; });
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
  const double error = terms * (p.error * q.bound + q.error * p.bound + p.error * q.error) + terms * Epsilon(x) * bound;
  KeepRounded(b_.Contract(x, y, axes), bound, error, is_int(x));
}

// Factors of w w' + (a large diagonal), of condition below 2: errors stay those of the operand.
void GraphMaker::Factor() {
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
  const double error =
      2 * n * known(x).bound * known(x).error + (n + 4) * Epsilon(x) * square + 64 * m * Epsilon(x) * size;
  const Value gram = b_.Contract(x, x, axes);
  const Shape shape = type(gram).shape;
  const Value row = b_.Iota(kInt32, shape, rank - 2), column = b_.Iota(kInt32, shape, rank - 1);
  const Value diagonal = b_.Equal(row, column), large = b_.ScalarLike(gram, size), zero = b_.ScalarLike(gram, 0);
  const Value a = b_.Add(gram, b_.Select(diagonal, large, zero));
  const auto keep = [&](Value v, double bound, double relative) { KeepRounded(v, bound, 16 * m * relative, false); };
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
void GraphMaker::Index() {
  const Value x = Find([&](Value v) {
    const Shape& s = type(v).shape;
    return s.rank() > 0 && s.rank() < 5 && std::any_of(s.begin(), s.end(), [](Extent e) { return e.value() >= 3; });
  });
  if (!x.valid()) return;
  int axis = 0;
  while (type(x).shape.dim(axis) < 3) ++axis;
  const Known a = known(x);
  const Value checked =
      b_.Emit(ir::Op::kCheckIndex, {indices_}, ir::CheckIndexAttributes("gather", type(x), axis, false));
  const Value twice = b_.Emit(ir::Op::kCheckInteger, {checked}, ir::CheckIntegerAttributes("gather", true));
  const Value gathered = Keep(b_.Gather(x, twice, axis), a);
  if (is_bool(x) || Int(2) == 0 || 5 * a.bound > kMaxBound) return;
  KeepRounded(b_.ScatterAdd(x, indices_, gathered, axis), 5 * a.bound, 5 * a.error + 5 * Epsilon(x) * a.bound,
              is_int(x));
}

// dynamic_slice and dynamic_update at any i32: out of range is clamped
void GraphMaker::Window() {
  const Value x = Find([&](Value v) { return type(v).shape.rank() > 0; });
  const Value start = Find([&](Value v) { return type(v) == Type{kInt32, {}}; });
  if (!x.valid() || !start.valid()) return;
  const int axis = Int(type(x).shape.rank());
  const Value part = Keep(b_.DynamicSlice(x, start, axis, 1 + Int(type(x).shape.dim(axis))), known(x));
  const Value update = FindLike(part);
  if (Int(2) == 0) return;
  const Known a = known(x), c = known(update);
  Keep(b_.DynamicUpdate(x, update, start, axis), {std::max(a.bound, c.bound), std::max(a.error, c.error)});
}

// @scale_T: (x, y) -> tanh(x) * y, and @add_T: (x, y) -> x + y.
void GraphMaker::AddBody(std::string_view name, const Type& type) {
  if (module_.FindFunction(name)) return;
  ir::Function f{std::string(name)};
  const Value x = f.AddParameter("x", type), y = f.AddParameter("y", type);
  ir::Builder b(&f);
  f.SetResults({name[0] == 's' ? b.Mul(b.Tanh(x), y) : b.Add(x, y)});
  module_.AddFunction(std::move(f));
}

// @more: (i, x) -> i < 3, and @next: (i, x) -> (i + 1, sin(x) + x / 2).
void GraphMaker::AddLoop(std::string_view suffix, const Type& type) {
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

void GraphMaker::Control() {
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
      KeepRounded(b_.If(condition, scale, add, {x, y})[0], a.bound + c.bound, a.error + scale_error, false);
      break;
    }
    default: {
      AddLoop(suffix, t);
      const Value zero = b_.Scalar(kInt32, 0);
      const ir::ValueList r = b_.While(StrCat("more_", suffix), StrCat("next_", suffix), {zero, x}, 5);
      Keep(r[0]);
      Known k = a;
      for (int n = 0; n < 3; ++n) {
        k = {1 + k.bound / 2, 1.5 * k.error + 4 * Epsilon(x) * (k.bound + 1)};
      }
      Keep(r[1], k);
    }
  }
}

}  // namespace reel::optable
