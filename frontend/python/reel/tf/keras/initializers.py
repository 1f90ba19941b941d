"""Initializers: callables of shape and dtype."""

import math as _math

from .. import _array
from .. import dtypes as _dtypes
from .. import random as _random
from ..errors import ConversionError


class Initializer:
    """initializer(shape, dtype) is the first value of a variable."""


class Zeros(Initializer):
    def __call__(self, shape, dtype=_dtypes.float32):
        return _array.zeros(shape, dtype)


class Ones(Initializer):
    def __call__(self, shape, dtype=_dtypes.float32):
        return _array.ones(shape, dtype)


class Constant(Initializer):
    def __init__(self, value=0.0):
        self.value = value

    def __call__(self, shape, dtype=_dtypes.float32):
        from .._tensor import constant

        return constant(self.value, dtype, shape)


class RandomNormal(Initializer):
    """Normal of this mean and standard deviation."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=_dtypes.float32):
        return _random.normal(shape, self.mean, self.stddev, dtype, self.seed)


class RandomUniform(Initializer):
    """Uniform in [minval, maxval)."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=_dtypes.float32):
        return _random.uniform(shape, self.minval, self.maxval, dtype, self.seed)


class GlorotUniform(Initializer):
    """Uniform within sqrt(6 / (fan_in + fan_out))."""

    def __init__(self, seed=None):
        self.seed = seed

    def __call__(self, shape, dtype=_dtypes.float32):
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


def get(identifier):
    """The initializer of a name, or the callable itself."""
    if isinstance(identifier, type):
        return identifier()
    if callable(identifier):
        return identifier
    if identifier not in _NAMES:
        raise ConversionError(f"Could not interpret initializer identifier: {identifier!r}; names are {sorted(_NAMES)}")
    return _NAMES[identifier]()
