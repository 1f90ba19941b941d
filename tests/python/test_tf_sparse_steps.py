"""Steps by IndexedSlices of version 1's optimizers, and of Keras's in a tf.function: the step by the dense gradient on a
table of the rows that the slices have; other rows and the tables' places stay."""

import numpy as np
import pytest

import reel.tf as tf

v1 = tf.compat.v1
ROWS, WIDTH = 500, 3
TABLE = np.random.default_rng(11).standard_normal((ROWS, WIDTH)).astype(np.float32)
BATCHES = [[7, 3, 7, 499, 0], [3, 3, 3, 8, 0], [7, 3, 7, 499, 0], [1, 2, 8, 0, 499]]
MET = sorted({i for batch in BATCHES for i in batch})

BY_ROW = {
    "GradientDescent": lambda: v1.train.GradientDescentOptimizer(0.1),
    "Momentum": lambda: v1.train.MomentumOptimizer(0.1, 0.9),
    "Nesterov": lambda: v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "Adagrad": lambda: v1.train.AdagradOptimizer(0.1),
    "Adadelta": lambda: v1.train.AdadeltaOptimizer(0.1),
    "RMSProp": lambda: v1.train.RMSPropOptimizer(0.1, momentum=0.5),
    "RMSPropCentered": lambda: v1.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    "Ftrl": lambda: v1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "ProximalAdagrad": lambda: v1.train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.1),
}
KERAS = {"SGD": lambda: tf.keras.optimizers.SGD(0.1), "Adagrad": lambda: tf.keras.optimizers.Adagrad(0.1)}


def slices_of(batch, seed):
    values = np.random.default_rng(seed).standard_normal((len(batch), WIDTH)).astype(np.float32)
    return tf.IndexedSlices(tf.constant(values), tf.constant(batch), tf.constant([ROWS, WIDTH], tf.int64))


def summed(slices):
    """The gradient of the rows in `batch`, each once: (rows, gradient)."""
    rows = sorted(set(slices.indices.numpy().tolist()))
    dense = tf.convert_to_tensor(slices).numpy()
    return rows, dense[rows]


def place_of(v):
    return np.asarray(v).__array_interface__["data"][0]


def tables_of(optimizer, v):
    slots = optimizer.variables() if callable(optimizer.variables) else optimizer.variables
    return [v] + [s for s in slots if tuple(s.shape) == tuple(v.shape)]


def restricted_step(make, tables, slices):
    """The rows of the tables after the step of an optimizer whose variable has these rows alone."""
    rows, gradient = summed(slices)
    small, optimizer = tf.Variable(tables[0][rows]), make()
    optimizer._make_slots([small])
    for slot, table in zip(tables_of(optimizer, small)[1:], tables[1:]):
        slot.assign(table[rows])
    optimizer.apply_gradients([(tf.constant(gradient), small)])
    return rows, [t.numpy() for t in tables_of(optimizer, small)]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", BY_ROW)
def test_rows_step_as_a_table_of_their_own(name, compiled):
    v, optimizer = tf.Variable(TABLE), BY_ROW[name]()
    optimizer._make_slots([v])

    def step(values, indices):
        optimizer.apply_gradients([(tf.IndexedSlices(values, indices, tf.constant([ROWS, WIDTH], tf.int64)), v)])

    call = tf.function(step) if compiled else step
    for n, batch in enumerate(BATCHES):
        slices, before = slices_of(batch, n), [t.numpy().copy() for t in tables_of(optimizer, v)]
        rows, want = restricted_step(BY_ROW[name], before, slices)
        call(slices.values, slices.indices)
        others = np.setdiff1d(np.arange(ROWS), rows)
        for table, old, new in zip(tables_of(optimizer, v), before, want):
            np.testing.assert_allclose(table.numpy()[rows], new, rtol=1e-6, atol=1e-7)
            np.testing.assert_array_equal(table.numpy()[others], old[others])


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", BY_ROW)
def test_tables_stay_where_they_are(name, compiled):
    v, optimizer = tf.Variable(TABLE), BY_ROW[name]()

    def step(values, indices):
        optimizer.apply_gradients([(tf.IndexedSlices(values, indices, tf.constant([ROWS, WIDTH], tf.int64)), v)])

    optimizer._make_slots([v])
    call = tf.function(step) if compiled else step
    places = []
    for n, batch in enumerate(BATCHES):
        slices = slices_of(batch, n)
        call(slices.values, slices.indices)
        places.append([place_of(t) for t in tables_of(optimizer, v)])
    assert places[1] == places[2] == places[3]


@pytest.mark.parametrize("name", KERAS)
def test_keras_steps_by_rows_in_a_function(name):
    v, w = tf.Variable(TABLE), tf.Variable(TABLE)
    sparse, dense = KERAS[name](), KERAS[name]()
    for optimizer, variable in ((sparse, v), (dense, w)):
        optimizer.build([variable])

    @tf.function
    def step(i):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(v, i) ** 2)
        sparse.apply_gradients([(tape.gradient(loss, v), v)])

    places = []
    for n, batch in enumerate(BATCHES):
        batch = sorted(set(batch))  # of rows that come twice Keras adds the squares of the parts
        batch = (batch + [100, 101, 102])[:5]
        step(tf.constant(batch))
        places.append([place_of(t) for t in tables_of(sparse, v)])
        gradient = np.zeros_like(TABLE)
        gradient[batch] = 2 * w.numpy()[batch]
        dense.apply_gradients([(tf.constant(gradient), w)])
        np.testing.assert_allclose(v.numpy(), w.numpy(), rtol=1e-6, atol=1e-7)
    assert places[1] == places[2] == places[3]
    others = np.setdiff1d(np.arange(ROWS), [*MET, 100, 101, 102])
    np.testing.assert_array_equal(v.numpy()[others], TABLE[others])


@pytest.mark.parametrize("name", BY_ROW)
def test_an_index_out_of_range_is_an_error(name):
    v, optimizer = tf.Variable(TABLE), BY_ROW[name]()
    slices = slices_of([0, ROWS], 0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        optimizer.apply_gradients([(slices, v)])
    np.testing.assert_array_equal(v.numpy(), TABLE)
