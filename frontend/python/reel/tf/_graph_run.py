"""Evaluates nodes of a tf.Graph: on values, or in a trace, from which a program is compiled."""

from __future__ import annotations

import contextlib as _contextlib
import typing as _t

from .. import _core
from . import _array, _graph_probe, _registered, dtypes, math, nest
from ._convert import to_core
from ._graph_tensor import GraphTensor, GraphVariable, Node, Ref, Sub, leaves_of, rebuild, slots_of
from ._slices import IndexedSlices
from ._tape import GradientTape
from ._tensor import TensorLike, wrap
from .errors import FailedPreconditionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class UninitializedError(FailedPreconditionError):
    """A variable has no value in the session yet."""


class NotFedError(InvalidArgumentError):
    """A placeholder is not fed."""


def uninitialized(variable: GraphVariable) -> UninitializedError:
    """The error of a variable without a value."""
    name = variable.node.name
    return UninitializedError(
        f"Attempting to use uninitialized value {name}: could not find variable {name} in this session; run its "
        "initializer, or tf.compat.v1.global_variables_initializer(), first"
    )


def needed_by(nodes: Iterable[Node], feed: Any = (), done: Any = ()) -> list[Node]:
    """All nodes that must run for these, in order; what is fed needs nothing."""
    needed, todo = set(), list(nodes)
    while todo:
        n = todo.pop()
        if n in needed or n in done:
            continue
        if feed and n.outputs and all(x in feed for x in n.outputs):
            continue
        needed.add(n)
        todo += n.before()
        if n.role == "gradients":
            todo += [x.node for x in n.special["stops"]]
    return sorted(needed, key=lambda n: n.id)


def _differentiated(nodes):
    """The gradients that others are computed of."""
    out = set()
    for n in needed_by(nodes):
        if n.role == "gradients" and n not in out:
            out.update(m for m in needed_by([y.node for y in n.special["ys"]]) if m.role == "gradients")
    return out


