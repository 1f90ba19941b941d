"""tf.zeros_initializer and its like: objects that make a tensor of a shape and a dtype."""

from __future__ import annotations

import typing as _t

from . import _array, dtypes, random
from ._convert import constant
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor


class _Initializer:
    """What get_config gives makes an equal one."""

    _arguments: tuple[str, ...] = ()

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {name: getattr(self, name) for name in self._arguments}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """One of these arguments."""
        return cls(**{k: v for k, v in config.items() if k != "dtype"})

    def _check(self, kwargs):
        if kwargs:
            raise ConversionError(f"{type(self).__name__}: no {sorted(kwargs)} here: variables are not partitioned")


class zeros_initializer(_Initializer):  # noqa: N801
    """Zeros."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any) -> Tensor:
        self._check(kwargs)
        return _array.zeros(shape, dtype)


class ones_initializer(_Initializer):  # noqa: N801
    """Ones."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any) -> Tensor:
        self._check(kwargs)
        return _array.ones(shape, dtype)


class constant_initializer(_Initializer):  # noqa: N801
    """A number everywhere, or these numbers; of their own dtype unless one is given."""

    _arguments = ("value",)

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if support_partition:
            raise ConversionError("constant_initializer: variables are not partitioned; leave support_partition False")
        self.value = value

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        self._check(kwargs)
        return constant(self.value, dtype, shape)


class random_normal_initializer(_Initializer):  # noqa: N801
    """Normal numbers of this mean and standard deviation, floating."""

    _arguments = ("mean", "stddev", "seed")

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any) -> Tensor:
        self._check(kwargs)
        if not dtypes.as_dtype(dtype).is_floating:
            raise ConversionError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
        return random.normal(shape, self.mean, self.stddev, dtype, self.seed)


class random_uniform_initializer(_Initializer):  # noqa: N801
    """Numbers from minval on below maxval, floating or integers."""

    _arguments = ("minval", "maxval", "seed")

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any) -> Tensor:
        self._check(kwargs)
        return random.uniform(shape, self.minval, self.maxval, dtype, self.seed)
