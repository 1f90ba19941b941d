"""reel.aot: compiled libraries give the bits of the function that they were made of."""

import numpy as np
import pytest

import reel
import reel.aot


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    w = reel.Variable(reel.ones((3, 2)), name="w")

    def train(x, index):
        y = x @ w
        w.assign_sub(0.1 * reel.take(y, index, axis=0))
        return reel.sum(y), y

    module = reel.Module.lift(
        {
            "train": (train, [reel.TensorSpec((3, 3), name="x"), reel.TensorSpec((3,), reel.int64, name="index")]),
            "predict": (lambda x: x @ w, [reel.TensorSpec((reel.Dim("B", 1, 100), 3), name="x")]),
        },
        name="step",
    )
    path = tmp_path_factory.mktemp("aot") / "step"
    reel.export(module, str(path), emit="so")
    return path.with_suffix(".so"), train, w


def test_trains_as_the_function_does(library):
    path, train, w = library
    step = reel.aot.load(path)
    w.assign(reel.ones((3, 2)))
    x, index = np.arange(9, dtype=np.float32).reshape(3, 3), np.array([2, 0, 1])
    for _ in range(3):
        total, y = step.train(x, index)
        want_total, want_y = train(x, index)
        assert total == want_total and np.array_equal(y, want_y)
        assert np.array_equal(step.variables["w"], w)


def test_variables_are_live_and_apart(library):
    one, two = reel.aot.load(library[0]), reel.aot.load(library[0])
    one.variables["w"][:] = 2
    assert one.predict(np.ones((1, 3), np.float32)).tolist() == [[6, 6]]
    assert two.predict(x=np.ones((1, 3), np.float32)).tolist() == [[3, 3]]


@pytest.mark.parametrize("rows", [1, 7, 64, 100])
def test_open_extents_come_from_the_arguments(library, rows):
    x = np.random.default_rng(0).normal(size=(rows, 3)).astype(np.float32)
    got = reel.aot.load(library[0]).predict(x)
    assert got.shape == (rows, 2) and np.allclose(got, x @ np.ones((3, 2)))


def test_strided_arguments_are_copied(library):
    x = np.ones((3, 8), np.float32)[:, ::2][:, :3]
    assert reel.aot.load(library[0]).predict(x).tolist() == [[3, 3]] * 3


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda s: s.predict(np.ones((2, 4), np.float32)),
            reel.InvalidArgumentError,
            r"x has shape \[2, 4\], the object",
        ),
        (lambda s: s.predict(np.ones((2, 3))), reel.InvalidTypeError, "x is float64, the object takes float32"),
        (lambda s: s.predict(), reel.InvalidTypeError, "give each argument once"),
        (lambda s: s.predict(1, 2), reel.InvalidTypeError, "got 2 arguments"),
        (lambda s: s.predict(np.ones((101, 3), np.float32)), reel.Error, "outside its declared range"),
        (lambda s: s.train(np.ones((3, 3), np.float32), [0, 1, 3]), reel.OutOfRangeError, "out of range"),
        (lambda s: s.fit, AttributeError, "no entry point 'fit'; it has train, predict"),
    ],
)
def test_mistakes(library, call, error, text):
    with pytest.raises(error, match=text):
        call(reel.aot.load(library[0]))


def test_files_that_are_none(library, tmp_path):
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(OSError):
        reel.aot.load(tmp_path / "text.so")
    renamed = tmp_path / "other.so"
    renamed.write_bytes(library[0].read_bytes())
    with pytest.raises(reel.InvalidArgumentError, match="load\\(path, name='step'\\)"):
        reel.aot.load(renamed)
    assert reel.aot.load(renamed, name="step").entries.keys() == {"train", "predict"}
