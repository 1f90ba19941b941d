"""Layers that prepare data: scaling, statistics, categories."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _array, math
from ... import debugging as _debugging
from ..._convert import cast, convert_to_tensor, to_core
from ..._tensor import wrap
from ...errors import ConversionError
from .._layer import Layer
from ._shaping import checked_format, resized

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
            return cast(convert_to_tensor(v), self.dtype)

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
        if any(a == 0 for a in self._kept) and rank > 1:
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
            self.count = self.add_weight((), "zeros", dtype="int64", trainable=False, name="count")
            self.finalize_state()
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
        self.finalize_state()

    def finalize_state(self) -> None:
        """Takes mean and variance from the weights: after set_weights, which alone changes nothing, as in Keras."""
        if self._given is None and "count" in self.__dict__:
            self.mean = _array.reshape(self.adapt_mean.value(), self._broadcast)
            self.variance = _array.reshape(self.adapt_variance.value(), self._broadcast)

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        x = cast(convert_to_tensor(inputs), self.dtype)
        mean, variance = self.mean, self.variance
        deviation = math.maximum(math.sqrt(variance), cast(1e-7, x.dtype))
        return mean + x * deviation if self.invert else (x - mean) / deviation

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        mean, variance = self._given or (None, None)
        plain = [v.tolist() if hasattr(v, "tolist") else v for v in (mean, variance)]
        return config | {"axis": self.axis, "mean": plain[0], "variance": plain[1]}


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
        return encoded(inputs, self.num_tokens, self.output_mode, self.dtype, count_weights)


def encoded(inputs: Any, tokens: int, mode: str, dtype: str, count_weights: Any = None) -> Any:
    """Integers as rows of zeros and ones of each, or of each list of them, or counts."""
    x = cast(convert_to_tensor(inputs), "int64")
    if mode != "one_hot":
        _debugging.assert_non_negative(x, "CategoryEncoding: inputs must be non-negative")
    rows = _array.one_hot(x, tokens, dtype=dtype)
    if mode == "one_hot":
        return _array.squeeze(rows, -2) if len(x.shape) and x.shape[-1] == 1 else rows
    if len(x.shape) == 0:
        return rows
    if count_weights is not None:
        rows = rows * _array.expand_dims(cast(convert_to_tensor(count_weights), dtype), -1)
    return (math.reduce_sum if mode == "count" else math.reduce_max)(rows, axis=-2)


class Discretization(Layer):
    """The bin that each number is in: its index, or encoded as CategoryEncoding does. Bins are given, or adapt finds them."""

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
        super().__init__(name=name, dtype="float32" if dtype is None else dtype, **kwargs)
        if sparse:
            raise _core.UnimplementedError("Discretization: there are no sparse tensors; leave out sparse=True")
        if output_mode not in ("int", "one_hot", "multi_hot", "count"):
            raise ConversionError(
                "Unknown value for `output_mode` argument of Discretization. Allowed values are: ('int', 'one_hot', "
                f"'multi_hot', 'count'). Received: output_mode={output_mode}"
            )
        if (num_bins is None) == (bin_boundaries is None):
            raise ConversionError(
                "Discretization: exactly one of `num_bins` and `bin_boundaries` must be set. Received: "
                f"num_bins={num_bins}, bin_boundaries={bin_boundaries}"
            )
        self.bin_boundaries, self.num_bins = (
            None if bin_boundaries is None else [float(b) for b in bin_boundaries],
            num_bins,
        )
        self.epsilon, self.output_mode = epsilon, output_mode
        self.autocast = False
        self.built = True

    def call(self, inputs: Any) -> Any:
        """Numbers of bins, int32, or encoded in the layer's dtype."""
        if self.bin_boundaries is None:
            raise ConversionError(
                "You need to either pass the `bin_boundaries` argument at construction time or call `adapt(dataset)` before "
                "you can start using the `Discretization` layer."
            )
        x = cast(convert_to_tensor(inputs), "float32")
        edges = _core.asarray(self.bin_boundaries, _core.float32)
        found = _core.searchsorted(edges, _core.reshape(to_core(x), (-1,)), side="right")
        bins = cast(wrap(_core.reshape(found, tuple(x.shape))), "int32")
        if self.output_mode == "int":
            return bins
        return encoded(bins, len(self.bin_boundaries) + 1, self.output_mode, self.dtype)

    def get_config(self) -> dict[str, Any]:
        """What the constructor takes."""
        config = {k: v for k, v in super().get_config().items() if k != "trainable"}
        return config | {"sparse": False, "dtype": self.dtype}


