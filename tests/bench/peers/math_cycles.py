"""Cycles per element of elementary functions in PyTorch beside build/tests/math_cycles.

    python math_cycles.py --reel build/tests/math_cycles [FUNCTION ...]

PyTorch runs each function with `out=` on 2^14 elements (its call costs under a twentieth of that),
one thread, the best of 300; seconds become cycles with the clock that math_cycles prints. Between
the columns of one line lie minutes at most, on the same core.
"""

import argparse
import re
import subprocess
import time

import torch

COUNT = 1 << 14
NAMES = {"rem": "fmod", "atan2": "atan2", "pow": "pow"}


def seconds(name, dtype, low, high):
    function = getattr(torch, NAMES.get(name, name), None)
    if function is None:
        return None
    operands = [torch.empty(COUNT, dtype=dtype).uniform_(low, high) for _ in range(2 if name in NAMES else 1)]
    out = torch.empty(COUNT, dtype=dtype)
    best = float("inf")
    for _ in range(300):
        start = time.perf_counter()
        function(*operands, out=out)
        best = min(best, time.perf_counter() - start)
    return best / COUNT


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reel", required=True)
    parser.add_argument("function", nargs="*")
    args = parser.parse_args()
    torch.set_num_threads(1)
    lines = subprocess.run([args.reel, *args.function], capture_output=True, text=True, check=True).stdout.splitlines()
    clock = float(re.search(r"clock of ([0-9.]+) GHz", lines[-1]).group(1)) * 1e9
    width = lines[2].index("  on [")  # of the figures; the headings may be shorter
    for heading, column in zip(lines[:2], [f"{'PyTorch':>18}", f"{'f32':>9}{'f64':>9}"]):
        print(f"{heading:{width}}{column}")
    for line in lines[2:-1]:
        name = line.split()[0]
        low, high = (float(x) for x in re.search(r"\[(.*), (.*)\]", line).groups())
        cells = [seconds(name, dtype, low, high) for dtype in (torch.float32, torch.float64)]
        shown = ("-" if c is None else format(c * clock, ".2f") for c in cells)
        print(line[:width] + "".join(f" {s:>8}" for s in shown) + line[width:])


if __name__ == "__main__":
    main()
