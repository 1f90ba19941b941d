"""Rows TG01 to TG48 of the gradient semantics, in functions and in graphs; compat.v1."""

import gc
import math

import numpy as np
import pytest

import reel.tf as tf

V, v1 = tf.Variable, tf.compat.v1


def c(value):
    return tf.constant(value)


def lists(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


def in_function(f):
    return lists(tf.function(f)())


def in_graph(f):
    with v1.Graph().as_default(), v1.Session() as session:
        result = f()
        session.run(v1.global_variables_initializer())
        leaves = tf.nest.flatten(result)
        values = [None if x is None else session.run(x).tolist() for x in leaves]
        return tf.nest.pack_sequence_as(result, values)


def partial(stop):
    def f():
        a = c(0.0)
        b = 2 * a
        return tf.gradients(a + b, [a, b], stop_gradients=[a, b] if stop else None)

    return f


def boundary():
    x = c(2.0)
    y = 2 * x
    return tf.gradients(3 * y, [x, y])


def dependent_ys():
    x = c(3.0)
    y = x**2
    y2 = (y**2) ** 2
    return tf.gradients([y, y2], x)


def seeds():
    x = c(3.0)
    return tf.gradients([x * x, 2 * x], x, grad_ys=[None, c(10.0)])


def many_terms():
    x = c(2.0)
    y = 2 * x
    return tf.gradients(tf.add_n([y] * 10), [x, y])


def unconnected(kind):
    def f():
        x, y = c([1.0, 2.0]), c(3.0)
        return tf.gradients(y * 2, [x, y], unconnected_gradients=kind)

    return f


def stopped():
    x = c(1.0)
    return tf.gradients(tf.stop_gradient(x), x)


def integers():
    x = c(3.0)
    return tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32) * 2, x)


def unused_output():
    x = c([1.0, 2.0, 3.0, 4.0])
    a, _ = tf.split(x, 2)
    return tf.gradients(a * 3, x)


def second_order():
    x = c(2.0)
    (g,) = tf.gradients(x**3, x)
    return tf.gradients(g, x)


def of_variable():
    v = V(3.0) if not tf.inside_function() else VARIABLE
    return tf.gradients(v * v, v)


def branches(value):
    def f():
        v = V(1.0) if not tf.inside_function() else ONE
        p = c(value) > 0
        return tf.gradients(tf.cond(p, lambda: v * 2, lambda: v * 3), v)

    return f


VARIABLE, ONE = V(3.0), V(1.0)
GRADIENTS = {
    "TG02_list": (boundary, [6.0, 3.0]),
    "TG03": (partial(False), [3.0, 1.0]),
    "TG04": (partial(True), [1.0, 1.0]),
    "TG07": (boundary, [6.0, 3.0]),
    "TG09": (dependent_ys, [17502.0]),
    "TG14": (seeds, [26.0]),
    "TG15": (integers, [None]),
    "TG17_none": (unconnected("none"), [None, 2.0]),
    "TG17_zero": (unconnected(tf.UnconnectedGradients.ZERO), [[0.0, 0.0], 2.0]),
    "TG20": (of_variable, [6.0]),
    "TG21": (many_terms, [20.0, 10.0]),
    "TG28": (unused_output, [[3.0, 3.0, 0.0, 0.0]]),
    "TG34": (stopped, [None]),
    "TG38_true": (branches(1.0), [2.0]),
    "TG38_false": (branches(-1.0), [3.0]),
    "TG44": (second_order, [12.0]),
}


@pytest.mark.parametrize("row", GRADIENTS)
@pytest.mark.parametrize("where", [in_function, in_graph])
def test_gradients(row, where):
    f, expected = GRADIENTS[row]
    assert where(f) == expected


def test_TG01_eager():
    with pytest.raises(RuntimeError, match="tf.gradients is not supported when eager execution is enabled"):
        tf.gradients(c(1.0), c(1.0))


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"grad_ys": [c(1.0), c(2.0)]}, ValueError, "Length mismatch. Passed 2 grad_ys for 1 ys"),
        (
            {"aggregation_method": 99},
            ValueError,
            r"Invalid `aggregation_method` specified 99. Accepted values are \[0, 1, "
            r"2\]",
        ),
        ({"unconnected_gradients": "nonsense"}, ValueError, "Unknown value for unconnected_gradients: 'nonsense'"),
        ({"grad_ys": [c(1j)]}, TypeError, "Gradient type complex128 generated"),
    ],
)
def test_TG12_TG13_TG17_TG23_bad_options(options, error, text):
    with pytest.raises(error, match=text):
        tf.function(lambda x: tf.gradients(x * x, x, **options))(c(1.0))


