"""TensorFlow's names for Jacobians, forward mode, vectorized_map and gradients of the user's own."""

import math

import numpy as np
import pytest

import reel.tf as tf


def test_jacobians():
    x, y = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        z = x * x * y
    jx, jy = tape.jacobian(z, [x, y])
    assert isinstance(jx, tf.Tensor) and jx.numpy().tolist() == [[6, 0], [0, 16]]
    assert tape.jacobian(z, {"y": y}, experimental_use_pfor=False)["y"].numpy().tolist() == jy.numpy().tolist()
    assert tape.jacobian(z, tf.Variable(1.0)) is None
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.batch_jacobian(y, x).numpy().tolist() == [[[2, 0], [0, 4]], [[6, 0], [0, 8]]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(RuntimeError, match="persistent"):
        tape.jacobian(y, x, experimental_use_pfor=False)


def test_forward_accumulator():
    x, v = tf.constant(0.1), tf.constant(0.2)
    with tf.autodiff.ForwardAccumulator(x, v) as acc:
        y = tf.sin(x)
    assert math.isclose(float(acc.jvp(y)), math.cos(0.1) * 0.2, rel_tol=1e-6)
    other = tf.constant(1.0)
    assert acc.jvp(other) is None
    assert float(acc.jvp(other, unconnected_gradients=tf.UnconnectedGradients.ZERO)) == 0
    w = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(primals=[w], tangents=[tf.constant([1.0, -1.0])]) as acc:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w**3)
        g = tape.gradient(loss, w)
    assert acc.jvp(g).numpy().tolist() == [6, -12]
    with pytest.raises(ValueError, match="multiple times"):
        tf.autodiff.ForwardAccumulator([x, x], [v, v])


