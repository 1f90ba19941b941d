"""A wheel, as who installs it has it: in a fresh environment, without the build and without LLVM, Abseil or protobuf."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
MOST_BYTES = 60 << 20
# Of the system: what manylinux says is everywhere.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z))\.so(\.\d+)+")
# Reel's own names, those of the bundled libraries that got a prefix, and the module.
OWN = re.compile(r"reel_|_Z(\d+reel_|(T[ISVHW]|G?VZ?|Z)?NK?4reel)|PyInit__core$|_init$|_fini$")


def run(*command, **options):
    done = subprocess.run(
        [str(x) for x in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, **options
    )
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="reel_wheel"))
        cls.python = cls.folder / "venv/bin/python3"
        run(ARGS.python, "-m", "venv", cls.folder / "venv")
        run(cls.python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", ARGS.wheel)
        with zipfile.ZipFile(ARGS.wheel) as archive:
            archive.extractall(cls.folder / "files")
        cls.libraries = sorted((cls.folder / "files").rglob("*.so*"))
        # Nothing of the build is found by its variables.
        cls.environment = {"PATH": "/usr/bin:/bin", "HOME": str(cls.folder), "LC_ALL": "C.UTF-8"}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_the_first_day(self):
        """Gradients, training, compiling, saving, loading; every library is of the wheel or the system's C and C++."""
        out = run(self.python, "-I", HERE / "wheel_day.py", cwd=self.folder, env=self.environment)
        self.assertIn("trained, compiled, saved and loaded", out)
        prefix = str(self.folder / "venv")
        for path in re.findall(r"^library (.*)$", out, re.M):
            known = path.startswith(prefix) or "/lib-dynload/" in path or SYSTEM.fullmatch(os.path.basename(path))
            self.assertTrue(known, path)
        self.assertRegex(out, r"(?m)^library .*libreel_compiler")

    def test_foreign_symbols_are_inside(self):
        self.assertGreater(len(self.libraries), 4)
        for library in self.libraries:
            names = run("nm", "-D", "--defined-only", library).split("\n")
            names = [line.split()[-1] for line in names if line and line.split()[-2] != "A"]
            foreign = [n for n in names if "@" not in n and not OWN.match(n)]
            with self.subTest(library=library.name):
                self.assertEqual(foreign[:5], [], f"{len(foreign)} of {len(names)}")

    def test_manylinux(self):
        self.assertRegex(os.path.basename(ARGS.wheel), r"-manylinux_\d+_\d+_x86_64")
        said = " ".join(run(ARGS.auditwheel, "show", ARGS.wheel).split())
        self.assertRegex(said, r'consistent with the following platform tag: "manylinux_\d+_\d+_x86_64"')
        self.assertLess(os.path.getsize(ARGS.wheel), MOST_BYTES)
        licences = {x.parent.name for x in (self.folder / "files").glob("*.dist-info/licenses/*/copyright")}
        self.assertGreater(len(licences), 4, licences)

    def test_of_another_cpu_or_python(self):
        package = self.folder / "other/reel"
        shutil.copytree(self.folder / "files/reel", package)
        extension = next(package.glob("_core.*.so"))
        environment = {**self.environment, "PYTHONPATH": str(package.parent)}

        def error():
            code = "try:\n    import reel\nexcept ImportError as e:\n    print(e)"
            return run(self.python, "-c", code, cwd=self.folder, env=environment)

        header = bytearray(extension.read_bytes())
        header[18:20] = (183).to_bytes(2, "little")
        extension.write_bytes(header)
        self.assertRegex(error(), r"is for aarch64, this machine is x86_64")
        extension.rename(package / "_core.cpython-39-x86_64-linux-gnu.so")
        self.assertRegex(error(), r"for this Python, CPython 3\.\d+: there is _core\S+, for CPython 3\.9\.")


class Sdist(unittest.TestCase):
    def test_it_builds(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="reel_sdist"))
        self.addCleanup(shutil.rmtree, folder)
        run(ARGS.python, "-m", "venv", folder / "venv")
        run(folder / "venv/bin/pip", "install", ARGS.sdist)
        self.assertIn("saved and loaded", run(folder / "venv/bin/python3", "-I", HERE / "wheel_day.py", cwd=folder))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wheel", type=os.path.abspath)
    parser.add_argument("--sdist", type=os.path.abspath)
    parser.add_argument("--python", required=True)
    parser.add_argument("--auditwheel", default="auditwheel")
    ARGS, rest = parser.parse_known_args()
    kinds = [Wheel] * bool(ARGS.wheel) + [Sdist] * bool(ARGS.sdist)
    suite = unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromTestCase, kinds))
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
