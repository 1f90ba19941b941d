"""Every relative link of every Markdown file and notebook leads somewhere: to a file or folder, and where it has a # to a heading there.

Links to other hosts are counted, not followed. Names of the Python package in the documentation's prose are looked up by
tests/python/test_docstrings.py.
"""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "frontend", "docs"))

import links  # noqa: E402


def dead(path, text, root):
    """(problems of the links in a file, how many of its links are external)."""
    found, outside = [], 0
    for line, target in links.links(text):
        if links.external(target):
            outside += 1
            continue
        file, _, anchor = target.partition("#")
        goal = os.path.normpath(os.path.join(root, os.path.dirname(path), file)) if file else os.path.join(root, path)
        if not os.path.exists(goal):
            found.append(f"{path}:{line}: {target}: there is no {os.path.relpath(goal, root)}")
        elif anchor and goal.endswith(".md"):
            with open(goal, encoding="utf-8") as f:
                if anchor not in links.anchors(f.read()):
                    found.append(f"{path}:{line}: {target}: no heading makes the anchor #{anchor}")
    return found, outside


class Links(unittest.TestCase):
    def test_all_files(self):
        problems, outside, seen = [], 0, 0
        folder = os.path.join(ROOT, "frontend", "docs", "notebooks")
        notebooks = [os.path.relpath(os.path.join(folder, n), ROOT) for n in os.listdir(folder) if n.endswith(".ipynb")]
        for path in links.markdown_files(ROOT) + sorted(notebooks):
            with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                text = f.read()
            text = links.prose(text) if path.endswith(".ipynb") else text
            found, external = dead(path, text, ROOT)
            problems += found
            outside += external
            seen += len(links.links(text))
        print(f"{seen} links, {outside} of them to other hosts (not followed)")
        self.assertGreater(seen, 50)
        self.assertEqual(problems, [])

    def test_what_counts_as_a_link(self):
        text = (
            "[a](b.md) `[no](c.md)` ![p](d.svg)\n```python\nx = f[i](e.md)\n```\n[g](h.md#i-j 'title')\n"
            '<img width="3" src="k.png"> [l](https://m.n/o.md) ``a ` [no](p.md)``\n'
        )
        self.assertEqual(
            links.links(text), [(1, "b.md"), (1, "d.svg"), (5, "h.md#i-j"), (6, "k.png"), (6, "https://m.n/o.md")]
        )
        self.assertEqual([t for _, t in links.links(text) if links.external(t)], ["https://m.n/o.md"])

    def test_rewriting_leaves_code_alone(self):
        text = "[a](b.md) `[a](b.md)`\n~~~\n[a](b.md)\n~~~\n"
        self.assertEqual(links.rewrite(text, lambda t: "x/" + t), text.replace("b.md", "x/b.md", 1))

    def test_anchors(self):
        text = '# From `exp(x)` to code\n## A\n## A\n```sh\n# none\n```\n### [B c](d.md): e, f_g\n<a id="h"></a>\n'
        self.assertEqual(links.anchors(text), {"from-expx-to-code", "a", "a-1", "b-c-e-f_g", "h"})

    def test_dead_links_are_found(self):
        found, outside = dead("README.md", "[a](nowhere.md)\n[b](README.md#nothing)\n[c](https://d.e)\n", ROOT)
        self.assertEqual([f.split(": ")[0] for f in found], ["README.md:1", "README.md:2"])
        self.assertEqual(outside, 1)


if __name__ == "__main__":
    unittest.main()
