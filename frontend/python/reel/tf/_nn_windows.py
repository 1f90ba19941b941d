"""What convolutions and pools share: formats, options per axis, paddings, batches of several axes."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._array import ints
from ._tensor import TensorLike
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def channels_first(op: str, spatial: int, data_format: str | None) -> bool:
    """Whether a format has its channels at axis 1; None is channels last. ValueError for other names."""
    names = FORMATS[spatial]
    if data_format is None or data_format == names[0]:
        return False
    if data_format == names[1]:
        return True
    raise ConversionError(f"{op}: `data_format` must be {names[0]!r} or {names[1]!r}, received {data_format!r}")


def per_axis(op: str, what: str, value: Any, spatial: int, first: bool) -> tuple[list[int], int]:
    """(one entry per spatial axis, the entry of the channels) of n, [n], one per spatial axis, or one per axis.

    first: channels stand at axis 1. The entry of the batch must be 1.
    """
    if value.__class__ is int:
        values = (value,)
    else:
        values = ints(value, what)
    if len(values) == 1:
        values *= spatial
    channels = 1
    if len(values) == spatial + 2:
        if values[0] != 1:
            raise _core.UnimplementedError(f"{op}: {what} {list(values)} over the batch is not supported: it must be 1")
        channels = values[1] if first else values[-1]
        values = values[2:] if first else values[1:-1]
    if len(values) != spatial:
        raise ConversionError(
            f"{op}: `{what}` should be of length 1, {spatial} or {spatial + 2} but was {len(values)}: {value!r}"
        )
    if min(values) < 1 or channels < 1:
        raise ConversionError(f"{op}: `{what}` must be at least 1, received {value!r}")
    return list(values), channels


def only_spatial(op: str, what: str, value: Any, spatial: int, first: bool) -> list[int]:
    """One entry per spatial axis; those of batch and channels must be 1."""
    values, channels = per_axis(op, what, value, spatial, first)
    if channels != 1:
        raise _core.UnimplementedError(f"{op}: {what} {value!r} over the channels is not supported: it must be 1")
    return values


def padding_of(op: str, padding: Any, spatial: int, first: bool, explicit: bool = True) -> Any:
    """'valid', 'same' or a pair of numbers per spatial axis, from 'VALID', 'SAME' or a pair for every axis."""
    if padding.__class__ is str:
        if padding in ("VALID", "SAME"):
            return padding.lower()
        raise ConversionError(f"{op}: `padding` must be 'VALID', 'SAME'{_OR_PAIRS}, received {padding!r}")
    if not explicit:
        raise _core.InvalidTypeError(
            f"{op}: `padding` must be 'VALID' or 'SAME', received {padding!r}; use tf.pad before it"
        )
    if isinstance(padding, TensorLike):
        padding = padding._core_value().tolist()
    pairs = _pairs(op, padding)
    if len(pairs) != spatial + 2:
        raise ConversionError(
            f"{op}: `padding` must have a pair for each of {spatial + 2} axes, received {len(pairs)}: {padding!r}"
        )
    around = pairs[:2] if first else [pairs[0], pairs[-1]]
    if any(n != 0 for pair in around for n in pair):
        raise ConversionError(f"{op}: `padding` {padding!r} must be [0, 0] for batch and channels")
    inside = pairs[2:] if first else pairs[1:-1]
    if any(n < 0 for pair in inside for n in pair):
        raise ConversionError(f"{op}: `padding` must not be negative, received {padding!r}")
    return inside


_OR_PAIRS = " or a list of pairs of numbers, one for every axis"


def _pairs(op, padding):
    try:
        pairs = [tuple(int(n) for n in pair) for pair in padding]
    except TypeError:
        pairs = [()]
    if any(len(pair) != 2 for pair in pairs):
        raise ConversionError(f"{op}: `padding` must be 'VALID', 'SAME'{_OR_PAIRS}, received {padding!r}")
    return pairs


def to_last(x: _core.Tensor, first: bool) -> _core.Tensor:
    """Channels at the end."""
    return _core.moveaxis(x, 1, -1) if first else x


def to_first(y: _core.Tensor, first: bool) -> _core.Tensor:
    """Channels back at axis 1."""
    return _core.moveaxis(y, -1, 1) if first else y


def batched(x: _core.Tensor, rank: int, f: Any) -> _core.Tensor:
    """f of x whose leading axes are one batch, and them back again; f takes `rank` axes."""
    extra = len(x.shape) - rank
    if extra <= 0:
        return f(x)
    lead = list(x.shape)[: extra + 1]
    y = f(_core.reshape(x, [-1, *list(x.shape)[extra + 1 :]]))
    return _core.reshape(y, [*lead, *list(y.shape)[1:]])


def check_rank(op: str, what: str, x: _core.Tensor, ranks: Sequence[int], at_least: bool = False) -> None:
    """ValueError unless the tensor has one of these ranks (or more than the first)."""
    rank = len(x.shape)
    if rank in ranks or at_least and rank > ranks[0]:
        return
    raise ConversionError(
        f"{op}: {what} must have rank {' or '.join(map(str, ranks))}{' or more' if at_least else ''}, "
        f"received shape {tuple(x.shape)} of rank {rank}"
    )


def check_float(op: str, x: _core.Tensor, what: str = "input", integers: bool = False) -> None:
    """TypeError of a tensor that is not of floats (or int32)."""
    if not x.dtype.is_floating and not (integers and x.dtype is _core.int32):
        raise _core.InvalidTypeError(
            f"{op}: Value passed to parameter {what!r} has DataType {x.dtype.name} not in list of allowed values: float16, "
            f"bfloat16, float32, float64{', int32' if integers else ''}; use tf.cast"
        )
