"""Graphs as TensorFlow's: SavedModel folders that train on there, and frozen GraphDefs.

    module = reel.Module.lift({"train": train, "predict": (model, [x])})
    reel.tensorflow.save(module, "step")      # tf.saved_model.load("step").signatures["train"](x=x, labels=labels)
    reel.tensorflow.save(module, "predict.pb", entry="predict")

In a SavedModel every entry point is a signature and a function, on variables in a checkpoint. In a GraphDef the arguments
are Placeholder nodes of their names, the results Identity nodes; a variable that the graph only reads is a constant, one
that it updates is a PlaceholderWithDefault `w`, and a result `w_next`. The attributes `_reel_input` and `_reel_output`
number inputs and results, `_reel_variable` names a variable."""

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
    """A graph, a module or a reel.function as a SavedModel, or as a frozen GraphDef; whole, or all is as it was.

    Args:
        function: What `reel.trace`, `Recording.lift` or `reel.load` gave, or a `reel.function`.
        path: A folder for a SavedModel, which is new, empty or a SavedModel; a file such as "step.pb" for a GraphDef.
        args: Tensors or TensorSpecs that say which graph of a reel.function is meant; not needed if it has one.
        entry: The entry point of a module; by default all of them, in a GraphDef "main" or the only one.
        dims: Numbers for symbolic extents, by name; the others stay open.

    Raises:
        reel.FailedPreconditionError: The folder is there and holds something else.
        reel.UnimplementedError: TensorFlow does not have an op; the message names it and its line.
    """
    name = _os.fspath(path)
    if not name:
        raise _core.InvalidArgumentError("tensorflow: the path is empty; name a folder, or a file such as 'step.pb'")
    graph = _graph_of("tensorflow", function, args)
    _core._save_tensorflow(graph, name, entry, dict(dims or {}), not name.endswith(".pb"))  # type: ignore[attr-defined]


if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.tensorflow")
