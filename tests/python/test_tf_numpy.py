"""tf.experimental.numpy after experimental_enable_numpy_behavior, which is of a whole process; in tapes and tf.functions."""

import subprocess
import sys
import textwrap

import numpy as np

import reel.tf as tf

tnp = tf.experimental.numpy


def test_enabled_behavior():
    text = """
        import numpy as np, reel.tf as tf
        tnp = tf.experimental.numpy
        tnp.experimental_enable_numpy_behavior()
        x = tnp.arange(6)
        assert x.reshape(2, 3).shape == (2, 3) and x.reshape((3, 2)).T.shape == (2, 3)
        assert (x + 1.5).dtype == (1.5 + x).dtype == (x / 2).dtype == tf.float64
        assert (tf.constant([1, 2]) + x[:2]).dtype == tf.int64
        assert (tf.constant([1.0]) + x).dtype == tf.float64
        assert (x.astype(tnp.float32) * 2).dtype == tf.float32
        assert int(x @ x) == 55 and (x == 1.0).numpy().sum() == 1 and (x < 2.5).numpy().sum() == 3
        assert x.tolist() == list(range(6)) and int(x.size) == 6 and x.ndim == 1 and float(x.mean()) == 2.5
        assert int(x.max()) == 5 and int(x.min()) == 0 and x.clip(1, 3).numpy().max() == 3
        z = tnp.arange(24).reshape(2, 3, 4)
        assert z[1, tnp.newaxis, 1:3, ...].shape == (1, 2, 4) and z[:, (True, False, True)].shape == (2, 2, 4)
        assert z[1, (0, 0, 1), tnp.asarray([0, 1, 1])].numpy().tolist() == [12, 13, 17]
        assert x[x > 2].numpy().tolist() == [3, 4, 5] and x[[0, 2]].numpy().tolist() == [0, 2] and int(x[-1]) == 5
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tnp.sum(v * np.array([3.0, 4.0]))
        assert y.dtype == tf.float64 and tape.gradient(y, v).numpy().tolist() == [3.0, 4.0]
        assert tf.function(lambda a: a * 2 + 0.5)(x).dtype == tf.float64
        tnp.experimental_enable_numpy_behavior(prefer_float32=True)
        assert tnp.array(1.5).dtype == tnp.zeros(2).dtype == tf.float32
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(text)], check=True)


def test_gradients_go_through():
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tnp.sum(tnp.square(tnp.sin(x)) * tnp.array([1, 2, 3], dtype=tnp.float32))
    g = tape.gradient(y, x).numpy()
    assert np.allclose(g, np.sin(2 * np.array([1.0, 2.0, 3.0])) * [1, 2, 3], atol=1e-6)


def test_in_a_function():
    f = tf.function(lambda x: tnp.dot(tnp.where(x > 0, x, -x), tnp.ones(3, dtype=tf.float32)))
    assert float(f(tf.constant([1.0, -2.0, 3.0]))) == 6.0


def test_random_shapes_and_seeds():
    tnp.random.seed(3)
    a = tnp.random.randn(2, 3)
    tnp.random.seed(3)
    assert (a.numpy() == tnp.random.randn(2, 3).numpy()).all() and a.dtype == tf.float64
    assert tnp.random.randint(0, 3, size=(4,)).dtype == tf.int64 and tnp.random.rand(2, 2).shape == (2, 2)
