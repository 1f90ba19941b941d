"""Graphs of torch.fx in the form of _nodes."""

from __future__ import annotations

import operator as _operator
import re as _re
import typing as _t

import torch as _torch

from .. import _core
from ._nodes import DTypeName, Graph, Node, Ref, Type

if _t.TYPE_CHECKING:
    from typing import Any

    from .._core import Tensor


def shared(x: _torch.Tensor) -> Tensor:
    """A tensor of PyTorch's as one of Reel's: the same memory, if it is row-major."""
    return _core.from_dlpack(x.detach().resolve_conj().resolve_neg().cpu().contiguous())


def name_of(target: Any) -> str:
    """The name of what a node calls: "aten.add.Tensor", "getitem", "python.mul"."""
    if isinstance(target, _torch._ops.OpOverload):
        return str(target)
    if target is _operator.getitem:
        return "getitem"
    name = getattr(target, "__name__", None) or str(target)
    module = getattr(target, "__module__", "") or ""
    if module in ("_operator", "math", "builtins") or name.startswith(("sym_", "_sym_")):
        return "python." + name
    return f"{module}.{name}" if module else name


def dtype_name(dtype: _torch.dtype) -> DTypeName:
    """ "float32" of torch.float32."""
    return DTypeName(str(dtype).removeprefix("torch."))


def type_of(x: Any) -> Type | None:
    """The type of a tensor, FakeTensors too; None of what is none."""
    if not isinstance(x, _torch.Tensor):
        return None
    return Type(dtype_name(x.dtype), tuple(n if isinstance(n, int) else None for n in x.shape))


def _argument(x: Any) -> Any:
    if isinstance(x, _torch.fx.Node):
        return Ref(x.name)
    if isinstance(x, _torch.dtype):
        return dtype_name(x)
    if isinstance(x, slice):
        return slice(_argument(x.start), _argument(x.stop), _argument(x.step))
    if isinstance(x, (list, tuple)):
        return [_argument(y) for y in x]
    if isinstance(x, dict):
        return {k: _argument(v) for k, v in x.items()}
    if isinstance(x, (_torch.device, _torch.layout, _torch.memory_format)):
        return str(x)
    return x


def where_of(node: _torch.fx.Node) -> str:
    """The user's line that a node comes from: the innermost one outside of PyTorch."""
    frames = _re.findall(r'File "([^"]+)", line (\d+)', node.stack_trace or "")
    own = [f for f in frames if "/torch/" not in f[0]] or frames
    return f"{own[-1][0]}:{own[-1][1]}" if own else ""


def _results(node: _torch.fx.Node) -> list[Type | None]:
    value = node.meta.get("val")
    return [type_of(v) for v in value] if isinstance(value, (list, tuple)) else [type_of(value)]


def node_of(node: _torch.fx.Node) -> Node:
    """A call in the form of _nodes."""
    return Node(
        name=node.name,
        target=name_of(node.target),
        args=[_argument(x) for x in node.args],
        kwargs={k: _argument(v) for k, v in node.kwargs.items()},
        results=_results(node),
        where=where_of(node),
    )


def graph_of(module: _torch.fx.GraphModule, tensor: _t.Callable[[_torch.Tensor], Any]) -> Graph:
    """The graph of a module of ATen operators; `tensor` makes Reel's tensors of the constants in it."""
    graph = Graph([], [], None)
    for node in module.graph.nodes:
        if node.op == "placeholder":
            graph.inputs.append(node.name)
            kind = type_of(node.meta.get("val"))
            if kind is not None:
                graph.types[node.name] = kind
        elif node.op == "get_attr":
            value = _operator.attrgetter(node.target)(module)
            graph.constants[node.name] = tensor(value) if isinstance(value, _torch.Tensor) else value
        elif node.op == "output":
            graph.output = _argument(node.args[0])
        else:
            graph.nodes.append(node_of(node))
    return graph
