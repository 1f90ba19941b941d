"""Reel beside torch, jax, onnx and tensorflow in one process, imported in every position; with their symbols private and
with them global (RTLD_GLOBAL).

usage: beside.py                      in a Python that has some of them, and Reel
"""

import importlib.util
import os
import subprocess
import sys
import tempfile

OTHERS = [name for name in ("torch", "jax", "onnx", "tensorflow") if importlib.util.find_spec(name)]


def use_reel():
    import reel

    w = reel.Variable([1.0, 2.0])

    @reel.function
    def step(x):
        with reel.GradientTape() as tape:
            loss = reel.sum(w * w * x)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    assert float(step(reel.ones(2))) == 5.0 and abs(float(step(reel.ones(2))) - 3.2) < 1e-5
    text = reel.Module.lift({"f": (lambda x: reel.tanh(x) * w, [reel.TensorSpec((2,), reel.float32)])}).to_text()
    with tempfile.NamedTemporaryFile(suffix=".reel") as file:
        reel.Module.from_text(text).save(file.name)  # by protobuf
        assert reel.load(file.name).to_text() == text
    try:
        reel.ones((2, 3)) @ reel.ones((2, 3))
        raise SystemExit("reel: no error")
    except reel.Error:
        pass


def use_torch():
    import torch

    x = torch.ones(3, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.sum() == 6
    try:
        torch.ones(2, 3) @ torch.ones(2, 3)
        raise SystemExit("torch: no error")
    except RuntimeError:
        pass


def use_jax():
    import jax

    assert jax.jit(jax.grad(lambda x: x * x))(3.0) == 6


def use_onnx():
    import onnx
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy")
    model = helper.make_model(helper.make_graph([helper.make_node("Tanh", ["x"], ["y"])], "g", [x], [y]))
    onnx.checker.check_model(onnx.shape_inference.infer_shapes(model))
    import reel

    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        assert list(reel.import_onnx(file.name).entries) == ["main"]


def use_tensorflow():
    import tensorflow as tf

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.function(lambda: x * x)()
    assert float(tape.gradient(y, x)) == 6


def in_this_process(names, flags):
    sys.setdlopenflags(flags)
    for name in names:
        __import__(name)
    for name in names + names[::-1]:
        globals()["use_" + name]()


def main():
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    failed = 0
    for others in (OTHERS, OTHERS[::-1]):
        for at in range(len(others) + 1):
            for kind in ("private", "global"):
                names = others[:at] + ["reel"] + others[at:]
                command = [sys.executable, __file__, kind, *names]
                run = subprocess.run(command, env=environment, capture_output=True, text=True)
                failed += run.returncode != 0
                print(
                    kind,
                    *names,
                    "ok" if run.returncode == 0 else f"status {run.returncode}\n{run.stderr[-2000:]}",
                    flush=True,
                )
    print(f"{failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        in_this_process(sys.argv[2:], os.RTLD_NOW | (os.RTLD_GLOBAL if sys.argv[1] == "global" else 0))
    else:
        main()
