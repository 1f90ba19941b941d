"""tf.experimental.numpy.random: numbers of the global generator, float64."""

from __future__ import annotations as _annotations

import typing as _t

from ... import random as _random
from ..._convert import cast as _cast
from ._types import preferred as _preferred

if _t.TYPE_CHECKING:
    from typing import Any


def _shape(size):
    return [] if size is None else [size] if isinstance(size, int) else list(size)


def seed(s: int) -> None:
    """tf.random.set_seed."""
    _random.set_seed(s)


def randn(*args: int) -> Any:
    """Normal numbers in a shape."""
    return _random.normal(list(args), dtype=_preferred("float64"))


def standard_normal(size: Any = None) -> Any:
    """Normal numbers in a shape."""
    return _random.normal(_shape(size), dtype=_preferred("float64"))


def uniform(low: float = 0.0, high: float = 1.0, size: Any = None) -> Any:
    """Uniform numbers in [low, high)."""
    return _random.uniform(_shape(size), low, high, _preferred("float64"))


def random(size: Any = None) -> Any:
    """Uniform numbers in [0, 1)."""
    return uniform(0.0, 1.0, size)


def rand(*size: int) -> Any:
    """Uniform numbers in [0, 1) in a shape."""
    return uniform(0.0, 1.0, size)


def randint(low: int, high: int | None = None, size: Any = None, dtype: Any = "int64") -> Any:
    """Uniform integers in [low, high), or [0, low)."""
    low, high = (0, low) if high is None else (low, high)
    return _cast(_random.uniform(_shape(size), low, high, "int64"), dtype)


def poisson(lam: float = 1.0, size: Any = None) -> Any:
    """Numbers of the Poisson distribution, int64."""
    return _cast(_random.poisson(_shape(size), lam), "int64")
