"""PyTorch's random operators, by Reel's generator: other numbers than PyTorch's for the same seed."""

from __future__ import annotations

import contextlib as _contextlib
import threading as _threading
import typing as _t

from .. import _core
from .. import random as _random
from ._table import TABLE, aten, cast

if _t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .._core import Tensor

_own = _threading.local()


def _generator() -> Any:
    """What the ops here draw from; None is reel.random's default."""
    return getattr(_own, "generator", None)


@_contextlib.contextmanager
def drawing_from(generator: Any) -> Iterator[None]:
    """While it is entered, this thread's ops draw from a generator."""
    before = _generator()
    _own.generator = generator
    try:
        yield
    finally:
        _own.generator = before


def _uniform_of(size: Any, **options: Any) -> Tensor:
    return _random.uniform(size, generator=_generator(), **options)


def _wide_random(f: Any, size: Sequence[int], dtype: Any, **options: Any) -> Tensor:
    """Numbers of f as that dtype; halves are rounded from float32."""
    own = dtype if dtype in (_core.float32, _core.float64) else _core.float32
    return cast(f(tuple(size), dtype=own, generator=_generator(), **options), dtype)


@aten("rand.default")
def _rand(size: Sequence[int], *, dtype: Any = None) -> Tensor:
    return _wide_random(_random.uniform, size, dtype or _core.float32)


@aten("rand_like.default")
def _rand_like(self: Tensor, *, dtype: Any = None) -> Tensor:
    return _wide_random(_random.uniform, self.shape, dtype or self.dtype)


@aten("randn.default")
def _randn(size: Sequence[int], *, dtype: Any = None) -> Tensor:
    return _wide_random(_random.normal, size, dtype or _core.float32)


@aten("randn_like.default")
def _randn_like(self: Tensor, *, dtype: Any = None) -> Tensor:
    return _wide_random(_random.normal, self.shape, dtype or self.dtype)


@aten("normal_functional.default")
def _normal(self: Tensor, mean: float = 0, std: float = 1, *, generator: Any = None) -> Tensor:
    return _wide_random(_random.normal, self.shape, self.dtype) * std + mean


@aten("uniform.default")
def _uniform(self: Tensor, low: float = 0, high: float = 1, *, generator: Any = None) -> Tensor:
    return _wide_random(_random.uniform, self.shape, self.dtype, low=low, high=high)


@aten("randperm.default")
def _randperm(n: int, *, dtype: Any = None) -> Tensor:
    return cast(_core.argsort(_uniform_of((n,), dtype=_core.float64)), dtype or _core.int64)


@aten("randint.low", "randint_like.low_dtype")
def _randint(low: int, high: int, size: Sequence[int], *, dtype: Any = None) -> Tensor:
    u = _uniform_of(tuple(size), dtype=_core.float64)
    return cast(_core.floor(u * (high - low)) + low, dtype or _core.int64)


@aten("randint.default")
def _randint_default(high: int, size: Sequence[int], *, dtype: Any = None) -> Tensor:
    return _randint(0, high, size, dtype=dtype)


@aten("bernoulli.default")
def _bernoulli(self: Tensor, *, generator: Any = None) -> Tensor:
    u = _uniform_of(self.shape, dtype=_core.float64 if self.dtype == _core.float64 else _core.float32)
    return cast(_core.less(u, self), self.dtype)


@aten("bernoulli.p", "bernoulli.Tensor")
def _bernoulli_p(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    return cast(_core.less(_uniform_of(self.shape), p), self.dtype)


@aten("native_dropout.default")
def dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    if train is False or p == 0:
        return input, _core.ones_like(input, dtype=_core.bool)
    if p == 1:
        return _core.zeros_like(input), _core.zeros_like(input, dtype=_core.bool)
    kept = _core.greater_equal(_uniform_of(input.shape), p)
    return input * cast(kept, input.dtype) * (1 / (1 - p)), kept


# Names of the ops that draw.
DRAWS = frozenset(name for name, row in TABLE.items() if row.function.__module__ == __name__)
