"""What the writers of other formats (stablehlo, tensorflow) share."""

from __future__ import annotations as _annotations

import typing as _typing

from . import _core

if _typing.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ._core import Function, Module


def graph_of(
    writer: str, function: Module | Function | Callable[..., Any], args: Sequence[Any] | None
) -> Module | Function:
    """The Module or Function that a writer of another format is given: of a reel.function its graph for `args`."""
    if not hasattr(function, "get_graph"):  # then it is a graph
        if args is not None:
            raise _core.InvalidArgumentError(f"{writer}: args are for a reel.function; a graph has its own")
        return function
    if args is not None:
        return function.get_graph(*args)
    graphs = [program.graph for program in function._programs.values()]
    if len(graphs) == 1:
        return graphs[0]
    raise _core.InvalidArgumentError(
        f"{writer}: {function!r} has {len(graphs)} graphs; pass args=[...], tensors or TensorSpecs, to say which"
    )
