"""Rows JB01 to JB21 of the gradient semantics: Jacobians of tapes and of graphs."""

import numpy as np
import pytest

import reel.tf as tf

c, V, Tape = tf.constant, tf.Variable, tf.GradientTape


def values(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if tf.is_tensor(t) else t, x)


def jacobian(f, *xs, persistent=True, **options):
    with Tape(persistent=persistent) as t:
        t.watch(xs)
        y = f(*xs)
    return t.jacobian(y, list(xs), **options)


def batch_jacobian(f, x, persistent=True, **options):
    with Tape(persistent=persistent) as t:
        t.watch(x)
        y = f(x)
    return t.batch_jacobian(y, x, **options)


@pytest.mark.parametrize("pfor", [True, False])
@pytest.mark.parametrize("traced", [False, True])
def test_JB01_shapes_and_values(pfor, traced):
    run = lambda x, y: jacobian(lambda x, y: x * x * y, x, y, experimental_use_pfor=pfor)  # noqa: E731
    jx, jy = (tf.function(run) if traced else run)(c([1.0, 2.0]), c([3.0, 4.0]))
    assert values([jx, jy]) == [[[6.0, 0.0], [0.0, 16.0]], [[1.0, 0.0], [0.0, 4.0]]]


def test_JB02_structures_and_unconnected():
    x, y, other = c([1.0, 2.0]), c(3.0), c(4.0)
    with Tape(persistent=True) as t:
        t.watch([x, y, other])
        z = x * y
    got = t.jacobian(z, {"a": (x, [y]), "b": other})
    assert values(got) == {"a": ([[3.0, 0.0], [0.0, 3.0]], [[1.0, 2.0]]), "b": None}
    assert values(t.jacobian(z, other, unconnected_gradients="zero")) == [0.0, 0.0]


def test_JB03_a_loop_needs_a_persistent_tape():
    with pytest.raises(RuntimeError, match="persistent"):
        jacobian(lambda x: x * x, c([1.0, 2.0]), persistent=False, experimental_use_pfor=False)


def test_JB04_all_rows_at_once_needs_none():
    assert values(jacobian(lambda x: x * x, c([1.0, 2.0]), persistent=False)) == [[[2.0, 0.0], [0.0, 4.0]]]


@pytest.mark.parametrize("iterations", [1, 2, 3, 100])
def test_JB06_parallel_iterations(iterations):
    x = c([1.0, 2.0, 3.0, 4.0, 5.0])
    got = jacobian(lambda x: tf.sin(x) * tf.reduce_sum(x), x, parallel_iterations=iterations)
    np.testing.assert_array_equal(got[0], jacobian(lambda x: tf.sin(x) * tf.reduce_sum(x), x)[0])


