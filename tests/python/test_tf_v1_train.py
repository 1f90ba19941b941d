"""Programs of version 1: optimizers, layers, losses, metrics, summaries, Saver, flags; expected by NumPy, by eager runs
(which tf_cases/v1 compares with TensorFlow), or printed by TensorFlow 2.21.
"""

import json
import pathlib

import numpy as np
import pytest

import reel.tf as tf

v1 = tf.compat.v1
START, SCALE = np.float32([1.0, -2.0, 0.5]), np.float32([1.0, 0.5, 2.0])
OPTIMIZERS = {
    "GradientDescent": lambda: v1.train.GradientDescentOptimizer(0.1),
    "Momentum": lambda: v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "Adam": lambda: v1.train.AdamOptimizer(0.1),
    "Adagrad": lambda: v1.train.AdagradOptimizer(0.1),
    "Adadelta": lambda: v1.train.AdadeltaOptimizer(0.1),
    "RMSProp": lambda: v1.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    "Ftrl": lambda: v1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "ProximalAdagrad": lambda: v1.train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.1),
}


def eager_steps(make, loss, start, n=4):
    v, optimizer = tf.Variable(start), make()
    for _ in range(n):
        optimizer.minimize(lambda: loss(v), var_list=[v])
    return v.numpy()


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_in_a_graph_do_as_eager_ones(name, rows):
    def loss(v):
        return tf.reduce_sum(tf.gather(v, [0, 2, 0]) ** 2) if rows else tf.reduce_sum(v * v * SCALE)

    expected = eager_steps(OPTIMIZERS[name], loss, START)
    with v1.Graph().as_default(), v1.Session() as session:
        v = tf.Variable(START, name="w")
        step = v1.train.get_or_create_global_step()
        train = OPTIMIZERS[name]().minimize(loss(v), global_step=step)
        session.run(v1.global_variables_initializer())
        for _ in range(4):
            assert session.run(train) is None
        np.testing.assert_allclose(session.run(v), expected, rtol=2e-5)
        assert session.run(step) == 4


def test_slots():
    with v1.Graph().as_default() as g:
        v = v1.get_variable("w", [2])
        optimizer = v1.train.AdamOptimizer(0.1)
        pairs = optimizer.compute_gradients(tf.reduce_sum(v * v))
        assert [x is v for _, x in pairs] == [True]
        train = optimizer.apply_gradients(pairs)
        assert train.name == "Adam" and optimizer.get_slot_names() == ["m", "v"]
        assert [optimizer.get_slot(v, s).name for s in ("m", "v")] == ["w/Adam:0", "w/Adam_1:0"]
        assert sorted(x.name for x in optimizer.variables()) == [
            "beta1_power:0",
            "beta2_power:0",
            "w/Adam:0",
            "w/Adam_1:0",
        ]
        assert optimizer.get_slot(v, "nope") is None and v1.trainable_variables() == [v]
        assert len(v1.global_variables()) == 5 and g.get_collection("train_op") == [train]
        with v1.Session() as session:
            session.run(v.initializer)
            with pytest.raises(tf.errors.FailedPreconditionError, match="beta1_power|w/Adam"):
                session.run(train)


def test_clipped_gradients_and_decaying_rates():
    with v1.Graph().as_default(), v1.Session() as session:
        v, step = tf.Variable([3.0, 4.0]), v1.train.create_global_step()
        rate = v1.train.exponential_decay(1.0, step, 1, 0.5)
        optimizer = v1.train.GradientDescentOptimizer(rate)
        gradients, variables = zip(*optimizer.compute_gradients(tf.reduce_sum(v * v) / 2))
        clipped, norm = tf.clip_by_global_norm(gradients, 1.0)
        train = optimizer.apply_gradients(zip(clipped, variables), step)
        session.run(v1.global_variables_initializer())
        assert session.run([norm, train])[0] == pytest.approx(5.0)
        np.testing.assert_allclose(session.run(v), [2.4, 3.2], rtol=1e-6)
        session.run(train)
        np.testing.assert_allclose(session.run([v, rate])[0], [2.1, 2.8], rtol=1e-6)
        assert session.run(rate) == 0.25 and v1.train.global_step(session, step) == 2


