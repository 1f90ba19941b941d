"""Reductions over axes, running sums, positions of extrema, counts."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from . import _dtypes
from ._args import axes_or_none as _axes
from ._args import axis_of as _axis_of
from ._args import index_dtype as _index_dtype
from ._complex import running as _running_of_complex
from ._convert import to_core as _to_core
from ._linked import linked as _linked
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph

if _t.TYPE_CHECKING:
    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._signatures import Axes
    from ._tensor import Tensor as _Tensor


def _not_allowed(op, x, wanted):
    return _core.InvalidTypeError(
        f"{op}: the tensor must be {wanted}, not {x.dtype.name} {tuple(x.shape)}; use tf.cast"
    )


# What an op takes: the kinds of dtypes that it does not, and how to say so.
_NUMBER = ("b", "a number")
_REAL = ("bc", "a real number")
_BOOL = ("iufcV", "bool")
_FLOATING = ("biuc", "floating")


def _checked(op, x, taken):
    if x.dtype.kind in taken[0]:
        raise _not_allowed(op, x, taken[1])
    return x


def _define(name, f, taken, wide=False) -> _sig.Reduction:
    refused = taken[0]

    def op(
        input_tensor: ArrayLike, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
    ) -> _Tensor:
        x = _to_core(input_tensor)
        kind = x.dtype.kind
        if kind in refused:
            raise _not_allowed(op.__name__, x, taken[1])
        if axis is not None and axis.__class__ is not int:
            axis = _axes(axis)
        if wide and kind in "iu":
            return _wrap(f(x, axis, keepdims=bool(keepdims), dtype=x.dtype))
        return _wrap(f(x, axis, keepdims=bool(keepdims)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


def _prod(x, axis, keepdims, dtype=None):
    """The product over axes; 1 if there is nothing."""
    if x.dtype.is_complex:
        return _product_of_complex(x, axis, keepdims)
    return _core.prod(_linked(x), axis, keepdims=keepdims, dtype=dtype)


def _product_of_complex(x, axis, keepdims):
    """The last of the running products along the axes, made one."""
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = sorted(_axis_of(a, x.ndim, "reduce_prod") for a in axes)
    kept = [a for a in range(x.ndim) if a not in axes]
    shape = tuple(x.shape)
    rows = _core.reshape(
        _core.permute_dims(x, [*axes, *kept]), [_size(shape[a] for a in axes), *(shape[a] for a in kept)]
    )
    out = _core.ones(rows.shape[1:], dtype=x.dtype)
    for row in _core.unstack(rows):
        out = out * row
    return _core.reshape(out, [1 if a in axes else n for a, n in enumerate(shape)]) if keepdims else out


def _size(extents):
    out = 1
    for n in extents:
        out *= n
    return out


reduce_sum = _define("reduce_sum", _core.sum, _NUMBER, True)
reduce_prod = _define("reduce_prod", _prod, _NUMBER, True)
reduce_max = _define("reduce_max", _core.max, _REAL)
reduce_min = _define("reduce_min", _core.min, _REAL)
reduce_all = _define("reduce_all", _core.all, _BOOL)
reduce_any = _define("reduce_any", _core.any, _BOOL)
reduce_logsumexp = _define("reduce_logsumexp", _core.logsumexp, _FLOATING)


def reduce_mean(
    input_tensor: ArrayLike, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The mean over axes, all of them unless given; of integers it is rounded towards zero."""
    x = _checked("reduce_mean", _to_core(input_tensor), _NUMBER)
    if x.dtype.is_integer:
        return _wrap(_mean_of_integers(x, _axes(axis), bool(keepdims)))
    return _wrap(_core.mean(x, _axes(axis), bool(keepdims)))


def _mean_of_integers(x, axis, keepdims):
    """The sum divided, without its fraction; 0 of nothing."""
    total = _core.sum(_core.astype(x, _core.float64), axis, keepdims=keepdims)
    count = _core.sum(_core.ones(x.shape, dtype=_core.float64), axis, keepdims=keepdims)
    return _core.astype(_core.trunc(total / _core.maximum(count, 1.0)), x.dtype)


def _spread(op, input_tensor):
    """The core tensor of which variances are taken; TypeError for integers."""
    x = _to_core(input_tensor)
    if x.dtype.is_integer or x.dtype.is_bool:
        raise _core.InvalidTypeError(
            f"{op}: Input must be either real or complex. Received {x.dtype.name} {tuple(x.shape)}; use tf.cast"
        )
    return x


