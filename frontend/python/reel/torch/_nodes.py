"""A graph of PyTorch's in a form of its own: what torch.fx has, without torch; it can be written as JSON."""

from __future__ import annotations

import dataclasses as _dataclasses
import typing as _t

from .. import _core

if _t.TYPE_CHECKING:
    from typing import Any


class Ref(_t.NamedTuple):
    """The value of a node, by its name."""

    name: str


class DTypeName(str):
    """A dtype, by the name that PyTorch and Reel share: "float32"."""


class Type(_t.NamedTuple):
    """What PyTorch says of a tensor: dtype and extents (None: open)."""

    dtype: str
    shape: tuple[int | None, ...]


@_dataclasses.dataclass
class Node:
    """A call, by the name of its target ("aten.add.Tensor", "getitem", "python.mul"), or an input or a constant.

    `results`: types of the tensors it gives, None for what is no tensor; `where`: the user's source line.
    """

    name: str
    target: str
    args: list[Any] = _dataclasses.field(default_factory=list)
    kwargs: dict[str, Any] = _dataclasses.field(default_factory=dict)
    results: list[Type | None] = _dataclasses.field(default_factory=list)
    where: str = ""


@_dataclasses.dataclass
class Graph:
    """Nodes in the order in which they run. `inputs`: names of the arguments; `constants`: tensors by node; `output`: a
    tree of Refs and numbers."""

    inputs: list[str]
    nodes: list[Node]
    output: Any
    constants: dict[str, Any] = _dataclasses.field(default_factory=dict)
    types: dict[str, Type] = _dataclasses.field(default_factory=dict)  # of inputs

    def last_uses(self) -> list[list[str]]:
        """By node: the values that nothing needs after it."""
        kept = set(refs_of(self.output))
        out: list[list[str]] = [[] for _ in self.nodes]
        for i in reversed(range(len(self.nodes))):
            node = self.nodes[i]
            for name in [*refs_of([node.args, node.kwargs]), node.name]:
                if name not in kept:
                    kept.add(name)
                    out[i].append(name)
        return out


def refs_of(tree: Any) -> list[str]:
    """Names of the nodes whose values a tree has."""
    found: list[str] = []
    map_refs(tree, lambda ref: found.append(ref.name))
    return found


def map_refs(tree: Any, of: _t.Callable[[Ref], Any]) -> Any:
    """The tree with something else for each Ref."""
    if isinstance(tree, Ref):
        return of(tree)
    if isinstance(tree, slice):
        return slice(map_refs(tree.start, of), map_refs(tree.stop, of), map_refs(tree.step, of))
    if isinstance(tree, (list, tuple)):
        return type(tree)([map_refs(x, of) for x in tree])
    if isinstance(tree, dict):
        return {k: map_refs(v, of) for k, v in tree.items()}
    return tree


# --- JSON ---


def plain_of(x: Any) -> Any:
    """An argument as what json.dump writes."""
    if isinstance(x, Ref):
        return {"ref": x.name}
    if isinstance(x, DTypeName):
        return {"dtype": str(x)}
    if isinstance(x, slice):
        return {"slice": [plain_of(x.start), plain_of(x.stop), plain_of(x.step)]}
    if isinstance(x, float) and not abs(x) < float("inf"):
        return {"float": repr(x)}
    if isinstance(x, (list, tuple)):
        return [plain_of(y) for y in x]
    if isinstance(x, dict):
        return {k: plain_of(y) for k, y in x.items()}
    return x


def value_of(x: Any) -> Any:
    """What plain_of was made of."""
    if isinstance(x, list):
        return [value_of(y) for y in x]
    if not isinstance(x, dict):
        return x
    if set(x) == {"ref"}:
        return Ref(x["ref"])
    if set(x) == {"dtype"}:
        return DTypeName(x["dtype"])
    if set(x) == {"slice"}:
        return slice(*value_of(x["slice"]))
    if set(x) == {"float"}:
        return float(x["float"])
    return {k: value_of(y) for k, y in x.items()}


def _elements(x: Any) -> list[Any]:
    whole = x.dtype.is_bool or x.dtype.is_integer
    flat = _core.reshape(x if whole else _core.astype(x, _core.float64), [-1])
    return _t.cast("list[Any]", plain_of(flat.tolist()))


def values_of(x: Any) -> dict[str, Any]:
    """A tensor as plain numbers: dtype, shape, elements in order; of complex ones the two parts."""
    x = _core.asarray(x)
    parts = [_core.real(x), _core.imag(x)] if x.dtype.is_complex else [x]
    return {"dtype": x.dtype.name, "shape": list(x.shape), "values": [_elements(part) for part in parts]}


def tensor_of(plain: dict[str, Any]) -> Any:
    """The tensor of values_of."""
    dtype = getattr(_core, plain["dtype"])
    parts = [_core.reshape(_core.asarray(value_of(v), _part_of(dtype)), plain["shape"]) for v in plain["values"]]
    return _core.complex(*parts) if dtype.is_complex else parts[0]


def _part_of(dtype: Any) -> Any:
    if not dtype.is_complex:
        return dtype
    return _core.float32 if dtype == _core.complex64 else _core.float64


def to_json(graph: Graph) -> dict[str, Any]:
    """The graph as what json.dump writes."""
    return {
        "inputs": graph.inputs,
        "nodes": [
            [n.name, n.target, plain_of(n.args), plain_of(n.kwargs), [list(t) if t else None for t in n.results]]
            for n in graph.nodes
        ],
        "output": plain_of(graph.output),
        "constants": {k: values_of(v) for k, v in graph.constants.items()},
    }


def from_json(plain: dict[str, Any]) -> Graph:
    """The graph of to_json."""
    nodes = [
        Node(
            name,
            target,
            value_of(args),
            {k: value_of(v) for k, v in kwargs.items()},
            [Type(t[0], tuple(t[1])) if t else None for t in results],
        )
        for name, target, args, kwargs, results in plain["nodes"]
    ]
    constants = {k: tensor_of(v) for k, v in plain["constants"].items()}
    return Graph(plain["inputs"], nodes, value_of(plain["output"]), constants)
