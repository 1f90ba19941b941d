"""Batches per second of shuffled MNIST batches of 64 from memory, in one process and in turns: Reel's datasets with and
without prefetching, PyTorch's DataLoader over a TensorDataset, and a plain NumPy loop.

    PYTHONPATH=build/python python3 tests/bench/peers/data.py [--rounds 40]

Each round goes through one epoch of each; the table has the best of the rounds, and the ratio to Reel without
prefetching. `work` is milliseconds of NumPy that the consumer does with each batch, as a training step would.
"""

import argparse
import pathlib
import time

import numpy as np
import torch

import reel

FOLDER = pathlib.Path(__file__).parents[2] / "data" / "mnist"
BATCH = 64


def sources():
    """Functions that give an epoch of batches, by name; all hold float32 images and int64 labels."""
    images, labels = FOLDER / "t10k-images-idx3-ubyte.gz", FOLDER / "t10k-labels-idx1-ubyte.gz"
    x, y = (np.array(a) for a in reel.data.idx(images, labels).batch(10000)[0])
    data = reel.data.arrays(x, y).shuffle(0).batch(BATCH)
    ahead = data.prefetch(2)
    dataset = torch.utils.data.TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
    loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH, shuffle=True, drop_last=True, num_workers=0)
    rng = np.random.default_rng(0)

    def plain():
        order = rng.permutation(len(x))
        for i in range(0, len(x) - BATCH + 1, BATCH):
            yield x[order[i : i + BATCH]], y[order[i : i + BATCH]]

    return {
        "reel": lambda: iter(data),
        "reel, prefetch(2)": lambda: iter(ahead),
        "torch DataLoader": lambda: iter(loader),
        "numpy loop": plain,
    }


def seconds(batches, work):
    """Of a batch, in one epoch."""
    square = np.ones((64, 64), np.float32)
    begin, n = time.perf_counter(), 0
    for _ in batches():
        n += 1
        end = time.perf_counter() + work
        while work and time.perf_counter() < end:
            np.dot(square, square)
    return (time.perf_counter() - begin) / n


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    all_sources = sources()
    for work in (0.0, 0.0001):
        times = {name: [] for name in all_sources}
        for _ in range(rounds):
            for name, batches in all_sources.items():
                times[name].append(seconds(batches, work))
        base = min(times["reel"])
        print(f"work {work * 1000:g} ms")
        for name, values in times.items():
            best = min(values)
            print(f"  {name:20} {1 / best:9.0f} batches/s  {best / base:6.2f} of reel's time")


if __name__ == "__main__":
    main()
