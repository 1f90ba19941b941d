"""Seeds of tf.random's functions, and the draws that are more than words of a stream."""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core
from . import _philox, dtypes
from ._convert import to_core
from ._tensor import wrap
from ._trace import state
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._philox import Stream
    from ._tensor import Tensor

_DEFAULT_SEED = 87654321  # TensorFlow's, of ops with a seed of their own only
_LARGEST = 2**31 - 1


class _Seeds:
    """The global seed, the seeds that follow from it, and how far the streams of ops with a seed of their own are."""

    seed = None
    following = None  # random.Random: seeds of ops without one
    moved: dict[tuple[Any, ...], int] = {}


def set_seed(seed: int | None) -> None:
    """Starts the global sequence of a seed: what is drawn after it is the same in every run. None: no seed."""
    import random

    if seed is not None:
        seed = int(_as_integer(seed))
        _core.random.seed(_philox.signed(seed))
    _Seeds.seed = seed
    _Seeds.following = None if seed is None else random.Random(seed)
    _Seeds.moved = {}


def _as_integer(seed):
    try:
        return seed.__index__()
    except AttributeError:
        raise _core.InvalidTypeError(f"set_seed: a seed must be an integer, received {seed!r}") from None


def stream_of(op: str, seed: int | None, dtypes_of: Any, blocks: int) -> Stream | None:
    """The stream of an op's next draw of so many blocks, None without a seed: that of the global one and the op's.

    dtypes_of: what tells apart draws that do not share a stream. An op with a seed of its own goes on where its last call ended; in a tf.function every place has a stream.
    """
    own = None if seed is None else int(_as_integer(seed))
    traced = state.depth > 0 or _core._in_trace()
    if own is None and (traced or _Seeds.following is None):
        return None
    key = (_DEFAULT_SEED if _Seeds.seed is None else _Seeds.seed) % _LARGEST
    high = (_Seeds.following.randint(0, _LARGEST) if own is None else own) % _LARGEST
    if key == 0 and high == 0:
        high = _LARGEST
    if own is None:
        return key, 0, high
    if traced:
        counter = _core.Variable(_core.zeros((), dtype=_core.int64), trainable=False)
        low = counter.value()
        counter.assign(low + blocks)
        return key, low, high
    place = op, dtypes_of, key, high
    low = _Seeds.moved.get(place, 0)
    _Seeds.moved[place] = low + blocks
    return key, low, high


def number_of(op: str, what: str, value: ArrayLike) -> int:
    """A Python int from one or from a tensor that has a value."""
    if isinstance(value, int):
        return value
    t = to_core(value)
    if len(t.shape) or not t.dtype.is_integer:
        raise ConversionError(f"{op}: {what} must be one integer, received {value!r}")
    return int(t.item())


def _generator(stream):
    """reel's generator for a stream; its default one without."""
    if stream is None:
        return None
    w = _philox.words(stream, 1)
    mixed = _core.bitwise_or(w[0], _core.bitwise_left_shift(w[1], 32))
    return _core.random.Generator.from_key(_core.stack([mixed, w[2]]))


def categories(op: str, logits: _core.Tensor, samples: int, stream: Stream, dtype: DTypeLike | None) -> Tensor:
    """Class indices [rows, samples] from softmax(logits [rows, classes]): where the distribution exceeds a uniform number."""
    wanted = _core.int64 if dtype is None else dtypes.as_dtype(dtype).core
    if len(logits.shape) != 2:
        raise ConversionError(f"{op}: logits should be a matrix, got shape {list(logits.shape)}")
    if wanted not in (_core.int32, _core.int64):
        raise ConversionError(f"{op}: dtype must be int32 or int64, received {wanted.name}")
    if samples < 0 or logits.shape[1] == 0:
        raise ConversionError(f"{op}: num_samples must be nonnegative and num_classes positive, got {samples}")
    x = _core.astype(logits, _core.float64)
    finite = _core.isfinite(x)
    least = _core.full((), float("-inf"), dtype=_core.float64)
    largest = _core.max(_core.where(finite, x, least), -1, keepdims=True)
    weight = _core.where(finite, _core.exp(_core.where(finite, x - largest, 0.0)), 0.0)
    distribution = _core.expand_dims(_core.cumulative_sum(weight, axis=-1), 1)
    u = _philox.unit(stream, (logits.shape[0], samples), _core.float64)
    bound = _core.expand_dims(u, -1) * distribution[:, :, -1:]
    return wrap(_core.sum(_core.astype(_core.less_equal(distribution, bound), wanted), -1, dtype=wanted))


