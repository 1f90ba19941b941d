"""Inference of ONNX models beside ONNX Runtime, one thread each, measured in turn.

    pip install torch torchvision onnx onnxscript onnxruntime
    REEL_NUM_THREADS=1 PYTHONPATH=build/python python tests/bench/peers/onnx_peer.py [--rounds 15] [NAME ...]

Networks as PyTorch exports them (torch.onnx.export, dynamo=True), with random weights: nothing is downloaded. Both
programs read the same file and run in this process, pinned to one core, in alternation. Results must agree within 1e-4
of the largest; the row has the median time of each, ONNX Runtime's divided by Reel's (the median of the rounds'
ratios; above 1 Reel is faster) and what reading and compiling took.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
import warnings

import numpy as np
import onnxruntime
import torch
import torchvision
from torch import nn

import reel


class UNet(nn.Module):
    """Three levels of two convolutions of 16, 32 and 64 channels."""

    def __init__(self):
        super().__init__()

        def twice(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU())

        self.down = nn.ModuleList([twice(3, 16), twice(16, 32), twice(32, 64)])
        self.grow = nn.ModuleList([nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 2, 2)])
        self.up = nn.ModuleList([twice(64, 32), twice(32, 16)])
        self.last = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        kept = []
        for level in self.down:
            x = level(x if not kept else nn.functional.max_pool2d(x, 2))
            kept.append(x)
        for grow, level, beside in zip(self.grow, self.up, (kept[1], kept[0])):
            x = level(torch.cat([grow(x), beside], 1))
        return self.last(x)


def mnist():
    """Two convolutions, two dense layers, 28x28."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(9216, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    )


MODELS = {
    "mnist": (mnist, (1, 1, 28, 28)),
    "mnist_64": (mnist, (64, 1, 28, 28)),
    "unet": (UNet, (1, 3, 128, 128)),
    "mobilenet_v3_small": (torchvision.models.mobilenet_v3_small, (1, 3, 224, 224)),
    "mobilenet_v2": (torchvision.models.mobilenet_v2, (1, 3, 224, 224)),
    "resnet18": (torchvision.models.resnet18, (1, 3, 224, 224)),
}


def seconds(run, least=0.2):
    """Time of one call, the mean of at least `least` seconds of calls."""
    calls, start = 0, time.perf_counter()
    while True:
        run()
        calls += 1
        passed = time.perf_counter() - start
        if passed >= least:
            return passed / calls


def measure(name, rounds, folder):
    """One row."""
    make, shape = MODELS[name]
    torch.manual_seed(0)
    x = torch.randn(shape)
    path = os.path.join(folder, name + ".onnx")
    program = torch.onnx.export(make().eval(), (x,), dynamo=True, verbose=False)
    program.save(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    peer_start = time.perf_counter() - start
    start = time.perf_counter()
    executable = reel.compile(reel.import_onnx(path, trainable=False))
    reel_start = time.perf_counter() - start
    given = x.numpy()
    feed = {session.get_inputs()[0].name: given}
    want, got = session.run(None, feed)[0], np.asarray(executable(given))
    error = float(np.abs(got - want).max() / np.abs(want).max())
    if not error <= 1e-4:
        sys.exit(f"{name}: results differ by {error:.2g} of the largest")
    times = []
    for _ in range(rounds):
        peer = seconds(lambda: session.run(None, feed))
        times.append((seconds(lambda: executable(given)), peer))
    mine, peers = (statistics.median(column) for column in zip(*times))
    ratios = [peer / own for own, peer in times]
    print(
        f"| `{name}` | {mine * 1e3:.3g} ms | {peers * 1e3:.3g} ms | {statistics.median(ratios):.2f} "
        f"({min(ratios):.2f} to {max(ratios):.2f}) | {error:.0e} | {reel_start:.2g} s, {peer_start:.2g} s |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(MODELS))
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    if os.environ.get("REEL_NUM_THREADS") != "1":
        sys.exit("set REEL_NUM_THREADS=1: both run on one thread")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    print(f"torch {torch.__version__}, onnxruntime {onnxruntime.__version__}\n")
    print(
        "| model | Reel | ONNX Runtime | ratio | difference | reading and compiling |\n| --- | --- | --- | --- | --- | --- |"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.names:
            measure(name, arguments.rounds, folder)


if __name__ == "__main__":
    main()
