"""tf.Tensor: a core tensor with TensorFlow's rules for dtypes, printing and comparing."""

from __future__ import annotations

import operator as _operator
import typing as _t

from .. import _core
from . import _dtypes as dtypes
from ._linked import dense
from ._shape import TensorShape
from ._trace import state
from .errors import ConversionError, NotEagerError, OperatorNotAllowedInGraphError

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
            raise NotEagerError(
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
        if self._core_value().symbolic:
            raise _core.InvalidTypeError(
                "len is not well defined for a symbolic Tensor. Please call `x.shape` rather than `len(x)` for shape "
                "information."
            )
        if not shape:
            raise _core.InvalidTypeError("Scalar tensor has no `len()`")
        return shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape:
            raise _core.InvalidTypeError("Cannot iterate over a scalar tensor")
        t = self._core_value()
        if t.symbolic and state.depth and not state.convert:  # as TensorFlow; autograph unrolls what it cannot convert
            raise OperatorNotAllowedInGraphError(
                "Iterating over a symbolic `tf.Tensor` is not allowed without autograph: use tf.unstack, tf.map_fn or "
                "tf.while_loop, or tf.function(autograph=True)."
            )
        return iter([wrap(row) for row in _core.unstack(t)])

    def __bool__(self) -> bool:
        t = self._core_value()
        if t.symbolic:
            raise OperatorNotAllowedInGraphError(
                "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: its value is not known while tracing. "
                "Use tf.cond(pred, true_fn, false_fn) or tf.while_loop(cond, body, loop_vars), or let "
                "tf.function(autograph=True) convert the `if` or `while`."
            )
        return t.size > 0 and bool(t)  # an empty one is false, as an empty array is

    def __float__(self) -> float:
        return self._scalar(float)

    def __int__(self) -> int:
        return self._scalar(int)

    def __complex__(self) -> complex:
        return self._scalar(complex)

    def _scalar(self, kind: type) -> Any:
        t = self._core_value()
        if t.ndim and not t.symbolic:
            raise _core.InvalidTypeError(
                f"only scalar tensors can be converted to Python scalars, not shape {self.shape}"
            )
        try:
            return kind(t)
        except _core.FailedPreconditionError as error:  # it is traced
            raise _core.InvalidTypeError(str(error)) from None

    def __index__(self) -> int:
        try:
            return self._core_value().__index__()
        except _core.FailedPreconditionError as error:
            raise _core.InvalidTypeError(str(error)) from None

    def __format__(self, spec: str) -> str:
        plain = self._core_value().symbolic or not spec and not isinstance(self, Tensor)  # a variable is what it prints
        return str(self) if plain else format(self.numpy(), spec)

    def __round__(self, digits: int = 0) -> float:
        return round(float(self._core_value()), digits)

    def __getitem__(self, key: Any) -> Tensor:
        x, place = self._core_value(), _index(key)
        places = place if isinstance(place, tuple) else (place,)
        if any(not isinstance(i, (int, slice, type(None), type(...))) for i in places):
            x = dense(x)
        return wrap(x[place])

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
        if self._t.symbolic:
            raise _core.InvalidArgumentError("Cannot evaluate tensor using `eval()`: no default session is registered")
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
    """An index whose tensors are the core's: integers, slices, ..., None, integer tensors without axes, masks."""
    if key.__class__ in _PLAIN:
        return key
    if isinstance(key, TensorLike):
        return _tensor_index(key)
    if isinstance(key, (tuple, list)):
        return tuple([_index(k) for k in key])
    if isinstance(key, slice):
        if key.step == 0:
            raise _core.InvalidArgumentError("strides[0] must be non-zero: a slice has a step of 0")
        return slice(*map(_bound, (key.start, key.stop, key.step)))
    if hasattr(key, "__array__"):
        return _array_index(key)
    if isinstance(key, bool):
        raise ConversionError(f"mask cannot be scalar: an index is {key}")
    if isinstance(key, int):
        return int(key)
    raise _bad_index(key)


_PLAIN = frozenset((int, type(None), type(...)))


def _bound(n):
    """A bound of a slice: a number, or what a trace computes if that is more than constants and shapes."""
    if isinstance(n, TensorLike) and n._core_value().symbolic:
        known = _core._static_value(n._core_value())
        return n._core_value() if known is None else known.item()
    return None if n is None else _operator.index(n)


def _bad_index(key):
    return _core.InvalidTypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid "
        f"indices, got {key!r}; tf.gather takes others"
    )


def _tensor_index(key):
    t = key._core_value()
    if t.dtype.is_bool or t.ndim == 0 and t.dtype in (_core.int32, _core.int64):
        return t
    raise _bad_index(key)


def _array_index(key):
    """An integer without axes, or an array of bool; others are no index in TensorFlow."""
    kind = getattr(getattr(key, "dtype", None), "kind", "")
    if kind == "b":
        return key
    if kind in ("i", "u") and key.shape == ():
        return int(key)
    raise _bad_index(key)
