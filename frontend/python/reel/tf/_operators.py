"""The operators of tensors, and the operands of functions of two: dtypes do not mix, Python's numbers are weak."""

from __future__ import annotations

import operator as _operator
import typing as _t

from .. import _core
from . import _dtypes as dtypes
from ._convert import check_number, from_array, to_core
from ._linked import linked
from ._tensor import Sparse, Tensor, TensorLike, wrap
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..typing import TensorLike as ArrayLike

_Core = _core.Tensor
_CoreVariable = _core.Variable
_BY_CORE = dtypes.BY_CORE
_SEQUENCES = (list, tuple, range, bytearray, memoryview, _Core, _CoreVariable, Sparse)
_NUMBERS = frozenset((bool, int, float, complex))
_WEAK = (int, float)


def mismatch(op: str, a: Any, b: Any) -> _core.InvalidTypeError:
    """The error of two dtypes that meet in one op: InvalidArgumentError and, as in TensorFlow's graphs, TypeError."""
    return _mismatch(op, a.dtype, b.dtype)


def _mismatch(op, a, b):
    return _core.InvalidTypeError(
        f"cannot compute {op} as input #1(zero-based) was expected to be a {_BY_CORE[a].type_name} tensor but is "
        f"a {_BY_CORE[b].type_name} tensor [Op:{op}]; convert one of them with tf.cast"
    )


def _cast_array(other, dtype):
    """An array or a NumPy scalar beside a tensor, which takes its dtype as in TensorFlow; complex ones lose nothing."""
    t = from_array(other, None)
    if t.dtype is dtype or t.dtype.is_complex and not dtype.is_complex:
        return t
    return _core.astype(t, dtype)


# Numbers that dtypes hold as they are, so that they need no look.
_PLAIN = {(kind, d.core) for d in dtypes.BY_NAME.values() if d.is_floating for kind in (int, float)}
_PLAIN |= {(int, d.core) for d in dtypes.BY_NAME.values() if d.is_integer}


def operand(other: Any, dtype: _core.DType, op: str, weak: bool = True) -> Any:
    """The second operand of an op whose first is of a core dtype: a core tensor or, if `weak`, a Python number."""
    if other.__class__ is Tensor:
        b = other._t
    elif other.__class__ in _NUMBERS:
        if (other.__class__, dtype) not in _PLAIN:
            other = check_number(other, dtype)
        return other if weak else _core.asarray(other, dtype)
    elif isinstance(other, TensorLike):
        b = other._core_value()
    elif isinstance(other, _SEQUENCES):
        b = to_core(other, dtype)
    elif isinstance(other, (int, float, complex)) and not hasattr(other, "__array__"):
        return _core.asarray(check_number(other, dtype), dtype)
    else:
        b = _cast_array(other, dtype)
    if b.dtype is not dtype:
        raise _mismatch(op, dtype, b.dtype)
    return b


def binary(op: str, x: ArrayLike, y: ArrayLike, f: Callable[..., _core.Tensor]) -> Tensor:
    """f of two operands of one dtype; numbers and lists take that of the other."""
    if isinstance(x, (TensorLike, _Core, _CoreVariable)):
        a = to_core(x)
        return wrap(f(a, operand(y, a.dtype, op)))
    if isinstance(y, (TensorLike, _Core, _CoreVariable)):
        b = to_core(y)
        return wrap(f(operand(x, b.dtype, op, weak=False), b))
    a = to_core(x)
    return wrap(f(a, operand(y, a.dtype, op)))


def _dtype_of(a, b):
    """The dtype of core operands of one dtype, one of which may be a number."""
    return b.dtype if isinstance(a, _WEAK) else a.dtype


def as_float(t: Any) -> Any:
    """Integers divide as float64, those of 16 bits and less as float32."""
    if isinstance(t, _WEAK):
        return t
    return _core.astype(t, _core.float32 if t.dtype.itemsize < 4 else _core.float64)


def no_bools(a: Any, b: Any, op: str) -> None:
    """TypeError if core operands of one dtype are bools."""
    if _dtype_of(a, b).is_bool:
        raise _core.InvalidTypeError(f"numbers are needed, not bool [Op:{op}]; use tf.cast")


def true_divide(a: Any, b: Any) -> Any:
    """a / b of core operands of one dtype."""
    if _dtype_of(a, b).is_bool:
        raise _core.InvalidTypeError("truediv: bool tensors do not divide; use tf.cast")
    if _dtype_of(a, b).kind in "iu":
        return as_float(a) / as_float(b)
    return a / b


def _product(a, b):
    """a * b of core operands of one dtype; of bools whether both are true."""
    return _operator.and_(a, b) if _dtype_of(a, b).is_bool else a * b


def _checked(t, dtype, op, negative):
    """A number or core tensor of integers, of which none is 0, or negative: an error now, or when what is traced runs
    unless checks of bounds are off."""
    if not isinstance(t, _WEAK):
        return _core._check_integers(t, op, negative)
    _core._check_integers(_core.asarray(t, dtype), op, negative)
    return t


