"""Reel beside its peers, measured in turn: paired ratios as Markdown tables.

    python compare.py --reel build/bin/reel --python torch=PATH --python jax=PATH \\
        --python tf=PATH [--threads 1] [--rounds 5] [--cap 0.5] [--modes all] WORKLOAD ...

WORKLOAD: names, or the sets `all` (every workload with a figure to reach) and `quick`. Every round
runs Reel and then each peer on the same inputs (workloads.py), so drift of the machine hits all of
them. The first table has Reel's median time, the limit that Reel measured in the same run, the
fastest peer, and its time divided by Reel's (above 1 Reel is faster) with what is wanted; the
second has every peer: its median time and, in brackets, its time divided by Reel's, the median of
the rounds' ratios and their range. Values must agree with the float64 reference.

    python compare.py --reel build/bin/reel --function PYTHON all  the same steps as a reel.function
        --fail                                                     status 1 if a row costs more than is allowed

adds reel.function's time beside `reel bench`'s, workload by workload in turn: at most 3 % and 0.5 us more are
allowed. PYTHON must find the package (PYTHONPATH=build/python).

    python compare.py ... --memory all                             also resident memory at the peak

    python compare.py --reel build/bin/reel --store FILE all       keeps Reel's medians
    python compare.py --reel build/bin/reel --against FILE all     old time divided by new time
        --fail                                                     status 1 if a row lost over 10 %
"""

import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import run_all
import workloads

HERE = os.path.dirname(os.path.abspath(__file__))
# Runs of a peer: the modes of each ("+malloc" modes need a process of their own).
MODES = {"torch": [["eager"]], "jax": [["jit"]], "tf": [["graph", "xla"]]}
ALL_MODES = {
    "torch": [["eager", "compile"], ["eager+malloc"]],
    "jax": [["jit"], ["jit+malloc"]],
    "tf": [["graph", "xla"]],
}
# Figures to reach: at most so many times the limit (one thread), and as fast as the best peer.
FIGURES = {
    "mlp_small": (1.5, 1.4),
    "mlp_mnist": (1.25, 1.25),
    "mlp_mnist_adam": (1.3, 1.4),
    "cnn_mnist": (1.4, 1.35),
    "resblock": (1.3, 1.07),
    "lstm_char": (1.5, 1.3),
    "gpt_char": (1.4, 1.65),
    "gpt2_124m": (1.3, 1.4),
    "attention_b4_t256": (1.6, 2.5),
    "attention_b1_t1024": (1.4, 1.85),
    "vocab_loss": (1.6, 3.4),
    "norm_gelu": (2, 7),
    "ew_fwd_14": (1.6, 2),
    "ew_fwd_20": (1.6, 2),
    "ew_fwd_24": (1.6, 2),
    "ew_grad_14": (1.8, 4),
    "ew_grad_20": (1.8, 4),
    "ew_grad_24": (1.8, 4),
    "adam_16x1m": (1.06, 1.0),
    "adam_200x10k": (None, 1.2),
    "gmm_d10_n1k": (4, 5),
    "gmm_d10_n10k": (4, 7),
    "gmm_d64_n1k": (3, 3.2),
    "matmul_64": (1.3, 1.6),
    "matmul_256": (1.15, 1.13),
    "matmul_1024": (1.2, 1.02),
    "matmul_1024_bf16": (1.25, 1.0),
    "bmm_64x64": (1.2, 1.2),
    "chain1000": (None, 2),
}
LOOSER = 1.15  # the limit's figure with two threads
SLOWER = 1.1  # what --fail allows
# What a call from Python may cost more than one of the compiled step.
FUNCTION_SHARE, FUNCTION_SECONDS = 0.03, 0.5e-6
SETS = {
    "all": list(FIGURES),
    "quick": [
        "mlp_small",
        "lstm_char",
        "ew_fwd_14",
        "ew_grad_14",
        "gmm_d10_n1k",
        "matmul_64",
        "matmul_256",
        "chain1000",
    ],
}


def rows_of(command):
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def one_round(args, data):
    """{(peer, mode): {workload: row}} of one run of every system."""
    common = ["--threads", str(args.threads), "--cap", str(args.cap)]
    rows = []
    for names in [[name] for name in args.workload] if args.function else [args.workload]:
        rows += rows_of([args.reel, "bench", *names, *common, "--data", data, "--json"])
        if args.function:
            rows += rows_of([args.function, os.path.join(HERE, "function_peer.py"), *common, *names])
    for peer, python in args.python:
        for modes in (ALL_MODES if args.modes == "all" else MODES)[peer]:
            words = [word for m in modes for word in ("--mode", m)]
            rows += rows_of([python, os.path.join(HERE, f"{peer}_peer.py"), *common, *words, *args.workload])
    by = {}
    for r in rows:
        by.setdefault((r["peer"], r["mode"]), {})[r["workload"]] = r
    return by


