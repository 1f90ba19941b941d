"""What tests of several processes share: runs of `reel train` under mpirun on a small table."""

import argparse
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root"]
LIMIT = 120  # seconds, a watchdog for what hangs


def main():
    """Runs the tests of the caller; 77 without MPI."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    arguments, rest = parser.parse_known_args()
    Group.build = arguments.build
    if not shutil.which("mpirun") or not os.path.exists(os.path.join(arguments.build, "lib", "libreel_mpi.so")):
        print("skipped: there is no MPI (libopenmpi-dev, openmpi-bin), or Reel was built without it")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])


class Group(unittest.TestCase):
    build = ""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="reel_distributed")
        self.addCleanup(shutil.rmtree, self.folder)
        with open(self.path("table.csv"), "w") as table:
            table.write("x,y,z,kind\n")
            for i in range(400):
                table.write(f"{i % 7},{i % 11},{(i * i) % 13},{'high' if i % 7 + i % 11 > 8 else 'low'}\n")

    def path(self, name):
        return os.path.join(self.folder, name)

    def reel(self, name, *options, shards=8, steps=30):
        """The command of a run; its files are NAME.csv and NAME.reel."""
        command = [os.path.join(self.build, "bin", "reel"), "train", "--data", self.path("table.csv")]
        command += ["--steps", str(steps), "--batch", "32", "--dropout", "0.2", "--shards", str(shards)]
        return command + ["--log", self.path(f"{name}.csv"), "--save", self.path(f"{name}.reel"), *options]

    def start(self, command):
        return subprocess.Popen(
            command,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, REEL_NUM_THREADS="1"),
        )

    def train(self, processes, name, *options, **settings):
        command = [] if processes == 1 else MPIRUN + ["-n", str(processes)]
        return self.start(command + self.reel(name, *options, **settings))

    def trained(self, *arguments, **options):
        process = self.train(*arguments, **options)
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0, out + err)
        return out

    def same(self, *names):
        for kind in ("csv", "reel"):
            for other in names[1:]:
                a, b = (self.path(f"{name}.{kind}") for name in (names[0], other))
                self.assertTrue(filecmp.cmp(a, b, shallow=False), f"{a} and {b} differ")
