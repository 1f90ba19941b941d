"""What tf.test.TestCase compares: arrays of tensors, and where they differ."""

from __future__ import annotations

import typing as _t

from ._slices import IndexedSlices
from ._tensor import TensorLike

if _t.TYPE_CHECKING:
    from typing import Any


def is_plain(value: Any) -> bool:
    """Whether no tensor is in a value, so that NumPy makes an array of it."""
    from . import nest

    return not any(isinstance(x, (TensorLike, IndexedSlices)) or hasattr(x, "graph") for x in nest.flatten(value))


def value_of(x: Any) -> Any:
    """The array of a tensor, or the value itself."""
    if isinstance(x, IndexedSlices):
        return IndexedSlices(value_of(x.values), value_of(x.indices), x.dense_shape)
    if isinstance(x, TensorLike) and x.dtype.name == "bfloat16":
        from ._convert import cast

        return cast(x, "float32").numpy()
    return x.numpy() if hasattr(x, "numpy") else x


def array_of(value: Any) -> Any:
    """The NumPy array of an evaluated value."""
    import numpy

    array = value if isinstance(value, numpy.ndarray) else numpy.asarray(value)
    return array.astype(numpy.float32) if array.dtype.name == "bfloat16" else array


def dtype_name(value: Any, given: Any) -> str:
    """The name of a value's dtype, bfloat16 too."""
    own = getattr(getattr(given, "dtype", None), "name", "")
    return own or array_of(value).dtype.name


def _same_shape(case, a, b, msg):
    case.assertEqual(a.shape, b.shape, f"{msg + ': ' if msg else ''}Shape mismatch: expected {a.shape}, got {b.shape}.")


def check_close(case: Any, a: Any, b: Any, rtol: float, atol: float, msg: str | None) -> None:
    """AssertionError unless shapes are the same and elements are near."""
    import numpy

    _same_shape(case, a, b, msg)
    if numpy.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
        return
    with numpy.errstate(invalid="ignore"):
        wrong = ~numpy.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        x, y = a[wrong], b[wrong]
        worst = numpy.abs(x - y).max()
    raise AssertionError(
        f"{msg + chr(10) if msg else ''}Not equal to tolerance rtol={rtol}, atol={atol}: {int(wrong.sum())} of {a.size} "
        f"elements differ, by {worst} at most\nnot close lhs = {x[:10]}\nnot close rhs = {y[:10]}"
    )


def check_equal(case: Any, a: Any, b: Any, msg: str | None) -> None:
    """AssertionError unless shapes and elements are the same."""
    import numpy

    _same_shape(case, a, b, msg)
    if a.dtype.kind in "SUO" or b.dtype.kind in "SUO":
        a, b = (numpy.vectorize(_bytes, otypes=[object])(x) if x.size else x for x in (a, b))
    same = numpy.asarray(a == b)
    if a.dtype.kind in "fc" and b.dtype.kind in "fc":
        same = same | (numpy.isnan(a) & numpy.isnan(b))
    if not same.all():
        x, y = a[~same], b[~same]
        raise AssertionError(
            f"{msg + chr(10) if msg else ''}{x.size} of {a.size} elements differ\nnot equal lhs = {x[:10]}\n"
            f"not equal rhs = {y[:10]}"
        )


def _bytes(x):
    return x.encode() if isinstance(x, str) else x


def check_range(array: Any, low: tuple[float, bool], high: tuple[float, bool]) -> None:
    """AssertionError unless each element is within bounds, (number, whether it is out itself)."""
    import numpy

    if array.dtype.kind not in "fiu":
        raise AssertionError(f"The value of {array.dtype} does not have an ordered numeric type.")
    if numpy.isnan(array).any():
        raise AssertionError("There are NaN elements.")
    wrong = (array <= low[0] if low[1] else array < low[0]) | (array >= high[0] if high[1] else array > high[0])
    if wrong.any():
        bounds = f"{'(' if low[1] else '['}{low[0]}, {high[0]}{')' if high[1] else ']'}"
        raise AssertionError(f"{int(wrong.sum())} element(s) are not in {bounds}: {array[wrong][:10]}")
