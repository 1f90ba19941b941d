"""Pooling: the maximum or the mean of windows, or of all of a channel."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ..._convert import to_core
from ..._linked import linked
from ..._tensor import wrap
from ...errors import ConversionError
from .._layer import InputSpec, Layer
from ._basic import same_dtype
from ._convolution import checked_padding, ints
from ._shaping import checked_format

if _t.TYPE_CHECKING:
    from typing import Any

_nn = _core.nn


class _Pool(Layer):
    """The maximum or mean of windows."""

    _rank = 1
    _of: tuple[Any, ...] = ()
    _is_max = False
    _config = ("pool_size", "padding", "strides", "data_format")

    def __init__(
        self,
        pool_size: Any,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = ints(pool_size, self._rank, "pool_size")
        self.strides = ints(pool_size if strides is None else strides, self._rank, "strides")
        checked_padding(padding)
        self.padding, self.data_format = padding, checked_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """One value for each window."""
        x, padding = to_core(inputs), self.padding.lower()
        first = 2 if self.data_format == "channels_first" else 1
        if self._rank == 3 and not inputs.dtype.is_floating:
            raise _core.InvalidArgumentError(
                f"{type(self).__name__}: the inputs must be floating, not {inputs.dtype.name}; convert them with tf.cast"
            )
        if padding == "valid" and any(n < k for n, k in zip(tuple(x.shape)[first:], self.pool_size)):
            raise ConversionError(
                f"Computed output size would be negative. {type(self).__name__}: windows of {self.pool_size} do not fit into "
                f"inputs {tuple(x.shape)}"
            )
        pool = self._of[self._rank - 1]
        x = linked(x) if self._is_max else x
        return wrap(pool(x, list(self.pool_size), list(self.strides), padding, data_format=self.data_format))


class MaxPooling1D(_Pool):
    """The maximum of windows of steps."""

    _of = (_nn.max_pool1d, _nn.max_pool2d, _nn.max_pool3d)
    _is_max = True

    def __init__(self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", data_format: Any = None,
                 name: str | None = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


class MaxPooling2D(MaxPooling1D):
    """The maximum of windows of images."""

    _rank = 2


class MaxPooling3D(MaxPooling1D):
    """The maximum of windows of volumes."""

    _rank = 3


class AveragePooling1D(_Pool):
    """The mean of windows of steps; of what is inside, with padding same."""

    _of = (_nn.avg_pool1d, _nn.avg_pool2d, _nn.avg_pool3d)


class AveragePooling2D(AveragePooling1D):
    """The mean of windows of images."""

    _rank = 2


class AveragePooling3D(AveragePooling1D):
    """The mean of windows of volumes."""

    _rank = 3


class _Global(Layer):
    """One value for each channel."""

    _rank = 1
    _is_mean = False
    _config = ("data_format", "keepdims")

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format, self.keepdims = checked_format(data_format), keepdims
        self.input_spec = InputSpec(ndim=self._rank + 2)
        self.built = True

    def _axes(self):
        first = 2 if self.data_format == "channels_first" else 1
        return list(range(first, first + self._rank))

    def call(self, inputs: Any) -> Any:
        """The maximum, or mean, of each channel."""
        x = to_core(same_dtype(inputs, self) if self._is_mean else inputs)
        return wrap((_core.mean if self._is_mean else _core.max)(x, axis=self._axes(), keepdims=self.keepdims))


class GlobalMaxPooling1D(_Global):
    """The maximum of all steps."""


class GlobalMaxPooling2D(_Global):
    """The maximum of whole images."""

    _rank = 2


class GlobalMaxPooling3D(_Global):
    """The maximum of whole volumes."""

    _rank = 3


class GlobalAveragePooling1D(_Global):
    """The mean of all steps, of those that are not masked if there is a mask."""

    _is_mean = True

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(data_format, keepdims, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The mean of each channel."""
        if mask is None:
            return super().call(inputs)
        x, axis = to_core(inputs), self._axes()[0]
        weights = _core.expand_dims(_core.astype(to_core(mask), x.dtype), axis=2 if axis == 1 else 1)
        total = _core.sum(x * weights, axis=axis, keepdims=self.keepdims)
        return wrap(total / _core.sum(weights, axis=axis, keepdims=self.keepdims))

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return None


class GlobalAveragePooling2D(_Global):
    """The mean of whole images."""

    _rank, _is_mean = 2, True


class GlobalAveragePooling3D(_Global):
    """The mean of whole volumes."""

    _rank, _is_mean = 3, True


MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D = GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D
GlobalAvgPool1D, GlobalAvgPool2D, GlobalAvgPool3D = (
    GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAveragePooling3D,
)  # fmt: skip
