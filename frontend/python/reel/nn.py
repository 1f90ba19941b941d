"""Activations, losses, normalisation, convolution and layers.

Layers are called like functions; their variables, "dense/kernel" and so on, are made by the first call:

    model = reel.nn.Sequential(reel.nn.Dense(32, "relu"), reel.nn.Dense(10))
    logits = model(images)
    model.variables
"""

from ._core import Variable as _Variable
from ._core import nn as _nn
from ._core.nn import *  # noqa: F401,F403


class Module:
    """A model of your own: attributes hold layers, variables, other modules, and lists or dicts of them.

    class Model(reel.nn.Module):
        def __init__(self):
            self.dense = reel.nn.Dense(10)

        def __call__(self, x):
            return self.dense(x)
    """

    @property
    def variables(self):
        """All variables that exist, each once, in the order of the attributes."""
        found, seen = [], set()
        _collect(self.__dict__, found, seen)
        return tuple(found)

    @property
    def trainable_variables(self):
        """Those that tapes watch."""
        return tuple(v for v in self.variables if v.trainable)


def _collect(x, found, seen):
    if id(x) in seen:
        return
    if isinstance(x, _Variable):
        seen.add(id(x))
        found.append(x)
    elif isinstance(x, (_nn.Layer, Module)):
        seen.add(id(x))
        for v in x.variables:
            _collect(v, found, seen)
    elif isinstance(x, dict):
        for value in x.values():
            _collect(value, found, seen)
    elif isinstance(x, (list, tuple)):
        for value in x:
            _collect(value, found, seen)
