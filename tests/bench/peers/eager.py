"""Microseconds of eager ops from Python, one thread: an add of 64 floats, a call of a compiled x + 1, and chain1000 (500
times z = 1.0001 z + y of 64 floats under a tape, and its gradient).

    PYTHONPATH=build/python python3 eager.py reel     # or reel.tf, torch, tensorflow, where it is installed
"""

import os
import sys
import time

CHAIN = 500


def best(f, n, rounds=7):
    """The least mean seconds of n calls."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(n):
            f()
        times.append((time.perf_counter() - start) / n)
    return min(times)


def chain(z, y):
    for _ in range(CHAIN):
        z = z * 1.0001
        z = z + y
    return z


def taped(library):
    def run():
        x, y = library.ones((64,)), library.ones((64,))
        with library.GradientTape() as tape:
            tape.watch(x)
            z = chain(x, y)
        tape.gradient(z, x)

    return run


def torch_chain(torch):
    def run():
        x, y = torch.ones(64, requires_grad=True), torch.ones(64)
        chain(x, y).sum().backward()

    return run


def main():
    name = sys.argv[1]
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    start = time.perf_counter()
    library = __import__(name, fromlist=["_"])
    print(f"{name}: import {1e3 * (time.perf_counter() - start):.1f} ms")
    if name == "torch":
        library.set_num_threads(1)
    if name == "tensorflow":
        library.config.threading.set_intra_op_parallelism_threads(1)
    a, b = library.ones((64,)), library.ones((64,))
    print(f"{name}: add {1e6 * best(lambda: a + b, 5000):.2f} us")
    if name != "torch":
        compiled = library.function(lambda x: x + 1)
        x = library.ones((8,))
        compiled(x)
        print(f"{name}: compiled call {1e6 * best(lambda: compiled(x), 2000):.2f} us")
    run = torch_chain(library) if name == "torch" else taped(library)
    if name.startswith("reel"):  # what comes for the third time is compiled in the background
        import reel

        for _ in range(3):
            run()
        reel.wait_for_compiler()
    print(f"{name}: chain1000 {1e3 * best(run, 5):.2f} ms")


if __name__ == "__main__":
    main()
