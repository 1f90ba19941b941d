"""Rows FA01 to FA27 of the gradient semantics: tf.autodiff.ForwardAccumulator."""

import gc
import math
import weakref

import numpy as np
import pytest

import reel.tf as tf

c, V, Tape = tf.constant, tf.Variable, tf.GradientTape
Forward = tf.autodiff.ForwardAccumulator


def values(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


def jvp(f, x, v):
    x = c(x)
    with Forward(x, c(v)) as acc:
        y = f(x)
    return values(acc.jvp(y))


def test_FA01_sine():
    assert jvp(tf.sin, 0.1, 0.2) == pytest.approx(math.cos(0.1) * 0.2)


def test_FA02_jvp_is_a_lookup():
    x = c(3.0)
    with Forward(x, c(1.0)) as acc:
        y = x * x
        inside = acc.jvp(y)
    assert [values(acc.jvp(y)) for _ in range(2)] + [values(inside)] == [6.0] * 3


def test_FA03_of_the_primal_itself():
    assert jvp(lambda x: x, 3.0, 7.0) == 7.0


def test_FA04_a_primal_twice():
    x = c(1.0)
    with pytest.raises(ValueError, match="multiple times"):
        Forward([x, x], [c(1.0), c(2.0)])


def test_FA05_tangents_of_one_tensor_add():
    x = c(1.0)
    with Forward(x, c(3.0)) as acc:
        assert values(acc.jvp(x)) == 3.0
        acc._watch(x, c(10.0))
        assert values(acc.jvp(x)) == 13.0
        acc._watch(x, c(11.0))
        assert values(acc.jvp(x)) == 24.0
        y = c(3.0) * x
    assert values(acc.jvp([x, y])) == [24.0, 72.0]


def test_FA06_entering_again():
    x = c(3.0)
    acc = Forward(x, c(1.0))
    with acc:
        y = x * x
        with pytest.raises(ValueError, match="already recording"):
            with acc:
                pass
    lost = x * x
    with acc:
        z = x * x * y
    assert values([acc.jvp(y), acc.jvp(lost), acc.jvp(z)]) == [6.0, None, 108.0]


def test_FA07_unconnected():
    x, other = c(1.0), c([1.0, 2.0])
    with Forward(x, c(1.0)) as acc:
        y = other * 2
    assert acc.jvp(y) is None
    assert values(acc.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)) == [0.0, 0.0]
    assert values(acc.jvp(x, unconnected_gradients="zero")) == 1.0


def test_FA08_unwatched_inputs_stand_still():
    w = c(5.0)
    assert jvp(lambda x: x * w + w * w, 2.0, 3.0) == 15.0


def test_FA09_tangents_take_the_dtype_of_the_primal():
    x = tf.cast(c([1.0, 2.0]), tf.float64)
    with Forward(x, np.float32([1.0, 0.5])) as acc:
        y = x * x
    assert acc.jvp(y).dtype is tf.float64 and values(acc.jvp(y)) == [2.0, 2.0]


def test_FA10_integer_primals_are_ignored():
    x = c(1)
    with Forward(x, c(2)) as acc:
        y = x * 2
    assert acc.jvp(y) is None


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_FA11_variables(wrap):
    v = V([1.0, 2.0, 3.0])
    tangent = c([0.1, -5.0, 50.0])
    with Forward(v, tangent) as acc:
        got = [
            acc.jvp(wrap(lambda: v.read_value())()),
            acc.jvp(wrap(lambda: v * 2.0)()),
            acc.jvp(wrap(lambda: v + 0.1)()),
        ]
        assert values(acc.jvp(v)) == values(tangent)
    np.testing.assert_allclose(got, [tangent, tangent * 2.0, tangent], rtol=1e-6)


def test_FA11_made_inside():
    @tf.function
    def f(v, tangent):
        with Forward(v, tangent) as acc:
            y = v * v
        return acc.jvp(y)

    assert values(f(V(3.0), c(1.0))) == 6.0


def test_FA12_tangents_die_with_their_tensors():
    x = tf.ones([100])
    with Forward(x, tf.ones([100])) as acc:
        y = x * 2
        kept = weakref.ref(y)
        z = x * 3
        del y
        gc.collect()
        assert kept() is None
    assert values(acc.jvp(z))[0] == 3.0


