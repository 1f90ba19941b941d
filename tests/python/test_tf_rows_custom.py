"""Rows CG02 to CG29, RG02 to RG11 and SG01 to SG03 of the gradient semantics: gradients that users state."""

import gc
import weakref

import numpy as np
import pytest

import reel.tf as tf
import reel.tfe as tfe

c, V, Tape = tf.constant, tf.Variable, tf.GradientTape


def values(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


def grad(f, *xs):
    xs = [c(x) if isinstance(x, float) else x for x in xs]
    with Tape() as t:
        t.watch(xs)
        y = f(*xs)
    return values(t.gradient(y, xs))


@tf.custom_gradient
def swapped(x1, x2):
    return x1 * x2, lambda dy: (dy * x1, dy * x2)


class Swapped:
    @tf.custom_gradient
    def __call__(self, x1, x2):
        return x1 * x2, lambda dy: (dy * x1, dy * x2)

    @tf.custom_gradient
    def named(self, x1, x2):
        return x1 * x2, lambda dy: (dy * x1, dy * x2)

    def method(self, x):
        @tf.custom_gradient()
        def f(x):
            return x * 1, lambda dy: 7 * dy

        return f(x)


def test_CG02_the_users_answer_is_trusted():
    assert grad(swapped, 3.0, 5.0) == [3.0, 5.0]


def test_CG03_with_parentheses_and_on_methods():
    f = Swapped()
    assert grad(lambda a, b: tf.custom_gradient(lambda x, y: (x * y, lambda dy: (dy * x, dy * y)))(a, b), 3.0, 5.0) == [
        3.0,
        5.0,
    ]
    assert grad(f.method, 3.0) == [7.0]
    assert grad(f, 3.0, 5.0) == grad(f.named, 3.0, 5.0) == [3.0, 5.0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_CG04_eager_and_traced(wrap):
    f = tf.custom_gradient(lambda x: (x * x, lambda dy: 4 * dy))
    assert grad(wrap(f), 3.0) == [4.0]
    assert values(wrap(lambda x: tf.constant(0.0) + tf.stack([tfe.gradients_function(f)(x)[0]]))(c(3.0))) == [4.0]


def test_CG05_too_few_gradients():
    f = tf.custom_gradient(lambda x: (tf.identity(x), lambda dy: []))
    with pytest.raises(ValueError, match="expected to return 1 gradients, but returned 0 instead"):
        grad(f, 1.0)


def test_CG06_errors_of_the_gradient():
    def bad(x):
        def grad(dy):
            raise RuntimeError("mine")

        return tf.identity(x), grad

    with pytest.raises(RuntimeError, match="mine"):
        grad(tf.custom_gradient(bad), 1.0)
    assert grad(lambda x: x * x, 3.0) == [6.0]


def test_CG07_arrays_are_inputs():
    f = tf.custom_gradient(lambda x: (tf.reduce_sum(x), lambda dy: dy * np.ones([3], np.float32)))
    assert values(f(np.float32([1, 2, 3]))) == 6.0 and grad(f, c([1.0, 2.0, 3.0])) == [[1.0, 1.0, 1.0]]
    g = tf.custom_gradient(lambda x, a: (x * a, lambda dy: (tf.reduce_sum(dy * 7), np.zeros([2], np.float32))))
    assert grad(lambda x: g(x, np.float32([1, 2])), 3.0) == [14.0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_CG08_variables_that_the_gradient_does_not_take(wrap):
    w = V(2.0, name="weight")
    f = tf.custom_gradient(lambda x: (x * w, lambda dy: dy))
    with pytest.raises(TypeError, match="must accept keyword argument 'variables', since function uses variables"):
        with Tape():
            wrap(f)(c(1.0))


def with_variables(f):
    """f(x, w) as a custom gradient of x alone that uses w: ones for the variable."""
    w = V(tf.ones([4, 3]) * 2)

    @tf.custom_gradient
    def g(x):
        return f(x, w)

    return g, w


def variables_positional(x, w):
    def grad(dy, variables=None):
        return dy * tf.ones_like(x), [dy * tf.ones([4, 3])]

    return tf.reduce_sum(x) * tf.reduce_sum(w), grad


def variables_keyword_only(x, w):
    def grad(*dys, variables=None):
        assert len(variables) == 1 and variables[0] is w
        return dys[0] * tf.ones_like(x), [dys[0] * tf.ones([4, 3])]

    return tf.reduce_sum(x) * tf.reduce_sum(w), grad


def variables_kwargs(x, w):
    return tf.reduce_sum(x) * tf.reduce_sum(w), lambda dy, **kw: (
        dy * tf.ones_like(x),
        [dy * tf.ones([4, 3]) for _ in kw["variables"]],
    )


@pytest.mark.parametrize("f", [variables_positional, variables_keyword_only, variables_kwargs])
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_CG09_CG10_variables(f, wrap):
    g, w = with_variables(f)
    x = tf.ones([2])
    with Tape() as t:
        t.watch(x)
        y = wrap(g)(x)
    dx, dw = t.gradient(y, [x, w])
    assert values(dx) == [1.0, 1.0] and float(tf.reduce_sum(dw)) == 12.0


def test_CG11_wrong_number_of_variable_gradients():
    g, w = with_variables(lambda x, w: (x * tf.reduce_sum(w), lambda dy, variables=None: (dy, [])))
    with pytest.raises(ValueError, match="each variable|1 variables|expected to return 1"):
        grad(g, 1.0)


def test_CG12_CG14_CG15_which_variables_and_in_which_order():
    b, a, frozen, lost, other = (V(1.0, name="b"), V(1.0, name="a"), V(1.0, trainable=False), V(1.0), V(1.0))
    outside, seen = other * 2, []

    @tf.custom_gradient
    def f(x):
        lost * 2

        def grad(dy, variables=None):
            seen.append([v is w for v, w in zip(variables, (b, a))])
            return dy, [dy, dy]

        return x * a * b * frozen * tf.ones_like(lost) + outside, grad

    x = c(1.0)
    with Tape() as t:
        t.watch(x)
        y = f(x)
    assert values(t.gradient(y, [x, a, b])) == [1.0, 1.0, 1.0] and seen == [[True, True]]


def test_CG18_takes_variables_but_uses_none():
    assert grad(tf.custom_gradient(lambda x: (x * 1, lambda dy, variables=None: 5 * dy)), 1.0) == [5.0]


def test_CG19_captured_tensors():
    @tf.function
    def f(x, y):
        @tf.custom_gradient
        def g(y):
            return x * y, lambda dy: 5 * dy

        return g(y)

    x, y = c(2.0), c(3.0)
    with Tape() as t:
        t.watch(y)
        z = f(x, y)
    assert values(t.gradient(z, y)) == 5.0


def test_CG22_second_order_overridden():
    @tf.custom_gradient
    def g(x):
        return tf.constant(-1.1), lambda dy: dy * -2.1

    @tf.custom_gradient
    def f(x):
        return x + 10, lambda dz: dz * g(x)

    x = c(2.0)
    with Tape() as outer:
        outer.watch(x)
        with Tape() as inner:
            inner.watch(x)
            y = f(x) ** 4
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    at = 12.0
    np.testing.assert_allclose(first, 4 * at**3 * -1.1, rtol=1e-6)
    np.testing.assert_allclose(second, 12 * at**2 * 1.21 + 4 * at**3 * -2.1, rtol=1e-5)


def test_CG23_of_the_gradient_function_is_by_dy():
    @tf.custom_gradient
    def f(x):
        @tf.custom_gradient
        def first(dy):
            return dy * 3, lambda ddy: ddy * 5

        return x * x, first

    x, seed = c(2.0), c(1.0)
    with Tape() as outer:
        outer.watch([x, seed])
        with Tape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x, seed)
    assert values(g) == 3.0 and values(outer.gradient(g, [x, seed])) == [None, 5.0]


def test_CG24_gradient_of_the_gradient_by_both():
    @tf.custom_gradient
    def f(x):
        @tf.custom_gradient
        def first(x, dz):
            return tf.constant(2.1), lambda ddz: (2.2, 3.1)

        return x * 1.0, lambda dz: first(x, dz)

    x, seed = c(1.0), c(1.0)
    with Tape() as outer:
        outer.watch([x, seed])
        with Tape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x, seed)
    np.testing.assert_allclose([g] + outer.gradient(g, [x, seed]), [2.1, 2.2, 3.1], rtol=1e-6)


def test_CG25_a_gradient_inside_the_function():
    @tf.custom_gradient
    def f(x):
        return tfe.gradients_function(lambda y: y * y)(x)[0], lambda dy: dy

    assert float(f(c(1.0))) == 2.0


def test_CG27_unwatched_input():
    v = V([1.0, 2.0])

    @tf.custom_gradient
    def f(x):
        with Tape() as t:
            y = v * v * x
        j = t.jacobian(y, v)
        return tf.reduce_sum(y), lambda dy, variables=None: (dy, [dy * tf.linalg.diag_part(j)])

    x = c(2.0)
    with Tape() as t:
        y = f(x)
    dx, dv = t.gradient(y, [x, v])
    assert dx is None and values(dv) == [4.0, 8.0]


def plain(x, y):
    return tf.sin(x) * y + tf.exp(x * y)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_RG01_RG04_gradients_equal_the_plain_functions(wrap):
    again = tf.recompute_grad(plain)
    np.testing.assert_allclose(grad(wrap(again), 1.0, 2.0), grad(plain, 1.0, 2.0), rtol=1e-6)
    np.testing.assert_allclose(grad(wrap(lambda x: again(x, x)), 1.5), grad(lambda x: plain(x, x), 1.5), rtol=1e-6)
    assert grad(wrap(tf.recompute_grad(lambda x, y: x * 2)), 1.0, 1.0) == [2.0, 0.0]
    assert grad(wrap(tf.recompute_grad(lambda x: x * 2)), tf.zeros([0])) == [[]]


def test_RG02_once_forward_once_backward():
    calls = []

    def f(x):
        calls.append(x)
        return tf.sin(x)

    f = tf.recompute_grad(f)
    x = c(1.0)
    with Tape() as t:
        t.watch(x)
        y = x
        for _ in range(4):
            y = f(y)
        assert len(calls) == 4
    t.gradient(y, x)
    assert len(calls) == 8


def test_RG03_wrapped():
    assert tf.recompute_grad(plain).__wrapped__ is plain


def test_RG05_integers_among_the_inputs():
    f = lambda x, n: x * tf.cast(n, tf.float32)  # noqa: E731
    x, n = c(2.0), c(3)
    for g in (f, tf.recompute_grad(f)):
        with Tape() as t:
            t.watch(x)
            y = g(x, n)
        assert values(t.gradient(y, [x, n], unconnected_gradients="zero")) == [3.0, 0]


def test_RG06_three_orders():
    f = tf.recompute_grad(lambda x: x**4)
    for order, expected in enumerate([81.0, 108.0, 108.0, 72.0]):
        x, g = c(3.0), f
        for _ in range(order):
            g = (lambda g: lambda x: tfe.gradients_function(g)(x)[0])(g)
        assert float(g(x)) == pytest.approx(expected)


def test_RG07_variables_used_inside():
    w = V([1.0, 2.0])
    f = lambda x: tf.reduce_sum(w * w * x)  # noqa: E731
    got = []
    for g in (f, tf.recompute_grad(f)):
        x = c(3.0)
        with Tape() as t:
            t.watch(x)
            y = g(x)
        got.append(values(t.gradient(y, [x, w])))
    assert got[0] == got[1] == [5.0, [6.0, 12.0]]


def test_RG08_lists_and_dicts_of_different_shapes():
    f = tf.recompute_grad(lambda xs: tf.reduce_sum(xs[0]) + tf.reduce_sum(xs[1]))
    assert values(f([tf.ones([2]), tf.ones([3, 1])])) == 5.0
    f = tf.recompute_grad(lambda xs: tf.reduce_sum(xs["a"]) + tf.reduce_sum(xs["b"]))
    assert values(f({"a": tf.ones([2]), "b": tf.ones([3, 1])})) == 5.0


def test_RG09_nothing_leaks():
    kept = []
    for _ in range(3):
        v = V(tf.ones([100]))
        kept.append(weakref.ref(v))

        @tf.function
        def step(x):
            loop = lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v), [c(0), x])[1]  # noqa: F821
            f = tf.recompute_grad(loop)
            with Tape() as t:
                y = f(x)
            return t.gradient(y, v)  # noqa: F821

        assert float(step(tf.ones([100]))[0]) == 3.0
        del v, step
    gc.collect()
    assert [ref() for ref in kept] == [None] * 3


def test_RG10_under_forward_mode():
    x = c(2.0)
    with tf.autodiff.ForwardAccumulator(x, c(1.0)) as acc:
        y = tf.recompute_grad(lambda x: x**3)(x)
    assert float(acc.jvp(y)) == 12.0


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_SG01_stop_gradient(wrap):
    x = c([1.0, 2.0])
    for unconnected, expected in (("none", None), ("zero", [0.0, 0.0])):
        with Tape() as t:
            t.watch(x)
            y = wrap(tf.stop_gradient)(x)
        assert values(y) == [1.0, 2.0] and values(t.gradient(y, x, unconnected_gradients=unconnected)) == expected


def test_SG02_SG03_grad_pass_through():
    x, z, w = V(1.0), V(3.0), V(2.0)
    with Tape() as t:
        y = tf.grad_pass_through(x.assign)(z**2)
    assert values(t.gradient(y, z)) == 6.0 and float(x) == 9.0
    with Tape() as t:
        y = tf.grad_pass_through(lambda a: a * w)(z)
    assert values(t.gradient(y, [z, w])) == [1.0, None]