def rows_by(rounds, system, name):
    """Its rows of the rounds, whatever their mode, or None if one has none."""
    rows = [next((v[name] for k, v in by.items() if k[0] == system and name in v), {}) for by in rounds]
    return rows if all("median_s" in r for r in rows) else None


def reel_rows(rounds, name):
    return rows_by(rounds, "reel", name)


def reel_median(rounds, name):
    rows = reel_rows(rounds, name)
    return rows and statistics.median(r["median_s"] for r in rows)


def peers_of(rounds):
    return sorted({k for by in rounds for k in by if k[0] not in ("reel", "reel.function")})


def ratios_of(rounds, name):
    """{peer: (median seconds, [its time / Reel's of each round])} of peers with all rows."""
    out, own = {}, reel_rows(rounds, name)
    for key in peers_of(rounds):
        rows = [by.get(key, {}).get(name, {}) for by in rounds]
        if own and all("median_s" in r for r in rows):
            out[key] = (
                statistics.median(r["median_s"] for r in rows),
                [r["median_s"] / o["median_s"] for r, o in zip(rows, own)],
            )
    return out


def mean(ratios):
    return math.exp(statistics.fmean(math.log(r) for r in ratios))


def verdict(rounds, name, ref):
    bad = sorted(
        {
            f"{k[0]} {k[1]}"
            for by in rounds
            for k, v in by.items()
            if "values" in v.get(name, {}) and not run_all.agrees(v[name], ref[name])
        }
    )
    return "no: " + ", ".join(bad) if bad else "yes"


def wanted(figure, sign):
    return f" ({sign} {figure:.3g})" if figure else ""


