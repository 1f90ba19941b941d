"""Matrices and their diagonals, one or a band of them."""

from __future__ import annotations

import typing as _t
from typing import NamedTuple as _NamedTuple

from .. import _core
from ._args import integer, ints
from ._convert import to_core
from ._operators import operand
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor

_ALIGNS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


class _Band(_NamedTuple):
    """Diagonals low to high of matrices [rows, columns]; a row of each, longest length; how short ones are placed."""

    low: int
    high: int
    rows: int
    columns: int
    align: str

    @property
    def longest(self):
        return min(self.rows + min(self.high, 0), self.columns + min(-self.low, 0))

    def offset(self, d):
        """Of core integers d: where each diagonal begins in its row."""
        upper_left, lower_left = (part == "LEFT" for part in self.align.split("_"))
        length = _core.minimum(self.rows + _core.minimum(d, 0), self.columns - _core.maximum(d, 0))
        missing = self.longest - length
        upper, lower = missing * (not upper_left), missing * (not lower_left)
        return _core.where(d > 0, upper, _core.where(d < 0, lower, missing * (not (upper_left or lower_left))))


def _band(k, op):
    numbers = ints(k, "k")
    if len(numbers) not in (1, 2):
        raise InvalidArgumentError(f"{op}: k must be a number or a pair of numbers, got {k!r}")
    low, high = numbers[0], numbers[-1]
    if low > high:
        raise InvalidArgumentError(f"{op}: lower_diag_index must not be larger than upper_diag_index: {low} > {high}")
    return low, high


def _check_align(align, op):
    if align not in _ALIGNS:
        raise InvalidArgumentError(f"{op}: align must be one of {', '.join(_ALIGNS)}, got {align!r}")


def _check_band(band, op):
    for what, d in (("lower_diag_index", band.low), ("upper_diag_index", band.high)):
        if not -band.rows < d < band.columns and d != 0:
            raise InvalidArgumentError(
                f"{op}: {what} is out of bound: {d} is not a diagonal of [{band.rows}, {band.columns}]"
            )


def _places(band):
    """(inside, place): for each element of the matrices whether it is in the band, and where in [diagonals, longest]."""
    i = _core.reshape(_core.arange(band.rows), (-1, 1))
    j = _core.arange(band.columns)
    d = j - i
    inside = _core.logical_and(d >= band.low, d <= band.high)
    place = (band.high - d) * band.longest + _core.minimum(i, j) + band.offset(d)
    return inside, _core.where(inside, place, 0)


def _padding(value, x, op):
    if value.__class__ is int and not x.dtype.is_bool:
        return value
    if value.__class__ is int:
        return _core.asarray(bool(value))
    return _core.stop_gradient(operand(value, x.dtype, op, weak=False))


def _spread(x, band, otherwise):
    """Matrices with the rows of x [..., diagonals, longest] on diagonals, `otherwise` elsewhere."""
    inside, place = _places(band)
    flat = _core.reshape(x, (*x.shape[:-2], -1))
    return _core.where(inside, _core.take(flat, place, axis=-1), otherwise)


