"""Activations by name."""

from __future__ import annotations as _annotations

import typing as _t

from .. import math as _math
from .. import nn as _nn
from ..errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...typing import TensorLike as ArrayLike
    from .._tensor import Tensor as _Tensor

relu, elu, selu, gelu, softplus, softsign = _nn.relu, _nn.elu, _nn.selu, _nn.gelu, _math.softplus, _nn.softsign
silu = swish = _nn.silu
sigmoid, tanh, softmax, exponential = _math.sigmoid, _math.tanh, _math.softmax, _math.exp


def linear(x: ArrayLike) -> _Tensor:
    """x."""
    return x


def get(identifier: str | Callable[..., Any] | None) -> Callable[..., Any]:
    """The function of a name, of None (linear), or itself."""
    if identifier is None:
        return linear
    if callable(identifier):
        return identifier
    if identifier in ("get", "ConversionError") or not callable(globals().get(identifier)):
        raise ConversionError(f"Could not interpret activation function identifier: {identifier!r}")
    return globals()[identifier]
