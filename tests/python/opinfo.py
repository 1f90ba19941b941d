"""The OpInfo-style table: functions of Reel beside PyTorch in float64, in every dtype, with first gradients.

    python opinfo.py [--all] [-v] [NAME...]       # --all: every sample of the database, and each compiled

What is compared for each sample and dtype: that eager and compiled code have the same bits; dtype and shape; values and
gradients against PyTorch's in float64 for the same (rounded) inputs. Differences that have a reason are in
opinfo_differences.txt: NAME DTYPE WHAT REASON.
"""

import argparse
import pathlib
import sys
import warnings

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db

import reel
import reel.tf as tf
from opinfo_rows import DROPPED, KEYWORDS, OWN, POSITIONAL, SAMPLED

warnings.filterwarnings("ignore")
FLOATS = ["float64", "float32", "float16", "bfloat16"]
INTEGERS = ["int64", "int32", "int16", "int8", "uint8"]
# Relative to the element, and to the largest element: what roundings of the inputs' dtype add up to in small samples.
TOLERANCE = {"float64": (1e-9, 1e-10), "float32": (2e-4, 2e-5), "float16": (2e-2, 4e-3), "bfloat16": (1e-1, 3e-2)}
MOST = 4  # samples of an entry, unless --all
ENTRIES = {}
for _op in op_db:
    ENTRIES.setdefault(_op.name, _op)


