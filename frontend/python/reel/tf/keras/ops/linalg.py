"""keras.ops.linalg: decompositions, solutions and norms of matrices."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _eigen, _norms
from ..._tensor import wrap as _wrap
from ...errors import ConversionError as _ConversionError
from ._common import as_kind as _as_kind
from ._common import exported as _exported
from ._common import publish as _publish
from ._common import tensor as _tensor
from ._common import together as _together

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_l = _core.linalg


def _matrix(x, op, square=False):
    t = _as_kind(x, "float")
    if t.ndim < 2 or square and t.shape[-1] != t.shape[-2]:
        raise _ConversionError(f"{op}: {'square ' if square else ''}matrices are needed, not of shape {tuple(t.shape)}")
    return t


def cholesky(x: Any, upper: bool = False) -> Any:
    """The triangular matrix whose product with its transpose is x; of what is not positive definite NaNs."""
    return _wrap(_l.cholesky(_matrix(x, "cholesky", True), upper=upper))


def cholesky_inverse(x: Any, upper: bool = False) -> Any:
    """The inverse of the matrix whose Cholesky factor is x."""
    t = _matrix(x, "cholesky_inverse", True)
    eye = _core.eye(t.shape[-1], dtype=t.dtype)
    eye = _core.broadcast_to(eye, t.shape)
    inverse = _l.triangular_solve(t, eye, lower=not upper)
    turned = _core.swapaxes(inverse, -1, -2)
    return _wrap(inverse @ turned if upper else turned @ inverse)


def det(x: Any) -> Any:
    """The determinants of matrices."""
    return _wrap(_l.det(_matrix(x, "det", True)))


def inv(x: Any) -> Any:
    """The inverses of matrices."""
    return _wrap(_l.inv(_matrix(x, "inv", True)))


def logdet(x: Any) -> Any:
    """The logarithms of the determinants of positive definite matrices."""
    return _wrap(_l.slogdet(_matrix(x, "logdet", True))[1])


def slogdet(x: Any) -> Any:
    """(sign, logarithm of the size) of determinants."""
    return tuple(_wrap(t) for t in _l.slogdet(_matrix(x, "slogdet", True)))


def eig(x: Any) -> Any:
    """(eigenvalues, eigenvectors) of matrices, complex."""
    return _eigen.eig(_wrap(_matrix(x, "eig", True)))


def eigh(x: Any) -> Any:
    """(eigenvalues, eigenvectors) of symmetric matrices."""
    return tuple(_wrap(t) for t in _l.eigh(_matrix(x, "eigh", True)))


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """The x of the least |a x - b|."""
    if rcond is not None:
        raise _core.UnimplementedError("lstsq: rcond is not supported; leave it out")
    a, b = _together(a, b, kind="float")
    out = _l.pinv(a) @ (b[:, None] if b.ndim == 1 else b)
    return _wrap(out[:, 0] if b.ndim == 1 else out)


def lu_factor(x: Any) -> Any:
    """(LU, the places of rows) of matrices."""
    from ... import linalg

    return tuple(linalg.lu(_wrap(_matrix(x, "lu_factor"))))


def matrix_rank(x: Any, tol: float | None = None) -> Any:
    """The ranks of matrices: how many singular values are above tol."""
    from ... import linalg

    return linalg.matrix_rank(_wrap(_matrix(x, "matrix_rank")), tol=tol)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of vectors or matrices along axes; that of all elements in a row unless given."""
    t = _as_kind(x, "float")
    if axis is None and ord is None:
        return _wrap(_core.sqrt(_core.sum(_core.square(_core.abs(t)), keepdims=keepdims)))
    if axis is None:
        axis = tuple(range(t.ndim))
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
        axis = axis[0]
    over = axis if isinstance(axis, int) else list(axis)
    if ord is None or ord == "fro":
        return _wrap(_core.sqrt(_core.sum(_core.square(_core.abs(t)), axis=axis, keepdims=keepdims)))
    if isinstance(axis, int) and ord == 0:
        return _wrap(_core.sum(_core.astype(_core.not_equal(t, 0), t.dtype), axis=axis, keepdims=keepdims))
    if ord == float("-inf") and isinstance(axis, int):
        return _wrap(_core.min(_core.abs(t), axis=axis, keepdims=keepdims))
    return _norms.norm(_wrap(t), ord=ord, axis=over, keepdims=keepdims)


def pinv(x: Any, rcond: float | None = None) -> Any:
    """The pseudoinverses of matrices."""
    t = _matrix(x, "pinv")
    return _wrap(_l.pinv(t) if rcond is None else _l.pinv(t, rtol=rcond))


def qr(x: Any, mode: str = "reduced") -> Any:
    """(orthogonal, upper triangular) factors: 'reduced' or 'complete'."""
    from ... import linalg

    if mode not in ("reduced", "complete"):
        raise _ConversionError(
            f"`mode` argument value not supported. Expected one of {{'reduced', 'complete'}}. Received: mode={mode}"
        )
    return linalg.qr(_wrap(_matrix(x, "qr")), full_matrices=mode == "complete")


def solve(a: Any, b: Any) -> Any:
    """The x of a x = b."""
    a, b = _together(a, b, kind="float")
    if b.ndim == a.ndim - 1:
        return _wrap(_core.squeeze(_l.solve(a, _core.expand_dims(b, axis=-1)), -1))
    return _wrap(_l.solve(a, b))


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """The x of a x = b for a triangular a."""
    a, b = _together(a, b, kind="float")
    if b.ndim == a.ndim - 1:
        return _wrap(_core.squeeze(_l.triangular_solve(a, _core.expand_dims(b, axis=-1), lower=lower), -1))
    return _wrap(_l.triangular_solve(a, b, lower=lower))


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """(u, singular values, the adjoint of v), or the singular values."""
    from ... import linalg

    t = _matrix(x, "svd")
    if not compute_uv:
        return linalg.svd(_wrap(t), compute_uv=False)
    s, u, v = linalg.svd(_wrap(t), full_matrices=full_matrices)
    v = _core.swapaxes(v._t, -1, -2)
    return u, s, _wrap(_core.conj(v) if v.dtype.is_complex else v)


def jvp(fun: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """(fun(*primals), its derivative along tangents); has_aux: fun gives another value, which comes third."""
    from ...autodiff import ForwardAccumulator

    given = [_wrap(_tensor(x)) for x in primals]
    with ForwardAccumulator(given, [_wrap(_tensor(x)) for x in tangents]) as accumulator:
        out = fun(*given)
        value, extra = out if has_aux else (out, ())
    return (value, accumulator.jvp(value), *((extra,) if has_aux else ()))


_publish(globals(), "jvp")
__all__ = _exported(globals())
