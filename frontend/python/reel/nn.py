"""Activations, losses, normalisation, convolution and layers.

Layers are called like functions; their variables, "dense/kernel" and so on, are made by the first call:

    model = reel.nn.Sequential(reel.nn.Dense(32, "relu"), reel.nn.Dense(10))
    logits = model(images)
    model.variables
    print(model.summary())

Their first values are what kernel_init and bias_init say: a number, a name ("he_normal", "orthogonal", ...), or a function
(shape, dtype) -> tensor.
"""

import typing as _typing

from . import _core
from ._core.nn import *  # noqa: F401,F403
from ._keep import Kept as _Kept
from ._mistakes import missing as _missing


class Module(_Kept):
    """A model of your own: attributes hold layers, variables, other modules, and lists or dicts of them.

    class Model(reel.nn.Module):
        def __init__(self):
            self.dense = reel.nn.Dense(10)

        def __call__(self, x):
            return self.dense(x)

    Layers and variables without a name of their own are called like the attributes: dense/kernel.
    """

    def _repr_html_(self) -> str:
        return _core._variables_html(type(self).__name__, self.variables)


if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.nn")
