"""IndexedSlices: the same gradient however sources are passed; functions take and return them as eager code does."""

import numpy as np
import pytest

import reel
import reel.tf as tf

IDS = [2, 0, 2]
STRUCTURES = {
    "bare": lambda e: e,
    "list": lambda e: [e],
    "tuple": lambda e: (e, e),
    "dict": lambda e: {"b": e, "a": [e]},
    "nested": lambda e: [{"x": (e,)}, e],
}


def leaves_of(tree):
    if isinstance(tree, dict):
        return [x for k in sorted(tree) for x in leaves_of(tree[k])]
    if isinstance(tree, (list, tuple)):
        return [x for part in tree for x in leaves_of(part)]
    return [tree]


def shape_of(tree):
    if isinstance(tree, dict):
        return {k: shape_of(v) for k, v in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(map(shape_of, tree))
    return type(tree)


def bits(slices):
    return [np.asarray(part).tobytes() for part in (slices.values, slices.indices, slices.dense_shape)]


def table():
    return reel.asarray(np.arange(8.0, dtype=np.float32).reshape(4, 2) / 3)


def gradient_of(structure):
    def gradient(e):
        with reel.GradientTape() as tape:
            tape.watch(e)
            y = reel.sum(reel.tanh(reel.take(e, reel.asarray(IDS), axis=0)))
        return tape.gradient(y, structure(e))

    return gradient


@pytest.mark.parametrize("structure", STRUCTURES.values(), ids=STRUCTURES)
def test_gradients_are_slices_however_sources_are_passed(structure):
    expected = gradient_of(lambda e: [e])(table())[0]
    eager = gradient_of(structure)(table())
    compiled = reel.function(gradient_of(structure))
    for got in (eager, compiled(table()), compiled(table())):  # the last one without Python code
        assert shape_of(got) == shape_of(structure(expected))
        for g in leaves_of(got):
            assert type(g) is reel.IndexedSlices and g.dense_shape == (4, 2) and bits(g) == bits(expected)


def test_results_beside_others():
    w = reel.Variable([1.0, 2.0])

    @reel.function
    def step(e, x):
        with reel.GradientTape(persistent=True) as tape:
            tape.watch([e, x])
            y = reel.sum(reel.take(e, reel.asarray(IDS), axis=0) * w)
        return {"loss": y, "by": [tape.gradient(y, [e, x, w]), "text", 3], "alone": tape.gradient(y, e)}

    out = step(table(), reel.ones(2))
    (de, dx, dw), text, three = out["by"]
    assert isinstance(de, reel.IndexedSlices) and dx is None and isinstance(dw, reel.Tensor)
    assert (text, three) == ("text", 3) and bits(out["alone"]) == bits(de)
    assert de.tolist() == [[1, 2], [0, 0], [2, 4], [0, 0]]


def test_recompute_grad_gives_slices():
    f = reel.recompute_grad(lambda s: {"k": reel.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)})
    slices = gradient_of(lambda e: e)(table())
    for g in (f, reel.function(f)):
        assert np.array_equal(g(slices)["k"].numpy(), 2 * slices.numpy())


def test_arguments():
    slices = gradient_of(lambda e: e)(table())
    traces = []

    @reel.function
    def f(g, scale=1.0):
        traces.append(1)
        parts = leaves_of(g)
        assert all(type(x) is reel.IndexedSlices and x.values.symbolic for x in parts)
        return [reel.IndexedSlices(x.values * scale, x.indices, x.dense_shape) for x in parts], parts[0] + 1.0

    for argument in (slices, [slices], {"k": (slices, slices)}):
        count = len(traces)
        for _ in range(2):
            doubled, more = f(argument, scale=2.0)
        assert len(traces) == count + 1
        for x in doubled:
            assert x.dense_shape == (4, 2)
            assert np.array_equal(x.numpy(), 2 * slices.numpy()) and np.array_equal(more, slices.numpy() + 1)
    other = reel.IndexedSlices(slices.values + 1.0, slices.indices, (5, 2))
    assert f(slices)[1].shape == (4, 2) and f(other)[1].shape == (5, 2)  # not that of the other shape
    assert np.array_equal(f(other)[1], other.numpy() + 1)
    dense = reel.function(lambda x: x * 2.0, input_signature=[reel.TensorSpec((4, 2))])
    assert np.array_equal(dense(slices), 2 * slices.numpy())


