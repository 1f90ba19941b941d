"""Blocks and windows as other axes: space_to_batch and patches."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._args import ints, pairs
from ._convert import to_core
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor


def space_to_batch_nd(
    input: ArrayLike, block_shape: ShapeLike, paddings: Sequence[Sequence[int]] | Tensor, name: str | None = None
) -> Tensor:
    """[b, s..., rest] -> [prod(block) b, s / block ..., rest]: after padding, places in blocks become batches."""
    if isinstance(block_shape, int):
        raise InvalidArgumentError(f"SpaceToBatchND: block_shape must be a list, got {block_shape}")
    x, block, widths = to_core(input), ints(block_shape, "block_shape"), pairs(paddings, "SpaceToBatchND", "paddings")
    m = len(block)
    if len(widths) != m or x.ndim < m + 1:
        raise InvalidArgumentError(
            f"SpaceToBatchND: {m} block extents, {len(widths)} pairs of paddings and an input of rank {x.ndim} do not fit"
        )
    x = _core.pad(x, [(0, 0), *widths, *[(0, 0)] * (x.ndim - m - 1)], "constant", 0)
    shape = tuple(x.shape)
    for k, (n, b) in enumerate(zip(shape[1:], block)):
        if b < 1 or n % b:
            raise InvalidArgumentError(
                f"SpaceToBatchND: padded_shape[{k}]={n} is not divisible by block_shape[{k}]={b}"
            )
    split = [e for n, b in zip(shape[1:], block) for e in (n // b, b)]
    x = _core.reshape(x, (shape[0], *split, *shape[m + 1 :]))
    order = [*(2 + 2 * k for k in range(m)), 0, *(1 + 2 * k for k in range(m)), *range(2 * m + 1, x.ndim)]
    x = _core.transpose(x, order)
    return wrap(_core.reshape(x, (_product(block) * shape[0], *(x.shape[m + 1 : 2 * m + 1]), *shape[m + 1 :])))


def _product(numbers):
    out = 1
    for n in numbers:
        out *= n
    return out


def space_to_batch(
    input: ArrayLike, block_shape: ShapeLike, paddings: Sequence[Sequence[int]] | Tensor, name: str | None = None
) -> Tensor:
    """The same as space_to_batch_nd."""
    return space_to_batch_nd(input, block_shape, paddings)


def batch_to_space(
    input: ArrayLike, block_shape: ShapeLike, crops: Sequence[Sequence[int]] | Tensor, name: str | None = None
) -> Tensor:
    """The inverse of space_to_batch, without crops at the ends of each axis."""
    block_shape = [block_shape] * 2 if isinstance(block_shape, int) else block_shape
    x, block, cuts = to_core(input), ints(block_shape, "block_shape"), pairs(crops, "BatchToSpaceND", "crops")
    m, shape, total = len(block), tuple(x.shape), _product(block)
    if len(cuts) != m or x.ndim < m + 1:
        raise InvalidArgumentError(
            f"BatchToSpaceND: {m} block extents, {len(cuts)} pairs of crops and an input of rank {x.ndim} do not fit"
        )
    if total < 1 or shape[0] % total:
        raise InvalidArgumentError(
            f"BatchToSpaceND: Input batch dimension ({shape[0]}) is not divisible by product of block sizes ({total})"
        )
    x = _core.reshape(x, (*block, shape[0] // total, *shape[1:]))
    order = [m, *(e for k in range(m) for e in (m + 1 + k, k)), *range(2 * m + 1, x.ndim)]
    x = _core.transpose(x, order)
    full = [n * b for n, b in zip(shape[1:], block)]
    x = _core.reshape(x, (shape[0] // total, *full, *shape[m + 1 :]))
    for n, (before, after) in zip(full, cuts):
        if min(before, after) < 0 or before + after > n:
            raise InvalidArgumentError(f"BatchToSpaceND: crops {before}, {after} of an extent of {n}")
    return wrap(x[(slice(None), *(slice(a, n - b) for n, (a, b) in zip(full, cuts)))])


def required_space_to_batch_paddings(
    input_shape: ShapeLike, block_shape: ShapeLike, base_paddings: object = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """(paddings, crops): base_paddings, more at the ends until blocks fit, and what of that to crop later."""
    extents, block = ints(input_shape, "input_shape"), ints(block_shape, "block_shape")
    if len(extents) != len(block) or isinstance(block_shape, int):
        raise ConversionError(
            f"SpaceToBatch: input_shape and block_shape are lists of one length, got {extents} and {block_shape!r}"
        )
    base = [(0, 0)] * len(block) if base_paddings is None else pairs(base_paddings, "SpaceToBatch", "base_paddings")
    more = [(-(n + sum(p))) % b for n, b, p in zip(extents, block, base)]
    paddings = [[p[0], p[1] + extra] for p, extra in zip(base, more)]
    return tuple(wrap(_core.asarray(v, _core.int32)) for v in (paddings, [[0, extra] for extra in more]))


def patches(images: ArrayLike, sizes: ShapeLike, strides: ShapeLike, rates: ShapeLike, padding: str, op: str) -> Tensor:
    """Windows over all axes but the first and last, as channels: [n, out..., prod(sizes) c]."""
    x = to_core(images)
    given = {"sizes": sizes, "strides": strides, "rates": rates}
    if not isinstance(padding, str) or any(isinstance(v, int) for v in given.values()):
        raise _core.InvalidTypeError(f"{op}: {', '.join(given)} are lists, padding is a text; got {given}, {padding!r}")
    numbers = [ints(v, what) for what, v in given.items()]
    for v, what in zip(numbers, ("sizes", "strides", "rates")):
        if len(v) != x.ndim or v[0] != 1 or v[-1] != 1 or min(v) < 1:
            raise InvalidArgumentError(
                f"{op}: {what} must be 1, positive numbers for the axes between, 1; got {list(v)}"
            )
    if padding not in ("SAME", "VALID"):
        raise InvalidArgumentError(f'{op}: padding must be "SAME" or "VALID", got {padding!r}')
    windows = list(zip(*(v[1:-1] for v in numbers)))
    extents = []
    for axis, (size, stride, rate) in enumerate(windows, 1):
        reach, n = (size - 1) * rate + 1, x.shape[axis]
        out = -(-n // stride) if padding == "SAME" else (n - reach) // stride + 1
        extents.append(max(out, 0))
        if padding == "SAME":
            more = max((out - 1) * stride + reach - n, 0)
            widths = [(0, 0)] * x.ndim
            widths[axis] = (more // 2, more - more // 2)
            x = _core.pad(x, widths, "constant", 0)
    if 0 in extents:
        raise InvalidArgumentError(f"{op}: windows {list(sizes)} are larger than the images {tuple(x.shape)}")
    for axis, ((size, stride, rate), out) in enumerate(zip(windows, extents)):
        place = _core.expand_dims(_core.arange(out) * stride, -1) + _core.arange(size) * rate
        x = _core.take(x, place, axis=1 + 2 * axis)  # the axis becomes [out, size]
    m = len(windows)
    x = _core.transpose(x, (0, *(1 + 2 * k for k in range(m)), *(2 + 2 * k for k in range(m)), 2 * m + 1))
    return wrap(_core.reshape(x, (x.shape[0], *extents, -1)))


def extract_volume_patches(
    input: ArrayLike, ksizes: ShapeLike, strides: ShapeLike, padding: str, name: str | None = None
) -> Tensor:
    """Windows of volumes [n, d, h, w, c] as channels."""
    return patches(input, ksizes, strides, [1] * len(ints(ksizes, "ksizes")), padding, "ExtractVolumePatches")


_all_in_graph(globals(), "patches")