def test_TG11_complex_without_a_seed():
    with pytest.raises(TypeError, match=r"Gradients of complex tensors .* must set grad_ys \(y.dtype = complex128\)"):
        tf.function(lambda x: tf.gradients(x * x, x))(c(1j))


def test_TG02_dicts():
    with pytest.raises(TypeError, match="not a dict"):
        tf.function(lambda x: tf.gradients({"y": x * x}, x))(c(1.0))


def test_TG05_stop_gradients_in_a_chain():
    m = np.random.default_rng(0).normal(size=(4, 2, 2)).astype("float32")
    for stop in range(8):
        chosen = [i for i in range(3) if stop >> i & 1]

        @tf.function
        def by_argument(a, b, e, d):
            x = tf.matmul(a, b)
            y = tf.matmul(x, e)
            z = tf.matmul(y, d)
            return tf.gradients(
                tf.matmul(z, z), [a, b], stop_gradients=[[x, y, z][i] for i in chosen], unconnected_gradients="zero"
            )

        @tf.function
        def by_op(a, b, e, d):
            s = [tf.stop_gradient if i in chosen else tf.identity for i in range(3)]
            x = s[0](tf.matmul(a, b))
            y = s[1](tf.matmul(x, e))
            z = s[2](tf.matmul(y, d))
            return tf.gradients(tf.matmul(z, z), [a, b], unconnected_gradients="zero")

        for g, h in zip(by_argument(*m), by_op(*m)):
            np.testing.assert_allclose(g, h, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("order", range(4))
def test_TG44_iterated(order):
    @tf.function
    def f(x):
        y = tf.cos(x)
        for _ in range(order):
            (y,) = tf.gradients(y, x)
        return y

    x = 0.7
    assert float(f(c(x))) == pytest.approx([math.cos(x), -math.sin(x), -math.cos(x), math.sin(x)][order], abs=1e-6)


def test_TG45_to_TG48_hessians():
    a = np.random.default_rng(1).normal(size=(3, 3)).astype("float32")
    f = tf.function(lambda x: tf.hessians(tf.reduce_sum(x[:, None] * a * x[None, :]), x)[0])
    np.testing.assert_allclose(f(c([1.0, 2.0, 3.0])), a + a.T, rtol=1e-5)
    both = tf.function(lambda x, y: tf.hessians(tf.reduce_sum(x * x) + tf.reduce_sum(y**3), [x, y]))(
        tf.ones([2]), tf.ones([1, 2])
    )
    assert [h.shape for h in both] == [(2, 2), (1, 2, 1, 2)] and both[0].numpy().tolist() == [[2, 0], [0, 2]]
    assert (tf.function(lambda x: tf.hessians(3 * x, x)[0])(c([1.0, 2.0])).numpy() == 0).all()


# --- compat.v1 ---


def test_v1_training_with_placeholders():
    with v1.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None, 1], "x"), v1.placeholder(tf.float32, [None, 1])
        prediction = v1.layers.Dense(1)(x)
        assert prediction.shape.as_list() == [None, 1]
        loss = tf.reduce_mean(tf.square(prediction - y))
        step = v1.train.get_or_create_global_step()
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
        with pytest.raises(RuntimeError, match="uninitialized"):
            session.run(loss, {x: [[1.0]], y: [[1.0]]})
        session.run(v1.global_variables_initializer())
        inputs = np.random.default_rng(0).normal(size=(64, 1)).astype("float32")
        losses = [session.run([loss, train], {x: inputs, y: 3 * inputs + 2})[0] for _ in range(60)]
        kernel, bias = session.run(v1.trainable_variables())
        assert (
            losses[-1] < 1e-3 and kernel[0, 0] == pytest.approx(3, abs=0.05) and bias[0] == pytest.approx(2, abs=0.05)
        )
        assert session.run(step) == 60
        with pytest.raises(ValueError, match="You must feed a value for placeholder tensor 'x'"):
            session.run(prediction)
        with pytest.raises(ValueError, match=r"Cannot feed value of shape \(1, 2\)"):
            session.run(prediction, {x: [[1.0, 2.0]]})
        with pytest.raises(TypeError, match="invalid type"):
            session.run(3)


