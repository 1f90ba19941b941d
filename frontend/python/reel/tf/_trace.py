"""Whether this thread traces a tf.function or builds a graph."""

from __future__ import annotations

import functools as _functools
import threading as _threading
import types as _types
import typing as _t

from .. import _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    F = _t.TypeVar("F")


class _State(_threading.local):
    depth = 0
    tapes = 0  # and accumulators that listen; a persistent tape counts twice
    convert = None  # autograph's, if the function that is traced has it
    _graph = None
    runner = None  # what knows the values of graph tensors, while a session runs

    def __init__(self):
        self.sessions = []  # those that are open, the default one last

    @property
    def graph(self):
        """The tf.Graph that ops go into."""
        return self._graph

    @graph.setter
    def graph(self, graph):
        self._graph = graph
        _core._set_builds_graph(graph is not None)


state = _State()


def executing_eagerly() -> bool:
    """Whether ops run at once; False while tracing and inside a tf.Graph."""
    return state.depth == 0 and state.graph is None


def converted(function: F) -> F:
    """A user's function as a trace calls it: by autograph, if the function that is traced has it."""
    return state.convert(function) if state.convert else function


def inside_function() -> bool:
    """Whether a tf.function is being traced."""
    return state.depth > 0


# --- functions in a tf.Graph of version 1 ---


def in_graph(function: F, method: str | None = None) -> F:
    """The function; on a thread that builds a tf.Graph it calls Graph.call, or the method of this name."""

    def node(*args, **kwargs):
        if method is None:
            return state.graph.call(function, args, kwargs)
        return getattr(state.graph, method)(*args, **kwargs)

    return _functools.update_wrapper(_core._GraphAware(function, node), function)


def as_method(name: str) -> Callable[[F], F]:
    """Decorates a function that has a method of Graph of its own."""
    return lambda function: in_graph(function, name)


def all_in_graph(module: dict[str, Any], *others: str) -> None:
    """in_graph for the public functions of a module, given its names; not for the others."""
    public = {
        name: f
        for name, f in module.items()
        if isinstance(f, _types.FunctionType)
        and f.__module__ == module["__name__"]
        and not name.startswith("_")
        and name not in others
    }
    made = {f: in_graph(f) for f in public.values()}  # one of each, whatever its names
    module.update({name: made[f] for name, f in public.items()})
