"""Writes SavedModels and what Reel computes with them, for saved_model.py to compare in TensorFlow: a network that
trains, a loop, a Keras model, and modules whose names are any text, with variables of every dtype.

    PYTHONPATH=build/python python3 saved_model_cases.py FOLDER [--cases 40]"""

import argparse
import json
import pathlib
import random
import subprocess

import numpy as np

import reel
import reel.tf as tf

STEPS = 200
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()
ODD = [
    *"a/|a b|naïve/ключ|/a|//|a//b|_x|__call__|__class__|class|self|lambda|None|args|variables|signatures".split("|")
]
ODD += "trainable_variables|tensorflow_version|graph_debug_info|0|1/2|x.y|x:0|^x|x>y|a\\b|日本/語|🙂|%s{}|W|w".split(
    "|"
)
ODD += "dense/kernel|dense|dense/kernel/0|serving_default|__saved_model_init_op|saver_filename|save/read|init".split(
    "|"
)
ODD += (
    "call|variable|result|Const|Identity|VarHandleOp|keys|values|T|dtype|_reel_name|a,b|--|.|..|../x|x_1|arg_0|v".split(
        "|"
    )
)
ODD += ["x" * 300, '"', "'", " ", "restore/all", "PartitionedCall", "train_x", "train", "x"]


def some_names(rng, n):
    """Distinct ones, odd or random."""
    names = {}
    while len(names) < n:
        made = "".join(rng.choice("abc/_ .é-:1") for _ in range(rng.randint(1, 6)))
        names[rng.choice(ODD) if rng.random() < 0.8 else made] = None
    return list(names)


def wide(x):
    """A tensor's values without loss, in a dtype that NumPy has."""
    return np.asarray(reel.astype(x, "complex128"))


def odd_module(rng):
    """Entry points that double variables (a bool stays) and give their arguments plus one;
    of each its arguments' shapes and its results' names."""
    variables = []
    for name in some_names(rng, rng.randint(1, 12)):
        shape = rng.choice([(), (2,), (3, 0), (2, 3)])
        value = np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape) % 3
        start = reel.astype(reel.asarray(value), rng.choice(DTYPES))
        variables.append(reel.Variable(start, name=name, trainable=rng.random() < 0.5))
    entries, about = {}, {}
    for entry in some_names(rng, rng.randint(1, 3)):
        used = rng.sample(variables, rng.randint(0, len(variables)))
        results = some_names(rng, rng.randint(0, 4))

        def f(*args, used=used, results=results):
            for v in used:
                v.assign(v if v.dtype == reel.bool else v + v)
            given = [*args, reel.asarray(1.0)]
            return {name: given[k % len(given)] + 1.0 for k, name in enumerate(results)}

        shapes = [rng.choice([(), (2, 3)]) for _ in range(rng.randint(0, 5))]
        names = some_names(rng, len(shapes))
        specs = [reel.TensorSpec(s, name=n) for s, n in zip(shapes, names, strict=True)]
        about[entry] = {"name": entry, "shapes": shapes, "results": results}
        entries[entry] = reel.trace(f, specs, name=entry)
    return reel.Module.lift(entries), about


def convert(module, folder, name):
    """By the command line, as whoever has a .reel file does it."""
    module.save(str(folder / f"{name}.reel"))
    subprocess.run(
        ["reel", "convert", folder / f"{name}.reel", "-o", f"{folder / name}/"], check=True, stdout=subprocess.DEVNULL
    )


def odd_case(folder, number):
    """A module of odd names, its SavedModel, and what one call of each entry point gives."""
    module, entries = odd_module(random.Random(number))
    convert(module, folder, f"odd{number}")
    program = reel.compile(module)
    about = {"variables": list(module.variables), "entries": [entries[name] for name in module.entries]}
    arrays = {f"before{i}": wide(program.variable(v)) for i, v in enumerate(module.variables)}
    for e, entry in enumerate(about["entries"]):
        given = program(entry["name"], *[np.full(shape, k, np.float32) for k, shape in enumerate(entry["shapes"])])
        for k, name in enumerate(entry["results"]):
            one = len(entry["results"]) == 1
            arrays[f"{e}:{k}"] = np.asarray(given if one else given[name])
    arrays |= {f"after{i}": wide(program.variable(v)) for i, v in enumerate(module.variables)}
    (folder / f"odd{number}.json").write_text(json.dumps(about))
    np.savez(folder / f"odd{number}.npz", **arrays)


def training_case(folder):
    """A perceptron with Adam over any number of rows, and its losses over 200 batches."""
    rng = np.random.default_rng(0)
    model = reel.nn.Sequential(reel.nn.Dense(64, "tanh"), reel.nn.Dense(10))
    optimizer = reel.optim.Adam(1e-2)

    def train(x, labels):
        with reel.GradientTape() as tape:
            loss = reel.nn.softmax_cross_entropy(model(x), labels)
        optimizer.apply(tape.gradient(loss, model.variables), model.variables)
        return {"loss": loss}

    rows = reel.Dim("B", 1, 4096)
    x, labels = reel.TensorSpec((rows, 20), name="x"), reel.TensorSpec((rows,), "int32", name="labels")
    train(reel.zeros((4, 20)), reel.zeros(4, dtype="int32"))  # creates the variables
    module = reel.Module.lift({"train": (train, [x, labels]), "predict": (model, [x])})
    convert(module, folder, "perceptron")
    program = reel.compile(module)
    teacher = rng.normal(size=(20, 10))
    data = rng.normal(size=(STEPS, 32, 20)).astype(np.float32)
    answers = np.argmax(data @ teacher, axis=2).astype(np.int32)
    losses = [float(program("train", a, b)) for a, b in zip(data, answers, strict=True)]
    np.savez(folder / "perceptron.npz", x=data, labels=answers, losses=losses, predicted=program("predict", data[0]))


def loop_case(folder):
    """A loop, one with a limit, and a branch in it, and the gradient by Reel's tape."""
    w = reel.Variable(np.float32(0.5), name="w")

    def f(x):
        _, y = reel.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, reel.sin(y * w) + y), (reel.asarray(0), x))
        (y,) = reel.while_loop(lambda y: reel.sum(y) < 1e6, lambda y: (y * w * 3.0,), (y,), maximum_iterations=4)
        return {"y": reel.cond(reel.sum(y) > 0, lambda: y * y * w, lambda: y * 2.0)}

    convert(reel.Module.lift({"f": (f, [reel.TensorSpec((3,), name="x")])}), folder, "loop")
    x = np.array([0.1, 0.2, 0.3], np.float32)
    with reel.GradientTape() as tape:
        y = f(x)["y"]
        total = reel.sum(y)
    np.savez(folder / "loop.npz", x=x, y=y, gradient=tape.gradient(total, w))


def keras_case(folder):
    """model.export of a network with batch normalization, which has learned something, and dropout."""
    layers = tf.keras.layers
    norm = [layers.Dense(8, activation="relu"), layers.BatchNormalization(), layers.Dropout(0.5)]
    model = tf.keras.Sequential([layers.Input((4,), name="x"), *norm, layers.Dense(3)])
    model.compile(optimizer="adam", loss="mse")
    x = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
    model.fit(x, x[:, :3], epochs=3, verbose=0)
    model.export(folder / "keras")
    np.savez(folder / "keras.npz", x=x, y=model.predict(x, verbose=0))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=40)
    options = parser.parse_args()
    options.folder.mkdir(parents=True)
    training_case(options.folder)
    loop_case(options.folder)
    keras_case(options.folder)
    for number in range(options.cases):
        odd_case(options.folder, number)


if __name__ == "__main__":
    main()
