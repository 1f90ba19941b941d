"""keras.random: numbers of a seed: an int gives the same ones each time, a SeedGenerator other ones at each call."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _gather
from .. import nn as _nn
from .. import random as _random
from .._convert import cast as _cast
from .._convert import convert_to_tensor as _tensor
from .._sorting import argsort as _argsort
from .._variable import Variable as _TfVariable
from ..errors import ConversionError as _ConversionError
from ._floatx import floatx as _floatx

if _t.TYPE_CHECKING:
    from typing import Any


class SeedGenerator:
    """A seed that each draw changes, so that the next one gives other numbers; its state is a variable of two integers."""

    def __init__(self, seed: int | None = None, name: str | None = None, **kwargs: Any) -> None:
        if seed is None:
            seed = _new_seed()
        if not isinstance(seed, int):
            raise _ConversionError(f"Argument `seed` must be an integer. Received: seed={seed!r}")
        self.name, self._initial_seed = name or "seed_generator", seed
        self.state = _TfVariable(
            _tensor([seed % 2**31, 0], dtype="int64"), trainable=False, name="seed_generator_state"
        )

    def next(self, ordered: bool = True) -> Any:
        """The seed of the next draw, two integers."""
        now = self.state.value()
        self.state.assign(now + _tensor([0, 1], dtype="int64"))
        return now

    def get_config(self) -> dict[str, Any]:
        """Its seed and name."""
        return {"seed": self._initial_seed, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """One of this seed."""
        return cls(**config)


def _new_seed():
    return int(_random.uniform([], 0, 2**31 - 1, dtype="int32").numpy())


def _seed_of(seed):
    """The two integers that a draw begins with."""
    if isinstance(seed, SeedGenerator):
        return seed.next()
    if seed is None:
        return _random.uniform([2], 0, 2**31 - 1, dtype="int32")
    if isinstance(seed, int):
        return _tensor([seed % 2**31, 0], dtype="int64")
    return _tensor(seed)


def normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Normal numbers of this mean and standard deviation."""
    return _random.stateless_normal(shape, _seed_of(seed), mean, stddev, dtype or _floatx())


def truncated_normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Normal numbers within two standard deviations of the mean."""
    return _random.stateless_truncated_normal(shape, _seed_of(seed), mean, stddev, dtype or _floatx())


def uniform(shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Uniform numbers in [minval, maxval)."""
    return _random.stateless_uniform(shape, _seed_of(seed), minval, maxval, dtype or _floatx())


def randint(shape: Any, minval: int, maxval: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Uniform integers in [minval, maxval)."""
    out = _random.stateless_uniform(shape, _seed_of(seed), int(minval), int(maxval), "int32")
    return _cast(out, dtype)


def categorical(logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """num_samples classes for each row of logits."""
    return _cast(_random.stateless_categorical(logits, num_samples, _seed_of(seed)), dtype)


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of the gamma distribution with the rate 1."""
    return _random.stateless_gamma(shape, _seed_of(seed), alpha, dtype=dtype or _floatx())


def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Any:
    """How many of `counts` trials succeed."""
    return _random.stateless_binomial(shape, _seed_of(seed), counts, probabilities, dtype or _floatx())


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of the beta distribution."""
    first = _seed_of(seed)
    second = _cast(first, "int64") + _tensor([0, 2**30], dtype="int64")
    a = _random.stateless_gamma(shape, first, alpha, dtype=dtype or _floatx())
    b = _random.stateless_gamma(shape, second, beta, dtype=dtype or _floatx())
    return a / (a + b)


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """A share `rate` of the elements as 0, the others larger, so that the mean stays."""
    x = _tensor(inputs)
    return _nn.experimental.stateless_dropout(x, rate, seed=_seed_of(seed), noise_shape=noise_shape)


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """The parts along an axis in random order."""
    x = _tensor(x)
    keys = _random.stateless_uniform([x.shape[axis]], _seed_of(seed))
    return _gather.gather(x, _argsort(keys), axis=axis)
