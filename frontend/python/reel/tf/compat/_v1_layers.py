"""tf.compat.v1.layers."""

from __future__ import annotations as _annotations

import typing as _t

from ..keras.layers import Dense as _Dense
from ..keras.layers import Flatten as Flatten

if _t.TYPE_CHECKING:
    from typing import Any

    from ...typing import TensorLike as ArrayLike


class Dense(_Dense):
    """Keras' layer, with apply for its call."""

    def apply(self, inputs: ArrayLike) -> Any:
        return self(inputs)


def dense(
    inputs: ArrayLike,
    units: int,
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = "glorot_uniform",
    bias_initializer: Any = "zeros",
    name: str | None = None,
    **options: Any,
) -> Any:
    """A new Dense layer of the inputs."""
    if not options.get("reuse"):
        options.pop("reuse", None)
    return Dense(units, activation, use_bias, kernel_initializer, bias_initializer, name=name, **options)(inputs)


def flatten(inputs: ArrayLike, name: str | None = None) -> Any:
    """All axes but the first as one."""
    return Flatten()(inputs)
