"""Rows GT28 to GT126 of the gradient semantics that need more than a line: lifetimes, threads, backward functions."""

import gc
import threading
import warnings
import weakref

import numpy as np
import pytest

import reel
import reel.tf as tf

c, V, Tape = tf.constant, tf.Variable, tf.GradientTape


def values(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


def counted(calls, run=lambda: None):
    """2x with a gradient that counts its calls and does `run`."""

    @tf.custom_gradient
    def double(x):
        def grad(dy):
            calls.append(dy)
            run()
            return 2 * dy

        return 2 * x, grad

    return double


def test_GT28_watching_an_empty_list_warns(capfd):
    layer = tf.keras.layers.Dense(3)
    with Tape(watch_accessed_variables=False) as t:
        t.watch(layer.trainable_variables)
        y = layer(tf.ones([1, 2]))
    assert "the list is empty" in capfd.readouterr().err
    assert t.gradient(y, layer.trainable_variables) == [None, None]


def test_GT30_entered_again():
    x = c(1.0)
    with Tape() as t:
        t.watch(x)
        y = 2 * x
    lost = 7 * y
    with t:
        z = 2 * y
    assert values(t.gradient([z, lost], x)) == 4.0


@pytest.mark.parametrize("persistent", [False, True])
def test_GT30_several_times(persistent):
    x = c(1.0)
    t = Tape(persistent=persistent)
    y = x
    for _ in range(3):
        with t:
            t.watch(x)
            y = y * 3
        assert t.watched_variables() == ()
    assert values(t.gradient(y, x)) == 27.0


def test_GT30_not_after_its_gradient():
    v = V(3.0)
    with Tape() as t:
        y = v * v
    assert values(t.gradient(y, v)) == 6.0
    with t:  # records anew
        y = v * v * v
    assert values(t.gradient(y, v)) == 27.0


def test_GT30_persistent_through_gradients():
    v = V(3.0)
    with Tape(persistent=True) as t:
        y = v * v
    assert values(t.gradient(y, v)) == 6.0
    with t:
        z = y * v
    assert values(t.gradient(z, v)) == 27.0 and values(t.gradient(y, v)) == 6.0


@pytest.mark.parametrize("method, message", [("jacobian", "can only"), ("batch_jacobian", "can only")])
def test_GT44_second_jacobian(method, message):
    x = c([[3.0]])
    with Tape() as t:
        t.watch(x)
        y = x * x
    assert getattr(t, method)(y, x).numpy().sum() == 6.0
    with pytest.raises(RuntimeError, match=message):
        getattr(t, method)(y, x)


def test_GT49_what_nothing_needs_is_dropped():
    v = V(np.ones(1000, np.float32))
    with Tape() as t:
        lost = tf.exp(v)
        lost = weakref.ref(lost)
        for _ in range(5000):
            tf.exp(tf.exp(v))
        y = v * 2
    gc.collect()
    assert lost() is None and "5000" not in t.summary()
    assert values(t.gradient(y, v))[0] == 2.0


def test_GT50_only_needed_values_are_kept():
    x = tf.ones([1000])
    with Tape() as t:
        t.watch(x)
        y = tf.reduce_sum((x + x) - 1.0)
    assert "0 B" in t.summary() or "0 bytes" in t.summary()
    assert values(t.gradient(y, x))[0] == 2.0


def test_GT54_gradient_on_another_thread():
    x, got = c(3.0), []
    with Tape() as t:
        t.watch(x)
        y = x * x
    thread = threading.Thread(target=lambda: got.append(t.gradient(y, x)))
    thread.start()
    thread.join()
    assert values(got) == [6.0]


def test_GT54_many_threads_ask_one_tape():
    x = tf.ones([100])
    with Tape(persistent=True) as t:
        t.watch(x)
        y = tf.reduce_sum(x**3)
    got = []
    threads = [threading.Thread(target=lambda: got.append(t.gradient(y, x).numpy().sum())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [300.0] * 8


def test_GT80_intermediate_source():
    x = c(3.0)
    with Tape() as t:
        t.watch(x)
        y = x * x
        z = y * y
    assert values(t.gradient(z, [x, y])) == [108.0, 18.0]


def test_GT85_none_by_default():
    x, y = c(1.0), c(2.0)
    with Tape() as t:
        t.watch([x, y])
        z = y * 2
    assert t.gradient(z, x) is None


def test_GT91_gradients_of_other_branches_are_not_called():
    calls, x, w = [], c(2.0), V(3.0)
    with Tape() as t:
        t.watch(x)
        y = counted(calls)(w) * x
    assert values(t.gradient(y, x)) == 6.0 and calls == []


def test_GT92_without_a_gradient_it_is_not_called():
    calls, x = [], c(2.0)
    with Tape() as t:
        t.watch(x)
        counted(calls)(x)
        y = x * 3
    assert values(t.gradient(y, x)) == 3.0 and calls == []


def test_GT93_missing_gradients_are_zeros():
    seen = []

    @tf.custom_gradient
    def two(x):
        def grad(da, db):
            seen.append(values(db))
            return 2 * da + 3 * db

        return (2 * x, 3 * x), grad

    x = c(1.0)
    with Tape() as t:
        t.watch(x)
        y, _ = two(x)
    assert values(t.gradient(y, x)) == 2.0 and seen == [0.0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_GT94_behind_stop_gradient_nothing_runs(wrap):
    calls, x = [], c(2.0)
    double = counted(calls)
    with Tape(persistent=True) as t:
        t.watch(x)
        outside = wrap(double)(tf.stop_gradient(x))
        inside = wrap(lambda x: double(tf.stop_gradient(x)))(x)
    ran = len(calls)  # a compiled function is traced with its gradient function
    assert ran == 0 if wrap is not tf.function else all(dy._t.symbolic for dy in calls)
    assert t.gradient(outside, x) is None and t.gradient(inside, x) is None and len(calls) == ran


def test_GT96_errors_of_a_backward_function():
    def fail():
        raise RuntimeError("mine")

    x = c(2.0)
    with Tape() as t:
        t.watch(x)
        y = counted([], fail)(x)
    with pytest.raises(RuntimeError, match="mine"):
        t.gradient(y, x)


@pytest.mark.parametrize("traced", [False, True])
def test_GT98_TG30_RR03_no_derivative_is_known(traced):
    a, x = c(1.5), c(2.0)

    def gradient(a, x):
        with Tape() as t:
            t.watch([a, x])
            y = tf.math.igamma(a, x)
        return t.gradient(y, a)

    with pytest.raises(LookupError, match="igamma.*stop_gradient"):
        (tf.function(gradient) if traced else gradient)(a, x)


def test_GT99_RR04_ops_without_a_gradient():
    x = c([1.5, 2.5])
    with Tape(persistent=True) as t:
        t.watch(x)
        made = [
            tf.floor(x),
            tf.math.ceil(x),
            tf.round(x),
            tf.math.rint(x),
            x // 2.0,
            tf.zeros_like(x),
            tf.ones_like(x),
            tf.cast(tf.shape(x), tf.float32),
            tf.cast(tf.size(x), tf.float32),
            tf.cast(x > 2, tf.float32),
            tf.cast(tf.argmax(x), tf.float32),
            tf.bitcast(x, tf.int32),
        ]
        sign = tf.sign(x)
    assert [t.gradient(y, x) for y in made] == [None] * len(made)
    assert values(t.gradient(sign, x)) == [0.0, 0.0]


def test_GT126_control_flow_in_a_v1_graph():
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        x = tf.constant(3.0)
        y = tf.cond(x > 0, lambda: x * x, lambda: x)
        n, z = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
        limited = tf.while_loop(lambda a: a < 100, lambda a: a * 2, [x], maximum_iterations=3)
        with Tape() as t:
            t.watch(x)
            square = x * x
        gy, gz, gs = tf.gradients(y, x)[0], tf.gradients(z, x)[0], t.gradient(square, x)
        assert session.run([gy, gz, gs, z, n, limited]) == [6.0, 27.0, 6.0, 27.0, 2, [24.0]]


def test_GT42_inside_a_persistent_tape_its_gradients_are_recorded():
    v = V(3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Tape(persistent=True) as t:
            g = t.gradient(v * v * v, v)
    assert values(t.gradient(g, v)) == 18.0


def test_GT11_the_tape_can_be_entered_after_the_error():
    t, x = Tape(), c(3.0)
    with pytest.raises(reel.Error, match="enter it with"):
        t.watch(x)
    with t:
        t.watch(x)
        y = x * x
    assert values(t.gradient(y, x)) == 6.0
