"""reel.check_numerics in eager and compiled code, tf.debugging's switch for it, reel.check_gradients."""

import inspect

import numpy as np
import pytest

import reel
import reel.tf as tf


@pytest.fixture
def checking():
    assert reel.check_numerics() == "off"
    yield
    reel.check_numerics("off")


def log_of_difference(x):
    y = x - 1
    return reel.log(y)


LOG_LINE = f"{__file__}:{inspect.getsourcelines(log_of_difference)[1] + 2}"


def test_eager_and_compiled_name_op_and_line(checking):
    x = reel.asarray([3.0, 1.0], dtype="float32")
    compiled = reel.function(log_of_difference)
    for f in (log_of_difference, compiled):
        with pytest.raises(ValueError) as e:
            f(x)
        assert "the result f32[2] of log is -inf at [1]" in str(e.value)
        assert LOG_LINE in str(e.value)


def test_functions_follow_the_switch():
    x = reel.asarray([0.0, 1.0])
    f = reel.function(lambda x: reel.log(x))
    assert np.asarray(f(x))[0] == -np.inf
    reel.check_numerics()
    with pytest.raises(ValueError, match="of log is -inf"):
        f(x)
    assert reel.check_numerics("nan") == "all"
    assert np.asarray(f(x))[0] == -np.inf
    with pytest.raises(ValueError, match="of log is NaN"):
        f(-x - 1)
    assert reel.check_numerics("off") == "nan"
    assert np.isnan(np.asarray(f(-x - 1))).all()


def test_gradient_and_variable(checking):
    w = reel.Variable([4.0, 0.0])

    @reel.function
    def step(x):
        with reel.GradientTape() as tape:
            y = reel.sum(reel.sqrt(w) * x)
        w.assign_sub(tape.gradient(y, w))
        return y

    with pytest.raises(ValueError, match=r"in the gradient of sqrt, is inf at \[1\]") as e:
        step(reel.asarray([1.0, 1.0], dtype="float32"))
    assert __file__ in str(e.value)
    assert np.asarray(w).tolist() == [4.0, 0.0]


def test_unknown_level():
    with pytest.raises(ValueError, match="'off', 'nan' or 'all', not 'on'"):
        reel.check_numerics("on")


def test_tensorflow_names():
    x = tf.constant([1.0, 0.0])
    f = tf.function(lambda x: 1.0 / x)
    assert np.isinf(f(x).numpy()[1])
    tf.debugging.enable_check_numerics()
    try:
        for g in (f, lambda x: 1.0 / x):
            with pytest.raises(tf.errors.InvalidArgumentError, match="of div is inf at"):
                g(x)
    finally:
        tf.debugging.disable_check_numerics()
    assert np.isinf(f(x).numpy()[1])


def test_check_gradients():
    x, w = np.array([[0.5, -1.0], [2.0, 0.25]]), np.array([[1.0, 2.0], [-0.5, 0.75]], "f")
    assert 0 < reel.check_gradients(lambda x, w: reel.tanh(x @ w), x, w, order=2) < 4e-8
    assert reel.check_gradients(lambda p: {"y": p["a"] * p["b"]}, {"a": x, "b": w}) < 4e-8
    assert reel.check_gradients(lambda x: x * x, x, dtype="float32") < 2e-2


def test_check_gradients_finds_a_wrong_one():
    @reel.custom_gradient
    def wrong(x):
        return x * x, lambda dy: dy * 3 * x

    with pytest.raises(
        RuntimeError,
        match=r"order 1, input 0 f64\[2\], element \[0\]: the gradient is .*, "
        r"the central difference is ",
    ):
        reel.check_gradients(wrong, np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="no input is of floats"):
        reel.check_gradients(lambda x: x, np.array([1, 2]))
