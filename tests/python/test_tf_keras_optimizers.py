"""Keras's optimizers in a tf.function: the same numbers as op by op, which tf_cases/keras_optimizers compares with
TensorFlow's."""

import numpy as np
import pytest

import reel.tf as tf

SCHEDULE = tf.keras.optimizers.schedules
OPTIMIZERS = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}],
    "Adam": [{}, {"amsgrad": True}],
    "AdamW": [{}],
    "Adamax": [{}],
    "Nadam": [{}],
    "Adagrad": [{}],
    "Adadelta": [{}],
    "RMSprop": [{}, {"momentum": 0.5, "centered": True}],
    "Ftrl": [{"l1_regularization_strength": 0.01}],
    "Lion": [{}],
    "Lamb": [{}],
    "Adafactor": [{}],
}
COMMON = [
    {"weight_decay": 0.1},
    {"clipnorm": 0.5},
    {"clipvalue": 0.3},
    {"global_clipnorm": 0.7},
    {"use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 2},
    {"gradient_accumulation_steps": 2, "weight_decay": 0.1},
    {"loss_scale_factor": 4.0},
    {"learning_rate": SCHEDULE.ExponentialDecay(0.3, 2, 0.5)},
    {"learning_rate": SCHEDULE.PiecewiseConstantDecay([1, 3], [0.3, 0.2, 0.1])},
    {"learning_rate": SCHEDULE.CosineDecay(0.1, 4, warmup_target=0.4, warmup_steps=2)},
]
ROWS = [(name, options) for name, many in OPTIMIZERS.items() for options in many]
ROWS += [(name, options) for name in ("SGD", "Adam") for options in COMMON]


def steps(make, compiled):
    """All values after five steps."""
    v, w = tf.Variable([1.0, -2.0, 0.5]), tf.Variable([[0.3, 0.2], [-1.0, 2.0]])
    optimizer = make()

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v) + tf.reduce_sum(tf.cos(w))
        variables = [v, w]
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    if compiled:
        step = tf.function(step)
    for _ in range(5):
        step()
    return [np.asarray(x) for x in [v, w, *optimizer.variables]]


@pytest.mark.parametrize("name, options", ROWS, ids=[f"{n}-{'-'.join(o) or 'plain'}" for n, o in ROWS])
def test_compiled_steps_are_those_op_by_op(name, options):
    options = {"learning_rate": 0.1, **options}
    one, other = (steps(lambda: getattr(tf.keras.optimizers, name)(**options), c) for c in (False, True))
    assert len(one) == len(other)
    for a, b in zip(one, other):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


def test_a_loss_scale_shrinks_and_grows_in_a_function():
    optimizer = tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 8.0, dynamic_growth_steps=2)
    v = tf.Variable(1.0)

    @tf.function
    def step(factor):
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(v * factor)
        optimizer.apply([tape.gradient(loss, v)], [v])

    seen = []
    for factor in (1.0, np.inf, 1.0, 1.0, 1.0):
        step(tf.constant(factor))
        seen.append((float(v), float(optimizer.dynamic_scale)))
    assert seen == [(0.5, 8.0), (0.5, 4.0), (0.0, 4.0), (-0.5, 8.0), (-1.0, 8.0)]


def test_a_rate_that_is_assigned_is_the_next_step_of_a_compiled_function():
    v, optimizer = tf.Variable(0.0), tf.keras.optimizers.SGD(1.0)

    @tf.function
    def step():
        optimizer.apply([tf.constant(1.0)], [v])

    step()
    optimizer.learning_rate = 0.25
    step()
    optimizer.learning_rate.assign(0.5)
    step()
    assert float(v) == -1.75


def test_a_build_that_is_left_is_undone():
    class Own(tf.keras.optimizers.SGD):
        fails = True

        def build(self, variables):
            super().build(variables)
            if self.fails:
                raise RuntimeError("left")

    v, optimizer = tf.Variable(1.0), Own(0.5)
    with pytest.raises(RuntimeError):
        optimizer.apply([v], [v])
    assert not optimizer.built and len(optimizer.variables) == 2
    optimizer.fails = False
    optimizer.apply([v], [v])
    assert float(v) == 0.5


def test_variables_are_written_and_read_again():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    first, second = tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.Adam(0.5)
    first.apply([v * 1.0], [v])
    second.build([w])
    store = {}
    first.save_own_variables(store)
    second.load_own_variables(store)
    w.assign(v)
    for optimizer, x in ((first, v), (second, w)):
        optimizer.apply([tf.constant([1.0, -1.0])], [x])
    np.testing.assert_array_equal(v.numpy(), w.numpy())
    with pytest.warns(UserWarning, match="Skipping"):
        second.load_own_variables({"0": 1})


def test_minimize_takes_a_loss_of_a_tape_or_a_callable():
    v, optimizer = tf.Variable(1.0), tf.keras.optimizers.SGD(0.25)
    optimizer.minimize(lambda: v * v, [v])
    with tf.GradientTape() as tape:
        loss = v * v
    optimizer.minimize(loss, [v], tape=tape)
    assert float(v) == 0.25
    with pytest.raises(ValueError, match="tape"):
        optimizer.minimize(loss, [v])


def test_names_that_are_no_longer_there_say_what_to_do():
    optimizer = tf.keras.optimizers.SGD(0.1)
    assert not hasattr(optimizer, "lr")
    with pytest.raises(AttributeError, match="learning_rate"):
        optimizer.lr = 0.2
