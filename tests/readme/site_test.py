"""What makes the site, without Sphinx: plain text to reStructuredText, headers for Doxygen, links to pages."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "frontend", "docs"))

import api_pages  # noqa: E402
import make_site  # noqa: E402
from docstrings import to_rst  # noqa: E402


class Docstrings(unittest.TestCase):
    def test_prose_means_itself(self):
        for text, rst in (
            ("x * y and |x|", r"x \* y and \|x\|"),
            ("x_ and a_b", r"x\_ and a_b"),
            ("a `code` here", "a ``code`` here"),
            ("the `with`s: `a`b", r"the ``with``\ s: ``a``\ b"),
        ):
            self.assertEqual(to_rst([text]), [rst])

    def test_indented_lines_are_code(self):
        self.assertEqual(
            to_rst(["Do:", "", "    a * b", "", "      c", "after"]),
            ["Do:", "", "", ".. code-block:: python", "", "   a * b", "   ", "     c", "", "after"],
        )

    def test_examples_stay(self):
        self.assertEqual(to_rst(["A *.", "", ">>> f(*x)", "1", "", "B"]), [r"A \*.", "", ">>> f(*x)", "1", "", "", "B"])


class Headers(unittest.TestCase):
    def test_comments(self):
        text = "/// a @b <c>\n///   code(a & b);\n///   more();\n/// end\nint f();  ///< of x\n"
        self.assertEqual(
            api_pages.for_doxygen(text),
            "/// a \\@b \\<c>\n/// \\verbatim code(a & b);\n/// more(); \\endverbatim\n/// end\nint f();  ///< of x\n",
        )

    def test_private_parts_go_and_lines_stay(self):
        text = "class A {\n public:\n  int internal_core() const { return 1; }\n\n private:\n  int x;\n};\nint g();\n"
        self.assertEqual(api_pages.for_doxygen(text), "class A {\n public:\n\n\n\n\n};\nint g();\n")


class Links(unittest.TestCase):
    def test_pages(self):
        for path, page in (
            ("frontend/docs/index.md", "index"),
            ("frontend/docs/notebooks/README.md", "notebooks/README"),
            ("frontend/docs/README.md", "inside/frontend/docs"),
            ("frontend/GRADIENTS.md", "gradients"),
            ("codegen/plan/README.md", "inside/codegen/plan"),
            ("README.md", "inside/reel"),
        ):
            self.assertEqual(make_site.page_of(path), page)

    def test_targets(self):
        files = {"frontend/docs/index.md", "frontend/GRADIENTS.md", "codegen/README.md", "codegen/EXAMPLE.md"}
        change = make_site.retarget("frontend/docs/index.md", files)
        self.assertEqual(change("../GRADIENTS.md#the-tape"), "gradients.md#the-tape")
        self.assertEqual(change("../../codegen"), "inside/codegen.md")
        self.assertEqual(change("images/idea.svg"), "images/idea.svg")
        self.assertEqual(change("../reel/ops.h"), "source:frontend/reel/ops.h")
        self.assertEqual(change("https://a.b/c.md"), "https://a.b/c.md")
        inside = make_site.retarget("codegen/README.md", files)
        self.assertEqual(inside("EXAMPLE.md"), "../compiler_example.md")
        contents = "```{toctree}\n:hidden:\n\n../GRADIENTS\nother\n```\n"
        self.assertEqual(
            make_site.retarget_contents(contents, change), "```{toctree}\n:hidden:\n\ngradients\nother\n```\n"
        )


if __name__ == "__main__":
    unittest.main()
