"""tf.experimental.numpy: NumPy's functions on tensors, with NumPy's dtypes: int32 and float32 together are float64.

Python's numbers alone are int64 and float64. An array is a tf.Tensor, so that tapes and tf.functions take it.
"""

from __future__ import annotations as _annotations

import math as _math
import typing as _t

import numpy as _numpy

from ..._shape import TensorShape as _TensorShape
from ..._tensor import Tensor as ndarray
from ...errors import UnimplementedError as _UnimplementedError
from . import random as random
from ._functions import *  # noqa: F401,F403
from ._types import joined as _joined
from ._types import settings as _settings
from ._types import tensor as _tensor

if _t.TYPE_CHECKING:
    from typing import Any

__all__ = ["ndarray", "random"]
e: float = _math.e
pi: float = _math.pi
inf: float = _math.inf
newaxis: None = None
bool_, complex64, complex128, complex_ = _numpy.bool_, _numpy.complex64, _numpy.complex128, _numpy.complex128
float16, float32, float64, float_ = _numpy.float16, _numpy.float32, _numpy.float64, _numpy.float64
int8, int16, int32, int64, int_ = _numpy.int8, _numpy.int16, _numpy.int32, _numpy.int64, _numpy.int64
uint8, uint16, uint32, uint64 = _numpy.uint8, _numpy.uint16, _numpy.uint32, _numpy.uint64
object_, string_, unicode_, inexact = _numpy.object_, _numpy.bytes_, _numpy.str_, _numpy.inexact
finfo, iinfo, issubdtype = _numpy.finfo, _numpy.iinfo, _numpy.issubdtype


def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = "legacy") -> None:
    """From now on tensors have T, astype, reshape, ravel, transpose, clip, max, mean, min and size, and operators of them join
    dtypes. prefer_float32: Python's floats alone are float32. It cannot be undone, and is of the whole process.
    """
    from . import _members

    if dtype_conversion_mode != "legacy":
        raise _UnimplementedError(
            f"experimental_enable_numpy_behavior: dtype_conversion_mode is 'legacy' alone here, not {dtype_conversion_mode!r}"
        )
    _settings["prefer_float32"] = bool(prefer_float32)
    _members.install()


def ndim(a: Any) -> int:
    """The number of axes."""
    return _tensor(a).ndim


def shape(a: Any) -> _TensorShape:
    """The extents."""
    return _TensorShape(_tensor(a).shape)


def size(x: Any, axis: int | None = None) -> Any:
    """The number of elements, or of those along an axis."""
    t = _tensor(x)
    return _numpy.int64(t.size if axis is None else t.shape[axis])


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The NumPy dtype that arrays and dtypes have together."""
    return _numpy.dtype(_joined(*arrays_and_dtypes))


def promote_types(type1: Any, type2: Any) -> Any:
    """The NumPy dtype that two dtypes have together."""
    return result_type(type1, type2)


def isscalar(num: Any) -> bool:
    """Whether it is a number, or a tensor without axes."""
    return ndim(num) == 0 if hasattr(num, "shape") else _numpy.isscalar(num)


def iscomplexobj(x: Any) -> bool:
    """Whether the elements are of a complex dtype."""
    return _tensor(x).dtype.is_complex


def isrealobj(x: Any) -> bool:
    """Whether the elements are of a real dtype."""
    return not iscomplexobj(x)
