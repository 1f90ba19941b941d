"""Matrices that are zero outside a few diagonals."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._args import ints
from ._convert import to_core
from ._diagonals import diag, diag_part
from ._linked import dense
from ._operators import operand
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError, UnimplementedError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor


def _three(diagonals, form, op):
    """Superdiagonal, main and subdiagonal, each [..., n]: the last of the first and the first of the last do not count."""
    if form == "sequence":
        upper, main, lower = diagonals
        main = to_core(main)
        upper, lower = (operand(d, main.dtype, op, weak=False) for d in (upper, lower))
        n = main.shape[-1]
        if upper.shape[-1] == n - 1:
            upper = _core.pad(upper, [(0, 0)] * (upper.ndim - 1) + [(0, 1)], "constant", 0)
        if lower.shape[-1] == n - 1:
            lower = _core.pad(lower, [(0, 0)] * (lower.ndim - 1) + [(1, 0)], "constant", 0)
        return upper, main, lower
    x = to_core(diagonals)
    if form == "matrix":
        x = diag_part(wrap(x), k=(-1, 1), align="LEFT_RIGHT")._t
    elif form != "compact":
        raise ConversionError(f"{op}: diagonals_format must be 'compact', 'sequence' or 'matrix', got {form!r}")
    if x.ndim < 2 or x.shape[-2] != 3:
        raise ConversionError(f"{op}: compact diagonals are [..., 3, n], got {tuple(x.shape)}")
    return x[..., 0, :], x[..., 1, :], x[..., 2, :]


def tridiagonal_matmul(
    diagonals: ArrayLike | Sequence[ArrayLike],
    rhs: ArrayLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Tensor:
    """The product of a tridiagonal matrix and rhs [..., n, k].

    diagonals_format: 'compact' [..., 3, n] (above, main, below), 'sequence' of the three, or a 'matrix' [..., n, n].
    """
    upper, main, lower = _three(diagonals, diagonals_format, "tridiagonal_matmul")
    b = operand(rhs, main.dtype, "TridiagonalMatMul", weak=False)
    if b.ndim < 2 or b.shape[-2] != main.shape[-1]:
        raise ConversionError(
            f"tridiagonal_matmul: {main.shape[-1]} rows of rhs are needed, got shape {tuple(b.shape)}"
        )
    none = [(0, 0)] * (b.ndim - 2)
    below = _core.pad(b[..., 1:, :], [*none, (0, 1), (0, 0)], "constant", 0)
    above = _core.pad(b[..., :-1, :], [*none, (1, 0), (0, 0)], "constant", 0)
    upper, main, lower = (_core.expand_dims(d, -1) for d in (upper, main, lower))
    return wrap(upper * below + main * b + lower * above)


def tridiagonal_solve(
    diagonals: ArrayLike | Sequence[ArrayLike],
    rhs: ArrayLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """x with T x = rhs for a tridiagonal T (see tridiagonal_matmul), rhs [..., n, k] or [..., n]. By a dense solution."""
    if perturb_singular:
        raise UnimplementedError("tridiagonal_solve: perturb_singular=True is not supported; add to the diagonal")
    upper, main, lower = _three(diagonals, diagonals_format, "tridiagonal_solve")
    b = operand(rhs, main.dtype, "TridiagonalSolve", weak=False)
    is_vector = b.ndim == main.ndim
    b = _core.expand_dims(b, -1) if is_vector else _core.matrix_transpose(b) if transpose_rhs else b
    if b.ndim < 2 or b.shape[-2] != main.shape[-1]:
        raise ConversionError(f"tridiagonal_solve: {main.shape[-1]} rows of rhs are needed, got shape {tuple(b.shape)}")
    rows = _core.stack([upper, main, lower], axis=-2)
    x = _core.linalg.solve(diag(wrap(rows), k=(-1, 1), align="LEFT_RIGHT")._t, dense(b))
    return wrap(_core.squeeze(x, -1) if is_vector else x)


def banded_triangular_solve(
    bands: ArrayLike, rhs: ArrayLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """x with T x = rhs for a triangle T of the diagonals bands [..., k, n]: the main one first if lower, else last."""
    x = to_core(bands)
    b = operand(rhs, x.dtype, "BandedTriangularSolve", weak=False)
    if x.ndim < 2 or not 1 <= x.shape[-2] <= x.shape[-1]:
        raise InvalidArgumentError(f"BandedTriangularSolve: bands are [..., k, n] with k <= n, got {tuple(x.shape)}")
    more = x.shape[-2] - 1
    matrix = diag(wrap(x), k=(-more, 0) if lower else (0, more), align="LEFT_RIGHT")._t
    return wrap(_core.linalg.triangular_solve(matrix, b, lower=lower, transpose=adjoint))


def eigh_tridiagonal(
    alpha: ArrayLike,
    beta: ArrayLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Sequence[int] | None = None,
    tol: float | None = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues, ascending, of the symmetric matrix with alpha on the diagonal and beta beside it; (values, vectors) too.

    select: 'a' all, 'i' those from select_range[0] to select_range[1]. By a dense decomposition; tol changes nothing.
    """
    a = to_core(alpha)
    b = operand(beta, a.dtype, "eigh_tridiagonal", weak=False)
    if select not in ("a", "i"):
        raise UnimplementedError(f"eigh_tridiagonal: select={select!r} is not supported: use 'a' or 'i'")
    below = diag(wrap(b), k=-1)._t
    matrix = _core.diag(a) + below + _core.matrix_transpose(below)
    first, last = (0, a.shape[-1] - 1) if select == "a" else ints(select_range, "select_range")
    if eigvals_only:
        return wrap(_core.linalg.eigvalsh(matrix)[..., first : last + 1])
    values, vectors = _core.linalg.eigh(matrix)
    return wrap(values[..., first : last + 1]), wrap(vectors[..., first : last + 1])


_all_in_graph(globals())
