"""tf.keras: layers, models and their training, losses, metrics, optimizers, with Keras 3's meaning."""

from .. import _refused
from . import (
    activations,
    backend,
    callbacks,
    constraints,
    datasets,
    initializers,
    layers,
    losses,
    metrics,
    models,
    optimizers,
    regularizers,
    saving,
    utils,
)
from ._layer import InputSpec, Layer
from ._symbolic import KerasTensor
from ._symbolic import input_tensor as Input
from ._variable import Variable
from .models import Model, Sequential

__all__ = [
    "Input",
    "InputSpec",
    "KerasTensor",
    "Layer",
    "Model",
    "Sequential",
    "Variable",
    "activations",
    "backend",
    "callbacks",
    "constraints",
    "datasets",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "optimizers",
    "regularizers",
    "saving",
    "utils",
]

_refused.install_all()