def test_FA13_the_inner_one_does_not_see_the_outers():
    x = c(1.1)
    with Forward(x, c(1.0)) as outer:
        with Forward(x, c(1.0)) as inner:
            y = x**3.5
    assert inner.jvp(outer.jvp(y)) is None
    assert float(outer.jvp(y)) == pytest.approx(4.4417057, rel=1e-5)
    assert float(inner.jvp(y)) == pytest.approx(4.4417057, rel=1e-5)
    assert float(outer.jvp(inner.jvp(y))) == pytest.approx(10.094786, rel=1e-5)


@pytest.mark.parametrize(
    "order, expected", [(0, 1.1**3.5), (1, 3.5 * 1.1**2.5), (2, 3.5 * 2.5 * 1.1**1.5), (3, 3.5 * 2.5 * 1.5 * 1.1**0.5)]
)
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_FA14_orders(order, expected, wrap):
    def derivative(f):
        def g(x):
            with Forward(x, c(1.0)) as acc:
                y = f(x)
            return acc.jvp(y)

        return g

    f = lambda x: x**3.5  # noqa: E731
    for _ in range(order):
        f = derivative(f)
    assert float(wrap(f)(c(1.1))) == pytest.approx(expected, rel=1e-4)


def test_FA15_a_tape_inside_ignores_the_tangents():
    x = c(0.1)
    with Forward(x, c(1.0)) as acc:
        with Tape() as tape:
            tape.watch(x)
            y = tf.cos(x)
            move = acc.jvp(y)
    assert tape.gradient(move, x) is None


@pytest.mark.parametrize("tape_first", [False, True])
def test_FA16_FA17_a_tape_outside_sees_them(tape_first):
    x = c(1.0)
    if tape_first:
        tape, acc = Tape(), Forward(x, c(0.1))
    else:
        acc, tape = Forward(x, c(0.1)), Tape()
    with tape:
        tape.watch(x)
        with acc:
            y = tf.cos(x)
        move = acc.jvp(y)
    assert float(tape.gradient(move, x)) == pytest.approx(-0.1 * math.cos(1.0))


def forward_over_back(f, x, v):
    with Forward(x, v) as acc:
        with Tape() as tape:
            tape.watch(x)
            y = f(x)
        g = tape.gradient(y, x)
    return acc.jvp(g)


def back_over_forward(f, x, v):
    with Tape() as tape:
        tape.watch(x)
        with Forward(x, v) as acc:
            y = f(x)
        move = acc.jvp(y)
    return tape.gradient(move, x)


def back_over_back(f, x, v):
    with Tape() as outer:
        outer.watch(x)
        with Tape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    return outer.gradient(g, x, v)


@pytest.mark.parametrize("hvp", [forward_over_back, back_over_forward, back_over_back])
@pytest.mark.parametrize("make", [c, V])
@pytest.mark.parametrize("traced", [False, True])
def test_FA18_hessian_vector_products(hvp, make, traced):
    x, v = make([1.0, 2.0]), c([1.0, -1.0])
    f = lambda x: tf.reduce_sum(x) * tf.reduce_sum(x**2)  # noqa: E731
    g = tf.function(lambda x, v: hvp(f, x, v)) if traced else lambda x, v: hvp(f, x, v)
    # H = 2 (1 x^T + x 1^T) + 2 s I with s = 3
    np.testing.assert_allclose(g(x, v), [4.0, -8.0], rtol=1e-5)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_FA19_control_flow(wrap):
    def loop(y):
        return tf.while_loop(
            lambda i, total: i < 5, lambda i, total: (i + 1, total + y * tf.cast(i, tf.float32)), [c(0), c(0.0)]
        )[1]

    x = c(1.0)
    with Forward(x, c(1.0)) as acc:
        got = [acc.jvp(wrap(loop)(x)), acc.jvp(wrap(lambda x: tf.cond(x > 0, lambda: 3 * x, lambda: c(1.0) * 0))(x))]
        constant = acc.jvp(wrap(lambda x: tf.cond(x > 5, lambda: 3 * x, lambda: c(1.0)))(x), "zero")
    assert values(got + [constant]) == [10.0, 3.0, 0.0]


def test_FA20_unused_arguments():
    f = tf.function(lambda a, b: a * 2)
    a, b = c(1.0), c(2.0)
    with Forward(b, c(1.0)) as acc:
        assert float(acc.jvp(f(a, b))) == 0.0  # it depends on a tensor argument
        assert acc.jvp(tf.function(lambda a, b: tf.constant(3.0))(a, b)) is None


