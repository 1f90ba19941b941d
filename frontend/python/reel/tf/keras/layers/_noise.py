"""Layers that draw numbers when training."""

from __future__ import annotations as _annotations

import math as _math
import typing as _t

from .... import _core
from ... import _array, random
from ..._convert import cast, convert_to_tensor
from ..._tensor import wrap
from ...errors import ConversionError
from .._layer import InputSpec, Layer
from ._shaping import checked_format

if _t.TYPE_CHECKING:
    from typing import Any


class _Drawing(Layer):
    """A layer with a sequence of numbers of its own, Keras's, if it has a seed, of the global one without."""

    def __init__(self, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seed = seed
        start = None if seed is None else _core.asarray([int(seed), 0], _core.int64)
        self.__dict__["_next_seed"] = None if seed is None else _core.Variable(start, trainable=False)
        self.supports_masking = True
        self.built = True

    def _drawn(self, x, shape, name):
        """Numbers of x's dtype: of the layer's next seed by tf.random's stateless function, or of the global sequence."""
        if self._next_seed is None:
            return getattr(random, name)(shape, dtype=x.dtype)
        seed = self._next_seed.value()
        self._next_seed.assign(seed + _core.asarray([0, 1], _core.int64))
        return getattr(random, "stateless_" + name)(shape, wrap(seed), dtype=x.dtype)

    def _uniform(self, x, shape=None):
        return self._drawn(x, tuple(x.shape) if shape is None else shape, "uniform")

    def _normal(self, x):
        return self._drawn(x, tuple(x.shape), "normal")


def _rate(rate, what="rate"):
    if not isinstance(rate, (int, float)):
        raise _core.InvalidTypeError(f"`{what}` must be a number between 0 and 1, not {rate!r}")
    if not 0 <= rate <= 1:
        raise ConversionError(
            f"Invalid value received for argument `{what}`. Expected a float value between 0 and 1. Received: {what}={rate}"
        )
    return rate


class Dropout(_Drawing):
    """Elements dropped with probability rate when training, the others times 1 / (1 - rate)."""

    _config = ("rate", "seed", "noise_shape")

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.rate = _rate(rate)
        self.noise_shape = None if noise_shape is None else tuple(noise_shape)

    def _noise_shape(self, x):
        if self.noise_shape is None:
            return tuple(x.shape)
        if len(self.noise_shape) != len(x.shape):
            raise ConversionError(
                f"Dropout: noise_shape {self.noise_shape} has not the rank of inputs {tuple(x.shape)}"
            )
        return tuple(m if n is None else n for m, n in zip(x.shape, self.noise_shape))

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The inputs; when training with elements dropped."""
        x = convert_to_tensor(inputs)
        if not training or self.rate == 0:
            return x
        if self.rate == 1:
            return _array.zeros_like(x)
        kept = self._uniform(x, self._noise_shape(x)) >= self.rate
        return _array.where(kept, x / (1 - self.rate), _array.zeros_like(x))


class SpatialDropout1D(Dropout):
    """Whole channels dropped."""

    _config = ()
    _rank = 1

    def __init__(
        self, rate: float, seed: int | None = None, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(rate, seed=seed, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=self._rank + 2)
        self.data_format = "channels_last"

    def _noise_shape(self, x):
        n, inner = x.shape[0], (1,) * self._rank
        return (n, x.shape[1], *inner) if self.data_format == "channels_first" else (n, *inner, x.shape[-1])

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config = {k: v for k, v in config.items() if k not in ("noise_shape", "trainable")}  # as Keras has them
        return config | {"dtype": self.dtype} | ({"data_format": self.data_format} if self._rank > 1 else {})


class SpatialDropout2D(SpatialDropout1D):
    """Whole channels of images dropped."""

    _rank = 2

    def __init__(
        self, rate: float, data_format: str | None = None, seed: int | None = None, name: str | None = None,
        dtype: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(rate, seed, name, dtype, **kwargs)
        self.data_format = checked_format(data_format)


class SpatialDropout3D(SpatialDropout2D):
    """Whole channels of volumes dropped."""

    _rank = 3


class GaussianNoise(_Drawing):
    """Normal noise of this deviation added when training."""

    _config = ("stddev", "seed")

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        if not 0 <= stddev <= 1:
            raise ConversionError(
                f"Invalid value received for argument `stddev`. Expected a float value between 0 and 1. Received: stddev={stddev}"
            )
        self.stddev = stddev

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The inputs; with noise when training."""
        if not training or self.stddev == 0:
            return inputs
        return inputs + self._normal(inputs) * self.stddev


class GaussianDropout(_Drawing):
    """Times normal noise of mean 1 and deviation sqrt(rate / (1 - rate)) when training."""

    _config = ("rate", "seed")

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.rate = _rate(rate)

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The inputs; times noise when training."""
        if not training or self.rate == 0:
            return inputs
        return inputs * (1 + self._normal(inputs) * _math.sqrt(self.rate / (1 - self.rate)))


class AlphaDropout(_Drawing):
    """Dropout that keeps mean and variance of what selu gives."""

    _config = ("rate", "seed")  # without noise_shape, as Keras has them

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.rate, self.noise_shape = rate, None if noise_shape is None else tuple(noise_shape)

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The inputs; when training with elements at the low end of selu."""
        if not training or self.rate == 0:
            return inputs
        low = -1.6732632423543772 * 1.0507009873554805
        shape = tuple(inputs.shape) if self.noise_shape is None else tuple(
            m if n is None else n for m, n in zip(inputs.shape, self.noise_shape)
        )  # fmt: skip
        kept = cast(self._uniform(inputs, shape) >= self.rate, inputs.dtype)
        a = ((1 - self.rate) * (1 + self.rate * low**2)) ** -0.5
        return (inputs * kept + low * (1 - kept)) * a - a * low * self.rate
