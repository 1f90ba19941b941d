"""tf.linalg: matrices of float32, float64, complex64, complex128. Diagonals are in _diagonals, products in _products, norms in _norms."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from . import _complex_matrices as _c
from . import dtypes  # noqa: F401
from ._args import index_dtype
from ._array import eye as eye
from ._bands import banded_triangular_solve as banded_triangular_solve
from ._bands import eigh_tridiagonal as eigh_tridiagonal
from ._bands import tridiagonal_matmul as tridiagonal_matmul
from ._bands import tridiagonal_solve as tridiagonal_solve
from ._convert import to_core
from ._diagonals import band_part as band_part
from ._diagonals import diag as diag
from ._diagonals import diag_part as diag_part
from ._diagonals import set_diag as set_diag
from ._diagonals import tensor_diag as tensor_diag
from ._diagonals import tensor_diag_part as tensor_diag_part
from ._diagonals import trace as trace
from ._eigen import eig as eig
from ._eigen import eigvals as eigvals
from ._eigen import logm as logm
from ._eigen import sqrtm as sqrtm
from ._linked import dense
from ._nn_norm import l2_normalize as l2_normalize
from ._norms import global_norm as global_norm
from ._norms import norm as norm
from ._norms import normalize as normalize
from ._operators import operand
from ._products import einsum as einsum
from ._products import matmul as matmul
from ._products import matvec as matvec
from ._products import tensordot as tensordot
from ._results import LogMatrixDeterminant as _LogMatrixDeterminant
from ._results import Lu as _Lu
from ._results import Qr as _Qr
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import InvalidArgumentError

if _t.TYPE_CHECKING:
    from typing import Any, Literal

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._tensor import Tensor as _Tensor

_l = _core.linalg


def _define(name, f, of_complex) -> _sig.OfMatrix:
    def op(input: ArrayLike, name: str | None = None) -> _Tensor:
        x = to_core(input)
        return wrap((of_complex if x.dtype.is_complex else f)(x))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


det = _define("det", _l.det, _c.det)
expm = _define("expm", _l.matrix_exp, _c.expm)


def logdet(matrix: ArrayLike, name: str | None = None) -> _Tensor:
    """The logarithms of determinants of symmetric (Hermitian) positive definite matrices; NaN of others."""
    x = to_core(matrix)
    if x.dtype.is_complex:
        return wrap(_c.logdet(x))
    factor = _l.cholesky(x)
    return wrap(2.0 * _core.sum(_core.log(_l.diagonal(factor)), -1))


def _finite(x, operand_, text):
    """x; eagerly an error if it is not finite though the operand is."""
    if not x.symbolic and not bool(_core.all(_core.isfinite(x))) and bool(_core.all(_core.isfinite(operand_))):
        raise InvalidArgumentError(text)
    return x


def cholesky(input: ArrayLike, name: str | None = None) -> _Tensor:
    """Lower triangular L with L L' = input; NaN where it is not positive definite."""
    x = to_core(input)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError(f"Cholesky: matrices must be square, got shape {tuple(x.shape)}")
    return wrap((_c if x.dtype.is_complex else _l).cholesky(x))


def inv(input: ArrayLike, adjoint: bool = False, name: str | None = None) -> _Tensor:
    """The inverse; of the adjoint if asked. An error of a singular matrix, NaN in compiled code."""
    a = to_core(input)
    x = _finite((_c if a.dtype.is_complex else _l).inv(a), a, "MatrixInverse: Input is not invertible.")
    return wrap(_adjoint(x) if adjoint else x)


def _adjoint(x):
    return _c.adjoint(x) if x.dtype.is_complex else _core.matrix_transpose(x)


def _with_matrices(matrix, rhs, op):
    a = to_core(matrix)
    b = operand(rhs, a.dtype, op, weak=False)
    if a.ndim < 2 or b.ndim < 2:
        raise InvalidArgumentError(
            f"{op}: All input tensors must have rank >= 2, got shapes {tuple(a.shape)} and {tuple(b.shape)}; a vector is a "
            "matrix of one column, tf.expand_dims(rhs, -1)"
        )
    return a, b


