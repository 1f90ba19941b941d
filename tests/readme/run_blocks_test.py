"""What run_blocks.py promises about README code blocks, without Reel itself."""

import os
import subprocess
import sys
import tempfile
import unittest

import run_blocks

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_blocks.py")


def run(text):
    """Exit status and output of run_blocks.py on a README with this text in an empty repository."""
    with tempfile.TemporaryDirectory() as repo:
        os.makedirs(os.path.join(repo, "build", "bin"))
        os.makedirs(os.path.join(repo, "ir"))
        path = os.path.join(repo, "README.md")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        done = subprocess.run(
            [
                sys.executable,
                "-B",
                SCRIPT,
                path,
                "--source",
                repo,
                "--build",
                os.path.join(repo, "build"),
                "--timeout",
                "20",
            ],
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return done.returncode, done.stdout


class RunBlocks(unittest.TestCase):
    def test_blocks_share_one_folder_in_order(self):
        status, out = run(
            "```sh\necho 1 > a\ntest -d ir\ntest -d build/bin\n```\ntext\n```sh\ntest $(cat a) = 1\n```\n"
        )
        self.assertEqual(status, 0, out)
        self.assertIn("README.md:1: sh: ran", out)
        self.assertIn("README.md:7: sh: ran", out)

    def test_named_file_is_built_by_the_sh_block_that_mentions_it(self):
        status, out = run(
            "```c\n// file: main.c\nint main(void) { return 7; }\n```\n```sh\ncc main.c -o m\n./m || test $? = 7\n```\n"
        )
        self.assertEqual(status, 0, out)
        self.assertIn("saved as main.c", out)

    def test_named_file_nobody_mentions_runs(self):
        status, out = run("```c\n// file: main.c\nint main(void) { return 7; }\n```\n")
        self.assertEqual(status, 1)
        self.assertIn("README.md:1: c block failed: status 7", out)

    def test_failure_names_line_and_shows_output(self):
        status, out = run("# A\n\n```sh\necho wrong; false; echo later\n```\n")
        self.assertEqual(status, 1)
        self.assertIn("README.md:3: sh block failed: status 1", out)
        self.assertIn("wrong\n", out)
        self.assertNotIn("later\n", out.split("false; echo later", 1)[1])

    def test_setup_is_skipped_with_a_reason(self):
        status, out = run("```sh\nthird_party/setup demo\n```\n```text\nfalse\n```\n")
        self.assertEqual(status, 0, out)
        self.assertIn("skipped: third_party/setup", out)
        self.assertEqual(out.count("README.md"), 1)

    def test_snippet_becomes_a_program(self):
        text = run_blocks.whole_program('#include <cstdio>\nTensor a = 1;\nstd::puts("");\n')
        self.assertLess(text.index("#include <cstdio>"), text.index("int main() {"))
        self.assertLess(text.index("using namespace reel;"), text.index("int main() {"))
        self.assertLess(text.index("int main() {"), text.index("Tensor a"))
        whole = "#include <cstdio>\nint main() {}\n"
        self.assertEqual(run_blocks.whole_program(whole), whole)


if __name__ == "__main__":
    unittest.main()
