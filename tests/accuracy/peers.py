#!/usr/bin/env python3
"""Errors of PyTorch and JAX where sums are hard, recorded in peers.inc for peers_test.

Run:  python3 tests/accuracy/peers.py torch > torch.txt      (in an environment with PyTorch)
      python3 tests/accuracy/peers.py jax > jax.txt          (with JAX)
      python3 tests/accuracy/peers.py join torch.txt jax.txt > tests/accuracy/peers.inc
Data and measures are those of peers_test.cc; the exact values come from 80-bit floats.
"""

import datetime
import sys

import numpy as np

DTYPES = ["float64", "float32", "float16", "bfloat16"]
LENGTHS = [1000, 100000]
WIDE = np.longdouble


def unit(n):
    """splitmix64 in [0, 1)."""
    with np.errstate(over="ignore"):
        z = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


def data(kind, n, dtype):
    u = unit(n)
    i = np.arange(n)
    if kind == "long":
        return u / 4
    if kind == "signed":
        return u * 2 - 1
    if kind == "scales":
        return (u * 2 - 1) * 2.0 ** -(i % 12)
    if kind == "cancelling":  # the second half takes the first one back
        return np.where(i < n // 2, u, -np.roll(u, n // 2)) / 4 + (i == 0) * 2.0**-9
    if kind == "offset":
        return {"float16": 1000.0, "bfloat16": 1000.0}.get(dtype, 1e6) + (u * 8 - 4)
    if kind == "near one":
        return 1 + (u - 0.5) * 2.0**-6
    if kind == "spread":
        return u * 20 - 10
    raise ValueError(kind)


ROWS = [("sum", k) for k in ("long", "signed", "scales", "cancelling", "offset")]
ROWS += [("cumsum", k) for k in ("long", "signed", "scales", "cancelling")]
ROWS += [("prod", "near one"), ("cumprod", "near one")]
ROWS += [("norm", k) for k in ("long", "scales", "offset")]
ROWS += [("variance", k) for k in ("long", "scales", "offset")]
ROWS += [("softmax", k) for k in ("spread", "long")] + [("logsumexp", k) for k in ("spread", "long")]


def error(op, x, y):
    x, y = x.astype(WIDE), np.asarray(y, dtype=np.float64).astype(WIDE)
    if op == "sum":
        return abs(y - x.sum()) / abs(x).sum()
    if op == "cumsum":
        return (abs(y - np.cumsum(x)) / np.cumsum(abs(x))).max()
    if op == "prod":
        exact = x.prod()
    elif op == "cumprod":
        exact = np.cumprod(x)
    elif op == "norm":
        exact = np.sqrt((x * x).sum())
    elif op == "variance":
        exact = ((x - x.mean()) ** 2).mean()
    else:
        e = np.exp(x - x.max())
        exact = e / e.sum() if op == "softmax" else np.log(e.sum()) + x.max()
    return (abs(y - exact) / abs(exact)).max()


def torch_engine():
    import torch

    ops = {
        "sum": lambda x: x.sum(),
        "cumsum": lambda x: x.cumsum(0),
        "prod": lambda x: x.prod(),
        "cumprod": lambda x: x.cumprod(0),
        "norm": torch.linalg.vector_norm,
        "variance": lambda x: x.var(correction=0),
        "softmax": lambda x: x.softmax(0),
        "logsumexp": lambda x: x.logsumexp(0),
    }
    to = lambda x, dtype: torch.from_numpy(x).to(getattr(torch, dtype))
    return torch.__version__, to, ops, lambda t: t.to(torch.float64).numpy()


def jax_engine():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    ops = {
        "sum": jnp.sum,
        "cumsum": jnp.cumsum,
        "prod": jnp.prod,
        "cumprod": jnp.cumprod,
        "norm": jnp.linalg.norm,
        "variance": jnp.var,
        "softmax": jax.nn.softmax,
        "logsumexp": jax.nn.logsumexp,
    }
    return (
        jax.__version__,
        lambda x, dtype: jnp.asarray(x).astype(dtype),
        ops,
        lambda t: np.asarray(t.astype("float64")),
    )


def measure(name):
    version, to, ops, back = {"torch": torch_engine, "jax": jax_engine}[name]()
    print(f"# {name} {version}, {datetime.date.today()}")
    for dtype in DTYPES:
        for op, kind in ROWS:
            for n in LENGTHS:
                x = to(data(kind, n, dtype), dtype)
                e = float(error(op, back(x), back(ops[op](x))))
                print(f"{dtype}|{op}|{kind}|{n}|{e if np.isfinite(e) else np.inf:.6g}")


def join(files):
    tables = []
    print("// Written by peers.py; do not edit by hand.")
    for file in files:
        lines = open(file, encoding="utf-8").read().split("\n")
        print(f"// {lines[0][2:]}")
        tables.append([line.split("|") for line in lines[1:] if line])
    for rows in zip(*tables):
        errors = ", ".join(row[4].replace("inf", "INFINITY") for row in rows)
        dtype, op, kind, n, _ = rows[0]
        short = {"float64": "kFloat64", "float32": "kFloat32", "float16": "kFloat16", "bfloat16": "kBFloat16"}
        print(f'{{{short[dtype]}, "{op}", "{kind}", {n}, {errors}}},')


if __name__ == "__main__":
    if sys.argv[1] == "join":
        join(sys.argv[2:])
    else:
        measure(sys.argv[1])