def summary(args, rounds):
    """Reel, its limit and the best peer of each row, in the form of the figures to reach."""
    ref = json.load(open(os.path.join(HERE, "reference.json")))
    lines = [
        "| workload | reel | limit | x limit | best peer | peer / reel | values agree |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    best_ratios = []
    for name in args.workload:
        own = reel_rows(rounds, name)
        if own is None:
            lines.append(f"| {name} | no row | | | | | |")
            continue
        x_limit, x_peer = FIGURES.get(name, (None, None))
        if x_limit and args.threads > 1:
            x_limit *= LOOSER
        over = statistics.median(r["median_s"] / r["limit_s"] for r in own)
        limit = statistics.median(r["limit_s"] for r in own)
        cells = [
            run_all.show(reel_median(rounds, name)),
            run_all.show(limit),
            f"{over:.2f}{wanted(x_limit, '<=')}",
            "",
            "",
        ]
        peers = ratios_of(rounds, name)
        if peers:
            key = min(peers, key=lambda k: peers[k][0])
            best_ratios.append(statistics.median(peers[key][1]))
            cells[3] = f"{run_all.show(peers[key][0])} {key[0]} {key[1]}"
            cells[4] = f"{best_ratios[-1]:.2f}{wanted(x_peer, '>=')}"
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {verdict(rounds, name, ref)} |")
    if best_ratios:
        lines += ["", f"Geometric mean of best peer / reel over {len(best_ratios)} rows: {mean(best_ratios):.2f}"]
    return lines


def functions(args, rounds):
    """Lines of a table of reel.function beside `reel bench`, and the rows that cost more than is allowed."""
    lines = ["| workload | reel bench | reel.function | more | within 3 % and 0.5 us |", "|---|---:|---:|---:|---|"]
    over = []
    for name in args.workload:
        own, its = reel_rows(rounds, name), rows_by(rounds, "reel.function", name)
        if own is None or its is None:
            lines.append(f"| {name} | no row | | | |")
            over.append(name)
            continue
        pairs = [(o["median_s"], i["median_s"]) for o, i in zip(own, its)]
        spare = statistics.median((1 + FUNCTION_SHARE) * o + FUNCTION_SECONDS - i for o, i in pairs)
        more = statistics.median(i - o for o, i in pairs)
        median = statistics.median(o for o, _ in pairs)
        times = [run_all.show(median), run_all.show(statistics.median(i for _, i in pairs))]
        sign = "-" if more < 0 else "+"
        times.append(f"{sign}{run_all.show(abs(more))} ({more / median:+.1%})")
        lines.append(f"| {name} | " + " | ".join(times) + f" | {'yes' if spare >= 0 else 'no'} |")
        if spare < 0:
            over.append(name)
    if over:
        lines += ["", "reel.function costs more than is allowed: " + ", ".join(over)]
    return lines, over


def details(args, rounds):
    peers = peers_of(rounds)
    lines = [
        "| workload | reel | " + " | ".join(f"{p} {m}" for p, m in peers) + " |",
        "|---|---:|" + "---:|" * len(peers),
    ]
    for name in args.workload:
        if reel_rows(rounds, name) is None:
            continue
        cells, have = [run_all.show(reel_median(rounds, name))], ratios_of(rounds, name)
        for key in peers:
            if key not in have:
                cells.append("-")
                continue
            seconds, ratios = have[key]
            cells.append(
                f"{run_all.show(seconds)} [{statistics.median(ratios):.2f}, {min(ratios):.2f}-{max(ratios):.2f}]"
            )
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def memory(args, rounds):
    """Megabytes of each process at its peak, and in brackets how much more than before it had the inputs."""
    peers = peers_of(rounds)
    lines = [
        "| MB at the peak (more than at rest) | reel | " + " | ".join(f"{p} {m}" for p, m in peers) + " | least peer |",
        "|---|---:|" + "---:|" * (len(peers) + 1),
    ]
    ratios = []
    for name in args.workload:
        cells, more = [], {}
        for key in [("reel", None), *peers]:
            rows = reel_rows(rounds, name) if key[0] == "reel" else [by.get(key, {}).get(name, {}) for by in rounds]
            if not rows or not all("rss_mb" in r for r in rows):
                cells.append("-")
                continue
            peak = statistics.median(r["rss_mb"] for r in rows)
            more[key] = statistics.median(r["rss_mb"] - r["rest_mb"] for r in rows)
            cells.append(f"{peak:.0f} ({more[key]:.0f})")
        own = more.pop(("reel", None), None)
        if own and more:
            ratios.append(min(more.values()) / own)
            cells.append(f"{ratios[-1]:.2f}")
        else:
            cells.append("-")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    if ratios:
        lines += ["", f"Geometric mean of the least peer's more / reel's over {len(ratios)} rows: {mean(ratios):.2f}"]
    return lines


def store(args, rounds):
    medians = {name: reel_median(rounds, name) for name in args.workload}
    with open(args.store, "w") as f:
        json.dump({"threads": args.threads, "median_s": medians}, f, indent=1)


def against(args, rounds):
    """Lines of a table, and the rows that are slower than allowed."""
    old = json.load(open(args.against))
    if old["threads"] != args.threads:
        sys.exit(f"{args.against} was stored with --threads {old['threads']}")
    slower, ratios = [], []
    lines = ["| workload | stored | now | stored / now |", "|---|---:|---:|---:|"]
    for name in args.workload:
        before, now = old["median_s"].get(name), reel_median(rounds, name)
        if not before:
            continue
        if not now:  # it ran once
            slower.append(name)
            lines.append(f"| {name} | {run_all.show(before)} | no row | |")
            continue
        ratios.append(before / now)
        if now > SLOWER * before:
            slower.append(name)
        lines.append(f"| {name} | {run_all.show(before)} | {run_all.show(now)} | {before / now:.2f} |")
    if ratios:
        lines += ["", f"Geometric mean of stored / now over {len(ratios)} rows: {mean(ratios):.2f}"]
    if slower:
        lines.append(f"Over {SLOWER - 1:.0%} slower: " + ", ".join(slower))
    return lines, slower


def peer_python(text):
    peer, _, path = text.partition("=")
    if peer not in MODES or not path:
        raise argparse.ArgumentTypeError(f"'{text}' is not one of torch=PATH, jax=PATH, tf=PATH")
    return peer, path


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("workload", nargs="+", choices=[*SETS, *workloads.WORKLOADS], metavar="WORKLOAD")
    ap.add_argument("--reel", required=True)
    ap.add_argument("--python", action="append", default=[], type=peer_python, metavar="PEER=PATH")
    ap.add_argument(
        "--modes",
        choices=("usual", "all"),
        default="usual",
        help="all: also torch.compile and peers told to keep freed memory",
    )
    ap.add_argument("--threads", type=int, choices=(1, 2), default=1)
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--cap", type=float, default=0.5, help="seconds of sampling per case")
    ap.add_argument("--function", metavar="PYTHON", help="reel.function beside `reel bench`, by this Python")
    ap.add_argument("--memory", action="store_true", help="a table of resident memory")
    ap.add_argument("--store", metavar="FILE")
    ap.add_argument("--against", metavar="FILE")
    ap.add_argument("--fail", action="store_true", help="with --against or --function")
    args = ap.parse_args()
    names = [n for w in args.workload for n in SETS.get(w, [w])]
    args.workload = list(dict.fromkeys(names))
    return args


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as data:
        with contextlib.redirect_stdout(sys.stderr):
            workloads.export(data, args.workload)
        rounds = []
        for i in range(args.rounds):
            rounds.append(one_round(args, data))
            print(f"round {i + 1} of {args.rounds}", file=sys.stderr, flush=True)
    print("\n".join(summary(args, rounds)))
    if len(peers_of(rounds)) > 1:
        print("\n" + "\n".join(details(args, rounds)))
    slower = []
    if args.function:
        lines, slower = functions(args, rounds)
        print("\n" + "\n".join(lines))
    if args.memory:
        print("\n" + "\n".join(memory(args, rounds)))
    if args.against:
        lines, lost = against(args, rounds)
        slower += lost
        print("\n" + "\n".join(lines))
    if args.store:
        store(args, rounds)
    sys.exit(1 if args.fail and slower else 0)


if __name__ == "__main__":
    main()
