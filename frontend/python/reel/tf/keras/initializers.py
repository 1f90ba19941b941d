"""Initializers: callables of shape and dtype."""

from __future__ import annotations as _annotations

import math as _math
import typing as _t

from .. import _array
from .. import dtypes as _dtypes
from .. import random as _random
from ..errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...typing import DTypeLike
    from .._signatures import ShapeLike
    from .._tensor import Tensor as _Tensor


class Initializer:
    """initializer(shape, dtype) is the first value of a variable."""

    if _t.TYPE_CHECKING:

        def __call__(self, shape: ShapeLike, dtype: DTypeLike = ...) -> _Tensor: ...


class Zeros(Initializer):
    """0 everywhere."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = _dtypes.float32) -> _Tensor:
        return _array.zeros(shape, dtype)


class Ones(Initializer):
    """1 everywhere."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = _dtypes.float32) -> _Tensor:
        return _array.ones(shape, dtype)


class Constant(Initializer):
    """One value, or these values, everywhere."""

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = _dtypes.float32) -> _Tensor:
        from .._tensor import constant

        return constant(self.value, dtype, shape)


class RandomNormal(Initializer):
    """Normal of this mean and standard deviation."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = _dtypes.float32) -> _Tensor:
        return _random.normal(shape, self.mean, self.stddev, dtype, self.seed)


class RandomUniform(Initializer):
    """Uniform in [minval, maxval)."""

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = _dtypes.float32) -> _Tensor:
        return _random.uniform(shape, self.minval, self.maxval, dtype, self.seed)


class GlorotUniform(Initializer):
    """Uniform within sqrt(6 / (fan_in + fan_out))."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = _dtypes.float32) -> _Tensor:
        shape = tuple(shape)
        field = _math.prod(shape[:-2])
        fans = field * (shape[-2] + shape[-1]) if len(shape) > 1 else 2 * (shape[0] if shape else 1)
        limit = _math.sqrt(6 / fans)
        return _random.uniform(shape, -limit, limit, dtype, self.seed)


_NAMES = {
    "zeros": Zeros,
    "ones": Ones,
    "random_normal": RandomNormal,
    "random_uniform": RandomUniform,
    "glorot_uniform": GlorotUniform,
}


def get(identifier: Any) -> Callable[..., Any]:
    """The initializer of a name, or the callable itself."""
    if isinstance(identifier, type):
        return identifier()
    if callable(identifier):
        return identifier
    if identifier not in _NAMES:
        raise ConversionError(f"Could not interpret initializer identifier: {identifier!r}; names are {sorted(_NAMES)}")
    return _NAMES[identifier]()
