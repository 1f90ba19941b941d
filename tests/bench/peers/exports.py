"""One training step of the demo's MLP (784-128-10, batch 64, Adam) in each runtime that Reel writes for, beside its object.

    build/bin/reel train --steps 1 --output-dir DEMO
    PYTHONPATH=build/python python3 tests/bench/peers/exports.py DEMO --python jax=PYTHON --python iree=PYTHON ...

Prints a table in Markdown: the time of a step (medians of rounds in which the runtimes take turns, each on the same core),
what loading or compiling takes, the bytes of the file that is deployed, and of all that must be installed to run it; then
the start of the object and the size of its code. --python NAME=PYTHON says which Python has a runtime (by default this
one); a runtime that its Python lacks has no row. All must compute the same losses.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy as np

from export_workers import WORKERS

# Of a round. Later than some 700 steps on one batch, Adam's means of units that have died are denormal numbers, with which
# Reel's step takes four times as long (not with the CPU's flush to zero).
STEPS = 30
FIRST = 3  # losses that are compared

MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "step.h"

static float images[64 * 784];
static int32_t labels[64];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The protocol of export_workers.py. */
int main(int argc, char** argv) {
  float loss[3];
  double start, ready, first;
  int error = 0, i, n;
  FILE* file = fopen(argv[argc - 1], "rb");
  step* model;
  if (!file || !fread(images, sizeof images, 1, file) || !fread(labels, sizeof labels, 1, file)) return 1;
  start = now();
  model = step_init(aligned_alloc(STEP_ALIGNMENT, STEP_SIZE), STEP_SIZE, &error);
  if (!model) return fputs(step_error(error), stderr), 1;
  ready = now();
  step_train(model, images, labels, &loss[0]);
  first = now();
  for (i = 1; i < 3; ++i) step_train(model, images, labels, &loss[i]);
  printf("{\"load_s\": %.9g, \"first_s\": %.9g, \"losses\": [%.9g, %.9g, %.9g]}\n", ready - start, first - ready, loss[0],
         loss[1], loss[2]);
  fflush(stdout);
  while (scanf("%d", &n) == 1) {
    start = now();
    for (i = 0; i < n; ++i) step_train(model, images, labels, &loss[0]);
    printf("%.9g\n", (now() - start) / n);
    fflush(stdout);
  }
  return 0;
}
"""


def signature(text):
    """The variables among arguments and results of @main in their order, None for others."""
    line = next(line for line in text.splitlines() if "@main(" in line)
    sides = [part.split("{reel.")[1:] for part in line.split(") -> (")]
    return [
        [p.split('"')[1] if p.startswith("variable") else None for p in side if p[:4] in ("vari", "name")]
        for side in sides
    ]


def prepare(demo, folder):
    """Writes the step in every form, with its inputs and what its variables begin with."""
    import reel

    whole = reel.load(str(demo / "mnist" / "mnist.reel"))
    module = reel.Module.lift({"train": whole.function("train")}, "step")
    rng = np.random.default_rng(1)
    images = rng.random((64, 784), np.float32)
    labels = rng.integers(0, 10, 64).astype(np.int32)
    np.savez(folder / "inputs.npz", images=images, labels=labels)
    (folder / "inputs.bin").write_bytes(images.tobytes() + labels.tobytes())
    reel.save(module, str(folder / "step.reel"))
    reel.export(module, str(folder / "step"))
    reel.export(module, str(folder / "step"), emit="so")
    reel.onnx.save(module, str(folder / "step.onnx"), entry="train")
    reel.stablehlo.save(module, folder / "step.mlir", entry="train", locations=False)
    takes, gives = signature((folder / "step.mlir").read_text())
    (folder / "signature.json").write_text(json.dumps({"takes": takes, "gives": gives}))
    np.savez(folder / "state.npz", **{str(i): module.value(n).numpy() for i, n in enumerate(takes) if n})
    if hasattr(reel, "tensorflow"):
        reel.tensorflow.save(module, folder / "saved_model")
    (folder / "main.c").write_text(MAIN)
    compiler = [os.environ.get("CC", "cc"), "-O2", "main.c", "step.o", "-o", "step"]
    subprocess.run(compiler, cwd=folder, check=True)


