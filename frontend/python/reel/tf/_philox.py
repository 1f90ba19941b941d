"""TensorFlow's random numbers: Philox4x32-10 words and what its CPU kernels make of them, element for element.

A stream is (key, low, high), three 64-bit integers: the key, and the halves of the counter of its next block of four words.
They are Python ints (the words are then computed at once) or scalar int64 tensors of a trace (they are composed of ops).
"""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core

if _t.TYPE_CHECKING:
    from typing import Any, TypeAlias

    Stream: TypeAlias = tuple[Any, Any, Any]

_MASK = 0xFFFFFFFF
_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_INCREMENTS = 0x9E3779B9, 0xBB67AE85
_SCRAMBLING_KEY = 0x3EC8F720 | 0x02461E29 << 32  # of the seeds of stateless functions
APART = 256  # blocks that every element has for itself, used or not


def signed(x: int) -> int:
    """The int64 of the same 64 bits."""
    x &= 2**64 - 1
    return x - 2**64 if x >> 63 else x


def count_of(shape: tuple[int, ...]) -> int:
    """The number of elements."""
    return _math.prod(shape)


def reserved(shape: tuple[int, ...]) -> int:
    """The blocks by which a draw of a shape moves a stream on."""
    return count_of(shape) * APART


def _low_half(x):
    return _core.bitwise_and(x, _MASK)


def _high_half(x):
    return _core.bitwise_and(_core.bitwise_right_shift(x, 32), _MASK)


def known(stream: Stream) -> bool:
    """Whether a stream is of Python ints, not of a trace."""
    return all(isinstance(x, int) for x in stream)


def words(stream: Stream, blocks: int, together: int = 1, apart: int = 1) -> _core.Tensor:
    """[4 blocks] words as int64 in [0, 2^32): of runs of `together` blocks whose first ones are `apart` blocks apart."""
    if known(stream):
        return _core.random._philox(*map(signed, stream), blocks, 0, together, apart)
    key, low, high = stream
    at = _core.arange(blocks, dtype=_core.int64)
    skipped = at if together == apart else at // together * apart + at % together
    first = low + skipped
    least = -(2**63)
    carry = _core.less(_core.bitwise_xor(first, least), _core.bitwise_xor(skipped, least))
    second = high + _core.astype(carry, _core.int64)
    x = [_low_half(first), _high_half(first), _low_half(second), _high_half(second)]
    k = [_low_half(_core.asarray(key, _core.int64)), _high_half(_core.asarray(key, _core.int64))]
    for _ in range(10):
        a, b = x[0] * _MULTIPLIERS[0], x[2] * _MULTIPLIERS[1]
        x = [
            _core.bitwise_xor(_core.bitwise_xor(_high_half(b), x[1]), k[0]),
            _low_half(b),
            _core.bitwise_xor(_core.bitwise_xor(_high_half(a), x[3]), k[1]),
            _low_half(a),
        ]
        k = [_low_half(n + step) for n, step in zip(k, _INCREMENTS)]
    return _core.reshape(_core.stack(x, axis=-1), (4 * blocks,))


def scrambled(first: Any, second: Any) -> Stream:
    """The stream of a stateless function's seed: two integers, or two scalars of a trace."""
    w = words((_SCRAMBLING_KEY, first, second), 1)
    if isinstance(first, int) and isinstance(second, int):
        a, b, c, d = w.tolist()
        return a | b << 32, 0, c | d << 32
    a, b, c, d = w[0], w[1], w[2], w[3]
    zero = _core.zeros((), dtype=_core.int64)
    return _joined(a, b), zero, _joined(c, d)


def _joined(low, high):
    return _core.bitwise_or(low, _core.bitwise_left_shift(high, 32))


def _taken(values, shape):
    """The first elements, in a shape."""
    flat = _core.reshape(values, (-1,))
    n = count_of(shape)
    return _core.reshape(flat if flat.shape[0] == n else flat[:n], shape)


def fractions(stream: Stream, blocks: int, bits: int, together: int = 1, apart: int = 1) -> _core.Tensor:
    """The lowest bits of each word as a float32 in [0, 1); 52: of two words, the upper one first, as a float64."""
    if known(stream):
        return _core.random._philox(*map(signed, stream), blocks, bits, together, apart)
    w = words(stream, blocks, together, apart)
    if bits < 52:
        return _core.astype(_core.bitwise_and(w, 2**bits - 1), _core.float32) * 2.0**-bits
    pairs = _core.reshape(w, (-1, 2))
    high, low = (_core.astype(part, _core.float64) for part in (_core.bitwise_and(pairs[:, 0], 2**20 - 1), pairs[:, 1]))
    return high * 2.0**-20 + low * 2.0**-52


