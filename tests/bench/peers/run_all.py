"""Runs the peers and writes results/*.jsonl and results/tables.md.

    python run_all.py --python torch=/path/to/python --python jax=... --python tf=...
    python run_all.py --table            only the tables, from the results there

Limits are those of machine.json here: `reel bench --calibrate --threads 2 --json`.
Each peer may live in its own virtual environment.  Options: --threads 1 2
(both by default), --only WORKLOAD ..., --mode MODE; new rows replace the old
of the same workload and mode.  The whole takes about 25 minutes.
"""

import argparse
import json
import os
import subprocess
import sys

import workloads

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "results")
PASSES = {"torch": [None, "eager+malloc"], "jax": [None, "jit+malloc"], "tf": [None]}
COLUMNS = [
    ("torch", "eager"),
    ("torch", "eager+malloc"),
    ("torch", "compile"),
    ("jax", "eager"),
    ("jax", "jit"),
    ("jax", "jit+malloc"),
    ("tensorflow", "eager"),
    ("tensorflow", "graph"),
    ("tensorflow", "xla"),
]


def result_path(peer, threads):
    return os.path.join(RESULTS, f"{peer}_t{threads}.jsonl")


def read(path):
    return [json.loads(s) for s in open(path)] if os.path.exists(path) else []


def run(peer, python, threads, only, mode):
    """New rows replace those of the same workload and mode."""
    path = result_path(peer, threads)
    rows = {(r["workload"], r["mode"]): r for r in read(path)}
    for m in [mode] if mode else PASSES[peer]:
        cmd = [python, os.path.join(HERE, f"{peer}_peer.py"), "--threads", str(threads), *only]
        cmd += ["--mode", m] if m else []
        out = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        for line in out.splitlines():
            if line.startswith("{"):
                r = json.loads(line)
                rows[r["workload"], r["mode"]] = r
                print(line[:150], flush=True)
    order = list(workloads.WORKLOADS)
    with open(path, "w") as f:
        f.writelines(json.dumps(r) + "\n" for r in sorted(rows.values(), key=lambda r: order.index(r["workload"])))


def show(s):
    for unit, k in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if s * k >= 1:
            return f"{s * k:.3g} {unit}" if s * k < 1000 else f"{s * k:.0f} {unit}"
    return f"{s * 1e9:.3g} ns" if s else "0"


def agrees(row, ref, tol=1e-4):
    return len(row["values"]) == len(ref) and all(
        abs(a - b) <= tol * max(abs(b), 1e-6) for a, b in zip(row["values"], ref)
    )


def tables():
    ref = json.load(open(os.path.join(HERE, "reference.json")))
    text = []
    for threads in (1, 2):
        rows = {}
        for peer in PASSES:
            for r in read(result_path(peer, threads)):
                rows.setdefault(r["workload"], {})[r["peer"], r["mode"]] = r
        if not rows:
            continue
        cols = [c for c in COLUMNS if any(c in v for v in rows.values())]
        text += [
            f"\n### Time of one step, {threads} thread{'s'[: threads - 1]} (median)\n",
            "| workload | " + " | ".join(f"{p} {m}" for p, m in cols) + " | limit | best peer / limit | agree |",
            "|---|" + "---:|" * (len(cols) + 2) + "---|",
        ]
        compile_rows, notes = [], []
        for name, by in rows.items():
            w = workloads.make(name)
            ok = {c: r for c, r in by.items() if "error" not in r}
            best = min(ok.values(), key=lambda r: r["median_s"]) if ok else None
            cells = []
            for c in cols:
                r = by.get(c)
                s = "" if r is None else "failed" if "error" in r else show(r["median_s"])
                cells.append(f"**{s}**" if r is best and r else s)
                if r and "error" in r:
                    notes.append(f"- {name} {c[0]} {c[1]}: {r['error']}")
                elif r and r["other_cores"] > 0.15:
                    notes.append(f"- {name} {c[0]} {c[1]}: disturbed, {r['other_cores']} cores of other work")
            bad = [f"{p} {m}" for (p, m), r in ok.items() if not agrees(r, ref[name])]
            for p_m, r in ok.items():
                if not agrees(r, ref[name]):
                    notes.append(f"- {name} {p_m}: {r['values']} against {ref[name]}")
            lim = limit(w, threads)
            text.append(
                f"| {name} | "
                + " | ".join(cells)
                + " | "
                + (f"{show(lim)} | {best['median_s'] / lim:.1f}" if lim and best else " | ")
                + f" | {'no: ' + ', '.join(bad) if bad else 'yes'} |"
            )
            compile_rows.append(
                (
                    name,
                    [show(by[c]["first_call_s"]) if c in ok else "" for c in cols],
                    [str(by[c]["rss_mb"]) if c in ok else "" for c in cols],
                )
            )
        text += [
            f"\n### Each peer's best mode against the fastest peer, {threads} thread{'s'[: threads - 1]}\n",
            "| workload | torch | jax | tensorflow |",
            "|---|---:|---:|---:|",
        ]
        for name, by in rows.items():
            best = {}
            for (p, m), r in by.items():
                if "error" not in r and r["median_s"] < best.get(p, (9e9,))[0]:
                    best[p] = (r["median_s"], m)
            fastest = min(v for v, _ in best.values())
            text.append(
                f"| {name} | "
                + " | ".join(
                    f"{best[p][0] / fastest:.1f} ({best[p][1]})" if p in best else ""
                    for p in ("torch", "jax", "tensorflow")
                )
                + " |"
            )
        for title, k in (("First call (trace, compile and run)", 1), ("Peak memory, MB", 2)):
            text += [
                f"\n### {title}, {threads} thread{'s'[: threads - 1]}\n",
                "| workload | " + " | ".join(f"{p} {m}" for p, m in cols) + " |",
                "|---|" + "---:|" * len(cols),
            ]
            text += [f"| {c[0]} | " + " | ".join(c[k]) + " |" for c in compile_rows]
        if notes:
            text += ["\nNotes:\n", *notes]
    with open(os.path.join(RESULTS, "tables.md"), "w") as f:
        f.write("\n".join(text) + "\n")
    print("\n".join(text))


def limit(w, threads):
    return workloads.limit_s(w, threads) if w.flops > 1e4 else None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("--python", action="append", default=[], metavar="PEER=PATH")
    ap.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    ap.add_argument("--only", nargs="+", default=[])
    ap.add_argument("--mode")
    ap.add_argument("--table", action="store_true")
    a = ap.parse_args()
    os.makedirs(RESULTS, exist_ok=True)
    if not a.table:
        pythons = dict(x.split("=", 1) for x in a.python) or dict.fromkeys(PASSES, sys.executable)
        for threads in a.threads:
            for peer, python in pythons.items():
                run(peer, python, threads, a.only, a.mode)
    tables()


if __name__ == "__main__":
    main()
