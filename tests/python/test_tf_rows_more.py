"""Rows IS, TG, FN and OP of the gradient semantics that the other files leave, and WN: where TensorFlow is wrong."""

import numpy as np
import pytest

import reel
import reel.tf as tf

c, V, Tape, v1 = tf.constant, tf.Variable, tf.GradientTape, tf.compat.v1


def values(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


def f64(x):
    return tf.constant(x, dtype=tf.float64)


# --- IndexedSlices ---


def test_IS06_indices_of_two_dtypes_become_int64():
    w = V([1.0, 2.0, 3.0])
    with Tape() as t:
        y = tf.reduce_sum(tf.gather(w, tf.constant([0], tf.int32)) + tf.gather(w, tf.constant([2], tf.int64)))
    g = t.gradient(y, w)
    assert isinstance(g, tf.IndexedSlices) and g.indices.dtype is tf.int64
    assert values(tf.convert_to_tensor(g)) == [1.0, 0.0, 1.0]


def test_IS11_dense_of_another_dtype():
    s = tf.IndexedSlices(c([1.0]), c([0]), [2])
    with pytest.raises(ValueError, match="float64.*float32"):
        tf.convert_to_tensor(s, dtype=tf.float64)
    assert values(tf.convert_to_tensor(s, dtype=tf.float32)) == [1.0, 0.0]


def test_IS12_large_ones_warn(capfd):
    @tf.function
    def f(rows):
        return tf.convert_to_tensor(tf.IndexedSlices(rows, c([5]), [50_000_000, 2]))[5]

    f.get_concrete_function(tf.TensorSpec([1, 2]))
    assert "with 100000000 elements" in capfd.readouterr().err


# --- tf.gradients ---


def test_TG06_stopping_one_output_of_several():
    @tf.function
    def f(x):
        a, b = tf.split(x, 2)
        return tf.gradients(a * 2 + b * 3, x, stop_gradients=[a], unconnected_gradients="zero")

    assert values(f(c([1.0, 2.0]))) == [[0.0, 3.0]]


def test_TG27_products_transpose_their_operand():
    @tf.function
    def f(x, w, b):
        return tf.gradients(tf.nn.bias_add(tf.matmul(x, w), b), w)[0]

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(f(x, tf.ones([3, 4]), tf.ones([4])), x.T @ np.ones((2, 4), np.float32))
    text = reel.Module.lift({"f": f.get_concrete_function(x, tf.ones([3, 4]), tf.ones([4])).graph.function}).to_text()
    assert "contract %arg0" in text and "a_contract=[0]" in text and "transpose" not in text


def test_TG31_ops_without_a_gradient_off_the_path():
    @tf.function
    def f(a, x):
        lost = tf.math.igamma(a, x)
        return tf.gradients(x * x, x), tf.gradients(tf.math.igamma(tf.stop_gradient(a), x), x), lost

    square, of_x, _ = f(c(1.5), c(2.0))
    assert values(square) == [4.0] and np.isfinite(float(of_x[0]))


def test_TG32_TG33_GT95_wrong_gradients_of_a_function():
    few = tf.custom_gradient(lambda x, y: (x * y, lambda dy: dy))
    wide = tf.custom_gradient(lambda x: (x * 1, lambda dy: tf.stack([dy, dy])))
    with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1"):
        tf.function(lambda x: tf.gradients(few(x, x), x))(c(1.0))
    with pytest.raises(ValueError, match=r"f(loat)?32\[2\].*f(loat)?32\[\]"):
        tf.function(lambda x: tf.gradients(wide(x), x))(c(1.0))
    x = c(1.0)
    with Tape() as t:
        t.watch(x)
        y = wide(x)
    with pytest.raises(ValueError, match="must be"):
        t.gradient(y, x)


def test_TG36_inside_a_loop_by_what_is_outside():
    @tf.function
    def f(x):
        def body(i, y, g):
            return i + 1, y * 2, g if tf.gradients(y, x)[0] is None else g + 100

        return tf.while_loop(lambda i, y, g: i < 2, body, [tf.constant(0), x, tf.constant(0.0)])

    assert values(f(c(3.0)))[1:] in ([12.0, 0.0], (12.0, 0.0))


def test_TG40_gradients_that_users_give_to_functions():
    def scaled(k):
        @tf.custom_gradient
        def f(x, b):
            return x * x + b, lambda dy: (k * 2 * x * dy, k * dy)

        return tf.function(f)

    gradient = lambda f: tf.function(lambda x, b: tf.gradients(f(x, b), [x, b]))(c(2.0), c(1.0))  # noqa: E731
    assert values(gradient(scaled(2.0))) == [8.0, 2.0] and values(gradient(scaled(3.0))) == [12.0, 3.0]


def test_TG48_hessian_of_a_linear_function_is_zeros():
    h = tf.function(lambda x: tf.hessians(x, x)[0])(tf.ones([10, 10]))
    assert h.shape == (10, 10, 10, 10) and (h.numpy() == 0).all()


def test_TG49_hessian_vector_products():
    a, x, v = np.float32([[1, 2], [3, 4]]), c([1.0, 2.0]), c([5.0, 6.0])

    @tf.function
    def f(x, v):
        y = tf.reduce_sum(x * tf.linalg.matvec(a, x))
        return tf.gradients(tf.gradients(y, x)[0], x, grad_ys=v)[0]

    np.testing.assert_allclose(f(x, v), (a + a.T) @ np.float32([5, 6]))
    with pytest.raises(ValueError, match="2 .*1|1 .*2"):
        reel.hvp(lambda a, b: reel.sum(a * b), (x._t, x._t), (v._t,))


def test_TG51_where_it_may_be_called():
    assert values(tf.function(lambda x: tf.gradients(x * x, x)[0])(c(3.0))) == 6.0
    with pytest.raises(RuntimeError, match="GradientTape"):
        tf.gradients(c(1.0), c(1.0))
    with v1.Graph().as_default(), v1.Session() as session:
        x = tf.constant(3.0)
        assert session.run(tf.gradients(x * x, x)[0]) == 6.0


def test_TG38_a_variable_of_the_branch_not_taken():
    a, b = V(1.0), V(1.0)
    branch = lambda p: tf.cond(p, lambda: a * 2, lambda: b * 3)  # noqa: E731
    traced = tf.function(lambda p: tf.gradients(branch(p), [a, b]))
    assert [values(traced(c(p))) for p in (True, False)] == [[2.0, 0.0], [0.0, 3.0]]
    with Tape() as t:
        y = branch(c(True))
    assert values(t.gradient(y, [a, b])) == [2.0, None]


def test_TG09_TG22_ys_that_depend_on_ys_in_any_way_of_adding():
    for method in (
        None,
        tf.AggregationMethod.ADD_N,
        tf.AggregationMethod.EXPERIMENTAL_TREE,
        tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
    ):

        @tf.function
        def f(x):
            y = x**2
            y2 = (y**2) ** 2
            return tf.gradients([y, y2], x, aggregation_method=method) + tf.gradients(y + y2, x)

        assert values(f(c(3.0))) == [17502.0, 17502.0]


# --- tf.function ---


def test_FN22_the_whole_function_is_compiled():
    f = tf.function(lambda x: tf.reduce_sum(x * x), jit_compile=True)
    assert values(f(c([1.0, 2.0]))) == 5.0
    with pytest.raises(NotImplementedError, match="numpy"):
        tf.function(lambda x: x.numpy(), jit_compile=True)(c(1.0))


def test_FN15_no_warning_for_few_traces(recwarn):
    f = tf.function(lambda x: x * 2)
    for n in range(1, 4):
        f(tf.ones([n]))
    for _ in range(20):
        f(tf.ones([1]))
    assert not [w for w in recwarn if "retracing" in str(w.message)]


# --- optimizers ---


def test_OP09_options_that_eager_minimize_ignores():
    got = []
    for options in (
        {},
        {"gate_gradients": 2, "aggregation_method": 1, "colocate_gradients_with_ops": True},
        {"grad_loss": c(5.0)},
    ):  # a seed, and not ignored
        v = V(3.0)
        v1.train.GradientDescentOptimizer(0.1).minimize(lambda: v * v, var_list=[v], **options)
        got.append(float(v))
    assert got == pytest.approx([2.4, 2.4, 0.0])


# --- where TensorFlow's own numbers are wrong: these are right ---


def hessian(f, x):
    x = f64(x)
    with Tape() as outer:
        outer.watch(x)
        with Tape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    return outer.jacobian(g, x).numpy()


def test_WN01_cumulative_product_with_a_zero():
    x = c([2.0, 0.0, 3.0])
    with Tape() as t:
        t.watch(x)
        y = tf.reduce_sum(tf.math.cumprod(x))
    assert values(t.gradient(y, x)) == [1.0, 8.0, 0.0]


def test_WN02_hessian_of_a_product_with_a_zero():
    np.testing.assert_allclose(hessian(tf.reduce_prod, [2.0, 0.0, 3.0]), [[0, 3, 0], [3, 0, 2], [0, 2, 0]])


def test_WN03_hessian_of_the_variance():
    n = 3
    np.testing.assert_allclose(
        hessian(lambda x: tf.nn.moments(x, [0])[1], [1.0, 2.0, 4.0]), 2 / n * (np.eye(n) - 1 / n), atol=1e-12
    )


def test_WN04_cross_entropy_by_labels_and_logits_is_symmetric():
    logits, labels = f64([[0.1, 0.5, -0.3]]), f64([[0.2, 0.3, 0.5]])
    mixed = []
    for first, second in ((logits, labels), (labels, logits)):
        with Tape() as outer:
            outer.watch([logits, labels])
            with Tape() as inner:
                inner.watch([logits, labels])
                y = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
            g = inner.gradient(y, first)
        mixed.append(outer.jacobian(g, second).numpy().reshape(3, 3))
    p = np.exp(logits.numpy()[0])
    p /= p.sum()
    np.testing.assert_allclose(mixed[0], p[:, None] - np.eye(3), rtol=1e-12)
    np.testing.assert_allclose(mixed[0], mixed[1].T, rtol=1e-12)


def test_WN05_resizing_has_a_second_derivative():
    x = reel.asarray(np.arange(4.0).reshape(1, 2, 2, 1))
    with reel.GradientTape() as outer:
        outer.watch(x)
        with reel.GradientTape() as inner:
            inner.watch(x)
            y = reel.sum(reel.nn.resize(x, (3, 3)) ** 2)
        g = inner.gradient(y, x)
    columns = [reel.nn.resize(reel.asarray(e.reshape(1, 2, 2, 1)), (3, 3)).numpy().ravel() for e in np.eye(4)]
    resize = np.stack(columns, axis=1)
    np.testing.assert_array_equal(outer.jacobian(g, x).numpy().reshape(4, 4), 2 * resize.T @ resize)


def test_WN06_dilated_convolutions_have_gradients():
    x, w = tf.ones([1, 5, 5, 1]), tf.ones([2, 2, 1, 1])
    with Tape() as t:
        t.watch([x, w])
        y = tf.reduce_sum(tf.nn.conv2d(x, w, 1, "VALID", dilations=2))
    dx, dw = t.gradient(y, [x, w])
    assert values(dw)[0][0] == [[9.0]] and dx.numpy().sum() == 36.0


@pytest.mark.parametrize(
    "f, x, want",
    [
        (lambda x: x**0.0, 0.0, 0.0),
        (tf.math.erf, np.inf, 0.0),
        (tf.math.erf, -np.inf, 0.0),
        (lambda x: tf.nn.leaky_relu(x), -1.0, 0.2),
        (tf.nn.gelu, 1.0, 1.0833154705876863),
    ],
)
def test_WN07_edges_and_constants_of_full_precision(f, x, want):
    x = f64(x)
    with Tape() as t:
        t.watch(x)
        y = f(x)
    assert float(t.gradient(y, x)) == pytest.approx(want, rel=1e-14, abs=0)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_WN08_forward_mode_of_segments_and_loops_with_lists(wrap):
    x = c([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones([3])) as acc:
        y = wrap(lambda x: tf.math.unsorted_segment_sum(x * x, [0, 1, 0], 2))(x)
        _, z = wrap(
            lambda x: tf.while_loop(
                lambda i, y: i < 9, lambda i, y: (i + 1, y * 2), [tf.constant(0), x], maximum_iterations=2
            )
        )(x)
    assert values(acc.jvp([y, z])) == [[8.0, 4.0], [4.0, 4.0, 4.0]]
