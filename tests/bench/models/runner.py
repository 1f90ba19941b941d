"""What the suites of models share: a process for each model and mode, held while others are sampled; tables (not run by itself)."""

import argparse
import json
import os
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

LIMIT = 1e-4  # of values and gradients: the largest difference, relative to the largest number; float32 against float64
EXACT_LIMIT = 1e-8  # of gradients, float64 against float64


def arguments(doc, modes):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cap", type=float, default=0.5, help="seconds of sampling a model, mode and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mode", action="append", choices=modes)
    parser.add_argument("--check", action="store_true", help="values and gradients, one step each")
    parser.add_argument("--tune", action="store_true", help="steps end with AdamW's update of all parameters")
    parser.add_argument(
        "--onnx", action="store_true", help=argparse.SUPPRESS
    )  # of torch_models.py, which says what it is
    parser.add_argument("--limit", type=int, default=300, help="seconds after which a process is ended")
    parser.add_argument(
        "--alone", help="a command that stills the machine from its first line of output until its input ends"
    )
    parser.add_argument(
        "--caches", help="a folder that keeps what inductor compiled (first calls are then no first calls)"
    )
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tune and options.check:
        parser.error("--check compares gradients, of steps without --tune")
    return options


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
    return {"median_s": statistics.median(samples), "best_s": min(samples)}


def distance(a, b):
    """The largest difference relative to b's largest number; infinite for NaN, which no comparison would find."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    apart = float(np.abs(a - b).max() / (np.abs(b).max() + 1e-30))
    return apart if apart == apart else float("inf")


def compare(value, exact, pairs):
    """What --check reports; pairs are gradients with the exact ones."""
    largest = max(np.abs(np.asarray(w)).max() for _, w in pairs)
    # A bias before a difference, a softmax or a batch norm has a gradient of 0: what is computed of it is rounding.
    known = [distance(g, w) for g, w in pairs if np.abs(np.asarray(w)).max() > 1e-9 * largest]
    return {"value": distance(value, exact), "gradients": max(known)}


def _processor_seconds():
    """Of this process and of those that it waited for (a compiler)."""
    return sum(
        u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def child(options, prepare):
    """One model and mode: its first step, then a round of samples for each line of input.

    prepare(name, mode, check) gives `start`, which builds what is timed, and start() gives (step, compare): compare(step())
    is what --check reports.
    """
    rows = os.fdopen(os.dup(1), "w")  # the pipe; what libraries print goes where errors go
    os.dup2(2, 1)
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: options.threads]))
    (name,), (mode,) = options.names, options.mode
    row = {"model": name, "mode": mode, "threads": options.threads}
    start = prepare(name, mode, options)
    begin, used = time.perf_counter(), _processor_seconds()
    step, compare = start()
    result = step()
    row["first_call_s"], row["first_call_cpu_s"] = time.perf_counter() - begin, _processor_seconds() - used
    if options.check:
        row |= compare(result)
    del result
    while True:
        row["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps(row), file=rows, flush=True)
        if options.check or not sys.stdin.readline():
            return
        row |= sample(step, options.cap)


class _Child:
    def __init__(self, script, options, name, mode, caches):
        threads = str(options.threads)
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "REEL_NUM_THREADS": threads, "JAX_PLATFORMS": "cpu",
                       "TORCHINDUCTOR_CACHE_DIR": caches}  # fmt: skip
        command = [sys.executable, "-B", script, "--child", name, "--mode", mode, "--threads", threads]
        command += ["--cap", str(options.cap)] + ["--check"] * options.check
        command += ["--tune"] * options.tune + ["--onnx"] * options.onnx
        self.failure = {"model": name, "mode": mode}
        self.errors, self.limit = tempfile.TemporaryFile("w+"), options.limit
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, stderr=self.errors, text=True
        )

    def row(self):
        """The child's next row, or one with an error."""
        if not select.select([self.process.stdout], [], [], self.limit)[0]:
            self.end()
            return {**self.failure, "error": f"over {self.limit} s"}
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        status = self.process.wait()
        self.errors.seek(0)
        return {**self.failure, "error": (self.errors.read().strip().splitlines() or [f"status {status}"])[-1][:300]}

    def sample(self):
        print("sample", file=self.process.stdin, flush=True)
        return self.row()

    def end(self):
        self.process.kill()
        self.process.wait()


