"""All files have the layout of .clang-format and .ruff.toml, at most 600 lines, their functions at most 60, and folders
include each other in one direction. --fix formats them."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "build/venv/bin"
MAX_LINES = 600
MAX_FUNCTION_LINES = 60  # a screen
SKIPPED = 77  # ctest's SKIP_RETURN_CODE


def tool(name):
    return str(TOOLS / name) if (TOOLS / name).exists() else shutil.which(name)


def sources(*suffixes):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [f for f in listed.split("\0") if f.endswith(suffixes) and (ROOT / f).exists()]


def too_long():
    lines = {f: len((ROOT / f).read_bytes().splitlines()) for f in sources(".h", ".cc", ".c", ".py")}
    return [f"{f}: {n} lines, more than {MAX_LINES}: split it" for f, n in lines.items() if n > MAX_LINES]


def long_functions():
    """Read off the layout: a function ends at the brace that stands below its first letter. Lists of Python bindings,
    tests, tables and lambdas are not looked at."""
    begins = re.compile(
        r"( {0,2})(?! |namespace|class|struct|union|enum|extern|return|void Register)\S((?!\]\().)*[^]=] \{$"
    )
    found = []
    for f in sources(".h", ".cc"):
        if f.startswith("tests/"):
            continue
        lines = (ROOT / f).read_text().split("\n")
        for first, line in enumerate(lines):
            if (m := begins.match(line)) and f"{m[1]}}}" in lines[first:]:
                n = lines.index(f"{m[1]}}}", first) - first + 1
                if n > MAX_FUNCTION_LINES:
                    found.append(f"{f}:{first + 1}: a function of {n} lines, more than {MAX_FUNCTION_LINES}: split it")
    return found


def circles():
    """Folders whose files include each other, directly or by way of others. The frontend's rooms are not there yet."""
    reads = {}
    for f in sources(".h", ".cc"):
        if f.startswith(("ir/", "passes/", "codegen/", "runtime/")):
            reached = reads.setdefault(str(pathlib.Path(f).parent), set())
            includes = re.findall(r'^#include "([^"]+)"', (ROOT / f).read_text(), re.M)
            reached.update(str(pathlib.Path(i).parent) for i in includes)
    grown = True
    while grown:
        grown = False
        for folder, reached in reads.items():
            more = {b for a in reached if a != folder for b in reads.get(a, ())} - reached
            grown = grown or bool(more)
            reached |= more
    return [
        f"{a} and {b} include each other: move what both need to a third folder"
        for a, reached in reads.items()
        for b in reached
        if a < b and a in reads.get(b, ())
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="format what differs")
    fix = parser.parse_args().fix
    clang_format, ruff = tool("clang-format"), tool("ruff")
    if not (clang_format and ruff) or not (ROOT / ".git").exists():
        print("SKIPPED: no clang-format or ruff in build/venv (third_party/setup packages), or no git checkout")
        return SKIPPED
    commands = [
        [clang_format, *(["-i"] if fix else ["--dry-run", "-Werror"]), *sources(".h", ".cc")],
        [ruff, "format", "-q", *([] if fix else ["--diff"]), "."],
        [ruff, "check", "-q", "--output-format", "concise", *(["--fix"] if fix else []), "."],
    ]
    failed = [c for c in commands if subprocess.run(c, cwd=ROOT).returncode != 0]
    problems = too_long() + long_functions() + circles()
    print("\n".join(problems))
    if failed or problems:
        print("style: run `python3 tests/style/style_test.py --fix`, then mend by hand what it names")
    return 1 if failed or problems else 0


if __name__ == "__main__":
    sys.exit(main())