_BITS = {_core.float64: 52, _core.float32: 23, _core.float16: 10, _core.bfloat16: 7}


def _blocks(n, dtype):
    """How many blocks n numbers take: four of one, or two of float64."""
    return (n + 1) // 2 if dtype is _core.float64 else (n + 3) // 4


def _as(x, dtype):
    return x if x.dtype is dtype else _core.astype(x, dtype)


def unit(stream: Stream, shape: tuple[int, ...], dtype: _core.DType) -> _core.Tensor:
    """Uniform in [0, 1), with as many bits as the dtype's fraction has."""
    return _as(_taken(fractions(stream, _blocks(count_of(shape), dtype), _BITS[dtype]), shape), dtype)


def full_integers(stream: Stream, shape: tuple[int, ...], dtype: _core.DType) -> _core.Tensor:
    """Integers of 32 or 64 bits, all of them equally likely."""
    n = count_of(shape)
    if dtype.itemsize == 4:
        w = _taken(words(stream, (n + 3) // 4), shape)
        if dtype is _core.uint32:
            return _core.astype(w, dtype)
        return _core.astype(_core.bitwise_right_shift(_core.bitwise_left_shift(w, 32), 32), dtype)
    pairs = _core.reshape(words(stream, (n + 1) // 2), (-1, 2))
    joined = _taken(_joined(pairs[:, 0], pairs[:, 1]), shape)
    return joined if dtype is _core.int64 else _core.bitcast(joined, dtype)


def integers(stream: Stream, shape: tuple[int, ...], low: Any, high: Any, dtype: _core.DType) -> _core.Tensor:
    """int32 or int64 from low to high - 1: a word modulo their number, which is a little biased. Bounds may be traced."""
    n = count_of(shape)
    if dtype is _core.int32:
        w = _taken(words(stream, (n + 3) // 4), shape)
        a, b = (x if isinstance(x, int) else _core.astype(x, _core.int64) for x in (low, high))
        return _core.astype(w % (b - a) + a, dtype)
    w = full_integers(stream, shape, _core.uint64)
    a, b = (_core.asarray(x, _core.int64) for x in (low, high))
    return _core.bitcast(w % _core.bitcast(b - a, _core.uint64), _core.int64) + a


def _pairs_of_normals(u, v):
    """Box and Muller: (sine, cosine) times the radius, [..., 2]; u and v in [0, 1) of one dtype."""
    least = _core.asarray(1e-7, u.dtype)
    angle = _core.astype(_core.astype(v, _core.float64) * (2 * _math.pi), v.dtype)
    radius = _core.sqrt(-2.0 * _core.log(_core.maximum(u, least)))
    return _core.stack([_core.sin(angle) * radius, _core.cos(angle) * radius], axis=-1)


def _normals(stream, blocks, dtype, *run):
    """Normal numbers in order, four of a block, or two of float64; float16 and bfloat16 begin as float32."""
    u = _core.reshape(fractions(stream, blocks, 52 if dtype is _core.float64 else 23, *run), (-1, 2))
    return _pairs_of_normals(u[:, 0], u[:, 1])


def normal(stream: Stream, shape: tuple[int, ...], dtype: _core.DType) -> _core.Tensor:
    """Standard normal numbers; float16 and bfloat16 are rounded float32 ones."""
    return _as(_taken(_normals(stream, _blocks(count_of(shape), dtype), dtype), shape), dtype)


def truncated_normal(stream: Stream, shape: tuple[int, ...], dtype: _core.DType) -> _core.Tensor:
    """Normal numbers within two standard deviations: of each group's own run of words the first ones that are."""
    if count_of(shape) == 0:
        return _core.zeros(shape, dtype=dtype)
    each = 2 if dtype is _core.float64 else 4
    tries = 12 if each == 2 else 5  # blocks: that too few fit has probability below 2^-50
    groups = _blocks(count_of(shape), dtype)
    z = _core.reshape(_normals(stream, groups * tries, dtype, tries, APART * each // 4), (groups, -1))
    place = _core.cumulative_sum(_core.astype(_core.less(_core.abs(z), 2.0), _core.int32), axis=1)
    bounds = _core.reshape(_core.arange(each, dtype=_core.int32), (1, each, 1))
    at = _core.argmax(_core.astype(_core.greater(_core.expand_dims(place, 1), bounds), _core.int32), 2)
    return _as(_taken(_core.take_along_axis(z, at, 1), shape), dtype)
