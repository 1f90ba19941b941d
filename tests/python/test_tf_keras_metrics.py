"""Keras's metrics and losses in a tf.function: the same numbers as op by op, which tf_cases compares with TensorFlow's."""

import numpy as np
import pytest

import reel.tf as tf

METRICS = tf.keras.metrics
RANDOM = np.random.RandomState(0)
TARGETS = {
    "numbers": RANDOM.uniform(0.1, 0.9, (6, 3)).astype(np.float32),
    "binary": RANDOM.randint(0, 2, (6, 3)).astype(np.float32),
    "one_hot": np.eye(3, dtype=np.float32)[RANDOM.randint(0, 3, 6)],
    "classes": RANDOM.randint(0, 3, 6).astype(np.int32),
}
PREDICTIONS = RANDOM.uniform(0.1, 0.9, (6, 3)).astype(np.float32)
WEIGHTS = RANDOM.uniform(0, 2, 6).astype(np.float32)
ROWS = [
    ("numbers", lambda: METRICS.MeanSquaredError()),
    ("numbers", lambda: METRICS.RootMeanSquaredError()),
    ("numbers", lambda: METRICS.CosineSimilarity()),
    ("numbers", lambda: METRICS.R2Score()),
    ("binary", lambda: METRICS.BinaryAccuracy()),
    ("binary", lambda: METRICS.Precision(thresholds=[0.2, 0.5])),
    ("binary", lambda: METRICS.Recall(top_k=2)),
    ("binary", lambda: METRICS.TrueNegatives()),
    ("binary", lambda: METRICS.AUC()),
    ("binary", lambda: METRICS.AUC(curve="PR", multi_label=True)),
    ("binary", lambda: METRICS.SensitivityAtSpecificity(0.5)),
    ("binary", lambda: METRICS.F1Score(threshold=0.5)),
    ("one_hot", lambda: METRICS.CategoricalAccuracy()),
    ("one_hot", lambda: METRICS.TopKCategoricalAccuracy(k=2)),
    ("one_hot", lambda: METRICS.OneHotMeanIoU(3)),
    ("classes", lambda: METRICS.SparseCategoricalAccuracy()),
    ("classes", lambda: METRICS.SparseCategoricalCrossentropy(ignore_class=1)),
    ("classes", lambda: METRICS.SparseTopKCategoricalAccuracy(k=2)),
]


def after_three(metric, targets, compiled):
    """Result and variables after three batches, one of them weighted; reset_state between."""

    def update(y_true, y_pred):
        metric.update_state(y_true, y_pred)
        metric.update_state(y_true, y_pred, WEIGHTS)

    if compiled:
        update = tf.function(update)
    y_true, y_pred = tf.constant(targets), tf.constant(PREDICTIONS)
    update(y_true, y_pred)
    metric.reset_state()
    update(y_true, y_pred)
    return [metric.result().numpy(), *(v.numpy() for v in metric.variables)]


@pytest.mark.parametrize("kind, make", ROWS, ids=[type(make()).__name__ + str(i) for i, (_, make) in enumerate(ROWS)])
def test_compiled_updates_are_those_op_by_op(kind, make):
    one, other = (after_three(make(), TARGETS[kind], compiled) for compiled in (False, True))
    assert len(one) == len(other)
    for a, b in zip(one, other):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


def test_a_metric_of_your_own_counts_in_a_function():
    class Positives(METRICS.Metric):
        def __init__(self, name="positives"):
            super().__init__(name=name)
            self.seen = self.add_weight(name="seen", initializer="zeros")
            self.inside = METRICS.Mean()

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.seen.assign_add(tf.reduce_sum(tf.cast(y_pred > 0, tf.float32)))
            self.inside.update_state(y_pred)

        def result(self):
            return {"seen": self.seen.value(), "mean": self.inside.result()}

    metric = Positives()

    @tf.function
    def update(x):
        return metric(x, x)

    update(tf.constant([1.0, -1.0]))
    result = update(tf.constant([3.0, 5.0]))
    assert {k: float(v) for k, v in result.items()} == {"seen": 3.0, "mean": 2.0}
    assert len(metric.variables) == 3
    metric.reset_state()
    assert [float(v) for v in metric.variables] == [0.0, 0.0, 0.0]


