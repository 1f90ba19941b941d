"""An installed Reel, as projects use it: found by CMake and pkg-config, moved, compiled against in every build type."""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CONSUMER = os.path.join(HERE, "consumer")
SOURCE = os.path.dirname(os.path.dirname(HERE))


def run(*command, **options):
    """Its output; fails with all of it."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=280, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="reel_install")
        first, cls.prefix = (os.path.join(cls.folder, name) for name in ("first", "moved"))
        run("cmake", "--install", ARGS.build, "--prefix", first)
        os.rename(first, cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def configured(self, name, *options):
        folder = os.path.join(self.folder, name)
        text = run("cmake", "-S", CONSUMER, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}", *options)
        return folder, text

    def test_the_consumer_project(self):
        for compiler in [x for x in ("g++", "clang++-19", "clang++") if shutil.which(x)]:
            for kind in ("Debug", "Release"):
                with self.subTest(compiler=compiler, kind=kind):
                    options = (f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_BUILD_TYPE={kind}")
                    folder, _ = self.configured(f"{compiler}_{kind}", *options)
                    run("cmake", "--build", folder)
                    hello = os.path.join(folder, "hello")
                    self.assertEqual(run(hello, os.path.join(folder, "square.reel")), "12 12\n")

    def test_a_module_becomes_a_library_of_a_c_program(self):
        folder, _ = self.configured("aot")
        run("cmake", "--build", folder)
        run(os.path.join(folder, "hello"), os.path.join(folder, "square.reel"))
        run("cmake", folder)
        run("cmake", "--build", folder)
        self.assertEqual(run(os.path.join(folder, "aot")), "6\n")
        needed = run("readelf", "-d", os.path.join(folder, "aot"))
        self.assertEqual(re.findall(r"\[(lib\S+?)\.so", needed), ["libc"])

    def test_pkg_config(self):
        environment = {
            **os.environ,
            "PKG_CONFIG_PATH": glob.glob(f"{self.prefix}/lib*/**/pkgconfig", recursive=True)[0],
        }
        if not shutil.which("pkg-config"):
            self.skipTest("no pkg-config")
        flags = run("pkg-config", "--cflags", "--libs", "reel", env=environment).split()
        program = os.path.join(self.folder, "by_hand")
        run("g++", "-std=c++20", os.path.join(CONSUMER, "hello.cc"), "-o", program, *flags)
        self.assertEqual(run(program), "12 12\n")

    def test_manual_pages_and_completion(self):
        share = os.path.join(self.prefix, "share")
        commands = re.findall(r"^  (\w+) ", run(f"{self.prefix}/bin/reel", "--help").split("Subcommands:")[1], re.M)
        self.assertGreater(len(commands), 10)
        pages = ["reel.1"] + [f"reel-{command}.1" for command in commands]
        self.assertEqual(sorted(os.listdir(f"{share}/man/man1")), sorted(pages))
        for script in (
            "bash-completion/completions/reel",
            "zsh/site-functions/_reel",
            "fish/vendor_completions.d/reel.fish",
        ):
            with open(os.path.join(share, script), encoding="utf-8") as f:
                text = f.read()
            for command in commands:
                self.assertIn(command, text, script)

    def test_without_the_compiler_there_is_the_rest(self):
        prefix = os.path.join(self.folder, "small")
        for component in ("Runtime", "Development"):
            run("cmake", "--install", ARGS.build, "--prefix", prefix, "--component", component)
        for file in glob.glob(f"{prefix}/lib*/**/ReelCompilerTargets*", recursive=True):
            os.remove(file)
        folder = os.path.join(self.folder, "small_build")
        project = os.path.join(self.folder, "small_project")
        os.makedirs(project)
        with open(os.path.join(project, "CMakeLists.txt"), "w", encoding="utf-8") as f:
            f.write(
                "cmake_minimum_required(VERSION 3.25)\nproject(small CXX)\nfind_package(Reel CONFIG REQUIRED)\n"
                'if(TARGET Reel::compiler OR NOT TARGET Reel::reel)\n  message(FATAL_ERROR "targets")\nendif()\n'
            )
        text = run("cmake", "-S", project, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}")
        self.assertIn("installed without its component Compiler", text)

    def test_as_a_folder_of_a_project(self):
        """Configured only, and one file compiled: building all of it is the build's own test."""
        with open(f"{ARGS.build}/CMakeCache.txt", encoding="utf-8") as f:
            llvm = re.search(r"^REEL_LLVM_VERSION:STRING=(.*)$", f.read(), re.M)[1]
        folder, _ = self.configured(
            "folder", f"-DREEL_FOLDER={SOURCE}", f"-DREEL_LLVM_VERSION={llvm}", "-DREEL_PYTHON=OFF"
        )
        run("cmake", "--build", folder, "--target", "CMakeFiles/hello.dir/hello.cc.o")
        targets = run("cmake", "--build", folder, "--target", "help")
        self.assertNotIn("_test", targets)

    def test_the_installed_headers_are_all_that_the_public_ones_use(self):
        root = os.path.join(self.prefix, "include", "reel")
        every = os.path.join(self.folder, "every.cc")
        with open(every, "w", encoding="utf-8") as f:
            f.writelines(
                f"#include <reel/{os.path.basename(path)}>\n" for path in sorted(glob.glob(f"{root}/reel/*.h"))
            )
        run("g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{root}", every)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
