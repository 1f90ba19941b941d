"""tf.experimental.numpy: functions of arrays, by way of keras.ops with NumPy's dtypes."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _dtypes, _numpy_rules
from ..._args import axes_or_none as _axes
from ..._tensor import TensorLike as _TensorLike
from ..._tensor import wrap as _wrap
from ...keras import ops as _ops
from ._types import as_kind as _as_kind
from ._types import defined as _defined
from ._types import from_rules as _from_rules
from ._types import joined as _joined
from ._types import preferred as _preferred
from ._types import tensor as _tensor
from ._types import together as _together

if _t.TYPE_CHECKING:
    from typing import Any

_from_rules(
    globals(),
    """abs absolute=abs arccos arccosh arcsin arcsinh arctan arctanh bitwise_not cbrt ceil conj conjugate=conj cos cosh deg2rad
    exp exp2 expm1 fabs=abs fix floor isfinite isinf isnan isneginf isposinf isreal log log10 log1p log2 logical_not negative
    positive rad2deg reciprocal sign signbit sin sinc sinh sqrt square tan tanh""",
    """add arctan2 bitwise_and bitwise_or bitwise_xor divide true_divide=divide equal floor_divide gcd greater greater_equal
    heaviside hypot lcm less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod
    remainder=mod multiply nextafter not_equal power subtract""",
    "all any max min std ptp",
)


def _a(x):
    return _wrap(_tensor(x))


def _long(x):
    """Places and counts are int64."""
    return _wrap(_core.astype(x._t, _core.int64))


def _kind(dtype, default):
    return (
        _dtypes.as_dtype(dtype if dtype is not None else default).name if dtype is not float else _preferred("float64")
    )


def _cast(x, dtype):
    return x if dtype is None else _wrap(_tensor(x, _kind(dtype, None)))


def _all(xs):
    return [_wrap(t) for t in _together(*(_ops.unstack(xs) if isinstance(xs, _TensorLike) else xs))]


def _reduced(name, kind):
    _, f = _numpy_rules.REDUCE[name]
    return lambda a, axis, keepdims, dtype: _wrap(
        f(_as_kind(_cast(_a(a), dtype), kind), axis=_axes(axis), keepdims=bool(keepdims))
    )


_SUM, _PROD, _MEAN = _reduced("sum", "wide"), _reduced("prod", "wide"), _reduced("mean", "float")
_NANSUM, _NANPROD, _NANMEAN = _reduced("nansum", "wide"), _reduced("nanprod", "wide"), _reduced("nanmean", "float")


def _var(a, axis, ddof, keepdims, dtype):
    t = _as_kind(_cast(_a(a), dtype), "float")
    return _wrap(_core.var(t, axis=_axes(axis), correction=ddof, keepdims=bool(keepdims)))


def _clipped(a, low, high):
    t = _tensor(a)
    if low is None and high is None:
        return _wrap(t)
    for f, bound in ((_core.maximum, low), (_core.minimum, high)):
        if bound is not None:
            t = f(*_together(_wrap(t), bound))
    return _wrap(t)


def _array(val, dtype, ndmin):
    t = _tensor(val, None if dtype is None else _kind(dtype, None))
    return _wrap(_core.reshape(t, (1,) * (ndmin - t.ndim) + tuple(t.shape)) if ndmin > t.ndim else t)


def _arange(start, stop, step, dtype):
    kind = _kind(dtype, _joined(*(x for x in (start, stop, step) if x is not None)))
    return _ops.arange(start, stop, step, kind)


def _spaced(f, start, stop, dtype, *others, **more):
    kind = _kind(dtype, _preferred("float64") if dtype is None else dtype)
    return f(_tensor(start, "float64"), _tensor(stop, "float64"), *others, dtype=kind, **more)


def _at_least(rank, arys):
    out = []
    for x in arys:
        t = _tensor(x)
        if t.ndim < rank:
            shape = {0: (1,) * rank, 1: (1, t.size) if rank == 2 else (1, t.size, 1), 2: (*t.shape, 1)}[t.ndim]
            t = _core.reshape(t, shape)
        out.append(_wrap(t))
    return out[0] if len(out) == 1 else out


def _ix(args):
    rank = len(args)
    return [_ops.reshape(_a(x), [-1 if i == j else 1 for j in range(rank)]) for i, x in enumerate(args)]


def _polyval(p, x):
    out = None
    coefficients, at = _together(p, x)
    for c in _core.unstack(coefficients):
        out = c + _core.zeros_like(at) if out is None else out * at + c
    return _wrap(out)


def _compressed(condition, a, axis):
    places = [i for i, c in enumerate(_tensor(condition).tolist()) if c]
    return _ops.take(_a(a), _a(places), axis=axis)


def _floats(f, *xs, **options):
    return f(*(_wrap(t) for t in _together(*xs, kind="float")), **options)


def _average(a, axis, weights, returned):
    given = [_wrap(t) for t in _together(a, *([] if weights is None else [weights]), kind="float")]
    out = _ops.average(given[0], axis, *given[1:])
    if not returned:
        return out
    total = given[0]._t.size / out._t.size if weights is None else _core.sum(given[1]._t)
    return out, _wrap(_core.broadcast_to(_tensor(total, out.dtype.name), tuple(out.shape)))


def _divided(x1, x2):
    return globals()["floor_divide"](x1, x2), globals()["mod"](x1, x2)


def _sorted(a, axis, kind, order, f):
    if order is not None:
        raise _core.UnimplementedError("sort: arrays have no fields; leave out order")
    return f(_a(a), axis)


def _traced(diagonals):
    return _wrap(_core.sum(diagonals, axis=-1, dtype=diagonals.dtype))


def _selected(condlist, choicelist, default):
    *choices, other = _all([*choicelist, default])
    return _ops.select([_a(c) for c in condlist], choices, other)


_FUNCTIONS: dict[str, tuple[str, Any]] = {
    "allclose": ("Whether isclose holds everywhere.", lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: _floats(
        _ops.allclose, a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)),
    "amax": ("The largest along axes.", lambda a, axis=None, out=None, keepdims=None: globals()["max"](a, axis, keepdims)),
    "amin": ("The smallest along axes.", lambda a, axis=None, out=None, keepdims=None: globals()["min"](a, axis, keepdims)),
    "angle": ("The angles of complex numbers.", lambda z, deg=False: globals()["rad2deg"](_floats(_ops.angle, z))
        if deg else _floats(_ops.angle, z)),
    "append": ("values after the array.", lambda arr, values, axis=None: _ops.append(*_all([arr, values]), axis=axis)),
    "arange": ("start, start + step, ... below stop.", lambda start, stop=None, step=1, dtype=None: _arange(
        start, stop, step, dtype)),
    "argmax": ("The place of the largest.", lambda a, axis=None: _long(_ops.argmax(_a(a), axis))),
    "argmin": ("The place of the smallest.", lambda a, axis=None: _long(_ops.argmin(_a(a), axis))),
    "argsort": ("The places in rising order.", lambda a, axis=-1, kind="quicksort", order=None: _long(
        _sorted(a, axis, kind, order, _ops.argsort))),
    "around": ("The nearest number of so many decimals.", lambda a, decimals=0: _ops.round(_a(a), decimals)),
    "array": ("A tensor of numbers, lists or arrays.", lambda val, dtype=None, copy=True, ndmin=0: _array(val, dtype, ndmin)),
    "array_equal": ("Whether shapes and elements are the same.", lambda a1, a2: _wrap(_core.asarray(
        tuple(_tensor(a1).shape) == tuple(_tensor(a2).shape))) if tuple(_tensor(a1).shape) != tuple(_tensor(a2).shape)
        else globals()["all"](globals()["equal"](a1, a2))),
    "asanyarray": ("A tensor of numbers, lists or arrays.", lambda a, dtype=None: _array(a, dtype, 0)),
    "asarray": ("A tensor of numbers, lists or arrays.", lambda a, dtype=None: _array(a, dtype, 0)),
    "ascontiguousarray": ("A tensor with an axis at least.", lambda a, dtype=None: _array(a, dtype, 1)),
    "atleast_1d": ("With an axis at least.", lambda *arys: _at_least(1, arys)),
    "atleast_2d": ("With two axes at least.", lambda *arys: _at_least(2, arys)),
    "atleast_3d": ("With three axes at least.", lambda *arys: _at_least(3, arys)),
    "average": ("The mean with weights.", lambda a, axis=None, weights=None, returned=False: _average(
        a, axis, weights, returned)),
    "broadcast_arrays": ("Arrays of the shape that they have together.", lambda *args, **kwargs: [
        _wrap(t) for t in _core.broadcast_arrays(*map(_tensor, args))]),
    "broadcast_to": ("The elements repeated to a shape.", lambda array, shape: _ops.broadcast_to(_a(array), shape)),
    "clip": ("Elements within bounds.", lambda a, a_min, a_max: _clipped(a, a_min, a_max)),
    "compress": ("The parts for which the condition holds.", lambda condition, a, axis=None: _compressed(condition, a, axis)),
    "concatenate": ("Arrays one after the other.", lambda arys, axis=0: _ops.concatenate(_all(arys), axis)),
    "copy": ("The same elements.", lambda a: _a(a)),
    "count_nonzero": ("How many are not zero.", lambda a, axis=None: _long(_ops.count_nonzero(_a(a), axis))),
    "cross": ("The vector product.", lambda a, b, axisa=-1, axisb=-1, axisc=-1, axis=None: _ops.cross(
        *_all([a, b]), axisa, axisb, axisc, axis)),
    "cumprod": ("Products of all up to each.", lambda a, axis=None, dtype=None: _ops.cumprod(
        _wrap(_as_kind(_cast(_a(a), dtype), "wide")), axis)),
    "cumsum": ("Sums of all up to each.", lambda a, axis=None, dtype=None: _ops.cumsum(
        _wrap(_as_kind(_cast(_a(a), dtype), "wide")), axis)),
    "diag": ("The matrix of a diagonal, or the diagonal of a matrix.", lambda v, k=0: _ops.diag(_a(v), k)),
    "diag_indices": ("The places of a diagonal.", lambda n, ndim=2: (_arange(n, None, 1, "int32"),) * ndim),
    "diagflat": ("The matrix of a diagonal of all elements.", lambda v, k=0: _ops.diagflat(_a(v), k)),
    "diagonal": ("The diagonals of matrices.", lambda a, offset=0, axis1=0, axis2=1: _ops.diagonal(
        _a(a), offset, axis1, axis2)),
    "diff": ("Differences of neighbours.", lambda a, n=1, axis=-1: _ops.diff(_a(a), n, axis)),
    "divmod": ("(floor_divide, mod).", lambda x1, x2: _divided(x1, x2)),
    "dot": ("The product over the last axis and the last but one.", lambda a, b: _ops.dot(*_all([a, b]))),
    "dsplit": ("split along the third axis.", lambda ary, indices_or_sections: _ops.dsplit(_a(ary), indices_or_sections)),
    "dstack": ("Arrays along the third axis.", lambda tup: _ops.dstack(_all(tup))),
    "einsum": ("A sum of products by Einstein's convention.", lambda subscripts, *operands, **kwargs: _ops.einsum(
        subscripts, *_all(operands))),
    "empty": ("Zeros.", lambda shape, dtype=float: _ops.zeros(shape, _kind(dtype, float))),
    "empty_like": ("Zeros in the shape of an array.", lambda a, dtype=None: _cast(_ops.zeros_like(_a(a)), dtype)),
    "expand_dims": ("With new axes of one element.", lambda a, axis: _ops.expand_dims(_a(a), axis)),
    "eye": ("Ones on a diagonal.", lambda N, M=None, k=0, dtype=float: _ops.eye(N, M, k, _kind(dtype, float))),
    "flatten": ("The elements in a row.", lambda a, order="C": _ops.ravel(_a(a))),
    "flip": ("In reverse along axes.", lambda m, axis=None: _ops.flip(_a(m), axis)),
    "fliplr": ("In reverse along the second axis.", lambda m: _ops.fliplr(_a(m))),
    "flipud": ("In reverse along the first axis.", lambda m: _ops.flipud(_a(m))),
    "float_power": ("x1^x2; of integers an integer, as in TensorFlow.", lambda x1, x2: globals()["power"](x1, x2)),
    "full": ("One number everywhere.", lambda shape, fill_value, dtype=None: _ops.broadcast_to(
        _cast(_a(fill_value), dtype), [shape] if isinstance(shape, int) else shape)),
    "full_like": ("One number in the shape of an array.", lambda a, fill_value, dtype=None, order="K", subok=True,
        shape=None: _ops.broadcast_to(_cast(_a(fill_value), dtype or _a(a).dtype), shape or _a(a).shape)),
    "geomspace": ("num numbers with equal ratios.", lambda start, stop, num=50, endpoint=True, dtype=None, axis=0: _spaced(
        _ops.geomspace, start, stop, dtype, num, endpoint, axis=axis)),
    "hsplit": ("split along the second axis.", lambda ary, indices_or_sections: _ops.hsplit(_a(ary), indices_or_sections)),
    "hstack": ("Arrays side by side.", lambda tup: _ops.hstack(_all(tup))),
    "identity": ("Ones on the diagonal.", lambda n, dtype=float: _ops.eye(n, dtype=_kind(dtype, float))),
    "imag": ("The imaginary part.", lambda val: _ops.imag(_a(val))),
    "inner": ("The product over the last axes.", lambda a, b: _ops.inner(*_all([a, b]))),
    "isclose": ("Whether |a - b| <= atol + rtol |b|.", lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: _floats(
        _ops.isclose, a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)),
    "iscomplex": ("Whether the imaginary part is not 0.", lambda x: _ops.logical_not(_ops.isreal(_a(x)))),
    "ix_": ("Vectors as the axes of a grid.", lambda *args: _ix(args)),
    "kron": ("The Kronecker product.", lambda a, b: _ops.kron(*_all([a, b]))),
    "linspace": ("num numbers at equal distances.", lambda start, stop, num=50, endpoint=True, retstep=False, dtype=float,
        axis=0: _spaced(_ops.linspace, start, stop, dtype, num, endpoint, retstep, axis=axis)),
    "logspace": ("base to the powers of linspace.", lambda start, stop, num=50, endpoint=True, base=10.0, dtype=None,
        axis=0: _spaced(_ops.logspace, start, stop, dtype, num, endpoint, base, axis=axis)),
    "matmul": ("The product of matrices.", lambda x1, x2: _ops.matmul(*_all([x1, x2]))),
    "mean": ("The mean.", lambda a, axis=None, dtype=None, out=None, keepdims=None: _MEAN(a, axis, keepdims, dtype)),
    "meshgrid": ("Coordinates of a grid.", lambda *xi, **kwargs: _ops.meshgrid(*map(_a, xi), **kwargs)),
    "moveaxis": ("Axes in other places.", lambda a, source, destination: _ops.moveaxis(_a(a), source, destination)),
    "nanmean": ("The mean without NaN.", lambda a, axis=None, dtype=None, keepdims=None: _NANMEAN(a, axis, keepdims, dtype)),
    "nanprod": ("The product without NaN.", lambda a, axis=None, dtype=None, keepdims=False: _NANPROD(
        a, axis, keepdims, dtype)),
    "nansum": ("The sum without NaN.", lambda a, axis=None, dtype=None, keepdims=False: _NANSUM(a, axis, keepdims, dtype)),
    "nonzero": ("The places of elements that are not zero.", lambda a: [_long(i) for i in _ops.nonzero(_a(a))]),
    "ones": ("Ones.", lambda shape, dtype=float: _ops.ones(shape, _kind(dtype, float))),
    "ones_like": ("Ones in the shape of an array.", lambda a, dtype=None: _cast(_ops.ones_like(_a(a)), dtype)),
    "outer": ("All products of elements.", lambda a, b: _ops.outer(*_all([a, b]))),
    "pad": ("With elements before and after.", lambda array, pad_width, mode, **kwargs: _ops.pad(
        _a(array), pad_width, mode, **kwargs)),
    "polyval": ("The polynomial of these coefficients.", lambda p, x: _polyval(p, x)),
    "prod": ("The product.", lambda a, axis=None, dtype=None, keepdims=None: _PROD(a, axis, keepdims, dtype)),
    "ravel": ("The elements in a row.", lambda a: _ops.ravel(_a(a))),
    "real": ("The real part.", lambda val: _ops.real(_a(val))),
    "repeat": ("Each element so many times.", lambda a, repeats, axis=None: _ops.repeat(_a(a), repeats, axis)),
    "reshape": ("The elements in another shape.", lambda a, newshape, order="C": _ops.reshape(_a(a), newshape)),
    "roll": ("The elements moved along axes.", lambda a, shift, axis=None: _ops.roll(_a(a), shift, axis)),
    "rot90": ("Turned by right angles.", lambda m, k=1, axes=(0, 1): _ops.rot90(_a(m), k, axes)),
    "round": ("The nearest number of so many decimals.", lambda a, decimals=0: _ops.round(_a(a), decimals)),
    "select": ("Of the first condition that holds the choice.", lambda condlist, choicelist, default=0: _selected(
        condlist, choicelist, default)),
    "sort": ("The elements in rising order.", lambda a, axis=-1, kind="quicksort", order=None: _sorted(
        a, axis, kind, order, _ops.sort)),
    "split": ("Parts along an axis.", lambda ary, indices_or_sections, axis=0: _ops.split(
        _a(ary), indices_or_sections, axis)),
    "squeeze": ("Without axes of one element.", lambda a, axis=None: _ops.squeeze(_a(a), axis)),
    "stack": ("Arrays along a new axis.", lambda arrays, axis=0: _ops.stack(_all(arrays), axis)),
    "sum": ("The sum.", lambda a, axis=None, dtype=None, keepdims=None: _SUM(a, axis, keepdims, dtype)),
    "swapaxes": ("Two axes in each other's place.", lambda a, axis1, axis2: _ops.swapaxes(_a(a), axis1, axis2)),
    "take": ("The elements of these places.", lambda a, indices, axis=None, out=None, mode="clip": _ops.take(
        _a(a), _a(indices), axis)),
    "take_along_axis": ("The elements of the places of each row.", lambda arr, indices, axis: _ops.take_along_axis(
        _a(arr), _a(indices), axis)),
    "tensordot": ("The product over some axes of each.", lambda a, b, axes=2: _ops.tensordot(*_all([a, b]), axes)),
    "tile": ("The array so many times.", lambda a, reps: _ops.tile(_a(a), reps)),
    "trace": ("The sum of a diagonal.", lambda a, offset=0, axis1=0, axis2=1, dtype=None: _traced(
        _ops.diagonal(_cast(_a(a), dtype), offset, axis1, axis2)._t)),
    "transpose": ("The axes in another order.", lambda a, axes=None: _ops.transpose(_a(a), axes)),
    "tri": ("Ones at and below a diagonal.", lambda N, M=None, k=0, dtype=None: _ops.tri(N, M, k, _kind(dtype, "float64"))),
    "tril": ("Zeros above a diagonal.", lambda m, k=0: _ops.tril(_a(m), k)),
    "triu": ("Zeros below a diagonal.", lambda m, k=0: _ops.triu(_a(m), k)),
    "vander": ("Powers as columns.", lambda x, N=None, increasing=False: _ops.vander(_a(x), N, increasing)),
    "var": ("The variance.", lambda a, axis=None, dtype=None, out=None, ddof=0, keepdims=None: _var(
        a, axis, ddof, keepdims, dtype)),
    "vdot": ("The product of two arrays as vectors.", lambda a, b: _ops.vdot(*_all([a, b]))),
    "vsplit": ("split along the first axis.", lambda ary, indices_or_sections: _ops.vsplit(_a(ary), indices_or_sections)),
    "vstack": ("Arrays one below the other.", lambda tup: _ops.vstack(_all(tup))),
    "where": ("x where the condition holds, else y.", lambda condition, x=None, y=None: globals()["nonzero"](condition)
        if x is None and y is None else _ops.where(_a(condition), *_all([x, y]))),
    "zeros": ("Zeros.", lambda shape, dtype=float: _ops.zeros(shape, _kind(dtype, float))),
    "zeros_like": ("Zeros in the shape of an array.", lambda a, dtype=None: _cast(_ops.zeros_like(_a(a)), dtype)),
}  # fmt: skip
for _name, (_doc, _f) in _FUNCTIONS.items():
    _defined(globals(), _name, _f, _doc)
__all__ = sorted(n for n, f in globals().items() if not n.startswith("_") and callable(f))