def _variance(x, axes, keepdims):
    if not x.dtype.is_complex:
        return _core.var(x, axes, keepdims=keepdims)
    d = x - _core.mean(x, axes, True)
    return _core.mean(_core.square(_core.real(d)) + _core.square(_core.imag(d)), axes, keepdims)


def reduce_variance(
    input_tensor: ArrayLike, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """Mean of the squared distances from the mean; real for complex tensors. TypeError for integers."""
    return _wrap(_variance(_spread("reduce_variance", input_tensor), _axes(axis), bool(keepdims)))


def reduce_std(
    input_tensor: ArrayLike, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """Square root of reduce_variance. Its gradient is NaN where the variance is 0."""
    return _wrap(_core.sqrt(_variance(_spread("reduce_std", input_tensor), _axes(axis), bool(keepdims))))


def reduce_euclidean_norm(
    input_tensor: ArrayLike, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """sqrt of the sum of the squares of the sizes; in the dtype of the tensor."""
    x, axes, keepdims = _checked("reduce_euclidean_norm", _to_core(input_tensor), _NUMBER), _axes(axis), bool(keepdims)
    if x.dtype.is_integer:
        norm = _core.sqrt(_core.sum(_core.square(_core.astype(x, _core.float64)), axes, keepdims=keepdims))
        return _wrap(_core.astype(norm, x.dtype))
    if x.dtype.is_complex:
        squares = x * _core.conj(x)
        return _wrap(_core.sqrt(_core.sum(squares, axes, keepdims=keepdims)))
    return _wrap(_core.sqrt(_core.sum(_core.square(x), axes, keepdims=keepdims)))


def _nonzero(x):
    return _core.not_equal(x, 0) if x.dtype.is_complex else x


def count_nonzero(
    input: ArrayLike,
    axis: Axes | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = _dtypes.int64,
    name: str | None = None,
) -> _Tensor:
    """Number of elements that are not 0."""
    count = _core.count_nonzero(_nonzero(_to_core(input)), _axes(axis), bool(keepdims))
    return _wrap(_core.astype(count, _dtypes.core_dtype(dtype)))


def zero_fraction(value: ArrayLike, name: str | None = None) -> _Tensor:
    """How many of the elements are 0, as a float32 from 0 to 1; NaN if there are none."""
    x = _to_core(value)
    zeros = _core.astype(x.size - _core.count_nonzero(_nonzero(x)), _core.float32)
    return _wrap(zeros / _core.asarray(float(x.size), _core.float32))


def _define_arg(name, f, worst, more=()) -> _sig.ArgReduction:
    def op(
        input: ArrayLike, axis: int | None = None, output_type: DTypeLike = _dtypes.int64, name: str | None = None
    ) -> _Tensor:
        out = _index_dtype(output_type, op.__name__, more, _dtypes.int64)
        x = _to_core(input)
        if x.dtype.is_complex:
            raise _not_allowed(op.__name__, x, "a real number")
        axis = _axis_of(0 if axis is None else axis, x.ndim, op.__name__)
        if x.dtype.is_floating:
            x = _core.where(_core.isnan(x), worst, x)
        return _wrap(_core.astype(f(x, axis), out))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1] + " Along axis 0 unless given; NaN is never it."
    return op


argmax = _define_arg("argmax", _core.argmax, -float("inf"), (_core.int16, _core.uint16))
argmin = _define_arg("argmin", _core.argmin, float("inf"))


def _define_running(name, f, wide) -> _sig.Running:
    def op(
        x: ArrayLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
    ) -> _Tensor:
        t = _to_core(x)
        if not wide:
            _checked(op.__name__, t, _FLOATING)
        elif t.dtype.is_bool:
            raise _core.InvalidTypeError(f"{op.__name__}: numbers are needed, not bool; use tf.cast")
        at = _axis_of(axis, t.ndim, op.__name__)
        if t.dtype.is_complex:
            return _wrap(_running_of_complex(f, t, at, bool(exclusive), bool(reverse)))
        kind = {"dtype": t.dtype} if wide and t.dtype.is_integer else {}
        return _wrap(f(t, axis=at, exclusive=bool(exclusive), reverse=bool(reverse), **kind))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


cumsum = _define_running("cumsum", _core.cumulative_sum, True)
cumprod = _define_running("cumprod", _core.cumulative_prod, True)
cumulative_logsumexp = _define_running("cumulative_logsumexp", _core.cumulative_logsumexp, False)

_all_in_graph(globals())
