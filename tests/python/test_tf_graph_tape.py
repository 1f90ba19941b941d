"""tf.GradientTape inside of a tf.Graph of version 1; the numbers are those that TensorFlow 2.21 gives."""

import pytest

import reel.tf as tf

v1 = tf.compat.v1
EAGER = tf.constant(1.0)


def run(*fetches, feed=None):
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return [x.tolist() for x in session.run(list(fetches), feed)]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_a_placeholder_of_any_shape():
    a = v1.placeholder(tf.float32, None)
    with tf.GradientTape() as tape:
        tape.watch(a)
        b = a**3
    gradient = tape.gradient(b, a)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(b, a)
    assert run(b, gradient, feed={a: 2.0}) == [8.0, 12.0]


def test_what_the_tape_has_not_seen_is_constant():
    v, w, c = tf.Variable(3.0), tf.Variable(2.0, trainable=False), tf.constant(5.0)
    before = v * 2
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(c)
            y = v * v * c * w * before
            with tape.stop_recording():
                z = v * 7
            u = z * v
        g = tape.gradient(y, v)
    assert [tape.gradient(y, w), tape.gradient(c, v), tape.gradient(y, before), tape.gradient(z, v)] == [None] * 4
    assert tape.watched_variables() == (v,)
    zeros = tape.gradient(y, [c, w, v, y], unconnected_gradients="zero")
    assert run(g, outer.gradient(g, v), tape.gradient(u, v)) == [360.0, 120.0, 21.0]
    assert run(*zeros) == [108.0, 0.0, 360.0, 1.0]


def test_only_what_is_watched():
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        y = v * v
        tape.watch(v)
        z = v * v
        both = y * v
    assert tape.gradient(y, v) is None
    assert run(tape.gradient(both, v), tape.gradient(z, v, output_gradients=tf.constant(2.0))) == [9.0, 12.0]


def test_jacobians():
    v, x = tf.Variable(3.0), tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * v
    of_x, of_v = tape.jacobian(y, [x, v])
    assert run(of_x, of_v) == [[[6.0, 0.0, 0.0], [0.0, 12.0, 0.0], [0.0, 0.0, 18.0]], [1.0, 4.0, 9.0]]
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.concat([x**2, x * 3], 1)
    rows = [[[2.0, 0.0], [0.0, 4.0], [3.0, 0.0], [0.0, 3.0]], [[6.0, 0.0], [0.0, 8.0], [3.0, 0.0], [0.0, 3.0]]]
    assert run(tape.batch_jacobian(y, x)) == [rows]


def test_rows_of_a_table():
    table = tf.Variable(tf.ones([4, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 1, 2]))
    slices = tape.gradient(y, table)
    assert isinstance(slices, tf.IndexedSlices)
    assert run(slices.indices, slices.values) == [[1, 1, 2], [[1.0, 1.0]] * 3]


def test_inside_of_a_loop():
    v = tf.Variable(2.0)

    def body(i):
        with tf.GradientTape() as tape:
            y = v * 2 * i
        return [tape.gradient(y, v) + i]

    assert run(*tf.while_loop(lambda i: i < 20.0, body, [1.0])) == [27.0]


def test_mistakes():
    with tf.GradientTape() as tape:
        with pytest.raises(ValueError, match="not of the graph"):
            tape.watch(EAGER)
        y = v1.placeholder(tf.float32, [None]) * 2
    with pytest.raises(ValueError, match="must be known"):
        tape.jacobian(y, y)


def test_a_variable_made_in_the_body_of_a_fold_is_of_the_whole_graph():
    def step(a, x):
        with v1.variable_scope("body", reuse=v1.AUTO_REUSE):
            two = v1.get_variable("two", [], tf.int32, initializer=v1.constant_initializer(2))
        return a * two + x

    folds = [tf.foldl(step, tf.constant([1, 2, 3]), initializer=start) for start in (10, 1)]
    assert run(*folds) == [91, 19]
    assert [x.name for x in v1.global_variables()] == ["body/two:0"]
