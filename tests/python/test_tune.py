"""The search for schedules from Python: it changes no bit, and its file is used again."""

import numpy as np
import pytest

import reel


def step(x, w):
    with reel.GradientTape() as tape:
        tape.watch(w)
        y = reel.sum(reel.tanh(x @ w))
    return y, tape.gradient(y, w)


X = np.linspace(-1, 1, 64 * 48, dtype=np.float32).reshape(64, 48)
W = np.linspace(1, -1, 48 * 80, dtype=np.float32).reshape(48, 80)


def same(a, b):
    return all(np.array_equal(np.array(x), np.array(y)) for x, y in zip(a, b, strict=True))


def test_compile_tunes_and_keeps_what_it_found(tmp_path):
    graph = reel.function(step).get_graph(reel.asarray(X), reel.asarray(W))
    book = tmp_path / "found.schedules"
    usual = reel.compile(graph)(X, W)
    tuned = reel.compile(graph, tune=0.5, schedules=str(book))(X, W)
    assert same(usual, tuned)
    assert book.read_text().startswith("reel schedules 1")
    assert same(usual, reel.compile(graph, schedules=str(book))(X, W))
    reel.export(graph, str(tmp_path / "object"), schedules=str(book))
    assert (tmp_path / "object.o").stat().st_size > 0


def test_function_tunes_at_its_first_call():
    assert same(reel.function(step)(X, W), reel.function(step, tune=0.3)(X, W))

    @reel.function(tune=0.3)
    def move(v):
        w.assign_sub(0.5 * v)
        return w.value() * 2

    w = reel.Variable(np.ones((300, 40), np.float32))
    for i in range(3):
        y = move(reel.ones((300, 40)))
        assert np.array_equal(np.array(y), np.full((300, 40), 2 - (i + 1.0), np.float32))


def test_mistakes_are_errors(tmp_path):
    graph = reel.function(step).get_graph(reel.asarray(X), reel.asarray(W))
    with pytest.raises(reel.Error, match="nowhere"):
        reel.compile(graph, schedules=str(tmp_path / "nowhere"))
    with pytest.raises(reel.Error, match="seconds"):
        reel.compile(graph, tune=-1)
    rows = [reel.TensorSpec((None, 48)), reel.TensorSpec((48, 80))]
    with pytest.raises(reel.Error, match="open extents"):
        reel.compile(reel.function(step, input_signature=rows).get_graph(reel.asarray(X), reel.asarray(W)), tune=0.3)
