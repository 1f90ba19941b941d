"""Layers that move elements: reshaping, padding, cropping, repeating."""

from __future__ import annotations as _annotations

import math as _math
import typing as _t

from .... import _core
from ... import _array
from ... import image as _image
from ..._convert import cast, convert_to_tensor, to_core
from ..._nn_windows import to_first, to_last
from ..._tensor import wrap
from ...errors import ConversionError
from .._layer import InputSpec, Layer

if _t.TYPE_CHECKING:
    from typing import Any


def checked_format(data_format: str | None) -> str:
    """channels_last, channels_first; None is the former."""
    if data_format is None:
        return "channels_last"
    if str(data_format).lower() not in ("channels_last", "channels_first"):
        raise ConversionError(
            f"The `data_format` argument must be one of {{'channels_first', 'channels_last'}}. Received: {data_format}"
        )
    return str(data_format).lower()


class Flatten(Layer):
    """All axes but the first as one."""

    _config = ("data_format",)

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:
        """[batch, elements]."""
        x = convert_to_tensor(inputs)
        if self.data_format == "channels_first" and len(x.shape) > 1:
            x = _array.transpose(x, [0, *range(2, len(x.shape)), 1])
        return _array.reshape(x, (x.shape[0], _math.prod(x.shape[1:])))


