"""reel.onnx: functions and modules as ONNX models, and back; in ONNX Runtime where it is there."""

import numpy as np
import pytest

import reel


def line():
    w = reel.Variable([1.0, 2.0], name="w")

    def step(x):
        with reel.GradientTape() as tape:
            loss = reel.sum((w * x - 1.0) ** 2)
        w.assign(w - 0.1 * tape.gradient(loss, w))
        return loss

    return w, reel.trace(step, [reel.TensorSpec([2])])


def test_a_step_comes_back(tmp_path):
    w, step = line()
    path = str(tmp_path / "step.onnx")
    reel.onnx.save(step, path)
    x = np.float32([3, -1])
    module = reel.import_onnx(path)
    loss, after = module.function("main")(x)
    want = step(x)
    assert np.allclose(loss.numpy(), want.numpy())
    assert np.allclose(after.numpy(), w.numpy())


def test_what_onnx_cannot_say_is_an_error_and_no_file(tmp_path):
    path = tmp_path / "gamma.onnx"
    gamma = reel.trace(lambda x: reel.lgamma(x), [reel.TensorSpec([2])])
    with pytest.raises(Exception, match=r"onnx: lgamma in @main.*ONNX has no such function"):
        reel.onnx.save(gamma, str(path))
    assert not path.exists()
    with pytest.raises(ValueError, match="opset 9 is not one of 17 to 28"):
        reel.onnx.save(line()[1], str(path), opset=9)


def test_entries_of_a_module(tmp_path):
    module = reel.Module.lift({"train": line()[1], "double": (lambda x: 2 * x, [reel.TensorSpec([3])])})
    path = str(tmp_path / "double.onnx")
    reel.onnx.save(module, path, entry="double")
    assert reel.import_onnx(path).function("main")(np.float32([1, 2, 3])).tolist() == [2, 4, 6]
    with pytest.raises(ValueError, match="Name one of: train, double"):
        reel.onnx.save(module, path)


@pytest.mark.parametrize("opset", [17, 25])
def test_onnx_runtime_runs_any_batch(tmp_path, opset):
    runtime = pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(1)
    w = reel.Variable(rng.standard_normal((4, 3)).astype("float32"), name="w")

    def model(x):
        y = reel.tanh(reel.matmul(x, w))
        return reel.nn.softmax(y), reel.argsort(y), reel.sum(y, axis=0), reel.flip(y, axis=1)

    f = reel.trace(model, [reel.TensorSpec([reel.Dim("batch", 1, 64), 4])])
    path = str(tmp_path / "model.onnx")
    reel.onnx.save(f, path, opset=opset)
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert session.get_inputs()[0].shape == ["batch", 4]
    for batch in (1, 5, 64):
        x = rng.standard_normal((batch, 4)).astype("float32")
        for got, want in zip(session.run(None, {session.get_inputs()[0].name: x}), f(x), strict=True):
            np.testing.assert_allclose(got, want.numpy(), rtol=1e-5, atol=1e-6)


def test_onnx_runtime_draws_the_same_numbers(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    generator = reel.random.Generator(7)
    f = reel.trace(lambda: reel.random.uniform([10], generator=generator), [])
    path = str(tmp_path / "random.onnx")
    reel.onnx.save(f, path, opset=18)
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    state = {}
    meta = session.get_modelmeta().custom_metadata_map
    names = [o.name for o in session.get_outputs()]
    for _ in range(3):
        results = dict(zip(names, session.run(None, state), strict=True))
        state = {k.removeprefix("reel.state."): results[v] for k, v in meta.items() if k.startswith("reel.state.")}
        assert np.array_equal(results[names[0]], f().numpy())