def test_GT130_unknown_shapes():
    with v1.Graph().as_default(), v1.Session() as session:
        a = v1.placeholder(tf.float32, [None])
        b = a**3
        assert [v.tolist() for v in session.run([b, tf.gradients(b, a)[0]], {a: [2.0]})] == [[8.0], [12.0]]


def test_v1_assigning_groups_and_control_dependencies():
    with v1.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [], initializer=v1.ones_initializer())
        session.run(v.initializer)
        add = v.assign_add(2.0)
        with v1.control_dependencies([add]):
            doubled = tf.identity(c(1.0)) * 2
        assert session.run([v, doubled])[1] == 2.0 and session.run(v) == 3.0
        session.run(v1.group(add, v1.no_op()))
        assert v.eval() == 5.0 and session.run({"a": (v, add)}) == {"a": (5.0, 7.0)}


@pytest.mark.parametrize(
    "f, error, text",
    [
        (
            lambda o, v: o.compute_gradients(c(1.0)),
            RuntimeError,
            "should be a function when eager execution is enabled",
        ),
        (lambda o, v: o.apply_gradients([]), ValueError, "No variables provided"),
        (
            lambda o, v: o.minimize(lambda: c(1.0), var_list=[v]),
            ValueError,
            "No gradients provided for any variable, check your graph",
        ),
        (
            lambda o, v: o.compute_gradients(lambda: v * v, gate_gradients=7),
            ValueError,
            "gate_gradients must be one of",
        ),
    ],
)
def test_OP01_OP06_OP07_OP08_errors(f, error, text):
    with pytest.raises(error, match=text):
        f(v1.train.GradientDescentOptimizer(0.1), V(1.0))


def test_OP05_OP13_eager_v1():
    a, b, step = V(1.0), V(2.0), V(0, trainable=False)
    optimizer = v1.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(lambda: b * 3 + a)
    assert [v for _, v in pairs][0] is a and lists([g for g, _ in pairs]) == [1.0, 3.0]
    optimizer.apply_gradients(pairs, global_step=step)
    assert [float(a), float(b), int(step)] == [0.5, 0.5, 1]


def test_OP07_graph_without_variables():
    with v1.Graph().as_default(), pytest.raises(ValueError, match="No variables to optimize"):
        v1.train.AdamOptimizer().minimize(c(1.0))


def test_placeholder_when_eager():
    with pytest.raises(ValueError, match="not compatible with eager execution"):
        v1.placeholder(tf.float32, [])


@pytest.mark.parametrize(
    "of, function", [("Eig", tf.linalg.eigvals), ("MatrixSquareRoot", tf.linalg.sqrtm)], ids=["eigvals", "sqrtm"]
)
def test_a_trace_has_three_derivatives_of_what_numpy_computes(of, function):
    def derivative(x, order):
        if order == 0:
            return tf.reduce_sum(tf.math.real(function(x)))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(x, order - 1)
        return tape.gradient(y, x)

    x = tf.constant([[3.0, 0.2], [0.1, 5.0]], tf.float64)
    third = tf.function(derivative, autograph=False)(x, 3)
    np.testing.assert_allclose(third, derivative(x, 3), rtol=1e-8, atol=1e-10)
    why = f"{of}: a trace has its first three derivatives, no fourth; take that outside of tf.function"
    with pytest.raises(tf.errors.UnimplementedError, match=why):
        tf.function(derivative, autograph=False)(x, 4)


def test_a_step_leaves_no_cycles():
    """What holds gradients is free when the step ends, not when Python looks for cycles."""
    w = [tf.Variable(tf.ones([4])), tf.Variable(1.0)]
    data = iter(tf.data.Dataset.zip((tf.data.Dataset.range(9), {"x": tf.data.Dataset.range(9)})))

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w[0] * w[1])
        for v, g in zip(w, tape.gradient(loss, w)):
            v.assign_sub(0.1 * g)
        tf.nest.map_structure(lambda x: x + 1, {"a": [loss]})
        next(data)

    step()
    gc.collect()
    gc.disable()
    try:
        step()
        assert gc.collect() == 0
    finally:
        gc.enable()
