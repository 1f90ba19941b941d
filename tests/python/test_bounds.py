"""Indices and labels out of range: eager code and compiled code raise the same error. Budgets of load and compile."""

import pytest

import reel
import reel.tf as tf

TABLE = reel.reshape(reel.arange(12, dtype=reel.float32), (4, 3))
GOOD = reel.asarray([0, 2], dtype=reel.int32)


def _error(call, *args):
    with pytest.raises(IndexError) as caught:
        call(*args)
    return caught.value


CASES = {
    "take": (lambda i: reel.take(TABLE, i, axis=0), [0, 4]),
    "index": (lambda i: TABLE[i], [0, 4]),
    "two indices": (lambda i: TABLE[i, 1 - i // 2], [0, 4]),
    "take_along_axis": (lambda i: reel.take_along_axis(TABLE[:2], reel.reshape(i, (2, 1)), axis=1), [0, 3]),
    "cross_entropy": (lambda i: reel.nn.softmax_cross_entropy(TABLE[:2], i), [0, 3]),
    "segment_sum": (lambda i: reel.segment_sum(TABLE[:2], i, 3), [0, 3]),
}


@pytest.mark.parametrize("name", CASES)
def test_compiled_code_raises_what_eager_code_does(name):
    f, bad = CASES[name]
    bad = reel.asarray(bad, dtype=reel.int32)
    compiled = reel.function(f)
    assert reel.all(compiled(GOOD) == f(GOOD))
    eager, traced = _error(f, bad), _error(compiled, bad)
    assert isinstance(traced, reel.OutOfRangeError)
    if "ind" not in name:  # which eager code says in NumPy's words
        assert str(eager)[:40] == str(traced)[:40]
    assert "test_bounds.py" in str(traced)
    assert reel.all(compiled(GOOD) == f(GOOD)), "it goes on"


def test_a_failed_step_changes_no_variable():
    table, steps = reel.Variable(TABLE), reel.Variable(0.0)

    @reel.function
    def step(i):
        steps.assign_add(1.0)
        with reel.GradientTape() as tape:
            loss = reel.sum(reel.take(table, i, axis=0))
        table.assign_sub(tape.gradient(loss, table))
        return loss

    step(GOOD)
    before = reel.asarray(table)
    _error(step, reel.asarray([1, 4], dtype=reel.int32))
    assert reel.all(reel.asarray(table) == before) and float(steps) == 1


def test_tensorflow_names():
    @tf.function
    def f(i):
        return tf.gather(TABLE, i), tf.one_hot(i, 3)

    assert f(tf.constant([0, 3]))[1].shape == (2, 3), "one_hot has rows of zeros"
    with pytest.raises(IndexError):
        f(tf.constant([0, 4]))


def test_check_bounds_can_be_turned_off():
    f = reel.trace(lambda i: reel.take(TABLE, i, axis=0), [reel.TensorSpec((2,), reel.int32)])
    bad = reel.asarray([0, 4], dtype=reel.int32)
    _error(reel.compile(f), bad)
    assert reel.all(reel.compile(f, check_bounds=False)(bad)[1] == 0)


def test_budgets(tmp_path):
    def loss(x):
        for _ in range(200):
            x = reel.tanh(x) * x
        return reel.sum(x)

    f = reel.trace(loss, [reel.TensorSpec((3,))])
    path = str(tmp_path / "f.reel.txt")
    f.save(path) if hasattr(f, "save") else reel.save(f, path)
    few = reel.Budget(max_ops=100)
    assert few.max_ops == 100 and few.max_seconds == reel.Budget().max_seconds
    for call in (
        lambda: reel.load(path, budget=few),
        lambda: reel.Module.from_text(f.to_text(), budget=few),
        lambda: reel.compile(f, budget=few),
        lambda: f.gradients(budget=few),
        lambda: f.gradients(budget=reel.Budget(max_memory=1000)),
        lambda: reel.load(path, budget=reel.Budget(max_bytes=100)),
    ):
        with pytest.raises(reel.ResourceExhaustedError):
            call()
    reel.compile(reel.load(path, budget=reel.Budget()), budget=reel.Budget())
    with pytest.raises(TypeError):
        reel.load(path, budget=5)
    with pytest.raises(ValueError):
        reel.Budget(max_seconds=-1)
