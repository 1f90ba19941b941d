"""Gradients of TensorFlow's kind: zeros and not None in second derivatives, tensors and not IndexedSlices."""

from __future__ import annotations

from .. import _core
from ._trace import state


def dense(x: _core.Tensor) -> _core.Tensor:
    """x, by an op whose gradient is a tensor and no IndexedSlices, whatever is gathered from it."""
    if not _core._observed() or not (x.dtype.is_floating or x.dtype.is_complex):
        return x
    return _core.squeeze(_core.expand_dims(x, -1), -1)


def linked(x: _core.Tensor, endless: bool = True) -> _core.Tensor:
    """x; where derivatives of derivatives may be asked for, by an op whose second derivatives are zeros.

    So are those of all higher orders, or with endless=False None again. Compiled code computes nothing for it.
    """
    if (state.tapes < 2 and not _core._in_trace()) or not x.dtype.is_floating:
        return x
    return _core._connected(x) if endless else x * _core.where(_core.ones((), dtype=_core.bool), 1, x)
