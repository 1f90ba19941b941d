"""tf.GradientTape and tf.UnconnectedGradients."""

from __future__ import annotations

import typing as _t

from .. import _core
from .._enums import UnconnectedGradients
from . import nest
from ._convert import to_core
from ._slices import IndexedSlices, from_core
from ._tensor import Tensor, TensorLike, wrap
from ._trace import state
from ._variable import Variable
from .errors import ConversionError, StateError

if _t.TYPE_CHECKING:
    from typing import Any

    from ._signatures import Gradient, KeyT, Source, SourceT

_CoreTape = _core.GradientTape
_HANDLES = (_core.Tensor, _core.Variable)


def unconnected_name(value: object) -> str:
    """'none' or 'zero'; ValueError for all else."""
    if isinstance(value, UnconnectedGradients):
        return value.value
    if value in ("none", "zero"):
        return value
    raise ConversionError(
        f"Unknown value for unconnected_gradients: {value!r}; use tf.UnconnectedGradients.NONE or ZERO"
    )


def handle_of(x: Any) -> Any:
    """A tensor or variable as the core knows it."""
    return x._t if isinstance(x, Tensor) else x


def wrap_gradient(g: Any) -> Any:
    """A gradient of a tape's: None, a tensor, or slices."""
    if g is None:
        return None
    if isinstance(g, _core.Tensor):
        return wrap(g)
    return from_core(g) if isinstance(g, _core.IndexedSlices) else g  # what a tape in a tf.Graph gives


