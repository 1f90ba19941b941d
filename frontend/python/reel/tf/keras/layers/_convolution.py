"""Convolutions, by the core's kernels."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ..._convert import to_core
from ..._linked import linked
from ..._nn_windows import to_first, to_last
from ..._tensor import wrap
from ...errors import ConversionError
from .. import activations as _activations
from .._common import given
from .._layer import InputSpec, Layer
from ._basic import Weighted
from ._shaping import checked_format

if _t.TYPE_CHECKING:
    from typing import Any

_nn = _core.nn


def ints(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """A number for each axis; ValueError unless all are above 0."""
    values = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(values) != rank or any(not isinstance(v, int) or v <= 0 for v in values):
        raise ConversionError(
            f"The `{name}` argument must be a tuple of {rank} positive integers. Received: {name}={value}"
        )
    return values


def checked_padding(padding: str, causal: bool = False) -> str:
    """valid, same or causal."""
    text = str(padding).lower()
    if text not in (("valid", "same", "causal") if causal else ("valid", "same")):
        raise ConversionError(
            f"The `padding` argument must be one of {{'valid', 'same'{', causal' if causal else ''}}}. Received: {padding}"
        )
    return text


class _Convolution(Weighted):
    """What convolutions share: options of the window, of the kernel and of the bias."""

    _rank = 1
    _causal = False
    _strides_exclude_dilation = True
    _config: tuple[str, ...] = (
        "kernel_size", "strides", "padding", "data_format", "dilation_rate", "activation", "use_bias",
        "activity_regularizer",
    )  # fmt: skip

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        **options: Any,
    ) -> None:
        for name in type(self)._config:  # of the kind of convolution
            if name in options:
                setattr(self, name, options.pop(name))
        weights = {n: options.pop(n) for n in list(options) if n.partition("_")[2] in _KINDS and n[:8] != "activity"}
        super().__init__(**options)
        self._take_options(weights)
        self.kernel_size = ints(kernel_size, self._rank, "kernel_size")
        self.strides = ints(strides, self._rank, "strides")
        self.dilation_rate = ints(dilation_rate, self._rank, "dilation_rate")
        self.padding = checked_padding(padding, self._causal)
        self.data_format = checked_format(data_format)
        self.activation, self.use_bias = _activations.get(activation), use_bias
        if self._strides_exclude_dilation and max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ConversionError(
                f"`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides={self.strides} and "
                f"dilation_rate={self.dilation_rate}"
            )
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def get_config(self) -> dict[str, Any]:
        from .._serialize import serialize

        config = super().get_config()
        names = [f"{n}_{kind}" for n in self._options for kind in _KINDS]
        return config | {n: serialize(getattr(self, n)) for n in names if hasattr(self, n)}

    def _channels(self, shape):
        n = shape[1 if self.data_format == "channels_first" else -1]
        if n is None:
            raise ConversionError(
                f"{type(self).__name__}: the number of channels of the inputs must be known, their shape is {tuple(shape)}"
            )
        self.input_spec = InputSpec(ndim=self._rank + 2, axes={(1 if self.data_format == "channels_first" else -1): n})
        return n

    def _input(self, inputs):
        """The inputs, channels last."""
        x = to_core(inputs)
        if not (inputs.dtype.is_floating or inputs.dtype.is_complex):
            raise _core.InvalidArgumentError(
                f"{type(self).__name__}: the inputs must be floating, as its kernel is ({self.dtype}), not "
                f"{inputs.dtype.name}; convert them with tf.cast"
            )
        return to_last(x, self.data_format == "channels_first")

    def _finished(self, y):
        """With bias and activation, in the format of the inputs."""
        if self.use_bias:
            y = y + to_core(self.bias)
        return self.activation(wrap(to_first(y, self.data_format == "channels_first")))


_KINDS = ("initializer", "regularizer", "constraint")


class _Conv(_Convolution):
    """activation(convolution + bias): kernel [*kernel_size, channels / groups, filters]."""

    _config = ("filters", "groups")

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**given(locals()))
        if not isinstance(filters, int) or filters <= 0 or groups <= 0 or filters % groups:
            raise ConversionError(
                "Invalid value for argument `filters`. Expected a strictly positive value, a multiple of groups. Received "
                f"filters={filters}, groups={groups}."
            )

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        if channels % self.groups:
            raise ConversionError(
                f"The number of input channels must be evenly divisible by the number of groups. Received groups="
                f"{self.groups}, but the input has {channels} channels"
            )
        self.kernel = self._weight("kernel", (*self.kernel_size, channels // self.groups, self.filters))
        self.bias = self._weight("bias", (self.filters,)) if self.use_bias else None

    def call(self, inputs: Any) -> Any:
        """activation(convolution(inputs) + bias)."""
        x, padding = self._input(inputs), self.padding
        if padding == "causal":
            before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            x, padding = _core.pad(x, [(0, 0), (before, 0), (0, 0)]), "valid"
        _check_window(self, x, padding)
        if self.groups > 1:
            x = linked(x)
        convolve = (_nn.conv1d, _nn.conv2d, _nn.conv3d)[self._rank - 1]
        y = convolve(x, to_core(self.kernel), list(self.strides), padding, list(self.dilation_rate), self.groups)
        return self._finished(y)


def _check_window(layer, x, padding):
    """ValueError if no window fits."""
    sizes = [(k - 1) * d + 1 for k, d in zip(layer.kernel_size, layer.dilation_rate)]
    if padding == "valid" and any(n < k for n, k in zip(tuple(x.shape)[1:], sizes)):
        raise ConversionError(
            f"Computed output size would be negative. {type(layer).__name__}: windows of {tuple(sizes)} do not fit into "
            f"inputs {tuple(x.shape)}; use padding='same' or larger inputs"
        )


class Conv1D(_Conv):
    """Convolution along the steps of [batch, steps, channels]; padding may be causal."""

    _causal = True


class Conv2D(_Conv):
    """Convolution of images [batch, rows, columns, channels]."""

    _rank = 2


class Conv3D(_Conv):
    """Convolution of volumes [batch, planes, rows, columns, channels]."""

    _rank = 3


class _Transposed(_Convolution):
    """The transpose of a convolution: kernel [*kernel_size, filters, channels]."""

    _config = ("filters", "output_padding")

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**given(locals()))
        self.output_padding = None if output_padding is None else tuple(
            (output_padding,) * self._rank if isinstance(output_padding, int) else output_padding
        )  # fmt: skip
        if self.output_padding is not None and any(p >= s for p, s in zip(self.output_padding, self.strides)):
            raise ConversionError(
                f"Strides must be greater than output padding. Received strides={self.strides}, output_padding={output_padding}."
            )

    def build(self, input_shape: Any) -> None:
        self.kernel = self._weight("kernel", (*self.kernel_size, self.filters, self._channels(input_shape)))
        self.bias = self._weight("bias", (self.filters,)) if self.use_bias else None

    def _extent(self, n, i):
        """The extent of an axis of the output."""
        k, s = (self.kernel_size[i] - 1) * self.dilation_rate[i] + 1, self.strides[i]
        if self.output_padding is None:
            return n * s + (max(k - s, 0) if self.padding == "valid" else 0)
        cut = 0 if self.padding == "valid" else k // 2
        return (n - 1) * s + k - 2 * cut + self.output_padding[i]

    def call(self, inputs: Any) -> Any:
        """activation(transposed convolution(inputs) + bias)."""
        x = self._input(inputs)
        sizes = [self._extent(n, i) for i, n in enumerate(tuple(x.shape)[1:-1])]
        convolve = (_nn.conv1d_transpose, _nn.conv2d_transpose, _nn.conv3d_transpose)[self._rank - 1]
        y = convolve(
            x, to_core(self.kernel), list(self.strides), self.padding, list(self.dilation_rate), output_size=sizes
        )
        return self._finished(y)


class Conv1DTranspose(_Transposed):
    """The transpose of Conv1D."""


class Conv2DTranspose(_Transposed):
    """The transpose of Conv2D."""

    _rank = 2


class Conv3DTranspose(_Transposed):
    """The transpose of Conv3D."""

    _rank = 3

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        output_padding: Any = None,
        dilation_rate: Any = (1, 1, 1),
        **kwargs: Any,
    ) -> None:
        super().__init__(filters, kernel_size, strides, padding, output_padding, data_format, dilation_rate, **kwargs)


class _Depthwise(_Convolution):
    """Every channel by itself: kernel [*kernel_size, channels, depth_multiplier]."""

    _config = ("depth_multiplier",)
    _options = ("depthwise", "bias")
    _strides_exclude_dilation = False

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**given(locals()))
        _check_depthwise(self)

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        self.kernel = self._weight("kernel", shape, "depthwise")
        self.bias = self._weight("bias", (channels * self.depth_multiplier,)) if self.use_bias else None

    def call(self, inputs: Any) -> Any:
        """activation(convolution of each channel + bias)."""
        x = self._input(inputs)
        _check_window(self, x, self.padding)
        return self._finished(depthwise(self, x, to_core(self.kernel)))


def _check_depthwise(layer):
    if layer.depth_multiplier <= 0:
        raise ConversionError(
            "Invalid value for argument `depth_multiplier`. Expected a strictly positive value. Received "
            f"depth_multiplier={layer.depth_multiplier}."
        )


def depthwise(layer: Layer, x: _core.Tensor, kernel: _core.Tensor) -> _core.Tensor:
    """The convolution of each channel with a layer's window, by that of images."""
    strides, dilation = list(layer.strides), list(layer.dilation_rate)
    if layer._rank == 1:
        x, kernel = _core.expand_dims(x, axis=1), _core.expand_dims(kernel, axis=0)
        strides, dilation = [1, *strides], [1, *dilation]
    y = _nn.depthwise_conv2d(x, kernel, strides, layer.padding, dilation)
    return _core.squeeze(y, 1) if layer._rank == 1 else y


