"""Loads in TensorFlow what saved_model_cases.py wrote, with tf.saved_model.load and in a session of version 1: names,
variables, checkpoints, what entry points give and do; 200 steps of training, and fine-tuning by TensorFlow's own tape.

    python3 saved_model.py FOLDER"""

import argparse
import json
import pathlib
import sys

import numpy as np
import tensorflow as tf

BOUND = 1e-4  # what a loss may be off, relative above 1
INIT = "__saved_model_init_op"


def equal(got, want):
    np.testing.assert_array_equal(np.asarray(got).astype(np.complex128), np.asarray(want).astype(np.complex128))


def methods(model):
    """The functions of a loaded object in their order, which is that of the entry points."""
    children = [ref.ref for ref in model._self_unconditional_checkpoint_dependencies]
    return [child for child in children if hasattr(child, "concrete_functions")]


def arguments(shapes):
    return [tf.fill(shape, np.float32(k)) for k, shape in enumerate(shapes)]


def check_values(model, arrays, moment):
    for i, variable in enumerate(model.variables):
        equal(variable.numpy(), arrays[f"{moment}{i}"])


def check_loaded(path, about, arrays, by_keyword):
    """One call of each entry point, by place or by keywords."""
    model = tf.saved_model.load(str(path))
    keys = [entry["name"] + "_1" * (entry["name"] == INIT) for entry in about["entries"]]
    assert list(model.signatures) == keys, (list(model.signatures), keys)
    assert len({v.name for v in model.variables}) == len(about["variables"]) == len(model.variables)
    check_values(model, arrays, "before")
    for number, (entry, key, method) in enumerate(zip(about["entries"], keys, methods(model), strict=True)):
        args = arguments(entry["shapes"])
        if by_keyword:
            names = [spec.name for spec in method.concrete_functions[0].structured_input_signature[0]]
            results = model.signatures[key](**dict(zip(names, args, strict=True)))
        else:
            results = method(*args)
        assert set(results) == set(entry["results"])
        for k, name in enumerate(entry["results"]):
            equal(results[name], arrays[f"{number}:{k}"])
    check_values(model, arrays, "after")
    return model


def check_session(path, about, arrays):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        graph = tf.compat.v1.saved_model.load(session, ["serve"], str(path))
        calls = [op for op in session.graph.get_operations() if op.type == "StatefulPartitionedCall"]
        for entry, call in zip(about["entries"], calls, strict=True):
            signature = graph.signature_def[entry["name"] + "_1" * (entry["name"] == INIT)]
            feed = {
                info.name: np.zeros([d.size for d in info.tensor_shape.dim], np.float32)
                for info in signature.inputs.values()
            }
            session.run([call, [info.name for info in signature.outputs.values()]], feed)
        saver = graph.saver_def
        prefix = str(path) + "_session"
        session.run(saver.save_tensor_name, {saver.filename_tensor_name: prefix})
    model = tf.saved_model.load(str(path))
    tf.train.Checkpoint(model).read(prefix).assert_consumed()
    check_values(model, arrays, "after")


def check_odd(path):
    about = json.loads(path.with_suffix(".json").read_text())
    arrays = np.load(path.with_suffix(".npz"))
    check_loaded(path, about, arrays, by_keyword=False)
    model = check_loaded(path, about, arrays, by_keyword=True)
    reader = tf.train.load_checkpoint(str(path / "variables" / "variables"))
    assert len(reader.get_variable_to_dtype_map()) == len(about["variables"]) + 1
    tf.train.Checkpoint(model).read(str(path / "variables" / "variables")).assert_consumed()
    check_values(model, arrays, "before")
    again = path.with_name(path.name + "_again")
    tf.saved_model.save(model, str(again), signatures=dict(model.signatures))
    check_values(tf.saved_model.load(str(again)), arrays, "before")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        in_graph = tf.saved_model.load(str(path))
        session.run(tf.compat.v1.global_variables_initializer())
        for i, value in enumerate(session.run(list(in_graph.variables))):
            equal(value, arrays[f"before{i}"])
    check_session(path, about, arrays)


def off(got, want):
    return float(np.max(np.abs(got - want) / np.maximum(np.abs(want), 1.0)))


def check_training(path):
    """How far losses are from Reel's, by both ways of calling; then a step of TensorFlow's optimizer."""
    arrays = np.load(path.with_suffix(".npz"))
    batches, wanted = list(zip(arrays["x"], arrays["labels"], strict=True)), arrays["losses"]
    model = tf.saved_model.load(str(path))
    losses = [float(model.signatures["train"](x=tf.constant(x), labels=tf.constant(y))["loss"]) for x, y in batches]
    predicted = off(next(iter(model.predict(arrays["x"][0]).values())).numpy(), arrays["predicted"])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        graph = tf.compat.v1.saved_model.load(session, ["serve"], str(path))
        train = graph.signature_def["train"]
        x, labels, loss = train.inputs["x"].name, train.inputs["labels"].name, train.outputs["loss"].name
        in_session = [session.run(loss, {x: a, labels: y}) for a, y in batches]
    worst = max(off(losses, wanted), off(np.array(in_session), wanted), predicted)
    print(f"perceptron: loss {wanted[0]:.4f} to {wanted[-1]:.4f}; farthest {worst:.2g}")
    return worst <= BOUND and fine_tunes(model, arrays)


def fine_tunes(model, arrays):
    """TensorFlow's tape through `predict`, another batch size, another optimizer."""
    x, labels = arrays["x"].reshape(-1, 20)[:100], arrays["labels"].reshape(-1)[:100]
    losses = []
    for _ in range(20):
        with tf.GradientTape() as tape:
            logits = next(iter(model.predict(x).values()))
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        variables = [v for v in model.trainable_variables if v.name.startswith("dense")]
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.1 * gradient)
        losses.append(float(loss))
    print(f"fine-tuning in TensorFlow: loss {losses[0]:.4f} to {losses[-1]:.4f}")
    return losses[-1] < losses[0]


def check_loop(path):
    """TensorFlow's tape goes through loops and branches."""
    arrays = np.load(path.with_suffix(".npz"))
    model = tf.saved_model.load(str(path))
    with tf.GradientTape() as tape:
        y = model.f(arrays["x"])["y"]
        total = tf.reduce_sum(y)
    worst = max(off(y.numpy(), arrays["y"]), off(tape.gradient(total, model.w).numpy(), arrays["gradient"]))
    print(f"loop: result and gradient are {worst:.2g} apart")
    return worst <= BOUND


def check_keras(path):
    """What Keras's own export has: serve, serving_default with output_0, variables."""
    arrays = np.load(path.with_suffix(".npz"))
    model = tf.saved_model.load(str(path))
    results = [model.serve(arrays["x"]), model.signatures["serving_default"](x=tf.constant(arrays["x"]))]
    worst = max(off(result["output_0"].numpy(), arrays["y"]) for result in results)
    print(f"Keras: results are {worst:.2g} apart")
    return worst <= BOUND and len(model.variables) == 8 and len(model.trainable_variables) == 6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    checks = {"perceptron": check_training, "loop": check_loop, "keras": check_keras}
    good = all([check(folder / name) for name, check in checks.items()])
    odd = sorted(path.with_suffix("") for path in folder.glob("odd*.json"))
    for path in odd:
        try:
            check_odd(path)
        except Exception:
            print(f"{path.name} is not the same in TensorFlow")
            raise
    print(f"{len(odd)} modules of odd names are the same in TensorFlow")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
