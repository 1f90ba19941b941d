"""A Python number is weak wherever it is taken: the result has the array's dtype, and the bits that the number has in
that dtype. All public functions, in every position that takes a number beside an array."""

import numpy as np
import pytest

import reel
import reel.tf as tf
from surface import MODULES, TF_MODULES, functions, parameters

DTYPES = ["float64", "float32", "float16", "bfloat16"]
NUMBER = 0.4  # in no binary format
SKIP = {
    "reel.wait_for_compiler",
    "reel.save",
    "reel.compile",
    "reel.export",
    "reel.check_numerics",
    "tf.print",
    "tf.no_op",
    "tf.fill",
    "tf.nn.dropout",
}  # a shape, and a draw


def bits(x):
    return x.dtype.name, x.shape, np.asarray(reel.astype(reel.asarray(x), reel.float64)).tobytes()


def results(y):
    y = list(y) if isinstance(y, (list, tuple)) else [y]
    return [reel.asarray(t) for t in y]


def attempt(f, *args, **kwargs):
    try:
        return [bits(t) for t in results(f(*args, **kwargs))]
    except (TypeError, ValueError, RuntimeError, AttributeError, IndexError, NotImplementedError):
        return None


def arrays(dtype):
    return [reel.asarray(v, getattr(reel, dtype)) for v in ([0.3, 0.7, 0.55], [0.25, 0.6, 0.8], [0.45, 0.15, 0.9])]


def walk(name, f, dtype):
    """(calls compared, mismatches): up to three operands, each of them once the number and once a scalar array."""
    params = parameters(f)
    if params is None or name in SKIP:
        return 0, []
    kinds = [p for p in params if not p[2]] or params[:1]
    bad, compared = [], 0
    scalar = reel.asarray(NUMBER, getattr(reel, dtype))
    for count in range(max(2, len(kinds)), min(len(params), 3) + 1):
        xs = arrays(dtype)[:count]
        for at in range(count):
            weak = attempt(f, *xs[:at], NUMBER, *xs[at + 1 :])
            strong = attempt(f, *xs[:at], scalar, *xs[at + 1 :])
            if strong is None:
                continue  # takes no tensor there
            compared += 1
            if weak != strong:
                bad.append(f"{name} {dtype} of {count}, number at {at}: {weak} is not {strong}")
    return compared, bad


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_function_of_arrays(dtype):
    compared, bad = 0, []
    for name, f in functions(MODULES):
        n, wrong = walk(name, f, dtype)
        compared, bad = compared + n, bad + wrong
    assert not bad, "\n".join(bad)
    assert compared > 100


def test_every_function_of_tensorflow():
    bad, compared = [], 0
    for name, f in functions(TF_MODULES):
        if name in SKIP or not parameters(f):
            continue
        x = tf.constant([0.3, 0.7, 0.55], tf.float64)
        y = tf.constant([0.25, 0.6, 0.8], tf.float64)
        scalar = tf.constant(NUMBER, tf.float64)
        for weak, strong in (
            ((x, NUMBER), (x, scalar)),
            ((NUMBER, x), (scalar, x)),
            ((x, NUMBER, y), (x, scalar, y)),
            ((x, y, NUMBER), (x, y, scalar)),
        ):
            if weak[0] is NUMBER and [p[0] for p in parameters(f)[:2]] != ["x", "y"]:
                continue  # a function of one tensor: the number would be that
            want = attempt(f, *strong)
            if want is None:
                continue
            compared += 1
            got = attempt(f, *weak)
            if got != want:
                bad.append(f"{name}: {got} is not {want}")
    assert not bad, "\n".join(bad)
    assert compared > 40


def numbers_in_lists(x, number):
    yield "stack", reel.stack([x[0], number])
    yield "concat", reel.concat([x, reel.reshape(x[:1], (1,))]) if number is None else reel.stack([x[0], number, x[1]])
    yield "asarray", reel.asarray([x[0], number])
    yield "einsum", reel.einsum("i,->i", x, number)
    yield "clip of a number", reel.clip(number, x, 0.3)
    yield "clip bounds", reel.clip(x, 0.3, number)
    yield "lerp of numbers", reel.lerp(number, x, 0.7)
    yield "where", reel.where(x > 0.5, number, x)
    yield "pad", reel.pad(x, 1, constant_values=number if isinstance(number, float) else NUMBER)
    yield "power", x**number
    yield "reflected", number**x
    yield "full_like", reel.full_like(x, number)


@pytest.mark.parametrize("dtype", DTYPES)
def test_beside_others(dtype):
    x = arrays(dtype)[0]
    scalar = reel.asarray(NUMBER, x.dtype)
    for (name, got), (_, want) in zip(numbers_in_lists(x, NUMBER), numbers_in_lists(x, scalar)):
        assert bits(got) == bits(want), name
    one_hot = reel.one_hot(reel.asarray([1, 0]), 2, NUMBER, dtype=x.dtype)
    assert one_hot.dtype is x.dtype and bits(one_hot[0, 1]) == bits(scalar)


@pytest.mark.parametrize("dtype", DTYPES)
def test_in_a_function_and_its_gradient(dtype):
    a, b, _ = arrays(dtype)

    def loss(weight):
        with reel.GradientTape() as tape:
            tape.watch(a)
            y = reel.lerp(a, b, weight) * weight
        return y, tape.gradient(y, a, output_gradients=None)

    want = loss(reel.asarray(NUMBER, a.dtype))
    for got in (loss(NUMBER), reel.function(lambda: loss(NUMBER))()):
        assert [bits(t) for t in got] == [bits(t) for t in want]


def test_seeds_and_tangents():
    x = reel.asarray([1.0, 2.0], reel.float64)
    with reel.GradientTape() as tape:
        tape.watch(x)
        y = reel.sum(x * x)
    assert tape.gradient(y, x, output_gradients=0.1).tolist() == (2 * 0.1 * np.array([1.0, 2.0])).tolist()
    s = reel.asarray(2.0, reel.float64)
    assert reel.jvp(lambda v: v * 3, (s,), (0.1,))[1].item() == 3 * 0.1


def test_double_is_rounded_once():
    # float32 first would round to the tie, and the tie to even
    assert reel.asarray(1 + 2**-11 + 2**-40, reel.float16).item() == 1 + 2**-10
    assert reel.asarray([1 + 2**-8 + 2**-40], reel.bfloat16).item() == 1 + 2**-7
