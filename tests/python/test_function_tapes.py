"""Compiled functions under tapes: one op with a compiled gradient, of the bits that the Python function gives."""

import gc
import threading
import weakref

import numpy as np
import pytest

import reel
import reel.tf as tf

W = tf.Variable([[0.5, -1.25, 2.0], [1.5, 0.25, -0.75]], name="w")
B = tf.Variable([0.1, 0.2, -0.3], name="b")
TABLE = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="table")
FROZEN = tf.Variable([2.0, 3.0, 4.0], trainable=False, name="frozen")
CAPTURED = tf.constant([[1.0, 2.0], [3.0, 4.0]])
X = tf.constant([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.0], [2.0, 2.0]])


def elementwise(x):
    return tf.tanh(x) * tf.exp(x) + x


def dense(x):
    return tf.nn.relu(x @ W + B) * FROZEN


def softmax(x):
    return tf.reduce_sum(tf.nn.softmax(x @ W + B) * FROZEN)


def captured_tensor(x):
    return tf.sin(x @ CAPTURED)


def several(x):
    return {"a": tf.sin(x), "b": (tf.reduce_sum(x @ W), tf.exp(B))}


def no_gradients(x):
    return x * x, x > 0, tf.cast(x, tf.int32)


def lookup(x):
    return tf.gather(TABLE, [0, 2, 0, 1]) * x


def stopped(x):
    return tf.stop_gradient(x) * x + tf.stop_gradient(tf.reduce_sum(B))


def branch(x):
    if tf.reduce_sum(x) > 0:
        y = tf.reduce_sum(x @ W)
    else:
        y = 3.0 * tf.reduce_sum(x)
    return y


def loop(x):
    for _ in tf.range(3):
        x = tf.tanh(x @ CAPTURED)
    return x


def assigned(x):
    y = x @ W
    W.assign(W * 2.0)
    FROZEN.assign_add([1.0, 1.0, 1.0])
    return y * FROZEN


def assigned_and_read(x):
    B.assign(B * 3.0 + tf.reduce_sum(x))
    return x @ W + B * B


def tape_inside(x):
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.reduce_sum(tf.square(x @ W))
    return t.gradient(y, x), y


@tf.custom_gradient
def triple(x):
    return x * x, lambda dy: 7.0 * dy


def custom(x):
    return triple(x @ W) + B


def call_of_a_function(x):
    return tf.function(dense)(x) * B


TABLE_OF_FUNCTIONS = [
    elementwise,
    dense,
    softmax,
    captured_tensor,
    several,
    no_gradients,
    lookup,
    stopped,
    branch,
    loop,
    assigned,
    assigned_and_read,
    tape_inside,
    custom,
    call_of_a_function,
]
SOURCES = [X, CAPTURED, W, B, TABLE, FROZEN]


@pytest.fixture(autouse=True)
def restored():
    values = [(v, v.value()) for v in (W, B, TABLE, FROZEN)]
    yield
    for v, value in values:
        v.assign(value)


