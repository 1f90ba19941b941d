"""reel.tensorflow.save to a folder: what is in it, and what is refused. tests/interop runs it in TensorFlow."""

import numpy as np
import pytest

import reel
import reel.tf as tf

FILES = ["saved_model.pb", "variables", "variables/variables.data-00000-of-00001", "variables/variables.index"]


def make_module():
    w = reel.Variable(np.array([1.0, 2.0], np.float32), name="dense/w")

    def train(x):
        with reel.GradientTape() as tape:
            loss = reel.mean((x * w) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return {"loss": loss}

    spec = reel.TensorSpec((reel.Dim("B", 1, 64), 2), name="x")
    return reel.Module.lift({"train": (train, [spec]), "predict": (lambda x: {"y": x * w}, [spec])})


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_module_is_a_folder_of_graph_and_variables(tmp_path):
    reel.tensorflow.save(make_module(), tmp_path / "model")
    assert files(tmp_path / "model") == FILES
    graph = (tmp_path / "model/saved_model.pb").read_bytes()
    assert all(name in graph for name in (b"train", b"predict", b"loss", b"dense/w", b"serve"))
    data = (tmp_path / "model" / FILES[2]).read_bytes()
    assert np.frombuffer(data[:8], np.float32).tolist() == [1.0, 2.0]
    assert b"dense/w/.ATTRIBUTES/VARIABLE_VALUE" in (tmp_path / "model" / FILES[3]).read_bytes()


def test_one_entry_point_and_extents(tmp_path):
    reel.tensorflow.save(make_module(), str(tmp_path / "model"), entry="predict", dims={"B": 8})
    assert b"loss" not in (tmp_path / "model/saved_model.pb").read_bytes()
    with pytest.raises(reel.Error, match="predict"):
        reel.tensorflow.save(make_module(), tmp_path / "other", entry="none")
    assert files(tmp_path) == ["model", *(f"model/{name}" for name in FILES)]


def test_a_compiled_function(tmp_path):
    twice = reel.function(lambda x: x + x)
    twice(np.ones(3, np.float32))
    reel.tensorflow.save(twice, tmp_path / "model")
    assert files(tmp_path / "model") == FILES


def test_a_folder_of_something_else_stays(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/one.png").write_text("picture")
    with pytest.raises(reel.FailedPreconditionError, match="no saved_model.pb"):
        reel.tensorflow.save(make_module(), tmp_path / "photos")
    with pytest.raises(reel.Error, match="cannot write"):
        reel.tensorflow.save(make_module(), tmp_path / "no/where")
    with pytest.raises(reel.InvalidArgumentError, match="the path is empty"):
        reel.tensorflow.save(make_module(), "")
    assert files(tmp_path) == ["photos", "photos/one.png"]


def test_keras_models_are_exported(tmp_path):
    model = tf.keras.Sequential(
        [tf.keras.layers.Input((4,), name="x"), tf.keras.layers.Dense(3, name="last"), tf.keras.layers.Dropout(0.5)]
    )
    model.export(tmp_path / "model")
    graph = (tmp_path / "model/saved_model.pb").read_bytes()
    assert all(name in graph for name in (b"serving_default", b"serve", b"output_0", b"last/kernel"))
    kernel = (tmp_path / "model" / FILES[2]).read_bytes()[:48]
    assert np.frombuffer(kernel, np.float32).tolist() == model.layers[0].kernel.numpy().ravel().tolist()
    with pytest.raises(reel.UnimplementedError, match="onnx"):
        model.export(tmp_path / "model", format="onnx")
    with pytest.raises(ValueError, match="call it once, or give input_signature"):
        tf.keras.Sequential([tf.keras.layers.Dense(3)]).export(tmp_path / "other")
    model.export(tmp_path / "one", input_signature=[tf.TensorSpec((1, 4), tf.float32, name="row")])
    assert b"row" in (tmp_path / "one/saved_model.pb").read_bytes()
