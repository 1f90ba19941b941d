"""More rows of the gradient semantics: tapes, tf.gradients and functions, mostly second order and captures."""

import gc
import threading
import weakref

import numpy as np
import pytest

import reel.tf as tf
import reel.tfe as tfe

V, Tape = tf.Variable, tf.GradientTape


def c(value):
    return tf.constant(value)


def values(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


def test_GT77_watch_nested_tuples():
    x, y = c(1.0), c(2.0)
    with Tape() as t:
        t.watch(((x,), [y]))
        z = x * y
    assert values(t.gradient(z, {"k": (x, y)})) == {"k": (2.0, 1.0)}


def test_GT10_watching_integers():
    x = c(3)
    with Tape() as t:
        t.watch(x)
        y = x * 2
    assert t.gradient(y, x) is None


def test_GT14_watching_twice():
    x = c(3.0)
    with Tape() as t:
        t.watch(x)
        t.watch(x)
        y = x * x
    assert values(t.gradient(y, x)) == 6.0


def test_GT25_two_tapes_by_one_name():
    v, w = V(1.0), V(2.0)
    for variable in (v, w):
        with Tape() as tape:
            variable * 2.0
    assert len(tape.watched_variables()) == 1 and tape.watched_variables()[0] is w


def test_GT47_GT51_nothing_is_kept():
    x = c([1.0] * 100)
    with Tape() as t:
        t.watch(x)
        y = x * x
        kept = weakref.ref(y)
        loss = tf.reduce_sum(y * 3.0)
    del y
    t.gradient(loss, x)
    gc.collect()
    assert kept() is None


def test_GT88_zero_through_stopped_functions():
    f = tf.function(lambda x: tf.stop_gradient(tf.function(lambda y: y * 2)(x)))
    x = c(1.0)
    with Tape() as t:
        t.watch(x)
        y = f(x)
    assert values(t.gradient(y, x, unconnected_gradients="zero")) == 0.0


def test_GT89_read_but_not_used():
    v = V(1.0)

    def f():
        v.read_value()
        return c(2.0)

    ((g, variable),) = tfe.implicit_gradients(f)()
    assert g is None and variable is v


def test_GT91_only_what_leads_to_the_sources_is_differentiated():
    x, w = c(2.0), V(3.0)
    with Tape() as t:
        t.watch(x)
        y = x * x + tf.floor(w) * 2.0
    assert values(t.gradient(y, x)) == 4.0


def test_GT112_nested_persistent():
    x = c(3.0)
    with Tape(persistent=True) as outer:
        outer.watch(x)
        y = x * x
        with Tape(persistent=True) as inner:
            inner.watch(y)
            z = 2 * y
        assert [values(inner.gradient(z, y)) for _ in range(2)] == [2.0, 2.0]
    assert values([outer.gradient(y, x), outer.gradient(z, x)]) == [6.0, 12.0]


@pytest.mark.parametrize("classes, expected", [(1, [[0.0]]), (2, None)])
def test_GT115_GT119_second_order_of_cross_entropy(classes, expected):
    x = tf.zeros([1, classes])
    with Tape() as t2:
        t2.watch(x)
        with Tape() as t1:
            t1.watch(x)
            y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=c([0]), logits=x)
        g = t1.gradient(y, x)
        first = g[0, 0]
    h = t2.gradient(first, x)
    np.testing.assert_allclose(h, expected or [[0.25, -0.25]], atol=1e-7)


def test_GT116_gradgrad():
    gradgrad = lambda f: tfe.gradients_function(lambda x: tfe.gradients_function(f)(x)[0])  # noqa: E731
    assert values(gradgrad(lambda x: x * x)(3.0)) == [2.0] and values(gradgrad(tf.exp)(0.0)) == [1.0]


def test_GT129_tape_inside_a_loop_body():
    v = V(2.0)

    @tf.function
    def f(n):
        total = tf.constant(0.0)
        for _ in tf.range(n):
            with Tape() as t:
                y = v * v
            total += t.gradient(y, v)
        return total

    assert float(f(c(3))) == 12.0


def test_second_derivatives_that_tensorflow_has_wrong():
    x = c([2.0, 0.0, 3.0])
    with Tape() as t:
        t.watch(x)
        y = tf.reduce_sum(tf.math.cumprod(x))
    assert values(t.gradient(y, x)) == [1.0, 8.0, 0.0]
    with Tape() as t:
        t.watch(x)
        y = c(0.0) ** 0.0 + tf.reduce_sum(x**0.0)
    assert np.isfinite(np.asarray(t.gradient(y, x))).all()


def test_variance_is_differentiated_twice_right():
    x = c([1.0, 2.0, 4.0])
    with Tape() as t2:
        t2.watch(x)
        with Tape() as t1:
            t1.watch(x)
            y = tf.nn.moments(x, [0])[1]
        first = t1.gradient(y, x)[0]
    np.testing.assert_allclose(t2.gradient(first, x), [2 / 3 - 2 / 9, -2 / 9, -2 / 9], rtol=1e-5)


