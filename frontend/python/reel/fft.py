"""Discrete Fourier transforms, as numpy.fft."""

from __future__ import annotations as _annotations

import operator as _operator
import typing as _typing

from . import _core
from ._core.fft import *  # noqa: F401,F403
from ._core.fft import fft as fft
from ._core.fft import ifft as ifft
from ._core.fft import irfft as irfft
from ._core.fft import rfft as rfft
from ._mistakes import missing as _missing

if _typing.TYPE_CHECKING:
    from collections.abc import Sequence

    from ._core import Tensor as _Tensor
    from .typing import AxisLike, DTypeLike, TensorLike


def _checked_axes(op, x, axes):
    """The axes, each an integer in range, counted from 0; none twice."""
    try:
        axes = [_operator.index(a) for a in ([axes] if hasattr(axes, "__index__") else axes)]
    except TypeError:
        raise _core.InvalidTypeError(f"{op}: axes must be integers, got {axes!r}") from None
    for a in axes:
        if not -x.ndim <= a < x.ndim:
            raise _core.InvalidArgumentError(
                f"{op}: axis {a} is out of range for rank {x.ndim}; use -{x.ndim} to {x.ndim - 1}"
            )
    axes = [a % x.ndim for a in axes]
    if len(set(axes)) < len(axes):
        raise _core.InvalidArgumentError(f"{op}: an axis of {axes} is named twice")
    return axes


def _sizes_and_axes(op, x, s, axes):
    """As NumPy: the last len(s) axes, or all."""
    x = _core.asarray(x)
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = _checked_axes(op, x, axes)
    if s is not None and len(s) != len(axes):
        raise _core.InvalidArgumentError(f"{op}: {len(s)} lengths for {len(axes)} axes; give one for each")
    return x, [None] * len(axes) if s is None else list(s), axes


def fftn(
    x: TensorLike, /, *, s: Sequence[int] | None = None, axes: AxisLike | None = None, norm: str = "backward"
) -> _Tensor:
    """fft along several axes, cut or padded to s."""
    x, s, axes = _sizes_and_axes("fftn", x, s, axes)
    for n, axis in zip(s, axes):
        x = fft(x, n=n, axis=axis, norm=norm)
    return x


def ifftn(
    x: TensorLike, /, *, s: Sequence[int] | None = None, axes: AxisLike | None = None, norm: str = "backward"
) -> _Tensor:
    """The inverse of fftn."""
    x, s, axes = _sizes_and_axes("ifftn", x, s, axes)
    for n, axis in zip(s, axes):
        x = ifft(x, n=n, axis=axis, norm=norm)
    return x


def rfftn(
    x: TensorLike, /, *, s: Sequence[int] | None = None, axes: AxisLike | None = None, norm: str = "backward"
) -> _Tensor:
    """rfft along the last axis, fft along the others."""
    x, s, axes = _sizes_and_axes("rfftn", x, s, axes)
    if not axes:
        raise _core.InvalidArgumentError("rfftn: needs at least one axis")
    return fftn(rfft(x, n=s[-1], axis=axes[-1], norm=norm), s=s[:-1], axes=axes[:-1], norm=norm)


def irfftn(
    x: TensorLike, /, *, s: Sequence[int] | None = None, axes: AxisLike | None = None, norm: str = "backward"
) -> _Tensor:
    """The inverse of rfftn, real."""
    x, s, axes = _sizes_and_axes("irfftn", x, s, axes)
    if not axes:
        raise _core.InvalidArgumentError("irfftn: needs at least one axis")
    return irfft(ifftn(x, s=s[:-1], axes=axes[:-1], norm=norm), n=s[-1], axis=axes[-1], norm=norm)


_OPPOSITE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfft(x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> _Tensor:
    """The transform, real, of a signal with Hermitian symmetry; n is the length of the result."""
    return irfft(_core.conj(x), n=n, axis=axis, norm=_OPPOSITE[norm])


def ihfft(x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> _Tensor:
    """The inverse of hfft."""
    return _core.conj(rfft(x, n=n, axis=axis, norm=_OPPOSITE[norm]))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: str | None = None) -> _Tensor:
    """Frequencies of the results of fft for samples d apart: 0, 1, ..., -1 over n d."""
    dtype = _core.float32 if dtype is None else dtype
    k = _core.arange(n)
    return _core.astype(_core.where(k < (n + 1) // 2, k, k - n), dtype) / (n * d)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: str | None = None) -> _Tensor:
    """Frequencies of the results of rfft: 0, 1, ..., n // 2 over n d."""
    return _core.astype(_core.arange(n // 2 + 1), _core.float32 if dtype is None else dtype) / (n * d)


def _shift(op, x, axes, sign):
    x = _core.asarray(x)
    axes = _checked_axes(op, x, range(x.ndim) if axes is None else axes)
    if not axes:
        return x
    shifts = [x.shape[a] // 2 if sign > 0 else -(x.shape[a] // 2) for a in axes]
    return _core.roll(x, shifts, axis=axes)


def fftshift(x: TensorLike, /, *, axes: AxisLike | None = None) -> _Tensor:
    """The zero frequency moved to the middle."""
    return _shift("fftshift", x, axes, 1)


def ifftshift(x: TensorLike, /, *, axes: AxisLike | None = None) -> _Tensor:
    """The inverse of fftshift."""
    return _shift("ifftshift", x, axes, -1)


if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.fft")
