#include "operators.h"

#include "reel/functions.h"
#include "slices.h"

// The operators of Tensor and Variable as slots of their types: Python calls them directly, with
// the operands in either order.

namespace reel::python {
namespace {

using BinaryFunction = Tensor (*)(const Operand&, const Operand&);

// An operand of an operator: arrays and lists too, but strings, None and others are left to Python.
std::optional<Operand> OperatorOperand(PyObject* x) {
  if (std::optional<Operand> quick = QuickOperand(x)) return quick;
  if (x == Py_None || PyUnicode_Check(x)) return std::nullopt;
  if (const IndexedSlices* slices = SlicesOf(x))
    return Operand(slices->Dense(std::source_location{}), std::source_location{});
  if (const std::optional<Tensor> array = FromArray(x, false)) return Operand(*array, std::source_location{});
  if (PyList_Check(x) || PyTuple_Check(x)) return Operand(AsTensor(x, std::nullopt), std::source_location{});
  return std::nullopt;
}

template <BinaryFunction F, TfOperator kOperator>
PyObject* BinarySlot(PyObject* a, PyObject* b) {
  if (IsTf(a) || IsTf(b)) return TfBinary(kOperator, F, a, b);
  return Guarded([&]() -> nb::object {
    const std::optional<Operand> x = OperatorOperand(a), y = OperatorOperand(b);
    if (!x || !y) return nb::borrow(Py_NotImplemented);
    return Wrap([&] {
      const Unlocked other_threads(std::max(Work(*x), Work(*y)));
      return F(*x, *y);
    }());
  });
}

template <Tensor (*F)(const Operand&)>
PyObject* UnarySlot(PyObject* a) {
  return Guarded([&] {
    const Operand x = ToOperand(a);
    return WrapAs(IsTf(a) ? types.tf_tensor : types.tensor, [&] {
      const Unlocked other_threads(Work(x));
      return F(x);
    }());
  });
}

bool IsIntegral(const Operand& x) { return IsInteger(x.type().dtype) || x.type().dtype == kBool; }

// Integers divide to floats, as in Python: f32, or f64 beside 64-bit integers that are no weak
// numbers.
Tensor TrueDivide(const Operand& a, const Operand& b) {
  if (!IsIntegral(a) || !IsIntegral(b)) return Div(a, b);
  return Div(Cast(a, kFloat32), Cast(b, kFloat32));
}
Tensor LeftShift(const Operand& a, const Operand& b) { return ShiftLeft(a, b); }

// Arithmetic: copies of the sign.
Tensor RightShift(const Operand& a, const Operand& b) {
  if (!a.weak() && IsUnsigned(a.type().dtype)) return ShiftRight(a, b);
  return ArithmeticShiftRight(a, b);
}

PyObject* PowerSlot(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return BinarySlot<Power, TfOperator::kPow>(a, b);
}

PyObject* Compare(PyObject* a, PyObject* b, int op) {
  switch (op) {
    case Py_LT: return BinarySlot<Less, TfOperator::kLt>(a, b);
    case Py_LE: return BinarySlot<LessEqual, TfOperator::kLe>(a, b);
    case Py_EQ: return BinarySlot<Equal, TfOperator::kEq>(a, b);
    case Py_NE: return BinarySlot<NotEqual, TfOperator::kNe>(a, b);
    case Py_GT: return BinarySlot<Greater, TfOperator::kGt>(a, b);
    default: return BinarySlot<GreaterEqual, TfOperator::kGe>(a, b);
  }
}

PyObject* Positive(PyObject* a) { return UnarySlot<Identity>(a); }

Tensor Value(PyObject* self) { return ToTensor(self); }

// Conversions to Python's numbers: of tensors with one element.
int Truth(PyObject* self) {
  PyObject* result =
      Guarded([&] { return nb::borrow(Concrete(Value(self), "bool").item<bool>({}) ? Py_True : Py_False); });
  if (!result) return -1;
  const int truth = result == Py_True;
  Py_DECREF(result);
  return truth;
}

nb::object IntOf(const Tensor& x) {
  if (x.dtype() == kUInt64) return nb::steal(PyLong_FromUnsignedLongLong(static_cast<uint64_t>(x.item<int64_t>({}))));
  if (IsFloat(x.dtype())) return nb::steal(PyLong_FromDouble(x.item<double>({})));
  return nb::steal(PyLong_FromLongLong(x.item<int64_t>({})));
}

nb::object Checked(nb::object o) {
  if (!o.is_valid()) throw nb::python_error();
  return o;
}

PyObject* Int(PyObject* self) {
  return Guarded([&] { return Checked(IntOf(Concrete(Value(self), "int"))); });
}
PyObject* Float(PyObject* self) {
  return Guarded([&] { return nb::steal(PyFloat_FromDouble(Concrete(Value(self), "float").item<double>({}))); });
}
PyObject* Index(PyObject* self) {
  return Guarded([&] {
    const Tensor x = Value(self);
    if (!IsInteger(x.dtype()) || x.rank() != 0)
      ThrowType("only integer scalars can be an index, not " + x.type().ToString());
    return IntOf(Concrete(x, "index"));
  });
}

}  // namespace

Tensor ArithmeticShiftRight(const Operand& a, const Operand& b) {
  // floor(a / 2^b): for shifts below the width what the machine does.
  const Tensor x = a.tensor();
  const Tensor logical = ShiftRight(a, b);
  const Tensor ones = BitwiseNot(ShiftRight(BitwiseNot(ZerosLike(logical)), b));
  return Where(Less(x, 0), BitwiseOr(logical, ones), logical);
}

Tensor Power(const Operand& a, const Operand& b) {
  if (a.type().dtype == kBool && b.type().dtype == kBool) return LogicalOr(a, LogicalNot(b));
  if (!b.weak() || IsComplex(b.type().dtype) || (IsIntegral(a) && !IsIntegral(b))) return Pow(a, b);
  const double exponent = b.tensor().item<double>({});
  if (exponent == 2) return Square(a);
  if (exponent == 1) return Identity(a);
  if (exponent == 0.5 && IsFloat(a.type().dtype)) {
    // Powers are not roots at -inf and -0: there they are inf and 0.
    const double inf = std::numeric_limits<double>::infinity();
    return Add(Sqrt(Where(Equal(a, -inf), inf, a)), 0.0);
  }
  return Pow(a, b);
}

const PyType_Slot* OperatorSlots() {
  static const PyType_Slot slots[] = {
      {Py_nb_add, reinterpret_cast<void*>((&BinarySlot<Add, TfOperator::kAdd>))},
      {Py_nb_subtract, reinterpret_cast<void*>((&BinarySlot<Sub, TfOperator::kSub>))},
      {Py_nb_multiply, reinterpret_cast<void*>((&BinarySlot<Mul, TfOperator::kMul>))},
      {Py_nb_true_divide, reinterpret_cast<void*>((&BinarySlot<TrueDivide, TfOperator::kTrueDivide>))},
      {Py_nb_floor_divide, reinterpret_cast<void*>((&BinarySlot<FloorDiv, TfOperator::kFloorDiv>))},
      {Py_nb_remainder, reinterpret_cast<void*>((&BinarySlot<Mod, TfOperator::kMod>))},
      {Py_nb_matrix_multiply, reinterpret_cast<void*>((&BinarySlot<MatMul, TfOperator::kMatMul>))},
      {Py_nb_power, reinterpret_cast<void*>(&PowerSlot)},
      {Py_nb_and, reinterpret_cast<void*>((&BinarySlot<BitwiseAnd, TfOperator::kAnd>))},
      {Py_nb_or, reinterpret_cast<void*>((&BinarySlot<BitwiseOr, TfOperator::kOr>))},
      {Py_nb_xor, reinterpret_cast<void*>((&BinarySlot<BitwiseXor, TfOperator::kXor>))},
      {Py_nb_lshift, reinterpret_cast<void*>((&BinarySlot<LeftShift, TfOperator::kNone>))},
      {Py_nb_rshift, reinterpret_cast<void*>((&BinarySlot<RightShift, TfOperator::kNone>))},
      {Py_nb_negative, reinterpret_cast<void*>(&UnarySlot<Neg>)},
      {Py_nb_positive, reinterpret_cast<void*>(&Positive)},
      {Py_nb_absolute, reinterpret_cast<void*>(&UnarySlot<Abs>)},
      {Py_nb_invert, reinterpret_cast<void*>(&UnarySlot<BitwiseNot>)},
      {Py_nb_bool, reinterpret_cast<void*>(&Truth)},
      {Py_nb_int, reinterpret_cast<void*>(&Int)},
      {Py_nb_float, reinterpret_cast<void*>(&Float)},
      {Py_nb_index, reinterpret_cast<void*>(&Index)},
      {Py_tp_richcompare, reinterpret_cast<void*>(&Compare)},
      {Py_tp_hash, PyType_GetSlot(&PyBaseObject_Type, Py_tp_hash)},
      {Py_mp_subscript, reinterpret_cast<void*>(&Subscript)},
      {Py_mp_length, reinterpret_cast<void*>(&Length)},
      {0, nullptr},
  };
  return slots;
}

}  // namespace reel::python
