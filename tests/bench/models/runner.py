"""What the suites of models share: one process for each model and mode, in turn; sampling; tables (not run by itself)."""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

LIMIT = 1e-4  # of values and gradients: the largest difference, relative to the largest number; float32 against float64


def arguments(doc, modes):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cap", type=float, default=1.0, help="seconds of sampling a model, mode and round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--mode", action="append", choices=modes)
    parser.add_argument("--check", action="store_true", help="values and gradients, one step each")
    parser.add_argument("--limit", type=int, default=300, help="seconds after which a process is ended")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def sample(step, cap):
    """Median and best time of a step, in seconds."""
    start = time.perf_counter()
    step()
    inner = max(1, int(0.002 / max(1e-9, time.perf_counter() - start)))
    samples, start = [], time.perf_counter()
    while len(samples) < 3 or time.perf_counter() - start < cap:
        t = time.perf_counter()
        for _ in range(inner):
            step()
        samples.append((time.perf_counter() - t) / inner)
    return statistics.median(samples), min(samples)


def pin(threads):
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:threads]))


def print_row(row):
    """The child's last line."""
    row["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(row), flush=True)


def _run_child(script, options, name, mode):
    threads = str(options.threads)
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "REEL_NUM_THREADS": threads, "JAX_PLATFORMS": "cpu",
                   "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}  # fmt: skip
    command = [sys.executable, "-B", script, "--child", name, "--mode", mode, "--threads", threads]
    command += ["--cap", str(options.cap)] + ["--check"] * options.check
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=options.limit)
    except subprocess.TimeoutExpired:
        return {"model": name, "mode": mode, "error": f"over {options.limit} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode == 0 and lines:
        return json.loads(lines[-1])
    last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return {"model": name, "mode": mode, "error": last[:300]}


def _table(rows, modes, own):
    """Markdown: milliseconds of each mode, best peer / Reel, seconds of the first call, memory."""
    print("| model | " + " | ".join(f"{m} ms" for m in modes) + " | peer / reel | first call s | MB |")
    print("|---" * (len(modes) + 4) + "|")
    ratios = []
    for name in dict.fromkeys(n for n, _ in rows):
        of = {m: rows.get((name, m)) for m in modes}
        good = {m: r for m, r in of.items() if r and "error" not in r}
        peers = [r["best_s"] for m, r in good.items() if m not in own]
        reels = [r["best_s"] for m, r in good.items() if m in own]
        ratio = min(peers) / min(reels) if peers and reels else None
        ratios += [ratio] if ratio else []
        times = " | ".join(f"{good[m]['best_s'] * 1e3:.3g}" if m in good else "error" for m in modes)
        first = " / ".join(f"{good[m]['first_call_s']:.1f}" if m in good else "-" for m in modes)
        memory = " / ".join(str(good[m]["rss_mb"]) if m in good else "-" for m in modes)
        print(f"| {name} | {times} | {f'{ratio:.2f}' if ratio else '-'} | {first} | {memory} |")
    if ratios:
        print(f"geometric mean of best peer / reel over {len(ratios)} models: {statistics.geometric_mean(ratios):.2f}")


def run(script, options, names, modes, own):
    """All models in all modes, which alternate; the best of the rounds counts. The number of rows that failed."""
    modes = options.mode or [m for m in modes if m in own or not options.check]
    rows, failed = {}, 0
    for _ in range(1 if options.check else options.rounds):
        for name in options.names or names:
            for mode in modes:
                row = _run_child(script, options, name, mode)
                print(json.dumps(row), flush=True)
                failed += "error" in row or max(row.get("value", 0), row.get("gradients", 0)) > LIMIT
                before = rows.get((name, mode))
                if before is None or "error" in before or row.get("best_s", 9e9) < before.get("best_s", 9e9):
                    rows[name, mode] = row
    if options.check:
        print(f"{len(rows)} models and ways, {failed} failed or beyond {LIMIT}")
    else:
        _table(rows, modes, own)
    return failed
