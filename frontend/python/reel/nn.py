"""Activations, losses, normalisation, convolution and layers."""

from ._core.nn import *  # noqa: F401,F403
