"""Regularizers: penalties on the values of a variable."""

from __future__ import annotations as _annotations

import math as _python_math
import struct as _struct
import typing as _t

from .. import _array
from .. import math as _math
from ..errors import ConversionError
from . import _common
from ._common import tensor as _tensor
from ._loss_functions import unit as _unit

if _t.TYPE_CHECKING:
    from typing import Any

    from ...typing import TensorLike as ArrayLike


class Regularizer:
    """regularizer(x) is the penalty, a scalar; none unless a subclass says otherwise."""

    _options: tuple[str, ...] = ()

    def __call__(self, x: ArrayLike) -> Any:
        return 0.0

    def get_config(self) -> dict[str, Any]:
        """The options, for from_config."""
        if not self._options:
            raise NotImplementedError(f"{self} does not implement get_config()")
        return {name: getattr(self, name) for name in self._options}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Regularizer:
        """A regularizer of these options."""
        return cls(**config)


def _checked(name, value):
    if not isinstance(value, (int, float)) or not _python_math.isfinite(value) or value < 0:
        raise ConversionError(
            f"Invalid value for argument {name}: expected a non-negative float. Received: {name}={value}"
        )
    return float(value)


def _single(value):
    """As float32 has it."""
    return _struct.unpack("f", _struct.pack("f", value))[0]


class L1L2(Regularizer):
    """l1 times the sum of |x| plus l2 times the sum of x^2."""

    _options = ("l1", "l2")

    def __init__(self, l1: float | None = 0.0, l2: float | None = 0.0) -> None:
        self.l1, self.l2 = _checked("l1", l1 or 0.0), _checked("l2", l2 or 0.0)

    def __call__(self, x: ArrayLike) -> Any:
        x = _tensor(x)
        penalty = _tensor(0.0, x.dtype)
        if self.l1:
            penalty = penalty + _tensor(self.l1, x.dtype) * _math.reduce_sum(_math.abs(x))
        if self.l2:
            penalty = penalty + _tensor(self.l2, x.dtype) * _math.reduce_sum(_math.square(x))
        return penalty


class L1(Regularizer):
    """l1 times the sum of |x|."""

    _options = ("l1",)

    def __init__(self, l1: float | None = 0.01) -> None:
        self.l1 = _single(_checked("l1", 0.01 if l1 is None else l1))

    def __call__(self, x: ArrayLike) -> Any:
        x = _tensor(x)
        return _tensor(self.l1, x.dtype) * _math.reduce_sum(_math.abs(x))


class L2(Regularizer):
    """l2 times the sum of x^2."""

    _options = ("l2",)

    def __init__(self, l2: float | None = 0.01) -> None:
        self.l2 = _checked("l2", 0.01 if l2 is None else l2)

    def __call__(self, x: ArrayLike) -> Any:
        x = _tensor(x)
        return _tensor(self.l2, x.dtype) * _math.reduce_sum(_math.square(x))


class OrthogonalRegularizer(Regularizer):
    """factor times the mean |cos| of the angles between the rows (or columns) of a matrix."""

    _options = ("factor", "mode")

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        self.factor, self.mode = _single(_checked("factor", factor)), mode
        if mode not in ("rows", "columns"):
            raise ConversionError(
                f'Invalid value for argument `mode`. Expected one of {{"rows", "columns"}}. Received: mode={mode}'
            )

    def __call__(self, inputs: ArrayLike) -> Any:
        x = _tensor(inputs)
        if len(x.shape) != 2:
            raise ConversionError(f"Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape={x.shape}")
        rows = self.mode == "rows"
        x = _unit(x, 1 if rows else 0)
        product = _math.matmul(x, x, transpose_a=not rows, transpose_b=rows)
        size = x.shape[0 if rows else 1]
        others = product * (1.0 - _array.eye(size, dtype=x.dtype))
        return self.factor * 0.5 * _math.reduce_sum(_math.abs(others)) / (size * (size - 1.0) / 2.0)


l1, l2, l1_l2, orthogonal_regularizer = L1, L2, L1L2, OrthogonalRegularizer
_CLASSES = {c.__name__: c for c in (L1, L2, L1L2, OrthogonalRegularizer)}
_NAMES = _common.Names(
    "regularizers", "regularizer", _CLASSES, {_common.snake_case(n): c for n, c in _CLASSES.items()} | {"l1_l2": L1L2}
)


def serialize(regularizer: Any) -> Any:
    """Class name and options: what deserialize takes."""
    return _NAMES.serialize(regularizer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The regularizer that serialize wrote."""
    return _NAMES.deserialize(config, custom_objects)


def get(identifier: Any) -> Any:
    """The regularizer of a name ("l2"), a configuration, or the callable itself; None for None."""
    return _NAMES.get(identifier)
