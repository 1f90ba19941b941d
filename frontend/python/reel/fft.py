"""Discrete Fourier transforms, as numpy.fft."""

import operator as _operator

from . import _core
from ._core.fft import *  # noqa: F401,F403
from ._core.fft import fft, ifft, irfft, rfft


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


def fftn(x, /, *, s=None, axes=None, norm="backward"):
    """fft along several axes, cut or padded to s."""
    x, s, axes = _sizes_and_axes("fftn", x, s, axes)
    for n, axis in zip(s, axes):
        x = fft(x, n=n, axis=axis, norm=norm)
    return x


def ifftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of fftn."""
    x, s, axes = _sizes_and_axes("ifftn", x, s, axes)
    for n, axis in zip(s, axes):
        x = ifft(x, n=n, axis=axis, norm=norm)
    return x


def rfftn(x, /, *, s=None, axes=None, norm="backward"):
    """rfft along the last axis, fft along the others."""
    x, s, axes = _sizes_and_axes("rfftn", x, s, axes)
    if not axes:
        raise _core.InvalidArgumentError("rfftn: needs at least one axis")
    return fftn(rfft(x, n=s[-1], axis=axes[-1], norm=norm), s=s[:-1], axes=axes[:-1], norm=norm)


def irfftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of rfftn, real."""
    x, s, axes = _sizes_and_axes("irfftn", x, s, axes)
    if not axes:
        raise _core.InvalidArgumentError("irfftn: needs at least one axis")
    return irfft(ifftn(x, s=s[:-1], axes=axes[:-1], norm=norm), n=s[-1], axis=axes[-1], norm=norm)


_OPPOSITE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The transform, real, of a signal with Hermitian symmetry; n is the length of the result."""
    return irfft(_core.conj(x), n=n, axis=axis, norm=_OPPOSITE[norm])


def ihfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of hfft."""
    return _core.conj(rfft(x, n=n, axis=axis, norm=_OPPOSITE[norm]))


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Frequencies of the results of fft for samples d apart: 0, 1, ..., -1 over n d."""
    dtype = _core.float32 if dtype is None else dtype
    k = _core.arange(n)
    return _core.astype(_core.where(k < (n + 1) // 2, k, k - n), dtype) / (n * d)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Frequencies of the results of rfft: 0, 1, ..., n // 2 over n d."""
    return _core.astype(_core.arange(n // 2 + 1), _core.float32 if dtype is None else dtype) / (n * d)


def _shift(op, x, axes, sign):
    x = _core.asarray(x)
    axes = _checked_axes(op, x, range(x.ndim) if axes is None else axes)
    if not axes:
        return x
    shifts = [x.shape[a] // 2 if sign > 0 else -(x.shape[a] // 2) for a in axes]
    return _core.roll(x, shifts, axis=axes)


def fftshift(x, /, *, axes=None):
    """The zero frequency moved to the middle."""
    return _shift("fftshift", x, axes, 1)


def ifftshift(x, /, *, axes=None):
    """The inverse of fftshift."""
    return _shift("ifftshift", x, axes, -1)
