"""Runs a graph of PyTorch's operators by Reel's functions: at once, in a trace, under tapes."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import (  # noqa: F401  (each _aten fills the table)
    _aten_convolution,
    _aten_elementwise,
    _aten_foreach,
    _aten_indexing,
    _aten_linear,
    _aten_normalization,
    _aten_random,
    _aten_recurrent,
    _aten_reductions,
    _aten_sample,
    _aten_shape,
    _layout,
)
from ._nodes import DTypeName, Graph, Node, Ref, Type, map_refs
from ._table import TABLE, Row, cast, dtype_of

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

# What says where and how elements lie, which Reel decides.
_OF_STORAGE = frozenset(["layout", "device", "pin_memory", "memory_format", "non_blocking", "requires_grad"])


def missing(nodes: Iterable[Node], traced: bool = False) -> list[str]:
    """What Reel has no row or dtype for, one line each with the user's source line; `traced`: nor in a trace."""
    lines = []
    for node in nodes:
        at = f" ({node.where})" if node.where else ""
        if node.target not in TABLE:
            lines.append(f"{node.target}: Reel has no such op{at}")
        elif traced and TABLE[node.target].eager:
            lines.append(f"{node.target}: its result depends on values, which a compiled program does not know{at}")
        for result in node.results:
            if result is not None and dtype_of(result.dtype) is None:
                lines.append(f"{node.target}: Reel has no dtype {result.dtype}{at}")
    return list(dict.fromkeys(lines))


def require(graph: Graph, who: str) -> None:
    """One error that lists all that `missing` finds."""
    lines = missing(graph.nodes)
    if lines:
        raise _core.UnimplementedError(
            f"{who}: {len(lines)} of the model's ops cannot be translated:\n  " + "\n  ".join(lines)
        )


def _value(x: Any) -> Any:
    """An argument without what is PyTorch's alone."""
    if isinstance(x, DTypeName):
        dtype = dtype_of(x)
        if dtype is None:
            raise _core.InvalidTypeError(f"from_torch: Reel has no dtype {x}")
        return dtype
    if isinstance(x, (list, tuple)):
        return [_value(y) for y in x]
    return x


def _promoted(args: Sequence[Any], results: Sequence[Type | None]) -> list[Any]:
    """The arguments with all tensors in the dtype of the result."""
    dtype = dtype_of(results[0].dtype) if results and results[0] is not None else None
    if dtype is None:
        return list(args)
    return [cast(x, dtype) if isinstance(x, _core.Tensor) else x for x in args]


def _as_promised(value: Any, result: Type | None) -> Any:
    """A result in the dtype that PyTorch gives it."""
    if result is None or not isinstance(value, _core.Tensor):
        return value
    dtype = dtype_of(result.dtype)
    return value if dtype is None else cast(value, dtype)


def _call(row: Row, node: Node, values: dict[str, Any], layouts: bool) -> Any:
    def look(tree: Any) -> Any:
        return _value(map_refs(tree, lambda ref: values[ref.name]))

    kwargs = {k: _layout.first(look(v)) for k, v in node.kwargs.items() if k not in _OF_STORAGE}
    if row.results:
        kwargs["results"] = node.results

    def compute(args: Sequence[Any]) -> Any:
        value = row.function(*(_promoted(args, node.results) if row.promote else args), **kwargs)
        if isinstance(value, (tuple, list)) and len(node.results) > 1:
            return tuple(map(_as_promised, value, node.results))
        return _as_promised(value, node.results[0]) if len(node.results) == 1 else value

    args = look(node.args)
    return _layout.call(node.target, compute, args) if layouts else compute(args)


def run(graph: Graph, arguments: Sequence[Any], layouts: bool = False) -> Any:
    """The output of a graph for its inputs: a tree with tensors for Refs.

    `layouts`: images are stored with channels last between ops that allow it. Errors name the op, the arguments' types and the user's source line.
    """
    return _layout.first(stored(graph, arguments, layouts))


def stored(graph: Graph, arguments: Sequence[Any], layouts: bool = True) -> Any:
    """As run, but values may be ChannelsLast, among the arguments too."""
    values: dict[str, Any] = dict(zip(graph.inputs, arguments))
    values.update(graph.constants)
    for node, dead in zip(graph.nodes, graph.last_uses()):
        try:
            values[node.name] = _call(TABLE[node.target], node, values, layouts)
        except _core.Error as e:
            raise type(e)(f"{_place(node, values)}: {e}") from None
        for name in dead:
            values.pop(name, None)
    return map_refs(graph.output, lambda ref: values[ref.name])


def _place(node: Node, values: dict[str, Any]) -> str:
    def text(x: Any) -> str:
        x = _layout.first(values.get(x.name)) if isinstance(x, Ref) else x
        return f"{x.dtype.name}{list(x.shape)}" if isinstance(x, _core.Tensor) else repr(x)

    return f"{node.target}({', '.join(map(text, node.args))})" + (f" at {node.where}" if node.where else "")
