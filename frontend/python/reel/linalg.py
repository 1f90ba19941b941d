"""Linear algebra of float32 and float64 matrices, by the array API's names."""

import typing as _typing
from typing import NamedTuple as _NamedTuple

from . import _core
from ._core import Tensor as _Tensor
from ._core import cross as cross
from ._core import matmul as matmul
from ._core import matrix_transpose as matrix_transpose
from ._core import outer as outer
from ._core import tensordot as tensordot
from ._core import vecdot as vecdot
from ._core.linalg import cholesky as cholesky
from ._core.linalg import cholesky_solve as cholesky_solve
from ._core.linalg import det as det
from ._core.linalg import diagonal as diagonal
from ._core.linalg import eigvalsh as eigvalsh
from ._core.linalg import inv as inv
from ._core.linalg import logdet as logdet
from ._core.linalg import lstsq as lstsq
from ._core.linalg import lu as lu
from ._core.linalg import matrix_exp as matrix_exp
from ._core.linalg import matrix_power as matrix_power
from ._core.linalg import solve as solve
from ._core.linalg import svdvals as svdvals
from ._core.linalg import triangular_solve as triangular_solve
from ._mistakes import missing as _missing

if _typing.TYPE_CHECKING:
    from .typing import AxisLike, DTypeLike, TensorLike


class QRResult(_NamedTuple):
    """What qr gives: x = Q R."""

    Q: _Tensor
    R: _Tensor


class EighResult(_NamedTuple):
    """What eigh gives: eigenvalues in ascending order, eigenvectors as columns."""

    eigenvalues: _Tensor
    eigenvectors: _Tensor


class SVDResult(_NamedTuple):
    """What svd gives: x = U diag(S) Vh."""

    U: _Tensor
    S: _Tensor
    Vh: _Tensor


class SlogdetResult(_NamedTuple):
    """What slogdet gives: det x = sign exp(logabsdet)."""

    sign: _Tensor
    logabsdet: _Tensor


def qr(x: "TensorLike", /, *, mode: str = "reduced") -> QRResult:
    """x = Q R: orthonormal columns, upper triangular."""
    if mode != "reduced":
        raise _core.UnimplementedError("linalg.qr: the only mode is 'reduced'")
    return QRResult(*_core.linalg.qr(x))


def eigh(x: "TensorLike", /) -> EighResult:
    """Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices."""
    return EighResult(*_core.linalg.eigh(x))


def svd(x: "TensorLike", /, *, full_matrices: bool = False) -> SVDResult:
    """x = U diag(S) Vh, thin; S descending."""
    if full_matrices:
        raise _core.UnimplementedError("linalg.svd: pass full_matrices=False; Reel computes the thin decomposition")
    return SVDResult(*_core.linalg.svd(x))


def slogdet(x: "TensorLike", /) -> SlogdetResult:
    """Sign and logarithm of |det|."""
    return SlogdetResult(*_core.linalg.slogdet(x))


def matrix_norm(x: "TensorLike", /, *, keepdims: bool = False, ord: "float | str" = "fro") -> _Tensor:
    """Norm of matrices: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf."""
    y = _core.linalg._matrix_norm(x, ord if isinstance(ord, str) else f"{ord:g}")
    return _core.expand_dims(_core.expand_dims(y, axis=-1), axis=-1) if keepdims else y


def vector_norm(
    x: "TensorLike", /, *, axis: "AxisLike | None" = None, keepdims: bool = False, ord: float = 2
) -> _Tensor:
    """(sum |x|^ord)^(1 / ord) over axes; inf: the largest |x|, 0: how many are not 0."""
    if ord == 2:  # not of |x|, whose slope at 0 is 0: second derivatives
        return _core.linalg._vector_norm(x, axis, keepdims)
    x = _core.abs(x)
    inf = float("inf")
    if ord in (inf, -inf):
        return (_core.max if ord > 0 else _core.min)(x, axis=axis, keepdims=keepdims)
    if ord == 0:
        return _core.astype(_core.count_nonzero(x, axis=axis, keepdims=keepdims), x.dtype)
    if ord == 1:
        return _core.sum(x, axis=axis, keepdims=keepdims)
    dtype = x.dtype if _core.isdtype(x.dtype, "real floating") else _core.float32
    wide = _core.astype(x, _core.float64)  # as ord 2: where powers of narrower numbers would overflow
    y = _core.sum(wide**ord, axis=axis, keepdims=keepdims)
    zero = y == 0  # where the root's slope is infinite: the gradient is 0, as that of ord 2
    return _core.astype(_core.where(zero, 0, _core.where(zero, 1, y) ** (1 / ord)), dtype)


def trace(x: "TensorLike", /, *, offset: int = 0, dtype: "DTypeLike | None" = None) -> _Tensor:
    """The sum of a diagonal of matrices; narrow integers widen to 64 bits."""
    return _core.sum(_core.linalg.diagonal(x, offset=offset), axis=-1, dtype=dtype)


def pinv(x: "TensorLike", /, *, rtol: "float | None" = None) -> _Tensor:
    """Moore-Penrose inverse; singular values up to rtol times the largest count as 0."""
    return _core.linalg.pinv(x) if rtol is None else _core.linalg.pinv(x, rtol=float(rtol))


def matrix_rank(x: "TensorLike", /, *, rtol: "float | None" = None) -> _Tensor:
    """Number (int64) of singular values above rtol times the largest."""
    return _core.linalg.matrix_rank(x) if rtol is None else _core.linalg.matrix_rank(x, rtol=float(rtol))


if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.linalg")
