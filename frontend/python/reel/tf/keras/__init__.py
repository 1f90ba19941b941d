"""tf.keras as far as the guides on gradients use it: layers, Sequential, Model, losses, metrics, optimizers."""

from .. import _refused
from . import activations, initializers, layers, losses, metrics, models, optimizers
from .layers import Layer
from .models import Model, Sequential

__all__ = [
    "Layer",
    "Model",
    "Sequential",
    "activations",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "optimizers",
]

_refused.install_all()
