"""tf.random beside moments and exact probabilities: what tf_cases/random.txt, whose numbers are TensorFlow's, cannot say."""

import math

import numpy as np
import pytest

import reel.tf as tf

MANY = 20000
DRAWS = [
    ("uniform", lambda: tf.random.uniform([MANY], -1.0, 3.0, seed=1), 1.0, 16 / 12),
    ("normal", lambda: tf.random.normal([MANY], 2.0, 3.0, seed=1), 2.0, 9.0),
    ("truncated_normal", lambda: tf.random.truncated_normal([MANY], 1.0, 2.0, seed=1), 1.0, 4 * 0.77374),
    ("integers", lambda: tf.random.uniform([MANY], 0, 10, tf.int32, seed=1), 4.5, 99 / 12),
    ("gamma", lambda: tf.random.gamma([MANY], 2.5, 2.0, seed=1), 1.25, 0.625),
    ("poisson", lambda: tf.random.poisson([MANY], 4.0, seed=1), 4.0, 4.0),
    ("stateless_gamma", lambda: tf.random.stateless_gamma([MANY], [1, 2], 0.5), 0.5, 0.5),
    ("stateless_poisson", lambda: tf.random.stateless_poisson([MANY], [1, 2], 12.0), 12.0, 12.0),
    ("stateless_binomial", lambda: tf.random.stateless_binomial([MANY], [1, 2], 10, 0.3), 3.0, 2.1),
    ("Generator.binomial", lambda: tf.random.Generator.from_seed(1).binomial([MANY], 8.0, 0.25), 2.0, 1.5),
    ("categorical", lambda: tf.random.categorical([[0.0, math.log(3.0)]], MANY, seed=1), 0.75, 0.1875),
]


@pytest.mark.parametrize("name, draw, mean, variance", DRAWS, ids=[d[0] for d in DRAWS])
def test_moments(name, draw, mean, variance):
    tf.random.set_seed(3)
    x = draw().numpy().astype(np.float64)
    assert abs(x.mean() - mean) < 5 * math.sqrt(variance / MANY)
    assert abs(x.var() - variance) < 0.08 * variance


@pytest.mark.parametrize("name, draw, mean, variance", DRAWS, ids=[d[0] for d in DRAWS])
def test_a_seed_repeats(name, draw, mean, variance):
    def twice():
        tf.random.set_seed(3)
        return draw().numpy(), draw().numpy()

    (a, b), (c, d) = twice(), twice()
    assert (a == c).all() and (b == d).all()
    assert (a == b).all() == name.startswith(("stateless", "Generator"))


@pytest.mark.parametrize("low, high", [(5.0, 6.0), (-1.0, 2.5), (-9.0, -8.0)])
def test_normal_between_bounds(low, high):
    x = (
        tf.random.stateless_parameterized_truncated_normal([MANY], [1, 2], 0.0, 1.0, low, high)
        .numpy()
        .astype(np.float64)
    )
    assert x.min() >= low and x.max() <= high
    grid = np.linspace(low, high, 20001)
    weight = np.exp(-grid * grid / 2 + min(low * low, high * high) / 2)
    assert abs(x.mean() - (grid * weight).sum() / weight.sum()) < 0.02 * (high - low)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.0, 50.0])
def test_gradient_of_gamma_is_that_of_the_mean(alpha):
    a = tf.fill([4000], alpha)
    with tf.GradientTape() as tape:
        tape.watch(a)
        x = tf.random.stateless_gamma([4000], [1, 2], a)
    assert float(tf.reduce_mean(tape.gradient(x, a))) == pytest.approx(1, abs=0.04)  # of x, whose mean is alpha


def test_functions_without_seeds_repeat_after_set_seed():
    @tf.function
    def f():
        return tf.random.uniform([2]), tf.random.uniform([3], maxval=9, dtype=tf.int32), tf.random.shuffle(tf.range(5))

    f()  # traced
    tf.random.set_seed(4)
    first = [x.numpy().tolist() for x in f()]
    again = [x.numpy().tolist() for x in f()]
    tf.random.set_seed(4)
    assert first == [x.numpy().tolist() for x in f()] and first != again


def test_each_place_of_a_function_has_a_stream_of_its_seed():
    tf.random.set_seed(4)

    @tf.function
    def f():
        return tf.random.normal([2], seed=1), tf.random.normal([2], seed=1)

    a, b = f()
    c, _ = f()
    assert (a.numpy() == b.numpy()).all() and (a.numpy() != c.numpy()).all()


def test_a_generator_counts_in_128_bits():
    g = tf.random.Generator.from_state([-256, 5, 7], "philox")
    expected = g.normal([3]).numpy()
    assert g.state.numpy().tolist() == [512, 6, 7]
    traced = tf.random.Generator.from_state([-256, 5, 7], "philox")
    f = tf.function(lambda: traced.normal([3]))
    np.testing.assert_array_equal(f().numpy(), expected)
    assert traced.state.numpy().tolist() == [512, 6, 7]


def test_words_carry_into_the_upper_half():
    a = tf.random.Generator.from_state([-1, 5, 7], "philox").uniform_full_int([8], tf.int32).numpy()
    b = tf.random.Generator.from_state([0, 6, 7], "philox").uniform_full_int([4], tf.int32).numpy()
    assert (a[4:] == b).all()


def test_checkpoints_hold_generators(tmp_path):
    g = tf.random.Generator.from_seed(1)
    model = tf.Module()
    model.g = g
    g.normal([2])
    path = tf.train.Checkpoint(generator=g, model=model).write(str(tmp_path / "saved"))
    expected = g.normal([3]).numpy()
    other = tf.random.Generator.from_seed(9)
    tf.train.Checkpoint(generator=other).read(path)
    np.testing.assert_array_equal(other.normal([3]).numpy(), expected)


def test_sampled_losses_draw_other_classes():
    tf.random.set_seed(1)
    w, b, x = tf.random.normal([50, 4]), tf.zeros([50]), tf.random.normal([3, 4])
    y = tf.constant([[1], [20], [49]], tf.int64)
    full = tf.nn.sparse_softmax_cross_entropy_with_logits(y[:, 0], x @ tf.transpose(w) + b)
    sampled = [tf.nn.sampled_softmax_loss(w, b, y, x, 40, 50) for _ in range(100)]
    np.testing.assert_allclose(tf.reduce_mean(tf.stack(sampled), 0), full, rtol=0.25)  # biased, as it is there
    with pytest.raises(tf.errors.UnimplementedError, match="sampled_values"):
        tf.function(lambda: tf.nn.nce_loss(w, b, y, x, 5, 50))()


@pytest.mark.parametrize("f", [tf.nn.relu, tf.nn.relu6, tf.nn.leaky_relu, tf.nn.crelu])
def test_second_derivatives_of_linear_pieces_are_zero(f):
    x = tf.constant([-1.0, 0.5, 7.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward, tf.GradientTape() as tape:
        tape.watch(x)
        first = tape.gradient(f(x), x)
    assert forward.jvp(first).numpy().tolist() == [0, 0, 0]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first = tape.gradient(f(x), x)
    assert tape.gradient(first, x).numpy().tolist() == [0, 0, 0]
