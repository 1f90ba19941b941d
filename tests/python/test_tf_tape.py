"""Rows GT01 to GT132 of the gradient semantics through reel.tf: one test per row."""

import math
import threading

import numpy as np
import pytest

import reel
import reel.tf as tf

c, V, Tape = tf.constant, tf.Variable, tf.GradientTape


def grad(f, *xs, **options):
    """Gradients of f by constants that a tape watches."""
    xs = [c(x) if isinstance(x, (float, list)) else x for x in xs]
    with Tape() as t:
        t.watch(xs)
        y = f(*xs)
    return values(t.gradient(y, xs, **options))


def values(g):
    return tf.nest.map_structure(lambda x: None if x is None else x.numpy().tolist(), g)


def test_GT01_square():
    assert grad(lambda x: x * x, 3.0) == [6.0]


def test_GT15_target_is_source():
    assert grad(lambda x: x, 3.0) == [1.0]


def test_GT16_identity():
    assert grad(tf.identity, 3.0) == [1.0]


def test_GT34_stop():
    assert stopped() is None


def test_GT60_two_targets():
    assert grad(lambda x, y: [2 * x, 3 * y], 3.0, 4.0) == [2.0, 3.0]


def test_GT61_sum_of_elements():
    assert grad(lambda x: x * x, [1.0, 2.0]) == [[2.0, 4.0]]


def test_GT62_target_also_source():
    assert grad(lambda x: [x, x * x], 2.0) == [5.0]


def test_GT63_duplicate_target():
    assert grad(lambda x: [x, x], 2.0) == [2.0]


def test_GT64_mixed_targets():
    assert grad(lambda x, y: [x, y, y * y], 3.0, 5.0) == [1.0, 11.0]


def test_GT65_no_ops():
    assert grad(lambda a: [a, a], [[1.0, 2.0], [3.0, 4.0]]) == [[[2.0, 2.0], [2.0, 2.0]]]


def test_GT86_zeros():
    assert grad(lambda x, y: x, [1.0, 2.0], [3.0], unconnected_gradients="zero") == [[1.0, 1.0], [0.0]]


def test_GT120_where():
    assert [grad(lambda x: tf.where(x < 10, x, x * x), v) for v in (5.0, 50.0)] == [[1.0], [100.0]]


def test_GT124_cond():
    assert grad(lambda x: tf.cond(x < x, lambda: x, lambda: x * x), 3.0) == [6.0]


def test_GT99_none_of_floor():
    assert grad(tf.floor, 1.5) == [None]


def stopped():
    x = c(2.0)
    with Tape() as t:
        t.watch(x)
        with t.stop_recording():
            y = x * x
    return t.gradient(y, x)


def test_GT02_variables_are_watched():
    v = V(1.0)
    with Tape() as t:
        y = v * v
    assert values(t.gradient(y, [v])) == [2.0]


@pytest.mark.parametrize("watched, expected", [(False, None), (True, 4.0)])
def test_GT03_GT04_not_trainable(watched, expected):
    v = V(2.0, trainable=False)
    with Tape() as t:
        if watched:
            t.watch(v)
        y = v * v
    assert values(t.gradient(y, v)) == expected


def test_GT05_not_watched():
    x = c(3.0)
    with Tape() as t:
        y = x**2
    assert t.gradient(y, x) is None


def test_GT06_variable_plus_tensor_is_a_tensor():
    x2 = V(2.0) + 1.0
    with Tape() as t:
        y = x2 * x2
    assert t.gradient(y, x2) is None


def test_GT07_watch_structures():
    x, y = c(3.0), c(4.0)
    with Tape() as t:
        t.watch({"a": [x], "b": (y,)})
        z = x * y
    assert values(t.gradient(z, [x, y])) == [4.0, 3.0]


def test_GT08_watch_array():
    with pytest.raises(ValueError, match="ndarray"):
        Tape().watch(np.zeros(2))


def test_GT11_watch_before_entering():
    with pytest.raises(RuntimeError, match="enter it with"):
        Tape().watch(c(1.0))


def test_GT12_watch_too_late():
    x = c(3.0)
    with Tape() as t:
        y = x * x
        t.watch(x)
    assert t.gradient(y, x) is None


def test_GT13_watching_an_intermediate_cuts_nothing():
    x = c(3.0)
    with Tape() as t:
        t.watch(x)
        y = x * x
        t.watch(y)
        z = y * y
    assert values(t.gradient(z, [x, y])) == [108.0, 18.0]


