"""custom_gradient, recompute_grad, grad_pass_through."""

import gc
import math
import weakref

import numpy as np
import pytest

import reel


def gradient(f, *xs):
    """f's value and the gradients of its arguments."""
    with reel.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return y, tape.gradient(y, list(xs))


@reel.custom_gradient
def quadrupled(x):
    return x * x, lambda dy: 4 * dy


def test_the_gradient_is_the_users():
    y, (g,) = gradient(quadrupled, reel.asarray(3.0))
    assert y.item() == 9 and g.item() == 4

    @reel.custom_gradient()
    def swapped(a, b):
        return a * b, lambda dy: (dy * a, dy * b)

    _, (da, db) = gradient(swapped, reel.asarray(3.0), reel.asarray(5.0))
    assert da.item() == 3 and db.item() == 5
    assert quadrupled(np.float32(2)).item() == 4 and quadrupled(2.0).item() == 4
    assert swapped.__name__ == "swapped"


def test_log1pexp_is_stable():
    @reel.custom_gradient
    def log1pexp(x):
        e = reel.exp(x)
        return reel.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    _, (g,) = gradient(log1pexp, reel.asarray(100.0))
    assert g.item() == 1.0
    x = reel.asarray(0.5)
    with reel.GradientTape() as outer:
        outer.watch(x)
        _, (g,) = gradient(log1pexp, x)
    s = 1 / (1 + math.exp(-0.5))
    assert math.isclose(outer.gradient(g, x).item(), s * (1 - s), rel_tol=1e-5)  # through the gradient function


def test_methods_and_keywords():
    class Scale:
        k = 2.0

        @reel.custom_gradient
        def __call__(self, x, factor=1.0):
            return x * self.k * factor, lambda dy: 7 * dy

    x = reel.asarray([1.0, 2.0])
    y, (g,) = gradient(lambda x: Scale()(x, factor=3.0), x)
    assert y.tolist() == [6, 12] and g.tolist() == [7, 7]


def test_variables():
    w = reel.Variable([1.0, 2.0], name="w")
    counter = reel.Variable(0.0, trainable=False)
    seen = []

    def made(x, grad):
        return reel.sum(x * w) + counter.value(), grad

    def positional(dy, variables=None):
        seen.append(variables)
        return dy * 10, [reel.asarray([100.0, 200.0]) * dy]

    def keyword_only(dy, *, variables):
        return positional(dy, variables)

    def any_keywords(dy, **kwargs):
        return positional(dy, kwargs["variables"])

    for grad in (positional, keyword_only, any_keywords):
        x = reel.asarray(3.0)
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = reel.custom_gradient(lambda x: made(x, grad))(x)
        dx, dw = tape.gradient(y, [x, w])
        assert dx.item() == 10 and dw.tolist() == [100, 200]
        assert isinstance(seen[-1], list) and len(seen[-1]) == 1 and seen[-1][0] is w


def test_a_variable_as_argument_is_an_input():
    v = reel.Variable(3.0)

    @reel.custom_gradient
    def square(x):
        return x * x, lambda dy: 2 * dy * x + 1

    with reel.GradientTape() as tape:
        y = square(v)
    assert tape.gradient(y, v).item() == 7


def test_variable_errors():
    w = reel.Variable(2.0, name="kernel")
    x = reel.asarray(1.0)
    with pytest.raises(ValueError, match="uses variables: 'kernel'.*variables=None"):
        reel.custom_gradient(lambda x: (x * w, lambda dy: dy))(x)
    for grad, text, error in (
        (lambda dy, variables=None: (dy, []), "return 1 gradients, but returned 0 .*each of the variables", ValueError),
        (lambda dy, variables=None: dy, "returns a pair", TypeError),
    ):
        with reel.GradientTape() as tape:
            y = reel.custom_gradient(lambda x: (x * w, grad))(x)
        with pytest.raises(error, match=text):
            tape.gradient(y, w)


def test_gradient_errors():
    x = reel.asarray([1.0, 2.0])

    def with_grad(grad):
        return lambda: gradient(reel.custom_gradient(lambda x: (x * 2, grad)), x)

    with pytest.raises(ValueError, match="expected to return 1 gradients, but returned 0"):
        with_grad(lambda dy: [])()
    with pytest.raises(ValueError, match="must be f32\\[2\\]"):
        with_grad(lambda dy: reel.sum(dy))()
    with pytest.raises(ZeroDivisionError):
        with_grad(lambda dy: 1 / 0)()
    with pytest.raises(TypeError, match="must return a pair"):
        reel.custom_gradient(lambda x: x)(x)
    _, (g,) = with_grad(lambda dy: None)()
    assert g is None


