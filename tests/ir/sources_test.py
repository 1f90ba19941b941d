"""What ends a process, throws by surprise, or does not survive a failing allocation is in no source of the library.

usage: sources_test.py folder-of-the-project
"""

import pathlib
import re
import sys

FOLDERS = ["ir", "passes", "codegen", "runtime", "frontend"]
ENDS = re.compile(r"\b(assert|abort|terminate|__builtin_unreachable|__builtin_trap)\s*\(|\bABSL_(RAW_)?CHECK\b")
TABLES = re.compile(r"\babsl::(flat|node)_hash_(map|set)\b|\babsl/container/(flat|node)_hash_")
# They throw, the paths of libstdc++ 12 free what they have not where an allocation fails: ir/file, ir/number.h.
THROWS = re.compile(r"\bstd::filesystem\b|\bstd::sto(i|l|ll|ul|ull|f|d|ld)\b")
# Abseil's own string type has another hash than std::string_view.
KEYS = re.compile(r"\bHash(Map|Set)<absl::string_view\b")
THREADS = re.compile(r"\bstd::(j?thread|async)\b(?!::hardware_concurrency|::id)")
# Compiling CLI11 takes seconds.
CLI11 = re.compile(r"#include <CLI/")
COMMENT = re.compile(r"//.*")

# Calls that stay, by file: how many, and why no program, file or argument of a user reaches them.
ALLOWED = {
    "ir/literal.h": (2, "number and C++ type of the elements: our own code has both in one place"),
    "passes/gradient/rule.h": (2, "a rule that reads what it does not declare: the tests differentiate every op"),
    "codegen/llvm/guard.cc": (1, "somebody else in the process uses LLVM and has no memory: so does LLVM itself"),
}

# Where threads start, which throws if there is none to be had, and what becomes of that.
STARTS = {
    "codegen/jit/jit.cc": "fewer threads compile",
    "frontend/program/distributed.cc": "collectives of the members that have started fail, and the error is thrown",
    "frontend/eager/background.cc": "the next job tries again",
    "frontend/eager/background.h": "only a member",
    "frontend/cli/engines.cc": "the command fails",
    "frontend/data/reader.cc": "examples are made when they are asked for",
    "frontend/data/reader.h": "only a member",
    "frontend/program/deadline.h": "the report or the command fails",
    "frontend/report/rates.cc": "those that run are joined, the report or the command fails",
}


def main():
    root, wrong, found = pathlib.Path(sys.argv[1]), [], {}
    for folder in FOLDERS:
        for path in sorted(root.joinpath(folder).rglob("*")):
            if path.suffix not in (".h", ".cc") or not path.is_file():
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                code = COMMENT.sub("", line)
                if TABLES.search(code):
                    wrong.append(f"{name}:{number}: use HashMap and HashSet of ir/hash_map.h: {line.strip()}")
                if THROWS.search(code):
                    wrong.append(f"{name}:{number}: throws: use ir/file and ir/number.h: {line.strip()}")
                if CLI11.search(code) and name != "frontend/cli/options.cc":
                    wrong.append(f"{name}:{number}: use frontend/cli/options.h: {line.strip()}")
                if KEYS.search(code):
                    wrong.append(f"{name}:{number}: use std::string_view: {line.strip()}")
                if THREADS.search(code) and name not in STARTS:
                    wrong.append(f"{name}:{number}: say in this test what happens if no thread starts: {line.strip()}")
                if ENDS.search(code.replace("static_assert", "")):
                    found.setdefault(name, []).append(f"{name}:{number}: {line.strip()}")
    for name in sorted(found.keys() | ALLOWED.keys()):
        calls = found.get(name, [])
        if len(calls) != ALLOWED.get(name, (0, ""))[0]:
            wrong.append(
                f"{name}: other calls that end the process than are allowed; return a status or throw:\n  "
                + "\n  ".join(calls)
            )
    print("\n".join(wrong) or "no call ends the process but those that are listed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
