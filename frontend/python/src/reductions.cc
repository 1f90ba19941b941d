#include "reel/reductions.h"

#include <algorithm>
#include <cmath>

#include "bind.h"
#include "reel/indexing.h"
#include "register.h"

// Sums, means, extremes and running sums, by the array API's names.

namespace reel::python {
namespace {

using Reduction = Tensor (*)(const Operand&, const Axes&, ReduceOptions);

template <Reduction F>
Tensor Call(TensorLike x, AxisLike axis, bool keepdims) {
  const Operand a = x.operand();
  const Axes axes = axis.get();
  const Unlocked other_threads(Work(a));
  return F(a, axes, {.keepdims = keepdims});
}

template <Reduction F>
void Define(nb::module_& m, const char* name, const char* doc) {
  m.def(name, &Call<F>, "x"_a, "axis"_a = nb::none(), "keepdims"_a = false,
        nb::sig(Signature(name, "(x: TensorLike, /, axis: AxisLike | None = None, keepdims: bool = False) -> Tensor")
                    .c_str()),
        doc);
}

template <Reduction F>
void DefineWithMethod(nb::module_& m, const char* name, const char* doc) {
  Define<F>(m, name, doc);
  Method(
      name, ", axis: AxisLike | None = None, out: None = None, keepdims: bool = False", doc,
      [name](TensorLike x, AxisLike axis, nb::handle out, bool keepdims) {
        CheckOut(name, out);
        return Call<F>(x, axis, keepdims);
      },
      "axis"_a = nb::none(), "out"_a = nb::none(), "keepdims"_a = false);
}

// A method that can be told the dtype to compute in.
template <Tensor (*F)(TensorLike, AxisLike, DTypeLike, bool)>
void MethodWithDType(const char* name, const char* doc) {
  Method(
      name, ", axis: AxisLike | None = None, dtype: DTypeLike | None = None, out: None = None, keepdims: bool = False",
      doc,
      [name](TensorLike x, AxisLike axis, DTypeLike dtype, nb::handle out, bool keepdims) {
        CheckOut(name, out);
        return F(x, axis, dtype, keepdims);
      },
      "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(), "keepdims"_a = false);
}

// Sums and products of narrow integers are int64 (uint64), as the array API has it.
Operand Widened(const Operand& x) {
  const DType d = x.type().dtype;
  if (d == kBool || (IsInteger(d) && !IsUnsigned(d) && SizeOf(d) < 8)) return Operand(Cast(x, kInt64), {});
  if (IsUnsigned(d) && SizeOf(d) < 8) return Operand(Cast(x, kUInt64), {});
  return x;
}

template <Reduction F>
Tensor CallWide(TensorLike x, AxisLike axis, DTypeLike dtype, bool keepdims) {
  const std::optional<DType> wanted = dtype.get();
  const Operand a = wanted ? Operand(Cast(x.operand(), *wanted), {}) : Widened(x.operand());
  const Axes axes = axis.get();
  const Unlocked other_threads(Work(a));
  return F(a, axes, {.keepdims = keepdims});
}

Operand As(TensorLike x, std::optional<DType> wanted) {
  return wanted ? Operand(Cast(x.operand(), *wanted), {}) : x.operand();
}

Tensor MeanAs(TensorLike x, AxisLike axis, DTypeLike dtype, bool keepdims) {
  const Operand a = As(x, dtype.get());
  const Axes axes = axis.get();
  const Unlocked other_threads(Work(a));
  return ReduceMean(a, axes, {.keepdims = keepdims});
}

template <Reduction F>
void DefineWide(nb::module_& m, const char* name, const char* doc) {
  MethodWithDType<&CallWide<F>>(name, doc);
  m.def(name, &CallWide<F>, "x"_a, "axis"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(), "keepdims"_a = false,
        nb::sig(Signature(name,
                          "(x: TensorLike, /, axis: AxisLike | None = None, *, "
                          "dtype: DTypeLike | None = None, keepdims: bool = False) -> Tensor")
                    .c_str()),
        doc);
}

Tensor Truth(const Operand& x) { return x.type().dtype == kBool ? x.tensor() : NotEqual(x, 0); }
Tensor All(const Operand& x, const Axes& axes, ReduceOptions o) { return ReduceAll(Truth(x), axes, o); }
Tensor Any(const Operand& x, const Axes& axes, ReduceOptions o) { return ReduceAny(Truth(x), axes, o); }

// Squares divided by n - correction, which may be any number; std is its root.
using Spread = Tensor (*)(const Operand&, const Axes&, VarianceOptions);
template <Spread F, bool kRoot>
Tensor SpreadOf(const Operand& a, AxisLike axis, double correction, bool keepdims) {
  const Axes axes = axis.get();
  const Unlocked other_threads(Work(a) * 2);
  const auto whole = static_cast<int64_t>(correction);
  if (static_cast<double>(whole) == correction) return F(a, axes, {.keepdims = keepdims, .ddof = whole});
  const Tensor y = F(a, axes, {.keepdims = keepdims});
  const double n = static_cast<double>(a.type().shape.size()) / static_cast<double>(std::max<int64_t>(y.size(), 1));
  const double ratio = n / (n - correction);
  return Mul(y, kRoot ? std::sqrt(ratio) : ratio);
}

template <Spread F, bool kRoot>
void DefineSpread(nb::module_& m, const char* name, const char* doc) {
  Method(
      name,
      ", axis: AxisLike | None = None, dtype: DTypeLike | None = None, out: None = None, ddof: float = 0, "
      "keepdims: bool = False",
      Text({doc, "\n\n`ddof` is `correction` of the function."}).c_str(),
      [name](TensorLike x, AxisLike axis, DTypeLike dtype, nb::handle out, double ddof, bool keepdims) {
        CheckOut(name, out);
        return SpreadOf<F, kRoot>(As(x, dtype.get()), axis, ddof, keepdims);
      },
      "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none(), "ddof"_a = 0.0, "keepdims"_a = false);
  m.def(
      name,
      [](TensorLike x, AxisLike axis, double correction, bool keepdims) {
        return SpreadOf<F, kRoot>(x.operand(), axis, correction, keepdims);
      },
      "x"_a, "axis"_a = nb::none(), nb::kw_only(), "correction"_a = 0.0, "keepdims"_a = false,
      nb::sig(Signature(name,
                        "(x: TensorLike, /, axis: AxisLike | None = None, *, correction: float = 0, "
                        "keepdims: bool = False) -> Tensor")
                  .c_str()),
      doc);
}

template <Tensor (*F)(const Operand&, int64_t)>
Tensor ArgOf(TensorLike x, OptionalInt axis, bool keepdims) {
  const Operand a = x.operand();
  const int rank = a.type().shape.rank();
  const std::optional<int64_t> at = axis.get();
  const Unlocked other_threads(Work(a));
  if (at) {
    const Tensor y = F(a, *at);
    return keepdims ? ExpandDims(y, *at) : y;
  }
  const Tensor y = F(Reshape(a, {-1}), 0);
  return keepdims ? Reshape(y, std::vector<int64_t>(static_cast<size_t>(rank), 1)) : y;
}

template <Tensor (*F)(const Operand&, int64_t)>
void DefineArg(nb::module_& m, const char* name, const char* doc) {
  Method(
      name, ", axis: int | None = None, out: None = None, *, keepdims: bool = False", doc,
      [name](TensorLike x, OptionalInt axis, nb::handle out, bool keepdims) {
        CheckOut(name, out);
        return ArgOf<F>(x, axis, keepdims);
      },
      "axis"_a = nb::none(), "out"_a = nb::none(), nb::kw_only(), "keepdims"_a = false);
  m.def(
      name, &ArgOf<F>, "x"_a, "axis"_a = nb::none(), nb::kw_only(), "keepdims"_a = false,
      nb::sig(
          Signature(name, "(x: TensorLike, /, axis: int | None = None, *, keepdims: bool = False) -> Tensor").c_str()),
      doc);
}

using Running = Tensor (*)(const Operand&, int64_t, CumulativeOptions);

int64_t RunningAxis(std::optional<int64_t> axis, const Shape& shape) {
  if (!axis && shape.rank() != 1) ThrowInvalid("running sums of " + shape.ToString() + " need `axis`");
  return axis.value_or(0);
}

template <Running F>
void DefineRunning(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](TensorLike x, OptionalInt axis, bool exclusive, bool reverse) {
        const Operand a = x.operand();
        const int64_t at = RunningAxis(axis.get(), a.type().shape);
        const Unlocked other_threads(Work(a) * 4);
        return F(a, at, {.exclusive = exclusive, .reverse = reverse});
      },
      "x"_a, nb::kw_only(), "axis"_a = nb::none(), "exclusive"_a = false, "reverse"_a = false,
      nb::sig(Signature(name,
                        "(x: TensorLike, /, *, axis: int | None = None, "
                        "exclusive: bool = False, reverse: bool = False) -> Tensor")
                  .c_str()),
      doc);
}

// Sums (identity 0) and products (1): integers widen, and the identity may come first.
template <Running F, int kIdentity>
void DefineAccumulation(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](TensorLike x, OptionalInt axis, DTypeLike dtype, bool include_initial, bool exclusive, bool reverse) {
        const std::optional<DType> wanted = dtype.get();
        const Operand a = wanted ? Operand(Cast(x.operand(), *wanted), {}) : Widened(x.operand());
        const int64_t at = RunningAxis(axis.get(), a.type().shape);
        const Unlocked other_threads(Work(a) * 4);
        const Tensor y = F(a, at, {.exclusive = exclusive, .reverse = reverse});
        if (!include_initial) return y;
        const int64_t positive = at < 0 ? at + y.rank() : at;
        Shape first = y.shape();
        first.set(static_cast<int>(positive), 1);
        return Concat({Full(first, kIdentity, y.dtype()), y}, positive);
      },
      "x"_a, nb::kw_only(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "include_initial"_a = false,
      "exclusive"_a = false, "reverse"_a = false,
      nb::sig(Signature(name,
                        "(x: TensorLike, /, *, axis: int | None = None, dtype: DTypeLike | None = None, "
                        "include_initial: bool = False, exclusive: bool = False, reverse: bool = False) "
                        "-> Tensor")
                  .c_str()),
      doc);
}

// NumPy's cumsum and cumprod: of all elements in order without an axis.
template <Running F>
void MethodRunning(const char* name, const char* doc) {
  Method(
      name, ", axis: int | None = None, dtype: DTypeLike | None = None, out: None = None", doc,
      [name](TensorLike x, OptionalInt axis, DTypeLike dtype, nb::handle out) {
        CheckOut(name, out);
        const std::optional<DType> wanted = dtype.get();
        const Operand a = wanted ? As(x, wanted) : Widened(x.operand());
        const std::optional<int64_t> at = axis.get();
        const Unlocked other_threads(Work(a) * 4);
        return at ? F(a, *at, {}) : F(Reshape(a, {-1}), 0, {});
      },
      "axis"_a = nb::none(), "dtype"_a = nb::none(), "out"_a = nb::none());
}

}  // namespace

