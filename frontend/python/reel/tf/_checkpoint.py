"""What tf.train.Checkpoint writes and reads: the values of an object's variables by the names of attributes."""

from __future__ import annotations

import json as _json
import os as _os
import typing as _t
import weakref as _weakref

from .. import _core
from ._convert import cast, to_core
from ._module import Module
from ._tensor import TensorLike, wrap
from ._variable import Variable
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

SUFFIX = ".safetensors"
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"


def is_trackable(x: Any) -> bool:
    """Whether a checkpoint can hold it: variables, modules, optimizers, iterators, lists and dicts of them."""
    return isinstance(x, (Variable, Module, list, tuple, dict)) or any(
        hasattr(x, name) for name in ("_save_state", "_reel_children", "_checkpoint_children", "apply_gradients", "result")
    ) or hasattr(x, "variables") and not callable(x.variables)  # fmt: skip


def children_of(x: Any) -> dict[str, Any]:
    """The trackable parts of an object by name."""
    if hasattr(x, "_checkpoint_children"):
        return dict(x._checkpoint_children())
    if isinstance(x, dict):
        found = [(str(k), v) for k, v in x.items()]
    elif isinstance(x, (list, tuple)):
        found = [(x._fields[i] if hasattr(x, "_fields") else str(i), v) for i, v in enumerate(x)]
    elif isinstance(x, Module):
        hidden = (
            "_name",
            "_reel_methods",
            "_reel_deferred",
            "_inbound",
            "_made",
            "_losses",
            "_compiled",
            "_graph",
            *x._ignored,
        )
        found = [(k, v) for k, v in x.__dict__.items() if k not in hidden]
        if hasattr(x, "layers"):
            found += [(f"layer-{i}", layer) for i, layer in enumerate(x.layers)]
        if getattr(x, "compiled", False):
            found.append(("optimizer", x.optimizer))
    elif hasattr(x, "variables") and not isinstance(x, Variable):
        found = [("_variables", list(x.variables))]
    else:
        found = []
    return {k: v for k, v in found if _holds(v)}


def _holds(v):
    """Whether there is something to save in a value: numbers and functions have nothing."""
    if isinstance(v, (list, tuple, dict)):
        values = v.values() if isinstance(v, dict) else v
        return not getattr(type(v), "_reel_leaf", False) and (not len(v) or any(_holds(x) for x in values))
    return not isinstance(v, (type, str, TensorLike)) and is_trackable(v) or isinstance(v, Variable)


def _escaped(name):
    return name.replace(".", "..").replace("/", ".S")


class Saved:
    """The nodes of an object and all that is in it: each with children by name and, of variables, the name of its value."""

    def __init__(self, root: Any) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.values: dict[str, Any] = {}
        self.objects: list[Any] = []
        ids: dict[int, int] = {}
        waiting = [(root, "")]
        ids[id(root)] = 0
        self.nodes.append({"children": {}})
        self.objects.append(root)
        at = 0
        while at < len(waiting):
            x, path = waiting[at]
            node = self.nodes[ids[id(x)]]
            if isinstance(x, Variable):
                node["value"] = path + VALUE
                self.values[node["value"]] = to_core(x)
            elif hasattr(x, "_save_state"):
                node["value"] = path + "/.ATTRIBUTES/ITERATOR_STATE"
                self.values[node["value"]] = _core.asarray(x._save_state(), _core.int64)
            for name, child in children_of(x).items():
                if id(child) not in ids:
                    ids[id(child)] = len(self.nodes)
                    self.nodes.append({"children": {}})
                    self.objects.append(child)
                    here = f"{path}/{_escaped(name)}" if path else _escaped(name)
                    waiting.append((child, here))
                node["children"][name] = ids[id(child)]
            at += 1


def write(path: str, root: Any) -> None:
    """Writes all values to path.safetensors, whole or not at all."""
    saved = Saved(root)
    text = _json.dumps(saved.nodes).encode()
    values = dict(saved.values)
    values[GRAPH] = _core.asarray(list(text), _core.uint8)
    folder = _os.path.dirname(path)
    if folder:
        _os.makedirs(folder, exist_ok=True)
    _core._write_weights(path + SUFFIX, values)


