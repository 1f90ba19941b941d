#include <algorithm>
#include <cmath>

#include "bind.h"
#include "reel/functions.h"
#include "reel/shapes.h"
#include "register.h"

// Tensors from numbers: the array API's creation functions, and dtypes of them.

namespace reel::python {
namespace {

Tensor AsArray(nb::handle x, DTypeLike dtype, nb::handle copy, nb::handle device) {
  if (!device.is_none() && !device.equal(nb::str("cpu"))) ThrowInvalid("asarray: the only device is 'cpu'");
  const bool share = !copy.is_none() && !nb::cast<bool>(copy);
  const std::optional<DType> wanted = dtype.get();
  const Tensor t = AsTensor(x, wanted, share);
  if (share && !IsTensor(x.ptr()) &&
      (!PyObject_CheckBuffer(x.ptr()) || (wanted && FromArray(x, true)->dtype() != *wanted)))
    ThrowInvalid("asarray: " + TypeName(x) + " cannot be shared as it is; use copy=True");
  if (IsTensor(x.ptr()) && !copy.is_none() && nb::cast<bool>(copy) && !t.symbolic())
    return Tensor::FromBytes(t.dtype(), t.shape(), t.raw_data());
  return t;
}

// A tensor of one number everywhere.
Tensor Filled(const Shape& shape, nb::handle value, std::optional<DType> dtype) {
  return BroadcastTo(AsTensor(value, dtype), shape);
}

bool IsNumber(nb::handle x) { return x.is_none() || PyLong_Check(x.ptr()); }

// How many elements a range has: more than could be addressed are refused here, more than there is memory for by
// whoever takes it.
int64_t CountOf(double count) {
  if (count < 0x1p53) return static_cast<int64_t>(std::max(0.0, count));
  throw Error(ErrorCode::kResourceExhausted, "arange: no memory for more than 2^53 elements" + AtUserLine());
}

Tensor Range(nb::handle start, nb::handle stop, nb::handle step, DTypeLike dtype) {
  nb::object first = nb::borrow(start), last = nb::borrow(stop);
  if (stop.is_none()) {
    first = nb::int_(0);
    last = nb::borrow(start);
  }
  if (IsNumber(first) && IsNumber(last) && IsNumber(step)) {
    const int64_t a = ToInt(first, "arange"), b = ToInt(last, "arange"), d = ToInt(step, "arange");
    if (d == 0) ThrowInvalid("arange: the step is 0");
    const __int128 way = d > 0 ? __int128{b} - a : __int128{a} - b, step_size = d > 0 ? __int128{d} : -__int128{d};
    const int64_t count = CountOf(way <= 0 ? 0 : static_cast<double>((way + step_size - 1) / step_size));
    const DType type = dtype.get(kInt64);
    if (d == 1 && count > 0) return Arange(a, b, type);
    const Tensor steps = Arange(0, count, kInt64);
    return Cast(Add(Mul(steps, d), a), type);
  }
  const double a = ToDouble(first, "arange"), b = ToDouble(last, "arange"), d = ToDouble(step, "arange");
  if (d == 0) ThrowInvalid("arange: the step is 0");
  for (const double number : {a, b, d}) {
    if (!std::isfinite(number))
      ThrowInvalid("arange: start, stop and step must be finite, got " + std::to_string(number));
  }
  const int64_t count = CountOf(std::ceil(b / d - a / d) >= 0x1p53 ? INFINITY : std::ceil((b - a) / d));
  return Cast(Add(Mul(Arange(0, count, kFloat64), d), a), dtype.get(kFloat32));
}

Tensor Spaced(nb::handle start, nb::handle stop, int64_t num, DTypeLike dtype, bool endpoint) {
  if (num < 0) ThrowInvalid("linspace: num is negative");
  const DType type = dtype.get(kFloat32);
  return Linspace(ToDouble(start, "linspace"), ToDouble(stop, "linspace"), num, type, endpoint);
}

bool IsKind(DType dtype, const std::string& kind) {
  return ToEnum<bool>("isdtype: kind", kind,
                      {{"bool", dtype == kBool},
                       {"signed integer", IsInteger(dtype) && !IsUnsigned(dtype)},
                       {"unsigned integer", IsUnsigned(dtype)},
                       {"integral", IsInteger(dtype)},
                       {"real floating", IsFloat(dtype)},
                       {"complex floating", IsComplex(dtype)},
                       {"numeric", dtype != kBool}});
}

// A kind, a dtype, or a tuple of those, not of tuples.
bool IsDTypeOf(nb::handle dtype, nb::handle kind) {
  const DType d = *ToDType(dtype);
  const auto is = [d](nb::handle k) {
    return PyUnicode_Check(k.ptr()) ? IsKind(d, nb::borrow<nb::str>(k).c_str()) : ToDType(k) == d;
  };
  if (!PyTuple_Check(kind.ptr())) return is(kind);
  const auto kinds = nb::borrow<nb::tuple>(kind);
  return std::any_of(kinds.begin(), kinds.end(), is);
}

// Dtype of what an op of these arguments gives.
nb::object ResultType(nb::args arguments) {
  std::optional<Tensor> sum;
  for (const nb::handle x : arguments) {
    const bool is_dtype = IsDType(x.ptr()) || PyType_Check(x.ptr()) || PyUnicode_Check(x.ptr());
    const Operand operand = is_dtype ? Operand(Zeros(Shape{0}, *ToDType(x)), std::source_location{}) : ToOperand(x);
    const Tensor empty = operand.weak() ? Tensor() : Zeros(Shape{0}, operand.type().dtype);
    const Operand one = operand.weak() ? operand : Operand(empty, std::source_location{});
    if (sum)
      sum = Where(Zeros(Shape{0}, kBool), *sum, one);
    else if (!operand.weak())
      sum = empty;
    else
      sum = Zeros(Shape{0}, ToTensor(x).dtype());
  }
  if (!sum) ThrowInvalid("result_type: give at least one dtype or tensor");
  return DTypeObject(sum->dtype());
}

}  // namespace

void RegisterCreation(nb::module_& m) {
  m.def("asarray", &AsArray, "obj"_a, "dtype"_a = nb::none(), "copy"_a = nb::none(), "device"_a = nb::none(),
        nb::sig("def asarray(obj: TensorLike, /, dtype: DTypeLike | None = None, copy: bool | None "
                "= None, "
                "device: str | None = None) -> Tensor"),
        "A tensor of numbers, nested lists, an array or a tensor. Floats become float32, ints "
        "int64. Arrays are copied "
        "unless copy=False, which shares the elements: do not write to them afterwards."
        "\n\n>>> reel.asarray([1, 2.5])\nTensor([1. , 2.5], dtype=float32)");
  const auto filled = [&](const char* name, auto function, const char* doc) {
    m.def(name, function, "shape"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
          nb::sig(Signature(name,
                            "(shape: ShapeLike, *, dtype: DTypeLike | None = None, device: str | "
                            "None = None) -> Tensor")
                      .c_str()),
          doc);
  };
  filled(
      "zeros", [](ShapeLike s, DTypeLike d, nb::handle) { return Zeros(s.get(), d.get(kFloat32)); },
      "Zeros of a shape; float32 unless another dtype is given."
      "\n\n>>> reel.zeros((2, 3)).shape\n(2, 3)");
  filled(
      "ones", [](ShapeLike s, DTypeLike d, nb::handle) { return Ones(s.get(), d.get(kFloat32)); },
      "Ones of a shape; float32 unless another dtype is given.");
  filled(
      "empty", [](ShapeLike s, DTypeLike d, nb::handle) { return Zeros(s.get(), d.get(kFloat32)); },
      "The same as zeros.");
  m.def(
      "full", [](ShapeLike s, nb::handle value, DTypeLike d, nb::handle) { return Filled(s.get(), value, d.get()); },
      "shape"_a, "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def full(shape: ShapeLike, fill_value: TensorLike, *, dtype: DTypeLike | None = None, "
              "device: str | None = None) -> Tensor"),
      "One number everywhere; its dtype unless another is given."
      "\n\n>>> reel.full((2,), 7)\nTensor([7, 7], dtype=int64)");
  const auto like = [&](const char* name, double value, const char* doc) {
    m.def(
        name,
        [value](TensorLike x, DTypeLike d, nb::handle) {
          const Type type = x.operand().type();
          return Full(type.shape, value, d.get(type.dtype));
        },
        "x"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
        nb::sig(Signature(name,
                          "(x: TensorLike, /, *, dtype: DTypeLike | None = None, device: str | "
                          "None = None) -> Tensor")
                    .c_str()),
        doc);
  };
  like("zeros_like", 0, "Zeros of x's shape and dtype.");
  like("ones_like", 1, "Ones of x's shape and dtype.");
  like("empty_like", 0, "The same as zeros_like.");
  m.def(
      "full_like",
      [](TensorLike x, nb::handle value, DTypeLike d, nb::handle) {
        const Type type = x.operand().type();
        return Filled(type.shape, value, d.get(type.dtype));
      },
      "x"_a, "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def full_like(x: TensorLike, /, fill_value: TensorLike, *, dtype: DTypeLike | None "
              "= None, "
              "device: str | None = None) -> Tensor"),
      "One number everywhere, with x's shape and dtype.");
  m.def(
      "arange",
      [](nb::handle start, nb::handle stop, nb::handle step, DTypeLike d, nb::handle) {
        return Range(start, stop, step, d);
      },
      "start"_a, "stop"_a = nb::none(), "step"_a = 1, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def arange(start: float, /, stop: float | None = None, step: float = 1, *, "
              "dtype: DTypeLike | None = None, device: str | None = None) -> Tensor"),
      "start, start + step, ... below stop; arange(n) counts from 0. int64, or float32 if a number "
      "is a float.");
  m.def(
      "linspace",
      [](nb::handle start, nb::handle stop, int64_t num, DTypeLike d, nb::handle, bool endpoint) {
        return Spaced(start, stop, num, d, endpoint);
      },
      "start"_a, "stop"_a, "num"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(), "endpoint"_a = true,
      nb::sig("def linspace(start: float, stop: float, /, num: int, *, dtype: DTypeLike | None = None, "
              "device: str | None = None, endpoint: bool = True) -> Tensor"),
      "num numbers from start to stop, evenly apart; without the last one unless endpoint."
      "\n\n>>> reel.linspace(0, 1, 5)\nTensor([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)");
  m.def(
      "eye",
      [](int64_t rows, OptionalInt columns, int64_t k, DTypeLike d, nb::handle) {
        const int64_t width = columns.get().value_or(rows);
        if (rows < 0 || width < 0) ThrowInvalid("eye: an extent is negative");
        return Eye(rows, width, k, d.get(kFloat32));
      },
      "n_rows"_a, "n_cols"_a = nb::none(), nb::kw_only(), "k"_a = 0, "dtype"_a = nb::none(), "device"_a = nb::none(),
      nb::sig("def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DTypeLike "
              "| None = None, "
              "device: str | None = None) -> Tensor"),
      "Ones on diagonal k (negative: below the main one), zeros elsewhere."
      "\n\n>>> reel.eye(2)\nTensor([[1., 0.],\n        [0., 1.]], dtype=float32)");
  m.def(
      "meshgrid",
      [](nb::args vectors, const char* indexing) {
        std::vector<Tensor> list;
        for (const nb::handle x : vectors) list.push_back(ToTensor(x));
        const bool xy = ToEnum<bool>("meshgrid: indexing", indexing, {{"xy", true}, {"ij", false}});
        nb::list out;
        for (Tensor& t : Meshgrid(list, xy)) out.append(Wrap(std::move(t)));
        return out;
      },
      "arrays"_a, nb::kw_only(), "indexing"_a = "xy",
      nb::sig("def meshgrid(*arrays: TensorLike, indexing: str = 'xy') -> list[Tensor]"),
      "The coordinates of a grid: one tensor per vector.");
  m.def("isdtype", &IsDTypeOf, "dtype"_a, "kind"_a, nb::sig("def isdtype(dtype: DTypeLike, kind: Any) -> bool"),
        "Whether a dtype is of a kind: 'bool', 'signed integer', 'unsigned integer', 'integral', "
        "'real floating', "
        "'complex floating', 'numeric', a dtype, or a tuple of them.");
  m.def("result_type", &ResultType, nb::sig("def result_type(*arrays_and_dtypes: Any) -> DType"),
        "The dtype that these promote to.");
  m.def(
      "astype", [](TensorLike x, DTypeLike d, bool, nb::handle) { return Cast(x.operand(), d.get(kFloat32)); }, "x"_a,
      "dtype"_a, nb::kw_only(), "copy"_a = true, "device"_a = nb::none(),
      nb::sig("def astype(x: TensorLike, dtype: DTypeLike, /, *, copy: bool = True, device: str | "
              "None = None) -> Tensor"),
      "The elements converted to a dtype. Gradient: the cast of dy, floats only."
      "\n\n>>> reel.astype([1.7, -1.7], reel.int32)\nTensor([ 1, -1], dtype=int32)");
}

}  // namespace reel::python