def test_GT17_no_op_arithmetic_makes_new_tensors():
    x = c(3.0)
    xs = [x, tf.identity(x), x + 0, x - 0, x * 1]
    with Tape() as t:
        t.watch(xs)
        loss = 2 * xs[0] + 3 * xs[1] + 3 * xs[2] + 3 * xs[3] + 3 * xs[4]
    assert values(t.gradient(loss, xs)) == [2.0, 3.0, 3.0, 3.0, 3.0]


def test_GT18_equal_constants_are_two():
    x1, x2 = c(3.0), c(3.0)
    with Tape() as t:
        t.watch([x1, x2])
        y = x1 + x2
    assert values(t.gradient(y, x1)) == 1.0


def test_GT19_read_value():
    v = V(2.0)
    with Tape() as t:
        y = v.read_value()
    assert values(t.gradient(y, v)) == 1.0


def test_GT20_to_GT26_watched_variables():
    v0, v1 = V(1.0), V(2.0)
    with Tape() as t:
        assert t.watched_variables() == ()
        y = v1 * v0
        assert [v is w for v, w in zip(t.watched_variables(), (v0, v1))] == [True, True]
        t.reset()
        assert t.watched_variables() == ()
        t.watch(v1)
        assert t.watched_variables()[0] is v1
        y = v1 * v1
    t.gradient(y, v1)
    assert len(t.watched_variables()) == 1 and isinstance(t.watched_variables(), tuple)


def test_GT27_selective_watching():
    x1, x2 = V(1.0), V(1.0)
    with Tape(watch_accessed_variables=False) as t:
        t.watch(x2)
        y, z = x1**2, x2**3
    assert t.watched_variables()[0] is x2
    assert values(t.gradient([y, z], [x1, x2])) == [None, 3.0]


def test_GT29_variables_read_in_functions():
    v = V(3.0)
    f = tf.function(lambda: v * v)
    for _ in range(2):
        with Tape() as t:
            y = f()
        assert values(t.gradient(y, v)) == 6.0


def test_GT31_entering_twice():
    with pytest.raises(ValueError, match="Tape is still recording"):
        with Tape() as t:
            with t:
                pass


def test_GT32_exception_in_the_body():
    x = c(3.0)
    with pytest.raises(ZeroDivisionError):
        with Tape() as t:
            t.watch(x)
            1 / 0
    assert grad(lambda x: x * x, 3.0) == [6.0]


@pytest.mark.parametrize("dtype, expected", [("float16", 6.0), ("float32", 6.0), ("float64", 6.0), ("int32", None)])
def test_GT33_dtypes(dtype, expected):
    x = tf.cast(c(3), dtype)
    with Tape() as t:
        t.watch(x)
        y = x * x
    assert values(t.gradient(y, x)) == expected


def test_GT35_recording_goes_on_after_a_stop():
    x = c(1.0)
    with Tape(persistent=True) as t:
        t.watch(x)
        x2 = 2 * x
        with t.stop_recording():
            y = x2 * x2
        z = x2 * x2
    assert values([t.gradient(y, x2), t.gradient(z, x2)]) == [None, 4.0]


def test_GT36_stop_before_entering():
    with pytest.raises(RuntimeError, match="not recording"):
        Tape().stop_recording()


@pytest.mark.parametrize("method", ["stop_recording", "reset"])
def test_GT37_GT40_after_the_block(method):
    with Tape() as t:
        pass
    with pytest.raises(ValueError, match="Tape is not recording"):
        getattr(t, method)()


def test_GT39_reset():
    v = V(1.0)
    with Tape() as t:
        loss = v * v
        t.reset()
        loss += v * v
    assert values(t.gradient(loss, v)) == 2.0


@pytest.mark.parametrize("persistent", [False, True])
def test_GT41_GT42_gradient_in_the_block(persistent):
    v = V(3.0)
    with Tape(persistent) as t:
        g = t.gradient(2 * v, v)
    assert values(g) == 2.0


def test_GT43_second_call():
    x = c(3.0)
    with Tape() as t:
        t.watch(x)
        y = x * x
    t.gradient(y, x)
    with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only"):
        t.gradient(y, x)


def test_GT45_GT46_persistent():
    x = c(3.0)
    with Tape(persistent=True) as t:
        t.watch(x)
        y = x * x
        z = y * y
    assert [values(t.gradient(a, x)) for a in (z, y, z)] == [108.0, 6.0, 108.0]