def test_custom_gradient():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(upstream):
            return upstream * (1 - 1 / (1 + e))

        return tf.math.log(1 + e), grad

    x = tf.constant(100.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = log1pexp(x)
    assert float(tape.gradient(y, x)) == 1.0
    assert isinstance(log1pexp(1.0), tf.Tensor) and log1pexp(np.float32(0)).dtype == tf.float32

    @tf.custom_gradient
    def clip(y):
        return tf.identity(y), lambda dy: tf.clip_by_value(dy, 0.0, 0.5)

    v = tf.Variable(2.0)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            out = clip(v * v)
        return tape.gradient(out, v)

    assert float(step()) == 2.0


def test_custom_gradient_with_variables():
    w = tf.Variable([1.0, 2.0])

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            assert variables[0] is w
            return dy * 10, [tf.constant([100.0, 200.0])]

        return tf.reduce_sum(x * w), grad

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    dx, dw = tape.gradient(y, [x, w])
    assert float(dx) == 10 and dw.numpy().tolist() == [100, 200]
    with pytest.raises(ValueError, match="variables=None"):
        tf.custom_gradient(lambda x: (x * w, lambda dy: dy))(x)


def test_recompute_and_pass_through():
    def f(x, y):
        return {"sum": tf.sin(x) * y}

    again = tf.recompute_grad(f)
    assert again.__wrapped__ is f
    x, y = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = again(x, y)["sum"]
    dx, dy = tape.gradient(z, [x, y])
    np.testing.assert_allclose([dx.numpy(), dy.numpy()], [2 * math.cos(1), math.sin(1)], rtol=1e-6)
    v, z = tf.Variable(0.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.grad_pass_through(v.assign)(z**2)
    assert float(tape.gradient(y, z)) == 6 and float(v) == 9


def test_vectorized_map():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.vectorized_map(lambda e: tf.reduce_sum(e * e), x).numpy().tolist() == [5, 25]
    s, p = tf.vectorized_map(lambda e: (e[0] + e[1], e[0] * e[1]), (x[0], x[1]))
    assert s.numpy().tolist() == [4, 6] and p.numpy().tolist() == [3, 8]

    def gradient(e):
        with tf.GradientTape() as tape:
            tape.watch(e)
            y = e**3
        return tape.gradient(y, e)

    shared = tf.vectorized_map(lambda e: e[0] + e[1], (x[0], tf.constant([10.0])))
    assert shared.numpy().tolist() == [11, 12]
    assert tf.vectorized_map(lambda e: e * 2, tf.Variable([1.0, 2.0])).numpy().tolist() == [2, 4]
    assert tf.vectorized_map(gradient, x).numpy().tolist() == [[3, 12], [27, 48]]


def test_CG01_custom_gradient_twice_in_a_graph():
    @tf.custom_gradient
    def identity(x):
        return tf.identity(x), lambda dy: 3 * dy

    @tf.function
    def f(x):
        return tf.gradients(identity(identity(x)), x)[0]

    assert float(f(tf.constant(1.0))) == 9


def test_CG13_a_variable_argument_is_an_input():
    @tf.custom_gradient
    def my_square(x):
        return x * x, lambda dr: 2 * dr * x + 1

    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = my_square(v)
    assert float(tape.gradient(y, v)) == 7


def test_CG20_recursion_with_variables():
    w = tf.Variable([1.0, 1.0])

    @tf.custom_gradient
    def inner(x):
        return x * tf.reduce_sum(w), lambda dy, variables=None: (dy, [dy * tf.ones((2,))])

    @tf.custom_gradient
    def outer(x):
        return inner(x), lambda dy, variables=None: (dy, [6 * dy * tf.ones((2,))])

    with tf.GradientTape() as tape:
        y = outer(tf.constant(1.0))
    assert tape.gradient(y, w).numpy().tolist() == [6, 6]


def test_CG21_structures():
    @tf.custom_gradient
    def f(a, b):
        return {"p": [a[0], ()], "q": b["z"]}, lambda dp, dq: ([dp], {"z": dq * 2})

    a, b = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = f([a], {"z": b})
    assert y["p"][1] == () and float(y["q"]) == 2
    assert [float(g) for g in tape.gradient(y, [a, b])] == [1, 2]


def test_CG26_training():
    @tf.custom_gradient
    def my_mul(a, b):
        return a * b, lambda dr: (dr * b, dr * a)

    v, losses = tf.Variable(2.0), []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = my_mul(tf.constant(2.0), v)
        losses.append(float(loss))
        v.assign_sub(0.25 * tape.gradient(loss, v))
    assert losses == [4, 3, 2, 1, 0]


def test_FA18_hessian_vector_product_in_a_function():
    @tf.function
    def hvp(x, v):
        with tf.autodiff.ForwardAccumulator(x, v) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x**3)
            g = tape.gradient(y, x)
        return acc.jvp(g)

    assert hvp(tf.constant([1.0, 1.0]), tf.constant([1.0, 2.0])).numpy().tolist() == [6, 12]


def test_FA20_unused_argument():
    f = tf.function(lambda a, b: a * 2)
    a, b = tf.constant(1.0), tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(b, tf.constant(1.0)) as acc:
        y = f(a, b)
    assert acc.jvp(y).numpy() == 0.0


def test_FA24_unknown_option():
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="unconnected_gradients"):
        tf.autodiff.ForwardAccumulator(x, x).jvp(x, unconnected_gradients="what")


def test_JB05_inside_its_own_tape():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
        assert float(tape.jacobian(z, x)) == 108


def test_JB16_empty_rows_and_batches():
    for shape, want in (((1, 0), (1, 0, 0)), ((0, 2), (0, 2, 2))):
        x = tf.ones(shape)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        assert tape.batch_jacobian(y, x).shape == want


def test_RG01_recomputed_layers():
    layer = tf.keras.layers.Dense(4)
    x = tf.ones((3, 5))
    layer(x)
    gradients = []
    for f in (lambda x: layer(x) ** 2, tf.recompute_grad(lambda x: layer(x) ** 2)):
        with tf.GradientTape() as tape:
            y = f(x)
        gradients.append(tape.gradient(y, layer.trainable_variables))
    for plain, again in zip(*gradients):
        np.testing.assert_allclose(again.numpy(), plain.numpy(), rtol=1e-6)
