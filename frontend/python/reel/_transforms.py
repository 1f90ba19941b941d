"""Functions to functions: vmap, jvp, vjp, jacobian, hessian, hvp.

A callable is traced on the types of its arguments and transformed as a graph, whose ops then run as ordinary ones:
tapes, traces and other transforms around see them, so transforms compose. Arguments and results are tensors or nested
lists, tuples and dicts of them; inside a callable branches and loops on tensors are those of a trace (reel.cond,
reel.while_loop, reel.scan). Each transform also takes a reel.Function and gives one.
"""

from __future__ import annotations

import functools as _functools
import typing as _t

from . import _core
from ._function import _leaves, _rebuild

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Concatenate, Literal

    from ._core import Function, Tensor

    P = _t.ParamSpec("P")
    R = _t.TypeVar("R")
    Tensors = _t.TypeVar("Tensors", bound=Tensor | tuple[Tensor, ...])

    class Structured(_t.Protocol[P]):
        """Of arguments that need not be tensors: the structure of its results depends on theirs."""

        @property
        def __wrapped__(self) -> Callable[P, Any]: ...

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any: ...


def _flat(tree):
    out = []
    _leaves(tree, out)
    return out


def _plain(tree):
    """A structure with the same leaves, none of which is kept."""
    return _rebuild(tree, iter([None] * len(_flat(tree))))


class _Listed:
    """A callable on the leaves of its arguments; `structure` is that of its results, after a call."""

    def __init__(self, function, arguments):
        self._function, self._arguments = function, _plain(arguments)
        self.structure = None

    def __call__(self, leaves):
        results = self._function(*_rebuild(self._arguments, iter(leaves)))
        out = _flat(results)
        self.structure = _plain(results)
        return out

    def pack(self, leaves):
        return _rebuild(self.structure, iter(leaves))


def _arguments(primals):
    return primals if isinstance(primals, tuple) and not hasattr(primals, "_fields") else (primals,)


