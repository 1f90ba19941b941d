"""Whether this thread traces a tf.function or builds a graph."""

import threading as _threading

from .. import _core


class _State(_threading.local):
    depth = 0
    autograph = False
    _graph = None

    @property
    def graph(self):
        """The tf.Graph that ops go into."""
        return self._graph

    @graph.setter
    def graph(self, graph):
        self._graph = graph
        _core._set_slow_calls(graph is not None)


state = _State()


def executing_eagerly():
    """Whether ops run at once; False while tracing and inside a tf.Graph."""
    return state.depth == 0 and state.graph is None


def converted(function):
    """A user's function as a trace calls it: by autograph, if the function that is traced has it."""
    if not state.autograph:
        return function
    from ..autograph import convert
    return convert(function)


def inside_function():
    """Whether a tf.function is being traced."""
    return state.depth > 0
