"""Eager updates of Keras's optimizers that come again are compiled: the same bits, and not where that would be seen."""

import numpy as np
import pytest

import reel.tf as tf
from reel.tf.keras.optimizers import _eager

MAKERS = {
    "SGD": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "Adam": lambda: tf.keras.optimizers.Adam(0.01, clipnorm=1.0),
    "AdamW": lambda: tf.keras.optimizers.AdamW(0.01, use_ema=True, ema_overwrite_frequency=3),
    "RMSprop": lambda: tf.keras.optimizers.RMSprop(0.01, centered=True),
    "accumulated": lambda: tf.keras.optimizers.Adam(0.1, gradient_accumulation_steps=2),
    "schedule": lambda: tf.keras.optimizers.Nadam(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)),
    "Lion": lambda: tf.keras.optimizers.Lion(0.1),
}


def trained(optimizer, steps=12):
    rng = np.random.default_rng(1)
    variables = [tf.Variable(rng.normal(size=s).astype("float32")) for s in ((5, 4), (4,), (4, 3))]
    for i in range(steps):
        gradients = [tf.constant(rng.normal(size=v.shape).astype("float32")) for v in variables]
        optimizer.apply_gradients(zip(gradients, variables))
        if i == 8 and isinstance(optimizer.learning_rate, tf.Variable):
            optimizer.learning_rate = 0.05
    return [v.numpy() for v in variables]


@pytest.mark.parametrize("name", MAKERS)
def test_compiled_updates_have_the_bits_of_eager_ones(name, monkeypatch):
    optimizer = MAKERS[name]()
    compiled = trained(optimizer)
    assert len(optimizer._compiled._programs) == 1
    monkeypatch.setattr(_eager, "_FIRST", 1000)
    optimizer = MAKERS[name]()
    for a, b in zip(compiled, trained(optimizer)):
        np.testing.assert_array_equal(a, b)
    assert not optimizer._compiled._programs


def test_hyperparameters_that_change_are_seen():
    v, g = tf.Variable([0.0]), tf.constant([1.0])
    optimizer = tf.keras.optimizers.SGD(1.0, momentum=0.5)
    for _ in range(8):
        optimizer.apply_gradients([(g, v)])
    optimizer.momentum = 0.0
    before = v.numpy()
    optimizer.apply_gradients([(g, v)])
    assert v.numpy() == before - 1


def test_what_users_define_runs_each_time():
    calls = []

    class Mine(tf.keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            calls.append(1)
            super().update_step(gradient, variable, learning_rate)

    v = tf.Variable([0.0])
    optimizer = Mine(1.0)
    for _ in range(10):
        optimizer.apply_gradients([(tf.constant([1.0]), v)])
    assert len(calls) == 10
    rates = iter(range(1, 20))
    optimizer = tf.keras.optimizers.SGD(lambda: float(next(rates)))
    for _ in range(10):
        optimizer.apply_gradients([(tf.constant([1.0]), v)])
    assert v.numpy() == -10 - 55


def test_a_tape_sees_the_update():
    v, g = tf.Variable([2.0]), tf.constant([1.0])
    optimizer = tf.keras.optimizers.SGD(1.0)
    for _ in range(8):
        optimizer.apply_gradients([(g, v)])
    with tf.GradientTape() as tape:
        tape.watch(g)
        optimizer.apply_gradients([(g * g, v)])
    assert v.numpy() == 2 - 9 and tape.gradient(v, g) is None
