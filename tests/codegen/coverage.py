#!/usr/bin/env python3
"""Prints which lines of the planner a test runs: per file and folder, or the lines that it never reaches.

    build/venv/bin/python3 -B tests/codegen/coverage.py                       # the fuzz, seeds 0:600
    build/venv/bin/python3 -B tests/codegen/coverage.py --seeds 0:2000 --missed codegen/plan/maps.cc
    build/venv/bin/python3 -B tests/codegen/coverage.py --test codegen_rows_test

Only the planner's sources are compiled again, with g++'s --coverage, and linked with the other objects of the build
folder; both are there already (`ninja reel reel_compiler codegen_tuning_fuzz_test`). What it makes is in BUILD/coverage.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

FOLDERS = ("codegen/plan", "codegen/fusion", "codegen/schedule", "codegen/program")
LIBRARY = "lib/libreel.so"


def run(command: list[str] | str, folder: pathlib.Path, **more: object) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run(
        command, cwd=folder, shell=isinstance(command, str), stdout=subprocess.PIPE, text=True, check=False, **more
    )
    if done.returncode != 0:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def is_new(build: pathlib.Path, made: pathlib.Path) -> bool:
    """Whether an object is newer than all that it was made of."""
    depends = pathlib.Path(f"{made}.d")
    if not made.exists() or not depends.exists():
        return False
    files = depends.read_text().replace("\\\n", " ").split()[1:]
    return all((build / f).exists() and (build / f).stat().st_mtime < made.stat().st_mtime for f in files)


def instrument(build: pathlib.Path, into: pathlib.Path) -> dict[str, str]:
    """Compiles the planner's sources with counters; by object of the build: the one in its place."""
    objects = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        target = words[words.index("-o") + 1]
        is_reel = target.startswith("CMakeFiles/reel.dir/")
        if not is_reel or not any(part.replace("/", "_") in target or part + "/" in target for part in FOLDERS):
            continue
        words = words[next(i for i, w in enumerate(words) if re.search(r"[cg]\+\+[-\d.]*$", w)) :]  # no ccache
        made = into / "objects" / target.replace("/", "_")
        made.parent.mkdir(parents=True, exist_ok=True)
        objects[target] = str(made)
        words[words.index("-o") + 1] = str(made)
        command = [w for w in words if w not in ("-Winvalid-pch", "-Werror")]
        if is_new(build, made):
            continue
        print(f"compiling {entry['file']}", flush=True)
        run([*command, "-MD", "-MF", f"{made}.d", "-O0", "--coverage", "-fprofile-update=atomic", "-Wno-error"], build)
    return objects


def link(build: pathlib.Path, into: pathlib.Path, objects: dict[str, str], test: str) -> pathlib.Path:
    """A library and a test beside it that write the counters; the test's path."""
    (into / "lib").mkdir(exist_ok=True)
    (into / "tests").mkdir(exist_ok=True)
    ninja = re.search("^CMAKE_MAKE_PROGRAM:[^=]*=(.*)$", (build / "CMakeCache.txt").read_text(), re.M).group(1)
    command = run([ninja, "-t", "commands", LIBRARY], build).splitlines()[-1]
    for old, new in objects.items():
        command = command.replace(f" {old} ", f" {new} ")
    command = command.replace(f"-o {LIBRARY}", f"-o {into}/{LIBRARY} --coverage")
    run(command, build)
    for name in (build / "lib").iterdir():
        place = into / "lib" / name.name
        if name.name != pathlib.Path(LIBRARY).name and not place.exists():
            place.symlink_to(name)
    shutil.copy2(build / "tests" / test, into / "tests" / test)
    return into / "tests" / test


def count(source: pathlib.Path, build: pathlib.Path, objects: dict[str, str]) -> dict[str, dict[int, int]]:
    """By file and line: how often it ran."""
    counts: dict[str, dict[int, int]] = collections.defaultdict(dict)
    for made in objects.values():
        notes = str(pathlib.Path(made).with_suffix(".gcda"))
        if not os.path.exists(notes):
            continue
        text = subprocess.run(["gcov", "--json-format", "--stdout", notes], stdout=subprocess.PIPE, check=True).stdout
        for file in json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)["files"]:
            name = os.path.relpath(os.path.join(build, file["file"]), source)
            if not name.startswith(FOLDERS):
                continue
            lines = counts[name]
            for line in file["lines"]:
                number = line["line_number"]
                lines[number] = max(lines.get(number, 0), line["count"])
    return counts


def report(counts: dict[str, dict[int, int]]) -> None:
    """A line a file, then a line a folder."""
    folders: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for name in sorted(n for n in counts if counts[n]):
        ran, all_lines = sum(1 for n in counts[name].values() if n), len(counts[name])
        for i, n in enumerate((ran, all_lines)):
            folders[os.path.dirname(name)][i] += n
        print(f"{100 * ran / all_lines:6.1f} %  {all_lines - ran:4d} of {all_lines:4d} lines missed  {name}")
    for folder, (ran, all_lines) in folders.items():
        print(f"{100 * ran / all_lines:6.1f} %  {all_lines - ran:4d} of {all_lines:4d} lines missed  {folder}")


def missed(source: pathlib.Path, counts: dict[str, dict[int, int]], names: list[str]) -> None:
    """The lines of files that never ran."""
    for name in sorted(counts):
        if not any(part in name for part in names):
            continue
        text = (source / name).read_text().splitlines()
        for number, n in sorted(counts[name].items()):
            if n == 0:
                print(f"{name}:{number}: {text[number - 1]}")


def main() -> None:
    """Builds, runs and reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="a build folder made by g++")
    parser.add_argument("--test", default="codegen_tuning_fuzz_test")
    parser.add_argument("--seeds", default="0:600", help="REEL_TUNING_SEEDS")
    parser.add_argument("--filter", default="*", help="of GoogleTest")
    parser.add_argument("--keep", action="store_true", help="add to the counts of runs before")
    parser.add_argument("--missed", nargs="*", metavar="PART", help="print lines that never ran of files so named")
    options = parser.parse_args()
    source = pathlib.Path(__file__).resolve().parents[2]
    build = (source / options.build).resolve()
    into = build / "coverage"
    objects = instrument(build, into)
    test = link(build, into, objects, options.test)
    if not options.keep:
        for old in (into / "objects").glob("*.gcda"):
            old.unlink()
    environment = dict(os.environ, REEL_TUNING_SEEDS=options.seeds, REEL_VERIFY="1")
    status = subprocess.run(
        [test, f"--gtest_filter={options.filter}"], env=environment, cwd=build, stdout=subprocess.DEVNULL, check=False
    ).returncode
    counts = count(source, build, objects)
    if options.missed is not None:
        missed(source, counts, options.missed or [""])
    report(counts)
    if status != 0:
        sys.exit(f"{options.test} failed: status {status}")


if __name__ == "__main__":
    main()