class Runner:
    """A process that has loaded the step, and runs as many as it is told."""

    def __init__(self, command, folder):
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        self.about = json.loads(line) if line else {"missing": self.reason()}

    def reason(self):
        """Why the process has ended."""
        lines = self.process.communicate()[1].strip().splitlines()
        return lines[-1] if lines else f"status {self.process.returncode}"

    def seconds(self):
        """Of a step, in a round."""
        self.process.stdin.write(f"{STEPS}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def text_of(nbytes):
    return f"{nbytes / 1e6:.3g} MB" if nbytes >= 1e5 else f"{nbytes / 1e3:.3g} kB"


def time_of(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def code_bytes(path):
    """The sections of instructions of an object: name, size, address a line."""
    out = subprocess.run(["size", "-A", path], capture_output=True, text=True, check=True).stdout
    return sum(int(line.split()[1]) for line in out.splitlines() if line.startswith(".text"))


def check(runners):
    """All have the losses of the object."""
    want = runners["object"].about["losses"]
    for name, runner in runners.items():
        worst = max(abs(a - b) / max(abs(b), 1.0) for a, b in zip(runner.about["losses"], want, strict=True))
        if not worst <= 1e-5:
            sys.exit(f"{name}: losses {runner.about['losses']}, the object's are {want}")


def print_rows(runners, times):
    print("| runtime | a step | x the object | load or compile | first step | deployed | must be installed |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for name, runner in runners.items():
        about = runner.about
        ratio = statistics.median(t / o for t, o in zip(times[name], times["object"], strict=True))
        print(
            f"| {about['title']} | {time_of(statistics.median(times[name]))} | {ratio:.2f} | {time_of(about['load_s'])} "
            f"| {time_of(about['first_s'])} | {text_of(about['deployed'])} | {about['needs']} |"
        )


def start_runners(folder, pythons):
    """Those that can run, by name."""
    runners = {"object": Runner(["./step", "inputs.bin"], folder)}
    about = runners["object"].about
    about |= {"title": "object, in C", "deployed": (folder / "step.o").stat().st_size, "needs": "libc"}
    workers = str(pathlib.Path(__file__).with_name("export_workers.py"))
    for name in WORKERS:
        runner = Runner([pythons.get(name, sys.executable), "-B", workers, name, str(folder)], folder)
        if "missing" in runner.about:
            print(f"{name}: not measured: {runner.about['missing']}", file=sys.stderr)
        else:
            runners[name] = runner
    return runners


def starts(folder, count=20):
    """Seconds from the object in memory to the first loss, in new processes."""
    out = []
    for _ in range(count):
        runner = Runner(["./step", "inputs.bin"], folder)
        runner.close()
        out.append(runner.about["load_s"] + runner.about["first_s"])
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("demo", type=pathlib.Path)
    parser.add_argument(
        "--python", action="append", default=[], metavar="NAME=PYTHON", help="one of: " + ", ".join(WORKERS)
    )
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    pythons = {name: os.path.abspath(path) for name, path in (word.split("=", 1) for word in options.python)}
    if unknown := set(pythons) - set(WORKERS):
        sys.exit(f"--python: no runtime {sorted(unknown)}; there are: {', '.join(WORKERS)}")
    os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, sys.path[1:]))  # of processes in another folder
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name in ("REEL_NUM_THREADS", "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):
        os.environ[name] = "1"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="reel_exports_"))
    try:
        prepare(options.demo, folder)
        runners = start_runners(folder, pythons)
        check(runners)
        times = {name: [] for name in runners}
        for _ in range(options.rounds):
            for name, runner in runners.items():
                times[name].append(runner.seconds())
        print_rows(runners, times)
        start = starts(folder)
        code = code_bytes(folder / "step.o")
        print(
            f"\nThe object: {time_of(statistics.median(start))} from nothing to the first loss (at most 1 ms), "
            f"{code / 1024:.1f} KiB of code (at most 60), {text_of((folder / 'step.o').stat().st_size)} with what its "
            "variables begin with."
        )
        for runner in runners.values():
            runner.close()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
