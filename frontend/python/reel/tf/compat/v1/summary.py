"""tf.compat.v1.summary: operations whose results FileWriter writes as TensorBoard files."""

from __future__ import annotations as _annotations

import typing as _t

from ...._summary import SummaryWriter as _SummaryWriter
from ... import dtypes as _dtypes
from ..._graph_tensor import GraphTensor as _GraphTensor
from ..._graph_tensor import Node as _Node
from ..._trace import state as _state
from ...errors import ConversionError as _ConversionError
from ._table import shared as _shared
from ._variables import graph_now as _graph_now

if _t.TYPE_CHECKING:
    from typing import Any


class Summary:
    """Values by tag: what a summary operation gives. (TensorFlow gives its bytes; only add_summary takes it here.)"""

    class Value:
        """A tag with a scalar (simple_value) or the array of a histogram."""

        def __init__(self, tag: str = "", simple_value: Any = None, histogram: Any = None) -> None:
            self.tag, self.simple_value, self.histogram = tag, simple_value, histogram

        def __repr__(self) -> str:
            return f"Value(tag={self.tag!r}, simple_value={self.simple_value!r})"

    def __init__(self, value: Any = ()) -> None:
        self.value = list(value)

    def __repr__(self) -> str:
        return f"Summary(value={self.value!r})"


def _operation(kind, name, tensors, run, collections, family):
    graph = _graph_now(f"summary.{kind}")
    tensors = [x if isinstance(x, _GraphTensor) else graph.convert(x) for x in tensors]
    with graph.name_scope(family or ""):
        tag = graph.unique_name(name.replace(" ", "_"))
    node = _Node(graph, tag + "/", kind, lambda session, *values: [run(tag, *values)], tensors, role="host")
    out = node.add_output(_dtypes.float32, ())
    graph.add_to_collections(["summaries"] if collections is None else list(collections), out)
    return out


def _skipped():
    return _state.graph is None


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Any:
    """An operation that notes a number."""
    if _skipped():
        return None
    return _operation(
        "ScalarSummary",
        name,
        [tensor],
        lambda tag, x: Summary([Summary.Value(tag, float(x.numpy()))]),
        collections,
        family,
    )


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Any:
    """An operation that notes how numbers are distributed."""
    if _skipped():
        return None
    return _operation(
        "HistogramSummary",
        name,
        [values],
        lambda tag, x: Summary([Summary.Value(tag, histogram=x.numpy())]),
        collections,
        family,
    )


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """One operation of several."""
    graph = _graph_now("summary.merge")
    listed = list(inputs)
    node = _Node(
        graph,
        name or "Merge/MergeSummary",
        "MergeSummary",
        lambda session, *parts: [Summary([v for part in parts for v in part.value])],
        listed,
        role="host",
    )
    out = node.add_output(_dtypes.float32, ())
    if collections:
        graph.add_to_collections(list(collections), out)
    return out


def merge_all(key: str = "summaries", scope: str | None = None, name: str | None = None) -> Any:
    """merge of all summaries of the graph; None if there are none."""
    found = _graph_now("summary.merge_all").get_collection(key, scope)
    return merge(found, name=name) if found else None


def _refused(kind):
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise _ConversionError(f"tf.compat.v1.summary.{kind} is not here: scalar and histogram are")

    refuse.__name__ = refuse.__qualname__ = kind
    refuse.__doc__ = "Not here."
    return refuse


text, tensor_summary = _refused("text"), _refused("tensor_summary")


class FileWriter:
    """Writes summaries into a TensorBoard file of a folder. The graph is not written."""

    def __init__(
        self,
        logdir: str,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        self._folder, self._seconds = str(logdir), flush_secs
        self._writer: Any = _SummaryWriter(self._folder, flush_seconds=flush_secs)

    def get_logdir(self) -> str:
        """The folder."""
        return self._folder

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes what a summary operation gave, at a step."""
        if not isinstance(summary, Summary):
            raise _ConversionError(f"add_summary takes what a summary operation gave, not {type(summary).__name__}")
        if self._writer is None:
            self.reopen()
        step = 0 if global_step is None else int(global_step)
        for v in summary.value:
            if v.histogram is not None:
                self._writer.add_histogram(v.tag, v.histogram, step)
            else:
                self._writer.add_scalar(v.tag, float(v.simple_value), step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Does nothing: graphs are not written."""

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Does nothing."""

    def flush(self) -> None:
        """Writes what is kept."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Writes what is kept and closes the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def reopen(self) -> None:
        """A new file, after close()."""
        if self._writer is None:
            self._writer = _SummaryWriter(self._folder, flush_seconds=self._seconds)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


__getattr__, __dir__ = _shared("summary", globals())
