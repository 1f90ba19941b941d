"""What experimental_enable_numpy_behavior gives tensors: members of NumPy's arrays, and operators of mixed dtypes."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _operators
from ..._tensor import Tensor, TensorLike, wrap
from . import _functions
from ._types import tensor, together

if _t.TYPE_CHECKING:
    from typing import Any

_f: Any = _functions


def _shape_of(shape):
    return shape[0] if len(shape) == 1 else shape


_METHODS = {
    "astype": lambda self, dtype: _f.array(self, dtype),
    "clip": lambda self, a_min, a_max: _f.clip(self, a_min, a_max),
    "flatten": lambda self, order="C": _f.flatten(self),
    "max": lambda self, axis=None, keepdims=None: _f.max(self, axis, keepdims),
    "mean": lambda self, axis=None, dtype=None, out=None, keepdims=None: _f.mean(self, axis, dtype, out, keepdims),
    "min": lambda self, axis=None, keepdims=None: _f.min(self, axis, keepdims),
    "ravel": lambda self: _f.ravel(self),
    "reshape": lambda self, *shape, **options: _f.reshape(self, options.get("newshape", _shape_of(shape))),
    "tolist": lambda self: self.numpy().tolist(),
    "transpose": lambda self, axes=None: _f.transpose(self, axes),
}
_PROPERTIES = {
    "T": lambda self: _f.transpose(self),
    "data": lambda self: self,
    "ndim": lambda self: len(self.shape),
    "size": lambda self: _f.array(self.shape.num_elements()),
}


def _place(key):
    """A part of an index: lists and tuples of numbers are arrays of them."""
    if isinstance(key, (list, tuple)) or hasattr(key, "__array__") or isinstance(key, TensorLike):
        return tensor(key)
    return key


def _item(self, key):
    """The elements at an index as NumPy has it: slices, numbers, None, and arrays of places or of bools."""
    parts = key if isinstance(key, tuple) else (key,)
    return wrap(self._core_value()[tuple(map(_place, parts))])


def install() -> None:
    """Gives tensors the members and the operators, from now on."""
    for name, method in _METHODS.items():
        setattr(Tensor, name, method)
    for name, get in _PROPERTIES.items():
        setattr(Tensor, name, property(get))
    Tensor.__getitem__ = _item  # type: ignore[method-assign]
    _operators.mixing[:] = [lambda a, b: tuple(together(a, b))]
