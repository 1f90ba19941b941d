"""Constraints: what a variable becomes after an update."""

from __future__ import annotations as _annotations

import typing as _t

from .. import math as _math
from . import _common
from ._common import EPSILON as _EPSILON
from ._common import tensor as _tensor

if _t.TYPE_CHECKING:
    from typing import Any

    from ...typing import TensorLike as ArrayLike
    from .._signatures import Axes


class Constraint:
    """constraint(w) is the nearest value that is allowed; w itself unless a subclass says otherwise."""

    _options: tuple[str, ...] = ()

    def __call__(self, w: ArrayLike) -> Any:
        return w

    def get_config(self) -> dict[str, Any]:
        """The options, for from_config."""
        return {name: getattr(self, name) for name in self._options}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Constraint:
        """A constraint of these options."""
        return cls(**config)


def _weight(w):
    """A tensor; integers as float32."""
    w = _tensor(w)
    return w if w.dtype.is_floating or w.dtype.is_complex else _tensor(w, "float32")


def _norms(w, axis):
    return _math.sqrt(_math.reduce_sum(_math.square(w), axis, True))


class MaxNorm(Constraint):
    """Norms along an axis at most max_value."""

    _options = ("max_value", "axis")

    def __init__(self, max_value: float = 2, axis: Axes = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: ArrayLike) -> Any:
        w = _weight(w)
        norms = _norms(w, self.axis)
        return w * (_math.clip_by_value(norms, 0, self.max_value) / (_EPSILON + norms))


class MinMaxNorm(Constraint):
    """Norms along an axis nearer to [min_value, max_value] by the part `rate`."""

    _options = ("min_value", "max_value", "rate", "axis")

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Axes = 0) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: ArrayLike) -> Any:
        w = _weight(w)
        norms = _norms(w, self.axis)
        inside = _math.clip_by_value(norms, self.min_value, self.max_value)
        return w * ((self.rate * inside + (1 - self.rate) * norms) / (_EPSILON + norms))


class UnitNorm(Constraint):
    """Norms along an axis 1."""

    _options = ("axis",)

    def __init__(self, axis: Axes = 0) -> None:
        self.axis = axis

    def __call__(self, w: ArrayLike) -> Any:
        w = _weight(w)
        return w / (_EPSILON + _norms(w, self.axis))


class NonNeg(Constraint):
    """Nothing below 0."""

    def __call__(self, w: ArrayLike) -> Any:
        return _math.maximum(_tensor(w), 0)


max_norm, min_max_norm, unit_norm, non_neg = MaxNorm, MinMaxNorm, UnitNorm, NonNeg
_CLASSES = {c.__name__: c for c in (MaxNorm, MinMaxNorm, UnitNorm, NonNeg)}
_NAMES = _common.Names("constraints", "constraint", _CLASSES, {_common.snake_case(n): c for n, c in _CLASSES.items()})


def serialize(constraint: Any) -> Any:
    """Class name and options: what deserialize takes."""
    return _NAMES.serialize(constraint)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The constraint that serialize wrote."""
    return _NAMES.deserialize(config, custom_objects)


def get(identifier: Any) -> Any:
    """The constraint of a name ("max_norm"), a configuration, or the callable itself; None for None."""
    return _NAMES.get(identifier)