def test_JB07_sparse_gradients_are_made_dense():
    table = V([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    got = []
    for pfor in (True, False):
        with Tape(persistent=True) as t:
            y = tf.reduce_sum(tf.gather(table, [0, 2]) ** 2, axis=1)
        got.append(values(t.jacobian(y, table, experimental_use_pfor=pfor)))
    assert got[0] == got[1] == [[[2.0, 4.0], [0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0], [10.0, 12.0]]]


@pytest.mark.parametrize("pfor", [True, False])
def test_JB08_empty_target(pfor):
    v = V(2.0)
    with Tape(persistent=True) as t:
        y = v * tf.zeros([0, 3])
    assert t.jacobian(y, v, experimental_use_pfor=pfor).shape == (0, 3)


def test_JB09_folds_branches_and_gradients():
    x = c([1.0, 2.0, 3.0])
    assert values(jacobian(lambda x: tf.foldl(lambda a, e: a + e, x), x)) == [[1.0, 1.0, 1.0]]

    @tf.function
    def cube(x):
        return tf.cond(x > 0, lambda: x**3, lambda: x)

    @tf.function
    def second(x):
        with Tape() as outer:
            outer.watch(x)
            with Tape() as inner:
                inner.watch(x)
                y = cube(x)
            g = inner.gradient(y, x)
        return outer.jacobian(g, x)

    assert values(second(c(1.0))) == 6.0


def test_JB10_where_rows_do_not_fit_it_says_what_to_do():
    x = tf.ones([1] * 9 + [2])
    with pytest.raises(ValueError, match="experimental_use_pfor=False"):
        jacobian(lambda x: tf.reduce_sum(x * x), x)


@pytest.mark.parametrize("pfor", [True, False])
@pytest.mark.parametrize("traced", [False, True])
def test_JB12_batches(pfor, traced):
    run = lambda x: batch_jacobian(lambda x: x * x, x, experimental_use_pfor=pfor)  # noqa: E731
    x = c([[1.0, 2.0], [3.0, 4.0]])
    assert values((tf.function(run) if traced else run)(x)) == [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
    assert batch_jacobian(lambda x: tf.stack([x, x, x], axis=1), x).shape == (2, 3, 2, 2)


def test_JB13_first_dimensions_must_match():
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        batch_jacobian(lambda x: tf.transpose(x), tf.ones([2, 3]))


@pytest.mark.parametrize("f, x", [(lambda x: x * x, c([1.0, 2.0])), (lambda x: tf.reduce_sum(x, 1), tf.ones([2, 3]))])
def test_JB14_ranks_below_two(f, x):
    with pytest.raises(ValueError, match="must have rank at least 2"):
        batch_jacobian(f, x)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("unconnected", ["none", "zero"])
def test_JB15_unconnected_are_zeros(dtype, unconnected):
    x = tf.ones([2, 3], dtype)
    other = tf.ones([2, 1], dtype)
    j = batch_jacobian(lambda x: other * 2, x, unconnected_gradients=unconnected)
    assert j.dtype is dtype and j.shape == (2, 1, 3) and (j.numpy() == 0).all()


def test_JB17_chunks_need_a_persistent_tape():
    x = tf.ones([2, 5])
    with pytest.raises(RuntimeError, match="persistent=True.*parallel_iterations"):
        batch_jacobian(lambda x: x * x, x, persistent=False, parallel_iterations=2)
    assert batch_jacobian(lambda x: x * x, x, parallel_iterations=2).shape == (2, 5, 5)


def test_JB18_inside_its_own_tape():
    x = c([[3.0]])
    with Tape(persistent=True) as t:
        t.watch(x)
        y = x * x
        z = y * y
        assert values(t.batch_jacobian(z, x)) == [[[108.0]]]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_JB19_of_a_jacobian(wrap):
    @wrap
    def f(x):
        with Tape() as outer:
            outer.watch(x)
            with Tape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(x**2)
            g = inner.jacobian(y, x)
        return outer.batch_jacobian(g, x)

    assert values(f(tf.ones([10, 2]))) == [[[2.0, 0.0], [0.0, 2.0]]] * 10


def test_JB20_nested_batches_over_a_fold():
    def f(x):
        with Tape() as outer:
            outer.watch(x)
            with Tape() as inner:
                inner.watch(x)
                columns = tf.transpose(x)
                y = tf.transpose(tf.foldl(lambda a, b: tf.cos(a + b), columns)[None])
            first = inner.batch_jacobian(y, x)
        return y, first, outer.batch_jacobian(first, x)

    x = c([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    y, first, second = tf.function(f)(x)
    h = 1e-2
    for j in range(3):
        move = np.eye(3, dtype=np.float32)[j] * h
        up, down = tf.function(f)(x + move), tf.function(f)(x - move)
        np.testing.assert_allclose(first[:, :, j], (up[0].numpy() - down[0].numpy()) / (2 * h), atol=1e-3)
        np.testing.assert_allclose(second[:, :, :, j], (up[1].numpy() - down[1].numpy()) / (2 * h), atol=2e-3)


def test_JB20_gradient_of_a_batch_jacobian_of_a_convolution(rng):
    x, w = (tf.cast(c(rng.normal(size=s)), tf.float64) for s in ((1, 3, 3, 1), (2, 2, 1, 1)))

    def loss(w):
        with Tape() as inner:
            inner.watch(x)
            y = tf.nn.conv2d(x, w, 1, "VALID") ** 2
        return tf.reduce_sum(inner.batch_jacobian(y, x) ** 2)

    with Tape() as t:
        t.watch(w)
        y = loss(w)
    g = t.gradient(y, w).numpy()
    h, move = 1e-5, np.zeros((2, 2, 1, 1))
    move[1, 0] = h
    assert g[1, 0, 0, 0] == pytest.approx((float(loss(w + move)) - float(loss(w - move))) / (2 * h), rel=1e-5)


def test_JB21_in_a_graph():
    @tf.function
    def f(x):
        y = x**2 * tf.reduce_sum(x)
        return tf.hessians(y, x)[0], tf.stack([tf.gradients(y[i], x)[0] for i in range(2)])

    h, j = f(c([1.0, 2.0]))
    with Tape() as t:
        x = c([1.0, 2.0])
        t.watch(x)
        y = x**2 * tf.reduce_sum(x)
    np.testing.assert_allclose(t.jacobian(y, x), j, rtol=1e-6)
    assert h.shape == (2, 2)
