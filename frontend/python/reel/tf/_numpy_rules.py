"""NumPy's functions on core tensors, by name: what tf.keras.ops and tf.experimental.numpy share, each with its own dtypes.

A function is of a kind: "float" takes integers as floats, "same" gives the dtype that comes, "bool" gives bools, "wide" sums
small integers as larger ones.
"""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core as c

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    F = Callable[..., Any]


def _rounded_down(x):
    return c.floor(x)


def _of_complex(whole, x):
    """A function of real numbers that has a meaning for whole ones: it leaves integers as they are."""
    return x if x.dtype.kind in "iub" else whole(x)


def _sign_of(x, positive):
    return c.logical_and(c.isinf(x), x > 0 if positive else x < 0)


def _no_floats(x, f):
    return c.full(x.shape, False, dtype=c.bool) if x.dtype.kind in "iub" else f(x)


def _fixed(x):
    return c.where(x > 0, c.floor(x), c.ceil(x))


UNARY: dict[str, tuple[str, F]] = {
    "abs": ("same", lambda x: x if x.dtype.is_bool else c.abs(x)),
    "arccos": ("float", c.acos),
    "arccosh": ("float", c.acosh),
    "arcsin": ("float", c.asin),
    "arcsinh": ("float", c.asinh),
    "arctan": ("float", c.atan),
    "arctanh": ("float", c.atanh),
    "bitwise_not": ("same", c.bitwise_invert),
    "cbrt": ("float", c.cbrt),
    "ceil": ("float", c.ceil),
    "conj": ("same", lambda x: c.conj(x) if x.dtype.is_complex else x),
    "cos": ("float", c.cos),
    "cosh": ("float", c.cosh),
    "deg2rad": ("float", lambda x: x * (_math.pi / 180)),
    "exp": ("float", c.exp),
    "exp2": ("float", c.exp2),
    "expm1": ("float", c.expm1),
    "fix": ("float", _fixed),
    "floor": ("float", c.floor),
    "imag": ("same", lambda x: c.imag(x) if x.dtype.is_complex else c.zeros_like(x)),
    "isfinite": ("bool", lambda x: c.logical_not(_no_floats(x, lambda y: c.logical_not(c.isfinite(y))))),
    "isinf": ("bool", lambda x: _no_floats(x, c.isinf)),
    "isnan": ("bool", lambda x: _no_floats(x, lambda y: c.not_equal(y, y))),
    "isneginf": ("bool", lambda x: _no_floats(x, lambda y: _sign_of(y, False))),
    "isposinf": ("bool", lambda x: _no_floats(x, lambda y: _sign_of(y, True))),
    "isreal": ("bool", lambda x: c.imag(x) == 0 if x.dtype.is_complex else c.full(x.shape, True, dtype=c.bool)),
    "log": ("float", c.log),
    "log10": ("float", c.log10),
    "log1p": ("float", c.log1p),
    "log2": ("float", c.log2),
    "logical_not": ("bool", lambda x: c.logical_not(truth(x))),
    "negative": ("same", c.negative),
    "positive": ("same", lambda x: x),
    "rad2deg": ("float", lambda x: x * (180 / _math.pi)),
    "real": ("same", lambda x: c.real(x) if x.dtype.is_complex else x),
    "reciprocal": ("float", c.reciprocal),
    "sign": ("same", c.sign),
    "signbit": ("bool", lambda x: c.signbit(x) if x.dtype.is_floating else x < 0),
    "sin": ("float", c.sin),
    "sinc": ("float", c.sinc),
    "sinh": ("float", c.sinh),
    "sqrt": ("float", c.sqrt),
    "square": ("same", lambda x: c.square(_number(x))),
    "tan": ("float", c.tan),
    "tanh": ("float", c.tanh),
    "trunc": ("same", lambda x: x if x.dtype.kind in "iu" else c.trunc(x)),
}


def truth(x: Any) -> Any:
    """Whether elements are not zero."""
    return x if x.dtype.is_bool else c.not_equal(x, 0)


def _integers(whole):
    """A function of integers by NumPy, where elements are known."""

    def f(a, b):
        import numpy

        known = [c._static_value(t) for t in (a, b)]
        if None in known:
            raise c.UnimplementedError(f"{whole}: of traced integers there is no kernel; call it eagerly")
        return c.asarray(getattr(numpy, whole)(*(k.numpy() for k in known)))

    return f


def _heaviside(a, b):
    return c.where(a < 0, c.zeros_like(a), c.where(a > 0, c.ones_like(a), c.where(a == 0, b, a)))


def _logaddexp2(a, b):
    high = c.maximum(a, b)
    return c.where(a == b, a + 1, high + c.log2(1 + c.exp2(-c.abs(a - b))))


