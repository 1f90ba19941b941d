#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

absl::Status SameTypes(const InferContext& c, int from) {
  for (size_t i = static_cast<size_t>(from) + 1; i < c.operands.size(); ++i) {
    const Type &a = c.operand(from), &b = c.operands[i];
    if (a.dtype != b.dtype) {
      return OpError(c.op,
                     StrCat("operand dtypes differ: ", a.ToString(), " and ", b.ToString(), "; cast one of them"));
    }
    if (a.shape != b.shape) {
      return OpError(c.op,
                     StrCat("operand shapes differ: ", a.ToString(), " and ", b.ToString(), "; broadcast one of them"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TypeList> InferSameTypeRule(const InferContext& c) {
  if (absl::Status s = SameTypes(c, 0); !s.ok()) return s;
  return TypeList{c.operand(0)};
}

absl::StatusOr<TypeList> InferCompareRule(const InferContext& c) {
  if (absl::Status s = SameTypes(c, 0); !s.ok()) return s;
  return TypeList{{kBool, c.operand(0).shape}};
}

absl::StatusOr<TypeList> InferSelectRule(const InferContext& c) {
  if (absl::Status s = SameTypes(c, 1); !s.ok()) return s;
  if (c.operand(0).shape != c.operand(1).shape) {
    return OpError(c.op, StrCat("condition ", c.operand(0).ToString(), " and values ", c.operand(1).ToString(),
                                " differ in shape; broadcast one of them"));
  }
  return TypeList{c.operand(1)};
}

absl::StatusOr<TypeList> InferCastRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const DType dtype = c.attributes.Get<DType>("dtype");
  if (IsComplex(x.dtype) && !IsComplex(dtype)) {
    return OpError(c.op,
                   StrCat(x.ToString(), " to ", Name(dtype), " would drop the imaginary part; use real, imag or abs"));
  }
  return TypeList{{dtype, x.shape}};
}

absl::StatusOr<TypeList> InferBitcastRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const DType to = c.attributes.Get<DType>("dtype");
  if (to == kBool || IsComplex(to) || IsComplex(x.dtype)) {
    return OpError(c.op, StrCat(x.ToString(), " to ", Name(to),
                                ": bool and complex numbers have no bits to reinterpret; Cast, or "
                                "take the real and imaginary parts"));
  }
  if (SizeOf(to) != SizeOf(x.dtype)) {
    return OpError(c.op, StrCat(x.ToString(), " has ", SizeOf(x.dtype), " bytes an element, ", Name(to), " has ",
                                SizeOf(to), "; choose a dtype of the same size"));
  }
  return TypeList{{to, x.shape}};
}

}  // namespace reel::ir