def differences():
    """{(name, dtype or '*', what): reason}."""
    out = {}
    for line in pathlib.Path(__file__).with_name("opinfo_differences.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, dtype, what, reason = line.split(None, 3)
            out[name, dtype, what] = reason
    return out


def find(name):
    f = {"reel": reel, "tf": tf}[name.split(".")[0]]
    for part in name.split(".")[1:]:
        f = getattr(f, part)
    return f


def map_tensors(tree, f):
    if isinstance(tree, torch.Tensor):
        return f(tree)
    if isinstance(tree, (list, tuple)):
        return [map_tensors(t, f) for t in tree]
    return tree


def leaves(tree):
    if isinstance(tree, (list, tuple)):
        return [x for t in tree for x in leaves(t)]
    return [tree]


def to_reel(t, module):
    if t.dtype == torch.bfloat16:
        x = reel.astype(reel.asarray(t.float().numpy()), reel.bfloat16)
    else:
        x = reel.asarray(np.array(t.resolve_conj().resolve_neg().numpy()))
    return tf.convert_to_tensor(x) if module == "tf" else x


def to_torch(y):
    y = reel.asarray(getattr(y, "_core_value", lambda: y)())
    if y.dtype.name in ("float16", "bfloat16"):
        return torch.from_numpy(np.array(np.asarray(reel.astype(y, reel.float64))))
    return torch.from_numpy(np.array(np.asarray(y)))


class Case:
    """One sample: how Reel is called with its tensors, and the oracle on tensors of float64."""

    def __init__(self, name, ours, oracle, tensors, gradient):
        self.name, self.ours, self.oracle, self.tensors, self.gradient = name, ours, oracle, tensors, gradient


def sampled_cases(name, dtype, most):
    entry = ENTRIES[SAMPLED[name]]
    kind = getattr(torch, dtype)
    base = torch.float64 if dtype in FLOATS else kind
    if base not in entry.dtypes or (dtype in INTEGERS and "tf." in name):
        return
    f = find(name)
    for i, sample in enumerate(entry.sample_inputs("cpu", base)):
        if i >= most:
            return
        if set(sample.kwargs) & DROPPED and any(
            sample.kwargs[k] not in (None, False) for k in set(sample.kwargs) & DROPPED
        ):
            continue
        raw = [sample.input, *sample.args]
        keep = {k: v for k, v in sample.kwargs.items() if k not in DROPPED}
        if any(isinstance(v, torch.Tensor) for v in keep.values()) or any(k not in KEYWORDS for k in keep):
            continue
        tensors = [t.detach() for t in leaves(raw) if isinstance(t, torch.Tensor)]
        if any(t.numel() > 2000 for t in tensors):
            continue
        tensors = [t.to(kind) if t.is_floating_point() else t for t in tensors]

        def rebuild(tree, given):
            return map_tensors(tree, lambda _: next(given))

        def ours(*xs, raw=raw, keep=keep):
            args = rebuild(raw, iter(xs))
            named = dict(zip(POSITIONAL.get(entry.name, []), args[1:])) if entry.name in POSITIONAL else {}
            positional = args[:1] if named else args
            for k, v in keep.items():
                named[KEYWORDS[k]] = v
            if entry.name == "nn.functional.gelu":
                named = {"approximate": True} if keep.get("approximate") == "tanh" else {}
            if entry.name in ("tile", "permute", "reshape", "broadcast_to"):
                positional = [args[0], args[1] if len(args) == 2 else args[1:]]
            if entry.name == "polygamma":
                positional = [float(args[1]) if isinstance(args[0], type(xs[0])) else float(args[0]), xs[0]]
            return f(*positional, **named)

        def oracle(*xs, sample=sample, raw=raw):
            args = rebuild(raw, iter(xs))
            return entry.op(args[0], *args[1:], **sample.kwargs)

        yield Case(name, ours, oracle, tensors, entry.supports_autograd)


def own_cases(row, dtype):
    name, ours, oracle, inputs, gradient, dtypes, integers = row
    if dtype in INTEGERS:
        if not integers:
            return
        tensors = [
            torch.from_numpy(np.array(np.round(x * 3))).to(getattr(torch, dtype))
            if x.dtype.kind == "f"
            else torch.from_numpy(x)
            for x in inputs
        ]
    elif dtypes and dtype not in dtypes:
        return
    else:
        tensors = [torch.from_numpy(np.array(x)) for x in inputs]
        tensors = [t.to(getattr(torch, dtype)) if t.is_floating_point() else t for t in tensors]
    yield Case(name, ours, oracle, tensors, gradient)


def close(got, want, dtype, factor=1.0):
    if got.shape != want.shape:
        return f"shape {tuple(got.shape)} is not {tuple(want.shape)}"
    if got.dtype == torch.bool or not (got.is_floating_point() or got.is_complex()):
        return (
            None
            if torch.equal(
                got.to(torch.int64) if got.dtype != torch.bool else got,
                want.to(torch.int64) if want.dtype != torch.bool else want,
            )
            else f"{got} is not {want}"
        )
    got = got.to(torch.complex128 if got.is_complex() else torch.float64)
    want = want.to(got.dtype)
    relative, absolute = TOLERANCE[dtype]
    largest = {"float16": 65504.0, "bfloat16": 3.3e38, "float32": 3.4e38}.get(dtype)
    if largest and not want.is_complex():
        want = torch.where(want.abs() > largest, torch.sign(want) * np.inf, want)
    finite = want[torch.isfinite(want)].abs()
    scale = max(1.0, float(finite.max()) if finite.numel() else 1.0)
    same = torch.isclose(got, want, rtol=relative * factor, atol=absolute * factor * scale, equal_nan=True)
    if bool(same.all()):
        return None
    return f"{got[~same][:3].tolist()} is not {want[~same][:3].tolist()}"


def seeds(results):
    out = []
    for y in results:
        n = y.numel()
        out.append(torch.cos(torch.arange(n, dtype=torch.float64) * 1.3).reshape(y.shape) + 0.25)
    return out


def compare(case, dtype, compiled):
    """Yields (what, text) of each difference; nothing if all agree. Raises what Reel refuses."""
    module = case.name.split(".")[0]
    xs = [to_reel(t, module) for t in case.tensors]
    wide = [t.to(torch.float64) if t.is_floating_point() else t for t in case.tensors]
    results = leaves(case.ours(*xs))
    wanted = leaves(case.oracle(*wide))
    got = [to_torch(y) for y in results]
    if len(got) != len(wanted):
        yield "count", f"{len(got)} results, not {len(wanted)}"
        return
    for y, g, w in zip(results, got, wanted):
        problem = close(g, w, dtype if dtype in FLOATS else "float32")
        if problem:
            yield "value", problem
        kind = reel.asarray(getattr(y, "_core_value", lambda: y)()).dtype
        if (
            dtype in FLOATS
            and w.dtype == torch.float64
            and kind.name != dtype
            and "cast" not in case.name
            and "astype" not in case.name
        ):
            yield "dtype", f"{kind} is not {dtype}"
    called = lambda *args: case.ours(*args)  # without the defaults, which tf.function takes for arguments
    function = tf.function(called, autograph=False) if module == "tf" else reel.function(called)
    if compiled:
        for y, again in zip(got, [to_torch(t) for t in leaves(function(*xs))]):
            if y.numpy().tobytes() != again.numpy().tobytes() and not torch.equal(
                torch.nan_to_num(y), torch.nan_to_num(again)
            ):
                wrong = (y != again) & ~(torch.isnan(y) & torch.isnan(again)) if y.is_floating_point() else y != again
                yield "bits", f"eager {y[wrong][:3].tolist()} is not compiled {again[wrong][:3].tolist()}"
    if dtype not in FLOATS or not case.gradient:
        return
    moving = [i for i, t in enumerate(wide) if t.is_floating_point()]
    for i in moving:
        wide[i] = wide[i].clone().requires_grad_()
    wanted = leaves(case.oracle(*wide))
    real = [i for i, w in enumerate(wanted) if w.dtype == torch.float64 and w.requires_grad]
    if not real or not moving:
        return
    weights = seeds([wanted[i] for i in real])
    want = torch.autograd.grad(
        sum((wanted[i] * s).sum() for i, s in zip(real, weights)), [wide[i] for i in moving], allow_unused=True
    )
    tape = (tf if module == "tf" else reel).GradientTape()
    with tape:
        tape.watch([xs[i] for i in moving])
        results = leaves(case.ours(*xs))
        ys = [results[i] for i in real]
    given = [to_reel(s.to(getattr(torch, dtype)), module) for s in weights]
    dys = [g if r.dtype.name == dtype else reel.astype(g, r.dtype) for g, r in zip(given, ys)]
    grads = tape.gradient(ys, [xs[i] for i in moving], output_gradients=dys)
    for g, w in zip(grads, want):
        if g is None and w is None:
            continue
        if w is None:
            w = torch.zeros_like(to_torch(g), dtype=torch.float64)
        if g is None:
            if bool((w != 0).any()):
                yield "gradient", f"None is not {w.flatten()[:3].tolist()}"
            continue
        g = tf.convert_to_tensor(g) if module == "tf" else reel.asarray(g)
        problem = close(to_torch(g), w, dtype, 10.0)
        if problem:
            yield "gradient", problem


def rows():
    table = {}
    for name in SAMPLED:
        table.setdefault(name, []).append(None)
    for row in OWN:
        table.setdefault(row[0], []).append(row)
    return table


def run(names=None, most=MOST, compile_first=2, verbose=False):
    """{name: (samples compared, samples refused)}, [unexplained], [explained]."""
    explained_by, counts, bad, explained = differences(), {}, [], []
    for name, sources in rows().items():
        if names and name not in names:
            continue
        compared, refused = 0, []
        for dtype in FLOATS + INTEGERS:
            for source in sources:
                cases = sampled_cases(name, dtype, most) if source is None else own_cases(source, dtype)
                for i, case in enumerate(cases):
                    try:
                        found = list(
                            compare(case, dtype, i < compile_first and dtype in ("float64", "bfloat16", "int32"))
                        )
                    except (TypeError, ValueError, RuntimeError, NotImplementedError, AttributeError) as error:
                        refused.append(f"{dtype}: {type(error).__name__}: {error}")
                        continue
                    compared += 1
                    for what, text in found:
                        line = f"{name} {dtype} {what}: {text}"
                        reason = explained_by.get((name, dtype, what)) or explained_by.get((name, "*", what))
                        (explained if reason else bad).append(line if not reason else f"{line} [{reason}]")
        counts[name] = (compared, refused)
        if verbose:
            print(name, compared, len(refused), refused[:1], flush=True)
    return counts, bad, explained


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    counts, bad, explained = run(args.names, 10**9 if args.all else MOST, 10**9 if args.all else 1, args.v)
    print("\n".join(bad))
    print(
        f"{len(counts)} functions, {sum(n for n, _ in counts.values())} samples compared, "
        f"{sum(len(r) for _, r in counts.values())} refused, {len(explained)} explained differences, {len(bad)} mismatches"
    )
    none = [n for n, (compared, _) in counts.items() if not compared]
    if none:
        print("nothing compared:", *(f"\n  {n}: {counts[n][1][:1]}" for n in none))
    return 1 if bad or none else 0


if __name__ == "__main__":
    sys.exit(main())