def test_FA21_assigns_inside():
    v = V([1.0, 2.0])
    with Forward(v, c([1.0, 1.0])) as acc:
        v.assign_sub([0.5, 0.5])
        y = tf.reduce_sum(v * 2)
    assert values(v.value()) == [0.5, 1.5] and float(acc.jvp(y)) == 4.0


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_FA22_the_users_backward_transposed(wrap):
    f = tf.custom_gradient(lambda x: (x * x, lambda dy: 7 * dy))
    assert jvp(wrap(f), 3.0, 1.0) == 7.0


def test_FA22_its_errors_surface_at_the_call():
    def fail(x):
        def grad(dy):
            raise ValueError("mine")

        return x * x, grad

    with pytest.raises(ValueError, match="mine"):
        jvp(tf.custom_gradient(fail), 3.0, 1.0)


@pytest.mark.parametrize("value", ["nonsense", 3])
def test_FA24_bad_enum(value):
    x = c(1.0)
    acc = Forward(x, c(1.0))
    with acc:
        y = x * 2
    with pytest.raises(ValueError, match="unconnected_gradients|not a valid"):
        acc.jvp(y, unconnected_gradients=value)


def test_FA25_equal_primals_different_tangents():
    product = tf.function(tf.matmul)
    m1, m2 = tf.random.normal([2, 2]), tf.random.normal([2, 2])
    t1, t2 = tf.random.normal([2, 2]), tf.random.normal([2, 2])
    x, y = tf.identity(m1), tf.identity(m1)
    with Forward([x, y], [t1, t2]) as acc:
        a, b = product(x, m2), product(y, m2)
    np.testing.assert_allclose(acc.jvp(a), tf.matmul(t1, m2), rtol=1e-5)
    np.testing.assert_allclose(acc.jvp(b), tf.matmul(t2, m2), rtol=1e-5)


def test_FA26_a_tapes_stop_is_not_the_accumulators():
    x = c(3.0)
    with Forward(x, c(1.0)) as acc:
        with Tape() as t:
            t.watch(x)
            with t.stop_recording():
                y = x * x
            z = x * x
    assert t.gradient(y, x) is None
    assert float(acc.jvp(y)) == float(acc.jvp(z)) == 6.0


LAYERS = {
    "dense": lambda x, w: tf.nn.elu(tf.matmul(x, w)),
    "swish": lambda x, w: tf.nn.swish(x) @ w,
    "conv": lambda x, w: tf.nn.conv2d(tf.reshape(x, [1, 2, 3, 1]), tf.reshape(w[:2], [1, 2, 1, 2]), 1, "VALID"),
    "norm": lambda x, w: (
        ((x - tf.nn.moments(x, [1], keepdims=True)[0]) * tf.math.rsqrt(tf.nn.moments(x, [1], keepdims=True)[1] + 0.1))
        @ w
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_FA27_forward_backward_and_numeric_jacobians_agree(name, rng):
    f, x, w = LAYERS[name], rng.normal(size=(2, 3)), rng.normal(size=(3, 2))
    x, w, v = (tf.cast(c(a), tf.float64) for a in (x, w, rng.normal(size=(2, 3))))
    loss = lambda x: tf.reduce_sum(tf.sin(f(x, w)))  # noqa: E731
    h = 1e-6
    numeric = (float(loss(x + h * v)) - float(loss(x - h * v))) / (2 * h)
    with Forward(x, v) as acc:
        with Tape() as t:
            t.watch(x)
            y = loss(x)
        g = t.gradient(y, x)
    assert float(acc.jvp(y)) == pytest.approx(numeric, rel=1e-6)
    assert float(tf.reduce_sum(g * v)) == pytest.approx(numeric, rel=1e-6)
    np.testing.assert_allclose(acc.jvp(g), back_over_back(loss, x, v), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("traced", [False, True], ids=["body", "function"])
@pytest.mark.parametrize("in_trace", [False, True], ids=["eager", "trace"])
def test_forward_over_forward_after_both_have_ended(traced, in_trace):
    f = tf.function(lambda x: x**3.5) if traced else lambda x: x**3.5

    def take():
        primal = tf.constant(1.1)
        with tf.autodiff.ForwardAccumulator(primal, tf.constant(1.0)) as outer:
            with tf.autodiff.ForwardAccumulator(primal, tf.constant(1.0)) as inner:
                y = f(primal)
        first = inner.jvp(y)
        return first, outer.jvp(first)

    first, second = (tf.function(take) if in_trace else take)()
    np.testing.assert_allclose(first, 3.5 * 1.1**2.5, rtol=1e-5)
    np.testing.assert_allclose(second, 3.5 * 2.5 * 1.1**1.5, rtol=1e-5)
