"""Training loops of TensorFlow's guides, the same lines on TensorFlow and on reel.tf: milliseconds of a step.

    python3 tf_loops.py LIBRARY [NAME...]       one JSON line per loop and mode; LIBRARY: tensorflow or reel.tf
    python3 tf_loops.py beside PYTHON [NAME...] alternates this Python's reel.tf with TensorFlow of another, prints ratios

Each loop runs eagerly and as a tf.function, one thread. Data are random: times do not depend on them.
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

ROUNDS = 5  # alternations; medians are of these
SECONDS = 1.0  # of each measurement


def linear(tf):
    """Basic training loops: w x + b on 1,000 points, the gradient by a tape, assign_sub."""
    x = tf.constant(np.linspace(-2, 2, 1000, dtype=np.float32))
    y = 3.0 * x + 2.0
    w, b = tf.Variable(5.0), tf.Variable(0.0)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(y - (w * x + b)))
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        return loss

    return step


def core_mlp(tf):
    """Multilayer perceptrons with the core APIs: 784-700-500-10, batch 128, Adam written by hand."""
    sizes = [784, 700, 500, 10]
    rng = np.random.default_rng(1)
    weights = [tf.Variable(rng.normal(0, 0.05, s).astype(np.float32)) for s in zip(sizes, sizes[1:])]
    params = [p for w in weights for p in (w, tf.Variable(tf.zeros([w.shape[1]])))]
    means = [[tf.Variable(tf.zeros(p.shape)) for p in params] for _ in range(2)]
    count = tf.Variable(1.0)
    x = tf.constant(rng.normal(size=(128, 784)).astype(np.float32))
    y = tf.constant(rng.integers(0, 10, 128).astype(np.int32))

    def step():
        with tf.GradientTape() as tape:
            h = x
            for i in range(0, len(params), 2):
                h = tf.matmul(h, params[i]) + params[i + 1]
                h = tf.nn.relu(h) if i + 2 < len(params) else h
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=h))
        for p, g, m, v in zip(params, tape.gradient(loss, params), *means):
            m.assign(0.9 * m + 0.1 * g)
            v.assign(0.999 * v + 0.001 * tf.square(g))
            p.assign_sub(0.001 * (m / (1 - 0.9**count)) / (tf.sqrt(v / (1 - 0.999**count)) + 1e-7))
        count.assign_add(1.0)
        return loss

    return step


def walkthrough(tf):
    """Custom training walkthrough: Dense 10, 10, 3 on 4 features, batch 32, SGD of Keras."""
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(10, activation="relu"),
            tf.keras.layers.Dense(10, activation="relu"),
            tf.keras.layers.Dense(3),
        ]
    )
    rng = np.random.default_rng(1)
    x = tf.constant(rng.normal(size=(32, 4)).astype(np.float32))
    y = tf.constant(rng.integers(0, 3, 32).astype(np.int32))
    return keras_step(tf, model, tf.keras.optimizers.SGD(learning_rate=0.01), x, y)


def quickstart(tf):
    """Quickstart for experts: Conv2D(32, 3), Dense 128 and 10 on 28 x 28, batch 32, Adam of Keras."""
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(32, 3, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(128, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    rng = np.random.default_rng(1)
    x = tf.constant(rng.normal(size=(32, 28, 28, 1)).astype(np.float32))
    y = tf.constant(rng.integers(0, 10, 32).astype(np.int32))
    return keras_step(tf, model, tf.keras.optimizers.Adam(), x, y)


def keras_step(tf, model, optimizer, x, y):
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model(x)

    def step():
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return step


LOOPS = {f.__name__: f for f in (linear, core_mlp, walkthrough, quickstart)}


def measure(library, names):
    """Prints a line for each loop and mode."""
    tf = importlib.import_module(library)
    if library == "tensorflow":
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    for name in names:
        for mode in ("eager", "compiled"):
            step = LOOPS[name](tf)
            step()  # optimizers make their variables
            step = tf.function(step) if mode == "compiled" else step
            for _ in range(5):
                float(step())
            if library == "reel.tf":
                import reel

                reel.wait_for_compiler()
            times, end = [], time.perf_counter() + SECONDS
            while time.perf_counter() < end:
                start = time.perf_counter()
                loss = float(step())
                times.append(time.perf_counter() - start)
            row = {"loop": name, "mode": mode, "ms": 1e3 * statistics.median(times), "steps": len(times), "loss": loss}
            print(json.dumps(row), flush=True)


def beside(other, names):
    """Alternates both libraries and prints the ratios of their medians."""
    found = {}
    for _ in range(ROUNDS):
        for python, library in ((sys.executable, "reel.tf"), (other, "tensorflow")):
            env = {**os.environ, "OMP_NUM_THREADS": "1", "REEL_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
            command = [python, os.path.abspath(__file__), library, *names]
            out = subprocess.run(
                command, env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            for row in map(json.loads, out.stdout.splitlines()):
                found.setdefault((row["loop"], row["mode"]), {}).setdefault(library, []).append(row["ms"])
    for (name, mode), times in found.items():
        ours, theirs = (statistics.median(times[library]) for library in ("reel.tf", "tensorflow"))
        print(f"{name:12} {mode:9} reel.tf {ours:8.3f} ms  TensorFlow {theirs:8.3f} ms  ratio {theirs / ours:5.2f}")


def main():
    if sys.argv[1] == "beside":
        beside(sys.argv[2], sys.argv[3:] or list(LOOPS))
    else:
        measure(sys.argv[1], sys.argv[2:] or list(LOOPS))


if __name__ == "__main__":
    main()
