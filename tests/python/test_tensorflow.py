"""reel.tensorflow: frozen graphs of modules and compiled functions. Whether TensorFlow runs them: tests/interop."""

import numpy as np
import pytest

import reel
import reel.tf


def make_step():
    w = reel.Variable(reel.ones(3), name="w")

    def train(x):
        with reel.GradientTape() as tape:
            loss = reel.mean((x @ w) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return {"loss": loss}

    return reel.trace(train, [reel.TensorSpec((reel.Dim("B", 1, 64), 3), name="x")], name="train")


def saved(path, *args, **options):
    reel.tensorflow.save(*args[:1], path, *args[1:], **options)
    return path.read_bytes()


def test_a_step_has_its_variables_as_inputs_and_results(tmp_path):
    data = saved(tmp_path / "step.pb", make_step(), dims={"B": 8})
    for text in (b"Placeholder", b"PlaceholderWithDefault", b"w_next", b"_reel_variable", b"_reel_output"):
        assert text in data
    assert saved(tmp_path / "again.pb", make_step(), dims={"B": 8}) == data


def test_extents_without_numbers_are_open(tmp_path):
    assert b"Shape" in saved(tmp_path / "open.pb", make_step())
    with pytest.raises(reel.InvalidArgumentError, match="N"):
        saved(tmp_path / "other.pb", make_step(), dims={"N": 8})
    assert not (tmp_path / "other.pb").exists()


def test_entry_points_of_a_module(tmp_path):
    module = reel.Module.lift({"double": (lambda x: x + x, [reel.TensorSpec(2)]), "train": make_step()})
    assert b"w_next" not in saved(tmp_path / "double.pb", module, entry="double")
    with pytest.raises(reel.Error, match="double"):
        saved(tmp_path / "which.pb", module)


def test_a_compiled_function_by_its_only_graph_or_by_arguments(tmp_path):
    @reel.function
    def twice(x):
        return x + x

    with pytest.raises(reel.InvalidArgumentError, match="tensorflow: .*0 graphs"):
        saved(tmp_path / "a.pb", twice)
    twice(np.ones(3, np.float32))
    first = saved(tmp_path / "a.pb", twice)
    assert saved(tmp_path / "a.pb", twice, [reel.TensorSpec(5)]) != first
    with pytest.raises(reel.InvalidArgumentError, match="2 graphs"):
        saved(tmp_path / "a.pb", twice)
    with pytest.raises(reel.InvalidArgumentError, match="args"):
        saved(tmp_path / "a.pb", make_step(), [reel.ones(3)])


def test_what_it_refuses_is_named_and_nothing_is_written(tmp_path):
    called = reel.tf.numpy_function
    graph = reel.trace(lambda x: called(np.sin, [x], reel.tf.TensorSpec(2)), [reel.TensorSpec(2)])
    path = tmp_path / "callback.pb"
    path.write_text("before")
    with pytest.raises(reel.UnimplementedError, match=r"tensorflow: callback in @main \(.*test_tensorflow.py:\d+\)"):
        reel.tensorflow.save(graph, path)
    assert path.read_text() == "before"
    with pytest.raises(reel.InvalidArgumentError, match="path"):
        reel.tensorflow.save(make_step(), "")