# --- tf.gradients ---


def test_TG08_what_makes_x_is_not_differentiated():
    @tf.function
    def f(a):
        x = tf.floor(a) * 1.0
        return tf.gradients(x * x, [x])

    assert values(f(c(3.5))) == [6.0]


def test_TG18_another_output_has_a_gradient():
    @tf.function
    def f(x):
        a, d = tf.split(x, 2)
        return tf.gradients(a * 3, d), tf.gradients(a * 3, d, unconnected_gradients="zero")

    assert values(f(c([1.0, 2.0]))) == ([None], [[0.0]])


def test_TG37_loop_with_a_number_of_steps_that_is_not_known():
    @tf.function
    def f(n, x):
        while n < 10.0:
            n = n * x
        return n

    @tf.function
    def gradient(n, x):
        return tf.gradients(f(n, x), [n, x])

    # n: 2, 4, 8, 16 = 2 x^3
    assert values(gradient(c(2.0), c(2.0))) == [8.0, 24.0]


def test_TG39_functions_composed():
    f = tf.function(lambda x, b: x * x + b)
    gradient = tf.function(lambda x, b: tf.gradients(f(x, b), [x, b]))
    assert values(gradient(c(2.0), c(1.0))) == [4.0, 1.0]
    twice = tf.function(lambda x, b1, b2: tf.gradients(f(f(x, b1), b2), [x, b1]))
    assert values(twice(c(2.0), c(1.0), c(1.0))) == [40.0, 10.0]


def test_TG41_captures():
    @tf.function
    def outer(x):
        y = x * 2

        def inner():
            return tf.gradients(y, x)[0]

        return inner(), tf.function(inner)()

    assert values(outer(c(3.0))) == (2.0, 2.0)
    v = V(3.0)
    assert values(tf.function(lambda: tf.gradients(v * 2.0, v)[0])()) == 2.0


def test_TG42_captured_eager_constants():
    constant = c(5.0)
    assert values(tf.function(lambda x: tf.gradients(x * x + constant, x)[0])(c(2.0))) == 4.0


def test_TG43_variable_read_but_not_used():
    v = V(1.0)

    @tf.function
    def f(x):
        v.read_value()
        return tf.gradients(x * x, [x, v])

    assert values(f(c(2.0))) == [4.0, None]


@pytest.mark.parametrize("method", [0, 1, 2])
def test_TG21_aggregation_methods(method):
    @tf.function
    def f(x):
        y = 2 * x
        return tf.gradients(tf.add_n([y] * 10), [x, y], aggregation_method=method)

    assert values(f(c(1.0))) == [20.0, 10.0]


# --- mistakes ---


@pytest.mark.parametrize(
    "f, error, text",
    [
        (lambda t, x, y: t.gradient(y, None), TypeError, "`sources` holds None"),
        (lambda t, x, y: t.gradient(np.zeros(2), x), ValueError, "computed outside tf has no gradient"),
        (lambda t, x, y: t.gradient(y, "x"), ValueError, "not str"),
        (lambda t, x, y: t.watch([x, None]), ValueError, "NoneType"),
        (lambda t, x, y: tf.cond(c([True, False]), lambda: x, lambda: y), ValueError, "must be a scalar"),
        (lambda t, x, y: tf.cond(c(True), x, y), TypeError, "must be callable"),
        (
            lambda t, x, y: tf.while_loop(lambda i: i < 3, lambda i: i + 1, []),
            ValueError,
            "'loop_vars' must be provided",
        ),
        (
            lambda t, x, y: tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1,), [c(0), c(0)]),
            ValueError,
            "same number of elements",
        ),
        (lambda t, x, y: tf.map_fn(lambda r: r, c(1.0)), ValueError, "at least one axis"),
        (lambda t, x, y: tf.function(lambda a: a)(1, 2), TypeError, "Binding inputs to tf.function failed"),
        (lambda t, x, y: tf.function(lambda a: float(a) + 1, autograph=False)(x), Exception, "traced"),
        (lambda t, x, y: tf.function(lambda a: np.sum(a.numpy()))(x), NotImplementedError, "traced"),
        (lambda t, x, y: tf.keras.activations.get("nonsense"), ValueError, "nonsense"),
        (lambda t, x, y: tf.reshape(c([1.0, 2.0]), [3]), ValueError, "reshape"),
        (
            lambda t, x, y: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], [1.0, 2.0]),
            ValueError,
            "Rank of labels",
        ),
    ],
)
def test_mistakes(f, error, text):
    x = c(2.0)
    tape = Tape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(error, match=text):
        f(tape, x, y)
    assert values(tape.gradient(y, x)) == 4.0


# --- rows of options and types ---


