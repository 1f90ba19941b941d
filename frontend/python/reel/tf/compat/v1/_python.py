"""Operations of tf.compat.v1 that run Python: Print, py_func."""

from __future__ import annotations

import typing as _t

import numpy as _np

from .... import _core
from ... import _array, dtypes
from ..._convert import convert_to_tensor as _convert
from ..._graph_tensor import GraphTensor, Node
from ..._tensor import wrap
from ..._trace import state
from ...errors import InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """input_, which prints the data to standard error whenever it is computed, the first first_n times."""
    import sys

    left = [first_n if first_n is not None and first_n >= 0 else None]

    def show(*values):
        if left[0] is not None:
            if left[0] == 0:
                return
            left[0] -= 1
        most = 3 if summarize is None else summarize
        print((message or "") + "".join(f"[{_shown(v, most)}]" for v in values), file=sys.stderr, flush=True)

    if state.graph is None:
        show(*[_convert(x).numpy() for x in data])
        return _convert(input_)
    with state.graph.control_dependencies([python_node(show, list(data), [], "Print")]):
        return _array.identity(input_)


def _shown(value, most):
    flat = _np.asarray(value).reshape(-1)
    text = " ".join(str(x) for x in (flat if most < 0 else flat[:most]))
    return text + ("..." if 0 <= most < flat.size else "")


def python_node(
    function: Callable[..., Any], inputs: list[Any], types: list[Any], name: str, kind: str = "PyFunc"
) -> Any:
    """An operation that calls Python with arrays; types: dtypes of its results, whose shapes are not known."""

    def run(session, *values):
        out = function(*[x.numpy() for x in values])
        out = [] if not kinds else list(out) if isinstance(out, (list, tuple)) else [out]
        if len(out) != len(kinds):
            raise InvalidArgumentError(f"{name}: the function returns {len(out)} values, Tout has {len(kinds)}")
        return [_checked(wrap(_core.asarray(_np.asarray(x))), t, name) for x, t in zip(out, kinds)]

    graph = state.graph
    kinds = [dtypes.as_dtype(t) for t in types]
    args = [x if isinstance(x, GraphTensor) else graph.convert(x) for x in inputs]
    node = Node(graph, name, kind, run, args, role="host")
    for t in kinds:
        node.add_output(t, None)
    return node


def _checked(x, dtype, name):
    if x.dtype is not dtype:
        raise InvalidArgumentError(
            f"{name}: pyfunc returned a value of dtype {x.dtype.name}, but Tout says {dtype.name}; return that dtype"
        )
    return x


def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
    """func of the inputs as NumPy arrays; Tout: dtype or dtypes of what it returns. No gradient flows."""
    single = not isinstance(Tout, (list, tuple))
    types = [Tout] if single else list(Tout)
    if state.graph is None:
        out = func(*[_convert(x).numpy() for x in inp])
        values = [] if not types else list(out) if isinstance(out, (list, tuple)) else [out]
        made = [_checked(_convert(_np.asarray(x)), dtypes.as_dtype(t), "py_func") for x, t in zip(values, types)]
    else:
        node = python_node(func, list(inp), types, name or "PyFunc")
        made = list(node.outputs)
        if not types:
            return node
    return made[0] if single else made
