"""Axes out of range, named twice, no integers or huge, and sizes that no machine has: always an error of Reel's own
that says what was wrong, at once."""

import math

import numpy as np
import pytest

import reel
from surface import MODULES, functions, parameters

X = reel.asarray(np.arange(1.0, 13.0).reshape(3, 4) / 13)
SQUARE = reel.asarray(np.eye(3) + 0.1)
INDEX = reel.asarray([[0, 1, 0, 1]] * 3)
# How to call what does not take one array of floats and its axis.
OPERANDS = {
    "reel.concat": ([X, X],),
    "reel.concatenate": ([X, X],),
    "reel.stack": ([X, X],),
    "reel.split": (X, 1),
    "reel.take": (X, reel.asarray([0, 1])),
    "reel.take_along_axis": (X, INDEX),
    "reel.roll": (X, 1),
    "reel.put_along_axis": (X, INDEX, X),
    "reel.scatter": (X, reel.asarray([0]), X[:1]),
    "reel.repeat": (X, 2),
    "reel.one_hot": (INDEX, 4),
    "reel.top_k": (X, 1),
    "reel.cross": (X[:, :3], X[:, :3]),
    "reel.vecdot": (X, X),
    "reel.linalg.cross": (X[:, :3], X[:, :3]),
    "reel.linalg.vecdot": (X, X),
    "reel.nn.cosine_similarity": (X, X),
    "reel.any": (X > 0,),
    "reel.all": (X > 0,),
    "reel.squeeze": (reel.reshape(X, (3, 4, 1)),),
    "reel.fft.irfft": (reel.asarray(np.ones((3, 4), np.complex64)),),
    "reel.nn.batch_normalize": (X, X[0], X[0]),
    "reel.nn.group_normalize": (X, 1),
    "reel.tensordot": (X, X),
    "reel.linalg.tensordot": (X, X),
    "reel.moveaxis": (X,),
    "reel.swapaxes": (X,),
    "reel.extent_of": (X,),
    "reel.nn.resize": (reel.reshape(X, (1, 3, 4, 1)), [2, 2]),
}
# Functions whose parameter of that name is no axis of an operand, or which take one per argument.
NO_AXIS = {
    "reel.vmap",
    "reel.vectorized_map",
    "reel.function",
    "reel.while_loop",
    "reel.tensordot",
    "reel.linalg.tensordot",
}
SEVERAL = ("axes", "IntsLike", "AxisLike")


def walked():
    for name, f in functions(MODULES):
        for parameter, annotation, _ in parameters(f) or []:
            if parameter in ("axis", "axes") and name not in NO_AXIS:
                yield name, f, parameter, annotation


def call(name, f, parameter, axis):
    operands = OPERANDS.get(name, (X,))
    return f(*operands, **{parameter: axis})


CASES = list(walked())


def test_enough_functions_are_walked():
    assert len(CASES) >= 60


@pytest.mark.parametrize("name, f, parameter, annotation", CASES, ids=[c[0] for c in CASES])
def test_axes(name, f, parameter, annotation):
    rank = 3 if name in ("reel.squeeze", "reel.expand_dims", "reel.stack", "reel.one_hot") else 2
    rank = 4 if name == "reel.nn.resize" else rank
    wrong = [rank, -rank - 1, 2**31, 2**62, -(2**63), 10**30, 0.5, "0", [0.5], ["x"], [[0]], object()]
    several = parameter == "axes" or any(s in annotation for s in SEVERAL) or not annotation
    if several:
        wrong += [[0, rank + 1], (0, -rank - 2)]
        wrong += [] if name == "reel.roll" else [[0, 0]]  # NumPy's roll moves twice
        wrong = [[w, 1] if isinstance(w, int) and name == "reel.nn.resize" else w for w in wrong]
    for axis in wrong:
        with pytest.raises((ValueError, TypeError, IndexError)) as error:
            out = call(name, f, parameter, axis)
            pytest.fail(f"{name}({parameter}={axis!r}) gave {out!r}")
        axis = axis[0] if name == "reel.nn.resize" and isinstance(axis, list) else axis
        if isinstance(axis, int) and rank <= abs(axis) < 2**62:
            text = str(error.value)
            assert str(axis) in text and "axis" in text.lower(), (axis, text)