def test_GT38_gradient_inside_a_stop_block():
    x = c(3.0)
    with Tape() as t:
        t.watch(x)
        y = x * x
        with t.stop_recording():
            assert values(t.gradient(y, x)) == 6.0
    with pytest.raises(RuntimeError, match="non-persistent"):
        t.gradient(y, x)


@pytest.mark.parametrize("persistent", [False, True])
def test_GT48_persistent_tapes_keep_until_they_die(persistent):
    class Kept:
        pass

    def square_that_keeps(kept):
        @tf.custom_gradient
        def square(x):
            return x * x, lambda dy, kept=kept: 2.0 * x * dy

        return square, weakref.ref(kept)

    square, kept = square_that_keeps(Kept())
    x = c(3.0)
    with Tape(persistent=persistent) as t:
        t.watch(x)
        y = square(x)
    del square
    gc.collect()
    assert kept() is not None
    for _ in range(2 if persistent else 1):
        assert values(t.gradient(y, x)) == 6.0
    gc.collect()
    assert (kept() is not None) == persistent
    del t
    gc.collect()
    assert kept() is None


def test_GT75_through_argmax_and_stop_gradient():
    x = c([1.0, 3.0])
    with Tape() as t:
        t.watch(x)
        y = tf.stop_gradient(tf.cast(tf.argmax(x), tf.float32))
    assert t.gradient(y, x) is None


def test_GT131_one_gradient_in_two_graphs():
    for _ in range(2):
        with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as session:
            x = c(3.0)
            assert session.run(tf.gradients(x * x, x)) == [6.0]


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_TG10_TG19_dtypes_of_gradients(dtype):
    v = V([1.0, 2.0], dtype=dtype)
    f = tf.function(lambda x: tf.gradients(x * 2, [x, v], unconnected_gradients="zero"))
    g, h = f(tf.ones([2], dtype))
    assert (g.dtype, h.dtype) == (dtype, dtype) and values([g, h]) == [[2.0, 2.0], [0.0, 0.0]]


def test_TG16_integers_by_themselves():
    (g,) = tf.function(lambda x: tf.gradients(x, x))(c([3, 4]))
    assert g.dtype is tf.int32 and values(g) == [1, 1]


def test_TG24_gate_gradients():
    assert values(tf.function(lambda x: tf.gradients(x * x, x, gate_gradients=True))(c(3.0))) == [6.0]


def test_IS04_lookups_in_tf_gradients():
    w = V([1.0, 2.0, 3.0])
    dense, sparse = tf.function(
        lambda: (
            tf.gradients(tf.gather(w, [1]) + tf.reduce_sum(w), w)[0],
            tf.gradients(tf.gather(w, [1]) + tf.gather(w, [2]), w)[0],
        )
    )()
    assert isinstance(dense, tf.Tensor) and values(dense) == [1.0, 2.0, 1.0]
    assert isinstance(sparse, tf.IndexedSlices) and np.asarray(sparse).tolist() == [0.0, 1.0, 1.0]


def test_TF34_implicit_gradients_of_functions_keep_slices():
    w = V([1.0, 2.0, 3.0])
    f = tf.function(lambda i: tf.reduce_sum(tf.gather(w, i)))
    ((g, variable),) = tfe.implicit_gradients(f)(c([0, 2]))
    assert variable is w and isinstance(g, tf.IndexedSlices) and values(g.indices) == [0, 2]
    tf.keras.optimizers.SGD(1.0).apply_gradients([(g, variable)])
    assert values(w.value()) == [0.0, 2.0, 2.0]


def test_TG46_TG47_shapes_of_hessians():
    f = tf.function(lambda x, y: tf.hessians(tf.reduce_sum(x * x) * tf.reduce_sum(y), [x, y]))
    assert [h.shape for h in f(tf.ones([3, 4]), tf.ones([2]))] == [(3, 4, 3, 4), (2, 2)]


def test_FN23_first_calls_of_several_threads_trace_once():
    traced, out, together = [], [None] * 4, threading.Barrier(4)

    @tf.function
    def f(x):
        traced.append(x.shape)
        return tf.reduce_sum(x * x)

    def run(i):
        together.wait()
        out[i] = float(f(tf.ones([10]) * float(i)))

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out == [0.0, 10.0, 40.0, 90.0] and len(traced) == 1


def test_FN23_a_thread_calls_while_another_traces():
    tracing, leave, out = threading.Event(), threading.Event(), []

    @tf.function
    def f(x):
        if x.shape == (20,):
            tracing.set()
            leave.wait(60)
        return tf.reduce_sum(x * x)

    f(tf.ones([10]))
    tracer = threading.Thread(target=lambda: out.append(float(f(tf.ones([20])))))
    caller = threading.Thread(target=lambda: out.append(float(f(tf.ones([10])))))
    tracer.start()
    assert tracing.wait(60)
    caller.start()
    caller.join(60)
    called = list(out)
    leave.set()
    tracer.join()
    caller.join()
    assert called == [10.0] and out == [10.0, 20.0]
