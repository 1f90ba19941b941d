"""clang-tidy of the C++ files that changed since a commit: tidy.py [BASE] [--build DIR]."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]


def changed(base):
    names = subprocess.run(
        ["git", "diff", "--name-only", "--diff-filter=d", base, "--", "*.cc"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {str(ROOT / n) for n in names.stdout.split()}


def parts(compiled):
    """The sources that a file of CMake's unity build includes, or the file itself."""
    if "/Unity/" not in compiled:
        return [compiled]
    return re.findall(r'^#include "(.*)"', pathlib.Path(compiled).read_text(), re.M)


def commands(build, files):
    """Of each file by itself, without g++'s precompiled headers and warnings, which clang cannot read."""
    for compiled in json.loads((build / "compile_commands.json").read_text()):
        for file in files.intersection(parts(compiled["file"])):
            entry = {**compiled, "file": file, "command": compiled["command"].replace(compiled["file"], file)}
            command = re.sub(r"-Winvalid-pch|-fpch-preprocess|-include \S*cmake_pch\.hxx|-W\S+", "", entry["command"])
            yield {**entry, "command": command.replace(shutil.which("ccache") or "ccache", "").strip()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", nargs="?", default="HEAD~1", help="a commit (default: HEAD~1)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="a configured build folder")
    args = parser.parse_args()
    tidy = next((t for t in ("clang-tidy-19", "clang-tidy") if shutil.which(t)), None)
    if tidy is None:
        print("tidy: no clang-tidy: apt-get install clang-tidy-19", file=sys.stderr)
        return 2
    found = list(commands(args.build, changed(args.base)))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(found))

        def check(entry):
            run = [tidy, "-p", folder, "--quiet", "--warnings-as-errors=*", entry["file"]]
            return subprocess.run(run, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        results = list(pool.map(check, found))
    print("".join(r.stdout for r in results), end="")
    print(
        f"tidy: {len(found)} files changed since {args.base}, {sum(r.returncode != 0 for r in results)} with findings"
    )
    return 1 if any(r.returncode for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
