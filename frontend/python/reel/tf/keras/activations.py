"""The activations of Keras: elementwise functions and softmaxes, by name."""

from __future__ import annotations as _annotations

import functools as _functools
import typing as _t

from .. import _array, _sorting
from .. import dtypes as _dtypes
from .. import math as _math
from .. import nn as _nn
from .._convert import convert_to_tensor as _convert
from .._range import range as _range
from .._tensor import Tensor as _TensorType
from .._trace import all_in_graph as _all_in_graph
from . import _common, _symbolic
from ._common import tensor as _tensor

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...typing import TensorLike as ArrayLike
    from .._signatures import Axes
    from .._tensor import Tensor as _Tensor


def linear(x: ArrayLike) -> _Tensor:
    """x."""
    return x  # type: ignore[return-value]


def relu(x: ArrayLike, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> _Tensor:
    """x above the threshold, at most max_value; negative_slope (x - threshold) below it."""
    x = _tensor(x)
    if not negative_slope and max_value is None and not threshold:
        return _nn.relu(x)
    if negative_slope:
        x = _floating(x)
    if max_value is None and not threshold:
        return _nn.leaky_relu(x, negative_slope)
    if threshold:
        above = _array.where(x > _tensor(threshold, x.dtype), x, _zero(x))
    else:
        above = relu6(x) if max_value == 6 else _nn.relu(x)
    if max_value is not None:
        above = _math.clip_by_value(above, _zero(x), _tensor(max_value, x.dtype))
    if not negative_slope:
        return above
    return above - negative_slope * _nn.relu(threshold - x)


def _floating(x):
    """Integers and bools as float32."""
    return x if x.dtype.is_floating or x.dtype.is_complex else _tensor(x, "float32")


def _zero(x):
    return _tensor(0.0, x.dtype)


def leaky_relu(x: ArrayLike, negative_slope: float = 0.2) -> _Tensor:
    """x where it is positive, negative_slope x elsewhere."""
    return _nn.leaky_relu(_tensor(x), negative_slope)


def relu6(x: ArrayLike) -> _Tensor:
    """x within [0, 6]."""
    x = _tensor(x)
    return _array.where(x >= 6, _tensor(6.0, x.dtype), _nn.relu(x))


def elu(x: ArrayLike, alpha: float = 1.0) -> _Tensor:
    """x where it is positive, alpha (e^x - 1) elsewhere."""
    x = _tensor(x)
    y = _nn.elu(x)
    return y if alpha == 1 else _array.where(x > 0, y, alpha * y)


def selu(x: ArrayLike) -> _Tensor:
    """1.0507 times elu with the alpha 1.67326."""
    return _nn.selu(_tensor(x))


def celu(x: ArrayLike, alpha: float = 1.0) -> _Tensor:
    """x where it is positive, alpha (e^(x / alpha) - 1) elsewhere."""
    x = _tensor(x)
    return _math.maximum(x, 0.0) + alpha * _math.expm1(_math.minimum(x, 0.0) / alpha)


def gelu(x: ArrayLike, approximate: bool = False) -> _Tensor:
    """x times the normal distribution function of x; approximate: by tanh."""
    return _nn.gelu(_tensor(x), approximate)


def silu(x: ArrayLike) -> _Tensor:
    """x sigmoid(x)."""
    return _nn.silu(_tensor(x))


def hard_silu(x: ArrayLike) -> _Tensor:
    """x hard_sigmoid(x)."""
    x = _tensor(x)
    return x * hard_sigmoid(x)


def mish(x: ArrayLike) -> _Tensor:
    """x tanh(softplus(x))."""
    x = _tensor(x)
    return x * _math.tanh(_math.softplus(x))


def glu(x: ArrayLike, axis: int = -1) -> _Tensor:
    """The first half along an axis times the sigmoid of the second."""
    first, second = _array.split(_tensor(x), 2, axis)
    return first * _math.sigmoid(second)


def softplus(x: ArrayLike) -> _Tensor:
    """log(1 + e^x)."""
    return _math.softplus(_tensor(x))


def softsign(x: ArrayLike) -> _Tensor:
    """x / (1 + |x|)."""
    return _nn.softsign(_tensor(x))


def squareplus(x: ArrayLike, b: float = 4) -> _Tensor:
    """(x + sqrt(x^2 + b)) / 2."""
    x = _tensor(x)
    return (x + _math.sqrt(_math.square(x) + b)) / 2


def sparse_plus(x: ArrayLike) -> _Tensor:
    """0 up to -1, (x + 1)^2 / 4 up to 1, then x."""
    x = _tensor(x)
    return _array.where(x <= -1, _zero(x), _array.where(x < 1, (x + 1) ** 2 / 4, x))


def sigmoid(x: ArrayLike) -> _Tensor:
    """1 / (1 + e^-x)."""
    x = _tensor(x)
    return _with_logits(_math.sigmoid(x), x)


def _with_logits(y, x):
    """Losses of y take its logits, which are exact where y is 0 or 1."""
    return _common.logits.set(y, (x, None)) if isinstance(y, _TensorType) else y


def hard_sigmoid(x: ArrayLike) -> _Tensor:
    """x / 6 + 1 / 2 within [0, 1]."""
    return relu6(_tensor(x) + 3.0) / 6.0


def sparse_sigmoid(x: ArrayLike) -> _Tensor:
    """(x + 1) / 2 within [0, 1]."""
    x = _tensor(x)
    return _array.where(x <= -1, _zero(x), _array.where(x >= 1, _tensor(1.0, x.dtype), 0.5 * (x + 1)))


def log_sigmoid(x: ArrayLike) -> _Tensor:
    """log(sigmoid(x))."""
    return _math.log_sigmoid(_tensor(x))


def tanh(x: ArrayLike) -> _Tensor:
    """Hyperbolic tangent."""
    return _math.tanh(_floating(_tensor(x)))


def tanh_shrink(x: ArrayLike) -> _Tensor:
    """x - tanh(x)."""
    x = _tensor(x)
    return x - _math.tanh(x)


def hard_tanh(x: ArrayLike) -> _Tensor:
    """x within [-1, 1]."""
    return _math.clip_by_value(_tensor(x), -1.0, 1.0)


def hard_shrink(x: ArrayLike, threshold: float = 0.5) -> _Tensor:
    """x where |x| is above the threshold, else 0."""
    x = _tensor(x)
    return _array.where(_math.abs(x) > threshold, x, _zero(x))


def soft_shrink(x: ArrayLike, threshold: float = 0.5) -> _Tensor:
    """x nearer to 0 by the threshold; 0 within it."""
    x = _tensor(x)
    return _array.where(x > threshold, x - threshold, _array.where(x < -threshold, x + threshold, _zero(x)))


def threshold(x: ArrayLike, threshold: float, default_value: float) -> _Tensor:
    """x where it is above the threshold, else default_value."""
    x = _tensor(x)
    return _array.where(x > threshold, x, _convert(default_value, dtype=x.dtype))


def exponential(x: ArrayLike) -> _Tensor:
    """e^x."""
    return _math.exp(_floating(_tensor(x)))


def softmax(x: ArrayLike, axis: Axes = -1) -> _Tensor:
    """e^x / sum e^x along an axis, or over several."""
    x = _tensor(x)
    if not isinstance(axis, int):
        return _with_logits(_math.exp(x - _math.reduce_logsumexp(x, axis, True)), x)
    return _with_logits(_math.softmax(x, axis), x)


def log_softmax(x: ArrayLike, axis: Axes = -1) -> _Tensor:
    """x - log sum e^x along an axis, or over several."""
    x = _tensor(x)
    if not isinstance(axis, int):
        return x - _math.reduce_logsumexp(x, axis, True)
    return _math.log_softmax(x, axis)


def sparsemax(x: ArrayLike, axis: int = -1) -> _Tensor:
    """The nearest point of the simplex: non-negative, the sum along an axis 1."""
    x = _tensor(x)
    # The support is the k largest elements, the most with 1 + k z_k > z_1 + ... + z_k.
    z = _sorting.sort(x, axis, "DESCENDING")
    shape = [1] * len(x.shape)
    shape[axis] = x.shape[axis]
    k = _array.reshape(_dtypes.cast(_range(1, x.shape[axis] + 1), x.dtype), shape)
    sums = _math.cumsum(z, axis)
    inside = _dtypes.cast(1 + k * z > sums, x.dtype)
    size = _math.reduce_sum(inside, axis, True)
    tau = (_math.reduce_sum(z * inside, axis, True) - 1) / size
    return _math.maximum(x - tau, 0.0)


def _of_symbols(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; of a KerasTensor it is an operation of the functional model."""

    @_functools.wraps(function)
    def activation(x: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(x, _symbolic.KerasTensor):
            return _symbolic.apply(function, function.__name__, (x, *args), kwargs)
        return function(x, *args, **kwargs)

    return activation


swish, hard_swish = silu, hard_silu
_all_in_graph(globals(), "linear")
_MADE = {f: _of_symbols(f) for f in _common.public(globals()).values()}
globals().update({n: _MADE[f] for n, f in _common.public(globals()).items()})
_NAMES = _common.Names("activations", "activation function", _common.public(globals()))


def serialize(activation: Any) -> Any:
    """The function's name; class name and options of an object."""
    return _NAMES.serialize(activation)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The activation that serialize wrote."""
    return _NAMES.deserialize(config, custom_objects)


def get(identifier: Any) -> Callable[..., Any]:
    """The function of a name, of None (linear), or the callable itself."""
    return linear if identifier is None else _NAMES.get(identifier)
