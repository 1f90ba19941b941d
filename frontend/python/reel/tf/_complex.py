"""Functions of complex tensors that the core has of real ones only, by what it has."""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable


def _times_i(z):
    return _core.complex(-_core.imag(z), _core.real(z))


def _asinh(z):
    return _core.log(z + _core.sqrt(z * z + 1))


def _asin(z):
    w = _asinh(_times_i(z))
    return _core.complex(_core.imag(w), -_core.real(w))


def _acos(z):
    return _math.pi / 2 - _asin(z)


def _acosh(z):
    return _core.log(z + _core.sqrt(z + 1) * _core.sqrt(z - 1))


def _atanh(z):
    return 0.5 * (_core.log(1 + z) - _core.log(1 - z))


def _atan(z):
    w = _atanh(_times_i(z))
    return _core.complex(_core.imag(w), -_core.real(w))


def _expm1(z):
    """Without the cosine's 1, which small numbers would be lost in: e^x cos y - 1 = expm1(x) cos y - 2 sin(y/2)^2."""
    x, y = _core.real(z), _core.imag(z)
    half = _core.sin(0.5 * y)
    return _core.complex(_core.expm1(x) * _core.cos(y) - 2 * half * half, _core.exp(x) * _core.sin(y))


def _log1p(z):
    return _core.log(1 + z)


def _sign(z):
    size = _core.abs(z)
    zero = _core.equal(size, 0)
    return _core.where(zero, 0, z / _core.complex(_core.where(zero, 1, size), _core.zeros_like(size)))


COMPLEX: dict[str, Callable[[_core.Tensor], _core.Tensor]] = {
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "asinh": _asinh,
    "acosh": _acosh,
    "atanh": _atanh,
    "expm1": _expm1,
    "log1p": _log1p,
    "sign": _sign,
}


def running(f: Callable[..., _core.Tensor], x: _core.Tensor, axis: int, exclusive: bool, reverse: bool) -> _core.Tensor:
    """f, a running sum or product of the core, of a complex tensor."""
    if f is _core.cumulative_sum:
        parts = [f(p, axis=axis, exclusive=exclusive, reverse=reverse) for p in (_core.real(x), _core.imag(x))]
        return _core.complex(*parts)
    rows = _core.unstack(_core.moveaxis(x, axis, 0)) if x.shape[axis] else []
    out, total = [], None
    for row in reversed(rows) if reverse else rows:
        before = _core.ones_like(row) if total is None else total
        total = before * row
        out.append(before if exclusive else total)
    return _core.stack(out[::-1] if reverse else out, axis=axis) if out else x
