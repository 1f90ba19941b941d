#include "ir/strings.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

const std::vector<Shape> kShapes{
    {}, {0}, {1}, {3}, {7}, {17}, {33}, {4, 0, 3}, {2, 3}, {3, 1, 5}, {1, 33}, {2, 1, 3, 2}, {2, 3, 1, 2, 2}, {1000}};

// f32 of this many elements do not fit into a second-level cache of 1 MiB.
constexpr std::string_view kLarge = "larger than L2";
constexpr int64_t kLargeSize = 300007;

std::vector<Shape> ShapesOf(DType dtype) {
  std::vector<Shape> out;
  for (size_t n = 0; n < kShapes.size(); ++n) {
    if (n == 0 || IsSampled(dtype, n, kShapes.size())) out.push_back(kShapes[n]);
  }
  return out;
}

// All pairs of special values, as operand n of two: [a0, a0, a1, a1] or [b0, b1, b0, b1].
ir::Literal Pairs(DType dtype, int n) {
  const ir::Literal one = SpecialValues(dtype);
  const auto size = static_cast<size_t>(SizeOf(dtype));
  const auto count = static_cast<size_t>(one.size());
  std::vector<std::byte> bytes(count * count * size);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      const std::byte* from = one.bytes().data() + (n == 0 ? i : j) * size;
      std::copy(from, from + size, bytes.data() + (i * count + j) * size);
    }
  }
  return ir::Literal({dtype, {static_cast<int64_t>(count * count)}}, std::move(bytes));
}

// b = a plus something of at least 0.1: ties of max and min are kinks.
ir::Literal Apart(const ir::Literal& a, Rng& rng) {
  const Domain step{-5, 5, 0.1};
  std::vector<double> values;
  for (int64_t k = 0; k < a.size(); ++k) values.push_back(a.AsDouble(k) + step.Sample(rng));
  return MakeLiteral(a.type(), values);
}

// a = b times a number at least 0.1 from every integer: kinks of the remainder.
ir::Literal BetweenMultiples(const ir::Literal& b, Rng& rng) {
  const Domain factor{-5, 5, 0.1, 0, 1};
  std::vector<double> values;
  for (int64_t k = 0; k < b.size(); ++k) values.push_back(b.AsDouble(k) * factor.Sample(rng));
  return MakeLiteral(b.type(), values);
}

bool HasKinks(ir::Op op) { return op == ir::Op::kMax || op == ir::Op::kMin || op == ir::Op::kRem; }

// Moves one of two operands away from the kinks of the op.
void Separate(ir::Op op, std::vector<ir::Literal>& operands, Rng& rng) {
  if (op == ir::Op::kMax || op == ir::Op::kMin) operands[1] = Apart(operands[0], rng);
  if (op == ir::Op::kRem) operands[0] = BetweenMultiples(operands[1], rng);
}

Tolerance Allowed(const OpRow& row, DType dtype) {
  const bool product = row.op == ir::Op::kMul || row.op == ir::Op::kDiv;
  if (IsComplex(dtype) && product) return {0, 8};
  if (row.ulps == 0 || !IsFloat(dtype)) return {};
  if (IsHalf(dtype)) return {0.51, 0};  // computed in f32, rounded once
  return {row.ulps + (dtype == kFloat64 ? 0.5 : 0), 0};  // the reference itself rounds to f64
}

using Operands = std::vector<ir::Literal>;

// One case: the op on each list of operands.
OpCase MakeCase(const OpRow& row, DType dtype, std::string_view what, CaseBuilder& c,
                const std::vector<Operands>& lists) {
  std::vector<std::vector<ir::Value>> values(lists.size());
  for (size_t n = 0; n < lists.size(); ++n) {
    for (const ir::Literal& l : lists[n]) values[n].push_back(c.Input(l));
  }
  for (const auto& operands : values) c.Emit(operands);
  c.Tolerate(Allowed(row, dtype));
  c.Differentiable(IsSmooth(row, dtype) && (what == "shapes" || what == kLarge));
  return c.Build();
}

// Operands of [3,5] and [7] that were broadcast: each in turn from [3,1], [5] and a scalar.
OpCase BroadcastCase(const OpRow& row, DType dtype, CaseBuilder& c) {
  const int arity = ir::Info(row.op).operands;
  const std::vector<std::vector<Shape>> from{{{3, 1}, {5}, {3, 5}}, {{}, {7}, {}}};
  const std::vector<Shape> to{{3, 5}, {7}};
  std::vector<std::vector<ir::Literal>> inputs;  // by emitted op
  std::vector<const Shape*> shapes;
  for (size_t n = 0; n < to.size(); ++n) {
    for (int first = 0; first < arity; ++first) {
      inputs.emplace_back();
      shapes.push_back(&to[n]);
      for (int k = 0; k < arity; ++k) {
        const Shape& shape = from[n][static_cast<size_t>((first + k) % arity)];
        inputs.back().push_back(Sample({dtype, shape}, row.domain, c.rng()));
      }
    }
  }
  std::vector<std::vector<ir::Value>> values(inputs.size());
  for (size_t n = 0; n < inputs.size(); ++n) {
    for (const ir::Literal& l : inputs[n]) values[n].push_back(c.Input(l));
  }
  for (size_t n = 0; n < values.size(); ++n) {
    for (ir::Value& v : values[n]) v = c.b().BroadcastTo(v, *shapes[n]);
    c.Emit(values[n]);
  }
  c.Tolerate(Allowed(row, dtype));
  c.Differentiable(IsSmooth(row, dtype));
  return c.Build();
}

