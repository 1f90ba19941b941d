"""A linear model fitted as in TensorFlow's notebook on automatic differentiation: estimates approach 3 and 2.

PYTHONPATH=build/python python3 frontend/python/examples/linear_model.py [plot.png]
"""

import importlib
import sys
from typing import Any

import reel.tf as tf
import reel.tfe as tfe

TRUE_W, TRUE_B = 3.0, 2.0


def synthesise(examples: int = 1000) -> tuple[tf.Tensor, tf.Tensor]:
    """Inputs [examples, 1] and noisy outputs of 3 x + 2."""
    inputs = tf.random.normal([examples, 1])
    noise = tf.random.normal([examples, 1])
    return inputs, inputs * TRUE_W + TRUE_B + noise * 0.1


def fit(steps: int = 10, learning_rate: float = 0.1) -> list[tuple[float, float]]:
    """The estimates (w, b) after each step of gradient descent."""
    inputs, outputs = synthesise()
    model = tf.compat.v1.layers.Dense(1)  # its variables are made when it is first called

    def loss_fn(inputs: tf.Tensor, outputs: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(tf.square(model(inputs) - outputs))

    value_and_gradients = tfe.implicit_value_and_gradients(loss_fn)
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(learning_rate)
    estimates: list[tuple[float, float]] = []
    for step in range(steps):
        loss, gradients_and_variables = value_and_gradients(inputs, outputs)
        optimizer.apply_gradients(gradients_and_variables)
        w, b = (float(tf.reshape(v, [])) for v in model.variables)
        estimates.append((w, b))
        print(f"step {step}: loss {float(loss):.4f}, w {w:.4f}, b {b:.4f}")
    return estimates


def plot(estimates: list[tuple[float, float]], path: str) -> None:
    """Draws the estimates beside the true values, if matplotlib is there."""
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    for name, values, true in (("w", [w for w, _ in estimates], TRUE_W), ("b", [b for _, b in estimates], TRUE_B)):
        (line,) = pyplot.plot(values, label=name)
        pyplot.axhline(true, color=line.get_color(), linestyle="--", label=f"true {name}")
    pyplot.xlabel("step")
    pyplot.legend()
    pyplot.savefig(path)


if __name__ == "__main__":
    tf.random.set_seed(1)
    result = fit()
    if len(sys.argv) > 1:
        plot(result, sys.argv[1])
