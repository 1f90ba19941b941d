"""Variable and GradientTape."""

import os
import signal

import numpy as np
import pytest

import reel


def test_variable():
    v = reel.Variable([1.0, 2.0], name="w")
    assert v.name == "w" and v.trainable and v.shape == (2,) and v.dtype == reel.float32
    before = v.value()
    assert v.assign([3, 4]) is v and v.assign_add(1) is v and v.assign_sub([1.0, 0.0]) is v
    assert before.tolist() == [1, 2] and v.numpy().tolist() == [3, 5]
    assert repr(v) == "Variable('w', [3., 5.], dtype=float32)"
    assert (v + 1).tolist() == [4, 6] and (2 * v).tolist() == [6, 10] and reel.sum(v).item() == 8
    assert np.asarray(v).tolist() == [3, 5] and [float(x) for x in v] == [3, 5]
    assert reel.Variable(lambda: reel.ones((2,))).shape == (2,)
    assert reel.Variable(1, dtype=reel.float64).dtype == reel.float64
    with pytest.raises(ValueError, match="assign: variable 'w'"):
        v.assign(reel.ones((3,)))
    assert v.numpy().tolist() == [3, 5]


def test_gradient_of_structures():
    w, b = reel.Variable([[1.0], [2.0]]), reel.Variable([0.5])
    x = reel.asarray([[3.0, 4.0], [5.0, 6.0]])
    with reel.GradientTape(persistent=True) as tape:
        y = reel.mean((x @ w + b) ** 2)
    assert tape.watched_variables() == (w, b) or [v is u for v, u in zip(tape.watched_variables(), (w, b))] == [
        True,
        True,
    ]
    r = np.array([[11.5], [17.5]])
    dw, db = np.asarray(x).T @ r, r.sum(0)
    g = tape.gradient(y, {"w": w, "rest": (b, [w])})
    assert list(g) == ["w", "rest"] and isinstance(g["rest"], tuple) and isinstance(g["rest"][1], list)
    np.testing.assert_allclose(g["w"].numpy(), dw, rtol=1e-5)
    np.testing.assert_allclose(g["rest"][0].numpy(), db, rtol=1e-5)
    assert tape.gradient(y, w).shape == (2, 1)


def test_watch_and_unconnected():
    x, z = reel.asarray(3.0), reel.asarray([1.0, 2.0])
    with reel.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = x * x
        with tape.stop_recording():
            s = x * 5
    assert tape.gradient(y, x).item() == 6
    assert tape.gradient(y, z) is None and tape.gradient(s, x) is None
    assert tape.gradient(y, z, unconnected_gradients="zero").tolist() == [0, 0]
    assert tape.gradient(y, z, unconnected_gradients=reel.UnconnectedGradients.ZERO).tolist() == [0, 0]
    assert tape.gradient(y, z, unconnected_gradients=reel.UnconnectedGradients.NONE) is None
    assert tape.gradient(y, x, output_gradients=reel.asarray(2.0)).item() == 12
    assert tape.gradient([y, y], x, output_gradients=[None, 3.0]).item() == 24


def test_higher_orders():
    x = reel.Variable(2.0)
    with reel.GradientTape() as outer:
        with reel.GradientTape() as inner:
            y = x**3
        dy = inner.gradient(y, x)
    assert dy.item() == 12 and outer.gradient(dy, x).item() == 12


def test_options():
    v, frozen = reel.Variable(2.0), reel.Variable(2.0, trainable=False)
    with reel.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    assert tape.gradient(y, v) is None
    with reel.GradientTape(persistent=True) as tape:
        y = v * frozen
        tape.reset()
        z = v * v
    assert tape.gradient(y, v) is None and tape.gradient(z, v).item() == 4
    with reel.GradientTape() as tape:
        y = v * frozen
    assert tape.gradient(y, [v, frozen])[1] is None
    with reel.GradientTape() as tape:
        y = reel.stop_gradient(v) * v
    assert tape.gradient(y, v).item() == 2


def test_errors():
    v = reel.Variable(1.0)
    with reel.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(y, v)
    with reel.GradientTape(persistent=True) as tape:
        y = v * v
    with pytest.raises(TypeError, match="None"):
        tape.gradient(None, v)
    with pytest.raises(TypeError, match="not str"):
        tape.gradient(y, "v")
    with pytest.raises(ValueError, match="unconnected_gradients"):
        tape.gradient(y, v, unconnected_gradients="nothing")
    with pytest.raises(TypeError):
        tape.watch(3.0)
    with pytest.raises(ValueError, match="output_gradients"):
        tape.gradient(y, v, output_gradients=[None, None])
    with pytest.raises(RuntimeError):
        reel.GradientTape().gradient(y, v)
    with pytest.raises(ZeroDivisionError):
        with reel.GradientTape() as tape:
            1 / 0
    with reel.GradientTape() as tape:  # the state was restored
        y = v * v
    assert tape.gradient(y, v).item() == 2


def test_tapes_leave_in_order(capfd):
    v = reel.Variable(1.0)
    for _ in range(3):
        with reel.GradientTape() as tape:  # the last one is still alive here
            y = v * v
        assert tape.gradient(y, v).item() == 2
    assert capfd.readouterr().err == ""


def test_indexed_slices():
    table = reel.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with reel.GradientTape(persistent=True) as tape:
        y = reel.sum(reel.take(table, reel.asarray([2, 0, 2]), axis=0))
    (g,) = tape.gradient(y, [table])
    assert isinstance(g, reel.IndexedSlices) and g.indices.tolist() == [2, 0, 2] and g.dense_shape == (3, 2)
    assert g.numpy().tolist() == [[1, 1], [0, 0], [2, 2]] and (reel.asarray(g) + 1).shape == (3, 2)
    assert tape.gradient(y, table).tolist() == g.numpy().tolist()
    reel.optim.SGD(1.0).apply([g], [table])
    assert table.numpy().tolist() == [[0, 1], [3, 4], [3, 4]]


def test_explanations():
    v, c = reel.Variable(1.0), reel.asarray(1.0)
    with reel.GradientTape() as tape:
        y = v * c
        summary = tape.summary()
    assert tape.gradient(y, [v, c])[1] is None
    assert "watch" in tape.explain_none(y, c)
    assert "test_tape.py:" in summary


def test_gradients_that_come_back_are_compiled():
    rng = np.random.default_rng(1)
    w = reel.Variable(rng.standard_normal((5, 3)).astype(np.float32))
    for step in range(6):
        x = rng.standard_normal((4, 5)).astype(np.float32)
        with reel.GradientTape() as tape:
            y = reel.sum(reel.tanh(x @ w) * (step + 1))
        expected = x.T @ ((1 - np.tanh(x @ w.numpy()) ** 2) * (step + 1))
        np.testing.assert_allclose(tape.gradient(y, w).numpy(), expected, rtol=1e-4, atol=1e-5)
        reel.wait_for_compiler()


def test_a_child_of_a_process_that_compiles_in_the_background():
    def gradient():
        x = reel.asarray([1.0, 2.0, 3.0])
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = reel.sin(x) * reel.sin(x) * reel.exp(x)
        return tape.gradient(y, x).tolist()

    expected = [gradient() for _ in range(3)][0]  # the third leaves work to the background
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if gradient() == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
    reel.wait_for_compiler()
    assert gradient() == expected
