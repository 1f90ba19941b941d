"""Activations as layers."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _array, math, nn
from ..._convert import cast, convert_to_tensor
from ..._tensor import wrap
from ...errors import ConversionError
from .. import activations as _activations
from .. import initializers as _initializers
from .._layer import InputSpec, Layer, constraint_of, regularizer_of

if _t.TYPE_CHECKING:
    from typing import Any


class _Elementwise(Layer):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True


class ReLU(_Elementwise):
    """x from threshold on, at most max_value; below it negative_slope (x - threshold)."""

    _config = ("max_value", "negative_slope", "threshold")

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0.0, threshold: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        for name, value in {"max_value": max_value, "negative_slope": negative_slope, "threshold": threshold}.items():
            if value is None and name != "max_value" or value is not None and value < 0:
                raise ConversionError(f"{name} of a ReLU layer cannot be a negative value. Received: {name}={value}")
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs: Any) -> Any:
        """relu(inputs)."""
        return _activations.relu(convert_to_tensor(inputs), self.negative_slope, self.max_value, self.threshold)


class LeakyReLU(_Elementwise):
    """x above 0, else negative_slope x."""

    _config = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.3, **kwargs: Any) -> None:
        if "alpha" in kwargs:
            negative_slope = kwargs.pop("alpha")
        super().__init__(**kwargs)
        if negative_slope is None or negative_slope < 0:
            raise ConversionError(
                f"The negative_slope value of a Leaky ReLU layer cannot be None or negative value. Expected a float. Received: negative_slope={negative_slope}"
            )
        self.negative_slope = negative_slope

    def call(self, inputs: Any) -> Any:
        """leaky_relu(inputs)."""
        return nn.leaky_relu(inputs, self.negative_slope)


class ELU(_Elementwise):
    """x above 0, else alpha (exp(x) - 1)."""

    _config = ("alpha",)

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any) -> Any:
        """elu(inputs)."""
        y = nn.elu(inputs)
        return y if self.alpha == 1 else _array.where(inputs > 0, y, y * self.alpha)


class ThresholdedReLU(_Elementwise):
    """x above theta, else 0."""

    _config = ("theta",)

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if theta is None or theta < 0:
            raise ConversionError(
                f"Theta of a Thresholded ReLU layer cannot be None, expecting a float >= 0. Received: {theta}"
            )
        self.theta = float(theta)

    def call(self, inputs: Any) -> Any:
        """The inputs that are above theta."""
        return inputs * cast(inputs > self.theta, inputs.dtype)


class Softmax(_Elementwise):
    """softmax along axis (or axes); where a mask is False, 0."""

    _config = ("axis",)

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """softmax(inputs)."""
        if mask is not None:
            low = {"float16": -3e4}.get(inputs.dtype.name, -1e9)
            inputs = inputs + (1 - cast(mask, inputs.dtype)) * low
        axis = self.axis
        if isinstance(axis, (list, tuple)):
            axis = list(axis) if len(axis) > 1 else axis[0]
        return _activations.softmax(inputs, axis=axis)


class PReLU(Layer):
    """x above 0, else alpha x, with an alpha for each element, shared along some axes."""

    _config = ("alpha_initializer", "alpha_regularizer", "alpha_constraint", "shared_axes")

    def __init__(
        self,
        alpha_initializer: Any = "Zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.alpha_initializer = _initializers.get(alpha_initializer)
        self.alpha_regularizer = regularizer_of(alpha_regularizer)
        self.alpha_constraint = constraint_of(alpha_constraint)
        self.shared_axes = None if shared_axes is None else (
            list(shared_axes) if isinstance(shared_axes, (list, tuple)) else [shared_axes]
        )  # fmt: skip

    def build(self, input_shape: Any) -> None:
        shape = list(input_shape[1:])
        for axis in self.shared_axes or ():
            shape[axis - 1] = 1
        if None in shape:
            raise ConversionError(
                f"PReLU: the extents of {tuple(input_shape)} must be known; share alpha along the others"
            )
        self.alpha = self.add_weight(
            shape, self.alpha_initializer, name="alpha", regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )  # fmt: skip
        axes = {i: n for i, n in enumerate(input_shape) if i and i not in (self.shared_axes or ())}
        self.input_spec = InputSpec(ndim=len(input_shape), axes=axes)

    def call(self, inputs: Any) -> Any:
        """relu(inputs) - alpha relu(-inputs)."""
        return nn.relu(inputs) - self.alpha * nn.relu(-inputs)
