"""Graphs as StableHLO, for XLA (JAX), IREE and what else reads it.

    step = reel.trace(train, [x, labels])     # forward, backward and update
    reel.stablehlo.save(step, "step.mlir")

The file holds one public function, `main`. Its arguments are those of the graph, then the values of the variables that
it touches; its results are those of the graph, then the new values of the variables that it updates. The attribute
`reel.variable` names a variable, `reel.name` another argument or result.

    module = reel.stablehlo.load("step.mlir")  # of Reel, JAX, IREE or PyTorch
    module.function("main")(x, labels)"""

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


def text(
    function: Module | Function | Callable[..., Any],
    args: Sequence[Any] | None = None,
    *,
    entry: str = "",
    dims: Mapping[str, int] | None = None,
    locations: bool = True,
) -> str:
    """A graph, a module's entry point or a reel.function as StableHLO in MLIR's text form.

    Args:
        function: What `reel.trace`, `Recording.lift` or `reel.load` gave, or a `reel.function`.
        args: Tensors or TensorSpecs that say which graph of a reel.function is meant; not needed if it has one.
        entry: The entry point of a module; by default "main" or the only one.
        dims: Numbers for symbolic extents, by name; the others stay `?`.
        locations: Whether operations say the file and line of the Python program.

    Raises:
        reel.UnimplementedError: StableHLO does not have an op; the message names it and its line.
    """
    return _core._stablehlo(_graph_of("stablehlo", function, args), "", entry, dict(dims or {}), locations)  # type: ignore[attr-defined]


def save(
    function: Module | Function | Callable[..., Any],
    path: str | _os.PathLike[str],
    args: Sequence[Any] | None = None,
    *,
    entry: str = "",
    dims: Mapping[str, int] | None = None,
    locations: bool = True,
) -> None:
    """The same in a file, which is whole or as it was."""
    name = _os.fspath(path)
    if not name:
        raise _core.InvalidArgumentError("stablehlo: the path is empty; name a file, such as 'step.mlir'")
    _core._stablehlo(_graph_of("stablehlo", function, args), name, entry, dict(dims or {}), locations)  # type: ignore[attr-defined]


def load(
    path: str | _os.PathLike[str], *, values: Mapping[str, Any] | None = None, budget: _core.Budget | None = None
) -> Module:
    """A StableHLO program in MLIR's text as a module with one entry point: of Reel, JAX, IREE or PyTorch.

    Args:
        path: The file, in MLIR's pretty or generic form.
        values: What variables begin with, by name; the text has no values, and the others begin as zeros.
        budget: What reading may cost.

    Raises:
        reel.UnimplementedError: Reel does not have an operation; the message lists all of them with their lines.
        reel.InvalidArgumentError: The text is wrong; the message says line and column.
    """
    return _core._load_stablehlo(_os.fspath(path), None, {}, dict(values or {}), budget)  # type: ignore[attr-defined]


def from_text(text: str, *, values: Mapping[str, Any] | None = None, budget: _core.Budget | None = None) -> Module:
    """The same of a text."""
    return _core._load_stablehlo("text", text, {}, dict(values or {}), budget)  # type: ignore[attr-defined]


if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.stablehlo")
