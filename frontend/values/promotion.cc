#include "frontend/values/promotion.h"

#include <algorithm>
#include <optional>

#include "frontend/eager/dispatch.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/weak_numbers.h"
#include "ir/strings.h"
#include "runtime/per_thread.h"

// Promotion (array API table, C++ numbers weak) and broadcasting (NumPy's rule).

namespace reel::internal {
namespace {

enum class Kind { kBool, kInteger, kFloat, kComplex };

Kind KindOf(DType dtype) {
  if (dtype == kBool) return Kind::kBool;
  if (IsInteger(dtype)) return Kind::kInteger;
  return IsFloat(dtype) ? Kind::kFloat : Kind::kComplex;
}

// The array API's table (README.md): within one kind, the smallest dtype that holds both;
// nothing across kinds except float with complex.
std::optional<DType> PromoteTypes(DType a, DType b) {
  if (a == b) return a;
  const Kind ka = KindOf(a), kb = KindOf(b);
  if (ka == Kind::kInteger && kb == Kind::kInteger) {
    if (IsUnsigned(a) == IsUnsigned(b)) return SizeOf(a) > SizeOf(b) ? a : b;
    const DType s = IsUnsigned(a) ? b : a, u = IsUnsigned(a) ? a : b;
    if (u == kUInt64) return std::nullopt;
    if (SizeOf(s) > SizeOf(u)) return s;
    return u == kUInt8 ? kInt16 : u == kUInt16 ? kInt32 : kInt64;
  }
  if (ka == Kind::kFloat && kb == Kind::kFloat) {
    if (SizeOf(a) == SizeOf(b)) return kFloat32;  // f16 with bf16
    return SizeOf(a) > SizeOf(b) ? a : b;
  }
  const bool has_complex = ka == Kind::kComplex || kb == Kind::kComplex;
  const bool numbers = std::min(ka, kb) >= Kind::kFloat;
  if (!has_complex || !numbers) return std::nullopt;
  return SizeOf(a) > 8 || SizeOf(b) > 8 || a == kFloat64 || b == kFloat64 ? kComplex128 : kComplex64;
}

// The dtype that a weak number of this C++ type gives to a result that would be `strong`.
DType WithWeak(std::optional<DType> strong, DType weak) {
  const Kind kind = KindOf(weak);
  if (strong && KindOf(*strong) >= kind) return *strong;
  if (kind == Kind::kComplex) return strong == kFloat64 ? kComplex128 : kComplex64;
  return kind == Kind::kFloat ? kFloat32 : kind == Kind::kInteger ? kInt64 : kBool;
}

DType ResultType(ir::Op op, absl::Span<const Operand* const> operands) {
  std::optional<DType> strong;
  for (const Operand* x : operands) {
    if (x->weak()) continue;
    const DType dtype = x->type().dtype;
    const std::optional<DType> both = strong ? PromoteTypes(*strong, dtype) : dtype;
    if (!both) {
      ThrowInvalid(StrCat(ir::Name(op), ": dtypes ", Name(*strong), " and ", Name(dtype),
                          " do not mix; Cast one of the operands"));
    }
    strong = both;
  }
  std::optional<DType> result = strong;
  for (const Operand* x : operands) {
    if (x->weak()) result = WithWeak(result, x->type().dtype);
  }
  return *result;
}

}  // namespace

Tensor ScalarOf(DType dtype, double value) {
  if (dtype == kFloat32) return Tensor(static_cast<float>(value));
  return FromLiteral(ir::Literal::Scalar(dtype, value));
}

namespace {

// An error begins with the op's name, if there is one.
Tensor Convert(std::string_view op, const Operand& x, DType dtype) {
  if (!x.weak()) return x.tensor();
  const Tensor number = x.tensor();
  if (number.dtype() == dtype) return number;
  if (IsComplex(number.dtype())) {
    const auto z = number.item<std::complex<double>>();
    return dtype == kComplex64 ? Tensor(static_cast<std::complex<float>>(z)) : Tensor(z);
  }
  if (!IsInteger(number.dtype())) return ScalarOf(dtype, number.item<double>());
  if (!IsInteger(dtype) && dtype != kBool) return ScalarOf(dtype, number.item<double>());
  const auto value = number.item<int64_t>();
  const ir::Literal literal = ir::Literal::ScalarInt(dtype, value);
  const bool negative = value < 0 && !IsUnsigned(number.dtype());
  const bool fits = literal.AsInt(0) == value && (IsUnsigned(dtype) ? !negative : value >= 0 || negative);
  if (IsInteger(dtype) && !fits) {
    ThrowInvalid(StrCat(op, op.empty() ? "" : ": ", "the number ", number.str(), " does not fit ", Name(dtype),
                        "; Cast the other operand to a wider dtype"));
  }
  return FromLiteral(literal);
}

}  // namespace

Tensor ConvertWeak(const Operand& x, DType dtype) { return Convert("", x, dtype); }

Tensor Materialize(const Operand& x) {
  return x.weak() ? ConvertWeak(x, WithWeak(std::nullopt, x.type().dtype)) : x.tensor();
}

Tensor NumberBeside(const Operand& x, DType strong) {
  return x.weak() ? ConvertWeak(x, WithWeak(strong, x.type().dtype)) : x.tensor();
}

std::vector<Tensor> NumbersBeside(std::span<const Operand> operands) {
  std::optional<DType> strong;
  for (const Operand& x : operands) {
    if (x.weak()) continue;
    const DType dtype = x.type().dtype;
    strong = strong ? PromoteTypes(*strong, dtype).value_or(*strong) : dtype;
  }
  std::vector<Tensor> out;
  for (const Operand& x : operands) out.push_back(strong ? NumberBeside(x, *strong) : Materialize(x));
  return out;
}

TensorList Promote(ir::Op op, absl::Span<const Operand* const> operands) {
  const DType dtype = ResultType(op, operands);
  TensorList out;
  for (const Operand* x : operands) {
    Tensor t = Convert(ir::Name(op), *x, dtype);
    if (t.dtype() != dtype) t = Dispatch(ir::Op::kCast, {t}, {{"dtype", dtype}});
    out.push_back(std::move(t));
  }
  return out;
}

namespace {

// "784", or a symbol's name.
std::string ExtentText(Extent e) {
  if (e.is_constant()) return StrCat(e.value());
  const TraceState* trace = State().trace;
  const auto i = static_cast<size_t>(e.symbol());
  return trace && i < trace->module->symbols().size() ? trace->module->symbols()[i].name : "a symbol";
}

}  // namespace

Shape BroadcastShapes(ir::Op op, const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape out;
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank()), ib = i - (rank - b.rank());
    const Extent ea = ia < 0 ? Extent(1) : a[ia], eb = ib < 0 ? Extent(1) : b[ib];
    if (ea != eb && ea != Extent(1) && eb != Extent(1)) {
      ThrowInvalid(StrCat(ir::Name(op), ": shapes ", a.ToString(), " and ", b.ToString(), " do not broadcast: axis ",
                          i - rank, " has ", ExtentText(ea), " and ", ExtentText(eb),
                          "; one of them must be 1, or Reshape or Transpose an operand"));
    }
    out.push_back(ea == Extent(1) ? eb : ea);
  }
  return out;
}

