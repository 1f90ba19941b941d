"""Rows of IndexedSlices (IS01 to IS14) through reel.tf."""

import numpy as np
import pytest

import reel.tf as tf

c, V, Tape = tf.constant, tf.Variable, tf.GradientTape


def values(g):
    return tf.nest.map_structure(lambda x: None if x is None else x.numpy().tolist(), g)


def slices():
    return tf.IndexedSlices(c([[1.0, 2.0], [3.0, 4.0]]), c([2, 2]), [3, 2])


def test_IS10_without_a_shape():
    with pytest.raises(ValueError, match="IndexedSlices without dense_shape"):
        tf.reduce_sum(tf.IndexedSlices(c([1.0]), c([0])))


def test_IS13_dense_in_functions_but_not_in_operators():
    assert tf.multiply(slices(), 2.0).numpy().tolist() == [[0, 0], [0, 0], [8, 12]]
    assert tf.stack([slices(), slices()]).shape == (2, 3, 2)
    with pytest.raises(TypeError):
        slices() * 2.0


def test_OP11_sparse_update():
    v = V(tf.ones([3, 2]))
    tf.keras.optimizers.SGD(0.5).apply_gradients([(slices(), v)])
    assert v.numpy().tolist() == [[1, 1], [1, 1], [-1, -2]]


def test_slices_are_results_of_functions():
    f = tf.function(lambda x: tf.IndexedSlices(x * 2, c([0, 2]), [4]))
    result = f(c([1.0, 2.0]))
    assert isinstance(result, tf.IndexedSlices) and result.shape == (4,)
    assert tf.convert_to_tensor(result).numpy().tolist() == [2, 0, 4, 0]


def looked_up(f, table):
    with Tape() as t:
        t.watch(table)
        y = tf.reduce_sum(f(table) * 2.0)
    return t.gradient(y, table)


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_IS01_lookups_give_slices(make):
    g = looked_up(lambda w: tf.nn.embedding_lookup(w, [2, 0]), make([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert isinstance(g, tf.IndexedSlices)
    assert values([g.values, g.indices, g.dense_shape]) == [[[2.0, 2.0], [2.0, 2.0]], [2, 0], [3, 2]]


def test_IS02_several_lookups_are_joined():
    g = looked_up(lambda w: tf.gather(w, [1, 1]) + tf.gather(w, [0, 1]), V([1.0, 2.0]))
    assert isinstance(g, tf.IndexedSlices) and sorted(values(g.indices)) == [0, 1, 1, 1]
    assert np.asarray(g).tolist() == [2.0, 6.0]


def test_IS03_with_a_dense_part():
    g = looked_up(lambda w: tf.gather(w, [1]) + tf.reduce_sum(w), V([1.0, 2.0]))
    assert values(g) == [2.0, 4.0]


def test_IS07_IS08_through_functions():
    x = c([1.0, 2.0])
    assert np.asarray(looked_up(lambda x: tf.gather(tf.function(lambda y: y + 1)(x), [0]), x)).tolist() == [2.0, 0.0]
    table = V([[1.0], [2.0], [3.0]])
    inside, eager = (
        tf.function(lambda: looked_up(lambda w: tf.gather(w, [2, 2]), table))(),
        looked_up(lambda w: tf.gather(w, [2, 2]), table),
    )
    assert all(values(getattr(inside, p)) == values(getattr(eager, p)) for p in ("values", "indices", "dense_shape"))


def test_IS14_slices_as_a_seed():
    x = tf.ones([3, 2])
    with Tape() as t:
        t.watch(x)
        y = tf.identity(x)
    assert np.asarray(t.gradient(y, x, slices())).tolist() == [[0, 0], [0, 0], [4, 6]]
