#include "tests/ops/op_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "ir/eval/eval.h"
#include "ir/strings.h"

namespace reel::optable {
namespace {

// The dtypes of a set of ops.def, in the order of the enum.
std::vector<DType> DTypesOf(ir::DTypeSet set) {
  std::vector<DType> out;
  for (int n = 0; n < kNumDTypes; ++n) {
    const auto dtype = static_cast<DType>(n);
    if (ir::Contains(set, dtype)) out.push_back(dtype);
  }
  return out;
}
const std::vector<DType> kAll = DTypesOf(ir::DTypeSet::kAny);
const std::vector<DType> kNumbers = DTypesOf(ir::DTypeSet::kNumeric);
const std::vector<DType> kReals = DTypesOf(ir::DTypeSet::kReal);
const std::vector<DType> kOrdered = DTypesOf(ir::DTypeSet::kOrdered);
const std::vector<DType> kComplexes = DTypesOf(ir::DTypeSet::kComplex);
const std::vector<DType> kFloats = DTypesOf(ir::DTypeSet::kFloating);
const std::vector<DType> kWide = DTypesOf(ir::DTypeSet::kWide);
const std::vector<DType> kIntegers = DTypesOf(ir::DTypeSet::kIntegral);
const std::vector<DType> kBits = DTypesOf(ir::DTypeSet::kBits);
const std::vector<DType> kLong = DTypesOf(ir::DTypeSet::kLong);

// The table has exactly the ops of ops.def, in their order.
constexpr ir::Op kRowOps[] = {
#define ROW(Enum, ...) ir::Op::k##Enum,
#include "tests/ops/op_cases.def"
#undef ROW
};
constexpr ir::Op kOps[] = {
#define OP(Enum, ...) ir::Op::k##Enum,
#include "ir/ops.def"
#undef OP
};
static_assert(std::size(kRowOps) == std::size(kOps), "op_cases.def lacks a row for an op of ops.def");
static_assert(std::equal(std::begin(kRowOps), std::end(kRowOps), std::begin(kOps)),
              "the rows of op_cases.def are not in the order of ops.def");

const std::vector<OpRow>& Table() {
  static const auto* table = new std::vector<OpRow>{
#define ROW(Enum, Family, dtypes, domain, ulps, differentiable) \
  {ir::Op::k##Enum, Make##Family##Cases, dtypes, domain, ulps, differentiable},
#include "tests/ops/op_cases.def"
#undef ROW
  };
  return *table;
}

// FNV-1a: the same inputs in every run and on every machine.
uint64_t Hash(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (char c : text) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return h;
}

// In [0, 1); std::uniform_real_distribution differs between libraries.
double Unit(Rng& rng) { return std::ldexp(static_cast<double>(rng() >> 11), -53); }

std::vector<double> FloatSpecials(DType dtype) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto [epsilon, least, tiny, most] = FormatOf(dtype);
  const double bits = 2 / epsilon;  // first integer with a gap above it
  std::vector<double> out{std::numeric_limits<double>::quiet_NaN()};
  for (double x : {inf,
                   0.0,
                   tiny,
                   3 * tiny,
                   least - tiny,
                   least,
                   1e-20,
                   epsilon / 2.0,
                   0.5,
                   1.0,
                   1 + epsilon,
                   1.5,
                   2.5,
                   10.0,
                   88.0,
                   710.0,
                   32.0,
                   bits - 1,
                   bits,
                   2147483647.0,
                   9223372036854775808.0,
                   1e30,
                   65504.0,
                   65520.0,
                   1 + epsilon / 2,
                   1 + 1.5 * epsilon,
                   most}) {
    out.push_back(x);
    out.push_back(-x);
  }
  return out;
}

// Pairs of parts. None so large or small that a product leaves the format: there the reference, in double, goes on.
ir::Literal ComplexSpecials(DType dtype) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> parts{0.0, -0.0, 1, -1.5, 1e-4, 3e4, inf, -inf, nan};
  ir::EvalTensor t{{dtype, {static_cast<int64_t>(parts.size() * parts.size())}}, {}, {}};
  for (double re : parts) {
    for (double im : parts) t.c.emplace_back(re, im);
  }
  return ir::ToLiteral(t);
}

std::vector<int64_t> IntSpecials(DType dtype) {
  const int64_t low = LowestInt(dtype), high = HighestInt(dtype);
  return {low, low + 1, -65537, -3,  -1,  0,   1,   2,     7,     8,     15,           16,       31,
          32,  63,      64,     127, 128, 255, 256, 32767, 32768, 65537, high / 2 + 1, high - 1, high};
}

}  // namespace

bool IsSmooth(const OpRow& row, DType dtype) { return row.differentiable && IsDifferentiable(dtype) && !IsHalf(dtype); }

const OpRow& RowOf(ir::Op op) { return Table()[static_cast<size_t>(op)]; }

bool IsMain(DType dtype) {
  return dtype == kBool || dtype == kInt32 || dtype == kInt64 || dtype == kFloat32 || dtype == kFloat64;
}

bool IsSampled(DType dtype, size_t n, size_t count) {
  const size_t stride = std::max<size_t>(1, count / 4);
  return IsMain(dtype) || n % stride == static_cast<size_t>(dtype) % stride;
}

