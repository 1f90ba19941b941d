"""tf.gradients, tf.hessians and tf.autodiff."""

from __future__ import annotations as _annotations

import threading as _threading
import typing as _t

from .. import _core
from . import nest
from ._convert import convert_to_tensor, to_core
from ._tape import GradientTape as GradientTape
from ._tape import UnconnectedGradients, handle_dtype, handle_of, unconnected_name, wrap_gradient
from ._tensor import TensorLike, wrap
from ._trace import as_method, executing_eagerly, state
from .errors import ConversionError, StateError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from ._signatures import Gradient, Source, Tensor


class AggregationMethod:
    """How partial gradients are summed: all the same here."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def _list(values, what):
    if isinstance(values, dict):
        raise _core.InvalidTypeError(f"gradients: {what} must be a tensor or a list of them, not a dict")
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    for x in values:
        if not isinstance(x, TensorLike):
            raise _core.InvalidTypeError(
                f"gradients: {what} must hold tensors and variables, not {type(x).__name__}: {x!r}"
            )
    return values


@as_method("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str | None = "gradients",
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Gradient]:
    """The list of d(sum of ys)/dx for each x, inside a tf.function or tf.Graph.

    grad_ys: one seed per y, None for ones. stop_gradients: tensors that count as constants. Errors: RuntimeError when
    eager (use tf.GradientTape), ValueError for a wrong number of seeds or unknown options, TypeError for a complex y
    without a seed.
    """
    if executing_eagerly():
        raise StateError("tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.")
    ys, xs = _list(ys, "ys"), _list(xs, "xs")
    unconnected = unconnected_name(unconnected_gradients)
    if aggregation_method not in (None, 0, 1, 2):
        raise ConversionError(
            f"Invalid `aggregation_method` specified {aggregation_method}. Accepted values are [0, 1, 2]."
        )
    seeds = _seeds(ys, grad_ys)
    stops = None if stop_gradients is None else [to_core(x) for x in _list(stop_gradients, "stop_gradients")]
    out = _core.gradients([handle_of(y) for y in ys], [handle_of(x) for x in xs], seeds, stops, unconnected)
    return [wrap_gradient(g) for g in out]


def _seeds(ys, grad_ys):
    if grad_ys is None:
        grad_ys = [None] * len(ys)
    else:
        grad_ys = list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    if len(grad_ys) != len(ys):
        raise ConversionError(
            f"Length mismatch. Passed {len(grad_ys)} grad_ys for {len(ys)} ys; give one for each, None for ones"
        )
    out = []
    for y, g in zip(ys, grad_ys):
        if g is None and y.dtype.is_complex:
            raise _core.InvalidTypeError(
                f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})"
            )
        if g is not None:
            g = convert_to_tensor(g, dtype_hint=y.dtype)
            if g.dtype.is_complex != y.dtype.is_complex or g.dtype.is_bool:
                raise _core.InvalidTypeError(
                    f"Gradient type {g.dtype.name} generated for "
                    f"{'complex' if y.dtype.is_complex else 'real'}-valued tensor {y} with "
                    f"type {y.dtype.name} must be the same kind of number"
                )
        out.append(None if g is None else g._t)
    return out


@as_method("hessians")
def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: int | None = None, name: str | None = "hessians"
) -> list[Tensor]:
    """For each x the second derivatives of sum(ys), of shape x.shape + x.shape; zeros where ys is linear in it."""
    xs = _list(xs, "xs")
    out = []
    for x, g in zip(xs, gradients(ys, xs)):
        n, shape = x._core_value().size, tuple(x.shape)
        kind = x.dtype.core
        if g is None:
            out.append(wrap(_core.zeros(shape + shape, dtype=kind)))
            continue
        flat = _core.reshape(g._t, (n,))
        rows = [gradients(wrap(flat[i]), [x], unconnected_gradients="zero")[0] for i in range(n)]
        out.append(wrap(_core.reshape(_core.stack([r._t for r in rows]), shape + shape)))
    return out


class _Open(_threading.local):
    def __init__(self):
        self.accumulators = []  # of this thread, outermost first


_open = _Open()


def _moves_with(results, arguments, connected):
    """The results of a tf.function as one op gives them: those that depend on a tensor argument, but on none that moves,
    do not move, and count as connected if one moves. `connected()`: for each leaf, whether it depends on an argument.
    """

    def floating(x):
        return isinstance(x, TensorLike) and (x.dtype.is_floating or x.dtype.is_complex)

    accumulators = [a for a in _open.accumulators if any(a.jvp(x) is not None for x in arguments if floating(x))]
    flat = nest.flatten(results)
    still = [i for i, x in enumerate(flat) if floating(x) and any(a.jvp(x) is None for a in accumulators)]
    try:
        depends = connected() if still else ()
    except _core.UnimplementedError:  # a function that no program can be, as one over a dataset
        return results
    for i in still:
        if not depends[i]:
            continue
        known = [a.jvp(flat[i]) for a in accumulators]
        flat[i] = wrap(_core.identity(to_core(flat[i])))
        for accumulator, moved in zip(accumulators, known):
            if moved is None:
                accumulator._watch(flat[i], wrap(_core.zeros_like(to_core(flat[i]))))
    return nest.pack_sequence_as(results, flat)


class ForwardAccumulator:
    """Forward mode: how what runs in its `with` block moves when the primals move along the tangents.

        with tf.autodiff.ForwardAccumulator(x, v) as acc:
            y = tf.sin(x) * x
        dy = acc.jvp(y)

    Errors: ValueError for a primal named multiple times, for wrong shapes, and for entering it while it records.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        leaves = nest.flatten(primals)
        nest.assert_same_structure(primals, tangents)
        moves = [to_core(t, handle_dtype(handle_of(x))) for x, t in zip(leaves, nest.flatten(tangents))]
        self._is_watched = False  # something records around it
        self._around: list[ForwardAccumulator] = []  # those that were open when it was entered
        self._primals = [handle_of(x) for x in leaves]
        self._accumulator = _core.ForwardAccumulator(self._primals, moves)

    def _watch(self, primal, tangent):
        """Follows a further primal; the tangent of one that moves already is added to."""
        self._accumulator.watch([handle_of(primal)], [to_core(tangent, handle_dtype(handle_of(primal)))])

    def __enter__(self) -> ForwardAccumulator:
        self._accumulator.__enter__()
        self._is_watched = state.tapes > 0 or _core._in_trace()
        self._around = list(_open.accumulators)
        state.tapes += 1
        _open.accumulators.append(self)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        state.tapes -= 1
        if self in _open.accumulators:
            _open.accumulators.remove(self)
        self._accumulator.__exit__(kind, value, traceback)

    @_t.overload
    def jvp(self, primals: Source, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Gradient: ...
    @_t.overload
    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any: ...
    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """How tensors and variables move, in their structure; None (or zeros) where nothing that moves went in."""
        unconnected = unconnected_name(unconnected_gradients)
        handles = [handle_of(x) for x in nest.flatten(primals)]
        moved = self._accumulator.jvp(handles, unconnected)
        return nest.pack_sequence_as(
            primals, [None if t is None else self._beside(t, x) for t, x in zip(moved, handles)]
        )

    def _beside(self, tangent, x):
        """The tangent of x, for tapes around with a derivative by what x comes of: zeros where it is linear.

        An accumulator around that has ended knows the tangent and would not know a new tensor.
        """
        ended = any(a not in _open.accumulators for a in self._around)
        if self._is_watched and not ended and _core._observed() and all(x is not p for p in self._primals):
            tangent = _core.where(_core.ones((), dtype=_core.bool), tangent, x)
        return wrap(tangent)
