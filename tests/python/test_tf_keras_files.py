"""Whole Keras models in files: keras_files/ has one that TensorFlow 2.21 wrote, packed tighter, and what it computes."""

import io
import json
import os
import zipfile

import numpy as np
import pytest

import reel.tf as tf

h5py = pytest.importorskip("h5py")
K = tf.keras
L = K.layers
FILES = os.path.join(os.path.dirname(__file__), "keras_files")
X = np.linspace(-1, 1, 32, dtype="f").reshape(4, 4, 2)


@K.saving.register_keras_serializable("files")
def squash(x):
    return x / (1 + abs(x))


@K.saving.register_keras_serializable("files")
class Blocks(K.Model):
    def __init__(self, n=3, **kwargs):
        super().__init__(**kwargs)
        self.n, self.z = n, L.Dense(n, squash)
        self.blocks = [L.Dense(2), L.Dense(2)]
        self._last = L.Dense(1)
        self.scale = self.add_weight((1,), name="scale")

    def call(self, x):
        x = self.z(x)
        for block in self.blocks:
            x = block(x)
        return self._last(x) * self.scale

    def get_config(self):
        return {**super().get_config(), "n": self.n}


def sequential():
    return K.Sequential([K.Input((2,)), L.Dense(3, squash), L.Dropout(0.5), L.BatchNormalization(), L.Dense(1)])


def shared():
    dense, a, b = L.Dense(2), K.Input((2,), name="a"), K.Input((2,), name="b")
    return K.Model([a, b], [L.Add()([dense(dense(a)), dense(b)]), L.Dense(1)(a)])


def blocks():
    model = Blocks(2)
    model(X[:, 0])
    return model


def test_file_of_tensorflow():
    model = K.models.load_model(os.path.join(FILES, "functional.keras"))
    with open(os.path.join(FILES, "functional.json"), encoding="utf-8") as file:
        expected = json.load(file)
    np.testing.assert_allclose(model.predict(X, verbose=0), expected["outputs"], rtol=1e-5, atol=1e-6)
    assert len(model.optimizer.variables) == len(expected["optimizer"])
    for v, value in zip(model.optimizer.variables, expected["optimizer"]):
        np.testing.assert_allclose(v.numpy(), value, rtol=1e-6)
    np.testing.assert_allclose(model.train_on_batch(X, X[:, 0, :1]), expected["after"], rtol=1e-5)


@pytest.mark.parametrize("make", [sequential, shared, blocks])
def test_whole_models(make, tmp_path):
    model, path = make(), str(tmp_path / "m.keras")
    x, y = X[:, 0], X[:, 0, :1]
    if make is not shared:
        model.compile(K.optimizers.Adam(K.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)), "mse", metrics=["mae"])
        model.fit(x, y, epochs=2, verbose=0)
    else:
        x = [x, x + 1]
    model.save(path)
    other = K.models.load_model(path)
    for a, b in zip(tf.nest.flatten(model(x)), tf.nest.flatten(other(x))):
        np.testing.assert_array_equal(a, b)
    if make is not shared:
        for a, b in zip(model.optimizer.variables, other.optimizer.variables):
            np.testing.assert_array_equal(a, b)
        assert K.models.load_model(path, compile=False).optimizer is None
    with pytest.raises(tf.errors.AlreadyExistsError):
        model.save(path, overwrite=False)
    assert os.listdir(tmp_path) == ["m.keras"]


def test_weights(tmp_path):
    model, other, path = blocks(), blocks(), str(tmp_path / "a.weights.h5")
    K.saving.save_weights(model, path)
    with h5py.File(path) as file:
        assert set(file) == {"blocks", "layers", "vars"} and file["layers/dense/vars"].attrs["name"] == model.z.name
    K.saving.load_weights(other, path)
    np.testing.assert_array_equal(other(X[:, 0]), model(X[:, 0]))
    with pytest.raises(ValueError, match="does not fit.*4 variables, the file has 0"):
        sequential().load_weights(path)


def test_checkpoints(tmp_path):
    model = sequential()
    model.compile("sgd", "mse")
    saved = K.callbacks.ModelCheckpoint(str(tmp_path / "{epoch:02d}.keras"), "loss")
    model.fit(X[:, 0], X[:, 0, :1], epochs=2, verbose=0, callbacks=[saved])
    assert sorted(os.listdir(tmp_path)) == ["01.keras", "02.keras"]
    last = K.models.load_model(str(tmp_path / "02.keras"))
    np.testing.assert_array_equal(last.get_weights()[0], model.get_weights()[0])
    with pytest.raises(ValueError, match="must end in `.keras`"):
        K.callbacks.ModelCheckpoint(str(tmp_path / "w.safetensors"))


def changed(path, config=lambda c: c, weights=lambda h5: None, leave=""):
    """The file of a model, with its config or weights changed."""
    with zipfile.ZipFile(path) as archive:
        members = {n: archive.read(n) for n in archive.namelist() if n != leave}
    if "config.json" in members:
        members["config.json"] = json.dumps(config(json.loads(members["config.json"])))
    stream = io.BytesIO(members.get("model.weights.h5", b""))
    if members.get("model.weights.h5"):
        with h5py.File(stream, "a") as h5:
            weights(h5)
        members["model.weights.h5"] = stream.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def _link(h5):
    del h5["layers/dense"]
    h5["layers/dense"] = h5py.ExternalLink("/etc/passwd", "/")


def _lambda(config):
    config["config"]["layers"][1]["config"]["activation"] = {
        "class_name": "__lambda__",
        "config": {"value": ["4wA=", None, None]},
    }
    return config


def _class(config):
    config["config"]["layers"][1].update(module="os", class_name="system", registered_name="system")
    return config


BAD = {
    "link": ({"weights": _link}, "is a link to elsewhere"),
    "lambda": ({"config": _lambda}, "none of a file is run"),
    "class": ({"config": _class}, "Could not locate class 'system'"),
    "no config": ({"leave": "config.json"}, "it has no config.json"),
    "no weights": ({"leave": "model.weights.h5"}, "it has no model.weights.h5"),
    "a list": ({"config": lambda c: [c]}, "names no class of a model"),
    "a layer": ({"config": lambda c: c["config"]["layers"][1]}, "which is no model"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(case, tmp_path):
    path, (change, message) = str(tmp_path / "m.keras"), BAD[case]
    sequential().save(path)
    changed(path, **change)
    with pytest.raises((ValueError, tf.errors.UnimplementedError), match=message):
        K.models.load_model(path)


def test_paths(tmp_path):
    (tmp_path / "m.keras").write_bytes(b"no zip")
    with pytest.raises(ValueError, match="is no file of a Keras model"):
        K.models.load_model(str(tmp_path / "m.keras"))
    with pytest.raises(ValueError, match="File not found"):
        K.models.load_model(str(tmp_path / "none.keras"))
    for name, error in {"a.h5": tf.errors.UnimplementedError, "a": ValueError}.items():
        with pytest.raises(error, match="keras"):
            sequential().save(str(tmp_path / name))
        with pytest.raises(error, match="keras"):
            K.models.load_model(str(tmp_path / name))
    lambdas = K.Sequential([K.Input((2,)), L.Activation(lambda x: x)])
    with pytest.raises(tf.errors.UnimplementedError, match="a lambda has no name"):
        lambdas.save(str(tmp_path / "l.keras"))
    assert sorted(os.listdir(tmp_path)) == ["m.keras"]
