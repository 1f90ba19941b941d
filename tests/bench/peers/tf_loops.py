"""Training loops of TensorFlow's guides, the same lines on TensorFlow and on reel.tf: milliseconds of a step.

    python3 tf_loops.py LIBRARY [NAME...]       one JSON line per loop and mode; LIBRARY: tensorflow or reel.tf
    python3 tf_loops.py beside PYTHON [NAME...] alternates this Python's reel.tf with TensorFlow of another, prints ratios

Each loop runs eagerly and as a tf.function, one thread; Keras's fit and a session of version 1 in their own way. Loops
that look things up or divide integers run on reel.tf a third time, with checks of bounds off. Data are random: times do
not depend on them.
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


def lookup(tf):
    """1,024 rows of 16 floats from a table of 10,000, their squares' gradient, SGD of the rows."""
    rng = np.random.default_rng(1)
    table = tf.Variable(rng.normal(size=(10_000, 16)).astype(np.float32))
    rows = tf.Variable(rng.integers(0, 10_000, 1024).astype(np.int32))  # of constants nothing is left to check

    def step():
        with tf.GradientTape() as tape:
            loss = 0.01 * tf.reduce_sum(tf.square(tf.gather(table, rows)))
        table.scatter_sub(tape.gradient(loss, table))
        return loss

    return step


def divisions(tf):
    """Quotients and remainders of 2^20 int32."""
    rng = np.random.default_rng(1)
    x, d = (tf.Variable(rng.integers(1, 1000, 1 << 20).astype(np.int32)) for _ in range(2))
    return lambda: tf.reduce_sum(x // d + x % d)


def fit(tf):
    """Keras's fit: 784-128-10, batch 32, Adam, an epoch of 64 steps."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(128, activation="relu"), tf.keras.layers.Dense(10)])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    rng = np.random.default_rng(1)
    x = rng.normal(size=(64 * 32, 784)).astype(np.float32)
    y = rng.integers(0, 10, 64 * 32).astype(np.int32)
    return lambda: model.fit(x, y, batch_size=32, verbose=0).history["loss"][0]


def session(tf):
    """A session of version 1: 784-128-10, batch 32 fed from NumPy, gradient descent."""
    v1, rng = tf.compat.v1, np.random.default_rng(1)
    with tf.Graph().as_default() as graph:
        x, y = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.int32, [None])
        w1, w2 = (v1.Variable(rng.normal(0, 0.05, s).astype(np.float32)) for s in ((784, 128), (128, 10)))
        b1, b2 = (v1.Variable(np.zeros(n, np.float32)) for n in (128, 10))
        logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        train = v1.train.GradientDescentOptimizer(0.01).minimize(loss)
        run = v1.Session(graph=graph).run
        run(v1.global_variables_initializer())
    feed = {x: rng.normal(size=(32, 784)).astype(np.float32), y: rng.integers(0, 10, 32).astype(np.int32)}
    return lambda: run([train, loss], feed)[1]


LOOPS = {f.__name__: f for f in (linear, core_mlp, walkthrough, quickstart, lookup, divisions, fit, session)}
WHOLE = {"fit": 64, "session": 1}  # loops that are no function of tensors: steps of a call
CHECKED = ("lookup", "divisions")


def modes(library, name):
    """How a loop is run."""
    if name in WHOLE:
        return [name]
    return ["eager", "compiled"] + (["unchecked"] if name in CHECKED and library == "reel.tf" else [])


def compiled(tf, step, mode):
    """The step as a tf.function, with checks of bounds or without."""
    if mode == "compiled":
        return tf.function(step)
    import reel

    was = reel.check_bounds(False)
    try:
        step = tf.function(step)
        step()
    finally:
        reel.check_bounds(was)
    return step


def measure(library, names):
    """Prints a line for each loop and mode."""
    tf = importlib.import_module(library)
    if library == "tensorflow":
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    for name in names:
        for mode in modes(library, name):
            step = LOOPS[name](tf)
            step()  # optimizers make their variables
            step = compiled(tf, step, mode) if mode in ("compiled", "unchecked") else step
            for _ in range(5):
                float(step())
            if library == "reel.tf":
                import reel

                reel.wait_for_compiler()
            times, end = [], time.perf_counter() + SECONDS
            while time.perf_counter() < end:
                start = time.perf_counter()
                loss = float(step())
                times.append((time.perf_counter() - start) / WHOLE.get(name, 1))
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
        ours = statistics.median(times["reel.tf"])
        other, theirs = "TensorFlow", times.get("tensorflow")
        if mode == "unchecked":
            other, theirs = "checked", found[name, "compiled"]["reel.tf"]
        theirs = statistics.median(theirs)
        print(f"{name:12} {mode:9} reel.tf {ours:8.3f} ms  {other:10} {theirs:8.3f} ms  ratio {theirs / ours:5.2f}")


def main():
    if sys.argv[1] == "beside":
        beside(sys.argv[2], sys.argv[3:] or list(LOOPS))
    else:
        measure(sys.argv[1], sys.argv[2:] or list(LOOPS))


if __name__ == "__main__":
    main()