def solve(matrix: ArrayLike, rhs: ArrayLike, adjoint: bool = False, name: str | None = None) -> _Tensor:
    """x with matrix x = rhs, rhs [..., m, k]. An error of a singular matrix, NaN in compiled code."""
    a, b = _with_matrices(matrix, rhs, "MatrixSolve")
    if a.ndim != b.ndim:
        raise InvalidArgumentError(f"MatrixSolve: All input tensors must have the same rank, got {a.ndim} and {b.ndim}")
    return wrap(
        _finite(
            (_c if a.dtype.is_complex else _l).solve(_adjoint(a) if adjoint else a, dense(b)),
            a,
            "MatrixSolve: Input is not invertible.",
        )
    )


def triangular_solve(
    matrix: ArrayLike, rhs: ArrayLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> _Tensor:
    """x with T x = rhs for the triangle T of a matrix, or its adjoint; leading axes broadcast."""
    a, b = _with_matrices(matrix, rhs, "MatrixTriangularSolve")
    if a.dtype.is_complex:
        return wrap(_c.triangular_solve(a, b, lower, adjoint))
    return wrap(_l.triangular_solve(a, b, lower=lower, transpose=adjoint))


def cholesky_solve(chol: ArrayLike, rhs: ArrayLike, name: str | None = None) -> _Tensor:
    """x with L L' x = rhs."""
    a, b = _with_matrices(chol, rhs, "CholeskySolve")
    return wrap((_c if a.dtype.is_complex else _l).cholesky_solve(a, b))


def _eps(x):
    """The largest extent times the distance of 1 to the next number."""
    return max(x.shape[-2:]) * (2.0**-52 if _c.real_type(x) is _core.float64 else 2.0**-23)


def lstsq(
    matrix: ArrayLike, rhs: ArrayLike, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> _Tensor:
    """x that minimises |matrix x - rhs|^2 + l2_regularizer |x|^2; the shortest where there are many.

    fast: for matrices of full rank. Otherwise of any rank, and l2_regularizer is not used.
    """
    a, b = _with_matrices(matrix, rhs, "MatrixSolveLs")
    rows, columns = a.shape[-2:]
    if not fast:
        return wrap(_core.matmul(_c.pinv(a, _eps(a)) if a.dtype.is_complex else _l.pinv(a), b))
    strength = _core.stop_gradient(operand(l2_regularizer, _c.real_type(a), "MatrixSolveLs", weak=False))
    if a.dtype.is_complex:
        return wrap(_c.lstsq(a, b, strength))
    if l2_regularizer.__class__ in (int, float) and not l2_regularizer and rows >= columns:
        return wrap(_l.lstsq(a, b))
    at = _core.matrix_transpose(a)
    if rows >= columns:
        gram = _core.matmul(at, a) + strength * _core.eye(columns, dtype=a.dtype)
        return wrap(_l.solve(gram, _core.matmul(at, b)))
    gram = _core.matmul(a, at) + strength * _core.eye(rows, dtype=a.dtype)
    return wrap(_core.matmul(at, _l.solve(gram, dense(b))))


def slogdet(input: ArrayLike, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """Sign, or phase, and logarithm of |det|."""
    x = to_core(input)
    return _LogMatrixDeterminant(*(wrap(t) for t in (_c if x.dtype.is_complex else _l).slogdet(x)))


def _completed(q):
    """Orthonormal columns [..., m, k] and m - k more."""
    m = q.shape[-2]
    more = _core.broadcast_to(_core.eye(m, dtype=q.dtype), (*q.shape[:-2], m, m))
    whole, _ = _l.qr(_core.concat([_core.stop_gradient(q), more], axis=-1))
    return _core.concat([q, whole[..., q.shape[-1] :]], axis=-1)


def qr(input: ArrayLike, full_matrices: bool = False, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """q, r with input = q r, thin; with full_matrices q is square. Gradients are those of the thin part."""
    x = to_core(input)
    if x.dtype.is_complex:
        q, r = _c.qr(x, full_matrices)
        return _Qr(wrap(q), wrap(r))
    q, r = _l.qr(x)
    m, n = x.shape[-2:]
    if full_matrices and m > n:
        q = _completed(q)
        r = _core.pad(r, [(0, 0)] * (x.ndim - 2) + [(0, m - n), (0, 0)], "constant", 0)
    return _Qr(wrap(q), wrap(r))


def eigh(tensor: ArrayLike, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """Eigenvalues, ascending, and vectors (columns) of symmetric or Hermitian matrices; reads their lower triangle.

    Those of complex matrices come from NumPy; eigenvalues have the dtype of the matrices then, too.
    """
    x = to_core(tensor)
    if x.dtype.is_complex:
        e, v = _c.eigh(x)
        return wrap(_c.as_complex(e)), wrap(v)
    return tuple(wrap(t) for t in _l.eigh(_lower(x)))


def _lower(x):
    """The symmetric matrix of a lower triangle."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError(f"eigh: Input matrix must be square, got shape {tuple(x.shape)}")
    below = _core.tril(x, k=-1)
    return below + _core.matrix_transpose(below) + _core.tril(_core.triu(x))


def eigvalsh(tensor: ArrayLike, name: str | None = None) -> _Tensor:
    """Eigenvalues, ascending, of symmetric or Hermitian matrices, of which the lower triangle is read."""
    x = to_core(tensor)
    if x.dtype.is_complex:
        return wrap(_c.as_complex(_c.eigh(x)[0]))
    return wrap(_l.eigvalsh(_lower(x)))


@_t.overload
def svd(
    tensor: ArrayLike, full_matrices: bool = False, compute_uv: Literal[True] = True, name: str | None = None
) -> tuple[_Tensor, _Tensor, _Tensor]: ...
@_t.overload
def svd(
    tensor: ArrayLike, full_matrices: bool = False, *, compute_uv: Literal[False], name: str | None = None
) -> _Tensor: ...
def svd(tensor: ArrayLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """(s, u, v) with tensor = u diag(s) v', thin, or u and v square with full_matrices; s alone without compute_uv."""
    x = to_core(tensor)
    if x.dtype.is_complex:
        s, u, v = _c.svd(x, full_matrices and compute_uv)
        return (wrap(s), wrap(u), wrap(v)) if compute_uv else wrap(s)
    if not compute_uv:
        return wrap(_l.svdvals(x))
    u, s, vh = _l.svd(x)
    v = _core.matrix_transpose(vh)
    if full_matrices:
        u, v = (_completed(t) if t.shape[-1] < t.shape[-2] else t for t in (u, v))
    return wrap(s), wrap(u), wrap(v)


def matrix_transpose(a: ArrayLike, name: str | None = "matrix_transpose", conjugate: bool = False) -> _Tensor:
    """The last two axes swapped; of complex conjugates if asked."""
    x = to_core(a)
    return wrap(_core.matrix_transpose(_core.conj(x) if conjugate and x.dtype.is_complex else x))


def adjoint(matrix: ArrayLike, name: str | None = None) -> _Tensor:
    """The last two axes swapped, of complex conjugates."""
    return matrix_transpose(matrix, conjugate=True)


def cross(a: ArrayLike, b: ArrayLike, name: str | None = None) -> _Tensor:
    """Cross products of vectors with 3 elements, of one shape."""
    x = to_core(a)
    y = operand(b, x.dtype, "Cross", weak=False)
    if tuple(x.shape) != tuple(y.shape):
        raise InvalidArgumentError(f"Cross: Both inputs must be of same shape: {tuple(x.shape)} vs. {tuple(y.shape)}")
    return wrap(_core.cross(dense(x), dense(y)))


def _real(a, op):
    x = to_core(a)
    if not x.dtype.is_floating:
        raise _core.InvalidTypeError(f"{op}: Input `a` must have `float`-like `dtype` (saw {x.dtype.name})")
    return x


def pinv(a: ArrayLike, rcond: float | None = None, validate_args: bool = False, name: str | None = None) -> _Tensor:
    """Moore-Penrose inverse. Singular values below rcond times the largest count as zeros: 10 max(m, n) eps unless given."""
    x = _real(a, "pinv")
    u, s, vh = _l.svd(x)
    eps = 2.0**-52 if x.dtype is _core.float64 else 2.0**-23
    limit = 10.0 * max(x.shape[-2:]) * eps if rcond is None else rcond
    limit = operand(limit, x.dtype, "pinv", weak=False)
    limit = _core.expand_dims(limit, -1) if limit.ndim else limit
    kept = s > limit * _core.max(s, -1, keepdims=True)
    inverse = _core.where(kept, 1.0 / _core.where(kept, s, 1.0), 0.0)
    scaled = _core.matrix_transpose(vh) * _core.expand_dims(inverse, -2)
    return wrap(_core.matmul(scaled, _core.matrix_transpose(u)))


def matrix_rank(
    a: ArrayLike, tol: ArrayLike | None = None, validate_args: bool = False, name: str | None = None
) -> _Tensor:
    """The number (int32) of singular values above tol: max(m, n) eps times the largest unless given."""
    x = _real(a, "matrix_rank")
    s = _l.svdvals(x)
    if tol is None:
        eps = 2.0**-52 if x.dtype is _core.float64 else 2.0**-23
        limit = max(x.shape[-2:]) * eps * _core.max(s, -1, keepdims=True)
    else:
        limit = operand(tol, x.dtype, "matrix_rank", weak=False)
        limit = _core.expand_dims(limit, -1) if limit.ndim else limit
    return wrap(_core.astype(_core.count_nonzero(s > limit, -1), _core.int32))


def lu(input: ArrayLike, output_idx_type: DTypeLike = dtypes.int32, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """(lower_upper, p): L below and U on and above the diagonal of one matrix, input[p] = L U."""
    x = to_core(input)
    packed, p = (_c if x.dtype.is_complex else _l).lu(x)
    return _Lu(wrap(packed), wrap(_core.astype(p, index_dtype(output_idx_type, "lu: output_idx_type"))))


def _packed(lower_upper):
    x = to_core(lower_upper)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError(f"lu: lower_upper must be square matrices, got shape {tuple(x.shape)}")
    return x


def _factors(lower_upper):
    x = _packed(lower_upper)
    eye = _core.eye(x.shape[-1], dtype=_c.real_type(x))
    if x.dtype.is_complex:
        return _c.kept(x, -1) + eye, _c.kept(x, 0, _core.triu)
    return _core.tril(x, k=-1) + eye, _core.triu(x)


def _rows(x, places):
    """The rows of matrices at these places, for each matrix of a batch."""
    places = _core.expand_dims(places, -1)
    return _core.take_along_axis(x, _core.broadcast_to(places, (*places.shape[:-1], x.shape[-1])), -2)


def lu_reconstruct(
    lower_upper: ArrayLike, perm: ArrayLike, validate_args: bool = False, name: str | None = None
) -> _Tensor:
    """The matrix of which lu gave these."""
    lower, upper = _factors(lower_upper)
    return wrap(_rows(_core.matmul(lower, upper), _core.argsort(to_core(perm), axis=-1)))


def lu_solve(
    lower_upper: ArrayLike, perm: ArrayLike, rhs: ArrayLike, validate_args: bool = False, name: str | None = None
) -> _Tensor:
    """x with A x = rhs, for the results of lu of A."""
    lower, upper = _factors(lower_upper)
    b = operand(rhs, lower.dtype, "lu_solve", weak=False)
    solved = (_c if lower.dtype.is_complex else _l).triangular_solve
    half = solved(lower, _rows(b, to_core(perm)), lower=True)
    return wrap(solved(upper, half, lower=False))


def lu_matrix_inverse(
    lower_upper: ArrayLike, perm: ArrayLike, validate_args: bool = False, name: str | None = None
) -> _Tensor:
    """The inverse of the matrix of which lu gave these."""
    x = _packed(lower_upper)
    unit = _core.broadcast_to(_core.eye(x.shape[-1], dtype=_c.real_type(x)), x.shape)
    return lu_solve(lower_upper, perm, wrap(_core.astype(unit, x.dtype)))


_all_in_graph(globals())
