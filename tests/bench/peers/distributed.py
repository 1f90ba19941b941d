"""Data-parallel training steps: Reel over MPI beside PyTorch's DistributedDataParallel over gloo, and PyTorch with one
all-reduce of all gradients by mpi4py; weak scaling.

    PYTHONPATH=build/python python distributed.py --torch PYTHON [--rounds N] [--steps N] [WORKLOAD ...]

Each process has one thread on a core of its own and the workload's batch of rows; a run of two has twice the batch.
Systems run in turn, in rounds; a row is the median over rounds of the median step. `efficiency` is the time of one
process, which runs the plain step of one machine, over that of two. Reel's steps have as many shards as processes,
or --shards. PyTorch is given its modes, and mpi4py if it is there; the ratio is to the fastest.

Reel's two processes are run in three ways: as they are, with shard_optimizer, and `independent`: each runs the plain step
of one machine beside the other, and they exchange nothing. What that takes more than one alone the machine's shared
caches and memory take; no exchange of gradients can make an efficiency larger.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["gpt_char", "cnn_mnist"]
WAYS = ["independent", "shard_optimizer"]


# ---- one process of a run -------------------------------------------------


def batch_of(rank: int, size: int, name: str, whole: bool) -> Any:
    """The workload, whose data are this process's rows; with `whole`, its sizes are those of the global batch."""
    import workloads

    w = workloads.make(name)
    for key, value in w.data.items():  # other rows for other processes, of the same cost
        w.data[key] = value[::-1].copy() if rank % 2 else value
    for key in ("B", "batch"):
        if key in w.hp and whole:
            w.hp[key] *= size
    return w


def prepare(threads_of: str, rank: int) -> Any:
    """A peer script as a module, this process pinned to its core."""
    sys.argv = [threads_of, "--threads", "1"]
    module = __import__(threads_of)
    os.sched_setaffinity(0, {CORES[rank % len(CORES)]})
    return module


def reel_step(name: str, rank: int, size: int, options: str) -> Callable[[], Any]:
    import reel

    peer = prepare("function_peer", rank)
    if size > 1:
        reel.distributed.init()
    if options:
        peer.compiled = functools.partial(reel.distribute, **json.loads(options))
    build = peer.gpt if name == "gpt_char" else peer.cnn_mnist
    step = build(batch_of(rank, size, name, whole=True)).step
    return lambda: step().item()


def mean_of_gradients(parameters: list[Any], size: int) -> Callable[[], None]:
    """Replaces the gradients by the processes' means: one array of all of them, one all-reduce of mpi4py."""
    import torch
    from mpi4py import MPI

    flat = torch.empty(sum(p.numel() for p in parameters))

    def reduce() -> None:
        torch.cat([p.grad.reshape(-1) for p in parameters], out=flat)
        MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, flat.numpy(), op=MPI.SUM)
        flat.div_(size)
        for p, part in zip(parameters, flat.split([p.numel() for p in parameters]), strict=True):
            p.grad.copy_(part.reshape(p.shape))

    return reduce


def torch_step(name: str, rank: int, size: int, mode: str) -> Callable[[], Any]:
    peer = prepare("torch_peer", rank)
    import torch

    if size > 1 and mode != "mpi4py":
        torch.distributed.init_process_group("gloo", rank=rank, world_size=size)

    class Loss(torch.nn.Module):
        def __init__(self, p: dict[str, Any], loss: Callable[..., Any]):
            super().__init__()
            self.names = {k: k.replace(".", "_") for k in p}
            self.loss = loss
            for k, v in p.items():
                self.register_parameter(self.names[k], torch.nn.Parameter(v.detach()))

        def forward(self) -> Any:
            return self.loss({k: getattr(self, v) for k, v in self.names.items()})

    def train(w: Any, p: dict[str, Any], loss_fn: Callable[..., Any], mode: str) -> Any:
        model: Any = Loss(p, loss_fn)
        if size > 1 and mode != "mpi4py":
            model = torch.nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
        parameters = list(model.parameters())
        optimizer = peer.optimizer(w.hp, parameters)
        reduce = mean_of_gradients(parameters, size) if size > 1 and mode == "mpi4py" else None
        f = torch.compile(model) if mode == "compile" else model

        def step() -> float:
            optimizer.zero_grad(set_to_none=True)
            loss = f()
            loss.backward()
            if reduce:
                reduce()
            optimizer.step()
            return float(loss.detach())

        return peer.harness.Case(step)

    peer.train = train
    build = peer.gpt if name == "gpt_char" else peer.cnn_mnist
    return build(batch_of(rank, size, name, whole=False), mode).step


def worker(system: str, name: str, steps: int) -> None:
    rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("RANK", "0")))
    size = int(os.environ.get("OMPI_COMM_WORLD_SIZE", os.environ.get("WORLD_SIZE", "1")))
    kind, _, option = system.partition(":")
    make = reel_step if kind == "reel" else torch_step
    step = make(name, rank, size, option)
    losses = [step() for _ in range(5)]
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    if rank == 0:
        print(json.dumps({"median_s": statistics.median(times), "losses": losses}), flush=True)
    sys.stdout.flush()


