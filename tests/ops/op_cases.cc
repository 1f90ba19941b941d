#include "tests/ops/op_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "ir/eval/eval.h"
#include "ir/strings.h"

namespace reel::optable {
namespace {

const std::vector<DType> kAll{kFloat32, kFloat64, kInt32, kInt64, kBool};
const std::vector<DType> kNumbers{kFloat32, kFloat64, kInt32, kInt64};
const std::vector<DType> kFloats{kFloat32, kFloat64};
const std::vector<DType> kIntegers{kInt32, kInt64};
const std::vector<DType> kBits{kBool, kInt32, kInt64};
const std::vector<DType> kLong{kInt64};

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
static_assert(std::size(kRowOps) == std::size(kOps),
              "op_cases.def lacks a row for an op of ops.def");
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

template <typename T>
std::vector<double> FloatSpecials() {
  using L = std::numeric_limits<T>;
  const double inf = L::infinity(), tiny = L::denorm_min(), least = L::min(), most = L::max();
  const double bits = std::ldexp(1.0, L::digits);  // first integer with a gap above it
  std::vector<double> out{std::numeric_limits<double>::quiet_NaN()};
  for (double x : {inf,
                   0.0,
                   tiny,
                   3 * tiny,
                   least - tiny,
                   least,
                   1e-20,
                   L::epsilon() / 2.0,
                   0.5,
                   1.0,
                   1 + double{L::epsilon()},
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
                   most}) {
    out.push_back(x);
    out.push_back(-x);
  }
  return out;
}

template <typename T>
std::vector<int64_t> IntSpecials() {
  using L = std::numeric_limits<T>;
  return {L::min(), L::min() + 1, -65537, -3,    -1,           0,       1, 2, 7, 31,
          32,       63,           64,     65537, L::max() - 1, L::max()};
}

}  // namespace

bool IsSmooth(const OpRow& row, DType dtype) {
  return row.differentiable && (dtype == kFloat32 || dtype == kFloat64);
}

const OpRow& RowOf(ir::Op op) { return Table()[static_cast<size_t>(op)]; }

std::vector<OpCase> CasesFor(ir::Op op) {
  std::vector<OpCase> cases;
  RowOf(op).make(RowOf(op), &cases);
  return cases;
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
    if (IsFloat(type.dtype)) {
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
  return MakeLiteral(type, values);
}

ir::Literal SpecialValues(DType dtype) {
  const auto floats = [&](const std::vector<double>& v) {
    return MakeLiteral({dtype, {static_cast<int64_t>(v.size())}}, v);
  };
  const auto ints = [&](const std::vector<int64_t>& v) {
    return MakeIntLiteral({dtype, {static_cast<int64_t>(v.size())}}, v);
  };
  switch (dtype) {
    case kFloat32:
      return floats(FloatSpecials<float>());
    case kFloat64:
      return floats(FloatSpecials<double>());
    case kInt32:
      return ints(IntSpecials<int32_t>());
    case kInt64:
      return ints(IntSpecials<int64_t>());
    default:
      return ints({0, 1});
  }
}

std::string Text(const Type& type) { return type.ToString(); }

std::string Text(const std::vector<int64_t>& values) {
  std::string out;
  for (int64_t v : values) StrAppend(&out, out.empty() ? "" : ",", v);
  return out;
}

ir::Literal RandomBitPatterns(DType dtype, int64_t count, Rng& rng) {
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
  const ir::Value v =
      function_.AddParameter(StrCat("x", function_.num_parameters()), literal.type());
  case_.inputs.push_back(std::move(literal));
  return v;
}

ir::Value CaseBuilder::Input(const Type& type, const Domain& domain) {
  return Input(Sample(type, domain, rng_));
}

ir::Value CaseBuilder::InputInts(DType dtype, const Shape& shape,
                                 const std::vector<int64_t>& values) {
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
