"""Decompositions of complex matrices: compiled on real matrices of twice the size, or by NumPy (_host)."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._host import computed
from .errors import InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Callable

    Pair = tuple[_core.Tensor, _core.Tensor]

_l = _core.linalg


def matrices(x: _core.Tensor, op: str, square: bool = True) -> _core.Tensor:
    """x, if it is matrices (square ones) of floating or complex numbers."""
    if not (x.dtype.is_floating or x.dtype.is_complex) or x.dtype.itemsize < 4:
        raise _core.InvalidTypeError(
            f"{op}: matrices of float32, float64, complex64 or complex128 are needed, not {x.dtype.name}; use tf.cast"
        )
    if x.ndim < 2:
        raise InvalidArgumentError(f"{op}: Input tensor 0 must have rank >= 2, got shape {tuple(x.shape)}")
    if square and x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError(f"{op}: Input matrix must be square, got shape {tuple(x.shape)}")
    return x


def real_type(x: _core.Tensor) -> _core.DType:
    """The dtype of the parts of a complex tensor; that of a real one."""
    if not x.dtype.is_complex:
        return x.dtype
    return _core.float32 if x.dtype.itemsize == 8 else _core.float64


def adjoint(x: _core.Tensor) -> _core.Tensor:
    """The conjugate transpose."""
    return _core.matrix_transpose(_core.conj(x))


def mirrored(x: _core.Tensor) -> _core.Tensor:
    """The Hermitian matrix of a lower triangle."""
    below = kept(x, -1)
    return below + adjoint(below) + diagonals(as_complex(_core.real(diagonal(x))))


def as_complex(x: _core.Tensor) -> _core.Tensor:
    """A complex tensor of a real one."""
    return x if x.dtype.is_complex else _core.complex(x, _core.zeros_like(x))


def kept(x: _core.Tensor, k: int = 0, f: Callable[..., _core.Tensor] = _core.tril) -> _core.Tensor:
    """tril or triu of a complex tensor."""
    return _core.complex(f(_core.real(x), k=k), f(_core.imag(x), k=k))


def diagonal(x: _core.Tensor) -> _core.Tensor:
    """The diagonals of complex matrices."""
    return _core.complex(_l.diagonal(_core.real(x)), _l.diagonal(_core.imag(x)))


def diagonals(x: _core.Tensor) -> _core.Tensor:
    """Diagonal matrices [..., n, n] of [..., n]."""
    return _core.expand_dims(x, -1) * _core.eye(x.shape[-1], dtype=real_type(x))


# --- as real matrices of twice the size ---


def _blocks(z):
    """[[re, -im], [im, re]]: products and inverses are those of the complex matrices."""
    re, im = _core.real(z), _core.imag(z)
    return _core.concat([_core.concat([re, -im], axis=-1), _core.concat([im, re], axis=-1)], axis=-2)


def _column(z):
    """[re; im], the first column of _blocks."""
    return _core.concat([_core.real(z), _core.imag(z)], axis=-2)


def _of_column(x):
    half = x.shape[-2] // 2
    return _core.complex(x[..., :half, :], x[..., half:, :])


def _interleaved(z):
    """[[re, -im], [im, re]] in the place of each element: triangles stay triangles but for imaginary parts of diagonals."""
    re, im = _core.real(z), _core.imag(z)
    pairs = _core.stack([_core.stack([re, -im], axis=-1), _core.stack([im, re], axis=-1)], axis=-3)
    return _core.reshape(pairs, (*z.shape[:-2], 2 * z.shape[-2], 2 * z.shape[-1]))


def _stacked(z):
    """The first of each two columns of _interleaved."""
    pairs = _core.stack([_core.real(z), _core.imag(z)], axis=-2)
    return _core.reshape(pairs, (*z.shape[:-2], 2 * z.shape[-2], z.shape[-1]))


def _of_stacked(x):
    pairs = _core.reshape(x, (*x.shape[:-2], x.shape[-2] // 2, 2, x.shape[-1]))
    return _core.complex(pairs[..., 0, :], pairs[..., 1, :])


def solve(a: _core.Tensor, b: _core.Tensor) -> _core.Tensor:
    """x with a x = b."""
    return _of_column(_l.solve(_blocks(a), _column(b)))


def inv(a: _core.Tensor) -> _core.Tensor:
    """The inverse."""
    return _of_column(_l.inv(_blocks(a))[..., : a.shape[-1]])


def expm(a: _core.Tensor) -> _core.Tensor:
    """The exponential."""
    return _of_column(_l.matrix_exp(_blocks(a))[..., : a.shape[-1]])


def cholesky(a: _core.Tensor) -> _core.Tensor:
    """Lower triangular L with L L^H = a, of which the lower triangle is read; the gradient is Hermitian."""
    a = a + _core.stop_gradient(mirrored(a) - a)
    return kept(_of_stacked(_l.cholesky(_interleaved(a))[..., ::2]))


def triangular_solve(a: _core.Tensor, b: _core.Tensor, lower: bool = True, of_adjoint: bool = False) -> _core.Tensor:
    """x with T x = b for a triangle T of a, or of its adjoint. Rows are divided by their diagonals, which are real then."""
    t = kept(a, 0, _core.tril if lower else _core.triu)
    if of_adjoint:
        t, lower = adjoint(t), not lower
    scale = _core.expand_dims(diagonal(t), -1)
    unit = kept(t, -1 if lower else 1, _core.tril if lower else _core.triu) / scale
    unit = _interleaved(unit) + _core.eye(2 * a.shape[-1], dtype=real_type(a))
    return _of_stacked(_l.triangular_solve(unit, _stacked(b / scale), lower=lower))


def cholesky_solve(chol: _core.Tensor, b: _core.Tensor) -> _core.Tensor:
    """x with L L^H x = b."""
    return triangular_solve(chol, triangular_solve(chol, b), True, True)


def logdet(a: _core.Tensor) -> _core.Tensor:
    """Logarithms (real) of determinants of Hermitian positive definite matrices."""
    return 2.0 * _core.sum(_core.log(_core.real(diagonal(cholesky(a)))), -1)


def lstsq(a: _core.Tensor, b: _core.Tensor, strength: _core.Tensor) -> _core.Tensor:
    """x of least |a x - b|^2 + strength |x|^2, of full rank."""
    ah, (rows, columns) = adjoint(a), a.shape[-2:]
    eye = as_complex(strength) * _core.eye(min(rows, columns), dtype=real_type(a))
    if rows >= columns:
        return solve(_core.matmul(ah, a) + eye, _core.matmul(ah, b))
    return _core.matmul(ah, solve(_core.matmul(a, ah) + eye, b))


# --- by NumPy ---


def det(a: _core.Tensor) -> _core.Tensor:
    """Determinants. Gradient: conj(det) a^-H."""

    def run(x):
        import numpy

        return [numpy.linalg.det(x)]

    def backward(operands, results, dys):
        scale = _core.conj(results[0]) * dys[0]
        return [_core.expand_dims(_core.expand_dims(scale, -1), -1) * adjoint(inv(operands[0]))]

    matrices(a, "Determinant")
    return computed("Determinant", run, [(a.shape[:-2], a.dtype)], backward, [a])[0]


def slogdet(a: _core.Tensor) -> Pair:
    """det / |det| and log |det|, both complex. As in TensorFlow the gradient is that of the logarithm, of a complex number."""

    def run(x):
        import numpy

        return numpy.linalg.slogdet(x)

    def backward(operands, _results, dys):
        if dys[1] is None:
            return [_core.zeros_like(operands[0])]
        return [_core.expand_dims(_core.expand_dims(dys[1], -1), -1) * adjoint(inv(operands[0]))]

    matrices(a, "LogMatrixDeterminant")
    kind = (a.shape[:-2], a.dtype)
    return tuple(computed("LogMatrixDeterminant", run, [kind, kind], backward, [a]))


def over_gaps(e: _core.Tensor) -> _core.Tensor:
    """1 / (e_j - e_i), 0 where they are equal."""
    gaps = _core.expand_dims(e, -2) - _core.expand_dims(e, -1)
    equal = _core.equal(gaps, 0)
    return _core.where(equal, 0, 1 / _core.where(equal, 1, gaps))


def eigh(a: _core.Tensor) -> Pair:
    """Eigenvalues (real, ascending) and vectors of the Hermitian matrices of lower triangles."""

    def run(x):
        import numpy

        if not numpy.isfinite(x).all():
            raise numpy.linalg.LinAlgError("the matrix has numbers that are not finite")
        return numpy.linalg.eigh(x)

    def backward(_operands, results, dys):
        (e, v), (de, dv) = results, dys
        inside = diagonals(as_complex(_core.zeros_like(e) if de is None else de))
        if dv is not None:
            inside = inside + over_gaps(e) * _core.matmul(adjoint(v), dv)
        return [_core.matmul(v, _core.matmul(inside, adjoint(v)))]

    a = mirrored(matrices(a, "SelfAdjointEig"))
    types = [(a.shape[:-1], real_type(a)), (a.shape, a.dtype)]
    e, v = computed("SelfAdjointEig", run, types, backward, [a])
    return e, v


def qr(a: _core.Tensor, full: bool) -> Pair:
    """q with orthonormal columns, upper triangular r of a real diagonal; q is square if full, without a gradient then."""
    matrices(a, "Qr", square=False)
    m, n = a.shape[-2:]
    k = m if full else min(m, n)

    def run(x):
        import numpy

        if not x.size:
            eye = numpy.broadcast_to(numpy.eye(m, k, dtype=x.dtype), (*x.shape[:-2], m, k))
            return eye, numpy.zeros((*x.shape[:-2], k, n), x.dtype)
        return numpy.linalg.qr(x, "complete" if full else "reduced")

    def backward(operands, results, dys):
        (x,), (q, r) = operands, results
        dq = _core.zeros_like(q) if dys[0] is None else dys[0]
        dr = _core.zeros_like(r) if dys[1] is None else dys[1]
        if m >= n:
            return [_thin_qr(q, r, dq, dr)]
        dq = dq + _core.matmul(x[..., m:], adjoint(dr[..., m:]))
        left = _thin_qr(q, r[..., :m], dq, dr[..., :m])
        return [_core.concat([left, _core.matmul(q, dr[..., m:])], axis=-1)]

    types = [((*a.shape[:-1], k), a.dtype), ((*a.shape[:-2], k, n), a.dtype)]
    return tuple(
        computed("Qr of full_matrices=True", run, types, None, [a])
        if full and m > n
        else computed("Qr", run, types, backward, [a])
    )


def _thin_qr(q, r, dq, dr):
    """The gradient of q r, r square. Of C = q^H dA r^-1 the lower triangle turns q, the rest is in r."""
    both = _core.matmul(dr, adjoint(r))
    own = _core.matmul(adjoint(q), dq)
    w = own - both
    phase = _core.imag(diagonal(w))
    inside = both - own + kept(w - adjoint(w), -1) + diagonals(_core.complex(_core.zeros_like(phase), phase))
    return adjoint(triangular_solve(r, adjoint(dq + _core.matmul(q, inside)), False))


def svd(a: _core.Tensor, full: bool) -> tuple[_core.Tensor, _core.Tensor, _core.Tensor]:
    """(s, u, v) with a = u diag(s) v^H; u and v square if full, without a gradient of their own then."""
    matrices(a, "Svd", square=False)
    m, n = a.shape[-2:]
    k = min(m, n)

    def run(x):
        import numpy

        u, s, vh = numpy.linalg.svd(x, full_matrices=full)
        return s, u, numpy.conj(numpy.swapaxes(vh, -1, -2))

    def backward(_operands, results, dys):
        (s, u, v), (ds, du, dv) = results, dys
        inside = diagonals(as_complex(_core.zeros_like(s) if ds is None else ds))
        if du is None and dv is None:
            return [_core.matmul(u, _core.matmul(inside, adjoint(v)))]
        du = _core.zeros_like(u) if du is None else du
        dv = _core.zeros_like(v) if dv is None else dv
        return [_of_vectors(s, u, v, inside, du, dv)]

    types = [((*a.shape[:-2], k), real_type(a))]
    types += [((*a.shape[:-2], size, size if full else k), a.dtype) for size in (m, n)]
    if full and m != n:
        _, u, v = computed("Svd of full_matrices=True", run, types, None, [a])
        return svd(a, False)[0], u, v
    return tuple(computed("Svd", run, types, backward, [a]))


def _of_vectors(s, u, v, inside, du, dv):
    """The gradient of u diag(s) v^H; `inside` is that of s."""
    row, column = _core.expand_dims(s, -2), _core.expand_dims(s, -1)
    gaps = over_gaps(s * s)
    left, right = _core.matmul(adjoint(u), du), _core.matmul(adjoint(v), dv)
    phase = _core.imag(diagonal(right)) / s
    j, k = gaps * left, gaps * right
    inside = inside + (j + adjoint(j)) * row + column * (k + adjoint(k))
    inside = inside - diagonals(_core.complex(_core.zeros_like(phase), phase))
    beside_u = (du - _core.matmul(u, left)) / row
    beside_v = (dv - _core.matmul(v, right)) / row
    out = _core.matmul(_core.matmul(u, inside) + beside_u, adjoint(v))
    return out + _core.matmul(u, adjoint(beside_v))


def pinv(a: _core.Tensor, rcond: float) -> _core.Tensor:
    """The Moore-Penrose inverse; singular values below rcond times the largest are zeros."""
    s, u, v = svd(a, False)
    kept_ones = s > rcond * _core.max(s, -1, keepdims=True)
    inverse = _core.where(kept_ones, 1.0 / _core.where(kept_ones, s, 1.0), 0.0)
    return _core.matmul(v * _core.expand_dims(inverse, -2), adjoint(u))


def _lu_arrays(x):
    """L and U in one matrix and the places of its rows in x, by elimination with the largest pivots."""
    import numpy

    n = x.shape[-1]
    flat = x.reshape(-1, n, n).copy()
    places = numpy.tile(numpy.arange(n, dtype=numpy.int32), (len(flat), 1))
    which = numpy.arange(len(flat))
    for k in range(n):
        rows = k + numpy.abs(flat[:, k:, k]).argmax(-1)
        for y in (flat, places):
            y[which, rows], y[which, k] = y[which, k].copy(), y[which, rows].copy()
        pivots = flat[:, k, k]
        if not pivots.all():
            raise numpy.linalg.LinAlgError("Input is not invertible.")
        flat[:, k + 1 :, k] /= pivots[:, None]
        flat[:, k + 1 :, k + 1 :] -= flat[:, k + 1 :, k : k + 1] * flat[:, k : k + 1, k + 1 :]
    return flat.reshape(x.shape), places.reshape(x.shape[:-1])


def lu(a: _core.Tensor) -> Pair:
    """L below and U on and above the diagonal of one matrix, and the rows of a, int32. As in TensorFlow without a gradient."""
    matrices(a, "Lu")
    return tuple(computed("Lu", _lu_arrays, [(a.shape, a.dtype), (a.shape[:-1], _core.int32)], None, [a]))
