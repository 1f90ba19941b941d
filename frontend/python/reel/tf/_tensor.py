"""tf.Tensor: a core tensor with TensorFlow's rules for dtypes, printing and comparing."""

from __future__ import annotations

import operator as _operator
import typing as _t

from .. import _core
from . import _dtypes as dtypes
from . import nest
from ._shape import TensorShape
from ._trace import as_method, in_graph
from .errors import ConversionError, InvalidArgumentError, OperatorNotAllowedInGraphError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from ..typing import DTypeLike, ShapeLike
    from ..typing import TensorLike as ArrayLike
    from ..typing import _Operators as _Typed

    class _Operators(_Typed["Tensor"]):
        @property
        def dtype(self) -> dtypes.DType: ...
        @property
        def shape(self) -> TensorShape: ...
else:
    _Operators = object

_Core = _core.Tensor
_CoreVariable = _core.Variable
_BY_CORE = dtypes.BY_CORE
_read = _core.Variable.value
_dtype_of = _Core.dtype.fget
_shape_of = _Core.shape.fget


class Reference:
    """What tensor.ref() gives: hashable, equal for the same object."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def deref(self) -> Any:
        """The tensor or variable."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._value!r}>"


class Sparse:
    """What stands for a tensor and is none: dense() makes the core tensor."""

    __slots__ = ()

    def dense(self) -> _core.Tensor:
        raise NotImplementedError


