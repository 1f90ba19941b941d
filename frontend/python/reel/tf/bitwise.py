"""tf.bitwise: the bits of integers."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from ._convert import to_core as _to_core
from ._operators import binary as _binary
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph

if _t.TYPE_CHECKING:
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._tensor import Tensor as _Tensor


def _check(op, t):
    if not t.dtype.is_integer:
        raise _core.InvalidTypeError(f"{op}: the tensors must be integers, not {t.dtype.name}; use tf.cast")


def _define(name, f) -> _sig.Binary:
    def checked(a, b):
        _check(op.__name__, a if isinstance(a, _core.Tensor) else b)
        return f(a, b)

    def op(x: ArrayLike, y: ArrayLike, name: str | None = None) -> _Tensor:
        return _binary(op.__name__, x, y, checked)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


def _within(f):
    """A shift by no less than 0 and less than the number of bits, as TensorFlow takes any other."""

    def shifted(a, b):
        most = 8 * (b if isinstance(a, int) else a).dtype.itemsize - 1
        return f(a, max(0, min(b, most)) if isinstance(b, int) else _core.clip(b, 0, most))

    shifted.__doc__ = f.__doc__
    return shifted


bitwise_and = _define("bitwise_and", _core.bitwise_and)
bitwise_or = _define("bitwise_or", _core.bitwise_or)
bitwise_xor = _define("bitwise_xor", _core.bitwise_xor)
left_shift = _define("left_shift", _within(_core.bitwise_left_shift))
right_shift = _define("right_shift", _within(_core.bitwise_right_shift))


def invert(x: ArrayLike, name: str | None = None) -> _Tensor:
    """The other bits."""
    t = _to_core(x)
    _check("invert", t)
    return _wrap(_core.bitwise_invert(t))


_all_in_graph(globals())