Tensor BroadcastTensor(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (x.rank() == 0) {  // a number: mostly to the shape of the number before
    struct Last {
      Shape shape;
      AttributesPtr attributes;
    };
    Last& last = runtime::PerThread<Last>();
    if (!last.attributes || last.shape != shape)
      last = {shape, std::make_shared<const ir::Attributes>(
                         ir::Attributes{{"axes", std::vector<int64_t>{}}, {"shape", shape}})};
    return std::move(DispatchAll(ir::Op::kBroadcast, last.attributes, {&x, 1})[0]);
  }
  std::vector<int64_t> axes;
  for (int i = 0; i < x.rank(); ++i) axes.push_back(shape.rank() - x.rank() + i);
  return Dispatch(ir::Op::kBroadcast, {x}, {{"axes", axes}, {"shape", shape}});
}

void BroadcastTogether(ir::Op op, absl::Span<Tensor> operands) {
  Shape shape = operands[0].shape();
  for (const Tensor& x : operands.subspan(1)) shape = BroadcastShapes(op, shape, x.shape());
  for (Tensor& x : operands) x = BroadcastTensor(x, shape);
}

int64_t NormalizeAxis(const char* op, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    ThrowInvalid(StrCat(op, ": axis ", axis, " is out of range for rank ", rank, "; use -", rank, " to ", rank - 1));
  }
  return axis < 0 ? axis + rank : axis;
}

}  // namespace reel::internal
