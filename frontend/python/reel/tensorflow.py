"""Graphs as TensorFlow's, for what reads a GraphDef.

    step = reel.trace(train, [x, labels])     # forward, backward and update
    reel.tensorflow.save(step, "step.pb")

The arguments are Placeholder nodes of their names, the results Identity nodes. A variable that the graph only reads is
a constant; one that it updates is a PlaceholderWithDefault `w`, and a result `w_next`. The attributes `_reel_input` and
`_reel_output` number inputs and results, `_reel_variable` names a variable."""

from __future__ import annotations as _annotations

import os as _os
import typing as _typing

from . import _core
from ._graphs import graph_of as _graph_of
from ._mistakes import missing as _missing

if _typing.TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ._core import Function, Module


def save(
    function: Module | Function | Callable[..., Any],
    path: str | _os.PathLike[str],
    args: Sequence[Any] | None = None,
    *,
    entry: str = "",
    dims: Mapping[str, int] | None = None,
) -> None:
    """A graph, a module's entry point or a reel.function as a frozen GraphDef, the file whole or as it was.

    Args:
        function: What `reel.trace`, `Recording.lift` or `reel.load` gave, or a `reel.function`.
        path: The file, such as "step.pb".
        args: Tensors or TensorSpecs that say which graph of a reel.function is meant; not needed if it has one.
        entry: The entry point of a module; by default "main" or the only one.
        dims: Numbers for symbolic extents, by name; the others stay open.

    Raises:
        reel.UnimplementedError: TensorFlow does not have an op; the message names it and its line.
    """
    name = _os.fspath(path)
    if not name:
        raise _core.InvalidArgumentError("tensorflow: the path is empty; name a file, such as 'step.pb'")
    graph = _graph_of("tensorflow", function, args)
    _core._save_graph_def(graph, name, entry, dict(dims or {}))  # type: ignore[attr-defined]


if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.tensorflow")