BINARY: dict[str, tuple[str, F]] = {
    "add": ("same", c.add),
    "arctan2": ("float", c.atan2),
    "bitwise_and": ("same", c.bitwise_and),
    "bitwise_left_shift": ("same", c.bitwise_left_shift),
    "bitwise_or": ("same", c.bitwise_or),
    "bitwise_right_shift": ("same", c.bitwise_right_shift),
    "bitwise_xor": ("same", c.bitwise_xor),
    "divide": ("float", c.divide),
    "divide_no_nan": ("float", c.divide_no_nan),
    "equal": ("bool", c.equal),
    "floor_divide": ("same", lambda a, b: c.floor_divide(a, b)),
    "fmod": ("same", c.fmod),
    "gcd": ("same", _integers("gcd")),
    "greater": ("bool", c.greater),
    "greater_equal": ("bool", c.greater_equal),
    "heaviside": ("float", _heaviside),
    "hypot": ("float", c.hypot),
    "lcm": ("same", _integers("lcm")),
    "less": ("bool", c.less),
    "less_equal": ("bool", c.less_equal),
    "logaddexp": ("float", c.logaddexp),
    "logaddexp2": ("float", _logaddexp2),
    "logical_and": ("bool", lambda a, b: c.logical_and(truth(a), truth(b))),
    "logical_or": ("bool", lambda a, b: c.logical_or(truth(a), truth(b))),
    "logical_xor": ("bool", lambda a, b: c.logical_xor(truth(a), truth(b))),
    "maximum": ("same", c.maximum),
    "minimum": ("same", c.minimum),
    "mod": ("same", c.remainder),
    "multiply": ("same", lambda a, b: c.logical_and(a, b) if a.dtype.is_bool else c.multiply(a, b)),
    "nextafter": ("float", c.nextafter),
    "not_equal": ("bool", c.not_equal),
    "power": ("same", c.pow),
    "subtract": ("same", c.subtract),
}


def _number(x):
    """Bools as int32, to sum and multiply."""
    return c.astype(x, c.int32) if x.dtype.is_bool else x


def _without_nans(f, fill):
    def g(x, axis=None, keepdims=False):
        return f(c.where(c.not_equal(x, x), c.full_like(x, fill), x), axis=axis, keepdims=keepdims)

    return g


def _kept(x, axis, keepdims):
    return c.astype(c.sum(c.astype(c.equal(x, x), c.int32), axis=axis, keepdims=keepdims), x.dtype)


def _nanmean(x, axis=None, keepdims=False):
    total = _without_nans(c.sum, 0)(x, axis, keepdims)
    return total / _kept(x, axis, keepdims)


def _nanvar(x, axis=None, keepdims=False):
    apart = x - _nanmean(x, axis, True)
    return _without_nans(c.sum, 0)(c.square(apart), axis, keepdims) / _kept(x, axis, keepdims)


def _nanextreme(f, worst):
    def g(x, axis=None, keepdims=False):
        none = _kept(x, axis, keepdims) == 0
        found = _without_nans(f, worst)(x, axis, keepdims)
        return c.where(none, c.full_like(found, float("nan")), found)

    return g


REDUCE: dict[str, tuple[str, F]] = {
    "all": ("bool", lambda x, axis=None, keepdims=False: c.all(truth(x), axis=axis, keepdims=keepdims)),
    "any": ("bool", lambda x, axis=None, keepdims=False: c.any(truth(x), axis=axis, keepdims=keepdims)),
    "max": ("same", c.max),
    "min": ("same", c.min),
    "mean": ("float", c.mean),
    "nanmax": ("same", _nanextreme(c.max, float("-inf"))),
    "nanmean": ("float", _nanmean),
    "nanmin": ("same", _nanextreme(c.min, float("inf"))),
    "nanprod": ("wide", _without_nans(c.prod, 1)),
    "nanstd": ("float", lambda x, axis=None, keepdims=False: c.sqrt(_nanvar(x, axis, keepdims))),
    "nansum": ("wide", _without_nans(c.sum, 0)),
    "nanvar": ("float", _nanvar),
    "prod": ("wide", lambda x, axis=None, keepdims=False: c.prod(_number(x), axis=axis, keepdims=keepdims, dtype=_number(x).dtype)),
    "ptp": ("same", lambda x, axis=None, keepdims=False: c.max(x, axis=axis, keepdims=keepdims) - c.min(x, axis=axis, keepdims=keepdims)),
    "std": ("float", lambda x, axis=None, keepdims=False: c.std(x, axis=axis, keepdims=keepdims)),
    "sum": ("wide", lambda x, axis=None, keepdims=False: c.sum(_number(x), axis=axis, keepdims=keepdims, dtype=_number(x).dtype)),
    "var": ("float", lambda x, axis=None, keepdims=False: c.var(x, axis=axis, keepdims=keepdims)),
}  # fmt: skip