def observe(f):
    """Results, gradients by all and by each of them, the watched variables, and the variables after the call."""
    saved = [(v, v.value()) for v in (W, B, TABLE, FROZEN)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([X, CAPTURED])
        y = f(X)
    leaves = [t for t in tf.nest.flatten(y) if isinstance(t, tf.Tensor)]
    floating = [t for t in leaves if t.dtype.is_floating]
    gradients = [tape.gradient(ys, SOURCES) for ys in [floating] + [[t] for t in floating]]
    out = [t.numpy() for t in leaves]
    for g in (g for row in gradients for g in row):
        if isinstance(g, tf.IndexedSlices):
            out += ["slices", g.indices.numpy(), g.values.numpy()]
        else:
            out.append(None if g is None else g.numpy())
    out += [v.name for v in tape.watched_variables()]
    out += [v.numpy() for v, _ in saved]
    for v, value in saved:
        v.assign(value)
    return y, out


@pytest.mark.parametrize("f", TABLE_OF_FUNCTIONS, ids=lambda f: f.__name__)
def test_bits_are_those_of_the_python_function(f):
    compiled = tf.function(f)
    expected_structure, expected = observe(f)
    for _ in range(2):  # the second call finds its program without Python code
        structure, got = observe(compiled)
        tf.nest.assert_same_structure(structure, expected_structure)
        assert len(got) == len(expected)
        for a, b in zip(got, expected):
            np.testing.assert_array_equal(a, b)
    assert compiled.experimental_get_tracing_count() == 1


def test_the_python_function_runs_once():
    runs = []

    @reel.function
    def f(x):
        runs.append(1)
        return reel.sum(x * x)

    x = reel.asarray([1.0, 2.0])
    for _ in range(3):
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert tape.gradient(y, x).tolist() == [2.0, 4.0]
    f(x)
    assert len(runs) == 1


def test_what_a_tape_of_one_call_holds():
    f = tf.function(dense)
    with tf.GradientTape() as tape:
        f(X)
    assert "function" in tape.summary() and "relu" not in tape.summary() and "contract" not in tape.summary()


def test_higher_orders():
    f = tf.function(lambda x: x**4.0)
    x = tf.constant(2.0)
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = f(x)
            d1 = t1.gradient(y, x)
        d2 = t2.gradient(d1, x)
    assert float(d1) == 32.0 and float(d2) == 48.0 and float(t3.gradient(d2, x)) == 48.0


def test_second_order_through_variables_and_functions_of_gradients():
    def norm(g):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(X)
                y = tf.reduce_sum(tf.tanh(g(X)))
            d = tf.reduce_sum(tf.square(inner.gradient(y, X)))
        return [t.numpy() for t in outer.gradient(d, [W, B])]

    for a, b in zip(norm(tf.function(dense)), norm(dense)):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_jacobians():
    def jacobians(g):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            y = g(X)
        return tape.jacobian(y, X).numpy(), tape.batch_jacobian(y, X).numpy(), tape.jacobian(y, W).numpy()

    for a, b in zip(jacobians(tf.function(dense)), jacobians(dense)):
        np.testing.assert_array_equal(a, b)


def test_forward_mode_sees_the_ops():
    def tangent(g):
        with tf.autodiff.ForwardAccumulator(X, tf.ones_like(X)) as acc:
            y = g(X)
        return acc.jvp(y).numpy()

    np.testing.assert_array_equal(tangent(tf.function(dense)), tangent(dense))


def test_variables_are_live():
    count = tf.Variable(1.0)

    @tf.function
    def f(x):
        count.assign_add(1.0)
        return x * count

    before = count.value()
    assert float(f(tf.constant(3.0))) == 6.0 and float(count) == 2.0 and float(before) == 1.0
    count.assign(10.0)
    assert float(f(tf.constant(3.0))) == 33.0
    assert [v is count for v in f.get_concrete_function(tf.constant(3.0)).variables] == [True]


def test_a_tensor_from_outside_is_not_copied_and_keeps_its_gradient():
    big = reel.zeros((1 << 23,))  # more than a constant may hold
    f = reel.function(lambda x: reel.sum(big * x))
    with reel.GradientTape() as tape:
        tape.watch(big)
        y = f(reel.asarray(2.0))
    assert float(tape.gradient(y, big)[7]) == 2.0


def test_an_error_leaves_tape_and_variables():
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        with pytest.raises(ValueError, match="matmul|contract|extents"):
            tf.function(lambda x: tf.matmul(x, tf.ones((3, 3))) + v.assign_add(1.0))(tf.ones((2, 2)))
        y = v * v
    assert float(v) == 1.0 and float(tape.gradient(y, v)) == 2.0


def test_errors_name_what_is_wrong():
    f = reel.function(lambda x: x)
    with pytest.raises(TypeError, match="neither hashed nor made a tensor"):
        f(bytearray(b"x"))
    with pytest.raises(TypeError):
        f()
    with tf.GradientTape() as tape, pytest.raises(TypeError, match="Binding inputs"):
        tf.function(lambda x: x)(1, 2)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.function(no_gradients)(X)[2]
    assert tape.gradient(y, X) is None and "i32" in tape.explain_none(y, X)


@pytest.mark.parametrize("decorate", [reel.function, tf.function], ids=["reel", "tf"])
def test_equal_numbers_of_other_types_are_other_programs(decorate):
    seen = []

    @decorate
    def f(x, n):
        seen.append(n)
        return x * 1.0

    x = tf.constant(1.0) if decorate is tf.function else reel.asarray(1.0)
    for _ in range(3):
        for n in (1, True, 1.0, "a", None, 2):
            f(x, n)
    assert [repr(n) for n in seen] == ["1", "True", "1.0", "'a'", "None", "2"]


@pytest.mark.parametrize("decorate", [reel.function, tf.function], ids=["reel", "tf"])
def test_fast_calls_give_what_slow_ones_do(decorate):
    make = tf.constant if decorate is tf.function else reel.asarray
    f = decorate(lambda x, y=2.0: x + y)
    x = make([1.0, 2.0])
    for _ in range(3):
        assert f(x).numpy().tolist() == [3.0, 4.0]
        assert f(x, y=3.0).numpy().tolist() == [4.0, 5.0]
        assert f(x, make([1.0, 1.0])).numpy().tolist() == [2.0, 3.0]
        assert f(make([[1.0]])).numpy().tolist() == [[3.0]]
        assert f(np.float32([5.0, 6.0])).numpy().tolist() == [7.0, 8.0]
        assert type(f(x)) is type(x)
    make = tf.Variable if decorate is tf.function else reel.Variable
    v, w = make(1.0), make(5.0)
    g = decorate(lambda a: a + 1.0)
    for _ in range(3):
        assert float(g(v)) == 2.0 and float(g(w)) == 6.0


def test_run_eagerly_and_graphs_pass_the_programs_by():
    runs = []
    f = tf.function(lambda x: (runs.append(1), x + 1.0)[1])
    x = tf.constant(1.0)
    f(x)
    f(x)
    tf.config.run_functions_eagerly(True)
    try:
        f(x)
        f(x)
    finally:
        tf.config.run_functions_eagerly(False)
    f(x)
    assert len(runs) == 3


def test_recordings_see_the_ops():
    f = reel.function(lambda x: reel.sin(x) * 2.0)
    x = reel.asarray([1.0])
    f(x)
    with reel.Recording() as recording:
        y = f(x)
    assert "sin" in str(recording.lift([x], [y]))


def test_threads():
    f = reel.function(lambda x: reel.sum(x * x))
    xs = [reel.full((1000,), float(i)) for i in range(8)]
    results = [None] * 8

    def work(i):
        for _ in range(50):
            with reel.GradientTape() as tape:
                tape.watch(xs[i])
                y = f(xs[i])
            results[i] = (float(y), float(tape.gradient(y, xs[i])[0]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert results == [(1000.0 * i * i, 2.0 * i) for i in range(8)]


def test_what_a_function_was_called_with_can_die():
    class Model:
        @reel.function
        def __call__(self, x):
            return x + 1

    class Given:
        pass

    model, given = Model(), Given()
    f = reel.function(lambda g, x: x + 1)
    given.cycle = f
    for _ in range(2):
        model(reel.asarray(1.0))
        f(given, reel.asarray(1.0))
    dead = weakref.ref(model), weakref.ref(given)
    del model, given, f
    gc.collect()
    assert [d() for d in dead] == [None, None]


def test_tf_tensors_are_core_tensors_with_tensorflows_rules():
    t = tf.constant([1.0, 2.0])
    assert isinstance(t, reel.Tensor) and reel.sum(t).item() == 3.0
    assert type(t + t) is tf.Tensor and type(-t) is tf.Tensor and type(2.0 * t) is tf.Tensor and type(t[0]) is tf.Tensor
    for name in ("T", "astype", "reshape", "size", "item"):
        with pytest.raises(AttributeError):
            getattr(t, name)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute AddV2"):
        t + tf.constant([1, 2])
    with pytest.raises(TypeError):
        tf.constant([1, 2]) + 1.5
    with pytest.raises(TypeError):
        t << t
    assert (t == tf.constant([1.0, 2.0, 3.0])).numpy() is np.False_ and (t == None) is False  # noqa: E711
    assert (t == 1.0).numpy().tolist() == [True, False] and (t != t).numpy().tolist() == [False, False]
    assert (tf.constant([3, 4]) / 2).dtype == tf.float64
    with pytest.raises(TypeError):
        hash(t)
