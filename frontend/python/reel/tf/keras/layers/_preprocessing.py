"""Layers that prepare data: scaling, statistics, categories."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _array, math
from ..._convert import cast, convert_to_tensor, to_core
from ..._tensor import wrap
from ...errors import ConversionError
from .._layer import Layer
from ._shaping import checked_format

if _t.TYPE_CHECKING:
    from typing import Any


class Rescaling(Layer):
    """x scale + offset."""

    _config = ("scale", "offset")

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset, self.supports_masking, self.built = scale, offset, True, True

    def call(self, inputs: Any) -> Any:
        """The scaled inputs, of the layer's dtype."""
        x = cast(convert_to_tensor(inputs), self.dtype)

        def number(v):
            return v if isinstance(v, (int, float)) else convert_to_tensor(v, dtype=self.dtype)

        return x * number(self.scale) + number(self.offset)


class Normalization(Layer):
    """(x - mean) / sqrt(variance) along axes, of given numbers or of what adapt(data) saw; invert: back."""

    _config = ("axis", "invert")

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if (mean is None) != (variance is None):
            raise ConversionError(
                f"When setting values directly, both `mean` and `variance` must be set. Received: mean={mean} and variance={variance}"
            )
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        self.invert, self.supports_masking = invert, True
        self._given = None if mean is None else (mean, variance)
        self.mean = self.variance = None

    def build(self, input_shape: Any) -> None:
        rank = len(input_shape)
        self._kept = tuple(sorted(a % rank for a in self.axis))
        if any(a == 0 for a in self._kept):
            raise ConversionError(f"The argument `axis` may not include the batch axis. Received: axis={self.axis}")
        shape = tuple(input_shape[a] for a in self._kept)
        if None in shape:
            raise ConversionError(
                f"All `axis` values to be kept must have a known shape. Received axis={self.axis}, inputs.shape={tuple(input_shape)}"
            )
        self._broadcast = [n if i in self._kept else 1 for i, n in enumerate(input_shape)]
        if self._given is None:
            self.adapt_mean = self.add_weight(shape, "zeros", trainable=False, name="mean")
            self.adapt_variance = self.add_weight(shape, "ones", trainable=False, name="variance")
            self.count = self.add_weight((), "zeros", dtype="int32", trainable=False, name="count")
            self._finalize()
        else:
            ones = _array.ones(self._broadcast, self.dtype)
            self.mean = ones * convert_to_tensor(self._given[0], dtype=self.dtype)
            self.variance = ones * convert_to_tensor(self._given[1], dtype=self.dtype)

    def adapt(self, data: Any) -> None:
        """Takes mean and variance of an array, or of a dataset's batches."""
        import numpy

        batches = [data] if hasattr(data, "shape") or isinstance(data, (list, tuple)) else data
        sums: Any = None
        for batch in batches:
            x = numpy.asarray(batch.numpy() if hasattr(batch, "numpy") else batch, dtype="float64")
            if not self.built:
                self.build(tuple(x.shape))
            axes = tuple(i for i in range(x.ndim) if i not in self._kept)
            n = x.size / max(int(numpy.prod([x.shape[a] for a in self._kept])), 1)
            now = numpy.stack([x.sum(axes), (x * x).sum(axes)])
            sums = (now, n) if sums is None else (sums[0] + now, sums[1] + n)
        if sums is None:
            raise ConversionError("Normalization.adapt: the data are empty")
        mean = sums[0][0] / sums[1]
        self.adapt_mean.assign(mean.astype(self.dtype))
        self.adapt_variance.assign((sums[0][1] / sums[1] - mean * mean).clip(0).astype(self.dtype))
        self.count.assign(int(sums[1]))
        self._finalize()

    def _finalize(self):
        self.mean = _array.reshape(self.adapt_mean.value(), self._broadcast)
        self.variance = _array.reshape(self.adapt_variance.value(), self._broadcast)

    def set_weights(self, weights: Any) -> None:
        super().set_weights(weights)
        if self._given is None:
            self._finalize()

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        x = cast(convert_to_tensor(inputs), self.dtype)
        if self._given is None:
            mean, variance = (_array.reshape(v, self._broadcast) for v in (self.adapt_mean, self.adapt_variance))
        else:
            mean, variance = self.mean, self.variance
        deviation = math.maximum(math.sqrt(variance), cast(1e-7, x.dtype))
        return mean + x * deviation if self.invert else (x - mean) / deviation

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        mean, variance = self._given or (None, None)
        plain = [v.tolist() if hasattr(v, "tolist") else v for v in (mean, variance)]
        return config | {"axis": self.axis or None, "mean": plain[0], "variance": plain[1]}


