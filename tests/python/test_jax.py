"""JAX's programs in Reel, without JAX: on texts, inputs, results and gradients that tests/interop/jax_rows.py recorded."""

import base64
import gzip
import importlib.util
import json
import pathlib

import numpy as np
import pytest

import reel

HERE = pathlib.Path(__file__).parent
RECORDS = [json.loads(line) for line in gzip.decompress((HERE / "jax_rows.jsonl.gz").read_bytes()).splitlines()]


def array(x):
    return np.frombuffer(base64.b64decode(x["bytes"]), x["dtype"]).reshape(x["shape"])


def weights(shape):
    """Of jax_rows.py."""
    return (np.cos(np.arange(int(np.prod(shape))) * 1.3) + 0.25).reshape(shape).astype(np.float32)


def assert_close(got, want, tolerance):
    got = np.asarray(got)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if want.dtype.kind in "biu" or tolerance == 0:
        assert got.tobytes() == want.tobytes(), (got, want)
        return
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    a, b = got.astype(wide), want.astype(wide)
    scale = max((float(abs(v)) for v in b.ravel() if np.isfinite(v)), default=0.0)
    with np.errstate(invalid="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | (abs(a - b) <= tolerance * (1 + scale))
    assert same.all(), (a[~same], b[~same])


@pytest.mark.parametrize("record", RECORDS, ids=[r["name"] for r in RECORDS])
def test_programs_give_what_jax_gave(record):
    function = reel.stablehlo.from_text(record["text"]).function("main")
    inputs = [reel.asarray(array(x)) for x in record["inputs"]]
    with reel.GradientTape() as tape:
        for i in record["places"]:
            tape.watch(inputs[i])
        out = function(*inputs)
        out = [out] if isinstance(out, reel.Tensor) else list(out)
        loss = sum(reel.sum(y * reel.asarray(weights(y.shape))) for y in out if y.dtype == reel.float32)
    assert len(out) == len(record["results"])
    for got, want in zip(out, record["results"]):
        assert_close(got, array(want), record["tolerance"])
    if record["places"]:
        gradients = tape.gradient(loss, [inputs[i] for i in record["places"]])
        for i, got, want in zip(record["places"], gradients, record["gradients"]):
            zeros = np.zeros(inputs[i].shape, np.float32)
            assert_close(zeros if got is None else got, array(want), 10 * record["tolerance"])


def test_the_records_are_many():
    assert len(RECORDS) > 100
    assert sum(bool(r["places"]) for r in RECORDS) > 60


@pytest.mark.skipif(importlib.util.find_spec("jax") is not None, reason="JAX is installed")
def test_without_jax_an_error_says_what_to_install():
    with pytest.raises(reel.FailedPreconditionError, match="pip install jax"):
        reel.from_jax(lambda x: x, reel.ones(3))


def test_what_reel_lacks_is_one_error_with_lines(tmp_path):
    text = """module @m {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @someone_elses(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.infeed"(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
"""
    path = tmp_path / "m.mlir"
    path.write_text(text)
    with pytest.raises(reel.UnimplementedError, match=r"(?s)3:10: .*@someone_elses.*4:10: .*infeed"):
        reel.stablehlo.load(path)


def test_a_step_that_reel_wrote_comes_back(tmp_path):
    w = reel.Variable(reel.zeros(3), name="w")

    def train(x, y):
        with reel.GradientTape() as tape:
            loss = reel.mean((x @ w - y) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return {"loss": loss}

    step = reel.trace(train, [reel.TensorSpec((8, 3), name="x"), reel.TensorSpec(8, name="y")], name="train")
    path = tmp_path / "step.mlir"
    reel.stablehlo.save(step, path)
    module = reel.stablehlo.load(path, values={"w": np.ones(3, np.float32)})
    assert module.entries == ("train",) and module.variables == ("w",)
    again = module.function("train")
    x, y = reel.random.normal((8, 3)), reel.random.normal((8,))
    w.assign(reel.ones(3))
    for _ in range(3):
        assert step(x, y).item() == again(x, y).item()
    assert np.array_equal(np.asarray(w.value()), np.asarray(again.variables[0].value()))
    with pytest.raises(reel.InvalidArgumentError, match='no variable "v"'):
        reel.stablehlo.load(path, values={"v": np.ones(3, np.float32)})