class Resizing(Layer):
    """Images of another size."""

    _config = (
        "height", "width", "interpolation", "antialias", "data_format", "crop_to_aspect_ratio", "pad_to_aspect_ratio",
        "fill_mode", "fill_value",
    )  # fmt: skip

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
        self.height, self.width, self.interpolation, self.antialias = height, width, interpolation, antialias
        self.crop_to_aspect_ratio, self.pad_to_aspect_ratio = crop_to_aspect_ratio, pad_to_aspect_ratio
        self.fill_mode, self.fill_value = fill_mode, fill_value
        if crop_to_aspect_ratio and pad_to_aspect_ratio:
            raise ConversionError("Resizing: only one of crop_to_aspect_ratio and pad_to_aspect_ratio can be True")
        if pad_to_aspect_ratio and fill_mode != "constant":
            raise _core.UnimplementedError(f"Resizing: fill_mode is 'constant', not {fill_mode!r}")
        self.data_format = checked_format(data_format)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The resized images."""
        x = convert_to_tensor(inputs)
        if len(x.shape) not in (3, 4):
            raise ConversionError(f"Resizing: images have 3 axes, or 4 with a batch; the inputs are {tuple(x.shape)}")
        wanted = self.height, self.width
        if self.crop_to_aspect_ratio:
            x = x[_middle(self, x, _of_ratio(_rows_and_columns(self, x), wanted, min))]
        if self.pad_to_aspect_ratio:
            x = self._padded(x, _of_ratio(_rows_and_columns(self, x), wanted, max))
        return resized(self, x, list(wanted), self.antialias)

    def _padded(self, x, sizes):
        """The images in the middle of larger ones."""
        pairs, first = [(0, 0)] * len(x.shape), _first_axis(self, x)
        for i, (n, size) in enumerate(zip(_rows_and_columns(self, x), sizes)):
            pairs[first + i] = (size - n) // 2, size - n - (size - n) // 2
        return _array.pad(x, pairs, constant_values=self.fill_value)


def _first_axis(layer, x):
    """The axis of the rows of images."""
    return len(x.shape) - (2 if layer.data_format == "channels_first" else 3)


def _rows_and_columns(layer, x):
    first = _first_axis(layer, x)
    return x.shape[first], x.shape[first + 1]


def _of_ratio(sizes, wanted, bound):
    """The largest sizes within (bound is min), or the smallest around (max), that have the ratio of what is wanted."""
    (rows, columns), (height, width) = sizes, wanted
    return max(bound(rows, int(columns * height / width)), 1), max(bound(columns, int(rows * width / height)), 1)


def _middle(layer, x, sizes):
    """The index of a part of these sizes in the middle of images."""
    index: list[Any] = [slice(None)] * len(x.shape)
    for i, (n, size) in enumerate(zip(_rows_and_columns(layer, x), sizes)):
        index[_first_axis(layer, x) + i] = slice((n - size) // 2, (n - size) // 2 + size)
    return tuple(index)


class CenterCrop(Layer):
    """The middle of images; smaller ones are resized to cover it."""

    _config = ("height", "width", "data_format")
    interpolation = "bilinear"

    def __init__(self, height: int, width: int, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.height, self.width, self.data_format, self.built = height, width, checked_format(data_format), True

    def call(self, inputs: Any) -> Any:
        """The cropped images."""
        x = cast(convert_to_tensor(inputs), self.dtype)
        wanted, sizes = (self.height, self.width), _rows_and_columns(self, x)
        if all(n >= size for n, size in zip(sizes, wanted)):
            return x[_middle(self, x, wanted)]
        return resized(self, x[_middle(self, x, _of_ratio(sizes, wanted, min))], list(wanted))
