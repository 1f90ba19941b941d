"""reel.stablehlo: the text of graphs, modules and compiled functions."""

import re

import numpy as np
import pytest

import reel


def loss_of(x, w):
    return reel.mean((x @ w) ** 2)


def make_step():
    w = reel.Variable(reel.ones(3), name="w")

    def train(x):
        with reel.GradientTape() as tape:
            loss = loss_of(x, w)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return {"loss": loss}

    return reel.trace(train, [reel.TensorSpec((reel.Dim("B", 1, 64), 3), name="x")], name="train")


def test_a_step_has_its_variables_as_arguments_and_results(tmp_path):
    text = reel.stablehlo.text(make_step(), dims={"B": 8})
    assert re.search(
        r'@main\(%arg0: tensor<8x3xf32> \{reel.name = "x"\}, %arg1: tensor<3xf32> \{reel.variable = "w', text
    )
    assert re.search(r'-> \(tensor<f32> \{reel.name = "loss"\}, tensor<3xf32> \{reel.variable = "w', text)
    assert "stablehlo.dot_general" in text and "test_stablehlo.py" in text
    path = tmp_path / "step.mlir"
    reel.stablehlo.save(make_step(), path, dims={"B": 8}, locations=False)
    assert "loc(" not in path.read_text()


def test_extents_without_numbers_are_open():
    assert "tensor<?x3xf32>" in reel.stablehlo.text(make_step())
    with pytest.raises(reel.InvalidArgumentError, match="N"):
        reel.stablehlo.text(make_step(), dims={"N": 8})


def test_entry_points_of_a_module():
    module = reel.Module.lift({"double": (lambda x: x + x, [reel.TensorSpec(2)]), "train": make_step()})
    assert 'reel.entry = "double"' in reel.stablehlo.text(module, entry="double")
    with pytest.raises(reel.Error, match="double"):
        reel.stablehlo.text(module)


def test_a_compiled_function_by_its_only_graph_or_by_arguments():
    @reel.function
    def twice(x):
        return x + x

    with pytest.raises(reel.InvalidArgumentError, match="0 graphs"):
        reel.stablehlo.text(twice)
    twice(np.ones(3, np.float32))
    assert "tensor<3xf32>" in reel.stablehlo.text(twice)
    assert "tensor<5xf32>" in reel.stablehlo.text(twice, [reel.TensorSpec(5)])
    with pytest.raises(reel.InvalidArgumentError, match="2 graphs"):
        reel.stablehlo.text(twice)
    with pytest.raises(reel.InvalidArgumentError, match="args"):
        reel.stablehlo.text(make_step(), [reel.ones(3)])


def test_what_it_refuses_is_named_and_nothing_is_written(tmp_path):
    graph = reel.trace(lambda x: reel.igamma(x, x), [reel.TensorSpec(2)])
    path = tmp_path / "gamma.mlir"
    path.write_text("before")
    with pytest.raises(reel.UnimplementedError, match=r"igamma in @main \(.*test_stablehlo.py:\d+\)"):
        reel.stablehlo.save(graph, path)
    assert path.read_text() == "before"
    with pytest.raises(reel.InvalidArgumentError, match="path"):
        reel.stablehlo.save(make_step(), "")