// The main dtypes with all their cases, the others with a sample of the same ones.
std::vector<OpCase> CasesFor(ir::Op op) {
  std::vector<OpCase> cases;
  OpRow row = RowOf(op);
  std::erase_if(row.dtypes, [](DType dtype) { return !IsMain(dtype); });
  row.make(row, &cases);
  for (DType dtype : RowOf(op).dtypes) {
    if (IsMain(dtype)) continue;
    row.dtypes = {dtype};
    std::vector<OpCase> all;
    row.make(row, &all);
    for (size_t n = 0; n < all.size(); ++n) {
      const bool special = all[n].name.find("special") != std::string::npos;
      if (special || IsSampled(dtype, n, all.size())) cases.push_back(std::move(all[n]));
    }
  }
  return cases;
}

Tolerance OfSum(DType dtype, double terms) {
  if (IsComplex(dtype)) return {0, 2 * terms + 2};  // a product is a sum of two
  if (!IsHalf(dtype)) return {0, terms};
  return {0.5, 1.01 * terms * FormatOf(kFloat32).epsilon / FormatOf(dtype).epsilon};
}

FloatFormat FormatOf(DType dtype) {
  switch (RealOf(dtype)) {
    case kFloat16: return {0x1p-10, 0x1p-14, 0x1p-24, 65504};
    case kBFloat16: return {0x1p-7, 0x1p-126, 0x1p-133, 0x1.FEp127};
    case kFloat32: return {0x1p-23, 0x1p-126, 0x1p-149, 0x1.FFFFFEp127};
    default: return {0x1p-52, 0x1p-1022, 0x1p-1074, std::numeric_limits<double>::max()};
  }
}

double Domain::Sample(Rng& rng) const {
  for (;;) {
    const double x = low + (high - low) * Unit(rng);
    double distance = x - kink;
    if (period > 0) distance -= period * std::round(distance / period);
    if (std::fabs(distance) >= gap) return x;
  }
}

ir::Literal MakeLiteral(const Type& type, const std::vector<double>& values) {
  ir::EvalTensor t{type, {}, {}};
  for (double x : values) {
    if (IsComplex(type.dtype)) {
      t.c.emplace_back(x, x / 4 - 1);
    } else if (IsFloat(type.dtype)) {
      t.f.push_back(x);
    } else {
      t.i.push_back(type.dtype == kBool ? x > 0 : static_cast<int64_t>(x));
    }
  }
  return ir::ToLiteral(t);
}

ir::Literal MakeIntLiteral(const Type& type, const std::vector<int64_t>& values) {
  return ir::ToLiteral({type, {}, values});
}

ir::Literal Sample(const Type& type, const Domain& domain, Rng& rng) {
  std::vector<double> values(static_cast<size_t>(type.shape.size()));
  for (double& x : values) x = domain.Sample(rng);
  if (!IsComplex(type.dtype)) return MakeLiteral(type, values);
  ir::EvalTensor t{type, {}, {}};
  for (double x : values) t.c.emplace_back(x, domain.Sample(rng));
  return ir::ToLiteral(t);
}

ir::Literal SpecialValues(DType dtype) {
  const auto floats = [&](const std::vector<double>& v) {
    return MakeLiteral({dtype, {static_cast<int64_t>(v.size())}}, v);
  };
  const auto ints = [&](const std::vector<int64_t>& v) {
    return MakeIntLiteral({dtype, {static_cast<int64_t>(v.size())}}, v);
  };
  switch (dtype) {
    case kBool: return ints({0, 1});
    case kComplex64:
    case kComplex128: return ComplexSpecials(dtype);
    default: return IsFloat(dtype) ? floats(FloatSpecials(dtype)) : ints(IntSpecials(dtype));
  }
}

std::string Text(const Type& type) { return type.ToString(); }

std::string Text(const std::vector<int64_t>& values) {
  std::string out;
  for (int64_t v : values) StrAppend(&out, out.empty() ? "" : ",", v);
  return out;
}

ir::Literal RandomBitPatterns(DType dtype, int64_t count, Rng& rng) {
  if (IsComplex(dtype)) return Sample({dtype, {count}}, Domain{-100, 100}, rng);
  std::vector<std::byte> bytes(static_cast<size_t>(count * SizeOf(dtype)));
  for (std::byte& b : bytes) b = static_cast<std::byte>(dtype == kBool ? rng() & 1 : rng() & 255);
  return ir::Literal({dtype, {count}}, std::move(bytes));
}

CaseBuilder::CaseBuilder(ir::Op op, std::string name)
    : rng_(Hash(name)), function_("main"), builder_(&function_, &case_.module) {
  case_.op = op;
  case_.name = StrCat(ir::Name(op), " ", name);
}

ir::Value CaseBuilder::Input(ir::Literal literal) {
  const ir::Value v = function_.AddParameter(StrCat("x", function_.num_parameters()), literal.type());
  case_.inputs.push_back(std::move(literal));
  return v;
}

ir::Value CaseBuilder::Input(const Type& type, const Domain& domain) { return Input(Sample(type, domain, rng_)); }

ir::Value CaseBuilder::InputInts(DType dtype, const Shape& shape, const std::vector<int64_t>& values) {
  return Input(MakeIntLiteral({dtype, shape}, values));
}

ir::ValueList CaseBuilder::Emit(absl::Span<const ir::Value> operands, ir::Attributes attributes) {
  const ir::ValueList out = builder_.EmitAll(case_.op, operands, std::move(attributes));
  results_.insert(results_.end(), out.begin(), out.end());
  return out;
}

OpCase CaseBuilder::Build() {
  if (!builder_.status().ok()) {  // a row of the table is wrong: say which
    throw std::logic_error(StrCat(case_.name, ": ", builder_.status().message()));
  }
  function_.SetResults(results_);
  case_.module.AddFunction(std::move(function_));
  return std::move(case_);
}

}  // namespace reel::optable
