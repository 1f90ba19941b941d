"""The lists of CONTRIBUTING.md are complete: each file that has the example stands there, and the others do not."""

import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("codegen", "frontend", "ir", "passes", "runtime")


def sections():
    """(title, example, files) of each list."""
    with open(os.path.join(ROOT, ".github", "CONTRIBUTING.md"), encoding="utf-8") as f:
        for part in f.read().split("\n## ")[1:]:
            example = re.search(r"^Example: `(.+)`$", part, re.M)
            yield part.splitlines()[0], example and example[1], re.findall(r"^\| `([^`]+)` \|", part, re.M)


def sources():
    """path -> text of all sources but tests."""
    out = {}
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            for path in (os.path.join(where, name) for name in names):
                if path.endswith((".cc", ".h", ".def", ".inc", ".py", ".txt")) and "__pycache__" not in path:
                    with open(path, encoding="utf-8", errors="ignore") as f:
                        out[os.path.relpath(path, ROOT)] = f.read()
    return out


class Contributing(unittest.TestCase):
    def test_lists(self):
        texts, found = sources(), list(sections())
        self.assertGreaterEqual(len(found), 6)
        for title, example, files in found:
            with self.subTest(title=title):
                self.assertTrue(example, "no line Example: `name`")
                word = re.compile(rf"(?<![\w-])(k|Emit)?{re.escape(example)}(?![\w-])")
                having = {path for path, text in texts.items() if word.search(text)}
                self.assertEqual(having - set(files), set(), "have the example and are not listed")
                self.assertEqual([f for f in files if not self.names_it(f, example)], [], "do not have the example")

    @staticmethod
    def names_it(file, example):
        with open(os.path.join(ROOT, file), encoding="utf-8") as f:
            text = f.read()
        return example.lower() in text.lower() or re.sub(r"(?<!^)([A-Z])", r"_\1", example).lower() in text


if __name__ == "__main__":
    unittest.main()
