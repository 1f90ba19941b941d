"""tf.random.Generator: streams of random numbers whose state is a variable, and functions of seeds."""

from __future__ import annotations

import enum as _enum
import typing as _t

from .. import _core
from . import _philox, dtypes
from ._array import ints
from ._convert import to_core
from ._operators import operand
from ._tensor import TensorLike, wrap
from ._variable import Variable
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor

FLOATS = _core.float16, _core.bfloat16, _core.float32, _core.float64
_WORDS = _core.int32, _core.int64, _core.uint32, _core.uint64


class Algorithm(_enum.Enum):
    """How numbers are made. Philox is what AUTO_SELECT means on CPUs, and the only one that is here."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def algorithm_of(op: str, alg: Any) -> Algorithm:
    """The algorithm of a name, number, member or int tensor; None and automatic ones are Philox."""
    if isinstance(alg, TensorLike):
        alg = to_core(alg).item()
    names = {"philox": Algorithm.PHILOX, "threefry": Algorithm.THREEFRY, "auto_select": Algorithm.PHILOX}
    found = names.get(alg.lower()) if isinstance(alg, str) else Algorithm.PHILOX if alg is None else alg
    if isinstance(found, int) and not isinstance(found, bool) and found in (1, 2, 3):
        found = Algorithm(found)
    if not isinstance(found, Algorithm):
        raise ConversionError(
            f"{op}: Argument `alg` got unsupported value {alg!r}. Supported values are 'philox', 'threefry' and 'auto_select'"
        )
    return Algorithm.PHILOX if found is Algorithm.AUTO_SELECT else found


def philox_only(op: str, alg: Any) -> None:
    """InvalidArgumentError for other algorithms."""
    if algorithm_of(op, alg) is not Algorithm.PHILOX:
        raise ConversionError(f"{op}: the ThreeFry algorithm is not supported on CPUs; use alg='philox'")


def shape_of(op: str, shape: Any) -> tuple[int, ...]:
    """Extents: a list, or a vector of integers; not one number."""
    if isinstance(shape, int) or isinstance(shape, TensorLike) and not len(shape.shape):
        raise ConversionError(f"{op}: shape must be a vector of integers, got {shape!r}; use [{shape}]")
    if any(isinstance(n, float) for n in shape if not isinstance(shape, TensorLike)):
        raise ConversionError(f"{op}: shape must be of int32 or int64, got {shape!r}")
    found = ints(shape)
    if any(n < 0 for n in found):
        raise ConversionError(f"{op}: Dimension {min(found)} must be >= 0, shape {list(found)}")
    return found


def float_of(op: str, dtype: DTypeLike) -> _core.DType:
    """The core's dtype; TypeError if it is not of floats."""
    wanted = dtypes.as_dtype(dtype).core
    if wanted not in FLOATS:
        raise _core.InvalidTypeError(
            f"{op}: Argument `dtype` got invalid value {wanted.name}. Accepted dtypes are float16, bfloat16, float32, float64"
        )
    return wanted


def scaled(op: str, x: _core.Tensor, scale: ArrayLike, offset: ArrayLike) -> Tensor:
    """x scale + offset of numbers or tensors of x's dtype, which broadcast."""
    if isinstance(scale, (int, float)) and scale == 1 and isinstance(offset, (int, float)) and offset == 0:
        return wrap(x)
    return wrap(x * operand(scale, x.dtype, op) + operand(offset, x.dtype, op))


def between(op: str, x: _core.Tensor, low: ArrayLike, high: ArrayLike) -> Tensor:
    """x in [0, 1) moved to [low, high)."""
    if isinstance(low, (int, float)) and low == 0 and isinstance(high, (int, float)) and high == 1:
        return wrap(x)
    a, b = (operand(v, x.dtype, op, weak=False) for v in (low, high))
    return wrap(x * (b - a) + a)


def bound(op: str, value: ArrayLike, dtype: _core.DType) -> Any:
    """A bound of integers: a Python int, or a scalar of a trace."""
    if isinstance(value, int):
        number = value
    else:
        t = to_core(value)
        if len(t.shape) or not t.dtype.is_integer:
            raise ConversionError(f"{op}: minval and maxval must be integers without axes, got {value!r}")
        if t.symbolic:
            return operand(wrap(t), dtype, op)
        number = int(t.item())
    if not -(2 ** (8 * dtype.itemsize - 1)) <= number < 2 ** (8 * dtype.itemsize - 1):
        raise _core.InvalidTypeError(f"{op}: {number} does not fit in {dtype.name}")
    return number


