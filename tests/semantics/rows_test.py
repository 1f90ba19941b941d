"""Checks ROWS.md against the tests: every row has a test that carries its number, or a reason.

Usage: rows_test.py SOURCE_DIR
"""

import ast
import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(sys.argv[1]).resolve() / "tests"
CPP = [
    "semantics/*_test.cc",
    "passes/gradient_*_test.cc",
    "frontend/optimizers_test.cc",
    "frontend/tf_oracle_test.cc",
    "frontend/compile_test.cc",
    "frontend/lift_test.cc",
    "frontend/symbolic_object_test.cc",
    "codegen/aot_test.cc",
]
KINDS = "GT|IS|JB|TG|RR|CG|RG|SG|TF|FA|FN|AO|OP|SM|WN"
ROW = re.compile(rf"(?<![A-Z])({KINDS})(\d{{2,3}})((?:_\d{{2,3}})*)(?:_to_({KINDS})?(\d{{2,3}}))?(?!\d)")
REASONS = re.compile(r"TensorFlow|tfcompile|saved_model_cli|SavedModel|no (string|sparse|ragged) tensors")
CPP_REASONS = re.compile(REASONS.pattern + r"|Python only: |C\+\+ has no such form: ")


def rows_in(name):
    """The rows that a test's name has: GT20_21_Empty gives GT20 and GT21, GT20_to_GT22 those and GT22."""
    found = set()
    for kind, first, more, _, last in ROW.findall(name):
        numbers = [int(first), *map(int, more.split("_")[1:])]
        found |= {f"{kind}{n:02}" for n in numbers + list(range(int(first), int(last or 0) + 1))}
    return found


def cpp_rows():
    names = [
        name
        for pattern in CPP
        for f in TESTS.glob(pattern)
        for name in re.findall(r"^TEST(?:_F|_P)?\(\w+,\s*(\w+)\)", f.read_text(), re.M)
    ]
    return set().union(*map(rows_in, names))


def python_names(tree):
    """Names of test functions, and the keys of the dicts that their parameters come from."""
    dicts = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
    }
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name
            for used in (n.id for d in node.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)):
                yield from (key.value for key in getattr(dicts.get(used), "keys", []) if isinstance(key, ast.Constant))


def python_rows():
    trees = [ast.parse(f.read_text()) for f in (TESTS / "python").glob("test_*.py")]
    return set().union(*(rows_in(str(name)) for tree in trees for name in python_names(tree)))


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = (TESTS / "semantics/ROWS.md").read_text()
        cls.rows = {m[0]: m[1:] for m in re.findall(rf"^\| ((?:{KINDS})\d+) \| .+ \| (.+) \| (.+) \|$", text, re.M)}
        cls.tested = cpp_rows(), python_rows()

    def reasons(self, language):
        return {row: cells[language] for row, cells in self.rows.items() if cells[language] != "test"}

    def test_all_rows_are_there(self):
        self.assertEqual(len([row for row in self.rows if not row.startswith("WN")]), 379)

    def test_every_row_is_tested_or_has_a_reason(self):
        for language, name in enumerate(("C++", "Python")):
            with self.subTest(name):
                untested, excused = set(self.rows) - self.tested[language], set(self.reasons(language))
                self.assertEqual(sorted(untested - excused), [], "neither test nor reason")
                self.assertEqual(sorted(excused - untested), [], "a test and a reason")

    def test_no_other_rows(self):
        self.assertEqual(sorted((self.tested[0] | self.tested[1]) - set(self.rows)), [])

    def test_reasons_are_the_valid_ones(self):
        for language, valid in enumerate((CPP_REASONS, REASONS)):
            for row, reason in self.reasons(language).items():
                self.assertRegex(reason, valid, row)

    @classmethod
    def tearDownClass(cls):
        reasons = [cls.reasons(cls, language) for language in (0, 1)]
        print(
            f"{len(cls.rows)} rows: {len(cls.rows) - len(reasons[0])} tested in C++, "
            f"{len(cls.rows) - len(reasons[1])} in Python; reasons: {len(reasons[0])} in C++, {len(reasons[1])} in "
            f"Python",
            file=sys.stderr,
        )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