def in_thread(f):
    out = []
    thread = threading.Thread(target=lambda: out.append(f()))
    thread.start()
    thread.join()
    return out[0]


def test_GT53_tapes_see_no_other_threads():
    x = c(3.0)
    with Tape() as t:
        t.watch(x)
        y = in_thread(lambda: x * x)
    assert t.gradient(y, x) is None


def test_GT53_accumulators_see_no_other_threads():
    x = c(3.0)
    with tf.autodiff.ForwardAccumulator(x, c(1.0)) as acc:
        y, z = in_thread(lambda: x * x), x * x
    assert acc.jvp(y) is None and values(acc.jvp(z)) == 6.0


def test_GT53_stopped_recording_stops_no_other_threads():
    x = c(3.0)

    def of_its_own():
        with Tape() as t:
            t.watch(x)
            y = x * x
        return t.gradient(y, x)

    with Tape() as t:
        t.watch(x)
        with t.stop_recording():
            assert values(in_thread(of_its_own)) == 6.0
            y = x * x
    assert t.gradient(y, x) is None


def test_GT66_GT67_variable_targets():
    x, y = V(1.0), V(2.0)
    with Tape(persistent=True) as t:
        x.read_value(), y.read_value()
    assert t.gradient(x, y) is None
    assert values(t.gradient(x, x)) == 1.0


def test_GT68_target_none():
    with Tape() as t:
        pass
    with pytest.raises(TypeError, match="`target`.*received None"):
        t.gradient(None, c(1.0))


def test_GT69_target_off_the_tape():
    x = c(1.0)
    with Tape() as t:
        t.watch(x)
    assert t.gradient(c(2.0), [x]) == [None]


def test_GT74_zeros_of_an_integer():
    x = c(3)
    with Tape() as t:
        y = c(1.0) * 2
    g = t.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert g.dtype is tf.int32 and values(g) == 0


def test_GT76_GT77_structures():
    x1, x2, x3 = c(1.0), c(2.0), c(3.0)
    for source, expected in [
        (x1, 1.0),
        ((x1,), (1.0,)),
        ((x1, x2), (1.0, 2.0)),
        ([(x1, x2), (x2, x3)], [(1.0, 2.0), (2.0, 3.0)]),
        ((x1, x2, [x1, x3]), (1.0, 2.0, [1.0, 3.0])),
        ([x1, {"x2": x2, "x3": x3}], [1.0, {"x2": 2.0, "x3": 3.0}]),
    ]:
        with Tape() as t:
            t.watch([x1, x2, x3])
            y = x1 + 2 * x2 + 3 * x3
        assert values(t.gradient(y, source)) == expected


def test_GT78_dicts_are_sorted():
    assert tf.nest.flatten({"b": 1, "a": [2, (3,)]}) == [2, 3, 1]


def test_GT79_repeated_source():
    x = c(1.0)
    with Tape() as t:
        t.watch(x)
        y = 2 * x
    assert values(t.gradient(y, [x, x])) == [2.0, 2.0]


def test_GT81_to_GT84_output_gradients():
    x, y = c(3.0), c(2.0)

    def seeded(seeds):
        with Tape() as t:
            t.watch([x, y])
            loss = x * y
        return values(t.gradient([loss, x], [x], seeds))

    assert seeded([c(1.0), c(2.0)]) == [4.0]
    assert seeded([1.0, 2.0]) == [4.0]
    assert seeded([None, 2.0]) == [4.0]
    for seeds in ([1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match="output_gradients"):
            seeded(seeds)


def test_GT87_bad_unconnected_gradients():
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'nonsense'"):
        grad(lambda x: x, 1.0, unconnected_gradients="nonsense")


def test_GT90_cross_entropy():
    x = tf.zeros([1, 2])
    with Tape() as t:
        t.watch(x)
        y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=c([0]), logits=x)
    np.testing.assert_allclose(t.gradient(y, x), [[-0.5, 0.5]])


def test_GT110_nested():
    x = c(5.0)
    with Tape() as outer:
        outer.watch(x)
        with Tape() as inner:
            inner.watch(x)
            y = x * x
        dy = inner.gradient(y, x)
    assert values([dy, outer.gradient(dy, x)]) == [10.0, 2.0]


