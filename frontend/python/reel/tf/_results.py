"""Results of several parts, which have TensorFlow's names."""

from __future__ import annotations

import typing as _t

if _t.TYPE_CHECKING:
    from ._tensor import Tensor


class Qr(_t.NamedTuple):
    """Orthonormal columns and a triangle."""

    q: Tensor
    r: Tensor


class Lu(_t.NamedTuple):
    """Both triangles in one matrix, and the order of its rows."""

    lu: Tensor
    p: Tensor


class LogMatrixDeterminant(_t.NamedTuple):
    """Sign, or phase, and logarithm of |det|."""

    sign: Tensor
    log_abs_determinant: Tensor


class MaxPoolWithArgmax(_t.NamedTuple):
    """The largest elements of windows, and where they are."""

    output: Tensor
    argmax: Tensor
