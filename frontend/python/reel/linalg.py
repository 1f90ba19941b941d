"""Linear algebra of float32 and float64 matrices, by the array API's names."""

from typing import NamedTuple as _NamedTuple

from . import _core
from ._core import Tensor as _Tensor
from ._core import cross, matmul, matrix_transpose, outer, tensordot, vecdot  # noqa: F401
from ._core.linalg import *  # noqa: F401,F403


class QRResult(_NamedTuple):
    Q: _Tensor
    R: _Tensor


class EighResult(_NamedTuple):
    eigenvalues: _Tensor
    eigenvectors: _Tensor


class SVDResult(_NamedTuple):
    U: _Tensor
    S: _Tensor
    Vh: _Tensor


class SlogdetResult(_NamedTuple):
    sign: _Tensor
    logabsdet: _Tensor


def qr(x, /, *, mode="reduced"):  # type: ignore[no-redef]
    """x = Q R: orthonormal columns, upper triangular."""
    if mode != "reduced":
        raise _core.UnimplementedError("linalg.qr: the only mode is 'reduced'")
    return QRResult(*_core.linalg.qr(x))


def eigh(x, /):  # type: ignore[no-redef]
    """Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices."""
    return EighResult(*_core.linalg.eigh(x))


def svd(x, /, *, full_matrices=False):  # type: ignore[no-redef]
    """x = U diag(S) Vh, thin; S descending."""
    if full_matrices:
        raise _core.UnimplementedError("linalg.svd: pass full_matrices=False; Reel computes the thin decomposition")
    return SVDResult(*_core.linalg.svd(x))


def slogdet(x, /):  # type: ignore[no-redef]
    """Sign and logarithm of |det|."""
    return SlogdetResult(*_core.linalg.slogdet(x))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norm of matrices: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf."""
    y = _core.linalg._matrix_norm(x, ord if isinstance(ord, str) else f"{ord:g}")
    return _core.expand_dims(_core.expand_dims(y, axis=-1), axis=-1) if keepdims else y


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
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


def trace(x, /, *, offset=0, dtype=None):  # type: ignore[no-redef]
    """The sum of a diagonal of matrices; narrow integers widen to 64 bits."""
    return _core.sum(_core.linalg.diagonal(x, offset=offset), axis=-1, dtype=dtype)


def pinv(x, /, *, rtol=None):  # type: ignore[no-redef]
    """Moore-Penrose inverse; singular values up to rtol times the largest count as 0."""
    return _core.linalg.pinv(x) if rtol is None else _core.linalg.pinv(x, rtol=float(rtol))


def matrix_rank(x, /, *, rtol=None):  # type: ignore[no-redef]
    """Number (int64) of singular values above rtol times the largest."""
    return _core.linalg.matrix_rank(x) if rtol is None else _core.linalg.matrix_rank(x, rtol=float(rtol))
