"""Functions of JAX's in Reel: values, and gradients that Reel takes of what it has read, beside JAX's.

    jax_rows.py                                           # runs all rows
    jax_rows.py --write tests/python/jax_rows.jsonl.gz    # and records texts, inputs and results for test_jax.py

Each row is a function and arguments. Bits of jax.random, integers and bools must be equal.
"""

import argparse
import base64
import gzip
import json

import jax
import jax.numpy as jnp
import numpy as np
from jax_cases import ROWS

import reel

# Of float32, relative to the largest number of a result; half as much as an op or two of each program round.
TOLERANCE = 2e-5


def leaves(tree):
    return [
        np.asarray(
            jax.random.key_data(x) if jax.dtypes.issubdtype(getattr(x, "dtype", np.float32), jax.dtypes.prng_key) else x
        )
        for x in jax.tree_util.tree_leaves(tree)
    ]


def difference(got, want, tolerance):
    """None, or what differs."""
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"{got.dtype}{list(got.shape)} for {want.dtype}{list(want.shape)}"
    if want.dtype.kind in "biu" or tolerance == 0:
        return None if got.tobytes() == want.tobytes() else f"{got} for {want}"
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    a, b = got.astype(wide), want.astype(wide)
    scale = max((float(abs(v)) for v in b.ravel() if np.isfinite(v)), default=0.0)
    with np.errstate(invalid="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | (abs(a - b) <= tolerance * (1 + scale))
    return None if same.all() else f"{a[~same][:3]} for {b[~same][:3]}"


def weights(shape):
    n = int(np.prod(shape))
    return (np.cos(np.arange(n) * 1.3) + 0.25).reshape(shape).astype(np.float32)


def is_float(x):
    return np.asarray(x).dtype == np.float32


def jax_gradients(function, args):
    """By all leaves of float32, of the results of float32, weighted."""
    flat, structure = jax.tree_util.tree_flatten(args)
    places = [i for i, x in enumerate(flat) if hasattr(x, "dtype") and x.dtype == np.float32]

    def loss(chosen):
        given = list(flat)
        for i, x in zip(places, chosen):
            given[i] = x
        out = jax.tree_util.tree_leaves(function(*jax.tree_util.tree_unflatten(structure, given)))
        return sum(jnp.sum(y * weights(y.shape)) for y in out if y.dtype == np.float32)

    return places, [np.asarray(g) for g in jax.grad(loss)([flat[i] for i in places])]


def reel_gradients(function, inputs, places):
    """The same of a function of Reel's on leaves."""
    given = [reel.asarray(x) for x in inputs]
    with reel.GradientTape() as tape:
        for i in places:
            tape.watch(given[i])
        out = function(*given)
        out = [out] if isinstance(out, reel.Tensor) else list(out)
        loss = sum(reel.sum(y * reel.asarray(weights(y.shape))) for y in out if y.dtype == reel.float32)
    gradients = tape.gradient(loss, [given[i] for i in places])
    return [np.zeros(given[i].shape, np.float32) if g is None else np.asarray(g) for i, g in zip(places, gradients)]


def check(name, function, args, options):
    """Faults, and the record."""
    imported = reel.from_jax(function, *args)
    tolerance = options.get("tolerance", TOLERANCE)
    # As JAX takes them: 32 bits.
    inputs, want = leaves(jax.tree_util.tree_map(jnp.asarray, args)), leaves(jax.jit(function)(*args))
    faults = [
        f"result {i}: {d}"
        for i, (g, w) in enumerate(zip(leaves(imported(*args)), want))
        if (d := difference(g, w, tolerance))
    ]
    record = {
        "name": name,
        "text": jax.jit(function, keep_unused=True).lower(*args).as_text(),
        "tolerance": tolerance,
        "inputs": inputs,
        "results": want,
        "places": [],
        "gradients": [],
    }
    if options.get("gradient", True) and any(map(is_float, want)) and any(map(is_float, inputs)):
        record["places"], record["gradients"] = jax_gradients(function, args)
        got = reel_gradients(imported._function, inputs, record["places"])
        faults += [
            f"gradient {i}: {d}"
            for i, (g, w) in enumerate(zip(got, record["gradients"]))
            if (d := difference(g, w, 10 * tolerance))
        ]
    return faults, record


def plain(x):
    """A record as JSON."""
    if isinstance(x, np.ndarray):
        return {"dtype": x.dtype.name, "shape": x.shape, "bytes": base64.b64encode(x.tobytes()).decode()}
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [plain(v) for v in x] if isinstance(x, (list, tuple)) else x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    records, failed = [], 0
    for name, function, args, how in ROWS:
        if options.only not in name:
            continue
        try:
            faults, record = check(name, function, args, how)
            records += [plain(record)] if not faults else []
        except Exception as e:  # noqa: BLE001: the others run all the same
            faults = [f"{type(e).__name__}: {e}"]
        for fault in faults:
            print(f"jax_rows: {name}: {fault}")
        failed += bool(faults)
    print(f"jax_rows: {len(ROWS)} functions, {failed} failed")
    if options.write:  # what holds
        text = "".join(json.dumps(r, separators=(",", ":")) + "\n" for r in records)
        with open(options.write, "wb") as file:
            file.write(gzip.compress(text.encode(), mtime=0))
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
