"""tf.linalg: matrices of float32 and float64."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from . import dtypes  # noqa: F401
from ._array import eye as eye
from ._norms import global_norm as global_norm
from ._norms import norm as norm
from ._tensor import operand, to_core, wrap
from ._trace import all_in_graph as _all_in_graph
from .math import einsum as einsum
from .math import matmul as matmul
from .math import tensordot as tensordot

if _t.TYPE_CHECKING:
    from typing import Any, Literal

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._signatures import Axes, ShapeLike
    from ._tensor import Tensor as _Tensor

_l = _core.linalg


def _define(name, f) -> _sig.OfMatrix:
    def op(input: ArrayLike, name: str | None = None) -> _Tensor:
        return wrap(f(to_core(input)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


det = _define("det", _l.det)
logdet = _define("logdet", _l.logdet)
expm = _define("expm", _l.matrix_exp)
cholesky = _define("cholesky", _l.cholesky)
eigvalsh = _define("eigvalsh", _l.eigvalsh)
diag_part = _define("diag_part", _l.diagonal)
trace = _define("trace", _l.trace)


def inv(input: ArrayLike, adjoint: bool = False, name: str | None = None) -> _Tensor:
    """The inverse; of the transpose if adjoint."""
    x = _l.inv(to_core(input))
    return wrap(_core.matrix_transpose(x) if adjoint else x)


def solve(matrix: ArrayLike, rhs: ArrayLike, adjoint: bool = False, name: str | None = None) -> _Tensor:
    """x with matrix x = rhs, rhs [..., m, k]."""
    a = to_core(matrix)
    b = operand(rhs, a.dtype, "MatrixSolve", weak=False)
    return wrap(_l.solve(_core.matrix_transpose(a) if adjoint else a, b))


def triangular_solve(
    matrix: ArrayLike, rhs: ArrayLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> _Tensor:
    """x with T x = rhs for the triangle T of a matrix."""
    a = to_core(matrix)
    return wrap(
        _l.triangular_solve(
            a, operand(rhs, a.dtype, "MatrixTriangularSolve", weak=False), lower=lower, transpose=adjoint
        )
    )


def cholesky_solve(chol: ArrayLike, rhs: ArrayLike, name: str | None = None) -> _Tensor:
    """x with L L' x = rhs."""
    a = to_core(chol)
    return wrap(_l.cholesky_solve(a, operand(rhs, a.dtype, "CholeskySolve", weak=False)))


def lstsq(
    matrix: ArrayLike, rhs: ArrayLike, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> _Tensor:
    """x that minimises |matrix x - rhs|^2 + l2_regularizer |x|^2."""
    a = to_core(matrix)
    b = operand(rhs, a.dtype, "MatrixSolveLs", weak=False)
    if not l2_regularizer:
        return wrap(_l.lstsq(a, b))
    at = _core.matrix_transpose(a)
    gram = _core.matmul(at, a) + l2_regularizer * _core.eye(tuple(a.shape)[-1], dtype=a.dtype)
    return wrap(_l.solve(gram, _core.matmul(at, b)))


def slogdet(input: ArrayLike, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """Sign and logarithm of |det|."""
    return tuple(wrap(t) for t in _l.slogdet(to_core(input)))


def qr(input: ArrayLike, full_matrices: bool = False, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """q, r with input = q r, thin."""
    if full_matrices:
        raise _core.UnimplementedError("qr: full_matrices=True is not supported; use the thin one")
    return tuple(wrap(t) for t in _l.qr(to_core(input)))


def eigh(tensor: ArrayLike, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """Eigenvalues, ascending, and vectors (columns) of symmetric matrices."""
    return tuple(wrap(t) for t in _l.eigh(to_core(tensor)))


@_t.overload
def svd(
    tensor: ArrayLike, full_matrices: bool = False, compute_uv: Literal[True] = True, name: str | None = None
) -> tuple[_Tensor, _Tensor, _Tensor]: ...
@_t.overload
def svd(
    tensor: ArrayLike, full_matrices: bool = False, *, compute_uv: Literal[False], name: str | None = None
) -> _Tensor: ...
def svd(tensor: ArrayLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """(s, u, v) with tensor = u diag(s) v', thin; s alone without compute_uv."""
    if not compute_uv:
        return wrap(_l.svdvals(to_core(tensor)))
    if full_matrices:
        raise _core.UnimplementedError("svd: full_matrices=True is not supported; use the thin one")
    u, s, vh = _l.svd(to_core(tensor))
    return wrap(s), wrap(u), wrap(_core.matrix_transpose(vh))


def diag(diagonal: ArrayLike, name: str | None = "diag", k: int = 0) -> _Tensor:
    """Square matrices with vectors on diagonal k."""
    return wrap(_core.diag(to_core(diagonal), k=k))


def band_part(input: ArrayLike, num_lower: int, num_upper: int, name: str | None = None) -> _Tensor:
    """Matrices with zeros outside a band; a negative number keeps the whole triangle."""
    x = to_core(input)
    x = x if num_lower < 0 else _core.triu(x, k=-num_lower)
    return wrap(_core.identity(x) if num_upper < 0 else _core.tril(x, k=num_upper))


def matvec(
    a: ArrayLike, b: ArrayLike, transpose_a: bool = False, adjoint_a: bool = False, name: str | None = None
) -> _Tensor:
    """Matrix times vector."""
    x = to_core(a)
    y = operand(b, x.dtype, "MatVec", weak=False)
    x = _core.matrix_transpose(x) if transpose_a or adjoint_a else x
    return wrap(_core.squeeze(_core.matmul(x, _core.expand_dims(y, -1)), -1))


def matrix_transpose(a: ArrayLike, name: str | None = "matrix_transpose", conjugate: bool = False) -> _Tensor:
    """The last two axes swapped."""
    return wrap(_core.matrix_transpose(to_core(a)))


def cross(a: ArrayLike, b: ArrayLike, name: str | None = None) -> _Tensor:
    """Cross products of vectors with 3 elements."""
    x = to_core(a)
    return wrap(_core.cross(x, operand(b, x.dtype, "Cross", weak=False)))


def pinv(a: ArrayLike, rcond: float | None = None, name: str | None = None) -> _Tensor:
    """Moore-Penrose inverse."""
    return wrap(_l.pinv(to_core(a), rtol=-1.0 if rcond is None else float(rcond)))


def l2_normalize(x: ArrayLike, axis: Axes | None = None, epsilon: float = 1e-12, name: str | None = None) -> _Tensor:
    """x / sqrt(max(sum(x^2), epsilon)) over axes."""
    t = to_core(x)
    total = _core.sum(_core.square(t), axis if axis is None or isinstance(axis, int) else tuple(axis), keepdims=True)
    return wrap(t * _core.rsqrt(_core.maximum(total, epsilon)))


def normalize(
    tensor: ArrayLike, ord: float | str = "euclidean", axis: Axes | None = None, name: str | None = None
) -> tuple[_Tensor, _Tensor]:
    """(tensor / norm, norm)."""
    n = norm(tensor, ord, axis, keepdims=True)
    return wrap(to_core(tensor) / n._t), n


_all_in_graph(globals())