def test_a_network_with_layers_losses_metrics_and_a_saver(tmp_path):
    rng = np.random.RandomState(0)
    inputs = rng.randn(64, 8, 8, 1).astype("float32")
    labels = (inputs.mean((1, 2, 3)) > 0).astype("int32")
    with v1.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(1)
        x, y = v1.placeholder(tf.float32, [None, 8, 8, 1]), v1.placeholder(tf.int32, [None])
        training = v1.placeholder_with_default(False, [])
        h = v1.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu)
        h = v1.layers.max_pooling2d(h, 2, 2)
        h = v1.layers.batch_normalization(h, momentum=0.5, training=training)
        h = v1.layers.dropout(v1.layers.flatten(h), 0.1, training=training)
        with v1.variable_scope("top"):
            logits = v1.layers.dense(h, 2, kernel_regularizer=lambda w: 1e-4 * tf.nn.l2_loss(w), name="out")
        assert h.shape.as_list() == [None, 64] and logits.shape.as_list() == [None, 2]
        names = [v.name for v in v1.trainable_variables()]
        assert names == [
            "conv2d/kernel:0",
            "conv2d/bias:0",
            "batch_normalization/gamma:0",
            "batch_normalization/beta:0",
            "top/out/kernel:0",
            "top/out/bias:0",
        ]
        loss = v1.losses.sparse_softmax_cross_entropy(y, logits)
        total = v1.losses.get_total_loss()
        with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
            train = v1.train.AdamOptimizer(0.02).minimize(total)
        accuracy, update = v1.metrics.accuracy(y, tf.argmax(logits, 1))
        saver = v1.train.Saver()
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        feed = {x: inputs, y: labels, training: True}
        before = session.run(loss, feed)
        for _ in range(40):
            session.run(train, feed)
        assert session.run(loss, feed) < before / 2 and session.run(total, feed) > 0
        assert session.run(update, {x: inputs, y: labels}) > 0.85 and session.run(accuracy) > 0.85
        path = saver.save(session, str(tmp_path / "model"), global_step=3)
        kept = session.run(v1.global_variables())
        session.run(v1.global_variables_initializer())
        saver.restore(session, path)
        assert all((a == b).all() for a, b in zip(kept, session.run(v1.global_variables())))
        assert v1.train.latest_checkpoint(str(tmp_path)) == path and path.endswith("model-3")
        with pytest.raises(ValueError, match="not a valid checkpoint"):
            saver.restore(session, str(tmp_path / "nope"))


def test_metrics_of_batches():
    labels, predictions = [[1, 0, 1, 1], [0, 1, 1, 0]], [[1, 1, 1, 0], [0, 1, 0, 0]]
    with v1.Graph().as_default(), v1.Session() as session:
        y, p = v1.placeholder(tf.float32, [4]), v1.placeholder(tf.float32, [4])
        made = {
            "precision": v1.metrics.precision(y, p),
            "recall": v1.metrics.recall(y, p),
            "accuracy": v1.metrics.accuracy(y, p),
            "mean": v1.metrics.mean(p),
            "error": v1.metrics.root_mean_squared_error(y, p),
            "positives": v1.metrics.true_positives(y, p),
            "negatives": v1.metrics.false_negatives(y, p),
            "auc": v1.metrics.auc(y, p, num_thresholds=3),
        }
        session.run(v1.local_variables_initializer())
        for a, b in zip(labels, predictions):
            session.run([update for _, update in made.values()], {y: a, p: b})
        got = {name: float(session.run(value)) for name, (value, _) in made.items()}
        expected = {"precision": 0.75, "recall": 0.6, "accuracy": 0.625, "mean": 0.5, "error": 0.375**0.5}
        expected |= {"positives": 3.0, "negatives": 2.0, "auc": 0.6333334}
        assert got == pytest.approx(expected, rel=1e-5)
        assert len(v1.local_variables()) == len(v1.get_collection(v1.GraphKeys.METRIC_VARIABLES)) >= 12


def test_averages_of_variables():
    with v1.Graph().as_default(), v1.Session() as session:
        v = tf.Variable([1.0, 2.0], name="v")
        average = v1.train.ExponentialMovingAverage(0.9)
        update = average.apply([v])
        session.run(v1.global_variables_initializer())
        session.run(v.assign([11.0, 2.0]))
        session.run(update)
        np.testing.assert_allclose(session.run(average.average(v)), [2.0, 2.0], rtol=1e-6)
        assert average.average_name(v) == average.average(v).op.name == "v/ExponentialMovingAverage"


