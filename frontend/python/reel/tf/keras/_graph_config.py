"""Models of symbols as configs: layers, and the nodes that join them."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core
from .. import nest as _nest
from ._layer import Layer
from ._serialize import deserialize, serialize
from ._symbolic import KerasTensor, Operation

if _t.TYPE_CHECKING:
    from typing import Any


def _places(model):
    """(layer, node index, output index) of each symbol of the graph."""
    places, counts = {}, {}
    graph = model._graph
    nodes = [x._node for x in graph.flat_inputs] + graph.nodes
    for node in nodes:
        if isinstance(node.operation, Operation) or not isinstance(node.operation, Layer):
            raise _core.UnimplementedError(
                f"get_config: the model {model.name!r} has the operator {node.operation.name} on symbols; put it into a "
                "layer of its own class"
            )
        i = counts[id(node.operation)] = counts.get(id(node.operation), -1) + 1
        for k, x in enumerate(_nest.flatten(node.outputs)):
            places[id(x)] = (node.operation.name, i, k)
    return places, nodes


def config_of(model: Any) -> dict[str, Any]:
    """The config of a model of symbols."""
    places, nodes = _places(model)

    def plain(x):
        if isinstance(x, KerasTensor):
            return {
                "class_name": "__keras_tensor__",
                "config": {"shape": list(x.shape), "dtype": x.dtype, "keras_history": list(places[id(x)])},
            }
        if isinstance(x, dict):
            return {k: plain(v) for k, v in x.items()}
        return [plain(v) for v in x] if isinstance(x, (list, tuple)) else serialize(x)

    layers = []
    for layer in model.layers:
        mine = [n for n in nodes if n.operation is layer and n.inputs]
        layers.append(
            {
                **serialize(layer),
                "name": layer.name,
                "inbound_nodes": [{"args": plain(n.args), "kwargs": plain(n.kwargs)} for n in mine],
            }
        )

    def ends(x):
        return _nest.map_structure(lambda s: list(places[id(s)]), x) if not isinstance(x, KerasTensor) else list(
            places[id(x)]
        )  # fmt: skip

    graph = model._graph
    return {
        "name": model.name,
        "trainable": model.trainable,
        "layers": layers,
        "input_layers": ends(graph.inputs),
        "output_layers": ends(graph.outputs),
    }


def model_of(cls: Any, config: dict[str, Any], custom: dict[str, Any] | None) -> Any:
    """A new model of a config: nodes are made when what they take is there."""
    layers = {
        c["name"]: deserialize({**c, "config": {**c["config"], "name": c["name"]}}, custom) for c in config["layers"]
    }
    made: dict[tuple[str, int], list[Any]] = {}
    waiting = []
    for c in config["layers"]:
        if not c["inbound_nodes"]:
            made[c["name"], 0] = [layers[c["name"]].output]
        waiting += [(c["name"], i, node) for i, node in enumerate(c["inbound_nodes"])]

    class Missing(Exception):
        pass

    def symbols(x):
        if isinstance(x, dict) and x.get("class_name") == "__keras_tensor__":
            name, i, k = x["config"]["keras_history"]
            if (name, i) not in made:
                raise Missing
            return made[name, i][k]
        if isinstance(x, dict) and "class_name" not in x:
            return {k: symbols(v) for k, v in x.items()}
        return [symbols(v) for v in x] if isinstance(x, list) else deserialize(x, custom)

    while waiting:
        left = []
        for name, i, node in waiting:
            try:
                args, kwargs = tuple(symbols(a) for a in node["args"]), symbols(node["kwargs"])
            except Missing:
                left.append((name, i, node))
                continue
            made[name, i] = _nest.flatten(layers[name](*args, **kwargs))
        if len(left) == len(waiting):
            raise _core.InvalidArgumentError(f"from_config: the nodes of {[w[0] for w in left]} depend on each other")
        waiting = left

    def ends(x):
        if isinstance(x, list) and len(x) == 3 and isinstance(x[0], str):
            return made[x[0], x[1]][x[2]]
        return {k: ends(v) for k, v in x.items()} if isinstance(x, dict) else [ends(v) for v in x]

    return cls(
        inputs=ends(config["input_layers"]), outputs=ends(config["output_layers"]), name=config.get("name"),
        trainable=config.get("trainable", True),
    )  # fmt: skip