class Reshape(Layer):
    """Another shape of the axes after the first; -1 is what is left."""

    _config = ("target_shape",)

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        self.built = True
        if sum(n == -1 for n in self.target_shape) > 1:
            raise ConversionError(f"The `target_shape` must not have more than one -1: {self.target_shape}")

    def call(self, inputs: Any) -> Any:
        """[batch, *target_shape]."""
        x = convert_to_tensor(inputs)
        n, known = _math.prod(x.shape[1:]), _math.prod(d for d in self.target_shape if d != -1)
        fits = n % known == 0 if -1 in self.target_shape and known else n == known
        if not fits:
            raise ConversionError(
                "The total size of the tensor must be unchanged. Received: input_shape="
                f"{tuple(x.shape[1:])}, target_shape={self.target_shape}"
            )
        return _array.reshape(x, (x.shape[0], *(n // known if d == -1 else d for d in self.target_shape)))


class Permute(Layer):
    """The axes after the first in another order: dims counts from 1."""

    _config = ("dims",)

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ConversionError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be consecutive and "
                f"start from 1. Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Any:
        """The axes in the new order."""
        return _array.transpose(inputs, [0, *self.dims])


class RepeatVector(Layer):
    """[batch, n, features] of [batch, features]."""

    _config = ("n",)

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(n, int):
            raise _core.InvalidTypeError(f"Expected an integer value for `n`, got {type(n)}.")
        if n <= 0:
            raise ConversionError(f"Argument `n` should be a positive integer. Received: n={n}")
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: Any) -> Any:
        """The inputs, repeated."""
        x = convert_to_tensor(inputs)
        return _array.broadcast_to(_array.expand_dims(x, 1), (x.shape[0], self.n, x.shape[1]))


def pairs_of(value: Any, rank: int, name: str) -> tuple[tuple[int, int], ...]:
    """((before, after), ...) of n, (n, ...) or such pairs; of one axis n or a pair. ValueError for what is below 0."""
    given = (value,) * rank if isinstance(value, int) else value
    if rank == 1 and not isinstance(value, int):
        given = (value,)
    if not isinstance(given, (list, tuple)) or len(given) != rank:
        raise ConversionError(f"`{name}` should have {rank} elements. Received: {value}.")
    pairs = tuple((v, v) if isinstance(v, int) else v for v in given)
    if any(not isinstance(p, (list, tuple)) or len(p) != 2 or not all(isinstance(n, int) for n in p) for p in pairs):
        raise ConversionError(f"The `{name}` argument must be a tuple of 2 integers, for each axis. Received: {value}")
    if any(n < 0 for p in pairs for n in p):
        raise ConversionError(f"`{name}` cannot be negative. Received: {name}={value}.")
    return tuple((p[0], p[1]) for p in pairs)


def sizes_of(value: Any, rank: int) -> tuple[int, ...]:
    """A factor for each axis; ValueError unless all are above 0."""
    sizes = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(sizes) != rank or any(not isinstance(n, int) or n <= 0 for n in sizes):
        raise ConversionError(f"The `size` argument must be a tuple of {rank} integers above 0. Received: size={value}")
    return sizes


class _Around(Layer):
    """Elements before and after each axis, a number or a pair of each."""

    _rank = 1
    _name_of_pairs = "padding"

    def __init__(self, pairs: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_format(data_format)
        setattr(self, self._name_of_pairs, pairs_of(pairs, self._rank, self._name_of_pairs))
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def _all(self):
        mine = list(getattr(self, self._name_of_pairs))
        return [(0, 0), (0, 0), *mine] if self.data_format == "channels_first" else [(0, 0), *mine, (0, 0)]

    def get_config(self) -> dict[str, Any]:
        config, name = super().get_config(), self._name_of_pairs
        return config | {name: config[name][0]} if self._rank == 1 else config


class ZeroPadding1D(_Around):
    """Zeros before and after the steps."""

    _config = ("padding", "data_format")

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(padding, data_format, **kwargs)

    def call(self, inputs: Any) -> Any:
        """The padded inputs."""
        return _array.pad(inputs, self._all())


class ZeroPadding2D(ZeroPadding1D):
    """Zeros around images: n, (rows, columns) or ((top, bottom), (left, right))."""

    _rank = 2

    def __init__(self, padding: Any = (1, 1), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(padding, data_format, **kwargs)


class ZeroPadding3D(ZeroPadding1D):
    """Zeros around volumes."""

    _rank = 3

    def __init__(self, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(padding, data_format, **kwargs)


class Cropping1D(_Around):
    """The steps without the first and last ones."""

    _config: tuple[str, ...] = ("cropping",)
    _name_of_pairs = "cropping"

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(cropping, **kwargs)

    def call(self, inputs: Any) -> Any:
        """What is left."""
        pairs = self._all()
        if any(a + b >= n for (a, b), n in zip(pairs, inputs.shape) if a or b):
            raise ConversionError(
                f"{type(self).__name__}: the cropping {self.cropping} leaves nothing of inputs {tuple(inputs.shape)}"
            )
        return inputs[tuple(slice(a, n - b) for (a, b), n in zip(pairs, inputs.shape))]


class Cropping2D(Cropping1D):
    """Images without their edges."""

    _config = ("data_format",)
    _rank = 2

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(cropping, data_format=data_format, **kwargs)


class Cropping3D(Cropping2D):
    """Volumes without their edges."""

    _rank = 3

    def __init__(self, cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(cropping, data_format=data_format, **kwargs)


INTERPOLATIONS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic", "area")


def resized(layer: Any, x: Any, sizes: list[int], antialias: bool = False) -> Any:
    """Images of a layer's data_format in another size by its interpolation, in their dtype."""
    if layer.interpolation not in INTERPOLATIONS:
        raise ConversionError(
            f"Invalid value for argument `interpolation`. Expected of one {INTERPOLATIONS}. Received: "
            f"interpolation={layer.interpolation}"
        )
    first = layer.data_format == "channels_first"
    images = (
        wrap(to_last(to_core(x), first)) if len(x.shape) == 4 else x if not first else _array.transpose(x, [1, 2, 0])
    )
    y = cast(_image.resize(images, sizes, layer.interpolation, antialias=antialias), x.dtype)
    if not first:
        return y
    return wrap(to_first(to_core(y), first)) if len(x.shape) == 4 else _array.transpose(y, [2, 0, 1])


class UpSampling1D(Layer):
    """Each step so many times."""

    _config = ("size",)

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = sizes_of(int(size), 1)[0]
        self.input_spec = InputSpec(ndim=3)

    def call(self, inputs: Any) -> Any:
        """The repeated steps."""
        return _array.repeat(inputs, self.size, axis=1)


class UpSampling2D(Layer):
    """Rows and columns so many times, or interpolated (bilinear)."""

    _config = ("size", "data_format", "interpolation")

    def __init__(
        self, size: Any = (2, 2), data_format: str | None = None, interpolation: str = "nearest", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.size = sizes_of(size, 2)
        self.data_format, self.interpolation = checked_format(data_format), interpolation.lower()
        self.input_spec = InputSpec(ndim=4)

    def call(self, inputs: Any) -> Any:
        """The larger images."""
        first = 2 if self.data_format == "channels_first" else 1
        if self.interpolation == "nearest":
            return _array.repeat(_array.repeat(inputs, self.size[0], axis=first), self.size[1], axis=first + 1)
        sizes = [inputs.shape[first] * self.size[0], inputs.shape[first + 1] * self.size[1]]
        return resized(self, inputs, sizes)


class UpSampling3D(Layer):
    """Planes, rows and columns so many times."""

    _config = ("size", "data_format")

    def __init__(self, size: Any = (2, 2, 2), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = sizes_of(size, 3)
        self.data_format = checked_format(data_format)
        self.input_spec = InputSpec(ndim=5)

    def call(self, inputs: Any) -> Any:
        """The larger volumes."""
        first = 2 if self.data_format == "channels_first" else 1
        for i, n in enumerate(self.size):
            inputs = _array.repeat(inputs, n, axis=first + i)
        return inputs
