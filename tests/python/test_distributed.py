"""Groups of processes: one alone, and what mpirun starts."""

import importlib.util
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import reel

SCRIPT = """
import numpy as np
import reel

reel.distributed.init()
rank, size = reel.distributed.rank(), reel.distributed.size()
model = reel.nn.Sequential(reel.nn.Dense(16, "relu"), reel.nn.Dense(3))
optimizer = reel.optim.Adam(1e-2)

def train(x, labels):
    with reel.GradientTape() as tape:
        loss = reel.nn.softmax_cross_entropy(model(x), labels)
    variables = model.variables
    optimizer.apply(tape.gradient(loss, variables), variables)
    return {"loss": loss, "rows": reel.sum(x, axis=1)}

step = reel.distribute(train, shards=8)
for i in range(10):
    x = np.sin(np.arange(32 * 4, dtype=np.float32) + i).reshape(32, 4)
    labels = (np.arange(32) + i) % 3
    own = slice(rank * 32 // size, (rank + 1) * 32 // size)
    out = step(x[own], labels[own])
    assert out["rows"].shape == (32,)
    if rank == 0:
        print(float(out["loss"]).hex())
assert float(reel.distributed.all_reduce(reel.asarray(1.0))) == size
assert reel.distributed.all_gather(reel.asarray([rank])).tolist() == list(range(size))
assert int(reel.distributed.broadcast(reel.asarray(rank), size - 1)) == size - 1
"""


def run(processes, script):
    command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(processes)] if processes > 1 else []
    env = dict(os.environ, REEL_NUM_THREADS="1")
    return subprocess.run(
        command + [sys.executable, "-c", script], text=True, capture_output=True, timeout=120, env=env
    )


def has_mpi():
    library = os.path.join(os.path.dirname(reel.__file__), "..", "..", "lib", "libreel_mpi.so")
    return shutil.which("mpirun") and os.path.exists(library)


def test_alone():
    reel.distributed.init()
    assert (reel.distributed.size(), reel.distributed.rank()) == (1, 0)
    x = reel.asarray([1.0, 2.0])
    d = reel.distributed
    for y in (
        d.all_reduce(x),
        d.all_reduce(x, "max"),
        d.all_gather(x),
        d.reduce_scatter(x),
        d.all_to_all(x),
        d.broadcast(x),
    ):
        assert y.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="'sum', 'mean' or 'max'"):
        d.all_reduce(x, "min")


def test_a_step_is_that_of_one_machine():
    w = reel.Variable(reel.ones(3))

    def step(x, scale):
        with reel.GradientTape() as tape:
            loss = reel.mean((x @ w) ** 2) * scale
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    x = reel.asarray(np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3))
    shared = reel.distribute(step, shards=4)
    got = [float(shared(x, 2.0)) for _ in range(3)]
    w.assign(reel.ones(3))
    assert got == pytest.approx([float(step(x, 2.0)) for _ in range(3)], rel=1e-5)
    with pytest.raises(ValueError, match="bucket_bytes must be at least 1, got 0"):
        reel.distribute(step, shards=4, bucket_bytes=0)(x, 2.0)
    with pytest.raises(ValueError, match="3 shards do not divide the batch of argument 'x'"):
        reel.distribute(step, shards=3)(x, 2.0)
    with pytest.raises(NotImplementedError, match="reverse"):
        reel.distribute(lambda x: reel.flip(x, axis=0), shards=2)(x)


@pytest.mark.skipif(not has_mpi(), reason="there is no MPI, or Reel was built without it")
def test_the_same_bits_for_any_number_of_processes():
    bucket = SCRIPT.replace("shards=8", "shards=8, bucket_bytes=100")
    runs = [run(n, script) for n, script in ((1, SCRIPT), (2, SCRIPT), (4, bucket))]
    for r in runs:
        assert r.returncode == 0, r.stderr
    assert len(runs[0].stdout.split()) == 10
    assert runs[0].stdout == runs[1].stdout == runs[2].stdout


def test_processes_see_the_batches_that_one_sees():
    made = []

    def row(i):
        made.append(int(i))
        return i

    data = reel.data.range(24).shuffle(5).map(row)
    whole = [x.tolist() for x in data.batch(8).repeat(2)]
    for size in (1, 2, 4):
        made.clear()
        first = [x.tolist() for x in data.batch(8).shard(0, size).repeat(2)]
        assert len(made) == 48 // size, "it reads its own rows"
        parts = [first] + [[x.tolist() for x in data.batch(8).shard(r, size).repeat(2)] for r in range(1, size)]
        assert [sum(rows, []) for rows in zip(*parts)] == whole
    with pytest.raises(ValueError, match="3 processes do not divide a batch"):
        data.batch(8).shard(0, 3)


DIFFERENT = """
import numpy as np
import reel

reel.distributed.init()
rank = reel.distributed.rank()
w = reel.Variable(reel.ones(3) * rank)

def train(x):
    with reel.GradientTape() as tape:
        loss = reel.mean((x @ w) ** 2) * (2.0 if rank == 2 else 1.0)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss

reel.distribute(train, shards={shards})(np.ones((8, 3), np.float32))
"""


@pytest.mark.skipif(not has_mpi(), reason="there is no MPI, or Reel was built without it")
@pytest.mark.parametrize(
    ("shards", "message"),
    [
        ("4", "process 2 of 4 has another graph than process 0"),
        ("4 + 4 * (rank % 2)", "processes 1, 3 of 4 have another number of shards than process 0: 8, not 4"),
    ],
)
def test_processes_that_differ_notice_before_the_first_step(shards, message):
    r = run(4, DIFFERENT.replace("{shards}", shards))
    assert r.returncode == 1
    assert r.stderr.count("Traceback") == r.stderr.count(message) == 1, r.stderr


