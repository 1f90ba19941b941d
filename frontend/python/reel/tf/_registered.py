"""Operations of a tf.Graph whose gradients are those of tf.RegisterGradient, by graph.gradient_override_map."""

from __future__ import annotations

import typing as _t

from . import _custom, _graph_probe, _registry
from ._graph_tensor import GraphTensor, leaves_of, rebuild, slots_of

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._graph_tensor import Node


class _Operation:
    """The operation as its registered gradient sees it: inputs and outputs have values."""

    def __init__(self, node, inputs, outputs):
        self._node, self.inputs, self.outputs = node, inputs, outputs
        self.name, self.type = node.name, node.type
        self.get_attr, self.graph, self.node_def = node.get_attr, node.graph, node


def overridden(node: Node, runner: Any) -> Callable[..., Any]:
    """The function of a node with the registered gradient."""
    gradient = _registry.lookup(node.override)
    tensors = [x for x in leaves_of([list(node.args), node.kwargs]) if isinstance(x, GraphTensor)]
    tensors = list(dict.fromkeys(tensors))

    @_custom.custom_gradient
    def function(*values):
        given = dict(zip(tensors, values))

        def take(x):
            return given[x] if isinstance(x, GraphTensor) else x

        structure, outputs = slots_of(node.function(*rebuild(take, list(node.args)), **rebuild(take, node.kwargs)))

        def grad(*dys, variables=None):
            with _graph_probe.Running(runner):
                if gradient is None:
                    return [None] * len(values)
                found = gradient(_Operation(node, list(values), outputs), *dys)
            return list(found) if isinstance(found, (list, tuple)) else [found]

        return outputs[0] if len(outputs) == 1 else tuple(outputs), grad

    def call(*args, **kwargs):
        values = {}
        _pair([list(node.args), node.kwargs], [list(args), kwargs], values)
        return function(*[values[x] for x in tensors])

    return call


def _pair(structure, values, found):
    """The values in the places of graph tensors."""
    if isinstance(structure, GraphTensor):
        found[structure] = values
    elif isinstance(structure, dict):
        for key in structure:
            _pair(structure[key], values[key], found)
    elif isinstance(structure, (list, tuple)):
        for a, b in zip(structure, values):
            _pair(a, b, found)
