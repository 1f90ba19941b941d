"""tf.custom_gradient, tf.recompute_grad, tf.grad_pass_through, tf.vectorized_map: reel's on tf's tensors."""

from __future__ import annotations

import functools as _functools
import typing as _t

from .. import _custom, _transforms
from . import nest
from ._convert import convert_to_tensor, to_core
from ._slices import IndexedSlices
from ._tensor import Tensor, TensorLike, wrap
from ._trace import in_graph, state

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    P = _t.ParamSpec("P")
    R = _t.TypeVar("R")
    WithGradient = Callable[P, tuple[R, Callable[..., Any]]]


def _to_core(structure):
    """tf's tensors in a structure as the core knows them; numbers and arrays as tensors of tf's dtypes."""
    return nest.map_structure(_leaf_to_core, structure)


def _leaf_to_core(x):
    if isinstance(x, (Tensor, IndexedSlices)):
        return to_core(x)
    if not isinstance(x, TensorLike) and _custom._is_input(x):
        return convert_to_tensor(x)._t
    return x


def _to_tf(structure):
    return nest.map_structure(lambda x: wrap(x) if type(x) is _custom._core.Tensor else x, structure)


def _on_core(f):
    """f, which takes and returns tf's tensors, for the core's."""

    @_functools.wraps(f)
    def call(*args, **kwargs):
        return _to_core(f(*_to_tf(args), **kwargs))

    return call


def _on_tf(core_function, f):
    @_functools.wraps(f)
    def call(*args, **kwargs):
        if state.graph is not None:
            return state.graph.call(call, args, kwargs)
        return _to_tf(core_function(*_to_core(args), **kwargs))

    return call


@_t.overload
def custom_gradient(f: WithGradient[P, R]) -> Callable[P, R]: ...
@_t.overload
def custom_gradient(f: None = None) -> Callable[[WithGradient[P, R]], Callable[P, R]]: ...
def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A decorator: f returns (results, grad), and grad(*dys, variables=None) stands for its own gradient.

    As reel.custom_gradient.
    """
    if f is None:
        return custom_gradient

    @_functools.wraps(f)
    def pair(*args, **kwargs):
        made = f(*_to_tf(args), **kwargs)
        if not isinstance(made, (tuple, list)) or len(made) != 2 or not callable(made[1]):
            return made  # reel.custom_gradient says what is wrong
        return _to_core(made[0]), _on_core(made[1])

    return _on_tf(_custom.custom_gradient(pair), f)


def recompute_grad(f: Callable[P, R]) -> Callable[P, R]:
    """f, whose intermediate values are computed again for its gradient, not kept."""
    return _on_tf(_custom.recompute_grad(_on_core(f)), f)


def grad_pass_through(f: Callable[P, R]) -> Callable[P, R]:
    """f with the gradient of the identity; variables that it uses get none."""
    return _on_tf(_custom.grad_pass_through(_on_core(f)), f)


@in_graph
def vectorized_map(fn: Callable[[Any], R], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> R:
    """fn of each row of elems, a tensor or a structure of them, stacked: at once, on larger ops.

    All rows share an element that has one, if others have more.
    """
    values = nest.map_structure(to_core, elems)
    counts = [x.shape[0] if x.ndim else None for x in nest.flatten(values)]
    many = any(n != 1 for n in counts)
    axes = nest.pack_sequence_as(values, [None if n == 1 and many else 0 for n in counts])
    values = nest.map_structure(lambda x: x[0] if many and x.ndim and x.shape[0] == 1 else x, values)
    return _to_tf(_transforms.vmap(_on_core(fn), in_axes=(axes,))(values))