def _axes(axes, tree, what):
    """The axis of each leaf: one for all of a structure, or one for each of its parts."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(_flat(tree))
    parts = [tree[k] for k in sorted(tree)] if isinstance(tree, dict) else tree
    given = [axes[k] for k in sorted(axes)] if isinstance(axes, dict) else axes
    if not isinstance(parts, (list, tuple)) or len(given) != len(parts):
        raise _core.InvalidArgumentError(
            f"vmap: {what} is {axes!r}, which does not fit {_plain(tree)!r}; give one axis for all, or one for each "
            "part, None for what all rows share"
        )
    return [a for g, p in zip(given, parts) for a in _axes(g, p, what)]


@_t.overload
def vmap(function: Function, in_axes: Any = 0, out_axes: Any = 0, rows: int | None = None) -> Function: ...
@_t.overload
def vmap(function: Callable[P, R], in_axes: Any = 0, out_axes: Any = 0, rows: int | None = None) -> Callable[P, R]: ...
def vmap(
    function: Function | Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0, rows: int | None = None
) -> Callable[..., Any]:
    """A function of batches that gives for each row what `function` gives for that row alone, stacked.

        distances = reel.vmap(distance, in_axes=(0, None))
        d = distances(points, center)           # [n, 3], [3] -> [n]

    A function written for one example runs once, on larger ops, not in a loop. in_axes: where the rows of the
    arguments are, None for what all rows share; one for all, or one for each argument (or part of its structure).
    out_axes: the same of the results; None for one that does not depend on the row. Draws from a generator are a stream
    of its own for each row. A reel.Function also needs the number of `rows`. Errors: ValueError if arguments differ in
    their number of rows, or none has rows, or if the function assigns a variable a value per row.
    """
    if isinstance(function, _core.Function):
        if rows is None:
            raise _core.InvalidArgumentError("vmap: say how many rows: vmap(function, rows=32)")
        return _core._map_function(
            function,
            rows,
            _axes(in_axes, (None,) * function.num_arguments, "in_axes"),
            _axes(out_axes, (None,) * function.num_results, "out_axes"),
        )

    @_functools.wraps(function)
    def mapped(*args):
        listed = _Listed(function, args)

        def rows_of(leaves):
            results = listed(leaves)
            return results, _axes(out_axes, listed.structure, "out_axes")

        return listed.pack(_core._map_rows(rows_of, _flat(args), _axes(in_axes, args, "in_axes")))

    return mapped


def vectorized_map(fn: Callable[[Any], R], elems: Any) -> R:
    """fn of each row of elems, a tensor or a structure of them, stacked: as map_fn, but at once on larger ops."""
    return vmap(fn)(elems)


@_t.overload
def jvp(function: Function, primals: None = None, tangents: None = None) -> Function: ...
@_t.overload
def jvp(function: Callable[..., R], primals: Any, tangents: Any) -> tuple[R, R]: ...
def jvp(
    function: Function | Callable[..., Any], primals: Any = None, tangents: Any = None
) -> Function | tuple[Any, Any]:
    """(results, their tangents): function(*primals), and how it moves when the primals move along the tangents.

        y, dy = reel.jvp(f, (x,), (dx,))

    Forward mode: one pass, nothing of the way is kept. primals: a tuple of arguments, or the only one; tangents: of the
    same structure, None for zeros. Results that cannot move get zeros. Of a reel.Function: the Function of its
    arguments, then a tangent for each floating one, that returns the results, then their tangents.
    """
    if isinstance(function, _core.Function):
        return _core._jvp_function(function)
    args = _arguments(primals)
    listed = _Listed(function, args)
    values, moved = _core._jvp(listed, _flat(args), _flat(tangents))
    return listed.pack(values), listed.pack(moved)


@_t.overload
def vjp(function: Function, primals: None = None) -> Function: ...
@_t.overload
def vjp(function: Callable[..., R], primals: Tensors) -> tuple[R, Callable[..., Tensors]]: ...
@_t.overload
def vjp(function: Callable[..., R], primals: Any) -> tuple[R, Callable[..., Any]]: ...
def vjp(function: Function | Callable[..., Any], primals: Any = None) -> Function | tuple[Any, Any]:
    """(results, pullback): function(*primals), and the function from seeds of the results to gradients of the primals.

        y, pullback = reel.vjp(f, (x, w))
        dx, dw = pullback(dy)

    pullback() takes ones for all seeds; None is a seed of zeros. Gradients have the structure of `primals`, None where
    no result depends on one. Of a reel.Function: the Function of its arguments, then a seed for each floating result,
    that returns the gradients of the floating arguments.
    """
    if isinstance(function, _core.Function):
        return _core._vjp_function(function)
    args = _arguments(primals)
    listed = _Listed(function, args)
    values, pull = _core._vjp(listed, _flat(args))
    shape = _plain(primals)

    def pullback(*seeds):
        if len(seeds) > 1:
            raise _core.InvalidTypeError("vjp: the pullback takes one argument: seeds in the structure of the results")
        return _rebuild(shape, iter(pull(_flat(seeds[0]) if seeds else [])))

    return listed.pack(values), pullback


def _places(args, argnum):
    """Where the leaves of an argument are among those of all."""
    count = len(args)
    if not -count <= argnum < count:
        raise _core.InvalidArgumentError(f"jacobian: argument {argnum} of {count}; count them from 0")
    argnum %= count
    first = len(_flat(args[:argnum]))
    return range(first, first + len(_flat(args[argnum])))


@_t.overload
def jacobian(function: Function, argnums: int | tuple[int, ...] = 0) -> Function: ...
@_t.overload
def jacobian(
    function: Callable[Concatenate[Tensor, P], R], argnums: Literal[0] = 0
) -> Callable[Concatenate[Tensor, P], R]: ...
@_t.overload
def jacobian(function: Callable[P, Any], argnums: int | tuple[int, ...] = 0) -> Structured[P]: ...
def jacobian(function: Function | Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """A function that returns dy/dx, of shape y.shape + x.shape, for each result y of `function`.

        j = reel.jacobian(f)(x)

    argnums: the position of x, or a tuple of positions, which makes each result such a tuple; an argument that is a
    structure gives a structure for each result. All rows at once, by forward or reverse mode, whichever has fewer;
    zeros where y does not depend on x. Of a reel.Function: the Function of the Jacobians of its floating results.
    Errors: ValueError for integers and missing arguments.
    """
    if isinstance(function, _core.Function):
        return _core._jacobian_function(function, argnums)

    @_functools.wraps(function)
    def matrix(*args):
        listed = _Listed(function, args)
        leaves = _flat(args)

        def by(argnum):
            return [_core._jacobian(listed, leaves, i) for i in _places(args, argnum)]

        def packed(argnum, columns, result):
            return _rebuild(args[argnum], iter([c[result] for c in columns]))

        if isinstance(argnums, int):
            columns = by(argnums)
            results = len(_flat(listed.structure)) if columns else 0
            return listed.pack([packed(argnums, columns, r) for r in range(results)])
        all_columns = [by(n) for n in argnums]
        results = range(len(_flat(listed.structure)))
        return listed.pack([tuple(packed(n, c, r) for n, c in zip(argnums, all_columns)) for r in results])

    return matrix


@_t.overload
def hessian(function: Function, argnums: int | tuple[int, ...] = 0) -> Function: ...
@_t.overload
def hessian(
    function: Callable[Concatenate[Tensor, P], R], argnums: Literal[0] = 0
) -> Callable[Concatenate[Tensor, P], R]: ...
@_t.overload
def hessian(function: Callable[P, Any], argnums: int | tuple[int, ...] = 0) -> Structured[P]: ...
def hessian(function: Function | Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """The Jacobian of the Jacobian: for a scalar result of shape x.shape + x.shape."""
    if isinstance(function, _core.Function):
        return _core._hessian_function(function, argnums)
    return jacobian(jacobian(function, argnums), argnums)


@_t.overload
def hvp(function: Function, primals: None = None, vectors: None = None, argnum: int = 0) -> Function: ...
@_t.overload
def hvp(function: Callable[..., Any], primals: Tensors, vectors: Any, argnum: int = 0) -> Tensors: ...
@_t.overload
def hvp(function: Callable[..., Any], primals: Any, vectors: Any, argnum: int = 0) -> Any: ...
def hvp(function: Function | Callable[..., Any], primals: Any = None, vectors: Any = None, argnum: int = 0) -> Any:
    """H v, of the structure of `primals`, for the sum of the function's results: the gradient's derivative along v.

        hv = reel.hvp(loss, (w,), (v,))[0]

    At the cost of a few gradients, without the Hessian. Of a reel.Function: the Function of its arguments, then of v,
    of the type of argument `argnum`.
    """
    if isinstance(function, _core.Function):
        return _core._hvp_function(function, argnum)
    args = _arguments(primals)
    products = _core._hvp(_Listed(function, args), _flat(args), _flat(vectors))
    return _rebuild(primals, iter(products))
