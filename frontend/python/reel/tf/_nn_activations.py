"""tf.nn's activations, and what is added to and dropped from features."""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core
from .. import nn as _nn
from . import dtypes
from ._array import ints
from ._convert import to_core
from ._linked import linked
from ._nn_windows import check_float
from ._operators import operand
from ._tensor import TensorLike, wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._signatures import ShapeLike
    from ._tensor import Tensor


def _define(name, f, integers=False, flat=False) -> _sig.Activation:
    """An activation of floats; flat: piecewise linear, with second derivatives of zero that are not None."""

    def op(features: ArrayLike, name: str | None = None) -> Tensor:
        x = to_core(features)
        if not x.dtype.is_floating and not (integers and x.dtype.is_integer):
            check_float(op.__name__, x, "features")
        return wrap(f(linked(x) if flat else x))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


relu = _define("relu", _nn.relu, integers=True, flat=True)
relu.__doc__ = "max(x, 0); its derivative at 0 is 0."
relu6 = _define("relu6", _nn.relu6, integers=True, flat=True)
elu = _define("elu", _nn.elu)
selu = _define("selu", _nn.selu)
softsign = _define("softsign", _nn.softsign)


def silu(features: ArrayLike, beta: ArrayLike = 1.0) -> Tensor:
    """x sigmoid(beta x)."""
    x = to_core(features)
    if not x.dtype.is_complex:
        check_float("silu", x, "features")
    if isinstance(beta, (int, float)) and beta == 1:
        return wrap(_nn.silu(x))
    return wrap(x * _core.sigmoid(x * operand(beta, x.dtype, "silu", weak=True)))


swish = silu


def leaky_relu(features: ArrayLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x above 0, else alpha x; of integers as float32."""
    x = to_core(features)
    if x.dtype.is_integer:
        x = _core.astype(x, _core.float32)
    check_float("leaky_relu", x, "features")
    if isinstance(alpha, TensorLike):
        raise _core.InvalidTypeError(
            f"leaky_relu: `alpha` must be a number, received {alpha!r}; use tf.where for a tensor"
        )
    return wrap(_nn.leaky_relu(linked(x, endless=False), float(alpha)))


def gelu(features: ArrayLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """x/2 (1 + erf(x / sqrt 2)), or its approximation by tanh."""
    x = to_core(features)
    check_float("gelu", x, "features")
    return wrap(_nn.gelu(x, bool(approximate)))


def crelu(features: ArrayLike, axis: int = -1, name: str | None = None) -> Tensor:
    """relu of x and of -x, joined along axis."""
    x = to_core(features)
    if not x.dtype.is_integer:
        check_float("crelu", x, "features")
    return wrap(_nn.relu(linked(_core.concat([x, -x], axis=int(axis)))))


def bias_add(value: ArrayLike, bias: ArrayLike, data_format: str | None = None, name: str | None = None) -> Tensor:
    """value + bias, one number for each channel: along the last axis ('N...C', None), or axis 1 ('NC...')."""
    x = to_core(value)
    b = operand(bias, x.dtype, "BiasAdd", weak=False)
    first = data_format is not None and data_format.startswith("NC")
    if data_format is not None and not first and not (data_format.startswith("N") and data_format.endswith("C")):
        raise ConversionError(
            f"bias_add: `data_format` must be of the form `N...C` or `NC...`, received {data_format!r}"
        )
    if len(x.shape) < 2 or len(b.shape) != 1:
        raise ConversionError(
            f"bias_add: value must have at least 2 axes and bias 1, received shapes {tuple(x.shape)} and {tuple(b.shape)}"
        )
    channels, size = x.shape[1 if first else -1], b.shape[0]
    if channels is not None and size is not None and channels != size:
        raise ConversionError(
            f"bias_add: Must provide as many biases as the {'second' if first else 'last'} dimension of the input tensor: "
            f"{tuple(b.shape)} vs. {tuple(x.shape)}"
        )
    return wrap(x + (_core.reshape(b, [-1] + [1] * (len(x.shape) - 2)) if first else b))


# --- dropout ---


def _rate(rate, x):
    """The share to drop as a number, or as a tensor of x's dtype."""
    if isinstance(rate, (int, float)) and not isinstance(rate, bool):
        if not 0 <= rate < 1:
            raise ConversionError(
                f"dropout: `rate` must be a scalar tensor or a float in the range [0, 1), received {rate}"
            )
        return rate
    r = to_core(rate)
    if len(r.shape) or not r.dtype.is_floating:
        raise ConversionError(
            f"dropout: `rate` must be a scalar tensor or a float in the range [0, 1), received {rate!r}"
        )
    if r.dtype is not x.dtype:
        raise ConversionError(
            f"dropout: `rate` has dtype {r.dtype.name} and x {x.dtype.name}; give one dtype to both by tf.cast"
        )
    return r


def _noise_shape(noise_shape, x):
    """The shape of what is drawn: None is x's extent."""
    shape = list(x.shape)
    if noise_shape is None:
        return shape
    if isinstance(noise_shape, TensorLike):
        return list(ints(noise_shape))
    given = list(noise_shape)
    if len(given) == len(shape):
        given = [n if d is None else d for d, n in zip(given, shape)]
    if any(d is None for d in given):
        raise ConversionError(f"dropout: noise_shape {given} must have the {len(shape)} axes of x to have None in it")
    return list(ints(given))


def _dropped(op, x, rate, noise_shape, draw):
    """x / (1 - rate) where draw(shape, dtype) is at least the rate, else 0."""
    x = to_core(x)
    if not x.dtype.is_floating:
        raise ConversionError(
            f"{op}: `x` has to be a floating point tensor since it's going to be scaled, received {x.dtype.name}; use tf.cast"
        )
    r = _rate(rate, x)
    if isinstance(r, (int, float)) and r == 0:
        return wrap(x)
    u = to_core(draw(_noise_shape(noise_shape, x), dtypes.BY_CORE[x.dtype]))
    scale = 1 / (1 - r)
    if isinstance(scale, float) and not _math.isfinite(scale):
        raise ConversionError(f"{op}: `rate` {rate} is too near to 1")
    return wrap(_core.where(u >= r, x * scale, _core.zeros_like(x)))


def dropout(
    x: ArrayLike,
    rate: ArrayLike,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Elements set to 0 with probability rate, the others scaled by 1 / (1 - rate).

    noise_shape: of what is drawn, which broadcasts to x: [batch, 1, channels] keeps or drops whole columns; None in it is
    x's extent. seed: as of tf.random.uniform, whose numbers are compared with the rate.
    """
    from .random import uniform

    return _dropped("dropout", x, rate, noise_shape, lambda shape, dtype: uniform(shape, dtype=dtype, seed=seed))


def stateless_dropout(
    x: ArrayLike,
    rate: ArrayLike,
    seed: ArrayLike,
    rng_alg: Any = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """dropout by tf.random.stateless_uniform: the same elements for the same seed, two integers."""
    from .random import stateless_uniform

    alg = "auto_select" if rng_alg is None else rng_alg
    return _dropped(
        "stateless_dropout", x, rate, noise_shape, lambda s, d: stateless_uniform(s, seed, dtype=d, alg=alg)
    )


def general_dropout(
    x: ArrayLike, rate: ArrayLike, uniform_sampler: Any, noise_shape: ShapeLike | None = None, name: str | None = None
) -> Tensor:
    """dropout by numbers from uniform_sampler(shape, dtype)."""
    return _dropped("general_dropout", x, rate, noise_shape, lambda s, d: uniform_sampler(s, d))


_all_in_graph(globals())
