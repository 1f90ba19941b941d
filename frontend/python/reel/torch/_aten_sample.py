"""PyTorch's sampling of images at points: grid_sampler_2d."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._table import aten, cast

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .._core import Tensor

_BILINEAR, _NEAREST, _BICUBIC = 0, 1, 2
_ZEROS, _BORDER, _REFLECTION = 0, 1, 2


def _pixels(x: Tensor, n: int, align_corners: bool) -> Tensor:
    """Coordinates in [-1, 1] as places among n pixels."""
    return (x + 1) * ((n - 1) / 2) if align_corners else ((x + 1) * n - 1) / 2


def _inside(x: Tensor, n: int, padding_mode: int, align_corners: bool) -> Tensor:
    """Places as the padding has them: cut off or reflected at the border; for zeros as they are."""
    if padding_mode == _ZEROS:
        return x
    if padding_mode == _REFLECTION:
        low, high = (0.0, float(n - 1)) if align_corners else (-0.5, n - 0.5)
        span = high - low
        if span == 0:
            return _core.zeros_like(x)
        away = _core.abs(x - low)
        rest = _core.fmod(away, span)
        odd = _core.not_equal(_core.fmod(_core.floor(away / span), 2), 0)
        x = _core.where(odd, span - rest, rest) + low
    return _core.clip(x, 0, n - 1)


def _cubic(t: Tensor) -> list[Tensor]:
    """Weights of four neighbours at -1, 0, 1, 2 for a place t in [0, 1), with a = -0.75."""
    a = -0.75

    def near(d: Tensor) -> Tensor:
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d: Tensor) -> Tensor:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _taps(x: Tensor, n: int, mode: int, padding_mode: int, align_corners: bool) -> list[tuple[Tensor, Tensor]]:
    """Places (whole numbers, may lie outside) and weights of the pixels that make a value, on one axis."""
    at = _pixels(x, n, align_corners)
    if mode == _BICUBIC:
        low = _core.floor(at)
        places = [low - 1, low, low + 1, low + 2]
        return [(_inside(p, n, padding_mode, align_corners), w) for p, w in zip(places, _cubic(at - low))]
    at = _inside(at, n, padding_mode, align_corners)
    if mode == _NEAREST:
        return [(_core.round(at), _core.ones_like(at))]
    low = _core.floor(at)
    return [(low, low + 1 - at), (low + 1, at - low)]


def _pixels_of(image: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    """A function of places [n, h, w] that gives image [n, c, H, W] there, zeros outside: [n, c, h, w]."""
    n, c, height, width = image.shape
    flat = _core.reshape(image, [n, c, height * width])

    def look(y: Tensor, x: Tensor) -> Tensor:
        seen = (y >= 0) & (y <= height - 1) & (x >= 0) & (x <= width - 1)
        rows, columns = (cast(_core.clip(p, 0, m - 1), _core.int64) for p, m in ((y, height), (x, width)))
        at = _core.reshape(rows * width + columns, [n, 1, -1])
        values = _core.take_along_axis(flat, _core.broadcast_to(at, [n, c, at.shape[-1]]), -1)
        values = _core.reshape(values, [n, c, *y.shape[1:]])
        return _core.where(_core.expand_dims(seen, 1), values, cast(0, image.dtype))

    return look


@aten("grid_sampler_2d.default")
def _grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    look = _pixels_of(input)
    height, width = input.shape[2:]
    xs = _taps(grid[..., 0], width, interpolation_mode, padding_mode, align_corners)
    ys = _taps(grid[..., 1], height, interpolation_mode, padding_mode, align_corners)
    out: Any = None
    for y, wy in ys:
        for x, wx in xs:
            part = look(y, x) * _core.expand_dims(wy * wx, 1)
            out = part if out is None else out + part
    return _t.cast("Tensor", out)
