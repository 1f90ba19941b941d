"""Reel beside its peers, measured in turn: paired ratios as a Markdown table.

    python compare.py --reel build/bin/reel --python torch=PATH --python jax=PATH \\
        --python tf=PATH [--threads 1] [--rounds 5] [--cap 0.5] WORKLOAD ...

Every round runs Reel and then each peer on the same inputs (workloads.py), so drift of the machine
hits all of them. A cell shows a peer's median time and, in brackets, Reel's time divided by it: the
median of the rounds' ratios and their range. Below 1 Reel is faster. Reel is its fastest compiled
mode unless --reel-mode names one. Each row of every system must agree with the float64 reference.
"""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

import run_all
import workloads

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = {"torch": ["eager"], "jax": ["jit"], "tf": ["graph", "xla"]}


def rows_of(command):
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True).stdout
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def one_round(args, data):
    """{(peer, mode): {workload: row}} of one run of every system."""
    rows = rows_of([args.reel, "bench", *args.workload, "--threads", str(args.threads),
                    "--data", data, "--json"])
    for peer, python in args.python:
        modes = [word for m in MODES[peer] for word in ("--mode", m)]
        rows += rows_of([python, os.path.join(HERE, f"{peer}_peer.py"), "--threads",
                         str(args.threads), "--cap", str(args.cap), *modes, *args.workload])
    by = {}
    for r in rows:
        by.setdefault((r["peer"], r["mode"]), {})[r["workload"]] = r
    return by


def reel_mode(args, rounds, name):
    """The mode of Reel to compare: the named one, else the fastest that is not eager."""
    modes = [m for p, m in rounds[0] if p == "reel" and name in rounds[0][p, m]]
    if args.reel_mode in modes:
        return args.reel_mode
    modes = [m for m in modes if m != "eager"] or modes
    return min(modes, key=lambda m: rounds[0]["reel", m][name]["median_s"], default=None)


def table(args, rounds):
    ref = json.load(open(os.path.join(HERE, "reference.json")))
    peers = sorted({k for by in rounds for k in by if k[0] != "reel"})
    lines = ["| workload | reel | " + " | ".join(f"{p} {m}" for p, m in peers)
             + " | limit | values agree |", "|---|---:|" + "---:|" * (len(peers) + 1) + "---|"]
    for name in args.workload:
        mode = reel_mode(args, rounds, name)
        if mode is None:
            lines.append(f"| {name} | no row |" + " |" * (len(peers) + 2))
            continue
        own = [by["reel", mode][name]["median_s"] for by in rounds]
        cells = [f"{run_all.show(statistics.median(own))} ({mode})"]
        for key in peers:
            rows = [by.get(key, {}).get(name, {}) for by in rounds]
            if not all("median_s" in r for r in rows):
                cells.append("failed")
                continue
            ratios = [t / r["median_s"] for t, r in zip(own, rows)]
            cells.append(f"{run_all.show(statistics.median(r['median_s'] for r in rows))} "
                         f"[{statistics.median(ratios):.2f}, {min(ratios):.2f}-{max(ratios):.2f}]")
        cells.append(run_all.show(workloads.limit_s(workloads.make(name), args.threads)))
        bad = sorted({f"{k[0]} {k[1]}" for by in rounds for k, v in by.items()
                      if "values" in v.get(name, {}) and not run_all.agrees(v[name], ref[name])})
        lines.append(f"| {name} | " + " | ".join(cells)
                     + f" | {'no: ' + ', '.join(bad) if bad else 'yes'} |")
    return "\n".join(lines)


def peer_python(text):
    peer, _, path = text.partition("=")
    if peer not in MODES or not path:
        raise argparse.ArgumentTypeError(f"'{text}' is not one of torch=PATH, jax=PATH, tf=PATH")
    return peer, path


def main():
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("workload", nargs="+", choices=list(workloads.WORKLOADS), metavar="WORKLOAD")
    ap.add_argument("--reel", required=True)
    ap.add_argument("--reel-mode")
    ap.add_argument("--python", action="append", default=[], type=peer_python, metavar="PEER=PATH")
    ap.add_argument("--threads", type=int, choices=(1, 2), default=1)
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--cap", type=float, default=0.5, help="seconds of sampling per case")
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as data:
        with contextlib.redirect_stdout(sys.stderr):
            workloads.export(data, args.workload)
        rounds = []
        for i in range(args.rounds):
            rounds.append(one_round(args, data))
            print(f"round {i + 1} of {args.rounds}", file=sys.stderr, flush=True)
    print(table(args, rounds))


if __name__ == "__main__":
    main()
