"""Runs the code blocks of one README the way a user would, in order, in one fresh folder.

    python3 run_blocks.py --source REPO --build BUILD README.md

The folder has links to the repository's folders and `build` (BUILD), so commands work as written.

  ```sh    run by bash with BUILD/bin on PATH; blocks that call third_party/setup are skipped
           (they would build what is being tested)
  ```cpp   compiled against BUILD/lib, then run
  ```c     compiled as C99 on its own, then run
  ```python run with the package of BUILD/python, if there is one
  others   not run

A first line `// file: NAME` (or `# file: NAME`) saves the block, of any kind, as NAME. When a later
sh block mentions NAME, that block compiles and runs it; otherwise NAME.cc or NAME.c runs at once.
A cpp block without main() becomes the body of one, its #include and using lines above it.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

RUNNABLE = ("sh", "cpp", "c", "python")
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.M | re.S)
FILE_LINE = re.compile(r"^(?://|#) file: (\S+)$", re.M)


class BlockError(Exception):
    """A block that does not compile, run or end in time."""


@dataclass
class Block:
    language: str
    text: str
    line: int  # of the opening fence
    name: str = ""  # from its first line, if it is to be saved


def blocks_of(text):
    """All fenced blocks of a README, in order."""
    found = []
    for m in FENCE.finditer(text):
        first = m[2].split("\n", 1)[0]
        named = FILE_LINE.fullmatch(first)
        found.append(Block(m[1], m[2], text.count("\n", 0, m.start()) + 1, named[1] if named else ""))
    return found


def whole_program(text):
    """A cpp block with main(); a snippet is put into one."""
    if re.search(r"^int main\(", text, re.M):
        return text
    top = re.compile(r"^(#include .*|using .*)$", re.M)
    head = ["#include <reel/reel.h>"] + top.findall(text) + ["using namespace reel;"]
    return "\n".join(dict.fromkeys(head)) + "\nint main() {\n" + top.sub("", text) + "}\n"


class Runner:
    def __init__(self, args, folder, inner):
        self.args, self.folder = args, folder
        lib = os.path.join(args.build, "lib")
        self.cxx = [args.cxx, "-std=c++20", "-I", os.path.join(args.source, "frontend"), "-I", args.source]
        self.link = ["-Wl,--as-needed", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lreel"]
        if inner:  # READMEs of inner folders may use internal headers, and so Abseil
            self.link = ["-Wl,--copy-dt-needed-entries", *self.link, "-lreel_compiler"]
        self.env = dict(
            os.environ,
            REEL_CACHE_DIR=os.path.join(folder, ".cache"),
            PYTHONPATH=os.path.join(args.build, "python"),
            PATH=os.path.join(args.build, "bin") + os.pathsep + os.environ["PATH"],
        )

    def command(self, *words):
        try:
            done = subprocess.run(
                words,
                cwd=self.folder,
                env=self.env,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=self.args.timeout,
            )
        except subprocess.TimeoutExpired as e:
            raise BlockError(f"not finished after {self.args.timeout} s: {words[0]}") from e
        if done.returncode:
            raise BlockError(f"status {done.returncode} from: {' '.join(words)}\n{done.stdout}")
        return done.stdout

    def run(self, block, number, later):
        """Runs or saves one block; returns what was done."""
        if block.name:
            path = os.path.join(self.folder, block.name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(block.text)
            if not block.name.endswith((".cc", ".c")) or any(block.name in b.text for b in later):
                return f"saved as {block.name}"
        if block.language == "sh":
            if "third_party/setup" in block.text:
                return "skipped: third_party/setup would build what is being tested"
            self.command("bash", "-euo", "pipefail", "-c", block.text)
            return "ran"
        if block.language == "python":
            if not self.args.python:
                return "skipped: the Python package is not built"
            self.command(self.args.python, "-B", "-c", block.text)
            return "ran"
        program = os.path.join(self.folder, f"block{number}")
        source = f"{program}.{block.language}"
        with open(source, "w", encoding="utf-8") as f:
            f.write(whole_program(block.text) if block.language == "cpp" else block.text)
        if block.language == "cpp":
            self.command(*self.cxx, source, "-o", program, *self.link)
        else:
            self.command(self.args.cc, "-std=c99", "-Wall", source, "-o", program)
        self.command(program)
        return "compiled and ran"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("readme")
    ap.add_argument("--source", required=True, type=os.path.abspath)
    ap.add_argument("--build", required=True, type=os.path.abspath)
    ap.add_argument("--cxx", default="g++")
    ap.add_argument("--cc", default="cc")
    ap.add_argument("--python", default="", help="the interpreter of BUILD/python")
    ap.add_argument("--timeout", type=float, default=200, help="seconds per command")
    args = ap.parse_args()
    with open(args.readme, encoding="utf-8") as f:
        blocks = [b for b in blocks_of(f.read()) if b.name or b.language in RUNNABLE]
    shown = os.path.relpath(args.readme, args.source)
    inner = shown.split(os.sep)[0] not in ("README.md", "frontend")
    with tempfile.TemporaryDirectory(prefix="reel_readme_") as folder:
        for entry in sorted(os.listdir(args.source)):
            path = os.path.join(args.source, entry)
            if os.path.isdir(path) and not entry.startswith((".", "build")):
                os.symlink(path, os.path.join(folder, entry))
        os.symlink(args.build, os.path.join(folder, "build"))
        runner = Runner(args, folder, inner)
        for i, block in enumerate(blocks):
            start = time.monotonic()
            try:
                result = runner.run(block, i, [b for b in blocks[i + 1 :] if b.language == "sh"])
            except BlockError as e:
                sys.exit(f"{shown}:{block.line}: {block.language} block failed: {e}")
            print(f"{shown}:{block.line}: {block.language}: {result} ({time.monotonic() - start:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