def companion(name: str) -> None:
    """Runs the plain step on the second core, and says so, until it is ended."""
    step = reel_step(name, 1, 1, "")
    for i in itertools.count():
        step()
        if i == 5:
            print("runs", flush=True)


# ---- all runs -------------------------------------------------------------


def free_port() -> str:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def run(python: str, system: str, name: str, size: int, steps: int) -> dict[str, Any]:
    command = [python, os.path.abspath(__file__), "--worker", system, "--steps", str(steps), name]
    env = dict(os.environ, REEL_NUM_THREADS="1", OMP_NUM_THREADS="1")
    if system.startswith("reel") or system.endswith("mpi4py"):
        launch = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(size)]
        out = subprocess.run([*(launch if size > 1 else []), *command], env=env, stdout=subprocess.PIPE, text=True)
        code, text = out.returncode, out.stdout
    else:
        env |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "WORLD_SIZE": str(size)}
        started = [
            subprocess.Popen(command, env=dict(env, RANK=str(r)), stdout=subprocess.PIPE, text=True)
            for r in range(size)
        ]
        text = "".join([p.communicate()[0] for p in started])
        code = max(p.returncode for p in started)
    if code != 0:
        sys.exit(f"{system} on {name} with {size} processes ended with status {code}")
    return json.loads(text.strip().splitlines()[-1])


def run_independent(name: str, steps: int) -> dict[str, Any]:
    """The plain step on the first core, beside another process that runs it on the second."""
    command = [sys.executable, os.path.abspath(__file__), "--worker", "companion", name]
    with subprocess.Popen(
        command, env=dict(os.environ, REEL_NUM_THREADS="1"), stdout=subprocess.PIPE, text=True
    ) as other:
        try:
            if other.stdout is None or other.stdout.readline() != "runs\n":
                sys.exit(f"the second of two independent processes on {name} does not run")
            row = run(sys.executable, "reel:", name, 1, steps)
            if other.poll() is not None:
                sys.exit(f"the second of two independent processes on {name} ended with status {other.returncode}")
            return row
        finally:
            other.kill()


def row_of(system: str, name: str, size: int, steps: int) -> dict[str, Any]:
    if system == "reel independent" and size > 1:
        return run_independent(name, steps)
    if not system.startswith("reel"):
        return run(ARGS.torch, system, name, size, steps)
    options = {"shards": ARGS.shards or size, "shard_optimizer": system == "reel shard_optimizer"}
    return run(sys.executable, f"reel:{json.dumps(options) if size > 1 else ''}", name, size, steps)


def compare(name: str) -> None:
    reels = ["reel", *(f"reel {way}" for way in ARGS.way or WAYS)]
    systems = [*reels, *([f"torch:{m}" for m in ARGS.mode] if ARGS.torch else [])]
    times: dict[tuple[str, int], list[float]] = {}
    losses: dict[tuple[str, int], list[float]] = {}
    for _ in range(ARGS.rounds):
        for system in systems:
            for size in (2,) if system in reels[1:] else (1, 2):
                row = row_of(system, name, size, ARGS.steps)
                times.setdefault((system, size), []).append(row["median_s"])
                losses[system, size] = row["losses"]
    median = {k: statistics.median(v) * 1e3 for k, v in times.items()}
    for system in systems:
        one, two = median["reel" if system in reels else system, 1], median[system, 2]
        print(
            f"{name} {system}: 1 process {one:.3f} ms, 2 processes {two:.3f} ms, efficiency {one / two:.3f}", flush=True
        )
    for (system, size), values in losses.items():  # the same training
        same = ("reel", 1 if system == "reel independent" else size)
        apart = max(abs(a - b) for a, b in zip(values, losses[same]))
        if apart > 1e-3:
            sys.exit(f"{name}: losses of {system} and reel with {size} processes are {apart} apart")
    for size in (1, 2):
        best = min([median[s, size] for s in systems if s not in reels], default=0)
        if best:
            print(f"{name}: reel is {best / median['reel', size]:.2f} times as fast as PyTorch with {size}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("workload", nargs="*", default=NAMES, help=" or ".join(NAMES))
    parser.add_argument("--torch", help="a Python that has PyTorch")
    parser.add_argument("--mode", action="append", choices=["eager", "compile", "mpi4py"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--shards", type=int, default=0, help="of Reel's step; 0: one a process")
    parser.add_argument("--way", action="append", choices=WAYS, help="in which two processes of Reel are run besides")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    ARGS = parser.parse_args()
    has_mpi4py = ARGS.torch and subprocess.run([ARGS.torch, "-c", "import mpi4py"], capture_output=True).returncode == 0
    ARGS.mode = ARGS.mode or ["eager", "compile", *(["mpi4py"] if has_mpi4py else [])]
    CORES = sorted(os.sched_getaffinity(0))
    sys.path.insert(0, HERE)
    if ARGS.worker == "companion":
        companion(ARGS.workload[0])
    elif ARGS.worker:
        worker(ARGS.worker, ARGS.workload[0], ARGS.steps)
    else:
        for each in ARGS.workload:
            compare(each)
