"""tf.signal: Fourier and cosine transforms, frames of signals, windows and the mel scale."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from . import dtypes as _dtypes
from ._args import axes_or_none as _axes_or_none
from ._args import axis_of as _axis_of
from ._args import integer as _integer
from ._args import ints as _ints
from ._convert import to_core as _to_core
from ._linked import dense as _dense
from ._operators import operand as _operand
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph
from ._windows import hamming_window as hamming_window
from ._windows import hann_window as hann_window
from ._windows import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from ._windows import kaiser_window as kaiser_window
from ._windows import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from ._windows import vorbis_window as vorbis_window
from .errors import ConversionError as _ConversionError
from .errors import InvalidArgumentError as _InvalidArgumentError
from .errors import UnimplementedError as _UnimplementedError

if _t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..typing import TensorLike as ArrayLike
    from ._signatures import Axes, ShapeLike
    from ._tensor import Tensor as _Tensor

_f = _core.fft


def _complex(x, op, rank):
    t = _to_core(x)
    if not t.dtype.is_complex:
        raise _core.InvalidTypeError(f"{op}: complex64 or complex128 is needed, not {t.dtype.name}; use tf.cast")
    return _ranked(t, op, rank)


def _real(x, op, rank):
    t = _to_core(x)
    if t.dtype.name not in ("float32", "float64"):
        raise _core.InvalidTypeError(f"{op}: float32 or float64 is needed, not {t.dtype.name}")
    return _ranked(t, op, rank)


def _ranked(t, op, rank):
    if t.ndim < rank:
        raise _InvalidArgumentError(f"{op}: Input must have rank of at least {rank} but got: {t.ndim}")
    return t


def _along(f, x, axes, lengths=None):
    for axis, n in zip(axes, lengths or [None] * len(axes)):
        if n is not None or x.shape[axis] != 0:  # the transform of nothing is nothing
            x = f(x, n=n, axis=axis)
    return x


def _lengths(fft_length, count, op):
    if fft_length is None:
        return None
    if not hasattr(fft_length, "shape") and not isinstance(fft_length, (list, tuple)):
        raise _ConversionError(f"{op}: fft_length must be a list of {count} integers, got {fft_length!r}")
    lengths = _ints(fft_length, "fft_length")
    if len(lengths) != count:
        raise _ConversionError(f"{op}: fft_length must have {count} elements, got {list(lengths)}")
    return lengths


def _define_fft(name, f, rank, doc):
    def op(input: ArrayLike, name: str | None = None) -> _Tensor:
        return _wrap(_along(f, _complex(input, op.__name__, rank), range(-rank, 0)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = doc
    return op


fft = _define_fft("fft", _f.fft, 1, "The Fourier transform along the last axis.")
ifft = _define_fft("ifft", _f.ifft, 1, "The inverse of fft.")
fft2d = _define_fft("fft2d", _f.fft, 2, "The Fourier transform along the last two axes.")
ifft2d = _define_fft("ifft2d", _f.ifft, 2, "The inverse of fft2d.")
fft3d = _define_fft("fft3d", _f.fft, 3, "The Fourier transform along the last three axes.")
ifft3d = _define_fft("ifft3d", _f.ifft, 3, "The inverse of fft3d.")


def _rfft(x, axes, lengths):
    """Of real x: along the last of the axes first, half of it."""
    lengths = lengths or [None] * len(axes)
    if lengths[-1] is None and x.shape[axes[-1]] == 0:
        return _core.astype(x, _core.complex64 if x.dtype is _core.float32 else _core.complex128)
    x = _f.rfft(x, n=lengths[-1], axis=axes[-1])
    return _along(_f.fft, x, axes[:-1], lengths[:-1])


def _irfft(x, axes, lengths):
    lengths = lengths or [None] * len(axes)
    x = _along(_f.ifft, x, axes[:-1], lengths[:-1])
    if lengths[-1] is None and x.shape[axes[-1]] == 0:
        return _core.real(x)
    return _f.irfft(x, n=lengths[-1], axis=axes[-1])


def _define_rfft(name, f, rank, check, doc):
    def op(input_tensor: ArrayLike, fft_length: ShapeLike | None = None, name: str | None = None) -> _Tensor:
        x = check(input_tensor, op.__name__, rank)
        return _wrap(f(x, tuple(range(-rank, 0)), _lengths(fft_length, rank, op.__name__)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = doc
    return op


rfft = _define_rfft("rfft", _rfft, 1, _real, "The first n // 2 + 1 numbers of the transform of a real signal.")
irfft = _define_rfft("irfft", _irfft, 1, _complex, "The inverse of rfft; fft_length is the length of the result.")
rfft2d = _define_rfft("rfft2d", _rfft, 2, _real, "rfft along the last axis, fft along the one before.")
irfft2d = _define_rfft("irfft2d", _irfft, 2, _complex, "The inverse of rfft2d.")
rfft3d = _define_rfft("rfft3d", _rfft, 3, _real, "rfft along the last axis, fft along the two before.")
irfft3d = _define_rfft("irfft3d", _irfft, 3, _complex, "The inverse of rfft3d.")


def _define_nd(name, f, check, doc):
    def op(
        input_tensor: ArrayLike,
        fft_length: ShapeLike | None = None,
        axes: Axes | None = None,
        norm: str | None = None,
        name: str | None = None,
    ) -> _Tensor:
        if norm not in (None, "backward"):
            raise _UnimplementedError(f"{op.__name__}: norm={norm!r} is not supported; scale the result")
        x = check(input_tensor, op.__name__, 1)
        places = _axes_or_none(axes)
        if places is None:
            count = x.ndim if fft_length is None else len(_ints(fft_length, "fft_length"))
            places = range(x.ndim - count, x.ndim)
        places = [_axis_of(a, x.ndim, op.__name__) for a in ([places] if isinstance(places, int) else places)]
        lengths = _lengths(fft_length, len(places), op.__name__)
        return _wrap(f(x, places, lengths))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = doc
    return op


fftnd = _define_nd(
    "fftnd", lambda x, a, n: _along(_f.fft, x, a, n), _complex, "The transform along axes, all unless given."
)
ifftnd = _define_nd("ifftnd", lambda x, a, n: _along(_f.ifft, x, a, n), _complex, "The inverse of fftnd.")
rfftnd = _define_nd("rfftnd", _rfft, _real, "rfft along the last of the axes, fft along the others.")
irfftnd = _define_nd("irfftnd", _irfft, _complex, "The inverse of rfftnd.")


def _shifted(x, axes, sign):
    t, axes = _to_core(x), _axes_or_none(axes)
    places = range(t.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    places = [_axis_of(a, t.ndim, "fftshift") for a in places]
    shifts = [sign * (t.shape[a] // 2) for a in places]
    return _wrap(_core.roll(t, shifts, axis=tuple(places)))


def fftshift(x: ArrayLike, axes: Axes | None = None, name: str | None = None) -> _Tensor:
    """The zero frequency moved to the middle of axes, all unless given."""
    return _shifted(x, axes, 1)


def ifftshift(x: ArrayLike, axes: Axes | None = None, name: str | None = None) -> _Tensor:
    """The inverse of fftshift."""
    return _shifted(x, axes, -1)


# --- cosine transforms ---


def _check_dct(x, type, n, axis, norm):
    if axis != -1:
        raise _UnimplementedError(f"dct: axis must be -1, got {axis}; use tf.transpose")
    if type not in (1, 2, 3, 4):
        raise _ConversionError(f"dct: types I, II, III and IV (1 to 4) are supported, got {type!r}")
    if norm not in (None, "ortho"):
        raise _ConversionError(f"dct: norm must be None or 'ortho', got {norm!r}")
    if type == 1 and norm == "ortho":
        raise _ConversionError("dct: norm='ortho' is not supported for type 1")
    if n is not None and n < 1:
        raise _ConversionError(f"dct: n must be a positive integer, got {n}")
    if type == 1 and (x.shape[-1] if n is None else n) < 2:
        raise _ConversionError("dct: type 1 needs more than 1 element")


def _cut_or_padded(x, n):
    have = x.shape[-1]
    if n <= have:
        return x if n == have else x[..., :n]
    return _core.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, n - have)], "constant", 0)


def _turns(count, sign, dtype):
    """2 exp(sign i pi k / (2 count)) for k below count."""
    angle = _core.astype(_core.arange(count), dtype) * (sign * 3.141592653589793 / (2 * count))
    return _core.complex(2.0 * _core.cos(angle), 2.0 * _core.sin(angle))


def _ortho(first, others, count, dtype):
    return _core.asarray([first] + [others] * (count - 1), dtype)


def _dct(x, type, norm):
    n, dtype = x.shape[-1], x.dtype
    if type == 1:
        return _core.real(_f.rfft(_core.concat([x, _core.flip(x[..., 1:-1], axis=-1)], axis=-1)))
    if type == 2:
        out = _core.real(_f.rfft(x, n=2 * n)[..., :n] * _turns(n, -1, dtype))
        return out * _ortho(0.5 * n**-0.5, (0.5 / n) ** 0.5, n, dtype) if norm else out
    if type == 3:
        x = x * (_ortho(n**0.5, (0.5 * n) ** 0.5, n, dtype) if norm else float(n))
        return _f.irfft(_turns(n, 1, dtype) * _core.complex(x, _core.zeros_like(x)), n=2 * n)[..., :n]
    out = _dct(_cut_or_padded(x, 2 * n), 2, None)[..., 1::2]
    return out * (2.0 / n) ** 0.5 * 0.5 if norm else out


def dct(
    input: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The discrete cosine transform of type 1 to 4 along the last axis, cut or padded to n. norm: None or 'ortho'."""
    x = _real(input, "dct", 1)
    n = None if n is None else _integer(n, "n")
    _check_dct(x, type, n, axis, norm)
    return _wrap(_dct(x if n is None else _cut_or_padded(x, n), type, norm))


