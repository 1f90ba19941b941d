"""tf.random: TensorFlow's numbers for the same seeds, as far as its algorithms are simple ones.

uniform, normal, truncated_normal, categorical and shuffle give TensorFlow's elements (to the last bit of logarithms and
sines) for a seed: set_seed, an op's own, both, a stateless function's, or a Generator's. Without set_seed and seed they come of
reel.random's default generator, which begins every process in the same way; so do numbers of a tf.function without a seed
of their own, where TensorFlow's seed counts the nodes of its graph. gamma, poisson and binomial give other numbers than
TensorFlow's, of the same distributions, repeatable by the same seeds.
"""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from . import _philox, dtypes
from . import _random_experimental as experimental  # noqa: F401
from ._convert import to_core
from ._draws import categories as _categories
from ._draws import gamma_of as _gamma_of
from ._draws import number_of as _number_of
from ._draws import permutation as _permutation
from ._draws import poisson_of as _poisson_of
from ._draws import set_seed as set_seed
from ._draws import stream_of as _stream_of
from ._draws import truncated_between as _truncated_between
from ._generator import Algorithm as Algorithm
from ._generator import Generator as Generator
from ._generator import between as _between
from ._generator import binomial_of as _binomial_of
from ._generator import create_rng_state as create_rng_state
from ._generator import float_of as _float_of
from ._generator import fold_in as fold_in
from ._generator import get_global_generator as get_global_generator
from ._generator import scaled as _scaled
from ._generator import seeded as _seeded
from ._generator import set_global_generator as set_global_generator
from ._generator import shape_of as _shape_of
from ._generator import split as split
from ._generator import uniform_of as _uniform_of
from ._operators import operand as _operand
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError as _ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor as _Tensor

_r = _core.random
_OF_REEL = _core.float32, _core.float64  # dtypes that reel.random draws


