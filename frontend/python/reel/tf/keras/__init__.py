"""tf.keras: layers, models and their training, losses, metrics, optimizers, with Keras 3's meaning."""

from .. import _refused
from . import (
    activations,
    backend,
    callbacks,
    config,
    constraints,
    datasets,
    initializers,
    layers,
    losses,
    metrics,
    models,
    ops,
    optimizers,
    random,
    regularizers,
    saving,
    tree,
    utils,
)
from ._layer import InputSpec, Layer
from ._symbolic import KerasTensor
from ._symbolic import input_tensor as Input
from ._variable import Variable
from .initializers import Initializer
from .losses import Loss
from .metrics import Metric
from .models import Model, Sequential
from .optimizers import Optimizer
from .regularizers import Regularizer

__all__ = [
    "Initializer",
    "Input",
    "InputSpec",
    "KerasTensor",
    "Layer",
    "Loss",
    "Metric",
    "Model",
    "Optimizer",
    "Regularizer",
    "Sequential",
    "Variable",
    "activations",
    "backend",
    "callbacks",
    "config",
    "constraints",
    "datasets",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "models",
    "ops",
    "optimizers",
    "random",
    "regularizers",
    "saving",
    "tree",
    "utils",
]

_refused.install_all()