def uniform_of(op: str, draw: Callable[[], Any], shape: Any, low: Any, high: Any, dtype: DTypeLike) -> Tensor:
    """Uniform numbers of a dtype, from the stream that draw() gives; integers without bounds are all that there are."""
    wanted = dtypes.as_dtype(dtype).core
    extents = shape_of(op, shape)
    if wanted not in FLOATS + _WORDS:
        raise ConversionError(
            f"{op}: Argument `dtype` got invalid value {wanted.name}. Accepted dtypes are float16, bfloat16, float32, float64, "
            "int32, int64, uint32, uint64"
        )
    if wanted in FLOATS:
        return between(
            op, _philox.unit(draw(), extents, wanted), 0 if low is None else low, 1 if high is None else high
        )
    if (low is None) != (high is None):
        raise ConversionError(
            f"{op}: For integer dtype {wanted.name}, minval and maxval must be both `None` or both non-`None`; got "
            f"minval={low} and maxval={high}"
        )
    if low is None:
        return wrap(_philox.full_integers(draw(), extents, wanted))
    if wanted in (_core.uint32, _core.uint64):
        raise ConversionError(
            f"{op}: Argument `dtype` got invalid value {wanted.name} when argument `minval` is not None"
        )
    a, b = bound(op, low, wanted), bound(op, high, wanted)
    if isinstance(a, int) and isinstance(b, int) and a >= b:
        raise ConversionError(f"{op}: Need minval < maxval, got {a} >= {b}")
    return wrap(_philox.integers(draw(), extents, a, b, wanted))


def numpy_generator(stream: Any) -> Any:
    """NumPy's generator of a stream; an error while tracing."""
    if not _philox.known(stream):
        raise _core.UnimplementedError("binomial: not supported while a function is traced; draw before it")
    import numpy

    key, low, high = (x & 2**64 - 1 for x in stream)
    return numpy.random.Generator(numpy.random.Philox(counter=[low, high, 0, 0], key=[key, 0]))


def binomial_of(op: str, stream: Any, shape: Any, counts: ArrayLike, probs: ArrayLike, dtype: DTypeLike) -> Tensor:
    """Binomial counts by NumPy's algorithm."""
    wanted = dtypes.as_dtype(dtype).core
    if not wanted.is_integer and wanted not in FLOATS:
        raise ConversionError(f"{op}: Argument `dtype` got invalid value {wanted.name}")
    n, p = (_core.astype(to_core(x), _core.float64).numpy() for x in (counts, probs))
    drawn = numpy_generator(stream).binomial(n.astype("int64"), p, size=shape_of(op, shape))
    return wrap(_core.astype(_core.asarray(drawn), wanted))


# --- seeds of stateless functions ---


def pair_of(op: str, seed: ArrayLike) -> tuple[Any, Any]:
    """The two integers of a seed, as Python ints or scalars of a trace."""
    if isinstance(seed, (list, tuple)) and len(seed) == 2 and all(type(s) is int for s in seed):
        return seed[0], seed[1]
    t = to_core(seed)
    if t.dtype not in (_core.int32, _core.int64):
        raise _core.InvalidTypeError(f"{op}: seed must be two int32 or int64, received {t.dtype.name}")
    if tuple(t.shape) != (2,):
        raise ConversionError(f"{op}: seed must have shape [2], not {list(t.shape)}")
    if t.symbolic:
        wide = _core.astype(t, _core.int64)
        return wide[0], wide[1]
    first, second = t.tolist()
    return first, second


def seeded(op: str, seed: ArrayLike, alg: Any = None) -> Any:
    """The stream of a stateless function's seed."""
    philox_only(op, alg)
    return _philox.scrambled(*pair_of(op, seed))


