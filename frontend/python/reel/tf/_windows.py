"""Windows of frames, and weights of the mel scale: constants, computed by NumPy in float64."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import dtypes
from ._args import integer, number
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from ..typing import DTypeLike
    from ._tensor import Tensor


def _length(window_length, dtype):
    """The length as an int, and the core's dtype. ValueError for dtypes that are not floating."""
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ConversionError(f"window: the dtype must be a floating point type, not {kind.name}")
    n = integer(window_length, "window_length")
    if n < 0:
        raise InvalidArgumentError(f"window: window_length must not be negative, got {n}")
    return n, kind.core


def _constant(array, kind):
    return wrap(_core.astype(_core.asarray(array), kind))


def _raised_cosine(window_length, periodic, dtype, a, b):
    import numpy as np

    n, kind = _length(window_length, dtype)
    if n == 1:
        return wrap(_core.ones((1,), dtype=kind))
    turns = n + (1 - n % 2 if periodic else 0) - 1
    return _constant(a - b * np.cos(2 * np.pi * np.arange(n) / turns), kind)


def hann_window(
    window_length: int, periodic: bool = True, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """0.5 - 0.5 cos. periodic: of an even length one more is a whole period."""
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: int, periodic: bool = True, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """0.54 - 0.46 cos. periodic: of an even length one more is a whole period."""
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def _kaiser(n, beta):
    import numpy as np

    if n <= 1:
        return np.ones(max(n, 0))
    place = (np.arange(n) - (n - 1) / 2) / ((n - 1) / 2)
    return np.i0(beta * np.sqrt(np.maximum(1 - place * place, 0))) / np.i0(beta)


def kaiser_window(
    window_length: int, beta: float = 12.0, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """Kaiser's window: the modified Bessel function of order 0 of beta sqrt(1 - x^2)."""
    n, kind = _length(window_length, dtype)
    return _constant(_kaiser(n, number(beta, "beta")), kind)


def kaiser_bessel_derived_window(
    window_length: int, beta: float = 12.0, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of running sums of Kaiser's, whose square and its mirror image sum to 1."""
    import numpy as np

    n, kind = _length(window_length, dtype)
    sums = np.cumsum(_kaiser(n // 2 + 1, number(beta, "beta")))
    half = np.sqrt(sums[:-1] / sums[-1])
    return _constant(np.concatenate([half, half[::-1]]), kind)


def vorbis_window(window_length: int, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """sin(pi / 2 sin^2(...)): the window of Vorbis."""
    import numpy as np

    n, kind = _length(window_length, dtype)
    return _constant(np.sin(np.pi / 2 * np.sin(np.pi / max(n, 1) * (np.arange(n) + 0.5)) ** 2), kind)


def _mel(hertz):
    import numpy as np

    return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: int = 129,
    sample_rate: float = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """[num_spectrogram_bins, num_mel_bins]: triangles on the mel scale, by which spectra become mel spectra."""
    import numpy as np

    rate, low, high = (
        number(x, what)
        for x, what in (
            (sample_rate, "sample_rate"),
            (lower_edge_hertz, "lower_edge_hertz"),
            (upper_edge_hertz, "upper_edge_hertz"),
        )
    )
    bins, kind = integer(num_mel_bins, "num_mel_bins"), dtypes.as_dtype(dtype)
    checks = [
        (bins > 0, f"num_mel_bins must be positive, got {bins}"),
        (rate > 0, f"sample_rate must be positive, got {rate}"),
        (low >= 0, f"lower_edge_hertz must be non-negative, got {low}"),
        (low < high, f"lower_edge_hertz {low} must be below upper_edge_hertz {high}"),
        (high <= rate / 2, f"upper_edge_hertz {high} must not be above half of sample_rate, {rate / 2}"),
        (kind.is_floating, f"dtype must be a floating point type, not {kind.name}"),
    ]
    for holds, text in checks:
        if not holds:
            raise ConversionError(f"linear_to_mel_weight_matrix: {text}")
    edges = np.linspace(_mel(low), _mel(high), bins + 2)
    places = _mel(np.linspace(0.0, rate / 2, integer(num_spectrogram_bins, "num_spectrogram_bins")))[:, None]
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    weights = np.maximum(0.0, np.minimum((places - left) / (centre - left), (right - places) / (right - centre)))
    weights[:1] = 0.0  # the constant part has no pitch
    return _constant(weights, kind.core)


_all_in_graph(globals())