def test_summaries(tmp_path):
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [3])
        v1.summary.scalar("total", tf.reduce_sum(x))
        v1.summary.histogram("values", x)
        merged = v1.summary.merge_all()
        with v1.summary.FileWriter(str(tmp_path), session.graph) as writer:
            found = session.run(merged, {x: [1.0, 2.0, 3.0]})
            writer.add_summary(found, 7)
        assert [v.tag for v in found.value] == ["total", "values"] and found.value[0].simple_value == 6.0
        assert len(list(pathlib.Path(tmp_path).glob("events.out.tfevents.*"))) == 1


def test_the_mandelbrot_set():
    y, x = np.mgrid[-1.3:1.3:0.1, -2:1:0.1]
    z = x + 1j * y
    with v1.Graph().as_default(), v1.Session():
        xs = tf.constant(z.astype(np.complex64))
        zs, ns = tf.Variable(xs), tf.Variable(tf.zeros_like(xs, tf.float32))
        v1.global_variables_initializer().run()
        new = zs * zs + xs
        step = tf.group(zs.assign(new), ns.assign_add(tf.cast(tf.abs(new) < 4, tf.float32)))
        for _ in range(5):
            step.run()
        got = ns.eval()
    points, counts = z.astype(np.complex64), np.zeros(z.shape)
    now = points
    for _ in range(5):
        now = now * now + points
        counts += np.abs(now) < 4
    assert (got == counts).all() and got.dtype == np.float32


def test_rain_on_a_pond():
    kernel = np.float32([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]])
    start = np.zeros([12, 12], np.float32)
    start[3, 4], start[8, 2] = 1.0, 0.5
    with v1.Graph().as_default(), v1.Session() as session:
        eps, damping = v1.placeholder(tf.float32, shape=()), v1.placeholder(tf.float32, shape=())
        u, ut = tf.Variable(start), tf.Variable(np.zeros_like(start))
        image = v1.expand_dims(v1.expand_dims(u, 0), -1)
        laplace = v1.nn.depthwise_conv2d(image, kernel.reshape(3, 3, 1, 1), [1, 1, 1, 1], padding="SAME")[0, :, :, 0]
        new_u, new_ut = u + eps * ut, ut + eps * (laplace - damping * ut)
        step = tf.group(u.assign(new_u), ut.assign(new_ut))
        v1.global_variables_initializer().run()
        for _ in range(3):
            step.run({eps: 0.03, damping: 0.04})
        got = session.run(u)
    a, b = start.astype(np.float64), np.zeros([12, 12])
    for _ in range(3):
        padded = np.pad(a, 1)
        laplacian = sum(kernel[i, j] * padded[i : i + 12, j : j + 12] for i in range(3) for j in range(3))
        a, b = a + 0.03 * b, b + 0.03 * (laplacian - 0.04 * b)
    np.testing.assert_allclose(got, a, atol=1e-5)


def test_flags_and_app():
    flags = v1.flags.FlagValues()
    v1.flags.DEFINE_integer("steps", 3, "how many", flag_values=flags)
    v1.flags.DEFINE_boolean("fast", False, "how", flag_values=flags)
    v1.flags.DEFINE_enum("kind", "a", ["a", "b"], "which", flag_values=flags)
    assert flags(["program", "--steps=5", "--fast", "rest"]) == ["program", "rest"]
    assert (flags.steps, flags.fast, flags.kind) == (5, True, "a")
    assert flags(["program", "--nofast", "--kind", "b"]) == ["program"] and not flags.fast and flags.kind == "b"
    for argv, text in (
        (["p", "--nope"], "Unknown"),
        (["p", "--kind=c"], "should be one of"),
        (["p", "--steps=x"], "steps"),
    ):
        with pytest.raises(v1.flags.Error, match=text):
            flags(argv)
    with pytest.raises(SystemExit):
        v1.app.run(main=lambda argv: json.dumps(argv) and 0, argv=["program"])


NAMES = {
    "sparse": ("sparse_placeholder", "sparse"),
    "queue": ("FIFOQueue", "queues"),
    "absent": ("not_a_name", "NAMES.md"),
    "contrib": ("contrib", "NAMES.md"),
}


@pytest.mark.parametrize("case", NAMES)
def test_names_that_are_not_there(case):
    name, text = NAMES[case]
    with pytest.raises(AttributeError, match=text):
        getattr(v1, name)