def test_structures():
    @reel.custom_gradient
    def f(pair, rest):
        a, b = pair
        y = {"sum": a + b, "parts": [rest["c"] * 2]}

        def grad(d_parts, d_sum):  # dicts in the order of their keys
            return (d_sum, 2 * d_sum), {"c": 5 * d_parts}

        return y, grad

    a, b, c = (reel.asarray(v) for v in (1.0, 2.0, 3.0))
    with reel.GradientTape() as tape:
        tape.watch([a, b, c])
        y = f((a, b), {"c": c})
    assert list(y) == ["sum", "parts"] and y["parts"][0].item() == 6
    assert [g.item() for g in tape.gradient(y, [a, b, c])] == [1, 2, 5]


def test_forward_mode_and_vmap_see_the_users_gradient():
    x = reel.asarray([1.0, 2.0])
    with reel.ForwardAccumulator(x, reel.ones((2,))) as acc:
        y = quadrupled(x)
    assert acc.jvp(y).tolist() == [4, 4]
    assert reel.jvp(quadrupled, x, reel.ones((2,)))[1].tolist() == [4, 4]
    assert reel.vmap(quadrupled)(x).tolist() == [1, 4]
    np.testing.assert_array_equal(np.asarray(reel.jacobian(quadrupled)(x)), np.diag([4, 4]))


def test_traces_and_functions():
    w = reel.Variable(2.0)

    @reel.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return 10 * dy, [100 * dy * v for v in variables]

        return x * w, grad

    @reel.function
    def step(x):
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return [y, *tape.gradient(y, [x, w])]

    assert [v.item() for v in step(reel.asarray(3.0))] == [6, 10, 200]
    graph = reel.trace(lambda x: f(x), [reel.TensorSpec(())])
    assert reel.compile(graph.gradients(xs="arg0"))("main.grad", reel.asarray(3.0)).item() == 10


def test_recursion_and_second_order_override():
    @reel.custom_gradient
    def f(x):
        @reel.custom_gradient
        def g(x):
            return x * -1.1, lambda dy: dy * -2.1

        return x + 10, lambda dy: dy * g(x)

    x = reel.asarray(2.0)
    with reel.GradientTape() as outer:
        outer.watch(x)
        with reel.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    assert math.isclose(first.item(), -2.2, rel_tol=1e-6)
    assert math.isclose(outer.gradient(first, x).item(), -2.1, rel_tol=1e-6)


# --- recompute_grad, grad_pass_through ---


def test_recompute_grad():
    w = reel.Variable([1.0, 2.0])
    calls = []

    def f(x, scale):
        calls.append(1)
        return {"y": reel.sum(reel.sin(x * w) * scale)}

    again = reel.recompute_grad(f)
    assert again.__wrapped__ is f
    x = reel.asarray([0.5, 0.25])
    results = []
    for function in (f, again):
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = function(x, reel.asarray(2.0))["y"]
        before = len(calls)
        results.append([y, *tape.gradient(y, [x, w])])
    assert len(calls) == before + 1  # once more in the gradient
    for plain, other in zip(*results):
        np.testing.assert_allclose(np.asarray(other), np.asarray(plain), rtol=1e-6)


def test_recompute_grad_unused_and_same():
    f = reel.recompute_grad(lambda x, y: x * x)
    x, y = reel.asarray(3.0), reel.asarray(4.0)
    with reel.GradientTape() as tape:
        tape.watch([x, y])
        z = f(x, y)
    assert [g.item() for g in tape.gradient(z, [x, y])] == [6, 0]
    _, (g,) = gradient(lambda x: reel.recompute_grad(lambda a, b: a * b)(x, x), x)
    assert g.item() == 6
    with reel.ForwardAccumulator(x, reel.asarray(1.0)) as acc:
        z = f(x, y)
    assert acc.jvp(z).item() == 6


def test_grad_pass_through():
    x, z = reel.Variable(0.0), reel.asarray(3.0)
    with reel.GradientTape(persistent=True) as tape:
        tape.watch(z)
        y = reel.grad_pass_through(x.assign)(z**2)
    assert x.value().item() == 9 and tape.gradient(y, z).item() == 6 and tape.gradient(y, x) is None
    _, (g,) = gradient(reel.grad_pass_through(reel.round), reel.asarray([1.4, 2.6]))
    assert g.tolist() == [1, 1]
    with pytest.raises(ValueError, match="f32\\[\\]"):
        gradient(reel.grad_pass_through(reel.sum), reel.ones((2,)))


