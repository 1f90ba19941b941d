"""Checks that each public header compiles alone and includes only the standard library and Reel.

Usage: header_test.py COMPILER SOURCE_DIR
"""

import pathlib
import subprocess
import sys
import unittest

COMPILER, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
FOREIGN = ("/absl/", "/llvm/", "/llvm-c/", "/google/protobuf/", "/gtest/")
PUBLIC_FOLDERS = ("frontend/reel", "ir", "runtime")  # where a public header may lie


def command(*flags):
    """A call of the compiler for a program from the standard input."""
    include = ["-I", str(SOURCE), "-I", str(SOURCE / "frontend")]
    return [COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Werror", *include, "-x", "c++", *flags, "-"]


def compile_header(name, *flags):
    """Runs the compiler on a file that includes only this header; returns what it prints."""
    result = subprocess.run(command(*flags), input=f"#include <{name}>\n", text=True, capture_output=True)
    if result.returncode != 0:
        raise AssertionError(f"<{name}> does not compile alone:\n{result.stderr}")
    return result.stdout


def included_files(name):
    rule = compile_header(name, "-M").replace("\\\n", " ")
    return [pathlib.Path(f).resolve() for f in rule.split(":", 1)[1].split() if f != "-"]


class PublicHeaders(unittest.TestCase):
    def test_umbrella_includes_no_library_but_the_standard_one(self):
        files = included_files("reel/reel.h")
        self.assertIn(SOURCE / "frontend/reel/reel.h", files)
        foreign = [str(f) for f in files if any(part in str(f) for part in FOREIGN)]
        self.assertEqual(foreign, [])

    def test_umbrella_includes_no_internal_header(self):
        internal = [
            str(f.relative_to(SOURCE))
            for f in included_files("reel/reel.h")
            if f.is_relative_to(SOURCE) and str(f.parent.relative_to(SOURCE)) not in PUBLIC_FOLDERS
        ]
        self.assertEqual(internal, [])

    def test_umbrella_includes_every_public_header(self):
        files = included_files("reel/reel.h")
        for header in sorted((SOURCE / "frontend/reel").glob("*.h")):
            self.assertIn(header, files)

    def test_each_header_compiles_alone(self):
        for header in sorted((SOURCE / "frontend/reel").glob("*.h")):
            with self.subTest(header.name):
                compile_header(f"reel/{header.name}", "-fsyntax-only")

    def test_assignment_to_an_element_says_what_to_do(self):
        code = "#include <reel/tensor.h>\nvoid f(reel::Tensor x) { x[0] = 5; }\n"
        run = subprocess.run(command("-fsyntax-only"), input=code, text=True, capture_output=True)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("deleted", run.stderr)
        self.assertIn("tensors are immutable; use ScatterSet or Where", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
