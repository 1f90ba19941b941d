"""Ops that NumPy computes, with gradients made of other ops: what Reel's kernels do not have.

They run at once, and from compiled code by `callback` ops, which objects that are compiled ahead of time refuse by name.
"""

from __future__ import annotations

import typing as _t

from .. import _core
from ._callbacks import fetch
from .errors import InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Type = tuple[Sequence[int], _core.DType]
    Backward = Callable[
        [list[_core.Tensor], list[_core.Tensor], list["_core.Tensor | None"]], list["_core.Tensor | None"]
    ]


_LEVELS = 3  # derivatives that a trace follows
_NO_GRADIENT = "it has no gradient; use tf.stop_gradient on its operand"
_NO_FURTHER = (
    "a trace has its first three derivatives, no fourth; take that outside of tf.function and tf.Graph, or use "
    "tf.stop_gradient on its operand"
)


class _Run:
    """run of NumPy arrays, which keeps the results of its last call."""

    def __init__(self, of, run, types):
        self.of, self.run, self.types, self._last = of, run, types, None

    def _computed(self, tensors):
        import numpy

        with numpy.errstate(all="ignore"):
            try:
                made = self.run(*(t.numpy() for t in tensors))
            except numpy.linalg.LinAlgError as error:
                operands = ", ".join(f"{t.dtype.name}{list(t.shape)}" for t in tensors)
                raise InvalidArgumentError(f"{self.of}: {error}; operands {operands}") from error
        return [
            _core.asarray(numpy.ascontiguousarray(y).reshape(shape), dtype=dtype)
            for y, (shape, dtype) in zip(made, self.types)
        ]

    def now(self, tensors):
        """The results as core tensors."""
        key = [(t.dtype, tuple(t.shape), t.numpy().tobytes()) for t in tensors]
        last = self._last
        if last is None or last[0] != key:
            self._last = last = key, self._computed(tensors)
        return last[1]

    def traced(self, tensors):
        """Ops of a trace that give them."""
        for shape, _ in self.types:
            if any(not isinstance(n, int) for n in shape):
                raise _core.UnimplementedError(
                    f"{self.of}: its operands must have known shapes; its result is {list(shape)}. Trace for each shape"
                )
        order = _core.zeros((), dtype=_core.int32)
        return [
            fetch(lambda _, xs, k=k: self.now(xs)[k], self.of, _core.zeros(tuple(shape), dtype=dtype), order, tensors)
            for k, (shape, dtype) in enumerate(self.types)
        ]


def computed(
    of: str,
    run: Callable[..., Sequence[Any]],
    types: Sequence[Type],
    backward: Backward | None,
    tensors: Sequence[_core.Tensor],
) -> list[_core.Tensor]:
    """run(*NumPy arrays), arrays of these types (shape, dtype), as core tensors.

    backward(operands, results, cotangents of the results or Nones): the operands' cotangents or Nones, made of ops. None:
    gradients are refused. Eagerly derivatives are of any order, in a trace to the third.
    """
    return _at_level(_Run(of, run, types), backward, list(tensors), 0)


def _at_level(made, backward, tensors, level):
    """The results, of which `level` derivatives were taken already."""
    if _core._in_trace() and (backward is None or level == _LEVELS):
        why = _NO_GRADIENT if backward is None else _NO_FURTHER
        return [_sealed(y, tensors, f"{made.of}: {why}") for y in made.traced(tensors)]

    def forward(operands):
        outputs = made.traced(operands) if _core._in_trace() else made.now(operands)

        def gradients(dys, _variables):
            if backward is None:
                raise _core.UnimplementedError(f"{made.of}: {_NO_GRADIENT}")
            return backward(operands, _at_level(made, backward, operands, level + 1), dys), []

        return outputs, gradients, False

    return _core._call_custom(forward, tensors)


def _sealed(y, tensors, why):
    """y, whose derivative by the tensors is the error `why`: to gradients it depends on a number that has none."""
    total = sum(_core.sum(_core.real(x) if x.dtype.is_complex else x) for x in tensors)
    never = _core._refused(total, why)
    never = _core.complex(never, never) if y.dtype.is_complex else _core.astype(never, y.dtype)
    return _core.where(_core.zeros((), dtype=_core.bool), never, y)