void RegisterReductions(nb::module_& m) {
  DefineWide<ReduceSum>(m, "sum",
                        "The sum over axes, all of them unless given. Gradient: dy at every element."
                        "\n\n>>> reel.sum([[1, 2], [3, 4]], axis=1)\nTensor([3, 7], dtype=int64)");
  DefineWide<ReduceProd>(m, "prod", "The product over axes; 1 if there is nothing.");
  Define<ReduceMean>(
      m, "mean",
      "The mean over axes, of floats. Gradient: dy / n at every element."
      "\n\n>>> reel.mean([[1.0, 2.0], [3.0, 6.0]], axis=0, keepdims=True)\nTensor([[2., 4.]], dtype=float32)");
  MethodWithDType<&MeanAs>("mean", "The mean over axes, of floats. Gradient: dy / n at every element.");
  MethodRunning<CumSum>("cumsum", "x[0] + ... + x[t] along an axis, or of all elements in order.");
  MethodRunning<CumProd>("cumprod", "x[0] * ... * x[t] along an axis, or of all elements in order.");
  DefineWithMethod<ReduceMax>(m, "max",
                              "The largest element over axes; ties share the gradient."
                              "\n\n>>> reel.max([[1, 7], [3, 4]], axis=1)\nTensor([7, 4], dtype=int64)");
  DefineWithMethod<ReduceMin>(m, "min", "The smallest element over axes; ties share the gradient.");
  DefineWithMethod<All>(m, "all", "Whether all elements are true (not 0).");
  DefineWithMethod<Any>(m, "any", "Whether any element is true (not 0).");
  Define<LogSumExp>(m, "logsumexp",
                    "log sum exp(x) over axes, without overflow."
                    "\n\n>>> reel.logsumexp([1000.0, 1000.0])\nTensor(1000.6932, dtype=float32)");
  Define<CountNonzero>(m, "count_nonzero", "Number (int64) of elements that are not 0.");
  DefineSpread<ReduceVariance, false>(m, "var",
                                      "Mean of the squared distances from the mean; divided by n - correction.");
  DefineSpread<ReduceStd, true>(m, "std",
                                "Square root of var; the derivative at 0 is 0."
                                "\n\n>>> reel.std([1.0, 3.0])\nTensor(1.0, dtype=float32)");
  DefineArg<ArgMax>(m, "argmax",
                    "Index (int64) of the first maximum along an axis, or of all elements."
                    "\n\n>>> reel.argmax([[1, 7], [3, 2]], axis=1)\nTensor([1, 0], dtype=int64)");
  DefineArg<ArgMin>(m, "argmin", "Index (int64) of the first minimum along an axis, or of all elements.");
  DefineAccumulation<CumSum, 0>(m, "cumulative_sum",
                                "x[0] + ... + x[t] along an axis."
                                "\n\n>>> reel.cumulative_sum([1, 2, 3])\nTensor([1, 3, 6], dtype=int64)");
  DefineAccumulation<CumProd, 1>(m, "cumulative_prod", "x[0] * ... * x[t] along an axis.");
  DefineRunning<CumMax>(m, "cumulative_max", "max(x[0], ..., x[t]) along an axis.");
  DefineRunning<CumMin>(m, "cumulative_min", "min(x[0], ..., x[t]) along an axis.");
  DefineRunning<LogCumSumExp>(m, "cumulative_logsumexp", "log(exp(x[0]) + ... + exp(x[t])), without overflow.");
  m.def(
      "median",
      [](TensorLike x, int64_t axis, bool keepdims) { return Median(x.operand(), axis, {.keepdims = keepdims}); },
      "x"_a, "axis"_a = -1, "keepdims"_a = false,
      nb::sig("def median(x: TensorLike, /, axis: int = -1, keepdims: bool = False) -> Tensor"),
      "The middle element along an axis, the mean of the two middle ones of an even number.");
}

}  // namespace reel::python
