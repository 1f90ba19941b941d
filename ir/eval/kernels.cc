#include "ir/eval/kernels.h"

#include <algorithm>
#include <cmath>

#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

constexpr Kernel kKernels[] = {
#define OP(Enum, ...) Eval##Enum,
#include "ir/ops.def"
#undef OP
};

}  // namespace

absl::StatusOr<std::vector<EvalTensor>> RunKernel(const KernelContext& c) {
  auto out = kKernels[static_cast<size_t>(c.op)](c);
  if (!out.ok()) return out.status();
  for (EvalTensor& t : out->tensors) {
    if (!c.options.round_each_op) break;
    const DType dtype = RealOf(t.type.dtype);
    for (double& x : t.f) x = RoundTo(dtype, x);
    for (auto& z : t.c) z = {RoundTo(dtype, z.real()), RoundTo(dtype, z.imag())};
  }
  return std::move(out->tensors);
}

EvalTensor ZeroTensor(const Type& type) {
  EvalTensor out{type, {}, {}};
  const auto n = static_cast<size_t>(type.shape.size());
  if (IsComplex(type.dtype)) {
    out.c.resize(n);
  } else if (IsFloat(type.dtype)) {
    out.f.resize(n);
  } else {
    out.i.resize(n);
  }
  return out;
}

absl::StatusOr<EvalTensor> FromLiteral(const Literal& literal) {
  EvalTensor out = ZeroTensor(literal.type());
  for (size_t k = 0; k < out.f.size(); ++k) out.f[k] = literal.AsDouble(static_cast<int64_t>(k));
  for (size_t k = 0; k < out.i.size(); ++k) out.i[k] = literal.AsInt(static_cast<int64_t>(k));
  for (size_t k = 0; k < out.c.size(); ++k) {
    out.c[k] = literal.dtype() == kComplex64 ? std::complex<double>(literal.data<std::complex<float>>()[k])
                                             : literal.data<std::complex<double>>()[k];
  }
  return out;
}

namespace {

template <typename T, typename From>
Literal Pack(const Type& type, const std::vector<From>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (size_t k = 0; k < values.size(); ++k) {
    const T value = static_cast<T>(values[k]);
    __builtin_memcpy(bytes.data() + k * sizeof(T), &value, sizeof(T));
  }
  return Literal(type, std::move(bytes));
}

}  // namespace

Literal ToLiteral(const EvalTensor& t) {
  switch (t.type.dtype) {
    case kBool: return Pack<uint8_t>(t.type, t.i);
    case kInt8: return Pack<int8_t>(t.type, t.i);
    case kInt16: return Pack<int16_t>(t.type, t.i);
    case kInt32: return Pack<int32_t>(t.type, t.i);
    case kInt64: return Pack<int64_t>(t.type, t.i);
    case kUInt8: return Pack<uint8_t>(t.type, t.i);
    case kUInt16: return Pack<uint16_t>(t.type, t.i);
    case kUInt32: return Pack<uint32_t>(t.type, t.i);
    case kUInt64: return Pack<uint64_t>(t.type, t.i);
    case kFloat16: return Pack<Float16>(t.type, t.f);
    case kBFloat16: return Pack<BFloat16>(t.type, t.f);
    case kFloat32: return Pack<float>(t.type, t.f);
    case kFloat64: return Pack<double>(t.type, t.f);
    case kComplex64: return Pack<std::complex<float>>(t.type, t.c);
    case kComplex128: return Pack<std::complex<double>>(t.type, t.c);
  }
  return {};
}

int64_t Wrap(DType dtype, uint64_t bits) {
  switch (dtype) {
    case kBool: return static_cast<int64_t>(bits & 1);
    case kInt8: return static_cast<int8_t>(bits);
    case kInt16: return static_cast<int16_t>(bits);
    case kInt32: return static_cast<int32_t>(bits);
    case kUInt8: return static_cast<uint8_t>(bits);
    case kUInt16: return static_cast<uint16_t>(bits);
    case kUInt32: return static_cast<uint32_t>(bits);
    default: return static_cast<int64_t>(bits);
  }
}

int64_t OrderOf(DType dtype, int64_t x) { return dtype == kUInt64 ? x ^ std::numeric_limits<int64_t>::min() : x; }

double ToDouble(DType dtype, int64_t x) {
  return dtype == kUInt64 ? static_cast<double>(static_cast<uint64_t>(x)) : static_cast<double>(x);
}

double RoundTo(DType dtype, double x) {
  switch (dtype) {
    case kFloat16: return Float16(x);
    case kBFloat16: return BFloat16(x);
    case kFloat32: return static_cast<float>(x);
    default: return x;
  }
}

double Maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double Minimum(double a, double b) { return -Maximum(-a, -b); }

std::vector<int64_t> Offsets(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides, int64_t base) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return {};  // the others may be huge
  std::vector<int64_t> out{base};
  for (size_t k = 0; k < dims.size(); ++k) {  // each axis multiplies the list, the last one varies fastest
    std::vector<int64_t> next;
    next.reserve(out.size() * static_cast<size_t>(dims[k]));
    for (int64_t offset : out) {
      for (int64_t n = 0; n < dims[k]; ++n) next.push_back(offset + n * strides[k]);
    }
    out = std::move(next);
  }
  return out;
}

absl::StatusOr<std::vector<EvalTensor>> EvaluateNode(Op op, const Attributes& attributes,
                                                     absl::Span<const EvalTensor> operands,
                                                     const EvalOptions& options) {
  TypeList types;
  std::vector<const EvalTensor*> pointers;
  int64_t bytes = 0;
  for (const EvalTensor& t : operands) {
    types.push_back(t.type);
    pointers.push_back(&t);
    bytes += t.bytes();
  }
  const auto results = InferTypes({op, types, attributes, nullptr});
  if (!results.ok()) return results.status();
  for (const Type& type : *results) {
    if (!type.shape.is_constant()) return OpError(op, "the evaluator needs constant extents");
    if (BytesOf(type) > options.max_bytes - bytes) {
      return absl::ResourceExhaustedError(StrCat(Name(op), ": ", type.ToString(), " exceeds the memory budget"));
    }
    bytes += BytesOf(type);
  }
  return RunKernel({op, attributes, pointers, *results, options});
}

}  // namespace reel::ir
