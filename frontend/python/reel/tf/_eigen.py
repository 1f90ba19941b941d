"""Eigenvalues of general matrices, by NumPy (LAPACK), and functions of matrices that they make."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import _complex_matrices as _c
from ._convert import to_core
from ._host import computed
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor

_HALVINGS = 60  # square roots until a matrix is close to the identity
_STEPS = 60  # of an iteration for a square root


def _eig_arrays(x):
    import numpy

    if not numpy.isfinite(x).all():
        raise numpy.linalg.LinAlgError(
            "Eigen decomposition was not successful. The input might not be valid: it has numbers that are not finite"
        )
    return numpy.linalg.eig(x if x.imag.any() else x.real)  # eigenvalues of real matrices come in exact pairs


def _eig(x):
    """Eigenvalues and vectors of complex matrices. Gradient: Boeddeker et al. 2017, arXiv 1701.00392, section 4.7."""

    def backward(_operands, results, dys):
        (e, v), (de, dv) = results, dys
        vh = _c.adjoint(v)
        inside = _c.diagonals(_core.zeros_like(e) if de is None else de)
        if dv is not None:
            turned = _core.matmul(vh, dv)
            along = _core.expand_dims(_core.real(_c.diagonal(turned)), -2)  # a column's length is 1
            inside = inside + _core.conj(_c.over_gaps(e)) * (turned - _core.matmul(vh, v) * along)
        return [_c.solve(vh, _core.matmul(inside, vh))]

    types = [(x.shape[:-1], x.dtype), (x.shape, x.dtype)]
    return computed("Eig", _eig_arrays, types, backward, [x])


def eig(tensor: ArrayLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and vectors (columns of length 1) of square matrices, complex; in LAPACK's order. By NumPy.

    Objects that are compiled ahead of time refuse it. Gradients are infinite or NaN where eigenvalues are equal.
    """
    e, v = _eig(_c.as_complex(_c.matrices(to_core(tensor), "Eig")))
    return wrap(e), wrap(v)


def eigvals(tensor: ArrayLike, name: str | None = None) -> Tensor:
    """Eigenvalues of square matrices, as of eig."""
    return eig(tensor)[0]


# --- functions of matrices ---


def _by_eig(x: Any, f: Any) -> Any:
    """f of the eigenvalues of one complex matrix with its vectors; None where these are too close to dependent."""
    import numpy

    e, v = _eig_arrays(x)
    if x.size and numpy.linalg.cond(v) > 1e4:
        return None
    return (v * f(e.astype(x.dtype))) @ numpy.linalg.inv(v) if x.size else x


def _root(x: Any) -> Any:
    """The principal square root of one complex matrix, NaN if it has none: by eigenvectors, or by the product form of the Newton iteration."""
    import numpy

    found = _by_eig(x, numpy.sqrt)
    if found is not None:
        return found
    root, m, eye = x, x, numpy.eye(len(x))
    for _ in range(_STEPS):
        try:
            inverse = numpy.linalg.inv(m)
        except numpy.linalg.LinAlgError:
            return numpy.full_like(x, numpy.nan)
        root, m = root @ (eye + inverse) / 2, (2 * eye + m + inverse) / 4
        if numpy.abs(m - eye).max() <= 4 * numpy.finfo(x.dtype).eps * len(x):
            break
    found = numpy.abs(root @ root - x).max() <= 1e-3 * numpy.abs(x).max()
    return root if found else numpy.full_like(x, numpy.nan)


def _log(x: Any) -> Any:
    """The principal logarithm of one complex matrix: by eigenvectors, or as 2^k times that of a root close to 1."""
    import numpy

    found = _by_eig(x, numpy.log)
    if found is not None:
        return found
    eye, scale = numpy.eye(len(x)), 1.0
    for _ in range(_HALVINGS):
        if numpy.abs(x - eye).sum(0).max() < 0.25:
            break
        x, scale = _root(x), 2 * scale
    power = z = numpy.linalg.solve(x + eye, x - eye)
    total, square = z, z @ z
    for k in range(3, 40, 2):  # log x = 2 atanh((x - 1) / (x + 1))
        power = power @ square
        total = total + power / k
    return 2 * scale * total


def _each(f: Any) -> Any:
    """f of each matrix of a batch, in double precision; NaN where that of real ones is not real."""

    def run(x):
        import numpy

        made = numpy.empty(x.shape, numpy.complex128)
        for at in numpy.ndindex(x.shape[:-2]):
            made[at] = f(x[at].astype(numpy.complex128))
        if numpy.iscomplexobj(x):
            return [made.astype(x.dtype)]
        lost = numpy.abs(made.imag) > 1e-7 * numpy.abs(made).max(initial=0)
        lost = lost.any((-1, -2), keepdims=True)
        return [numpy.where(lost, numpy.nan, made.real).astype(x.dtype)]

    return run


def _square_root(x):
    """Gradient: G with r^H G + G r^H = dy, as one system of linear equations."""

    def backward(_operands, results, dys):
        (root,) = results
        root = _c.adjoint(root) if root.dtype.is_complex else _core.matrix_transpose(root)
        n = root.shape[-1]
        eye = _core.eye(n, dtype=_c.real_type(root))
        left = root[..., :, None, :, None] * eye[:, None, :]  # [i, k, j, l]: root_ij of equal k, l
        right = _core.matrix_transpose(root)[..., None, :, None, :] * eye[:, None, :, None]
        system = _core.reshape(left + right, (*root.shape[:-2], n * n, n * n))
        column = _core.reshape(dys[0], (*root.shape[:-2], n * n, 1))
        return [_core.reshape((_c.solve if x.dtype.is_complex else _core.linalg.solve)(system, column), root.shape)]

    return computed("MatrixSquareRoot", _each(_root), [(x.shape, x.dtype)], backward, [x])[0]


def matrix_square_root(input: ArrayLike, name: str | None = None) -> Tensor:
    """The principal square roots of square matrices, by NumPy; NaN where there is none, or that of a real one is not real."""
    return wrap(_square_root(_c.matrices(to_core(input), "MatrixSquareRoot")))


sqrtm = matrix_square_root


def logm(input: ArrayLike, name: str | None = None) -> Tensor:
    """The principal logarithms of square matrices, complex, by NumPy. As in TensorFlow it has no gradient."""
    x = _c.matrices(to_core(input), "MatrixLogarithm")
    if not x.dtype.is_complex:
        raise _core.InvalidTypeError(
            f"MatrixLogarithm: complex64 or complex128 is needed, not {x.dtype.name}; use tf.cast(x, tf.complex64)"
        )

    return wrap(computed("MatrixLogarithm", _each(_log), [(x.shape, x.dtype)], None, [x])[0])


_all_in_graph(globals())