def read(path: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """(nodes, values by name) of a file. NotFoundError if there is none, DataLossError if it is no checkpoint."""
    if not _os.path.exists(path + SUFFIX):
        raise _core.NotFoundError(
            f"Unsuccessful restore: Failed to find any matching files for {path}: there is no {path + SUFFIX}"
        )
    values = _core._read_weights(path + SUFFIX)
    if GRAPH not in values:
        raise _core.DataLossError(f"{path + SUFFIX} is no checkpoint of tf.train.Checkpoint: it has no {GRAPH}")
    try:
        nodes = _json.loads(bytes(values.pop(GRAPH).tolist()).decode())
        for node in nodes:
            assert all(isinstance(i, int) and 0 <= i < len(nodes) for i in node["children"].values())
            assert node.get("value") is None or node["value"] in values
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise _core.DataLossError(f"{path + SUFFIX}: the graph of objects in it is damaged") from None
    return nodes, values


class Restoring:
    """A file that is being restored: values are assigned as soon as there is a variable for them."""

    def __init__(self, path: str, nodes: list[dict[str, Any]], values: dict[str, Any]) -> None:
        self.path, self.nodes, self.values = path, nodes, values
        self.objects: dict[int, Any] = {}  # node -> what it was matched with
        self.root: Any = None

    def match(self, number: int, x: Any) -> None:
        """Assigns node's value, and those of its children, to an object; children that are not there yet follow."""
        waiting = [(number, x)]
        while waiting:
            number, x = waiting.pop(0)
            known = self.objects.get(number)
            if known is not None and known is not x and not isinstance(x, (list, tuple, dict)):
                continue
            first = known is None
            self.objects[number] = x
            node = self.nodes[number]
            if first and "value" in node:
                self._assign(node["value"], x)
            children = children_of(x)
            for name, child in node["children"].items():
                if name in children:
                    if self.objects.get(child) is not children[name]:
                        waiting.append((child, children[name]))
            self._defer(number, x)

    def _assign(self, name, x):
        value = self.values[name]
        if hasattr(x, "_load_state"):
            x._load_state([int(n) for n in value.tolist()])
        elif isinstance(x, Variable):
            if tuple(value.shape) != tuple(x.shape):
                raise ConversionError(
                    f"Received incompatible tensor with shape {tuple(value.shape)} when attempting to restore variable with "
                    f"shape {tuple(x.shape)} and name {x.name} from {self.path} ({name})."
                )
            value = wrap(value)
            x.assign(value if value.dtype is x.dtype else cast(value, x.dtype))

    def _defer(self, number, x):
        """Is told of attributes that are set later."""
        if isinstance(x, (Module,)) or hasattr(x, "_checkpoint_children"):
            x.__dict__.setdefault("_reel_deferred", [])
            if (number, self) not in x.__dict__["_reel_deferred"]:
                x.__dict__["_reel_deferred"].append((number, self))
        elif hasattr(x, "variables") and hasattr(x, "apply_gradients"):
            self._defer_optimizer(number, x)

    def _defer_optimizer(self, number, optimizer):
        """Slots of an optimizer that is not built yet: they get their values when it is."""
        children = self.nodes[number]["children"]
        if all(self.objects.get(i) is not None for i in children.values()) or "build" in optimizer.__dict__:
            return
        build, reference = optimizer.build, _weakref.ref(optimizer)

        def built(variables):
            result = build(variables)
            optimizer = reference()
            optimizer.__dict__.pop("build", None)
            self.match(number, optimizer)
            return result

        optimizer.__dict__["build"] = built

    # What is asked of a status.

    def again(self) -> None:
        """Looks for objects that are there by now: in lists and dicts, and slots of optimizers."""
        if self.root is not None:
            for number, x in list(self.objects.items()):
                self.match(number, x)

    def unmatched_values(self) -> list[str]:
        """Names of values that no object took."""
        return [n["value"] for i, n in enumerate(self.nodes) if "value" in n and i not in self.objects]

    def unmatched_objects(self) -> list[str]:
        """Variables of the root that the file has no value for."""
        mine = {id(x) for x in self.objects.values()}
        saved = Saved(self.root)
        return [x.name for x in saved.objects if isinstance(x, Variable) and id(x) not in mine]


class RestoredList(list):
    """A list that a checkpoint has values for: what is appended gets its value."""

    __slots__ = ("_restoring", "_node")

    def _restore(self):
        self._restoring.match(self._node, self)

    def append(self, value: Any) -> None:
        list.append(self, value)
        self._restore()

    def extend(self, values: Any) -> None:
        list.extend(self, values)
        self._restore()

    def __iadd__(self, values: Any) -> RestoredList:
        self.extend(values)
        return self


def tracked(owner: Any, name: str, value: Any) -> Any:
    """The value of an attribute that is set now: a list that a checkpoint restored before has values for is one that asks."""
    if type(value) is not list or name.startswith("_"):
        return value
    for number, restoring in owner.__dict__.get("_reel_deferred", ()):
        child = restoring.nodes[number]["children"].get(name)
        if child is not None:
            out = RestoredList(value)
            out._restoring, out._node = restoring, child
            return out
    return value


def attribute_was_set(owner: Any, name: str, value: Any) -> None:
    """An attribute of an object that a checkpoint was restored to before."""
    if name.startswith("_reel"):
        return
    for number, restoring in list(owner.__dict__.get("_reel_deferred", ())):
        child = restoring.nodes[number]["children"].get(name)
        if child is not None and _holds(value) and restoring.objects.get(child) is None:
            restoring.match(child, value)
        elif child is not None and isinstance(value, (list, tuple, dict)):
            restoring.match(child, value)