class GradientTape:
    """Records what depends on trainable variables and watched tensors inside its `with` block, and differentiates it.

        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w - y))
        dw = tape.gradient(loss, w)

    Without persistent=True, gradient can be called once.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._tape = _CoreTape(persistent, watch_accessed_variables)
        self._accesses = watch_accessed_variables
        self._entered = False
        self._recording = False

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ConversionError(
                "Tape is still recording, this can happen if you try to re-enter an already-active "
                "tape; leave its `with` first."
            )
        if state.graph is not None and not self._entered:
            self._tape = state.graph.tape(self._persistent, self._accesses)
        self._tape.__enter__()
        self._entered = self._recording = True
        state.tapes += 1 + self._persistent
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if self._recording:
            self._recording = False
            state.tapes -= 1 + self._persistent
            self._tape.__exit__(kind, value, traceback)

    def watch(self, tensor: Any) -> None:
        """Follows what is computed from these tensors and variables, in any nesting, from now on."""
        leaves = nest.flatten(tensor)
        for x in leaves:
            if not isinstance(x, TensorLike):
                raise ConversionError(
                    f"Passed in object {x!r} of type {type(x).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType; watch tf.constant of it, and use that."
                )
        if not self._entered:
            raise StateError("watch: the tape is not recording; enter it with `with tf.GradientTape() as tape:` first")
        if type(self._tape) is _CoreTape:
            leaves = [x for x in leaves if _is_recorded(handle_of(x), "watch")]
        self._tape.watch([handle_of(x) for x in leaves])

    def watched_variables(self) -> tuple[Variable, ...]:
        """Variables watched or read so far, a tuple in the order of their creation."""
        return self._tape.watched_variables() if self._entered else ()

    def stop_recording(self) -> _core.StopRecording:
        """A context manager: what runs inside is not recorded."""
        if not self._entered:
            raise StateError("Trying to stop recording a tape which is not recording.")
        if not self._recording:
            raise ConversionError("Tape is not recording.")
        return self._tape.stop_recording()

    def reset(self) -> None:
        """Forgets what was recorded and watched."""
        if not self._recording:
            raise ConversionError("Tape is not recording.")
        self._tape.reset()

    def explain_none(self, target: Source, source: Source) -> str:
        """Why gradient(target, source) is None, in a sentence that names file and line."""
        return self._tape.explain_none(_leaf(target, "target"), _leaf(source, "source"))

    def summary(self) -> str:
        """What was recorded: the watched variables, the ops by line, and the bytes kept for gradients."""
        return self._tape.summary()

    @_t.overload
    def gradient(
        self,
        target: Any,
        sources: Source,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Gradient: ...
    @_t.overload
    def gradient(
        self,
        target: Any,
        sources: list[Source],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> list[Gradient]: ...
    @_t.overload
    def gradient(
        self,
        target: Any,
        sources: list[SourceT],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> list[Gradient]: ...
    @_t.overload
    def gradient(
        self,
        target: Any,
        sources: tuple[Source, ...],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> tuple[Gradient, ...]: ...
    @_t.overload
    def gradient(
        self,
        target: Any,
        sources: dict[KeyT, SourceT],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> dict[KeyT, Gradient]: ...
    @_t.overload
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """d(sum of target)/d(source) for each source, in the structure of `sources`.

        None where no target depends on the source, zeros with unconnected_gradients=ZERO. output_gradients: one seed
        per target, None for ones. Errors: RuntimeError for a second call without persistent=True, TypeError for None.
        """
        self._check_entered("gradient")
        unconnected = unconnected_name(unconnected_gradients)
        if target is None:
            raise _core.InvalidTypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables "
                "or CompositeTensors to be differentiated, but received None; does the "
                "function that computes it return it?"
            )
        if sources.__class__ is Variable and target.__class__ is Tensor and output_gradients is None:
            return wrap_gradient(self._tape.gradient(target._t, [sources], None, unconnected)[0])
        targets = [_leaf(y, "target") for y in nest.flatten(target)]
        xs = [_leaf(x, "sources") for x in nest.flatten(sources)]
        seeds = None if output_gradients is None else nest.flatten(output_gradients)
        if type(self._tape) is _CoreTape:
            gradients = self._of_tensors(targets, xs, seeds, unconnected)
        else:
            gradients = self._tape.gradient(targets, xs, seeds, unconnected)
        return nest.pack_sequence_as(sources, [wrap_gradient(g) for g in gradients])

    def _of_tensors(self, targets, xs, seeds, unconnected):
        if seeds is not None:
            seeds = [None if g is None else _seed(g, targets, i) for i, g in enumerate(seeds)]
        kept = [i for i, y in enumerate(targets) if _is_recorded(y, "gradient")]
        if len(kept) < len(targets):
            targets = [targets[i] for i in kept]
            seeds = None if seeds is None else [seeds[i] for i in kept]
        followed = [x for x in xs if _is_recorded(x, "gradient")]
        found = self._tape.gradient(targets, followed, seeds, unconnected)
        if len(followed) == len(xs):
            return found
        rest = iter(found)
        return [next(rest) if isinstance(x, _HANDLES) else None for x in xs]

    @_t.overload
    def jacobian(
        self,
        target: Tensor,
        sources: Source,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Gradient: ...
    @_t.overload
    def jacobian(
        self,
        target: Tensor,
        sources: list[Source],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Gradient]: ...
    @_t.overload
    def jacobian(
        self,
        target: Tensor,
        sources: list[SourceT],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Gradient]: ...
    @_t.overload
    def jacobian(
        self,
        target: Tensor,
        sources: tuple[Source, ...],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> tuple[Gradient, ...]: ...
    @_t.overload
    def jacobian(
        self,
        target: Tensor,
        sources: dict[KeyT, SourceT],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> dict[KeyT, Gradient]: ...
    @_t.overload
    def jacobian(
        self,
        target: Tensor,
        sources: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any: ...
    def jacobian(
        self,
        target: Tensor,
        sources: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """d target/d source for each source, of shape target.shape + source.shape, in the structure of `sources`.

        All rows at once, or `parallel_iterations` of them. Without experimental_use_pfor one after the other, which
        needs persistent=True (RuntimeError otherwise).
        """
        self._check_entered("jacobian")
        xs = [_leaf(x, "sources") for x in nest.flatten(sources)]
        matrices = self._tape.jacobian(
            _tensor(target), xs, unconnected_name(unconnected_gradients), parallel_iterations, experimental_use_pfor
        )
        return nest.pack_sequence_as(sources, [wrap_gradient(j) for j in matrices])

    def batch_jacobian(
        self,
        target: Tensor,
        source: Source,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """The Jacobian of each example, [b, *y, *x]; zeros if the target does not depend on the source.

        ValueError for a rank below 2 or different first dimensions.
        """
        self._check_entered("batch_jacobian")
        if not isinstance(source, TensorLike):
            self._tape.gradient([_tensor(target)], [])  # the tape's own errors come first
        return wrap_gradient(
            self._tape.batch_jacobian(
                _tensor(target),
                _leaf(source, "source"),
                unconnected_name(unconnected_gradients),
                parallel_iterations,
                experimental_use_pfor,
            )
        )

    def _check_entered(self, what):
        if not self._entered:
            raise StateError(
                f"{what}: the tape has recorded nothing; enter it with `with tf.GradientTape() as tape:` first"
            )


def _is_recorded(handle, what):
    """Whether the core's tape can know it: strings have no gradient; an error for what is of a tf.Graph."""
    if isinstance(handle, _HANDLES):
        return True
    if handle.dtype.name == "string" and not hasattr(handle, "graph"):
        return False
    raise _core.UnimplementedError(
        f"{what}: {handle} is of a tf.Graph, which a tape records only if it is entered inside "
        "`with graph.as_default():`; enter it there, or use tf.gradients(ys, xs)"
    )


def _tensor(target):
    """The one tensor that a Jacobian is of."""
    handle = _leaf(target, "target")
    if isinstance(handle, _core.Variable):
        raise _core.InvalidTypeError("jacobian: the target must be one tensor, not a variable; use its value")
    return handle


def _leaf(x, what):
    if isinstance(x, TensorLike):
        return handle_of(x)
    if x is None:
        raise _core.InvalidTypeError(f"Argument `{what}` holds None; it should hold tensors and variables only")
    advice = (
        "what is computed outside tf has no gradient"
        if hasattr(x, "__array__") or isinstance(x, (int, float))
        else "pass the tensor or variable itself"
    )
    raise ConversionError(f"Argument `{what}` must hold tensors and variables, not {type(x).__name__}: {x!r}; {advice}")


def _seed(g, targets, i):
    if isinstance(g, (TensorLike, IndexedSlices)) or i >= len(targets):
        return to_core(g)
    return to_core(g, handle_dtype(targets[i]))


def handle_dtype(x: Any) -> _core.DType:
    """The core dtype of what handle_of returns."""
    return x.dtype.core if isinstance(x, Variable) else x.dtype