class TensorLike(_Operators):
    """What tensors and variables share. `_core_value()` is the core tensor."""

    __slots__ = ()
    __array_priority__ = 100

    # Types.
    @property
    def ndim(self) -> int:
        return len(self.shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def device(self) -> str:
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def ref(self) -> Reference:
        """A hashable handle, for keys of dicts."""
        return Reference(self)

    experimental_ref = ref
    __hash__ = None

    # Elements.
    def numpy(self) -> Any:
        """A read-only NumPy array, a NumPy scalar if there are no axes. Not while tracing."""
        t = self._core_value()
        if t.symbolic:
            raise _core.UnimplementedError(
                "numpy() is only available when eager execution is enabled: this tensor is "
                "traced; use tf operations, or return the value from the function"
            )
        return t.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        t = self._core_value()
        if t.symbolic:
            raise _core.UnimplementedError(
                f"Cannot convert a symbolic tf.Tensor ({self}) to a numpy array. This "
                "error may indicate that you're trying to pass a Tensor to a NumPy call, "
                "which is not supported."
            )
        return t.__array__(dtype)

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise _core.InvalidTypeError("Scalar tensor has no `len()`")
        return shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape:
            raise _core.InvalidTypeError("Cannot iterate over a scalar tensor")
        return iter([wrap(row) for row in _core.unstack(self._core_value())])

    def __bool__(self) -> bool:
        t = self._core_value()
        if t.symbolic:
            raise OperatorNotAllowedInGraphError(
                "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: its value is not known while tracing. "
                "Use tf.cond(pred, true_fn, false_fn) or tf.while_loop(cond, body, loop_vars), or let "
                "tf.function(autograph=True) convert the `if` or `while`."
            )
        return bool(t)

    def __float__(self) -> float:
        return float(self._core_value())

    def __int__(self) -> int:
        return int(self._core_value())

    def __complex__(self) -> complex:
        return complex(self._core_value())

    def __index__(self) -> int:
        return self._core_value().__index__()

    def __format__(self, spec: str) -> str:
        t = self._core_value()
        return format(t, spec) if spec and not t.symbolic else str(self)

    def __round__(self, digits: int = 0) -> float:
        return round(float(self._core_value()), digits)

    def __getitem__(self, key: Any) -> Tensor:
        return wrap(self._core_value()[_index(key)])

    def __array_namespace__(self, api_version=None):
        raise AttributeError("tf.Tensor has no array namespace; use reel.asarray for array API code")


def absent(name: str) -> property:
    """What the core's tensors have and TensorFlow's do not."""

    def get(self):
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    return property(get)


class Tensor(TensorLike, _Core):
    """An immutable array of numbers, or a value of a trace. Made by tf.constant and by every op."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _core.InvalidTypeError("tf.Tensor is made by tf.constant or tf.convert_to_tensor")

    def _core_value(self):
        return self._plain

    _t = _Core._plain

    @property
    def dtype(self) -> dtypes.DType:
        return _BY_CORE[_dtype_of(self)]

    @property
    def shape(self) -> TensorShape:
        return tuple.__new__(TensorShape, _shape_of(self))

    @property
    def name(self) -> str:
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    def set_shape(self, shape: Iterable[int | None]) -> None:
        """Checks the shape; ValueError if it does not fit."""
        if not self.shape.is_compatible_with(shape):
            raise _core.InvalidArgumentError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}."
            )

    def eval(self, feed_dict: object = None, session: object = None) -> Any:
        raise _core.UnimplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self

    def __reduce__(self):
        return _from_core, (self._t,)

    def __repr__(self) -> str:
        t = self._t
        if t.symbolic:
            return f"<tf.Tensor 'traced' shape={self.shape} dtype={t.dtype.name}>"
        return f"<tf.Tensor: shape={self.shape}, dtype={t.dtype.name}, {numpy_text(t, True)}>"

    def __str__(self) -> str:
        t = self._t
        if t.symbolic:
            return f'Tensor("traced", shape={self.shape}, dtype={t.dtype.name})'
        return f"tf.Tensor({numpy_text(t, False)}, shape={self.shape}, dtype={t.dtype.name})"


for _name in (
    "T",
    "mT",
    "size",
    "nbytes",
    "item",
    "tolist",
    "astype",
    "reshape",
    "to_device",
    "real",
    "imag",
    "__array_interface__",
    "__contains__",
    "_repr_html_",
    *_core._methods,  # NumPy's functions call them
):
    setattr(Tensor, _name, absent(_name))

wrap = _core._wrap_tf  # the tf.Tensor of a core tensor


def _from_core(core):
    return wrap(core)


def numpy_text(t: _core.Tensor, is_repr: bool) -> str:
    """The elements as TensorFlow prints them."""
    array = t.__array__() if t.dtype.name != "bfloat16" else _core.astype(t, _core.float32).__array__()
    if not is_repr:
        text = str(array)
    elif array.ndim == 0:
        text = repr(array.item()) if array.dtype.kind in "iub" else str(array)
    else:
        text = repr(array)
    if "\n" in text:
        text = "\n" + text
    return "numpy=" + text if is_repr else text


def _index(key):
    """An index whose tensors are the core's."""
    if isinstance(key, TensorLike):
        return key._core_value()
    if isinstance(key, tuple):
        return tuple(_index(k) for k in key)
    if isinstance(key, slice):
        return slice(*(None if p is None else _operator.index(p) for p in (key.start, key.stop, key.step)))
    return key


# --- conversion ---


def _holds_tensor(value):
    if isinstance(value, (list, tuple)):
        return any(_holds_tensor(v) for v in value)
    return isinstance(value, (TensorLike, _Core, _CoreVariable))


def _pack(value, dtype):
    """Nested lists with tensors in them, stacked: gradients flow into each."""
    if not isinstance(value, (list, tuple)):
        return to_core(value, dtype)
    if dtype is None:
        dtype = next(_operand_dtype(v) for v in nest.flatten(list(value)) if isinstance(v, TensorLike))
    return _core.stack([_pack(v, dtype) for v in value])


def _operand_dtype(value):
    return value._core_value().dtype


def _all_ints(value):
    """Whether there are ints, and nothing else; True and False are none."""
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(_all_ints(v) for v in value)
    return isinstance(value, int) and not isinstance(value, bool)


def _fits_int32(value):
    if isinstance(value, (list, tuple)):
        return all(_fits_int32(v) for v in value)
    return -(2**31) <= value < 2**31


def _check_numbers(value, dtype):
    """Python numbers that a dtype cannot hold are errors, not rounded."""
    if isinstance(value, (list, tuple)):
        for v in value:
            _check_numbers(v, dtype)
    elif isinstance(value, float) and dtype.is_integer or isinstance(value, complex) and not dtype.is_complex:
        raise _core.InvalidTypeError(f"Cannot convert {value} to EagerTensor of dtype {dtype.name}")
    elif isinstance(value, bool) != dtype.is_bool and isinstance(value, (bool, int, float)):
        raise _core.InvalidTypeError(f"Cannot convert {value} to EagerTensor of dtype {dtype.name}")


def to_core(value: Any, dtype: _core.DType | None = None) -> _core.Tensor:
    """The core tensor of anything that is one: tensors, variables, numbers, lists, arrays; `dtype` is the core's.

    Python floats are float32 and ints int32 unless said otherwise. ValueError for None and other objects; a tensor
    of another dtype than asked for is an error too.
    """
    if isinstance(value, TensorLike):
        t = value._core_value()
    elif isinstance(value, _Core):
        t = value
    elif isinstance(value, _CoreVariable):
        t = _read(value)
    elif isinstance(value, Sparse):
        t = value.dense()
    elif isinstance(value, (bool, int, float, complex, list, tuple)):
        return _from_numbers(value, dtype)
    else:
        return _from_array(value, dtype)
    if dtype is not None and t.dtype is not dtype:
        raise ConversionError(
            f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {t.dtype.name}: {value!r}"
        )
    return t


def _from_numbers(value, dtype):
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        return _pack(value, dtype)
    if dtype is None and _all_ints(value):
        dtype = _core.int32 if _fits_int32(value) else _core.int64
    if dtype is not None:
        _check_numbers(value, dtype)
    try:
        return _core.asarray(value, dtype)
    except _core.Error as error:
        raise ConversionError(f"Can't convert {value!r} to Tensor: {error}") from None


def _from_array(value, dtype):
    """NumPy arrays and scalars, and what has __array__; copied."""
    if value is None or isinstance(value, str) or not (hasattr(value, "__array__") or hasattr(value, "__dlpack__")):
        kind = f" with an unsupported type ({type(value)})" if value is None else f" of type {type(value).__name__}"
        raise ConversionError(f"Attempt to convert a value ({value!r}){kind} to a Tensor.")
    try:
        return _core.asarray(value, dtype)
    except _core.Error as error:
        raise ConversionError(f"Failed to convert a {type(value).__name__} to a Tensor: {error}") from None


@as_method("convert")
def convert_to_tensor(
    value: ArrayLike, dtype: DTypeLike | None = None, dtype_hint: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """A tensor of a tensor, variable, number, nested list or array.

    dtype: must be the tensor's, if it is one; dtype_hint: taken if it can be. Errors: TypeError for a float as an
    integer, ValueError for other conversions.
    """
    if value.__class__ is Tensor and dtype is None:
        return value
    if dtype is None and dtype_hint is not None:
        try:
            return wrap(to_core(value, dtypes.as_dtype(dtype_hint).core))
        except _core.Error:
            pass
    return wrap(to_core(value, dtypes.core_dtype(dtype)))


@in_graph
def cast(x: ArrayLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """The elements converted to a dtype; the same tensor if they have it. Gradient: the cast of dy, floats only."""
    x = convert_to_tensor(x)
    wanted = dtypes.as_dtype(dtype)
    if x.dtype is wanted:
        return x
    return wrap(_core.astype(x._t, wanted.core))


@in_graph
def constant(
    value: ArrayLike, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, name: str | None = "Const"
) -> Tensor:
    """A tensor of numbers, nested lists or an array; float32 and int32 unless the array or dtype says otherwise.

    shape: the elements in it, row-major; one element fills it.
    """
    if value.__class__ is Tensor:
        out = value if dtype is None else cast(value, dtype)
    else:
        out = wrap(to_core(value, dtypes.core_dtype(dtype)))
    if shape is not None:
        t = out._t
        out = wrap(_core.broadcast_to(t, shape) if t.size == 1 else _core.reshape(t, shape))
    return out


# --- operators ---

_WEAK = (int, float)
_NO_OPERANDS = (str, dict, Sparse)


def mismatch(op: str, a: Any, b: Any) -> InvalidArgumentError:
    """The error of two dtypes that meet in one op."""
    return InvalidArgumentError(
        f"cannot compute {op} as input #1(zero-based) was expected to be a {_BY_CORE[a.dtype].type_name} tensor but is "
        f"a {_BY_CORE[b.dtype].type_name} tensor [Op:{op}]; convert one of them with tf.cast"
    )


def _array_operand(other, dtype):
    """An array beside a tensor takes its dtype where that loses no kind of number."""
    t = _from_array(other, None)
    if t.dtype is not dtype:
        kinds = "biufc"
        rank = {"u": 1, "i": 1, "f": 3, "c": 4, "b": 0}
        if t.dtype.kind in kinds and t.dtype.kind != "b" and rank[t.dtype.kind] <= rank[dtype.kind]:
            return _core.astype(t, dtype)
    return t


def operand(other: Any, dtype: _core.DType, op: str, weak: bool = True) -> Any:
    """The second operand of an op whose first is of a core dtype: a core tensor or, if `weak`, a Python number."""
    if other.__class__ is Tensor:
        b = other._t
    elif isinstance(other, TensorLike):
        b = other._core_value()
    elif isinstance(other, (bool, int, float, complex)):
        _check_numbers(other, dtype)
        return other if weak else _core.asarray(other, dtype)
    elif isinstance(other, (list, tuple, _Core, _CoreVariable, Sparse)):
        b = to_core(other, dtype)
    else:
        b = _array_operand(other, dtype)
    if b.dtype is not dtype:
        raise mismatch(op, _core.zeros((0,), dtype=dtype), b)
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


def _as_float(t):
    """Integers divide as float64, those of 16 bits and less as float32."""
    if isinstance(t, (int, float)):
        return t
    return _core.astype(t, _core.float32 if t.dtype.itemsize < 4 else _core.float64)


def true_divide(a: Any, b: Any) -> Any:
    """a / b of core operands of one dtype."""
    if getattr(a, "dtype", b.dtype if not isinstance(b, _WEAK) else None).kind in "iu":
        return _as_float(a) / _as_float(b)
    return a / b


def _operator_pair(op, f):
    """The methods of an operator, for both orders."""

    def method(self, other):
        a = self._core_value()
        if other is None or isinstance(other, _NO_OPERANDS):
            return NotImplemented
        return wrap(f(a, operand(other, a.dtype, op)))

    def reflected(self, other):
        b = self._core_value()
        if other is None or isinstance(other, _NO_OPERANDS):
            return NotImplemented
        return wrap(f(operand(other, b.dtype, op), b))

    return method, reflected


def _equality(f, otherwise):
    """== and !=: elementwise; shapes that do not broadcast and objects that are no tensors are not equal."""

    def method(self, other):
        if other is None:
            return otherwise
        a = self._core_value()
        try:
            b = operand(other, a.dtype, "Equal")
        except _core.InvalidTypeError:
            return wrap(f(a, other))
        except ConversionError:
            return otherwise
        try:
            return wrap(f(a, b))
        except InvalidArgumentError:
            return otherwise

    return method


def _unary_method(f):
    def method(self):
        return wrap(f(self._core_value()))

    return method


_BINARY = {
    "add": ("AddV2", _operator.add),
    "sub": ("Sub", _operator.sub),
    "mul": ("Mul", _operator.mul),
    "truediv": ("RealDiv", true_divide),
    "floordiv": ("FloorDiv", _operator.floordiv),
    "mod": ("FloorMod", _operator.mod),
    "pow": ("Pow", _operator.pow),
    "matmul": ("BatchMatMulV2", _operator.matmul),
    "and": ("LogicalAnd", _operator.and_),
    "or": ("LogicalOr", _operator.or_),
    "xor": ("LogicalXor", _operator.xor),
}
_COMPARE = {"lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual"}

# In the order of TfOperator of the extension, whose slots call these where operands are not plainly of one dtype.
_OPERATORS = {name: _operator_pair(op, f) for name, (op, f) in _BINARY.items()}
_OPERATORS.update({name: (_operator_pair(op, getattr(_operator, name))[0], None) for name, op in _COMPARE.items()})
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
