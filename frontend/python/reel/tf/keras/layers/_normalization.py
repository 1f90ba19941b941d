"""Normalisation by statistics of batches, features, groups."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _array, math, nn
from ..._convert import cast
from ...errors import ConversionError
from .._common import given
from .._layer import InputSpec, Layer
from ._basic import Weighted, refuse_options, same_dtype

if _t.TYPE_CHECKING:
    from typing import Any


class _ScaleAndCenter(Weighted):
    """gamma and beta with their options."""

    _options = ("gamma", "beta")
    _config: tuple[str, ...] = (
        "epsilon", "center", "scale", "beta_initializer", "gamma_initializer", "beta_regularizer", "gamma_regularizer",
        "beta_constraint", "gamma_constraint",
    )  # fmt: skip

    def __init__(
        self,
        epsilon: float,
        center: bool,
        scale: bool,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.epsilon, self.center, self.scale = epsilon, center, scale
        self._take_options(given(locals()))
        self.supports_masking = True
        self.gamma = self.beta = None

    def _make(self, shape):
        if self.scale:
            self.gamma = self._weight("gamma", shape)
        if self.center:
            self.beta = self._weight("beta", shape)


def _wide(x):
    """Statistics of 16 bits and of integers are computed in float32."""
    return x if x.dtype.name in ("float32", "float64") else cast(x, "float32")


def _narrow(y, inputs, layer):
    """What was computed of inputs in their dtype, then in the layer's: both roundings are Keras's."""
    return cast(cast(y, inputs.dtype), layer.dtype)


class BatchNormalization(_ScaleAndCenter):
    """(x - mean) / sqrt(variance + epsilon) gamma + beta: of the batch when training, else moving ones.

    When training, moving = moving momentum + batch's (1 - momentum).
    """

    _config = (
        "axis", "momentum", "moving_mean_initializer", "moving_variance_initializer", "synchronized", "renorm",
        "renorm_clipping", "renorm_momentum",
    )  # fmt: skip

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        synchronized: bool = False,
        **kwargs: Any,
    ) -> None:
        from .. import initializers

        super().__init__(
            epsilon, center, scale, beta_initializer, gamma_initializer, beta_regularizer, gamma_regularizer,
            beta_constraint, gamma_constraint, **kwargs,
        )  # fmt: skip
        refuse_options(self, renorm=renorm, renorm_clipping=renorm_clipping)
        self.renorm, self.renorm_clipping, self.renorm_momentum = False, None, renorm_momentum
        self.axis, self.momentum, self.synchronized = int(axis), float(momentum), synchronized
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def build(self, input_shape: Any) -> None:
        n = input_shape[self.axis]
        if n is None:
            raise ConversionError(f"BatchNormalization: axis {self.axis} of {tuple(input_shape)} must be known")
        self._make((n,))
        self.moving_mean = self.add_weight((n,), self.moving_mean_initializer, trainable=False, name="moving_mean")
        self.moving_variance = self.add_weight(
            (n,), self.moving_variance_initializer, trainable=False, name="moving_variance"
        )
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: n})

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        """The normalised inputs."""
        inputs = same_dtype(inputs, self)
        x, rank = _wide(inputs), len(inputs.shape)
        axis = self.axis % rank
        shape = [n if i == axis else 1 for i, n in enumerate(inputs.shape)]

        def along(v):
            v = cast(v.value() if hasattr(v, "assign") else v, x.dtype)
            return v if axis == rank - 1 else _array.reshape(v, shape)

        if training and self.trainable:
            mean, variance = self._moments(x, [i for i in range(rank) if i != axis], mask)
            for moving, now in ((self.moving_mean, mean), (self.moving_variance, variance)):
                moving.assign(moving * self.momentum + cast(now, moving.dtype) * (1 - self.momentum))
        else:
            mean, variance = self.moving_mean, self.moving_variance
        y = nn.batch_normalization(
            x, along(mean), along(variance), None if self.beta is None else along(self.beta),
            None if self.gamma is None else along(self.gamma), self.epsilon,
        )  # fmt: skip
        return cast(y, inputs.dtype)

    def _moments(self, x, axes, mask):
        if mask is None:
            return nn.moments(x, axes)
        weights = _array.broadcast_to(
            _array.reshape(cast(mask, x.dtype), [*mask.shape, *(1,) * (len(x.shape) - len(mask.shape))]), x.shape
        )
        total = math.reduce_sum(weights, axes, keepdims=True)
        mean = math.reduce_sum(x * weights, axes, keepdims=True) / (total + 1e-7)
        variance = math.reduce_sum(weights * math.square(x - mean), axes) / (_array.reshape(total, [-1]) + 1e-7)
        return _array.reshape(mean, [-1]), variance


class LayerNormalization(_ScaleAndCenter):
    """(x - mean) / sqrt(variance + epsilon) gamma + beta over the last axis, or some axes."""

    _config = ("axis", "rms_scaling")

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        rms_scaling: bool = False,
        **kwargs: Any,
    ) -> None:
        if rms_scaling:
            raise _core.UnimplementedError("LayerNormalization: for rms_scaling there is RMSNormalization")
        self.rms_scaling = False
        super().__init__(
            epsilon, center, scale, beta_initializer, gamma_initializer, beta_regularizer, gamma_regularizer,
            beta_constraint, gamma_constraint, **kwargs,
        )  # fmt: skip
        if not isinstance(axis, (int, list, tuple)):
            raise _core.InvalidTypeError(
                f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis}"
            )
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.autocast = False

    def _axes(self):
        return self.axis if isinstance(self.axis, list) else [self.axis]

    def build(self, input_shape: Any) -> None:
        self._make([input_shape[a] for a in self._axes()])

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        x, rank = _wide(inputs), len(inputs.shape)
        axes = sorted(a % rank for a in self._axes())
        mean, variance = nn.moments(x, axes, keepdims=True)
        shape = [n if i in axes else 1 for i, n in enumerate(inputs.shape)]

        def along(v):
            return None if v is None else cast(v.value() if axes == [rank - 1] else _array.reshape(v, shape), x.dtype)

        y = nn.batch_normalization(x, mean, variance, along(self.beta), along(self.gamma), self.epsilon)
        return _narrow(y, inputs, self)


class RMSNormalization(Layer):
    """x / sqrt(mean x^2 + epsilon) scale over the last axis, or some axes."""

    _config = ("axis", "epsilon")

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis, self.epsilon, self.supports_masking = axis, epsilon, True

    def build(self, input_shape: Any) -> None:
        axes = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        self.scale = self.add_weight([input_shape[a] for a in axes], "ones", name="scale")

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        axes = list(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]
        axes = sorted(a % len(inputs.shape) for a in axes)
        x = _wide(inputs)
        shape = [n if i in axes else 1 for i, n in enumerate(inputs.shape)]
        y = x * math.rsqrt(math.reduce_mean(math.square(x), axes, keepdims=True) + self.epsilon)
        return cast(y * cast(_array.reshape(self.scale, shape), x.dtype), inputs.dtype)


class GroupNormalization(_ScaleAndCenter):
    """Each group of channels of each example by its own mean and variance; groups=-1: each channel by itself."""

    _config = ("groups", "axis")

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            epsilon, center, scale, beta_initializer, gamma_initializer, beta_regularizer, gamma_regularizer,
            beta_constraint, gamma_constraint, **kwargs,
        )  # fmt: skip
        self.groups, self.axis = groups, axis
        self.autocast = False

    def build(self, input_shape: Any) -> None:
        n = input_shape[self.axis]
        if n is None:
            raise ConversionError(
                f"Axis {self.axis} of input tensor should have a defined dimension but the layer received an input with shape {tuple(input_shape)}."
            )
        if self.groups == -1:
            self.groups = n
        if n < self.groups or n % self.groups:
            raise ConversionError(
                f"Number of groups ({self.groups}) must be a divisor of the number of channels ({n})."
            )
        self._make((n,))
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: n})

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        x, rank = _wide(inputs), len(inputs.shape)
        axis, shape = self.axis % rank, list(inputs.shape)
        n = shape[axis]
        split = [*shape[:axis], self.groups, n // self.groups, *shape[axis + 1 :]]
        parts = _array.reshape(x, split)
        mean, variance = nn.moments(parts, [i for i in range(1, rank + 1) if i != axis], keepdims=True)
        ones = [1] * (rank + 1)
        ones[axis], ones[axis + 1] = self.groups, n // self.groups

        def along(v):
            return None if v is None else cast(_array.reshape(v, ones), x.dtype)

        y = nn.batch_normalization(parts, mean, variance, along(self.beta), along(self.gamma), self.epsilon)
        return _narrow(_array.reshape(y, shape), inputs, self)


class UnitNormalization(Layer):
    """x / its norm along an axis, or axes."""

    _config = ("axis",)

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        axes = axis if isinstance(axis, (list, tuple)) else [axis]
        if not all(isinstance(a, int) for a in axes):
            raise _core.InvalidTypeError(
                f"Invalid value for `axis` argument: expected an int or a list/tuple of ints. Received: axis={axis}"
            )
        self.axis = list(axes) if isinstance(axis, (list, tuple)) else axis
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        total = math.reduce_sum(math.square(inputs), self.axis, keepdims=True)
        return inputs * math.rsqrt(math.maximum(total, cast(1e-12, inputs.dtype)))