def split(seed: ArrayLike, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """num seeds [num, 2] of a seed, of its dtype, whose streams are independent of each other and of the seed's."""
    t = to_core(seed)
    stream = seeded("split", wrap(t), alg)
    return wrap(_philox.full_integers(stream, (ints(num)[0], 2), t.dtype))


def fold_in(seed: ArrayLike, data: ArrayLike, alg: Any = "auto_select") -> Tensor:
    """The seed that comes of a seed and an integer, of the integer's dtype."""
    d = to_core(data)
    if d.dtype not in (_core.int32, _core.int64):
        raise _core.InvalidTypeError(f"fold_in: data must be int32 or int64, received {d.dtype.name}")
    first = _philox.full_integers(seeded("fold_in", seed, alg), (), d.dtype)
    return wrap(_core.stack([first, d]))


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator, int64[3] (ThreeFry: 2): of one number its words, lowest first, of a list what is in it."""
    size = 3 if algorithm_of("create_rng_state", alg) is Algorithm.PHILOX else 2
    if isinstance(seed, TensorLike):
        seed = to_core(seed).tolist()
    elif hasattr(seed, "tolist"):
        seed = seed.tolist()
    given = list(seed) if isinstance(seed, (list, tuple)) else None
    if given is None:
        numbers = [_integer(seed) >> 64 * i for i in range(size)]
    else:
        numbers = ([0] * (size - len(given)) + [_integer(s) for s in given])[:size]
    return wrap(_core.asarray([_philox.signed(n) for n in numbers], _core.int64))


def _integer(seed):
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ConversionError(f"create_rng_state: a seed must be an integer or a list of integers, received {seed!r}")
    return seed


# --- generators ---


class Generator:
    """A stream of random numbers: TensorFlow's for the same seed, bit for bit but for the last one of logarithms and sines.

        g = tf.random.Generator.from_seed(1)
        g.normal([2, 3])

    Its state, a variable, moves on with every draw, also in a tf.function. It is a counter of 128 bits and a key.
    """

    def __init__(self, copy_from: Generator | None = None, state: ArrayLike | None = None, alg: Any = None) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ConversionError("Generator: give copy_from, or state and alg")
            state, alg = copy_from.state, copy_from.algorithm
        elif state is None or alg is None:
            raise ConversionError("Generator: state and alg must be given; use Generator.from_seed(1)")
        self._check(alg)
        self._state = Variable(_state("Generator", state), trainable=False, name="StateVar")

    def _checkpoint_children(self):
        return {"_state_var": self._state}

    @staticmethod
    def _check(alg):
        if algorithm_of("Generator", alg) is not Algorithm.PHILOX:
            raise _core.UnimplementedError("Generator: ThreeFry is not supported on CPUs; use alg='philox'")

    @classmethod
    def from_state(cls, state: ArrayLike, alg: Any) -> Generator:
        """A generator of a state, int64[3]."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose numbers are a function of the seed: an integer, or up to three."""
        cls._check(alg)
        return cls(state=create_rng_state(seed, "philox"), alg="philox")

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator of a state that differs from run to run."""
        import os

        cls._check(alg)
        words = [int.from_bytes(os.urandom(8), "little", signed=True) for _ in range(3)]
        return cls(state=words, alg="philox")

    @classmethod
    def from_key_counter(cls, key: ArrayLike, counter: ArrayLike, alg: Any) -> Generator:
        """A generator of a key and a counter of two words, the lower one first."""
        return cls(state=_joined(key, counter), alg=alg)

    @property
    def state(self) -> Variable:
        """The variable: the counter's two words, the lower one first, and the key."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The algorithm's number, 1 for Philox."""
        return Algorithm.PHILOX.value

    @property
    def key(self) -> Tensor:
        """The key."""
        return wrap(self._state._core_value()[2])

    def reset(self, state: ArrayLike) -> None:
        """Goes on from a state."""
        self._state.assign(_state("reset", state))

    def reset_from_seed(self, seed: Any) -> None:
        """Goes on as from_seed begins."""
        self.reset(create_rng_state(seed, "philox"))

    def reset_from_key_counter(self, key: ArrayLike, counter: ArrayLike) -> None:
        """Goes on as from_key_counter begins."""
        self.reset(_joined(key, counter))

    def skip(self, delta: ArrayLike) -> Tensor:
        """Moves on by what delta elements need; the state that was."""
        d = to_core(delta)
        if len(d.shape) or not d.dtype.is_integer:
            raise ConversionError(f"skip: delta must be one integer, received {delta!r}")
        before = _core.identity(self._state._core_value())
        self._advance(before, d.item() if not d.symbolic else _core.astype(d, _core.int64))
        return wrap(before)

    def _advance(self, state, count):
        """The stream at a state; the variable moves on by count elements."""
        if isinstance(count, int) and not state.symbolic:
            low, high, key = state.tolist()
            counter = ((high & 2**64 - 1) << 64 | low & 2**64 - 1) + count * _philox.APART
            after = [_philox.signed(counter), _philox.signed(counter >> 64), key]
            self._state.assign(wrap(_core.asarray(after, _core.int64)))
            return key, low, high
        low, high, key = state[0], state[1], state[2]
        step = count * _philox.APART
        moved = low + step
        least = -(2**63)
        carry = _core.less(_core.bitwise_xor(moved, least), _core.bitwise_xor(low, least))
        self._state.assign(wrap(_core.stack([moved, high + _core.astype(carry, _core.int64), key])))
        return key, low, high

    def _draw(self, op, shape):
        return self._advance(self._state._core_value(), _philox.count_of(shape_of(op, shape)))

    def normal(
        self,
        shape: ShapeLike,
        mean: ArrayLike = 0.0,
        stddev: ArrayLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal of this mean and standard deviation, numbers or tensors that broadcast."""
        wanted = float_of("normal", dtype)
        x = _philox.normal(self._draw("normal", shape), shape_of("normal", shape), wanted)
        return scaled("normal", x, stddev, mean)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: ArrayLike = 0.0,
        stddev: ArrayLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normal within two standard deviations of the mean."""
        wanted, op = float_of("truncated_normal", dtype), "truncated_normal"
        return scaled(op, _philox.truncated_normal(self._draw(op, shape), shape_of(op, shape), wanted), stddev, mean)

    def uniform(
        self,
        shape: ShapeLike,
        minval: ArrayLike | None = 0,
        maxval: ArrayLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Uniform in [minval, maxval), up to 1 unless given; integers need both, or None for both: all that there are."""
        return uniform_of("uniform", lambda: self._draw("uniform", shape), shape, minval, maxval, dtype)

    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.BY_NAME["uint64"], name: str | None = None
    ) -> Tensor:
        """Integers of 32 or 64 bits, all of them equally likely."""
        return self.uniform(shape, None, None, dtype)

    def binomial(
        self,
        shape: ShapeLike,
        counts: ArrayLike,
        probs: ArrayLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """How many of counts succeed with probability probs. Other numbers than TensorFlow's; not in a tf.function."""
        return binomial_of("binomial", self._draw("binomial", shape), shape, counts, probs, dtype)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds [2, count] for stateless functions, one a column."""
        first = self.uniform_full_int([int(count)], dtypes.int64)._t
        return wrap(_core.stack([first, _core.zeros_like(first)]))

    def split(self, count: int = 1) -> list[Generator]:
        """count generators whose streams are independent of each other and of this one's."""
        keys = _core.unstack(self.uniform_full_int([int(count)], dtypes.int64)._t)
        zero = _core.zeros((), dtype=_core.int64)
        return [Generator(state=wrap(_core.stack([zero, zero, k])), alg="philox") for k in keys]


def _state(op, state):
    """A state as an int64[3] tensor."""
    t = to_core(state)
    t = _core.astype(t, _core.int64) if t.dtype.is_integer else t
    if t.dtype is not _core.int64 or tuple(t.shape) != (3,):
        raise ConversionError(f"{op}: a state is three integers, received {t.dtype.name} of shape {tuple(t.shape)}")
    return wrap(t)


def _joined(key, counter):
    k, c = (_core.astype(to_core(x), _core.int64) for x in (key, counter))
    if len(k.shape) or tuple(c.shape) != (2,):
        raise ConversionError(
            f"Generator: a key is one integer and a counter two, received shapes {tuple(k.shape)} and {tuple(c.shape)}"
        )
    return wrap(_core.concat([c, _core.reshape(k, (1,))]))


_global: list[Generator] = []


def get_global_generator() -> Generator:
    """The generator that all share; of a state that differs from run to run until set_global_generator."""
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Makes a generator the one that all share."""
    _global[:] = [generator]