def integer_division(op: str, f: Callable[..., Any]) -> Callable[..., Any]:
    """f of core operands; an integer by 0 is an error as in TensorFlow."""

    def divided(a, b):
        dtype = _dtype_of(a, b)
        return f(a, _checked(b, dtype, op, False) if dtype.kind in "iu" else b)

    return divided


def _floored(a, b):
    """The quotient of integers that is rounded down; of floats the floor of it, so that 1 // 0.1 is 10."""
    no_bools(a, b, "FloorDiv")
    return a // b if _dtype_of(a, b).is_integer else _core.floor(a / b)


floor_divide = integer_division("FloorDiv", _floored)
floor_mod = integer_division("FloorMod", _operator.mod)


def power(a: Any, b: Any) -> Any:
    """a ** b of core operands of one dtype; integers to negative powers are an error."""
    no_bools(a, b, "Pow")
    dtype = _dtype_of(a, b)
    b = _checked(b, dtype, "Pow", True) if dtype.kind == "i" else b
    if isinstance(b, _WEAK) and not isinstance(a, _WEAK):
        a = linked(a)
    return a**b


# What makes two operands one dtype in place of `operand`, once experimental_enable_numpy_behavior was called.
mixing: list[Callable[[Any, Any], tuple[Any, Any]]] = []


def matrix_product(a: Any, b: Any) -> Any:
    """a @ b of core operands with two axes at least; of vectors, too, where operators are NumPy's."""
    for i, t in enumerate((a, b)):
        if isinstance(t, _WEAK) or t.ndim < 2 and not mixing:
            shape = () if isinstance(t, _WEAK) else tuple(t.shape)
            raise InvalidArgumentError(
                f"In[{i}] ndims must be >= 2 [Op:MatMul]: its shape is {shape}; use tf.tensordot for vectors"
            )
    return a @ b


def _operator_pair(name, op, f):
    """The methods of an operator, for both orders. What is no operand may have the operator itself."""
    reflected_name, plain_name = f"__r{name}__", f"__{name}__"

    def method(self, other):
        a = self._core_value()
        try:
            a, b = mixing[0](self, other) if mixing else (a, operand(other, a.dtype, op))
        except ConversionError:
            if hasattr(type(other), reflected_name) and not isinstance(other, _SEQUENCES):
                return NotImplemented
            raise
        return wrap(f(a, b))

    def reflected(self, other):
        b = self._core_value()
        try:
            a, b = mixing[0](other, self) if mixing else (operand(other, b.dtype, op), b)
        except ConversionError:
            if hasattr(type(other), plain_name) and not isinstance(other, _SEQUENCES):
                return NotImplemented
            raise
        return wrap(f(a, b))

    return method, reflected


def _equality(f, otherwise):
    """== and !=: elementwise; tensors whose shapes do not broadcast are not equal, and nothing equals None."""

    def method(self, other):
        if other is None:
            return otherwise
        a = self._core_value()
        a, b = mixing[0](self, other) if mixing else (a, operand(other, a.dtype, "Equal"))
        try:
            return wrap(f(a, b))
        except InvalidArgumentError:
            return wrap(_core.asarray(otherwise))

    return method


def _unary_method(f):
    def method(self):
        return wrap(f(self._core_value()))

    return method


_BINARY = {
    "add": ("AddV2", _operator.add),
    "sub": ("Sub", _operator.sub),
    "mul": ("Mul", _product),
    "truediv": ("RealDiv", true_divide),
    "floordiv": ("FloorDiv", floor_divide),
    "mod": ("FloorMod", floor_mod),
    "pow": ("Pow", power),
    "matmul": ("BatchMatMulV2", matrix_product),
    "and": ("LogicalAnd", _operator.and_),
    "or": ("LogicalOr", _operator.or_),
    "xor": ("LogicalXor", _operator.xor),
}
_COMPARE = {"lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual"}

# In the order of TfOperator of the extension, whose slots call these where operands are not plainly of one dtype.
_OPERATORS = {name: _operator_pair(name, op, f) for name, (op, f) in _BINARY.items()}
_OPERATORS.update({n: (_operator_pair(n, op, getattr(_operator, n))[0], None) for n, op in _COMPARE.items()})
_OPERATORS.update(eq=(_equality(_operator.eq, False), None), ne=(_equality(_operator.ne, True), None))


class PythonOperators(TensorLike):
    """The operators for what is no tensor of the core: nodes of a tf.Graph."""

    __slots__ = ()
    __hash__ = None


def _install():
    for name, (method, reflected) in _OPERATORS.items():
        setattr(PythonOperators, f"__{name}__", method)
        if reflected is not None:
            setattr(PythonOperators, f"__r{name}__", reflected)
    for name, f in {"neg": _operator.neg, "abs": _core.abs, "invert": _operator.invert, "pos": _operator.pos}.items():
        setattr(PythonOperators, f"__{name}__", _unary_method(f))


_install()


def register(variable: type) -> None:
    """Tells the extension about the classes."""
    _core._set_tf(Tensor, variable, list(_OPERATORS.values()))