def diag(
    diagonal: ArrayLike,
    name: str | None = "diag",
    k: int | tuple[int, int] = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: ArrayLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with vectors [..., n] on diagonal k, or [..., k[1] - k[0] + 1, n] on diagonals k[0] to k[1], top first.

    num_rows, num_cols: the least that holds them unless given. align: where short diagonals are in their rows, of those
    above the main one and below it.
    """
    x = to_core(diagonal)
    if (k, num_rows, num_cols, align) == (0, -1, -1, "RIGHT_LEFT") and padding_value.__class__ is int and x.ndim:
        if padding_value == 0:
            return wrap(_core.diag(x))
    low, high = _band(k, "diag")
    _check_align(align, "MatrixDiagV3")
    if x.ndim < 1 + (low < high):
        raise InvalidArgumentError(f"MatrixDiagV3: diagonal of shape {tuple(x.shape)} has too few axes for k={k}")
    if low == high:
        x = _core.expand_dims(x, -2)
    elif x.shape[-2] != high - low + 1:
        raise InvalidArgumentError(f"MatrixDiagV3: {high - low + 1} diagonals of k={k}, got rows {x.shape[-2]}")
    n = x.shape[-1]
    least = (n - min(high, 0), n + max(low, 0))
    rows, columns = integer(num_rows, "num_rows"), integer(num_cols, "num_cols")
    if rows == -1 and columns == -1:
        rows = columns = max(least)
    rows, columns = least[0] if rows == -1 else rows, least[1] if columns == -1 else columns
    if rows < least[0] or columns < least[1] or (rows != least[0] and columns != least[1]):
        raise InvalidArgumentError(
            f"MatrixDiagV3: diagonals {low} to {high} of {n} elements do not fit matrices of {rows} rows and {columns} columns"
        )
    band = _Band(low, high, rows, columns, align)
    return wrap(_spread(x, band, _padding(padding_value, x, "MatrixDiagV3")))


def diag_part(
    input: ArrayLike,
    name: str | None = "diag_part",
    k: int | tuple[int, int] = 0,
    padding_value: ArrayLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Diagonal k of matrices [..., rows, columns], or diagonals k[0] to k[1] as rows, top first, padded to one length."""
    x, (low, high) = to_core(input), _band(k, "diag_part")
    _check_align(align, "MatrixDiagPartV3")
    if x.ndim < 2:
        raise InvalidArgumentError(f"MatrixDiagPartV3: input must be at least 2-dim, received shape: {tuple(x.shape)}")
    band, padding = _Band(low, high, x.shape[-2], x.shape[-1], align), _padding(padding_value, x, "MatrixDiagPartV3")
    if low == high == 0:
        return wrap(_core.linalg.diagonal(x))
    _check_band(band, "MatrixDiagPartV3")
    d = _core.reshape(_core.arange(high, low - 1, -1), (-1, 1))
    p = _core.arange(band.longest) - band.offset(d)
    length = _core.minimum(band.rows + _core.minimum(d, 0), band.columns - _core.maximum(d, 0))
    inside = _core.logical_and(p >= 0, p < length)
    place = (p - _core.minimum(d, 0)) * band.columns + p + _core.maximum(d, 0)
    flat = _core.reshape(x, (*x.shape[:-2], -1))
    out = _core.take(flat, _core.where(inside, place, 0), axis=-1)
    out = _core.where(inside, out, padding)
    return wrap(_core.squeeze(out, -2) if low == high else out)


def set_diag(
    input: ArrayLike,
    diagonal: ArrayLike,
    name: str | None = "set_diag",
    k: int | tuple[int, int] = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with diagonal k, or diagonals k[0] to k[1], of other elements; diagonal as diag_part gives them."""
    x, (low, high) = to_core(input), _band(k, "set_diag")
    _check_align(align, "MatrixSetDiagV3")
    d = operand(diagonal, x.dtype, "MatrixSetDiagV3", weak=False)
    if x.ndim < 2:
        raise InvalidArgumentError(f"MatrixSetDiagV3: input must be at least 2-dim, received shape: {tuple(x.shape)}")
    band = _Band(low, high, x.shape[-2], x.shape[-1], align)
    _check_band(band, "MatrixSetDiagV3")
    wanted = (*x.shape[:-2], *([high - low + 1] if low < high else []), band.longest)
    if tuple(d.shape) != wanted:
        raise InvalidArgumentError(f"MatrixSetDiagV3: diagonal must have shape {wanted}, got {tuple(d.shape)}")
    return wrap(_spread(d if low < high else _core.expand_dims(d, -2), band, x))


def tensor_diag(diagonal: ArrayLike, name: str | None = None) -> Tensor:
    """[d..., d...]: zeros, with the elements of [d...] where both places are the same."""
    x = to_core(diagonal)
    if x.ndim == 0:
        raise InvalidArgumentError("Diag: Input must be at least rank 1, got 0")
    return wrap(_core.reshape(_core.diag(_core.reshape(x, (-1,))), (*x.shape, *x.shape)))


def tensor_diag_part(input: ArrayLike, name: str | None = None) -> Tensor:
    """The inverse of tensor_diag: [d..., d...] -> [d...]."""
    x = to_core(input)
    half = x.ndim // 2
    first, second = tuple(x.shape[:half]), tuple(x.shape[half:])
    if x.ndim % 2 or first != second:
        raise ConversionError(
            f"tensor_diag_part: the shape must be one shape twice, [d..., d...], got {tuple(x.shape)}"
        )
    size = 1
    for n in first:
        size *= n
    return wrap(_core.reshape(_core.linalg.diagonal(_core.reshape(x, (size, size))), first))


def band_part(input: ArrayLike, num_lower: int, num_upper: int, name: str | None = None) -> Tensor:
    """Matrices with zeros outside a band; a negative number keeps the whole triangle."""
    x = to_core(input)
    if x.ndim < 2:
        raise InvalidArgumentError(f"MatrixBandPart: input must be at least 2-dim, received shape: {tuple(x.shape)}")
    kinds = {getattr(n, "dtype", None) for n in (num_lower, num_upper)}
    if len(kinds) > 1 and None not in kinds:
        raise InvalidArgumentError("MatrixBandPart: num_lower and num_upper are of different dtypes")
    lower, upper = integer(num_lower, "num_lower"), integer(num_upper, "num_upper")
    for what, n, most in (("num_lower", lower, x.shape[-2]), ("num_upper", upper, x.shape[-1])):
        if most is not None and n > most:
            raise InvalidArgumentError(f"MatrixBandPart: {what} must be negative or less or equal to {most}, got: {n}")
    x = x if lower < 0 else _core.triu(x, k=-lower)
    return wrap(_core.identity(x) if upper < 0 else _core.tril(x, k=upper))


def trace(x: ArrayLike, name: str | None = None) -> Tensor:
    """The sums of the main diagonals of matrices."""
    t = to_core(x)
    if t.dtype.kind in "fc" and t.ndim > 1:
        return wrap(_core.linalg.trace(t))
    parts = diag_part(wrap(t))._t
    return wrap(_core.sum(parts, -1, dtype=parts.dtype))


_all_in_graph(globals())