def test_a_column_of_predictions_is_not_a_matrix_of_pairs():
    y, p = tf.constant([1.0, 2.0, 3.0]), tf.constant([[1.0], [2.0], [4.0]])
    assert float(tf.keras.losses.MeanSquaredError()(y, p)) == pytest.approx(1 / 3)
    assert float(tf.keras.losses.MeanSquaredError()(y, p, sample_weight=[[1.0], [1.0], [3.0]])) == pytest.approx(1.0)
    assert float(METRICS.MeanSquaredError()(y, p)) == pytest.approx(1 / 3)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_softmax_that_is_exactly_one_still_has_a_gradient(compiled):
    """The activation hands its logits to the loss; a softmax by hand is kept away from 0, where the gradient vanishes."""

    def gradient(softmax, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.keras.losses.CategoricalCrossentropy()([[0.0, 1.0]] * tf.ones([1, 1]), softmax(x))
        return tape.gradient(loss, x)

    run = tf.function(gradient) if compiled else gradient
    x = tf.constant([[200.0, 0.0]])
    np.testing.assert_allclose(run(tf.keras.activations.softmax, x), [[1.0, -1.0]], rtol=1e-6)
    np.testing.assert_allclose(run(lambda x: tf.exp(x - 200.0), x), [[0.0, 0.0]], atol=1e-6)


def test_losses_of_version_1_graphs():
    with tf.compat.v1.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [3, 1])
        loss = tf.keras.losses.MeanSquaredError()([1.0, 2.0, 3.0], x)
        each = tf.keras.losses.mse(tf.constant([1.0, 2.0, 3.0]), x)
        with tf.compat.v1.Session() as session:
            values = session.run([loss, each], {x: [[1.0], [2.0], [5.0]]})
    assert values[0] == pytest.approx(4 / 3) and values[1].tolist() == [0.0, 0.0, 4.0]


@pytest.mark.parametrize("last", ["softmax", "layer", "activation"])
def test_layers_hand_their_logits_to_the_loss(last):
    k = tf.keras
    layers = {"softmax": [], "layer": [k.layers.Softmax()], "activation": [k.layers.Activation("softmax")]}[last]
    dense = k.layers.Dense(2, activation="softmax" if last == "softmax" else None, kernel_initializer="identity")
    model = k.Sequential([k.Input((2,)), dense, *layers])
    model.compile("sgd", "categorical_crossentropy")
    loss = model.train_on_batch(np.float32([[300.0, 0.0]]), np.float32([[0.0, 1.0]]))
    assert float(loss) == pytest.approx(300.0)


def test_ops_of_a_trace_hand_their_logits_to_the_loss():
    """As in TensorFlow, whose graphs know the op of a tensor; op by op the probability is what is given."""

    def losses(x):
        y = tf.constant([[0.0, 1.0]])
        of_softmax = tf.keras.losses.categorical_crossentropy(y, tf.nn.softmax(x))
        of_sigmoid = tf.keras.losses.binary_crossentropy(y, tf.sigmoid(x))
        return of_softmax, of_sigmoid, tf.keras.losses.binary_crossentropy(y, tf.nn.softmax(x, axis=0))

    x = tf.constant([[300.0, 0.0]])
    traced = [float(v[0]) for v in tf.function(losses)(x)]
    eager = [float(v[0]) for v in losses(x)]
    assert traced == pytest.approx([300.0, 150.34657, 7.971192], rel=1e-5)  # recorded from TensorFlow
    assert eager == pytest.approx([16.118095, 8.317766, 7.971192], rel=1e-5)
