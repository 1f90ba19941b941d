"""What a benchmark workload is, by name, and the limits of machines (workloads.py has the models)."""

import json
import os
from dataclasses import dataclass, field

import numpy as np

SEED = 20240607


@dataclass
class Workload:
    name: str
    kind: str  # train | grad | op | update
    params: dict  # what is trained or differentiated
    data: dict  # constants of the step
    hp: dict = field(default_factory=dict)
    flops: float = 0.0  # arithmetic of one step; exp/tanh count 20
    bytes: float = 0.0  # least memory traffic of one step
    resident: float = 0.0  # bytes that the traffic touches; 0: each once
    dtype: str = "float32"
    ops: int = 1  # operations in one step (per-op times)


# ---- machine limits -------------------------------------------------------

MACHINE = {  # GFLOP/s and GB/s for 1 and 2 threads; `reel bench --calibrate --json` measures them
    "float32": [247.0, 490.0],
    "float64": [123.5, 245.0],
    "bfloat16": [494.0, 980.0],
    "l1": [250.0, 500.0],
    "l2": [60.0, 120.0],
    "l3": [15.0, 30.0],
    "dram": [10.0, 20.0],
    "l1_update": [250.0, 500.0],
    "l2_update": [60.0, 120.0],
    "l3_update": [15.0, 30.0],
    "dram_update": [10.0, 20.0],
    "l1_bytes": 48 << 10,
    "l2_bytes": 2 << 20,
    "l3_bytes": 32 << 20,
}


def machine():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machine.json")
    return json.load(open(path)) if os.path.exists(path) else MACHINE


def limit_s(w, threads):
    """max(arithmetic time at FMA peak, traffic time of the level it fits in)."""
    m, t, resident = machine(), threads - 1, w.resident or w.bytes
    sizes = [m[k] * n for k, n in (("l1_bytes", threads), ("l2_bytes", threads), ("l3_bytes", 1))]
    level = sum(resident > size for size in sizes)
    kinds = ("", "_update") if w.kind in ("train", "update") else ("",)
    rate = max(m[k + kind][t] for k in ("l1", "l2", "l3", "dram")[level:] for kind in kinds)
    return max(w.flops / m[w.dtype][t], w.bytes / rate) * 1e-9


# ---- helpers --------------------------------------------------------------


def rng_for(name):
    return np.random.default_rng([SEED, *name.encode()])


def normal(r, shape, std=1.0, dtype=np.float32):
    return (r.standard_normal(shape, dtype=np.float32) * np.float32(std)).astype(dtype)


def size(tree):
    return sum(v.size for v in tree.values())


WORKLOADS = {}


def workload(*names):
    def wrap(f):
        for n in names:
            WORKLOADS[n] = f
        return f

    return wrap


def make(name):
    return WORKLOADS[name](name)
