"""Rows added up, multiplied or compared by segments: sorted ids that say how many there are, or any ids and a number."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from ._args import extremes as _extremes
from ._args import integer as _integer
from ._args import of_ints as _of_ints
from ._args import static as _static
from ._convert import to_core as _to_core
from ._operators import true_divide as _true_divide
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import InvalidArgumentError as _InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor as _Tensor


def _rows(op, data, segment_ids):
    """(data as rows, ids as a vector, extents of a row): ids have the first axes of data."""
    x, ids = _to_core(data), _of_ints(segment_ids, op, "segment_ids")
    if x.shape[: ids.ndim] != ids.shape:
        raise _InvalidArgumentError(
            f"{op}: data.shape = {tuple(x.shape)} does not start with segment_ids.shape = {tuple(ids.shape)}"
        )
    row = tuple(x.shape)[ids.ndim :]
    if ids.ndim != 1:
        x, ids = _core.reshape(x, (ids.size, *row)), _core.reshape(ids, (-1,))
    return x, ids, row


def _counts(ids, count, row, dtype):
    """How many rows each segment has, as extents that broadcast with its row."""
    ones = _core.ones(ids.shape, dtype=dtype)
    return _core.reshape(_core.segment_sum(ones, ids, count), (count,) + (1,) * len(row))


def _mean(x, ids, count, row):
    """Means of the rows of each segment; 0 for one that has none."""
    total, counts = _core.segment_sum(x, ids, count), _core.maximum(_counts(ids, count, row, _core.int64), 1)
    if x.dtype.is_integer:
        return _core.astype(
            _core.trunc(_core.astype(total, _core.float64) / _core.astype(counts, _core.float64)), x.dtype
        )
    return total / _core.astype(counts, x.dtype)


def _true_mean(x, ids, count, row):
    """Means of the rows of each segment; 0 for one that has none."""
    total, counts = _core.segment_sum(x, ids, count), _core.maximum(_counts(ids, count, row, _core.int64), 1)
    return _true_divide(total, _core.astype(counts, x.dtype))


def _sqrt_n(x, ids, count, row):
    """Sums of the rows of each segment by the square root of their number; 0 for one that has none."""
    return _core.segment_sum(x, ids, count) / _core.sqrt(_core.maximum(_counts(ids, count, row, x.dtype), 1))


def _sum(x, ids, count, row):
    """Sums of the rows of each segment; 0 for one that has none."""
    return _core.segment_sum(x, ids, count)


def _prod(x, ids, count, row):
    """Products of the rows of each segment; 1 for one that has none."""
    return _core.segment_prod(x, ids, count)


def _max(x, ids, count, row):
    """Largest elements of the rows of each segment."""
    return _core.segment_max(x, ids, count)


def _min(x, ids, count, row):
    """Smallest elements of the rows of each segment."""
    return _core.segment_min(x, ids, count)


def _unsorted(name, f, empty=None) -> Callable[..., _Tensor]:
    """A function of rows, any ids and the number of segments; empty: the end of the dtype that stands for no row."""

    def op(data: ArrayLike, segment_ids: ArrayLike, num_segments: int, name: str | None = None) -> _Tensor:
        x, ids, row = _rows(op.__name__, data, segment_ids)
        count = _integer(num_segments, "num_segments")
        if count < 0:
            raise _InvalidArgumentError(f"{op.__name__}: num_segments must not be negative, got {count}")
        least, most = _extremes(ids)
        if most is not None and most >= count:
            raise _InvalidArgumentError(f"{op.__name__}: segment_ids has {most}, which is out of range [0, {count})")
        if least is None or least < 0:
            ids = _core.where(ids < 0, count, ids)  # a segment more, which is dropped
            out = f(x, ids, count + 1, row)[:count]
            has = _counts(ids, count + 1, row, _core.int64)[:count] > 0
        else:
            out, has = f(x, ids, count, row), _counts(ids, count, row, _core.int64) > 0
        return _wrap(out if empty is None else _core.where(has, out, _limit(x.dtype, empty)))

    op.__name__ = op.__qualname__ = name
    end = f"; the {empty} number of the dtype for one that has none." if empty else ""
    op.__doc__ = f.__doc__.rstrip(".") + (end or ".") + " Rows with negative segment_ids are dropped."
    return op


def _limit(dtype, which):
    from .. import finfo, iinfo

    limits = iinfo(dtype) if dtype.is_integer else finfo(dtype)
    return _core.asarray(limits.min if which == "smallest" else limits.max, dtype)


unsorted_segment_sum = _unsorted("unsorted_segment_sum", _sum)
unsorted_segment_prod = _unsorted("unsorted_segment_prod", _prod)
unsorted_segment_mean = _unsorted("unsorted_segment_mean", _true_mean)
unsorted_segment_sqrt_n = _unsorted("unsorted_segment_sqrt_n", _sqrt_n)
unsorted_segment_max = _unsorted("unsorted_segment_max", _max, "smallest")
unsorted_segment_min = _unsorted("unsorted_segment_min", _min, "largest")


def _sorted(name, f, zero=False) -> Callable[..., _Tensor]:
    """A function of rows and sorted ids, of which the last one says how many segments there are."""

    def op(data: ArrayLike, segment_ids: ArrayLike, name: str | None = None) -> _Tensor:
        x, ids = _to_core(data), _of_ints(segment_ids, op.__name__, "segment_ids")
        if ids.ndim != 1 or not x.ndim or x.shape[0] != ids.shape[0]:
            raise _InvalidArgumentError(
                f"{op.__name__}: segment_ids {tuple(ids.shape)} should be a vector with an id for each row of data "
                f"{tuple(x.shape)}"
            )
        known = _static(ids, op.__name__).tolist()
        if known != [*sorted(known)] or known and known[0] < 0:
            raise _InvalidArgumentError(f"{op.__name__}: segment ids are not increasing from 0 on: {known}")
        row, count = tuple(x.shape)[1:], known[-1] + 1 if known else 0
        out = f(x, ids, count, row)
        if zero:
            out = _core.where(_counts(ids, count, row, _core.int64) > 0, out, _core.zeros((), dtype=x.dtype))
        return _wrap(out)

    op.__name__ = op.__qualname__ = name
    end = "; 0 for one that has none." if zero else "."
    op.__doc__ = f.__doc__.rstrip(".") + end + " segment_ids are sorted and, in a tf.function, constants."
    return op


segment_sum = _sorted("segment_sum", _sum)
segment_prod = _sorted("segment_prod", _prod)
segment_mean = _sorted("segment_mean", _mean)
segment_max = _sorted("segment_max", _max, True)
segment_min = _sorted("segment_min", _min, True)

_all_in_graph(globals())