class DepthwiseConv1D(_Depthwise):
    """Every channel of steps by itself."""


class DepthwiseConv2D(_Depthwise):
    """Every channel of images by itself."""

    _rank = 2


class _Separable(_Convolution):
    """A depthwise convolution, then one of windows of 1."""

    _config = ("filters", "depth_multiplier")
    _options = ("depthwise", "pointwise", "bias")
    _strides_exclude_dilation = False

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**given(locals()))
        _check_depthwise(self)

    def build(self, input_shape: Any) -> None:
        channels, window = self._channels(input_shape), (1,) * self._rank
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        self.depthwise_kernel = self._weight("depthwise_kernel", shape, "depthwise")
        shape = (*window, channels * self.depth_multiplier, self.filters)
        self.pointwise_kernel = self._weight("pointwise_kernel", shape, "pointwise")
        self.bias = self._weight("bias", (self.filters,)) if self.use_bias else None

    def call(self, inputs: Any) -> Any:
        """activation(pointwise(depthwise(inputs)) + bias)."""
        x = self._input(inputs)
        _check_window(self, x, self.padding)
        x = depthwise(self, x, to_core(self.depthwise_kernel))
        convolve = (_nn.conv1d, _nn.conv2d)[self._rank - 1]
        y = convolve(x, to_core(self.pointwise_kernel), 1, "valid")
        return self._finished(y)


class SeparableConv1D(_Separable):
    """Depthwise, then pointwise, along steps."""


class SeparableConv2D(_Separable):
    """Depthwise, then pointwise, of images."""

    _rank = 2


Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution1DTranspose, Convolution2DTranspose, Convolution3DTranspose = (
    Conv1DTranspose,
    Conv2DTranspose,
    Conv3DTranspose,
)
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