HUGE = 2**40
MAKERS = {
    "zeros": lambda: reel.zeros((HUGE, 4)),
    "ones": lambda: reel.ones((HUGE, 4)),
    "empty": lambda: reel.empty((HUGE, 4)),
    "full": lambda: reel.full((HUGE, 4), 2.0),
    "full_like": lambda: reel.full_like(reel.broadcast_to(X[0, 0], (HUGE, 4)), 1),
    "eye": lambda: reel.eye(2**21),
    "linspace": lambda: reel.linspace(0, 1, HUGE),
    "arange": lambda: reel.arange(HUGE),
    "arange float": lambda: reel.arange(0.0, 1.0, 1e-13),
    "arange int64": lambda: reel.arange(-(2**62), 2**62),
    "one_hot": lambda: reel.one_hot(reel.asarray([0, 1, 2, 3]), HUGE),
    "tile": lambda: reel.tile(X, (HUGE, 1)),
    "tile twice": lambda: reel.tile(X, (2**31, 2**31)),
    "repeat": lambda: reel.repeat(X, HUGE, axis=0),
    "repeat overflow": lambda: reel.repeat(X, 2**62, axis=0),
    "repeats": lambda: reel.repeat(X, [HUGE, 1, 1], axis=0),
    "broadcast_to": lambda: reel.broadcast_to(X[0], (HUGE, 4)) + 1,
    "pad": lambda: reel.pad(X, HUGE),
    "pad reflect": lambda: reel.pad(X, HUGE, mode="wrap"),
    "pad edge": lambda: reel.pad(X, ((0, 2**62), (0, 0)), mode="edge"),
    "diag": lambda: reel.diag(reel.asarray([1.0]), k=2**40),
    "outer": lambda: reel.outer(reel.zeros(2**21), reel.zeros(2**21)),
    "add": lambda: reel.zeros((2**21, 1)) + reel.zeros((1, 2**21)),
    "fft": lambda: reel.fft.fft(X, n=HUGE),
    "irfft": lambda: reel.fft.irfft(reel.asarray(np.ones(3, np.complex64)), n=HUGE),
    "resize": lambda: reel.nn.resize(reel.ones((1, 2, 2, 1)), (HUGE, 2)),
    "resize overflow": lambda: reel.nn.resize(reel.ones((1, 2, 2, 1)), (2, 2**62), method="nearest"),
    "normal": lambda: reel.random.normal((HUGE, 4)),
    "randint": lambda: reel.random.randint((HUGE, 4), 0, 5),
    "permutation": lambda: reel.random.permutation(HUGE),
    "bincount": lambda: reel.bincount(reel.asarray([1, 2]), length=HUGE),
    "segment_sum": lambda: reel.segment_sum(X, reel.asarray([0, 1, 2]), HUGE),
    "scatter_nd": lambda: reel.scatter_nd(reel.asarray([[0]]), reel.asarray([1.0]), (HUGE, 4)),
    "meshgrid": lambda: reel.meshgrid(reel.zeros(2**21), reel.zeros(2**21)),
}


@pytest.mark.parametrize("name", list(MAKERS))
def test_huge_sizes(name):
    """The error is that of memory, or of a shape that is too large, and says how much; it comes before any work."""
    with pytest.raises((reel.ResourceExhaustedError, reel.InvalidArgumentError)) as error:
        MAKERS[name]()[0].tolist() if name == "meshgrid" else np.asarray(MAKERS[name]())
    assert any(ch.isdigit() for ch in str(error.value)), error.value


def test_huge_sizes_of_nothing():
    """No work grows with a size of which there are none."""
    assert reel.fft.irfft(reel.zeros((0, 3)), n=2**31).shape == (0, 2**31)


def test_kinds_of_dtypes_do_not_nest():
    kinds = ("bool",)
    assert reel.isdtype(reel.bool, kinds) and not reel.isdtype(reel.int8, kinds)
    for _ in range(200_000):
        kinds = (kinds,)
    with pytest.raises((TypeError, RecursionError)):  # or what its repr raises
        reel.isdtype(reel.float32, kinds)


@pytest.mark.parametrize(
    "start, stop, step",
    [
        (0, math.inf, 1),
        (0, math.nan, 1),
        (math.nan, 1, 1),
        (0, 1, math.nan),
        (-math.inf, 0, 1),
        (0, 1.0, math.inf),
        (0.0, 1e300, 1e-10),
        (0.0, 1.0, 0.0),
        (0, 1, 0),
        (-1e308, 1e308, 1e-308),
    ],
)
def test_ranges_that_are_none(start, stop, step):
    with pytest.raises((reel.ResourceExhaustedError, reel.InvalidArgumentError), match="arange"):
        reel.arange(start, stop, step)


@pytest.mark.parametrize(
    "start, stop, num, endpoint",
    [
        (0, 1, 5, True),
        (0, 1, 5, False),
        (-3.5, 7.25, 1000, True),
        (2, 2, 3, True),
        (1, 0, 7, True),
        (0, 1, 1, True),
        (0, 1, 0, True),
        (0.1, 0.3, 10, True),
    ],
)
def test_linspace(start, stop, num, endpoint):
    for run in (
        reel.linspace(start, stop, num, dtype=reel.float64, endpoint=endpoint),
        reel.function(lambda: reel.linspace(start, stop, num, dtype=reel.float64, endpoint=endpoint))(),
    ):
        np.testing.assert_allclose(np.asarray(run), np.linspace(start, stop, num, endpoint=endpoint), rtol=1e-15)
        if endpoint and num > 1:
            assert run[-1].item() == stop
    ints = reel.linspace(0, 10, 4, dtype=reel.int32)
    assert ints.tolist() == np.linspace(0, 10, 4, dtype=np.int32).tolist()
