"""tf.test.compute_gradient: Jacobians of the tape, and of differences."""

from __future__ import annotations

import typing as _t

from ._convert import constant, convert_to_tensor
from ._slices import IndexedSlices
from ._tape import GradientTape
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _array(x):
    """A NumPy array of what f gives; bfloat16 as float32."""
    import numpy as np

    from ._convert import cast

    t = convert_to_tensor(x)
    return np.asarray((cast(t, "float32") if t.dtype.name == "bfloat16" else t).numpy())


def _reals(array):
    """The numbers of an array in a row; a complex one is two."""
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype)


def _by_tape(f, xs, i, dtypes):
    import numpy as np

    tensors = [constant(x, dtype=d) for x, d in zip(xs, dtypes)]
    with GradientTape(persistent=True) as tape:
        tape.watch(tensors[i])
        y = convert_to_tensor(f(*tensors))
    seed = np.zeros(_array(y).shape, _array(y).dtype)
    rows, columns = _reals(seed).size, _reals(xs[i]).size
    out = np.zeros((rows, columns), xs[i].real.dtype)
    for row in range(rows):
        _reals(seed)[row] = 1
        g = tape.gradient(y, tensors[i], output_gradients=constant(seed, dtype=y.dtype))
        _reals(seed)[row] = 0
        if g is not None:
            out[row] = _reals(_array(convert_to_tensor(g) if isinstance(g, IndexedSlices) else g))
    return out


def _by_differences(f, xs, i, dtypes, delta):
    import numpy as np

    def value(x):
        given = [constant(x if j == i else a, dtype=d) for j, (a, d) in enumerate(zip(xs, dtypes))]
        return _reals(_array(f(*given)))

    columns = []
    for column in range(_reals(xs[i]).size):
        up, down = xs[i].copy(), xs[i].copy()
        _reals(up)[column] += delta
        _reals(down)[column] -= delta
        columns.append((value(up) - value(down)) / (2 * delta))
    count = _reals(_array(f(*[constant(a, dtype=d) for a, d in zip(xs, dtypes)]))).size
    return np.stack(columns, -1).astype(xs[i].real.dtype) if columns else np.zeros((count, 0), xs[i].real.dtype)


def compute_gradient(
    f: Callable[..., Any], x: Any, delta: float | None = None
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """(theoretical, numerical): for each of the list x the Jacobian of f(*x) by the tape, and by differences over `delta`.

    They are NumPy matrices [elements of y, elements of x]; a complex number is two elements. delta: 1/1024 unless given.
    Errors: ValueError for an x that is no list.
    """
    import numpy as np

    if not isinstance(x, (list, tuple)):
        raise ConversionError("compute_gradient: `x` must be a list or tuple of tensors, one for each argument of f")
    tensors = [convert_to_tensor(a) for a in x]
    dtypes = [t.dtype for t in tensors]
    xs = [np.array(_array(t)) for t in tensors]
    delta = 1.0 / 1024 if delta is None else delta
    of_tape = tuple(_by_tape(f, xs, i, dtypes) for i in range(len(xs)))
    return of_tape, tuple(_by_differences(f, xs, i, dtypes, delta) for i in range(len(xs)))