class CategoryEncoding(Layer):
    """Integers below num_tokens as one_hot rows, multi_hot rows, or counts."""

    _config = ("num_tokens", "output_mode")

    def __init__(
        self, num_tokens: int | None = None, output_mode: str = "multi_hot", sparse: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if sparse:
            raise _core.UnimplementedError("CategoryEncoding: there are no sparse tensors; leave out sparse=True")
        if output_mode == "binary":
            output_mode = "multi_hot"
        if output_mode not in ("count", "one_hot", "multi_hot"):
            raise ConversionError(
                f"Unknown argument for `output_mode`, expected one of ('count', 'one_hot', 'multi_hot'). Received: output_mode={output_mode}"
            )
        if num_tokens is None:
            raise ConversionError(
                "num_tokens must be set to use this layer. If the number of tokens is not known beforehand, use the IntegerLookup layer instead."
            )
        if num_tokens < 1:
            raise ConversionError(f"`num_tokens` must be >= 1. Received: num_tokens={num_tokens}.")
        self.num_tokens, self.output_mode = num_tokens, output_mode
        self.autocast = False
        self.built = True

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        """The encoded inputs, of the layer's dtype."""
        if count_weights is not None and self.output_mode != "count":
            raise ConversionError(
                f"`count_weights` is not used when `output_mode` is not `'count'`. Received `count_weights={count_weights}`."
            )
        x = cast(convert_to_tensor(inputs), "int64")
        rows = _array.one_hot(x, self.num_tokens, dtype=self.dtype)
        if self.output_mode == "one_hot":
            return _array.squeeze(rows, -2) if len(x.shape) and x.shape[-1] == 1 else rows
        if len(x.shape) == 0:
            return rows
        if count_weights is not None:
            rows = rows * _array.expand_dims(cast(convert_to_tensor(count_weights), self.dtype), -1)
        if len(x.shape) == 1 and self.output_mode == "multi_hot":
            return math.reduce_max(rows, axis=0)
        return (math.reduce_sum if self.output_mode == "count" else math.reduce_max)(rows, axis=-2)


class Discretization(Layer):
    """The index of the bin that each number is in."""

    _config = ("bin_boundaries", "num_bins", "epsilon", "output_mode")

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        dtype: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        dtype = ("int32" if output_mode == "int" else None) if dtype is None else dtype
        super().__init__(name=name, dtype=dtype, **kwargs)
        if sparse or output_mode != "int":
            raise _core.UnimplementedError(
                "Discretization: output_mode is 'int' here; CategoryEncoding encodes what it gives"
            )
        if bin_boundaries is None:
            raise _core.UnimplementedError("Discretization: give bin_boundaries; there is no adapt here")
        self.bin_boundaries, self.num_bins = [float(b) for b in bin_boundaries], num_bins
        self.epsilon, self.output_mode = epsilon, output_mode
        self.autocast = False
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Numbers of bins."""
        x = cast(convert_to_tensor(inputs), "float32")
        edges = _core.asarray(self.bin_boundaries, _core.float32)
        found = _core.searchsorted(edges, _core.reshape(to_core(x), (-1,)), side="right")
        return cast(wrap(_core.reshape(found, tuple(x.shape))), self.dtype)

    def get_config(self) -> dict[str, Any]:
        """What the constructor takes."""
        return {k: v for k, v in super().get_config().items() if k != "trainable"} | {"sparse": False}


class Resizing(Layer):
    """Images of another size."""

    _config = ("height", "width", "interpolation", "antialias", "data_format")

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False,
        fill_mode: str = "constant",
        fill_value: float = 0.0,
        antialias: bool = False,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if crop_to_aspect_ratio or pad_to_aspect_ratio or antialias:
            raise _core.UnimplementedError(
                "Resizing: there are no crop_to_aspect_ratio, pad_to_aspect_ratio and antialias; see tf.image"
            )
        if interpolation not in ("bilinear", "nearest"):
            raise _core.UnimplementedError(f"Resizing: interpolation is 'bilinear' or 'nearest', not {interpolation!r}")
        self.height, self.width, self.interpolation, self.antialias = height, width, interpolation, antialias
        self.data_format = checked_format(data_format)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The resized images."""
        x = to_core(cast(convert_to_tensor(inputs), self.dtype))
        first = x.ndim - 2 if self.data_format == "channels_first" else x.ndim - 3
        method = "linear" if self.interpolation == "bilinear" else "nearest"
        how = {} if method == "linear" else {"coordinates": "half_pixel"}
        return wrap(_core.nn.resize(x, [self.height, self.width], method, axes=(first, first + 1), **how))


class CenterCrop(Layer):
    """The middle of images; smaller ones are resized to cover it."""

    _config = ("height", "width", "data_format")

    def __init__(self, height: int, width: int, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.height, self.width, self.data_format, self.built = height, width, checked_format(data_format), True

    def call(self, inputs: Any) -> Any:
        """The cropped images."""
        x = cast(convert_to_tensor(inputs), self.dtype)
        first = len(x.shape) - (2 if self.data_format == "channels_first" else 3)
        rows, columns = x.shape[first], x.shape[first + 1]
        top, left = (rows - self.height) // 2, (columns - self.width) // 2
        if top < 0 or left < 0:
            raise _core.UnimplementedError(
                f"CenterCrop: images of {rows} x {columns} are smaller than {self.height} x {self.width}; resize them first"
            )
        index: list[Any] = [slice(None)] * len(x.shape)
        index[first], index[first + 1] = slice(top, top + self.height), slice(left, left + self.width)
        return x[tuple(index)]
