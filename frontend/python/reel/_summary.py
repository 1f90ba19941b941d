"""What TensorBoard shows: event files."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import Any

from . import _core
from ._core import Function, Module, TensorSpec

__all__ = ["SummaryWriter"]


class SummaryWriter:
    """Writes what TensorBoard shows: an event file of its own in a folder.

        with reel.SummaryWriter("runs/first") as writer:
            writer.add_scalar("loss", float(loss), step)

    Then `tensorboard --logdir runs`. The file can be read while it is written: only whole records are appended, so a run
    that is killed keeps all that was flushed. Names with slashes are shown in folders.

    `flush_seconds`: records are written at the latest when the next one comes this many seconds after the last write; 0:
    at once. `purge_step`: of a run that goes on from a checkpoint; TensorBoard forgets what earlier files of the folder
    say of this step and later ones. `clock`: seconds since 1970, in place of the system's.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        flush_seconds: float = 2.0,
        purge_step: int | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._writer = _core._SummaryWriter(os.fspath(folder), clock, flush_seconds, purge_step)

    def add_scalar(self, name: str, value: Any, step: int) -> None:
        """One number of a curve: a Python number, or a tensor of one element. NaN and infinities are kept."""
        self._writer.add_scalar(name, float(value), step)

    def add_histogram(self, name: str, values: Any, step: int) -> None:
        """How real numbers or bools of any shape are distributed, in TensorBoard's buckets, each 1.1 times as wide as
        the one before it. NaN and infinities raise a ValueError that says how many there are."""
        self._writer.add_histogram(name, values, step)

    def add_text(self, name: str, text: str, step: int = 0) -> None:
        """Text, shown as Markdown."""
        self._writer.add_text(name, text, step)

    def add_graph(self, graph: Any, *arguments: Any) -> None:
        """A graph, for TensorBoard's page Graphs: a reel.Module, a reel.Function, or anything that can be called with
        these arguments (tensors or TensorSpecs), such as a model or what reel.function made.

        Ops are folded by function, then forward, backward and update (what is computed from gradients), then by the layer
        whose variables they read or else by the line of the program. A folder shows the last graph.
        """
        self._writer.add_graph(graph if isinstance(graph, (Module, Function)) else _traced(graph, arguments))

    def flush(self) -> None:
        """Everything that was added is in the file when it returns."""
        self._writer.flush()

    def close(self) -> None:
        """Flushes and ends the file; a second call does nothing."""
        self._writer.close()

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._writer.path

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _traced(function, arguments):
    if not callable(function):
        raise _core.InvalidTypeError(
            f"add_graph: expected a Module, a Function, or a function and its arguments, not {type(function).__name__}"
        )
    if hasattr(function, "get_graph"):
        return function.get_graph(*arguments)
    name = getattr(function, "__name__", type(function).__name__)
    specs = [x if isinstance(x, TensorSpec) else TensorSpec.from_tensor(x) for x in arguments]
    return _core.trace(function, specs, name if name.isidentifier() else "main")
