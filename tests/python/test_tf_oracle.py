"""Values, gradients and Hessian-vector products as TensorFlow 2.21 prints them, tests/data/tf221_oracle.json."""

import json
import pathlib

import numpy as np
import pytest

import reel.tf as tf

CASES = json.loads((pathlib.Path(__file__).parents[1] / "data/tf221_oracle.json").read_text())["cases"]

# Ops whose call is not tf.NAME(*inputs, **attributes), of tf or one of its modules.
CALLS = {
    "concat": lambda *x, axis: tf.concat(x, axis),
    "stack": lambda *x, axis: tf.stack(x, axis),
    "einsum": lambda *x, equation: tf.einsum(equation, *x),
    "strided_slice": lambda x, spec: eval(spec, {"x": x}),
    "where": lambda x, y, condition: tf.where(condition, x, y),
    "softmax_cross_entropy_with_logits": lambda x, labels: tf.nn.softmax_cross_entropy_with_logits(
        tf.constant(labels, tf.float64), x
    ),
    "sparse_softmax_cross_entropy_with_logits": lambda x, labels: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels, x
    ),
    "sigmoid_cross_entropy_with_logits": lambda x, labels: tf.nn.sigmoid_cross_entropy_with_logits(
        tf.constant(labels, tf.float64), x
    ),
    "slogdet.log_abs": lambda x: tf.linalg.slogdet(x)[1],
}


def op_of(name):
    if name in CALLS:
        return CALLS[name]
    return next(getattr(m, name) for m in (tf, tf.math, tf.nn, tf.linalg) if hasattr(m, name))


def tensor(described):
    return tf.constant(np.float64(described["data"]).reshape(described["shape"]))


def near(made, want, like):
    want = np.zeros(like.shape) if want is None else tensor(want)
    assert made.shape == want.shape
    np.testing.assert_allclose(made, want, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["op"])
def test_oracle(case, traced):
    op, options = op_of(case["op"]), case["attributes"]
    inputs, seed = [tensor(x) for x in case["inputs"]], tensor(case["upstream"])

    def run(*inputs):
        with tf.GradientTape() as outer:
            outer.watch(inputs)
            with tf.GradientTape() as inner:
                inner.watch(inputs)
                value = op(*inputs, **options)
            gradients = inner.gradient(value, inputs, seed)
            if "direction" not in case:
                return value, gradients, None
            moved = tf.add_n(
                [tf.reduce_sum(tf.convert_to_tensor(g) * tensor(d)) for g, d in zip(gradients, case["direction"])]
            )
        return value, gradients, outer.gradient(moved, inputs, unconnected_gradients="zero")

    value, gradients, products = (tf.function(run) if traced else run)(*inputs)
    near(value, case["value"], value)
    for g, want, x in zip(gradients, case["gradients"], inputs):
        near(tf.convert_to_tensor(g), want, x)
    for h, want, x in zip(products or [], case.get("hessian_vector_product", []), inputs):
        near(tf.convert_to_tensor(h), want, x)


def test_there_are_85():
    assert len(CASES) == 85
