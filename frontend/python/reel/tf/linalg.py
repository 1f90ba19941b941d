"""tf.linalg: matrices of float32 and float64."""

from .. import _core
from . import dtypes  # noqa: F401
from ._array import eye, norm  # noqa: F401
from ._tensor import operand, to_core, wrap
from ._trace import all_in_graph as _all_in_graph
from .math import einsum, matmul, tensordot  # noqa: F401

_l = _core.linalg


def _define(name, f):
    def op(input, name=None):
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


def inv(input, adjoint=False, name=None):
    """The inverse; of the transpose if adjoint."""
    x = _l.inv(to_core(input))
    return wrap(_core.matrix_transpose(x) if adjoint else x)


def solve(matrix, rhs, adjoint=False, name=None):
    """x with matrix x = rhs, rhs [..., m, k]."""
    a = to_core(matrix)
    b = operand(rhs, a.dtype, "MatrixSolve", weak=False)
    return wrap(_l.solve(_core.matrix_transpose(a) if adjoint else a, b))


def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """x with T x = rhs for the triangle T of a matrix."""
    a = to_core(matrix)
    return wrap(
        _l.triangular_solve(
            a, operand(rhs, a.dtype, "MatrixTriangularSolve", weak=False), lower=lower, transpose=adjoint
        )
    )


def cholesky_solve(chol, rhs, name=None):
    """x with L L' x = rhs."""
    a = to_core(chol)
    return wrap(_l.cholesky_solve(a, operand(rhs, a.dtype, "CholeskySolve", weak=False)))


def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """x that minimises |matrix x - rhs|^2 + l2_regularizer |x|^2."""
    a = to_core(matrix)
    b = operand(rhs, a.dtype, "MatrixSolveLs", weak=False)
    if not l2_regularizer:
        return wrap(_l.lstsq(a, b))
    at = _core.matrix_transpose(a)
    gram = _core.matmul(at, a) + l2_regularizer * _core.eye(tuple(a.shape)[-1], dtype=a.dtype)
    return wrap(_l.solve(gram, _core.matmul(at, b)))


def slogdet(input, name=None):
    """Sign and logarithm of |det|."""
    return tuple(wrap(t) for t in _l.slogdet(to_core(input)))


def qr(input, full_matrices=False, name=None):
    """q, r with input = q r, thin."""
    if full_matrices:
        raise _core.UnimplementedError("qr: full_matrices=True is not supported; use the thin one")
    return tuple(wrap(t) for t in _l.qr(to_core(input)))


def eigh(tensor, name=None):
    """Eigenvalues, ascending, and vectors (columns) of symmetric matrices."""
    return tuple(wrap(t) for t in _l.eigh(to_core(tensor)))


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """(s, u, v) with tensor = u diag(s) v', thin; s alone without compute_uv."""
    if not compute_uv:
        return wrap(_l.svdvals(to_core(tensor)))
    if full_matrices:
        raise _core.UnimplementedError("svd: full_matrices=True is not supported; use the thin one")
    u, s, vh = _l.svd(to_core(tensor))
    return wrap(s), wrap(u), wrap(_core.matrix_transpose(vh))


def diag(diagonal, name="diag", k=0):
    """Square matrices with vectors on diagonal k."""
    return wrap(_core.diag(to_core(diagonal), k=k))


def band_part(input, num_lower, num_upper, name=None):
    """Matrices with zeros outside a band; a negative number keeps the whole triangle."""
    x = to_core(input)
    x = x if num_lower < 0 else _core.triu(x, k=-num_lower)
    return wrap(_core.identity(x) if num_upper < 0 else _core.tril(x, k=num_upper))


def matvec(a, b, transpose_a=False, adjoint_a=False, name=None):
    """Matrix times vector."""
    x = to_core(a)
    y = operand(b, x.dtype, "MatVec", weak=False)
    x = _core.matrix_transpose(x) if transpose_a or adjoint_a else x
    return wrap(_core.squeeze(_core.matmul(x, _core.expand_dims(y, -1)), -1))


def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """The last two axes swapped."""
    return wrap(_core.matrix_transpose(to_core(a)))


def cross(a, b, name=None):
    """Cross products of vectors with 3 elements."""
    x = to_core(a)
    return wrap(_core.cross(x, operand(b, x.dtype, "Cross", weak=False)))


def pinv(a, rcond=None, name=None):
    """Moore-Penrose inverse."""
    return wrap(_l.pinv(to_core(a), rtol=-1.0 if rcond is None else float(rcond)))


def l2_normalize(x, axis=None, epsilon=1e-12, name=None):
    """x / sqrt(max(sum(x^2), epsilon)) over axes."""
    t = to_core(x)
    total = _core.sum(_core.square(t), axis if axis is None or isinstance(axis, int) else tuple(axis), keepdims=True)
    return wrap(t * _core.rsqrt(_core.maximum(total, epsilon)))


def normalize(tensor, ord="euclidean", axis=None, name=None):
    """(tensor / norm, norm)."""
    n = norm(tensor, ord, axis, keepdims=True)
    return wrap(to_core(tensor) / n._t), n


_all_in_graph(globals())
