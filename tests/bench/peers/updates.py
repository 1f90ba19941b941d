"""Milliseconds of steps that update variables from Python, one thread: a reel.function, its graph compiled as a step, and
PyTorch, in turn within each round; medians, and ratios to the function.

    PYTHONPATH=build/python python3 updates.py [ROW...]      # torch beside it, where it is installed
"""

import statistics
import sys
import time

import numpy as np

import reel

try:
    import torch
except ImportError:
    torch = None

WIDTH, LOOKED_UP = 16, 1024


def reel_rows(rows, optimizer):
    table = reel.Variable(reel.zeros((rows, WIDTH)), name="table")
    indices = reel.asarray(np.random.default_rng(0).integers(0, rows, LOOKED_UP))

    @reel.function
    def step(i):
        with reel.GradientTape() as tape:
            loss = reel.sum((reel.take(table, i, axis=0) - 1.0) ** 2)
        optimizer.apply(tape.gradient(loss, table), table)
        return loss

    return step, [indices]


def torch_rows(rows, make):
    table = torch.nn.Parameter(torch.zeros(rows, WIDTH))
    indices = torch.tensor(np.random.default_rng(0).integers(0, rows, LOOKED_UP))
    optimizer = make([table])

    def step():
        optimizer.zero_grad()
        ((torch.nn.functional.embedding(indices, table, sparse=True) - 1.0) ** 2).sum().backward()
        optimizer.step()

    return step


def reel_adam(count, size):
    variables = [reel.Variable(reel.zeros(size), name=f"w{i}") for i in range(count)]
    gradients = [reel.random.normal((size,)) for _ in variables]
    optimizer = reel.optim.Adam(1e-3)

    @reel.function
    def step(*gradients):
        optimizer.apply(list(gradients), variables)

    return step, gradients


def torch_adam(count, size):
    variables = [torch.nn.Parameter(torch.zeros(size)) for _ in range(count)]
    for p in variables:
        p.grad = torch.randn(size)
    return torch.optim.Adam(variables, 1e-3, fused=True).step


O = reel.optim
MAKES = {
    "sgd": (lambda: O.SGD(0.1), torch and (lambda p: torch.optim.SGD(p, 0.1))),
    "momentum": (lambda: O.SGD(0.1, momentum=0.9, lazy=True), None),
    "adagrad": (lambda: O.Adagrad(0.1), torch and (lambda p: torch.optim.Adagrad(p, 0.1))),
    "rmsprop": (lambda: O.RMSprop(0.1, lazy=True), None),
    "adam": (lambda: O.Adam(0.1, lazy=True), torch and (lambda p: torch.optim.SparseAdam(p, 0.1))),
}


def contenders(row):
    """By name: functions without arguments."""
    if row == "adam_16x1m":
        (step, arguments), peer = reel_adam(16, 1 << 20), torch and torch_adam(16, 1 << 20)
    else:
        rows, name = row.split("_")
        make, peer_make = MAKES[name]
        step, arguments = reel_rows(int(rows), make())
        peer = peer_make and torch_rows(int(rows), peer_make)
    run = reel.compile(step.get_graph(*arguments))
    out = {"function": lambda: step(*arguments), "step": lambda: run("step", *arguments)}
    return out | ({"torch": peer} if peer else {})


def measure(functions, rounds=15, seconds=0.03):
    times = {name: [] for name in functions}
    counts = {}
    for name, f in functions.items():
        f()
        f()
        start = time.perf_counter()
        f()
        counts[name] = max(1, int(seconds / (time.perf_counter() - start)))
    for _ in range(rounds):
        for name, f in functions.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                f()
            times[name].append((time.perf_counter() - start) / counts[name])
    return {name: statistics.median(list_) for name, list_ in times.items()}


def main():
    if torch:
        torch.set_num_threads(1)
    tables = [f"{rows}_{name}" for name in MAKES for rows in (10_000, 1_000_000)]
    for row in sys.argv[1:] or [*tables, "adam_16x1m"]:
        times = measure(contenders(row))
        own = times["function"]
        text = ", ".join(f"{name} {1e3 * t:.4f} ms ({t / own:.2f})" for name, t in times.items())
        print(f"{row:16} {text}", flush=True)


if __name__ == "__main__":
    main()
