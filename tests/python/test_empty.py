"""Tensors without elements: values and gradients of every function that takes them, eager and compiled."""

import numpy as np
import pytest

import reel
from surface import MODULES, functions, parameters

SHAPES = [(0,), (0, 1), (1, 0), (0, 0), (3, 0), (2, 0, 3), (0, 65, 2)]
GIVEN = {
    "axis": -1,
    "axes": (0,),
    "shape": (0,),
    "repetitions": (2,),
    "k": 0,
    "n": 0,
    "size": 1,
    "alpha": 0.5,
    "depth": 3,
    "low": -1.0,
    "high": 1.0,
    "dtype": reel.float32,
    "num_segments": 2,
}
# What calls a function, and what only eager code can do: the shape of its result depends on values.
NOT_COMPILED = {
    "reel.function",
    "reel.for_loop",
    "reel.unique_all",
    "reel.unique_counts",
    "reel.unique_inverse",
    "reel.unique_values",
}


def arguments(f, x):
    """What f needs, by name or x; None if its parameters are not known."""
    needed = parameters(f)
    if needed is None:
        return None
    known = {
        "condition": lambda: x > 0,
        "indices": lambda: reel.zeros(x.shape, dtype=reel.int64),
        "segment_ids": lambda: reel.zeros(x.shape[:1], dtype=reel.int64),
    }
    return [known[name]() if name in known else GIVEN.get(name, x) for name, _, default in needed if not default]


def parts(y):
    leaves = y if isinstance(y, (list, tuple)) else [y]
    return [
        reel.astype(v, reel.float64)
        for v in leaves
        if isinstance(v, reel.Tensor) and v.dtype in (reel.float32, reel.float64)
    ]


def gradient(f, x, order):
    """Of the sines of f's results, none if there is none."""
    with reel.GradientTape() as tape:
        tape.watch(x)
        out = parts(f(*arguments(f, x))) if order == 1 else parts(gradient(f, x, order - 1))
        y = sum((reel.sum(reel.sin(v)) for v in out), reel.asarray(0.0, reel.float64))
    g = tape.gradient(y, x)
    return reel.zeros_like(x) if g is None else reel.asarray(g)


def taken():
    """Functions that take some of the shapes, and those."""
    for name, f in functions(MODULES):
        if "random" in name or name in NOT_COMPILED:
            continue
        shapes = []
        for shape in SHAPES:
            x = reel.zeros(shape, dtype=reel.float32)
            try:
                if arguments(f, x) is not None and parts(f(*arguments(f, x))):
                    shapes.append(shape)
            except (reel.Error, TypeError, ValueError, AttributeError, IndexError):
                continue
        if shapes:
            yield name, f, shapes


TAKEN = list(taken())


def test_enough_functions_take_them():
    assert len(TAKEN) > 150


@pytest.mark.parametrize("name, f, shapes", TAKEN, ids=[t[0] for t in TAKEN])
def test_gradients(name, f, shapes):
    def all_of(*xs):
        return [gradient(f, x, order) for x in xs for order in (1, 2)]

    xs = [reel.zeros(shape, dtype=reel.float32) for shape in shapes]
    try:
        eager = all_of(*xs)
    except reel.Error:
        with pytest.raises(reel.Error):
            reel.function(all_of)(*xs)
        return
    for got, want, shape in zip(reel.function(all_of)(*xs), eager, [s for s in shapes for _ in (1, 2)]):
        assert got.shape == want.shape == shape
        assert np.asarray(got).tobytes() == np.asarray(want).tobytes()