def permutation(n: int, stream: Stream | None) -> _core.Tensor:
    """0 to n - 1 in random order: Fisher and Yates's exchanges by words of a stream, by sorting in a trace."""
    if stream is None or not _philox.known(stream):
        return _core.random.permutation(n, generator=_generator(stream))
    order = list(range(n))
    draws = _philox.words(stream, (n + 3) // 4).tolist()
    for i in range(n - 1):
        j = i + draws[i] % (n - i)
        order[i], order[j] = order[j], order[i]
    return _core.asarray(order or _core.zeros((0,)), _core.int64)


def gamma_of(
    shape: tuple[int, ...], alpha: _core.Tensor, beta: _core.Tensor | None, stream: Stream | None
) -> _core.Tensor:
    """Gamma variates of alpha's dtype, over the rate beta; gradients flow to both."""
    dtype = alpha.dtype
    a = _core.astype(alpha, _core.float64)
    x = _core.random.gamma(shape, a, dtype=_core.float64, generator=_generator(stream))
    tiny = {_core.float64: 2.0**-1022, _core.float16: 2.0**-14}.get(dtype, 2.0**-126)
    x = _core.maximum(_core.stop_gradient(x), tiny)
    if state.tapes or state.depth:
        x = x + _implicit(x, _core.stop_gradient(a)) * (a - _core.stop_gradient(a))
    x = _core.astype(x, dtype)
    return x if beta is None else x / beta


def _implicit(x, a):
    """dx/da of gamma variates for fixed luck, which is P(a, x): the difference of P nearby, as it has no closed form."""
    step = 1e-5 * (1 + a) * _core.minimum(a, 1.0)
    slope = (_core.igamma(a + step, x) - _core.igamma(a - step, x)) / (2 * step)
    density = _core.exp((a - 1) * _core.log(x) - x - _core.lgamma(a))
    return _core.stop_gradient(-slope / density)


def poisson_of(
    op: str, shape: tuple[int, ...], rate: _core.Tensor, dtype: _core.DType, stream: Stream | None
) -> _core.Tensor:
    """Poisson counts of a dtype."""
    if not dtype.is_floating and dtype not in (_core.int32, _core.int64):
        raise _core.InvalidTypeError(f"{op}: dtype {dtype.name} is not supported; use int32, int64 or floats")
    wide = _core.astype(rate, _core.float64)
    drawn = _core.random.poisson(shape, wide, dtype=_core.float64, generator=_generator(stream))
    return _core.astype(drawn, dtype)


def truncated_between(op: str, stream: Stream, shape: tuple[int, ...], given: list[_core.Tensor]) -> _core.Tensor:
    """Normal numbers between bounds, by inversion; given: means, standard deviations, lower and upper bounds."""
    dtype = given[0].dtype
    if dtype not in (_core.float16, _core.bfloat16, _core.float32, _core.float64) or any(
        p.dtype is not dtype for p in given
    ):
        raise _core.InvalidTypeError(
            f"{op}: parameters must be floats of one dtype, received {[p.dtype.name for p in given]}"
        )
    mean, deviation, low, high = (_core.astype(p, _core.float64) for p in given)
    a, b = (low - mean) / deviation, (high - mean) / deviation
    # Where both bounds are above the mean, their mirror images are below it, where probabilities keep their digits.
    above = _core.greater(a, 0.0)
    from_, to = _core.ndtr(_core.where(above, -b, a)), _core.ndtr(_core.where(above, -a, b))
    u = _philox.unit(stream, shape, _core.float64) * (1 - _math.ulp(1.0)) + _math.ulp(0.5)
    z = _core.ndtri(u * (to - from_) + from_)
    z = _core.where(above, -z, z)
    return _core.astype(_core.maximum(_core.minimum(z * deviation + mean, high), low), dtype)