// All operands are broadcast along the last axis: the op leaves the loop over it, also one that
// splits its block.
OpCase RowsCase(const OpRow& row, DType dtype, CaseBuilder& c) {
  const std::vector<Shape> from{{3, 1}, {1}}, to{{3, 100}, {2, 3}};
  std::vector<std::vector<ir::Value>> values(to.size());
  for (size_t n = 0; n < to.size(); ++n) {
    Operands operands;
    for (int k = 0; k < ir::Info(row.op).operands; ++k) {
      operands.push_back(Sample({dtype, from[n]}, row.domain, c.rng()));
    }
    Separate(row.op, operands, c.rng());
    for (const ir::Literal& l : operands) values[n].push_back(c.Input(l));
  }
  for (size_t n = 0; n < to.size(); ++n) {
    for (ir::Value& v : values[n]) v = c.b().BroadcastTo(v, to[n]);
    c.Emit(values[n]);
  }
  c.Tolerate(Allowed(row, dtype));
  c.Differentiable(IsSmooth(row, dtype));
  return c.Build();
}

}  // namespace

// Per dtype: many shapes; special values (all pairs for two operands); random bit patterns.
void MakeElementwiseCases(const OpRow& row, std::vector<OpCase>* cases) {
  const int arity = ir::Info(row.op).operands;
  for (DType dtype : row.dtypes) {
    const auto add = [&](std::string_view what, auto make_lists) {
      CaseBuilder c(row.op, StrCat(Name(dtype), " ", what));
      cases->push_back(MakeCase(row, dtype, what, c, make_lists(c.rng())));
    };
    add("shapes", [&](Rng& rng) {
      std::vector<Operands> lists;
      for (const Shape& shape : ShapesOf(dtype)) {
        Operands operands;
        for (int n = 0; n < arity; ++n) operands.push_back(Sample({dtype, shape}, row.domain, rng));
        Separate(row.op, operands, rng);
        lists.push_back(std::move(operands));
      }
      return lists;
    });
    if (dtype == kFloat32) {
      add(kLarge, [&](Rng& rng) {
        Operands operands;
        for (int n = 0; n < arity; ++n) {
          operands.push_back(Sample({dtype, {kLargeSize}}, row.domain, rng));
        }
        Separate(row.op, operands, rng);
        return std::vector<Operands>{operands};
      });
    }
    if (arity > 1 && !HasKinks(row.op)) {
      CaseBuilder c(row.op, StrCat(Name(dtype), " broadcast"));
      cases->push_back(BroadcastCase(row, dtype, c));
    }
    if (dtype == kFloat32 || dtype == kFloat64) {
      CaseBuilder c(row.op, StrCat(Name(dtype), " rows"));
      cases->push_back(RowsCase(row, dtype, c));
    }
    add("special values", [&](Rng&) {
      if (arity == 1) return std::vector<Operands>{{SpecialValues(dtype)}};
      return std::vector<Operands>{{Pairs(dtype, 0), Pairs(dtype, 1)}};
    });
    add("random bits", [&](Rng& rng) {
      Operands operands;
      for (int n = 0; n < arity; ++n) operands.push_back(RandomBitPatterns(dtype, 2000, rng));
      return std::vector<Operands>{operands};
    });
  }
}

// From each dtype to all of the row's.
void MakeCastCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType from : row.dtypes) {
    CaseBuilder c(row.op, StrCat("from ", Name(from)));
    std::vector<ir::Value> inputs{c.Input({from, {}}, row.domain), c.Input({from, {3, 7}}, row.domain),
                                  c.Input({from, {0}}, row.domain), c.Input(SpecialValues(from)),
                                  c.Input(RandomBitPatterns(from, 1000, c.rng()))};
    for (DType to : RowOf(row.op).dtypes) {
      if (IsComplex(from) && !IsComplex(to)) continue;
      for (ir::Value x : inputs) c.Emit({x}, {{"dtype", to}});
    }
    cases->push_back(c.Build());
  }
}

// Between the dtypes of each size. No signalling NaN: the evaluator's doubles quiet it.
void MakeBitcastCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType from : row.dtypes) {
    CaseBuilder c(row.op, StrCat("from ", Name(from)));
    std::vector<ir::Value> inputs{c.Input({from, {}}, row.domain), c.Input({from, {3, 7}}, row.domain),
                                  c.Input({from, {0}}, row.domain), c.Input(SpecialValues(from))};
    for (DType to : RowOf(row.op).dtypes) {
      if (SizeOf(to) != SizeOf(from)) continue;
      for (ir::Value x : inputs) c.Emit({x}, {{"dtype", to}});
    }
    cases->push_back(c.Build());
  }
}

void MakeSelectCases(const OpRow& row, std::vector<OpCase>* cases) {
  for (DType dtype : row.dtypes) {
    CaseBuilder c(row.op, std::string(Name(dtype)));
    std::vector<std::vector<ir::Value>> lists;
    for (const Shape& shape : ShapesOf(dtype)) {
      lists.push_back({c.Input({kBool, shape}, row.domain), c.Input({dtype, shape}, row.domain),
                       c.Input({dtype, shape}, row.domain)});
    }
    for (const auto& operands : lists) c.Emit(operands);
    c.Differentiable(IsSmooth(row, dtype));
    cases->push_back(c.Build());

    CaseBuilder special(row.op, StrCat(Name(dtype), " special values"));
    const ir::Literal pairs = Pairs(dtype, 0);
    const ir::Value condition = special.Input({kBool, pairs.shape()}, row.domain), a = special.Input(pairs),
                    b = special.Input(Pairs(dtype, 1));
    special.Emit({condition, a, b});
    cases->push_back(special.Build());
  }
}

}  // namespace reel::optable