def test_GT111_inner_tape_of_an_intermediate():
    x = c(3.0)
    with Tape() as outer:
        outer.watch(x)
        y = x * x
        with Tape() as inner:
            inner.watch(y)
            z = 2 * y
        assert values(inner.gradient(z, y)) == 2.0
        y += 2.0
    assert values(outer.gradient(y, x)) == 6.0


def test_GT113_persistent_higher_order():
    x = c(3.0)
    with Tape(persistent=True) as t:
        t.watch(x)
        y = x**3
        dy = t.gradient(y, x)
        d2y = t.gradient(dy, x)
    assert values([dy, d2y, t.gradient(d2y, x)]) == [27.0, 18.0, 6.0]


def test_GT114_watching_is_per_tape():
    x1, x2 = V(2.0, trainable=False), V(2.0, trainable=False)
    with Tape() as t1:
        t1.watch(x1)
        with Tape() as t2:
            t2.watch([x1, x2])
            y, z = x1**3, x2**2
        dy, dz = t2.gradient([y, z], [x1, x2])
    assert values([t1.gradient(dy, x1), dz]) == [12.0, 4.0]


@pytest.mark.parametrize(
    "order, expected", enumerate([math.cos(0.7), -math.sin(0.7), -math.cos(0.7), math.sin(0.7), math.cos(0.7)])
)
@pytest.mark.parametrize("traced", [False, True])
def test_GT117_iterated(order, expected, traced):
    def derivative(f):
        def g(x):
            with Tape() as t:
                t.watch(x)
                y = f(x)
            return t.gradient(y, x)

        return tf.function(g) if traced else g

    f = tf.cos
    for _ in range(order):
        f = derivative(f)
    assert float(f(c(0.7))) == pytest.approx(expected, abs=1e-6)


def test_GT118_gradient_by_the_seed():
    x, seed = c(1.0), c(2.0)
    with Tape() as tt:
        tt.watch(seed)
        with Tape() as t:
            t.watch(x)
            y = tf.cos(x)
        g = t.gradient(y, x, seed)
    assert float(tt.gradient(g, seed)) == pytest.approx(-math.sin(1.0))


def test_GT122_python_if():
    x, v0, v1 = c(1.0), V(2.0), V(2.0)
    with Tape() as t:
        t.watch(x)
        result = v0 if x > 0.0 else v1**2
        result = result * 1.0
    assert values(t.gradient(result, [x, v0, v1])) == [None, 1.0, None]


def test_GT123_python_max():
    vs = [V(2.0), V(3.0), V(5.0)]
    with Tape() as t:
        y = max(vs) * 1.0
    assert values(t.gradient(y, vs)) == [None, None, 1.0]


def test_GT125_while_loop():
    x = c(2.0)
    with Tape() as t:
        t.watch(x)
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), [c(1), x])
    assert values(t.gradient(y, x)) == 4.0


@pytest.mark.parametrize(
    "f, x, expected",
    [
        (lambda x: tf.cond(x > 0.5, lambda: 2 * x, lambda: 3 * x), 1.0, 2.0),
        (lambda x: tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, 2 * y), [c(0), x])[1], 3.0, 4.0),
    ],
)
def test_GT127_GT128_control_flow_in_functions(f, x, expected):
    assert grad(tf.function(f), x) == [expected]

    @tf.function
    def inside(x):
        with Tape() as t:
            t.watch(x)
            y = f(x)
        return t.gradient(y, x)

    assert values(inside(c(x))) == expected


def test_GT132_assign():
    z, v = c(3.0), V(1.0)
    with Tape() as t:
        t.watch(z)
        y = v.assign(z**2)
    assert t.gradient(y, z) is None


@pytest.mark.parametrize("x, f", [(c(2.0), lambda x: x * 2.5), (V(2.0), lambda x: 2.5 * x)])
def test_errors_are_reels(x, f):
    with Tape() as t:
        y = f(x)
    with pytest.raises(reel.Error):
        t.gradient(y, object())


def test_GT121_where_with_an_infinite_branch():
    (g,) = grad(lambda x: tf.where(x > 0, x, tf.sqrt(x)), 0.0)
    assert math.isinf(g) or math.isnan(g)


# --- IndexedSlices ---


def test_explain_none_and_summary():
    x = c(3.0)
    with Tape() as t:
        y = x * x
    assert t.gradient(y, x) is None
    assert "not watched" in t.explain_none(y, x) or "watch" in t.explain_none(y, x)
    v = V(2.0, name="weight")
    with Tape(persistent=True) as t:
        y = v * v
    assert "weight" in t.summary()
