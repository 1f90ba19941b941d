"""Checks that every row of TensorFlow's gradient semantics is a test, or is in README.md with a reason.

Usage: rows_test.py SOURCE_DIR
"""

import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(sys.argv[1]).resolve() / "tests"
# First and last numbers of the rows of each kind; nothing between GT54 and GT60, GT100 and GT110.
RANGES = {"GT": [(1, 54), (60, 100), (110, 132)], "IS": [(1, 14)], "TG": [(1, 51)],
          "CG": [(1, 29)], "RG": [(1, 11)], "SG": [(1, 3)], "TF": [(1, 36)], "JB": [(1, 21)],
          "FA": [(1, 27)]}
ROW = re.compile(r"(GT|IS|TG|CG|RG|SG|TF|JB|FA)(\d{2,3})((?:_\d{2,3})*)")


def rows_in(text):
    """The row numbers in a test's name or a table: GT20_21_Empty gives GT20 and GT21."""
    found = set()
    for kind, first, more in ROW.findall(text):
        found |= {kind + number for number in [first, *more.split("_")[1:]]}
    return found


def tested_rows():
    files = [*(TESTS / "semantics").glob("*_test.cc"), *(TESTS / "passes").glob("gradient_*_test.cc")]
    names = [name for f in files
             for name in re.findall(r"^TEST(?:_F|_P)?\(\w+,\s*(\w+)\)", f.read_text(), re.M)]
    return set().union(*map(rows_in, names))


class Rows(unittest.TestCase):
    def setUp(self):
        self.all = {f"{kind}{n:02}" for kind, ranges in RANGES.items()
                    for first, last in ranges for n in range(first, last + 1)}
        table = re.findall(r"^\| (\S.*?) \| (\S.*?) \|$",
                           (TESTS / "semantics/README.md").read_text(), re.M)
        self.excused = set().union(*(rows_in(rows) for rows, reason in table))

    def test_every_row_is_tested_or_excused(self):
        self.assertEqual(sorted(self.all - tested_rows() - self.excused), [])

    def test_no_row_is_both(self):
        self.assertEqual(sorted(tested_rows() & self.excused), [])

    def test_no_other_rows(self):
        self.assertEqual(sorted((tested_rows() | self.excused) - self.all), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
