"""200 steps of the demo's three training steps in Reel and in JAX (XLA), IREE or TensorFlow, on the same data: how far losses
and updates are apart, step by step from the same state and in runs that keep their own.

    reel train --steps 201 --output-dir FOLDER; PYTHONPATH=build/python python3 training.py FOLDER [--backend iree]"""

import argparse
import pathlib
import sys

import interop
import numpy as np

import reel

STEPS = 200
# What a loss may be off, relative above 1: after one step from Reel's state, and in a run that keeps its own. In a run
# last bits may grow: Reel itself, from weights that are one last bit off, departs by up to 3e-4 in 10 of 20 runs of the
# convolution net, IREE by 2e-4, TensorFlow by 1.1e-4 on a Zen 4.
STEP_BOUND, RUN_BOUND = 1e-5, 1e-4
WIDER = {("iree", "mnist_conv"): 1e-3, ("tensorflow", "mnist_conv"): 1e-3}
UPDATE_BOUND = 1e-3  # what a step's change of all variables may be off, by its norm
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


def distance(got, want):
    return abs(got - want) / max(abs(want), 1.0)


def norm(arrays):
    return float(np.sqrt(sum(np.sum(np.square(a, dtype=np.float64)) for a in arrays)))


def compare(name, folder, backend, run_bound):
    module = reel.load(str(folder / name / f"{name}.reel"))
    exported = backend.export(module, "train")
    compiled, program = backend.compile(exported), reel.compile(module)
    takes, gives = (backend.variables(exported, kind) for kind in ("arguments", "results"))

    def step(x, labels, state):
        """The loss and the variables after a step."""
        out = compiled(x, labels, *[state[n] for n in takes if n])
        return float(out[0]), state | {n: value for n, value in zip(gives, out, strict=True) if n}

    own = reels = {n: module.value(n).numpy() for n in takes if n}
    step_off, run_off, update_off, losses = 0.0, 0.0, 0.0, []
    for x, labels in batches(*MODELS[name]):
        losses.append(float(program("train", x, labels)))
        loss, after = step(x, labels, reels)
        step_off = max(step_off, distance(loss, losses[-1]))
        loss, own = step(x, labels, own)
        run_off = max(run_off, distance(loss, losses[-1]))
        before, reels = reels, {n: program.variable(n).numpy() for n in reels}
        change = norm(reels[n] - before[n] for n in reels)
        update_off = max(update_off, norm(after[n] - reels[n] for n in reels) / change)
    print(
        f"{name}: loss {losses[0]:.4f} to {losses[-1]:.4f}; farthest: loss of a step {step_off:.2g}, its update "
        f"{update_off:.2g}, loss of the run {run_off:.2g}"
    )
    return step_off <= STEP_BOUND and update_off <= UPDATE_BOUND and run_off <= run_bound


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--backend", choices=interop.BACKENDS, default="jax")
    options = parser.parse_args()
    backend = interop.BACKENDS[options.backend]()
    good = [compare(name, options.folder, backend, WIDER.get((options.backend, name), RUN_BOUND)) for name in MODELS]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