class Runner:
    """Evaluates nodes, each once, under a tape that follows what gradients are asked by.

    session: has the live variables; without one nothing is assigned, and variables are those of probes.
    """

    def __init__(self, graph: Any, feed: dict[GraphTensor, Any], session: Any = None) -> None:
        self.graph, self.session, self.done = graph, session, {}
        self.given, self.needs = set(), set()
        self.tape = None
        if graph.differentiated:
            self.tape = GradientTape(persistent=True, watch_accessed_variables=False)
        self.given_feed = feed

    def run(self, nodes: Iterable[Node], then: Callable[[], Any]) -> Any:
        """Evaluates the nodes; what a function returns afterwards."""
        with _graph_probe.Running(self), self.tape or _contextlib.nullcontext():
            self.feed = {x: self._watched(x, value) for x, value in self.given_feed.items()}
            self.kept = _differentiated(nodes) if self.tape else set()
            self.evaluate_all(nodes, self.done)
            return then()

    def evaluate_all(self, nodes: Iterable[Node], done: dict[Node, Any], stopped: Any = ()) -> None:
        for n in needed_by(nodes, self.feed, done):
            result = self.evaluate(n, done)
            if n in stopped:
                result = [_array.stop_gradient(x) for x in result]
            done[n] = [self._watched(x, value) for x, value in zip(n.outputs, result)]

    def _watched(self, x, value):
        if self.tape is None or x not in self.graph.sources or isinstance(x, GraphVariable):
            return value
        if not (x.dtype.is_floating or x.dtype.is_complex):
            return value
        value = wrap(_core.identity(value._core_value()))
        self.tape.watch(value)
        return value

    def pick(self, x: GraphTensor, done: dict[Node, Any]) -> Any:
        """The value of a graph tensor: what was fed, what a variable is now, or what its node returned."""
        if x in self.feed:
            return self.feed[x]
        if isinstance(x, GraphVariable):
            return self.read(x)
        return done[x.node][x.index or 0]

    def value_of(self, x: GraphTensor) -> Any:
        """The value for a function that has the graph tensor from outside."""
        if x.graph is not self.graph:
            raise InvalidArgumentError(f"{x} is of another graph than what runs")
        if x.node not in self.done and x not in self.feed:
            self.evaluate_all([x.node], self.done)
        return self.pick(x, self.done)

    # Variables.
    def live(self, variable: GraphVariable) -> Any:
        return _graph_probe.prototype(variable) if self.session is None else self.session.live(variable)

    def read(self, variable: GraphVariable) -> Any:
        self.check(variable)
        return self.live(variable).value()

    def check(self, variable: GraphVariable) -> None:
        """FailedPreconditionError for a variable that has no value yet."""
        if self.session is None or variable in self.given:
            return
        self.needs.add(variable)
        if variable not in self.session.initialized:
            raise uninitialized(variable)

    # Nodes.
    def evaluate(self, node: Node, done: dict[Node, Any]) -> list[Any]:
        """What the outputs of a node are."""
        if node.role == "call" and node.function is None:
            return []
        if node.known:
            return [x.static for x in node.outputs]
        if node.role in ("placeholder", "parameter"):
            x = node.outputs[0]
            if x in self.feed:
                return [self.feed[x]]
            raise NotFedError(
                f"You must feed a value for placeholder tensor '{node.name}' with dtype {x.dtype.type_name}"
                + ("" if x.shape.rank is None else f" and shape {x.shape}")
            )
        if node.role == "variable":
            if self.tape is not None and node.outputs[0] in self.graph.sources:
                self.tape.watch(self.live(node.outputs[0]))
            return [None]
        if node.role == "gradients":
            return self.differentiate(node, done)
        if node.role == "host" and self.session is None:
            if any(x.dtype is dtypes.string for x in node.outputs):
                return [x.static for x in node.outputs]
            return [wrap(_core.zeros(_graph_probe.concrete(x.shape, 2, 1), dtype=x.dtype.core)) for x in node.outputs]
        if node.role == "assign":
            return self._assign(node, done)
        args, kwargs = self._arguments(node, done)
        if node.role == "host":
            return node.function(self.session, *args)
        function = node.function if node.override is None else _registered.overridden(node, self)
        return slots_of(function(*args, **kwargs))[1]

    def _arguments(self, node, done):
        def take(x):
            if isinstance(x, Ref):
                return x.variable if node.role == "host" else self.live(x.variable)
            return self.sub(x, done) if isinstance(x, Sub) else self.pick(x, done)

        return rebuild(take, list(node.args)), rebuild(take, node.kwargs)

    def _assign(self, node, done):
        changed = [x.variable for x in leaves_of(list(node.args)) if isinstance(x, Ref)]
        if self.session is None:
            return [wrap(_core.zeros(_graph_probe.concrete(x.shape, 2, 1), dtype=x.dtype.core)) for x in node.outputs]
        if not node.first:
            for variable in changed:
                self.check(variable)
        args, kwargs = self._arguments(node, done)
        result = node.function(*args, **kwargs)
        self.given.update(changed)
        if not node.outputs:
            return []
        return (
            [self.live(changed[0]).value() if result is None else result] if not isinstance(result, tuple) else result
        )

    def sub(self, sub: Sub, done: dict[Node, Any]) -> Callable[..., Any]:
        """A function of nodes, as one of tensors."""

        def call(*values):
            inner = dict(done)
            for x, value in zip(sub.parameters, nest.flatten(list(values))):
                inner[x.node] = [self._watched(x, value)]
            outer, self.done = self.done, inner
            try:
                self.evaluate_all([x.node if isinstance(x, GraphTensor) else x for x in sub.results], inner)
                results = [
                    self.pick(x, inner) if isinstance(x, GraphTensor) else wrap(_core.zeros(())) for x in sub.results
                ]
            finally:
                self.done = outer
            return nest.pack_sequence_as(sub.structure, results)

        return call

    def differentiate(self, node: Node, done: dict[Node, Any]) -> list[Any]:
        """Gradients, by the tape; with stop_gradients, of what is computed again from the stopped values."""
        what = node.special
        found = self.gradients(node, done)
        out = []
        for x, g, kind in zip(what["xs"], found, what.get("kinds", [])):
            if kind is None:
                continue
            g = _array.zeros_like(self.pick(x, done)) if g is None else g
            if kind != "dense":
                if not isinstance(g, IndexedSlices):
                    rows = wrap(_core.arange(0, g.shape[0], dtype=_core.int32))
                    g = IndexedSlices(g, rows, list(g.shape))
                out += [g.values, g.indices]
            else:
                out.append(wrap(to_core(g)) if isinstance(g, IndexedSlices) else g)
        return out

    def gradients(self, node: Node, done: dict[Node, Any]) -> list[Any]:
        """A gradient for each x of a node, None where no y depends on it."""
        what = node.special
        if node.depth:  # a tape does not see from inside a body what ran before it
            return self._gradients_inside(what, done)
        if what["stops"]:
            done = self.again({x.node for x in what["stops"]}, what, done)
        with _contextlib.nullcontext() if node in self.kept else self.tape.stop_recording():
            return self._gradients_of(self.tape, what, done, done)

    def _gradients_of(self, tape, what, done, sources):
        ys = [self.pick(y, done) for y in what["ys"]]
        xs = [
            self.live(x) if isinstance(x, GraphVariable) and x not in self.feed else self.pick(x, sources)
            for x in what["xs"]
        ]
        seeds = [self._seed_for(y, self.seed(g, done)) for y, g in zip(ys, what["seeds"])]
        return tape.gradient(ys, xs, seeds, what["unconnected"])

    def _seed_for(self, y, seed):
        """The seed, slices with y's shape; in a probe, where extents are made up, one of y's shape that depends on it."""
        if isinstance(seed, IndexedSlices) and seed.dense_shape is None:
            return IndexedSlices(seed.values, seed.indices, list(y.shape))
        if self.session is not None or not isinstance(seed, TensorLike) or seed.shape == y.shape:
            return seed
        return _array.ones_like(y) * math.reduce_sum(seed)

    def _gradients_inside(self, what, done):
        """Gradients of what is computed again from the sources, under a tape of its own."""
        fresh, nodes, outer = dict(done), {x.node for x in what["xs"]}, self.feed
        try:
            with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                for x in what["xs"]:
                    if isinstance(x, GraphVariable) and x not in self.feed:
                        tape.watch(self.live(x))
                    elif x.dtype.is_floating or x.dtype.is_complex:  # a value of its own, before what is computed of it
                        value = wrap(_core.identity(self.pick(x, fresh)._core_value()))
                        tape.watch(value)
                        self.feed = {**self.feed, x: value}
                changed = self._depending(nodes, done) - nodes
                fresh = {n: value for n, value in fresh.items() if n not in changed}
                self.evaluate_all([y.node for y in what["ys"]], fresh, {x.node for x in what["stops"]} - nodes)
            return self._gradients_of(tape, what, fresh, fresh)
        finally:
            self.feed = outer

    def _depending(self, nodes, done):
        """The nodes that have run and depend on some, these too."""
        changed = set(nodes)
        for n in self.graph.nodes:
            if n in done and n.role in ("call", "gradients") and any(i in changed for i in n.before()):
                changed.add(n)
        return changed

    def seed(self, g: Any, done: dict[Node, Any]) -> Any:
        return rebuild(lambda x: self.pick(x, done), g)

    def again(self, stopped: set[Node], what: dict[str, Any], done: dict[Node, Any]) -> dict[Node, Any]:
        """What has run, computed again from nodes whose results count as constants."""
        changed = self._depending(stopped, done)
        fresh = {n: v for n, v in done.items() if n not in changed}
        self.evaluate_all([y.node for y in what["ys"]] + [x.node for x in what["xs"]], fresh, stopped)
        return fresh

    # Probes.
    @staticmethod
    def on_types(graph: Any, nodes: Iterable[Node], made_up: tuple[int, int], then: Callable[[Runner], Any]) -> Any:
        """What a function returns when the nodes have been traced on their types; made_up: an (extent, rank) for what is
        not known.
        """
        out = []
        needed = needed_by(nodes)
        open_ends = [n.outputs[0] for n in needed if n.role in ("placeholder", "parameter")]
        for n in needed:
            if n.role == "variable":
                _graph_probe.prototype(n.outputs[0])

        def body(*symbolic):
            runner = Runner(graph, dict(zip(open_ends, symbolic)))
            out.append(runner.run(nodes, lambda: then(runner)))

        specs = [_core.TensorSpec(_graph_probe.concrete(x.shape, *made_up), x.dtype.core) for x in open_ends]
        _graph_probe.trace(body, specs)
        return out[0]

    @staticmethod
    def probe_call(
        graph: Any, function: Any, args: Any, kwargs: Any, inputs: list[GraphTensor], made_up: tuple[int, int]
    ) -> Any:
        """(structure, types) of what a function returns, as _graph_probe's, when all before it is traced too."""

        def then(runner):
            def take(x):
                return runner.live(x.variable) if isinstance(x, Ref) else runner.pick(x, runner.done)

            structure, tensors = slots_of(function(*rebuild(take, list(args)), **rebuild(take, kwargs)))
            return structure, [_graph_probe._type_of(x)[:2] + (None,) for x in tensors]

        return Runner.on_types(graph, [x.node for x in inputs], made_up, then)
