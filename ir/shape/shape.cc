#include <algorithm>

#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
absl::Status CheckSymbols(const InferContext& c, const Shape& shape) {
  for (Extent e : shape) {
    if (e.is_constant()) continue;
    const size_t known = c.module ? c.module->symbols().size() : 0;
    if (static_cast<size_t>(e.symbol()) >= known) {
      return OpError(c.op, StrCat("shape ", shape.ToString(), " has a negative extent or an unknown symbol"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<TypeList> InferConstantRule(const InferContext& c) {
  return TypeList{c.attributes.Get<Literal>("value").type()};
}

absl::StatusOr<TypeList> InferReshapeRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const Shape& shape = c.attr_shape("shape");
  if (absl::Status s = CheckSymbols(c, shape); !s.ok()) return s;
  if (!FitsInMemory(shape)) return OpError(c.op, StrCat("shape ", shape.ToString(), " is too large"));
  // With symbols: the same symbols on both sides and the same product of constants.
  int64_t from = 1, to = 1;
  std::vector<int32_t> symbols;
  for (Extent e : x.shape) e.is_constant() ? (void)(from *= e.value()) : symbols.push_back(e.symbol());
  for (Extent e : shape) {
    if (e.is_constant()) {
      to *= e.value();
    } else {
      const auto at = std::find(symbols.begin(), symbols.end(), e.symbol());
      if (at == symbols.end()) return OpError(c.op, "symbolic extent appears out of nothing");
      symbols.erase(at);
    }
  }
  if (from != to || !symbols.empty()) {
    const std::string counts =
        x.shape.is_constant() && shape.is_constant() ? StrCat(": ", from, " and ", to) : std::string();
    return OpError(c.op, StrCat(x.ToString(), " does not have the number of elements of ", shape.ToString(), counts));
  }
  return TypeList{{x.dtype, shape}};
}

absl::StatusOr<TypeList> InferTransposeRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const auto& permutation = c.attr_ints("permutation");
  if (absl::Status s = CheckLength(c, "permutation", x.shape.rank()); !s.ok()) return s;
  if (absl::Status s = CheckAxes(c.op, "axis", permutation, x.shape.rank(), true); !s.ok()) return s;
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(x.shape[static_cast<int>(axis)]);
  return TypeList{{x.dtype, shape}};
}

// extent = ceil((limit - start) / stride), 0 <= start <= limit <= extent of the operand. A symbolic axis stays whole:
// start 0, limit -1, stride 1.
absl::StatusOr<TypeList> InferSliceRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const int rank = x.shape.rank();
  const auto &starts = c.attr_ints("starts"), &limits = c.attr_ints("limits"), &strides = c.attr_ints("strides");
  for (std::string_view name : {"starts", "limits", "strides"}) {
    if (absl::Status s = CheckLength(c, name, rank); !s.ok()) return s;
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const auto n = static_cast<size_t>(i);
    if (!x.shape[i].is_constant() && starts[n] == 0 && limits[n] == -1 && strides[n] == 1) {
      shape.push_back(x.shape[i]);
      continue;
    }
    const auto extent = NeedConstant(c.op, x.shape[i]);
    if (!extent.ok()) return extent.status();
    if (starts[n] < 0 || starts[n] > limits[n] || limits[n] > *extent || strides[n] < 1) {
      return OpError(c.op,
                     StrCat("axis ", i, " of ", x.ToString(), ": need 0 <= start <= limit <= ", *extent,
                            " and stride >= 1, got start ", starts[n], ", limit ", limits[n], ", stride ", strides[n]));
    }
    shape.push_back(limits[n] == starts[n] ? 0 : (limits[n] - starts[n] - 1) / strides[n] + 1);
  }
  return TypeList{{x.dtype, shape}};
}

absl::StatusOr<TypeList> InferBroadcastRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const Shape& shape = c.attr_shape("shape");
  const auto& axes = c.attr_ints("axes");
  if (absl::Status s = CheckSymbols(c, shape); !s.ok()) return s;
  if (absl::Status s = CheckLength(c, "axes", x.shape.rank()); !s.ok()) return s;
  if (absl::Status s = CheckAxes(c.op, "axis", axes, shape.rank()); !s.ok()) return s;
  for (int i = 0; i < x.shape.rank(); ++i) {
    const Extent from = x.shape[i], to = shape[static_cast<int>(axes[static_cast<size_t>(i)])];
    if (from != to && from != Extent(1)) {
      return OpError(c.op, StrCat("axis ", i, " of ", x.ToString(), " does not stretch to ", shape.ToString(),
                                  "; only extent 1 does"));
    }
  }
  return TypeList{{x.dtype, shape}};
}

// extent = low + high + n + max(n - 1, 0) * interior.
absl::StatusOr<TypeList> InferPadRule(const InferContext& c) {
  const Type &x = c.operand(0), &value = c.operand(1);
  const int rank = x.shape.rank();
  if (value.dtype != x.dtype || value.shape.rank() != 0) {
    return OpError(c.op, StrCat("padding value must be ", Name(x.dtype), "[], got ", value.ToString()));
  }
  const auto &low = c.attr_ints("low"), &high = c.attr_ints("high"), &interior = c.attr_ints("interior");
  for (std::string_view name : {"low", "high", "interior"}) {
    if (absl::Status s = CheckLength(c, name, rank); !s.ok()) return s;
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const auto n = static_cast<size_t>(i);
    if (low[n] == 0 && high[n] == 0 && interior[n] == 0) {
      shape.push_back(x.shape[i]);
      continue;
    }
    const auto extent = NeedConstant(c.op, x.shape[i]);
    if (!extent.ok()) return extent.status();
    int64_t gaps = 0, total = 0;
    const auto error = [&](std::string_view what) {
      return OpError(c.op, StrCat("low ", low[n], ", high ", high[n], " and interior ", interior[n], " on axis ", i,
                                  " of ", x.ToString(), what));
    };
    if (low[n] < 0 || high[n] < 0 || interior[n] < 0) {
      return error(": padding is negative; slice instead");
    }
    if (__builtin_mul_overflow(std::max<int64_t>(*extent - 1, 0), interior[n], &gaps) ||
        __builtin_add_overflow(*extent, gaps, &total) || __builtin_add_overflow(total, low[n], &total) ||
        __builtin_add_overflow(total, high[n], &total)) {
      return error(": the padded extent overflows; pad less");
    }
    shape.push_back(total);
  }
  return TypeList{{x.dtype, shape}};
}

absl::StatusOr<TypeList> InferReverseRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const auto& axes = c.attr_ints("axes");
  if (absl::Status s = CheckAxes(c.op, "axis", axes, x.shape.rank()); !s.ok()) return s;
  for (int64_t axis : axes) {
    if (auto n = NeedConstant(c.op, x.shape[static_cast<int>(axis)]); !n.ok()) return n.status();
  }
  return TypeList{x};
}

absl::StatusOr<TypeList> InferIotaRule(const InferContext& c) {
  const Shape& shape = c.attr_shape("shape");
  const DType dtype = c.attributes.Get<DType>("dtype");
  if (absl::Status s = CheckSymbols(c, shape); !s.ok()) return s;
  if (dtype == kBool || IsComplex(dtype)) {
    return OpError(c.op, StrCat("dtype must be a real number, got ", Name(dtype), "; take i32 and cast it"));
  }
  if (auto axis = CheckAxis(c.op, "axis", c.attr_int("axis"), shape.rank()); !axis.ok()) return axis.status();
  return TypeList{{dtype, shape}};
}

}  // namespace reel::ir
