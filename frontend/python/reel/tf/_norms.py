"""Norms, and clipping by them."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import _complex_matrices as _c
from ._args import axes_or_none
from ._convert import to_core
from ._operators import operand
from ._slices import IndexedSlices
from ._tensor import TensorLike, wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..typing import AxisLike
    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor

_INFINITY = float("inf")


def _norm_axes(axis):
    """(axes, whether they are those of matrices): None or an int is about vectors, two axes are matrices."""
    if axis is None or isinstance(axis, int):
        return axis, False
    axes = axes_or_none(axis) if isinstance(axis, (list, tuple)) else ()
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ConversionError(f"norm: axis must be None, an integer, or a tuple of 2 unique integers, got {axis!r}")
    return axes, True


def _check_order(order, is_matrix):
    if is_matrix:
        if order not in ("euclidean", "fro", 1, 2, _INFINITY):
            raise ConversionError(
                f"norm: 'ord' of matrices must be 'euclidean', 'fro', 1, 2 or np.inf, got {order!r}; for vectors give one axis"
            )
    elif isinstance(order, str) and order != "euclidean" or not isinstance(order, str) and not order > 0:
        raise ConversionError(
            f"norm: 'ord' of vectors must be 'euclidean', a positive number or np.inf, got {order!r}; 'fro' is of matrices"
        )


def norm(
    tensor: ArrayLike,
    ord: float | str = "euclidean",
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Norm of vectors (axis None: all elements as one; an int) or of matrices (two axes, rows and columns).

    ord of vectors: 'euclidean', a positive number p, np.inf; of matrices: 'euclidean' and 'fro' (root of the sum of
    squares), 2 (largest singular value), 1 (largest sum of a column), np.inf (of a row).
    """
    axes, is_matrix = _norm_axes(axis)
    _check_order(ord, is_matrix)
    x, keep = to_core(tensor), bool(keepdims)
    if x.dtype.kind not in "fc" and (ord not in (1, _INFINITY) or x.dtype.kind not in "iu"):
        raise _core.InvalidTypeError(f"norm: floats are needed, not {x.dtype.name}; use tf.cast")
    if is_matrix and ord == 2:
        return wrap(_largest_singular(x, axes, keep))
    if ord in ("euclidean", "fro", 2):
        squares = x * _core.conj(x) if x.dtype.is_complex else _core.square(x)
        return wrap(_core.sqrt(_core.sum(squares, axes, keepdims=keep)))
    x = _core.abs(x)
    if is_matrix:
        summed, largest = axes if ord == 1 else axes[::-1]
        out = _core.max(_core.sum(x, summed, keepdims=True, dtype=x.dtype), largest, keepdims=True)
        return wrap(out if keep else _core.squeeze(out, axes))
    if ord == 1:
        return wrap(_core.sum(x, axes, keepdims=keep, dtype=x.dtype))
    if ord == _INFINITY:
        return wrap(_core.max(x, axes, keepdims=keep))
    return wrap(_core.sum(x**ord, axes, keepdims=keep) ** (1.0 / ord))


def _largest_singular(x, axes, keep):
    x = _core.moveaxis(x, axes, (-2, -1))
    values = _c.svd(x, False)[0] if x.dtype.is_complex else _core.linalg.svdvals(x)
    out = _core.max(values, -1)
    if keep:
        for axis in sorted(a % x.ndim for a in axes):
            out = _core.expand_dims(out, axis)
    return out


def _values(t):
    """The elements that norms count: of IndexedSlices those that are there, duplicates as they are."""
    return to_core(t.values if isinstance(t, IndexedSlices) else t)


def _like(t, values):
    if isinstance(t, IndexedSlices):
        return IndexedSlices(wrap(values), t.indices, t.dense_shape)
    return wrap(values)


def clip_by_norm(t: ArrayLike, clip_norm: ArrayLike, axes: AxisLike | None = None, name: str | None = None) -> Tensor:
    """t, scaled down to the norm clip_norm over axes where it is longer."""
    x = _values(t)
    if x.dtype.kind not in "fc":
        raise _core.InvalidTypeError(f"clip_by_norm: floats are needed, not {x.dtype.name}; use tf.cast")
    total = _core.sum(_core.square(x), axes_or_none(axes), keepdims=True)
    positive = total > 0
    length = _core.where(positive, _core.sqrt(_core.where(positive, total, _core.ones_like(total))), total)
    bound = _core.maximum(operand(clip_norm, x.dtype, "ClipByNorm", weak=False), 0)
    return _like(t, x * bound / _core.maximum(length, bound))


def _sequence(t_list, op):
    if isinstance(t_list, TensorLike) or not hasattr(t_list, "__iter__"):
        raise _core.InvalidTypeError(f"{op}: `t_list` should be a sequence of tensors, not {type(t_list).__name__}")
    return list(t_list)


def global_norm(t_list: Iterable[ArrayLike | None], name: str | None = None) -> Tensor | Any:
    """The norm of all tensors together; None entries count for nothing. None if all are None."""
    squares = [_core.sum(_core.square(_values(t))) for t in _sequence(t_list, "global_norm") if t is not None]
    return wrap(_core.sqrt(_core.sum(_core.stack(squares))) if squares else _core.asarray(0.0))


def clip_by_global_norm(
    t_list: Sequence[ArrayLike | None], clip_norm: ArrayLike, use_norm: ArrayLike | None = None, name: str | None = None
) -> tuple[list[Tensor | Any], Tensor | Any]:
    """(list, norm): the tensors scaled down together where their global norm is above clip_norm; NaN if it is infinite."""
    tensors = _sequence(t_list, "clip_by_global_norm")
    first = next((_values(t) for t in tensors if t is not None), None)
    if first is None:
        return tensors, wrap(_core.asarray(0.0))
    length = (
        global_norm(tensors) if use_norm is None else wrap(operand(use_norm, first.dtype, "ClipByGlobalNorm", False))
    )
    n = length._t
    bound = operand(clip_norm, n.dtype, "ClipByGlobalNorm", weak=False)
    scale = bound * _core.minimum(1.0 / n, 1.0 / bound) + (n - n)
    return [None if t is None else _like(t, _values(t) * scale) for t in tensors], length


def normalize(
    tensor: ArrayLike, ord: float | str = "euclidean", axis: AxisLike | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """(tensor / norm, norm), the norm with its axes kept."""
    n = norm(tensor, ord, axis, keepdims=True)
    return wrap(to_core(tensor) / n._t), n


_all_in_graph(globals())
