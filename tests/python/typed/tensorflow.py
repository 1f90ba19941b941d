"""The types of TensorFlow's names; see core.py."""

from typing import Any

from typing_extensions import assert_type

import reel.tf as tf
import reel.tfe as tfe
from reel.tf.compat import v1

x = tf.constant([1.0, 2.0])
w = tf.Variable(3.0)


def operations() -> None:
    assert_type(x, tf.Tensor)
    assert_type(x + 1, tf.Tensor)
    assert_type(2 * w, tf.Tensor)
    assert_type(x == w, tf.Tensor)
    assert_type(x[0], tf.Tensor)
    assert_type(x.dtype, tf.DType)
    assert_type(tf.int8, tf.DType)
    assert_type(x.shape, tf.TensorShape)
    assert_type(x.shape.rank, int | None)
    assert_type(float(x), float)
    assert_type(tf.sin(x), tf.Tensor)
    assert_type(tf.maximum(x, 0.0), tf.Tensor)
    assert_type(tf.reduce_sum(x, axis=[0]), tf.Tensor)
    assert_type(tf.argmax(x), tf.Tensor)
    assert_type(tf.zeros([2, 3], dtype=tf.float64), tf.Tensor)
    assert_type(tf.cast(x, "float64"), tf.Tensor)
    assert_type(tf.split(x, 2), list[tf.Tensor])
    assert_type(tf.nn.relu(x), tf.Tensor)
    assert_type(tf.math.log1p(x), tf.Tensor)
    assert_type(tf.linalg.det(x), tf.Tensor)
    assert_type(tf.linalg.svd(x), tuple[tf.Tensor, tf.Tensor, tf.Tensor])
    assert_type(tf.linalg.svd(x, compute_uv=False), tf.Tensor)
    assert_type(tf.random.normal([2]), tf.Tensor)
    assert_type(w.assign_add(1.0), tf.Variable)
    assert_type(w.value(), tf.Tensor)
    assert_type(tf.cond(x[0] > 1, lambda: x, lambda: -x), tf.Tensor)
    tf.reduce_smu(x)  # type: ignore[attr-defined]
    tf.sin("text")  # type: ignore[arg-type]
    tf.reduce_sum(x, axes=0)  # type: ignore[call-arg]
    tf.constant()  # type: ignore[call-arg]


def gradients() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(w * x)
    assert_type(tape.gradient(y, w), tf.Tensor | Any)
    assert_type(tape.gradient(y, [w, x]), list[tf.Tensor | Any])
    assert_type(tape.gradient(y, {"w": w}), dict[str, tf.Tensor | Any])
    assert_type(tape.jacobian(y, x), tf.Tensor | Any)
    assert_type(tape.watched_variables(), tuple[tf.Variable, ...])
    with tf.autodiff.ForwardAccumulator(x, x) as accumulator:
        assert_type(accumulator.jvp(x * x), tf.Tensor | Any)


@tf.function
def step(inputs: tf.Tensor, rate: float = 0.1) -> tf.Tensor:
    return inputs * rate


@tf.function(input_signature=[tf.TensorSpec([None])])
def signed(inputs: tf.Tensor) -> tf.Tensor:
    return inputs


@tf.custom_gradient
def square(values: tf.Tensor) -> tuple[tf.Tensor, Any]:
    return values * values, lambda dy: 2 * values * dy


class Scale(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable(2.0)

    @tf.function
    def __call__(self, inputs: tf.Tensor) -> tf.Tensor:
        return inputs * self.factor


def functions() -> None:
    assert_type(step(x, rate=1.0), tf.Tensor)
    assert_type(signed(x), tf.Tensor)
    assert_type(square(x), tf.Tensor)
    assert_type(Scale()(x), tf.Tensor)
    assert_type(step.experimental_get_tracing_count(), int)
    assert_type(tfe.gradients_function(step, params=["inputs"])(x), list[tf.Tensor | Any])
    assert_type(tfe.value_and_gradients_function(step)(x), tuple[tf.Tensor, list[tf.Tensor | Any]])
    assert_type(tfe.implicit_gradients(signed)(x), list[tuple[tf.Tensor | Any, tf.Variable]])
    step("text")  # type: ignore[arg-type]
    Scale()()  # type: ignore[call-arg]


def keras() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)])
    assert_type(model(x), tf.Tensor | Any)
    assert_type(model.trainable_variables, list[tf.Variable])
    optimizer = tf.keras.optimizers.SGD(0.1)
    found = tf.GradientTape().gradient(x, model.trainable_variables)
    assert_type(found, list[tf.Tensor | Any])
    assert_type(optimizer.apply_gradients(zip(found, model.trainable_variables)), tf.Variable)
    assert_type(tf.keras.losses.MeanSquaredError()(x, x), tf.Tensor)
    assert_type(tf.keras.metrics.Mean()(x), tf.Tensor)
    tf.keras.layers.Dense(units="eight")  # type: ignore[arg-type]


def version_1() -> None:
    with v1.Graph().as_default(), v1.Session() as session:
        fed = v1.placeholder(v1.float32, [])
        assert_type(fed, v1.Tensor)
        session.run(fed, {fed: 3.0})
    assert_type(v1.train.AdamOptimizer(0.1).variables(), list[tf.Variable])