def test_recompute_grad_of_higher_order_and_integers():
    f = reel.recompute_grad(lambda x: reel.sin(x) * x)
    x = reel.asarray(0.7)
    with reel.GradientTape() as third:
        third.watch(x)
        with reel.GradientTape() as second:
            second.watch(x)
            _, (g,) = gradient(f, x)
        h = second.gradient(g, x)
    want = -3 * math.sin(0.7) - 0.7 * math.cos(0.7)
    assert math.isclose(third.gradient(h, x).item(), want, rel_tol=1e-5)
    mixed = reel.recompute_grad(lambda i, x: x * reel.astype(i, reel.float32))
    _, (g,) = gradient(lambda x: mixed(reel.asarray(3), x), x)
    assert g.item() == 3
    _, (g,) = gradient(reel.recompute_grad(lambda x: x * x), reel.ones((0, 3)))
    assert g.shape == (0, 3)


def wrapped_in(how, f):
    """f of tensors as users call it: at once, compiled, inside another recomputed function, twice differentiated."""
    if how == "compiled":
        return reel.function(f)
    if how == "nested":
        return lambda *xs: reel.recompute_grad(lambda: f(*xs))()
    if how == "inside":
        return lambda *xs: reel.recompute_grad(lambda x: f(x, *xs[1:]))(xs[0])
    return f


@pytest.mark.parametrize("how", ["eager", "compiled", "nested", "inside"])
def test_recompute_grad_by_captured_tensors(how):
    """Of arguments of the caller, values computed from them, tensors inside structures, variables beside them."""

    def uses(recompute):
        def f(x, y):
            z, box = reel.exp(y), {"w": [x * y]}
            inner = recompute(lambda a: reel.sin(a * z) * box["w"][0] + y * y * v + reel.stop_gradient(x) * z)
            return inner(x) * x + recompute(lambda: reel.cos(z))()

        return f

    def derivatives(f, x, y):
        with reel.GradientTape() as outer:
            outer.watch([x, y])
            with reel.GradientTape() as tape:
                tape.watch([x, y])
                t = f(x, y)
            first = tape.gradient(t, [x, y, v])
            mixed = first[0] * 2 + first[1] * 3
        return first + outer.gradient(mixed, [x, y, v])

    x, y = reel.asarray(0.7, dtype=reel.float64), reel.asarray(0.4, dtype=reel.float64)
    v = reel.Variable(reel.asarray(1.5, dtype=reel.float64))
    want = derivatives(uses(lambda f: f), x, y)
    got = derivatives(wrapped_in(how, uses(reel.recompute_grad)), x, y)
    assert np.allclose([float(d) for d in got], [float(d) for d in want], rtol=1e-12)

    whole = reel.function(lambda x, y: derivatives(uses(reel.recompute_grad), x, y))
    assert np.allclose([float(d) for d in whole(x, y)], [float(d) for d in want], rtol=1e-12)


def test_recompute_grad_captures_what_a_recording_made():
    x = reel.asarray(2.0)
    with reel.Recording() as recording:
        z = x * x
        y = reel.recompute_grad(lambda: reel.exp(z) * z)()
    g = recording.lift([x], [y]).gradients(xs="arg0")
    assert math.isclose(reel.compile(g)("main.grad", x).item(), 4 * math.exp(4) * 5, rel_tol=1e-5)


def test_other_objects_get_no_gradient():
    f = reel.custom_gradient(lambda x, mode, nothing: (x * 2, lambda dy: 5 * dy))
    _, (g,) = gradient(lambda x: f(x, "mode", None), reel.asarray(1.0))
    assert g.item() == 5


def test_nothing_is_kept():
    class Probe:
        pass

    def use():
        probe = Probe()
        f = reel.custom_gradient(lambda x: (x * 2, lambda dy, p=probe: dy * 3))
        gradient(f, reel.asarray(1.0))
        _, pullback = reel.vjp(lambda x, p=probe: x * x, reel.asarray(1.0))
        pullback()
        reel.vmap(lambda x, p=probe: x * x)(reel.ones((2,)))
        return weakref.ref(probe)

    alive = use()
    gc.collect()
    assert alive() is None