def _better(a, b):
    """Of two rows of one process: the shorter best time and the shorter median of a round."""
    if "error" in b or "best_s" not in a:
        return b
    return {**b, "best_s": min(a["best_s"], b["best_s"]), "median_s": min(a["median_s"], b["median_s"])}


def _sample_in_turn(children, rows, options):
    still = options.alone and subprocess.Popen(
        options.alone, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    if still and not still.stdout.readline():
        raise SystemExit(f"--alone {options.alone}: ended before it printed a line")
    for _ in range(options.rounds):
        for mode, process in children.items():
            if "error" not in rows[mode]:
                rows[mode] = _better(rows[mode], process.sample())
    if still:
        still.communicate()


def _run_model(script, options, name, modes, caches):
    """A row for each mode: the first calls one after another, then the steps in turn."""
    children, rows = {}, {}
    try:
        for mode in modes:
            children[mode] = _Child(script, options, name, mode, caches)
            rows[mode] = children[mode].row()
        if not options.check:
            _sample_in_turn(children, rows, options)
    finally:
        for process in children.values():
            process.end()
    for row in rows.values():
        print(json.dumps(row), flush=True)
    return rows


def _table(rows, modes, own):
    """Markdown: milliseconds of each mode (best, median of the best round), best peer / Reel, first call, memory."""
    print("| model | " + " | ".join(f"{m} ms" for m in modes) + " | peer / reel | first call, CPU s | MB |")
    print("| --- |" + " ---: |" * (len(modes) + 3))
    ratios = []
    for name, of in rows.items():
        good = {m: r for m, r in of.items() if "error" not in r}
        peers = [r["best_s"] for m, r in good.items() if m not in own]
        reels = [r["best_s"] for m, r in good.items() if m in own]
        ratio = min(peers) / min(reels) if peers and reels else None
        ratios += [ratio] if ratio else []

        def text(mode):
            return f"{good[mode]['best_s'] * 1e3:.3g}, {good[mode]['median_s'] * 1e3:.3g}" if mode in good else "error"

        first = " / ".join(f"{good[m]['first_call_cpu_s']:.1f}" if m in good else "-" for m in modes)
        memory = " / ".join(str(good[m]["rss_mb"]) if m in good else "-" for m in modes)
        print(f"| {name} | {' | '.join(map(text, modes))} | {f'{ratio:.2f}' if ratio else '-'} | {first} | {memory} |")
    if ratios:
        print(f"geometric mean of best peer / reel over {len(ratios)} models: {statistics.geometric_mean(ratios):.2f}")


def failed(row):
    """Gradients may be further off in float32 where float64's agree: a ReLU's input near 0 was rounded to its other side."""
    gradients = row.get("gradients", 0) <= LIMIT or row.get("exact_gradients", 1) <= EXACT_LIMIT
    return "error" in row or row.get("value", 0) > LIMIT or not gradients


def run(script, options, names, modes, own):
    """All models in all modes; the number of rows that failed."""
    modes = options.mode or [m for m in modes if m in own or not options.check]
    with tempfile.TemporaryDirectory() as fresh:  # of inductor: its headers are compiled once, each model anew
        caches = options.caches or fresh
        rows = {name: _run_model(script, options, name, modes, caches) for name in options.names or names}
    count = sum(failed(row) for of in rows.values() for row in of.values())
    if options.check:
        print(f"{len(rows) * len(modes)} models and ways, {count} failed or beyond {LIMIT}")
    else:
        _table(rows, modes, own)
    return count