def test_tapes_see_through():
    slices = gradient_of(lambda e: e)(table())
    f = reel.function(lambda s: {"out": reel.IndexedSlices(s.values * s.values, s.indices, s.dense_shape)})
    with reel.GradientTape() as tape:
        tape.watch(slices.values)
        v = slices.values
        tape.watch(v)
        y = reel.sum(f(reel.IndexedSlices(v, slices.indices, (4, 2)))["out"].values)
    assert np.array_equal(tape.gradient(y, v), 2 * slices.values)


def test_slices_are_taken_where_tensors_are():
    s = gradient_of(lambda e: e)(table())
    whole = s.dense()
    assert s.shape == (4, 2) and s.ndim == 2 and s.size == 8 and len(s) == 4 and s.dtype is reel.float32
    for f in (
        lambda x: x + 1,
        lambda x: 1 - x,
        lambda x: x * whole,
        lambda x: whole / (x + 1),
        lambda x: -x,
        abs,
        lambda x: x @ x.T,
        lambda x: x**2,
        lambda x: x[1:, 0],
        lambda x: x == whole,
        lambda x: x.reshape(-1),
        reel.exp,
        np.asarray,
        lambda x: x.T,
        lambda x: x.astype(reel.float64),
        lambda x: reel.sum(x),
    ):
        assert np.array_equal(np.asarray(f(s)), np.asarray(f(whole)))
        if f is not np.asarray:
            assert np.array_equal(np.asarray(reel.function(lambda x: f(x))(s)), np.asarray(f(whole)))
    v = reel.Variable(whole)
    v.assign_sub(0.5 * s)
    v.assign_add(s)
    assert np.array_equal(v.numpy(), whole - 0.5 * whole + whole)
    assert [list(map(float, row)) for row in s] == whole.tolist()
    assert "indices=" in repr(s)
    rows = reel.IndexedSlices(s.values, s.indices)
    for f in (len, lambda x: x.shape, lambda x: x + 1, lambda x: x[0], np.asarray):
        with pytest.raises(reel.Error, match="without dense_shape"):
            f(rows)


def test_len_of_an_open_extent():
    with pytest.raises(TypeError, match="len: the extent is symbolic"):
        reel.function(lambda x: x * len(x), input_signature=[reel.TensorSpec((None,))])(reel.ones(3))


def test_optimizers_take_them_from_functions():
    def step(w):
        with reel.GradientTape() as tape:
            y = reel.sum(reel.take(w, reel.asarray(IDS), axis=0) ** 2)
        return tape.gradient(y, w)

    wanted, got = reel.Variable(table()), reel.Variable(table())
    reel.optim.SGD(0.5, momentum=0.9).apply([step(wanted)], [wanted])
    reel.optim.SGD(0.5, momentum=0.9).apply(reel.function(lambda: step(got))(), got)
    assert wanted.numpy().tobytes() == got.numpy().tobytes()


@pytest.mark.parametrize("structure", STRUCTURES.values(), ids=STRUCTURES)
def test_tf(structure):
    def gradient(e):
        with tf.GradientTape() as tape:
            tape.watch(e)
            y = tf.reduce_sum(tf.tanh(tf.gather(e, IDS)))
        return tape.gradient(y, structure(e))

    e = tf.constant(table().numpy())
    expected = leaves_of(gradient(e))[0]
    compiled, through = tf.function(gradient), tf.function(lambda x: x)
    for got in (gradient(e), compiled(e), compiled(e), through(compiled(e)), through(gradient(e))):
        assert shape_of(got) == shape_of(structure(expected))
        assert all(type(g) is tf.IndexedSlices and bits(g) == bits(expected) for g in leaves_of(got))
    whole = tf.function(lambda g: tf.convert_to_tensor(leaves_of(g)[0]) * 2.0)
    assert np.array_equal(whole(gradient(e)), 2 * np.asarray(expected))
    other = tf.IndexedSlices(expected.values * 3.0, expected.indices, [4, 2])
    assert np.array_equal(whole(structure(other)), whole(structure(expected)) * 3.0)  # no constant of the first call
