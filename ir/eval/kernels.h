#ifndef REEL_IR_EVAL_KERNELS_H_
#define REEL_IR_EVAL_KERNELS_H_

#include "ir/eval/eval.h"

// Private to ir/eval/: one kernel per op of ops.def, by family as in ir/shape/. A forgotten kernel
// is a link error.

namespace reel::ir {

/// What a kernel sees: checked operands and the results' types, whose shapes are constant.
struct KernelContext {
  KernelContext(Op op_, const Attributes& attributes_, absl::Span<const EvalTensor* const> operands_,
                absl::Span<const Type> results_, const EvalOptions& options_)
      : op(op_),
        attributes(attributes_),
        operands(operands_),
        results(results_),
        result(results_[0]),
        options(options_) {}

  Op op;
  const Attributes& attributes;
  absl::Span<const EvalTensor* const> operands;
  absl::Span<const Type> results;
  const Type& result;  ///< the first
  const EvalOptions& options;

  const EvalTensor& operand(int n) const { return *operands[static_cast<size_t>(n)]; }
  int64_t attr_int(std::string_view name) const { return attributes.Get<int64_t>(name); }
  const std::vector<int64_t>& attr_ints(std::string_view name) const {
    return attributes.Get<std::vector<int64_t>>(name);
  }
};

/// What a kernel returns: one tensor, or several.
struct KernelResults {
  KernelResults(EvalTensor tensor) { tensors.push_back(std::move(tensor)); }  // NOLINT: implicit
  KernelResults(std::vector<EvalTensor> list) : tensors(std::move(list)) {}  // NOLINT: implicit
  std::vector<EvalTensor> tensors;
};
using Kernel = absl::StatusOr<KernelResults> (*)(const KernelContext&);
#define KERNEL(Enum) absl::StatusOr<KernelResults> Eval##Enum([[maybe_unused]] const KernelContext& c)
#define OP(Enum, ...) KERNEL(Enum);
#include "ir/ops.def"
#undef OP

/// Looks up the op's kernel and runs it.
absl::StatusOr<std::vector<EvalTensor>> RunKernel(const KernelContext& context);

/// After so many sweeps eigh and svd stop.
inline constexpr int kMaxJacobiSweeps = 60;

/// What a tensor of the type holds, see EvalTensor::bytes().
inline int64_t BytesOf(const Type& type) { return type.shape.size() * (IsComplex(type.dtype) ? 16 : 8); }

/// a b: the bits of integers, which Wrap() takes; complex numbers written out, since the library
/// treats infinities in a way of its own.
struct Product {
  using Z = std::complex<double>;
  double operator()(double a, double b) const { return a * b; }
  Z operator()(Z a, Z b) const {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  uint64_t operator()(int64_t a, int64_t b) const { return static_cast<uint64_t>(a) * static_cast<uint64_t>(b); }
};

/// `bits` as a value of an integer dtype or bool: two's complement.
int64_t Wrap(DType dtype, uint64_t bits);
/// A number that orders the values of an integer dtype as int64_t: for u64, whose values are held as
/// bits, not the value itself.
int64_t OrderOf(DType dtype, int64_t x);
/// The value of an integer dtype as a double.
double ToDouble(DType dtype, int64_t x);
/// x rounded once to a float dtype, to nearest even.
double RoundTo(DType dtype, double x);
/// IEEE 754-2019 maximum and minimum: NaN wins, -0 < +0.
double Maximum(double a, double b);
double Minimum(double a, double b);

/// The offset sum(index[k] * strides[k]) + base of every index below `dims`, in row-major order.
std::vector<int64_t> Offsets(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides, int64_t base = 0);

/// Calls f(vector of operand n, vector of result) with the element storage of the result's dtype,
/// which the operand must share.
template <typename F>
EvalTensor WithStorage(const KernelContext& c, int n, F f) {
  EvalTensor out = ZeroTensor(c.result);
  if (IsComplex(c.result.dtype)) {
    f(c.operand(n).c, out.c);
  } else if (IsFloat(c.result.dtype)) {
    f(c.operand(n).f, out.f);
  } else {
    f(c.operand(n).i, out.i);
  }
  return out;
}

}  // namespace reel::ir

#endif  // REEL_IR_EVAL_KERNELS_H_
