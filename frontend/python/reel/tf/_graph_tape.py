"""What tf.GradientTape is inside of a tf.Graph of version 1: it knows which operations it has seen."""

from __future__ import annotations

import typing as _t
from contextlib import contextmanager as _contextmanager

from .. import _core
from . import _array
from ._graph_tensor import GraphTensor, GraphVariable, Node, leaves_of
from ._text import StringTensor
from .errors import ConversionError, StateError

if _t.TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class GraphTape:
    """The tape of GradientTape, with the methods of the core's.

    A gradient is that of tf.gradients, where what the tape has not seen counts as constant.
    """

    def __init__(self, graph: Any, persistent: bool, watch_accessed_variables: bool) -> None:
        self.graph, self.persistent, self.accesses = graph, persistent, watch_accessed_variables
        self.used, self.first = False, None
        self.reset()

    def __enter__(self) -> GraphTape:
        self.first = len(self.graph.nodes)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if self.first is not None:
            self.spans.append((self.first, len(self.graph.nodes)))
            self.first = None

    def reset(self) -> None:
        self.spans, self.watched = [], {}  # from and up to which operations; tensor -> the first operation that counts
        if self.first is not None:
            self.first = len(self.graph.nodes)

    def watch(self, tensors: list[Any]) -> None:
        for x in tensors:
            if not isinstance(x, GraphTensor):
                raise ConversionError(
                    f"watch: {x!r} is not of the graph that is built; make it inside `with graph.as_default():`"
                )
            self.watched.setdefault(x, len(self.graph.nodes))

    @_contextmanager
    def stop_recording(self) -> Iterator[None]:
        self.__exit__(None, None, None)
        try:
            yield
        finally:
            self.__enter__()

    def watched_variables(self) -> tuple[Any, ...]:
        """Those that were watched, or read by what the tape has seen."""
        seen = {x for n in self.graph.nodes if self._saw(n) for x in _inputs(n) if self._accessed(x)}
        found = seen | {x for x in self.watched if isinstance(x, GraphVariable)}
        return tuple(sorted(found, key=lambda x: x.node.id))

    def gradient(self, targets: list[Any], sources: list[Any], seeds: Any, unconnected: str) -> list[Any]:
        """A gradient for each source, as GradientTape.gradient."""
        self._use("gradient")
        seeds = [None] * len(targets) if seeds is None else seeds
        active = self._active()
        pairs = [(y, g) for y, g in zip(targets, seeds) if y in active and _has_gradient(y)]
        return self._gradients([y for y, _ in pairs], sources, [g for _, g in pairs], unconnected, active)

    def jacobian(self, target: Any, sources: list[Any], unconnected: str, parallel: Any, pfor: bool) -> list[Any]:
        """As GradientTape.jacobian, row by row; ValueError if the target's shape is not known."""
        self._use("jacobian")
        size = target.shape.num_elements()
        if size is None:
            raise ConversionError(f"jacobian: the shape of {target} must be known while its graph is built")
        ys = self._parts(lambda: _array.reshape(target, [-1]), lambda flat: [flat[i] for i in range(size)])
        active = self._active()
        rows = [self._gradients([y], sources, None, unconnected, active, target) for y in ys]
        shape = target.shape.as_list()
        return [
            None if column[0] is None else _array.reshape(_array.stack(column), shape + column[0].shape.as_list())
            for column in map(list, zip(*rows))
        ]

    def batch_jacobian(self, target: Any, source: Any, unconnected: str, parallel: Any, pfor: bool) -> Any:
        """As GradientTape.batch_jacobian: of the sums over the batch, one for each element of an example."""
        self._use("batch_jacobian")
        if target.shape.rank is None or target.shape.rank < 2 or not target.shape[1:].is_fully_defined():
            raise ConversionError(f"batch_jacobian: {target} must have a known shape of at least two axes")
        extents, size = target.shape.as_list()[1:], target.shape[1:].num_elements()
        ys = self._parts(lambda: _array.reshape(target, [-1, size]), lambda flat: [flat[:, j] for j in range(size)])
        active = self._active()
        rows = [self._gradients([y], [source], None, "zero", active, target)[0] for y in ys]
        stacked = _array.stack(rows, axis=1)
        return _array.reshape(stacked, [-1] + extents + source.shape.as_list()[1:])

    def _parts(self, whole, split):
        """What a Jacobian makes of its target, which counts as seen."""
        first = len(self.graph.nodes)
        parts = split(whole())
        self.spans.append((first, len(self.graph.nodes)))
        return parts

    def _use(self, what):
        if self.used and not self.persistent:
            raise StateError(
                f"{what}: A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians); "
                "make it with persistent=True for more"
            )
        self.used = True
        if not self.persistent:
            self.__exit__(None, None, None)

    def _gradients(self, ys, sources, seeds, unconnected, active, target=None):
        connected = [x for x in sources if x in active] if ys and (target is None or target in active) else []
        stops = self._unseen(connected, active)
        found = iter(
            self.graph.gradients(ys, connected, seeds, stop_gradients=stops or None, unconnected_gradients=unconnected)
            if connected
            else ()
        )
        none = _array.zeros_like if unconnected == "zero" else lambda x: None
        return [next(found) if any(x is y for y in connected) else none(x) for x in sources]

    # What the tape has seen.
    def _saw(self, node):
        if node.type == "ReadVariableOp":
            return True
        if self.first is not None and node.id >= self.first:
            return True
        return any(first <= node.id < last for first, last in self.spans)

    def _accessed(self, x):
        return self.accesses and isinstance(x, GraphVariable) and x.trainable

    def _active(self):
        """What a gradient can be of: what is watched, and what was computed of it."""
        since = {x: 0 for n in self.graph.nodes if n.role == "variable" for x in n.outputs if self._accessed(x)}
        since = {**self.watched, **since}
        found = set(since)
        for n in self.graph.nodes:
            if self._saw(n) and any(x in found and since.get(x, 0) <= n.id for x in _inputs(n)):
                found.update(n.outputs)
        return found

    def _unseen(self, sources, active):
        """What depends on a source by operations that the tape has not followed."""
        below: set[Node] = {x.node for x in sources}
        stops: list[Any] = []
        for n in self.graph.nodes:
            if n in below or not any(m in below for m in n.before()):
                continue
            below.add(n)
            if self.graph.inside[: len(n.inside)] == n.inside:  # not of the body of a loop or branch
                stops += [x for x in n.outputs if x not in active]
        return stops


def _inputs(node):
    return [x for x in leaves_of([list(node.args), node.kwargs]) if isinstance(x, GraphTensor)] + list(node.captured)


def _has_gradient(x):
    return not isinstance(x, StringTensor) and (x.dtype.is_floating or x.dtype.is_complex)
