"""tf.random: draws of reel.random; the same numbers on every CPU, not TensorFlow's."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from . import dtypes
from ._array import ints
from ._tensor import to_core, wrap
from ._trace import all_in_graph as _all_in_graph

if _t.TYPE_CHECKING:
    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor as _Tensor

_r = _core.random


def set_seed(seed: int) -> None:
    """Starts the global generator's sequence of a seed."""
    _r.seed(int(seed))


def normal(
    shape: ShapeLike,
    mean: ArrayLike = 0.0,
    stddev: ArrayLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Normal of this mean and standard deviation, numbers or tensors that broadcast."""
    x = _r.normal(ints(shape), dtype=dtypes.core_dtype(dtype), generator=_generator(seed))
    return wrap(_scaled(x, stddev, mean))


def truncated_normal(
    shape: ShapeLike,
    mean: ArrayLike = 0.0,
    stddev: ArrayLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Normal within two standard deviations of the mean."""
    x = _r.truncated_normal(ints(shape), dtype=dtypes.core_dtype(dtype), generator=_generator(seed))
    return wrap(_scaled(x, stddev, mean))


def _scaled(x, scale, offset):
    scale = scale if isinstance(scale, (int, float)) else to_core(scale, x.dtype)
    offset = offset if isinstance(offset, (int, float)) else to_core(offset, x.dtype)
    if isinstance(scale, (int, float)) and scale == 1:
        return x if isinstance(offset, (int, float)) and offset == 0 else x + offset
    return x * scale + offset


def uniform(
    shape: ShapeLike,
    minval: ArrayLike = 0,
    maxval: ArrayLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Uniform in [minval, maxval); integers need a maxval."""
    dtype = dtypes.as_dtype(dtype)
    if dtype.is_integer:
        if maxval is None:
            raise _core.InvalidArgumentError(f"Must specify maxval for integer dtype {dtype!r}")
        return wrap(_r.randint(ints(shape), int(minval), int(maxval), dtype=dtype.core, generator=_generator(seed)))
    x = _r.uniform(ints(shape), dtype=dtype.core, generator=_generator(seed))
    maxval = 1 if maxval is None else maxval
    if isinstance(minval, (int, float)) and isinstance(maxval, (int, float)):
        return wrap(_scaled(x, maxval - minval, minval))
    low, high = to_core(minval, dtype.core), to_core(maxval, dtype.core)
    return wrap(x * (high - low) + low)


def categorical(
    logits: ArrayLike,
    num_samples: int,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Class indices [..., num_samples] drawn from softmax(logits)."""
    x = _r.categorical(to_core(logits), int(num_samples), generator=_generator(seed))
    return wrap(x if dtype is None else _core.astype(x, dtypes.core_dtype(dtype)))


def shuffle(value: ArrayLike, seed: int | None = None, name: str | None = None) -> _Tensor:
    """The rows in random order."""
    return wrap(_r.shuffle(to_core(value), generator=_generator(seed)))


def _generator(seed):
    """An op's own seed starts a sequence of its own; None draws from the global one."""
    return None if seed is None else _r.Generator(int(seed))


_all_in_graph(globals(), "set_seed")