def idct(
    input: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The dct of the inverse type: with 'ortho' the inverse, else 2 n times it (2 (n - 1) times for type 1)."""
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}.get(type, type), n, axis, norm)


# --- frames ---


def frame(
    signal: ArrayLike,
    frame_length: int,
    frame_step: int,
    pad_end: bool = False,
    pad_value: ArrayLike = 0,
    axis: int = -1,
    name: str | None = None,
) -> _Tensor:
    """[..., n, ...] -> [..., frames, frame_length, ...]: parts that begin frame_step apart along axis.

    pad_end: the last frames are those that begin inside, padded with pad_value; else those that end inside.
    """
    x = _to_core(signal)
    place = _axis_of(axis, x.ndim, "frame")
    length, step, n = _integer(frame_length, "frame_length"), _integer(frame_step, "frame_step"), x.shape[place]
    if length < 0 or step < 1:
        raise _InvalidArgumentError(
            f"frame: frame_length must not be negative, frame_step be positive, got {length} and {step}"
        )
    count = -(-n // step) if pad_end else max(0, 1 + (n - length) // step)
    if pad_end:
        widths = [(0, 0)] * x.ndim
        widths[place] = (0, max(0, (count - 1) * step + length - n))
        value = pad_value if isinstance(pad_value, (int, float)) else _operand(pad_value, x.dtype, "frame", weak=False)
        if isinstance(value, _core.Tensor) and value.ndim:
            raise _ConversionError(f"frame: pad_value must be a scalar, got shape {tuple(value.shape)}")
        x = _core.pad(x, widths, "constant", value)
    at = _core.expand_dims(_core.arange(count) * step, -1) + _core.arange(length)
    return _wrap(_core.take(_dense(x), at, axis=place))


def overlap_and_add(signal: ArrayLike, frame_step: int, name: str | None = None) -> _Tensor:
    """[..., frames, length] -> [..., (frames - 1) frame_step + length]: frames added up where they overlap."""
    x, step = _to_core(signal), _integer(frame_step, "frame_step")
    if x.ndim < 2:
        raise _ConversionError(f"overlap_and_add: the signal must have rank at least 2, got {tuple(x.shape)}")
    frames, length = x.shape[-2:]
    out = _core.zeros((*x.shape[:-2], max(0, (frames - 1) * step + length)), dtype=x.dtype)
    at = _core.expand_dims(_core.arange(frames) * step, -1) + _core.arange(length)
    flat = _core.reshape(x, (*x.shape[:-2], frames * length))
    return _wrap(_core.scatter(out, _core.reshape(at, (-1,)), flat, out.ndim - 1, "add"))


def _power_of_two(n):
    out = 1
    while out < n:
        out *= 2
    return out


def _windowed(frames, window_fn, length, without=None):
    if window_fn is None:
        return frames if without is None else frames * without
    dtype = next(d for d in (_dtypes.float32, _dtypes.float64, _dtypes.as_dtype("float16")) if d.core is frames.dtype)
    return frames * _to_core(window_fn(length, dtype=dtype), frames.dtype)


def stft(
    signals: ArrayLike,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Callable[..., _Tensor] | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> _Tensor:
    """[..., n] -> [..., frames, fft_length // 2 + 1]: rfft of windowed frames. fft_length: the next power of two."""
    length = _integer(frame_length, "frame_length")
    x = _real(signals, "stft", 1)
    n = _power_of_two(length) if fft_length is None else _integer(fft_length, "fft_length")
    frames = _windowed(frame(_wrap(x), length, frame_step, pad_end)._t, window_fn, length)
    return _wrap(_f.rfft(frames, n=n))


def inverse_stft_window_fn(
    frame_step: int, forward_window_fn: Callable[..., _Tensor] = hann_window, name: str | None = None
) -> Callable[..., _Tensor]:
    """The window_fn with which inverse_stft gives back what stft with forward_window_fn saw."""
    step = _integer(frame_step, "frame_step")

    def window(frame_length: int, dtype: object) -> _Tensor:
        length = _integer(frame_length, "frame_length")
        forward = _to_core(forward_window_fn(length, dtype=dtype))
        overlaps = -(-length // step)
        total = _core.reshape(_cut_or_padded(_core.square(forward), overlaps * step), (overlaps, step))
        total = _core.tile(_core.sum(total, 0, keepdims=True), (overlaps, 1))
        return _wrap(forward / _core.reshape(total, (-1,))[:length])

    return window


def inverse_stft(
    stfts: ArrayLike,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Callable[..., _Tensor] | None = hann_window,
    name: str | None = None,
) -> _Tensor:
    """[..., frames, fft_length // 2 + 1] -> [..., n]: irfft of each, windowed and added up where frames overlap."""
    length, x = _integer(frame_length, "frame_length"), _complex(stfts, "inverse_stft", 2)
    n = _power_of_two(length) if fft_length is None else _integer(fft_length, "fft_length")
    frames = _windowed(_cut_or_padded(_f.irfft(x, n=n), length), window_fn, length)
    return overlap_and_add(_wrap(frames), frame_step)


_ROOT_HALF = 0.5**0.5  # the window of mdct where there is none: its square and its mirror image sum to 1


def mdct(
    signals: ArrayLike,
    frame_length: int,
    window_fn: Callable[..., _Tensor] | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """[..., n] -> [..., frames, frame_length / 2]: the modified cosine transform of frames that overlap by half."""
    length, x = _integer(frame_length, "frame_length"), _real(signals, "mdct", 1)
    if length % 4:
        raise _ConversionError(f"mdct: frame_length must be divisible by 4, got {length}")
    frames = _windowed(frame(_wrap(x), length, length // 2, pad_end)._t, window_fn, length, _ROOT_HALF)
    a, b, c, d = _core.split(frames, 4, frames.ndim - 1)
    folded = _core.concat([-_core.flip(c, axis=-1) - d, a - _core.flip(b, axis=-1)], axis=-1)
    return dct(_wrap(folded), type=4, norm=norm)


def inverse_mdct(
    mdcts: ArrayLike,
    window_fn: Callable[..., _Tensor] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """[..., frames, length / 2] -> [..., n]: the inverse of mdct with the same window and norm."""
    x = _real(mdcts, "inverse_mdct", 2)
    half = x.shape[-1]
    out = dct(_wrap(x), type=4, norm=norm)._t
    out = out if norm else out * (0.5 / half)
    a, b = _core.split(out, 2, out.ndim - 1)
    frames = _core.concat([b, -_core.flip(b, axis=-1), -_core.flip(a, axis=-1), -a], axis=-1)
    return overlap_and_add(_wrap(_windowed(frames, window_fn, 2 * half, _ROOT_HALF)), half)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: ArrayLike, name: str | None = None) -> _Tensor:
    """[..., mel bins] -> [..., mel bins]: cepstral coefficients, the dct of log-mel spectrograms."""
    x = _real(log_mel_spectrograms, "mfccs_from_log_mel_spectrograms", 1)
    if x.shape[-1] < 1:
        raise _ConversionError("mfccs_from_log_mel_spectrograms: num_mel_bins must be positive")
    return _wrap(_dct(x, 2, None) * (2.0 * x.shape[-1]) ** -0.5)


_all_in_graph(globals(), "inverse_stft_window_fn")
