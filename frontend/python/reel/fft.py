"""Discrete Fourier transforms, as numpy.fft."""

from ._core.fft import *  # noqa: F401,F403
