"""keras.ops: products of arrays, diagonals, and statistics that they make."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ..._args import axis_of as _axis_of
from ..._tensor import wrap as _wrap
from ._common import as_kind as _as_kind
from ._common import exported as _exported
from ._common import publish as _publish
from ._common import tensor as _tensor
from ._common import together as _together

if _t.TYPE_CHECKING:
    from typing import Any


def _bools(f, *operands):
    """f of operands; of bools by integers, as bools."""
    if not operands[0].dtype.is_bool:
        return _wrap(f(*operands))
    return _wrap(_core.not_equal(f(*(_core.astype(t, _core.int32) for t in operands)), 0))


def matmul(x1: Any, x2: Any) -> Any:
    """The product of matrices, and of vectors with them."""
    return _bools(_core.matmul, *_together(x1, x2))


def dot(x1: Any, x2: Any) -> Any:
    """The product over the last axis of x1 and the last but one of x2."""

    def f(a, b):
        if not a.ndim or not b.ndim:
            return a * b
        return _core.tensordot(a, b, axes=([a.ndim - 1], [max(b.ndim - 2, 0)]))

    return _bools(f, *_together(x1, x2))


def vdot(x1: Any, x2: Any) -> Any:
    """The product of two arrays as vectors, the first conjugate."""

    def f(a, b):
        a = _core.conj(a) if a.dtype.is_complex else a
        return _core.sum(_core.reshape(a, (-1,)) * _core.reshape(b, (-1,)), dtype=a.dtype)

    return _bools(f, *_together(x1, x2))


def inner(x1: Any, x2: Any) -> Any:
    """The product over the last axes."""

    def f(a, b):
        return a * b if not a.ndim or not b.ndim else _core.tensordot(a, b, axes=([a.ndim - 1], [b.ndim - 1]))

    return _bools(f, *_together(x1, x2))


def outer(x1: Any, x2: Any) -> Any:
    """The products of all elements of one with all of the other, a matrix."""

    def f(a, b):
        return _core.reshape(a, (-1, 1)) * _core.reshape(b, (1, -1))

    return _bools(f, *_together(x1, x2))


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """The product over some axes of each."""

    def listed(a):
        return [a] if isinstance(a, int) else list(a)

    places = axes if isinstance(axes, int) else tuple(listed(a) for a in axes)
    return _bools(lambda a, b: _core.tensordot(a, b, axes=places), *_together(x1, x2))


def kron(x1: Any, x2: Any) -> Any:
    """The Kronecker product."""

    def f(a, b):
        rank = max(a.ndim, b.ndim)
        a, b = (_core.reshape(t, (1,) * (rank - t.ndim) + tuple(t.shape)) for t in (a, b))
        apart = [tuple(n for m in t.shape for n in ((m, 1) if t is a else (1, m))) for t in (a, b)]
        out = _core.reshape(a, apart[0]) * _core.reshape(b, apart[1])
        return _core.reshape(out, tuple(m * n for m, n in zip(a.shape, b.shape)))

    return _bools(f, *_together(x1, x2))


def cross(x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """The vector product along axes of three elements, or two."""
    a, b = _together(x1, x2)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _core.moveaxis(a, axisa, -1), _core.moveaxis(b, axisb, -1)
    flat = a.shape[-1] == 2 and b.shape[-1] == 2
    a, b = (t if t.shape[-1] == 3 else _core.concat([t, _core.zeros_like(t[..., :1])], axis=-1) for t in (a, b))
    a, b = _core.broadcast_arrays(a, b)
    out = _core.cross(a, b, axis=-1)
    return _wrap(out[..., 2] if flat else _core.moveaxis(out, -1, axisc))


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """A sum of products by Einstein's convention: einsum("ij,jk->ik", a, b)."""
    return _bools(lambda *given: _core.einsum(subscripts.replace(" ", ""), *given), *_together(*operands))


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonals of matrices in two axes, along a new last axis."""
    t = _tensor(x)
    first, second = (_axis_of(a, t.ndim, "diagonal") for a in (axis1, axis2))
    rest = [a for a in range(t.ndim) if a not in (first, second)]
    return _wrap(_core.linalg.diagonal(_core.permute_dims(t, (*rest, first, second)), offset=offset))


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sums of the diagonals of matrices in two axes."""
    t = _as_kind(diagonal(x, offset, axis1, axis2), "wide")
    return _wrap(_core.sum(t, axis=-1, dtype=t.dtype))


def diag(x: Any, k: int = 0) -> Any:
    """The matrix of a diagonal, or the diagonal of a matrix."""
    t = _tensor(x)
    return diagonal(_wrap(t), k) if t.ndim == 2 else _wrap(_core.diag(t, k=k))


def diagflat(x: Any, k: int = 0) -> Any:
    """The matrix of a diagonal of all elements in a row."""
    return _wrap(_core.diag(_core.reshape(_tensor(x), (-1,)), k=k))


def corrcoef(x: Any) -> Any:
    """The correlations of the rows of a matrix."""
    t = _as_kind(x, "float")
    t = _core.reshape(t, (1, -1)) if t.ndim < 2 else t
    apart = t - _core.mean(t, axis=-1, keepdims=True)
    both = (
        apart @ _core.conj(_core.swapaxes(apart, -1, -2))
        if t.dtype.is_complex
        else apart @ _core.swapaxes(apart, -1, -2)
    )
    spread = _core.sqrt(_core.linalg.diagonal(both))
    out = both / (spread[:, None] * spread[None, :])
    return _wrap(_core.squeeze(out, (0, 1)) if out.shape == (1, 1) else out)


def correlate(x1: Any, x2: Any, mode: str = "valid") -> Any:
    """The sums of products of two vectors that are moved along each other: 'valid', 'same' or 'full'."""
    a, b = _together(x1, x2)
    n, m = a.shape[0], b.shape[0]
    swaps = mode == "valid" and n < m
    if swaps:
        a, b, n, m = b, a, m, n
    padded = _core.pad(a, [(m - 1, m - 1)])
    full = _core.stack([_core.sum(padded[i : i + m] * b, dtype=a.dtype) for i in range(n + m - 1)])
    size = max(n, m) if mode == "same" else n - m + 1 if mode == "valid" else n + m - 1
    start = (n + m - 1 - size) // 2
    out = full[start : start + size]
    return _wrap(_core.flip(out, axis=0) if swaps else out)


_publish(globals())
__all__ = _exported(globals())
