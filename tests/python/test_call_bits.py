"""Gradients of programs with calls: eager code, functions, graphs and recordings add up in one order, to the bit.

To a tape a call is one op: its own parts of a cotangent are added up before those of other ops come to them.
"""

import numpy as np
import pytest

import reel


def log_product(a, b):
    return reel.log(a * b + 3.0) * a + b * 0.3 + a * 0.7


def twice(a):
    y = reel.tanh(a) * a
    return [y, y * a, y]


def custom(c):
    @reel.custom_gradient
    def f(a):
        h = reel.sin(a)
        return h * a * c, lambda dy: dy * (reel.cos(a) * a * c + h * c + a * 0.01)

    return f


def recomputed(c):
    return reel.recompute_grad(lambda a: reel.tanh(a * a * 0.3 + c) * c + reel.sin(a) * c)


def loop(x, z, n, f):
    return reel.for_loop(n, lambda i, y: f(y, z) * 0.3 + y * z, x)


W = reel.Variable(np.linspace(0.3, 2.1, 50), dtype=reel.float32)

# Of x and z = sin(x).
CALLS = [
    ("function", lambda x, z: reel.function(log_product)(x, z)),
    (
        "function of one value twice",
        lambda x, z: reel.function(log_product)(x, x) + reel.function(log_product)(z, z) * x,
    ),
    ("function that captures", lambda x, z: reel.function(lambda a: reel.exp(a * z) * z + x * x * a + z * 0.3)(x)),
    ("function of several results", lambda x, z: sum(reel.function(twice)(x * z)[:2]) * x),
    ("function that returns one value twice", lambda x, z: sum(reel.function(twice)(z)) * 1.1 * x),
    ("function that returns an argument", lambda x, z: reel.function(lambda a, b: [a, a * b])(x, z)[0] * z * x),
    (
        "function of a product",
        lambda x, z: reel.function(
            lambda a, b: reel.tanh(reel.reshape(a, (5, 10)) @ reel.reshape(b, (10, 5))) * reel.sum(a * b)
        )(x, z),
    ),
    (
        "function in a function",
        lambda x, z: reel.function(lambda a: reel.function(log_product)(a, z) * a + reel.sin(a) * z + a * a)(x),
    ),
    ("function with a loop", lambda x, z: reel.function(lambda a: loop(a, z, 3, lambda p, q: reel.tanh(p * q)))(x)),
    ("function with a variable", lambda x, z: reel.function(lambda a: reel.sin(W * a) * W + W * W * x)(z)),
    ("function in a loop", lambda x, z: loop(x, z, 3, reel.function(log_product))),
    ("function in a branch", lambda x, z: reel.cond(x[0] > 0, lambda: reel.function(log_product)(x, z) * x, lambda: z)),
    ("custom gradient", lambda x, z: custom(z)(x) * x),
    ("custom gradient in a function", lambda x, z: reel.function(lambda a: custom(z)(a) * a + reel.sin(a))(x)),
    ("custom gradient in a loop", lambda x, z: loop(x, z, 3, lambda p, q: custom(0.7)(p) * q)),
    ("recomputed", lambda x, z: recomputed(0.7)(x) * z),
    ("recomputed that captures", lambda x, z: recomputed(z)(x) * z),
    ("recomputed in a function", lambda x, z: reel.function(lambda a: recomputed(z)(a) * a + reel.sin(a))(x)),
    ("recomputed in a loop", lambda x, z: loop(x, z, 3, lambda p, q: recomputed(0.7)(p) * q)),
    (
        "function in a recomputed one",
        lambda x, z: reel.recompute_grad(lambda a: reel.function(log_product)(a, z) * a + reel.sin(a))(x),
    ),
]
FIRST_ONLY = ("loop", "branch")  # gradients of their gradients compute the forward part again in a graph


def loss_of(y, x, z):
    return (
        reel.sum(y * 1.3)
        + reel.sum(reel.tanh(y)) * reel.sum(z)
        + reel.sum(reel.exp(x * z) * 0.7 + x * x * z)
        + reel.sum(W * x * z)
    )


def gradients(call, order):
    def run(x):
        with reel.GradientTape() as outer:
            outer.watch(x)
            with reel.GradientTape() as tape:
                tape.watch(x)
                z = reel.sin(x)
                loss = loss_of(call(x, z), x, z)
            first = tape.gradient(loss, [x, W])
            second = sum(reel.sum(d * reel.cos(d)) for d in first)
        return first + (outer.gradient(second, [x, W]) if order == 2 else [])

    return run


def bits(tensors):
    return [np.asarray(reel.asarray(t)).tobytes() for t in tensors]


@pytest.mark.parametrize("name", [r[0] for r in CALLS])
def test_gradients_have_the_bits_of_eager_code(name):
    call = dict(CALLS)[name]
    order = 1 if any(word in name for word in FIRST_ONLY) else 2
    run = gradients(call, order)
    x = reel.asarray(np.random.default_rng(0).uniform(0.1, 3, 50), dtype=reel.float32)
    eager = bits(run(x))
    assert bits(reel.function(run)(x)) == eager
    with reel.Recording() as recording:
        recorded = run(x)
    assert bits(recorded) == eager
    graphs = [reel.trace(run, [reel.TensorSpec((50,))]), recording.lift([x], recorded)]
    for graph in graphs:
        for level in (0, 2):
            compiled = reel.compile(graph, opt_level=level)
            compiled.load_from(graph.variables)
            assert bits(compiled(x)) == eager, (graph.name, level)