def normal(
    shape: ShapeLike,
    mean: ArrayLike = 0.0,
    stddev: ArrayLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Normal of this mean and standard deviation, numbers or tensors that broadcast."""
    wanted, extents = _float_of("normal", dtype), _shape_of("normal", shape)
    stream = _stream_of("normal", seed, wanted, _philox.reserved(extents))
    return _scaled("normal", _drawn(stream, _philox.normal, _r.normal, extents, wanted), stddev, mean)


def truncated_normal(
    shape: ShapeLike,
    mean: ArrayLike = 0.0,
    stddev: ArrayLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Normal within two standard deviations of the mean."""
    op = "truncated_normal"
    wanted, extents = _float_of(op, dtype), _shape_of(op, shape)
    stream = _stream_of(op, seed, wanted, _philox.reserved(extents))
    x = _drawn(stream, _philox.truncated_normal, _r.truncated_normal, extents, wanted)
    return _scaled(op, x, stddev, mean)


def _drawn(stream, make, draw, shape, dtype):
    """make's numbers of a stream; without one draw's, of reel's default generator."""
    if stream is not None:
        return make(stream, shape, dtype)
    x = draw(shape, dtype=dtype if dtype in _OF_REEL else _core.float32)
    return x if x.dtype is dtype else _core.astype(x, dtype)


def uniform(
    shape: ShapeLike,
    minval: ArrayLike = 0,
    maxval: ArrayLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Uniform in [minval, maxval); integers, int32 or int64, need a maxval, and are a word modulo the number of them."""
    wanted = dtypes.as_dtype(dtype).core
    extents = _shape_of("uniform", shape)
    if wanted.is_integer and wanted not in (_core.int32, _core.int64):
        raise _ConversionError(
            f"uniform: Argument `dtype` got invalid value {wanted.name}. Accepted dtypes are float16, bfloat16, float32, "
            "float64, int32, int64"
        )
    if wanted.is_integer and (maxval is None or minval is None):
        raise _ConversionError(f"uniform: Must specify maxval for integer dtype {wanted.name}")

    stream = _stream_of("uniform", seed, wanted, _philox.reserved(extents))
    if wanted.is_floating and stream is None:
        x = _drawn(None, None, _r.uniform, extents, wanted)
        return _between("uniform", x, minval, 1 if maxval is None else maxval)
    return _uniform_of("uniform", lambda: stream or _of_default_generator(), shape, minval, maxval, dtype)


def _of_default_generator():
    """The stream of reel's default generator's next numbers, for one draw of it."""
    generator = _r.default_generator()
    key = generator.split(1)[0]
    if key.symbolic:
        return key[0], key[1], 0
    return *key.tolist(), 0


def categorical(
    logits: ArrayLike,
    num_samples: int,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Class indices [rows, num_samples] drawn from softmax(logits [rows, classes]), int64 unless dtype says int32."""
    x = to_core(logits)
    n = _number_of("categorical", "num_samples", num_samples)
    rows = x.shape[0] if len(x.shape) else 1
    stream = _stream_of("categorical", seed, (x.dtype, dtype), rows * -(-n // 4) * 8 * _philox.APART)
    return _categories("categorical", x, n, stream or _of_default_generator(), dtype)


def shuffle(value: ArrayLike, seed: int | None = None, name: str | None = None) -> _Tensor:
    """The rows in random order; in a tf.function of its own, not TensorFlow's for the same seed."""
    x = to_core(value)
    if not len(x.shape):
        return wrap(x)
    stream = _stream_of("shuffle", seed, x.dtype, (x.shape[0] + 2) // 4)
    return wrap(_core.take(x, _permutation(x.shape[0], stream), axis=0))


def gamma(
    shape: ShapeLike,
    alpha: ArrayLike,
    beta: ArrayLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """shape draws for each alpha and rate beta: [shape..., their broadcast shape...]. Other numbers than TensorFlow's.

    Gradients to alpha, by implicit differentiation, and to beta.
    """
    wanted, extents = _float_of("gamma", dtype), _shape_of("gamma", shape)
    a = _operand(alpha, wanted, "gamma", weak=False)
    b = None if beta is None else _operand(beta, wanted, "gamma", weak=False)
    if b is not None:
        a = a + _core.zeros_like(b)
    full = (*extents, *a.shape)
    return wrap(_gamma_of(full, a, b, _stream_of("gamma", seed, wanted, _philox.reserved(full))))


def poisson(
    shape: ShapeLike,
    lam: ArrayLike,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """shape counts for each rate: [shape..., lam's shape...]. Other numbers than TensorFlow's."""
    rate = to_core(lam)
    extents = (*_shape_of("poisson", shape), *rate.shape)
    wanted = dtypes.as_dtype(dtype).core
    return wrap(
        _poisson_of("poisson", extents, rate, wanted, _stream_of("poisson", seed, wanted, _philox.reserved(extents)))
    )


# --- functions of a seed ---


def stateless_uniform(
    shape: ShapeLike,
    seed: ArrayLike,
    minval: ArrayLike | None = 0,
    maxval: ArrayLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> _Tensor:
    """Uniform in [minval, maxval) as a function of the seed; integers need both bounds, or None for both."""
    stream = _seeded("stateless_uniform", seed, alg)
    return _uniform_of("stateless_uniform", lambda: stream, shape, minval, maxval, dtype)


def stateless_normal(
    shape: ShapeLike,
    seed: ArrayLike,
    mean: ArrayLike = 0.0,
    stddev: ArrayLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> _Tensor:
    """normal as a function of the seed, two integers."""
    op = "stateless_normal"
    x = _philox.normal(_seeded(op, seed, alg), _shape_of(op, shape), _float_of(op, dtype))
    return _scaled(op, x, stddev, mean)


def stateless_truncated_normal(
    shape: ShapeLike,
    seed: ArrayLike,
    mean: ArrayLike = 0.0,
    stddev: ArrayLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> _Tensor:
    """truncated_normal as a function of the seed, two integers."""
    op = "stateless_truncated_normal"
    x = _philox.truncated_normal(_seeded(op, seed, alg), _shape_of(op, shape), _float_of(op, dtype))
    return _scaled(op, x, stddev, mean)


def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: ArrayLike,
    means: ArrayLike = 0.0,
    stddevs: ArrayLike = 1.0,
    minvals: ArrayLike = -2.0,
    maxvals: ArrayLike = 2.0,
    name: str | None = None,
) -> _Tensor:
    """Normal given that it is from minvals to maxvals, all of which broadcast to shape. Other numbers than TensorFlow's."""
    op = "stateless_parameterized_truncated_normal"
    stream = _seeded(op, seed)
    given = [to_core(p) for p in (means, stddevs, minvals, maxvals)]
    return wrap(_truncated_between(op, stream, _shape_of(op, shape), given))


def stateless_categorical(
    logits: ArrayLike, num_samples: int, seed: ArrayLike, dtype: DTypeLike = dtypes.int64, name: str | None = None
) -> _Tensor:
    """categorical as a function of the seed, two integers."""
    op = "stateless_categorical"
    n = _number_of(op, "num_samples", num_samples)
    return _categories(op, to_core(logits), n, _seeded(op, seed), dtype)


def stateless_gamma(
    shape: ShapeLike,
    seed: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> _Tensor:
    """Gamma variates as a function of the seed; alpha and the rate beta broadcast to shape. Other numbers than TensorFlow's."""
    op = "stateless_gamma"
    wanted = _float_of(op, dtype)
    a = _operand(alpha, wanted, op, weak=False)
    b = None if beta is None else _operand(beta, wanted, op, weak=False)
    return wrap(_gamma_of(_shape_of(op, shape), a, b, _seeded(op, seed)))


def stateless_poisson(
    shape: ShapeLike, seed: ArrayLike, lam: ArrayLike, dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> _Tensor:
    """Poisson counts as a function of the seed; the rates broadcast to shape. Other numbers than TensorFlow's."""
    op = "stateless_poisson"
    wanted = dtypes.as_dtype(dtype).core
    return wrap(_poisson_of(op, _shape_of(op, shape), to_core(lam), wanted, _seeded(op, seed)))


def stateless_binomial(
    shape: ShapeLike,
    seed: ArrayLike,
    counts: ArrayLike,
    probs: ArrayLike,
    output_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> _Tensor:
    """How many of counts succeed with probability probs. Other numbers than TensorFlow's; not in a tf.function."""
    op = "stateless_binomial"
    return _binomial_of(op, _seeded(op, seed), shape, counts, probs, output_dtype)


_all_in_graph(globals())
