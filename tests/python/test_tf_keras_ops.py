"""keras.ops on symbols of functional models, in layers that train, in tf.functions; what the recorded cases cannot hold."""

import numpy as np
import pytest

import reel
import reel.tf as tf

ops = tf.keras.ops


def test_functional_model_of_ops():
    i = tf.keras.Input((3,))
    h = ops.relu(ops.matmul(i, np.ones((3, 2), "float32")) + 1.0)
    m = tf.keras.Model(i, ops.concatenate([h, ops.sum(i, axis=-1, keepdims=True)], axis=1))
    assert m.output_shape == (None, 3)
    x = np.array([[1.0, -2.0, 3.0], [-9.0, 0.0, 0.0]], "float32")
    assert m(x).numpy().tolist() == [[3.0, 3.0, 2.0], [0.0, 0.0, -9.0]]


def test_layer_of_ops_trains():
    class Scaled(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(shape[-1], 1), initializer="zeros")

        def call(self, x):
            return ops.dot(x, self.w)

    x = np.random.RandomState(0).normal(size=(64, 3)).astype("float32")
    m = tf.keras.Sequential([Scaled()])
    m.compile("sgd", "mse")
    h = m.fit(x, x @ [[1.0], [2.0], [3.0]], epochs=20, verbose=0)
    assert h.history["loss"][-1] < 0.2 * h.history["loss"][0]


def test_ops_in_a_function():
    f = tf.function(lambda x: ops.mean(ops.where(x > 0, x, ops.square(x))) + ops.cast(ops.argmax(x), "float32"))
    x = tf.constant([1.0, -2.0, 3.0])
    assert float(f(x)) == pytest.approx(8.0 / 3.0 + 2.0)


def test_refused_parts_say_what_to_do():
    with pytest.raises(reel.UnimplementedError, match="eagerly"):
        tf.function(lambda x: ops.gcd(x, x))(tf.constant([4]))
    with pytest.raises(AttributeError, match="refused"):
        ops.rearrange  # noqa: B018


def test_seed_generator_is_reproducible():
    a, b = (tf.keras.random.SeedGenerator(7) for _ in range(2))
    draws = [tf.keras.random.normal((3,), seed=g).numpy() for g in (a, b, a, b)]
    assert (draws[0] == draws[1]).all() and (draws[2] == draws[3]).all() and not (draws[0] == draws[2]).any()