@pytest.mark.skipif(not has_mpi(), reason="there is no MPI, or Reel was built without it")
def test_the_same_bits_whoever_updates():
    """Losses, and after gather_state variables and slots of the last process."""
    parted = SCRIPT.replace("Dense(16", "Dense(96").replace("shards=8", "shards=8, shard_optimizer=True")
    last = """
variables = step.function(x[own], labels[own]).variables
def readable(v):
    try:
        return v.numpy() is not None
    except RuntimeError as e:
        assert "each process has its part" in str(e) and "gather_state()" in str(e), e
        assert repr(v).endswith(" in parts>"), repr(v)
        return False
there = [readable(v) for v in variables]
assert there.count(False) == (0 if size == 1 else 4), there  # Adam's two of each kernel
step(x[:len(x[own]) // 2], labels[:len(x[own]) // 2])  # another batch: another graph on the same slots
step(x[own], labels[own])
step.gather_state()
whole = [v.numpy().tobytes() for v in variables]
if rank == size - 1:
    print(__import__("hashlib").sha256(b"".join(whole)).hexdigest())
"""
    last = last.replace("x[:len(x[own]) // 2], labels[:len(x[own]) // 2]", "x[own][::2], labels[own][::2]")
    runs = [run(n, parted + last) for n in (1, 2, 4)]
    for r in runs:
        assert r.returncode == 0, r.stderr
    assert len(runs[0].stdout.split()) == 11
    assert sorted(runs[0].stdout.split()) == sorted(runs[1].stdout.split()) == sorted(runs[2].stdout.split())


GOES_ON = """
import hashlib, sys
import numpy as np
import reel

reel.distributed.init()
rank, size = reel.distributed.rank(), reel.distributed.size()
model = reel.nn.Sequential(reel.nn.Dense(64, "relu"), reel.nn.Dense(8))
optimizer = reel.optim.Adam(1e-2)

def train(x, labels):
    with reel.GradientTape() as tape:
        loss = reel.nn.softmax_cross_entropy(model(x), labels)
    variables = model.variables
    optimizer.apply(tape.gradient(loss, variables), variables)
    return loss

step = reel.distribute(train, shards=8, shard_optimizer=True)
checkpoint = reel.Checkpoint({folder!r}, model=model, optimizer=optimizer, step=0)

def go(steps):
    for i in range(checkpoint.step, checkpoint.step + steps):
        x = np.sin(np.arange(32 * 8, dtype=np.float32) + i).reshape(32, 8)
        own = slice(rank * 32 // size, (rank + 1) * 32 // size)
        step(x[own], (np.arange(32)[own] + i) % 8)

if {late}:
    go(2)  # what a file is loaded over
checkpoint.restore()
go(4)
step.gather_state()
checkpoint.step += 4
variables = [v for f, _ in step._functions.values() for v in f.variables]
if rank == 0:
    checkpoint.save()
    print(hashlib.sha256(b"".join(v.numpy().tobytes() for v in variables)).hexdigest())
"""


@pytest.mark.skipif(not has_mpi(), reason="there is no MPI, or Reel was built without it")
def test_checkpoints_go_on_with_other_numbers_of_processes(tmp_path):
    """Files have whole slots, whoever wrote them; a step takes its part of what was loaded, before it began or after."""
    ends = []
    for name, runs in (("alone", ((1, False),) * 4), ("others", ((4, False), (2, True), (8, False), (1, True)))):
        for processes, late in runs:
            r = run(processes, GOES_ON.replace("{folder!r}", repr(f"{tmp_path}/{name}/")).replace("{late}", str(late)))
            assert r.returncode == 0, r.stderr
        ends.append(r.stdout)
    assert len(ends[0].split()) == 1
    assert ends[0] == ends[1]


@pytest.mark.skipif(not has_mpi(), reason="there is no MPI, or Reel was built without it")
def test_an_exception_ends_all():
    script = (
        "import reel\nreel.distributed.init()\n"
        "if reel.distributed.rank() == 1: raise KeyError('only here')\n"
        "reel.distributed.all_reduce(reel.ones(4))\n"
    )
    r = run(3, script)
    assert r.returncode != 0
    assert "only here" in r.stderr


WITH_MPI4PY = """
from mpi4py import MPI
import reel

world = MPI.COMM_WORLD
halves = world.Split(world.rank % 2)
reel.distributed.init({comm})
assert (reel.distributed.size(), reel.distributed.rank()) == ({comm}.size, {comm}.rank)
total = float(reel.distributed.all_reduce(reel.asarray(float(world.rank))))
assert total == sum({comm}.allgather(world.rank)), total
"""


@pytest.mark.skipif(not has_mpi(), reason="there is no MPI, or Reel was built without it")
@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed")
@pytest.mark.parametrize("comm", ["halves", "comm=world"])
def test_communicators_of_mpi4py(comm):
    script = WITH_MPI4PY.replace("init({comm})", f"init({comm})").replace("{comm}", comm.removeprefix("comm="))
    r = run(4, script)
    assert r.returncode == 0, r.stderr
    r = run(4, script.replace(f"init({comm})", "init()").replace("halves", "world"))  # that it is imported is enough
    assert r.returncode == 0, r.stderr


def test_what_is_no_communicator():
    with pytest.raises(TypeError, match="an mpi4py communicator such as MPI.COMM_WORLD, got 3"):
        reel.distributed.init(3)
