"""Training by several processes: the same bits for any number of them, restarts with another number, faults."""

import argparse
import filecmp
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root"]
LIMIT = 120  # seconds, a watchdog for what hangs


def cpu_seconds(pid):
    """What a process has taken of the processors."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Distributed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="reel_distributed")
        self.addCleanup(shutil.rmtree, self.folder)
        with open(self.path("table.csv"), "w") as table:
            table.write("x,y,z,kind\n")
            for i in range(400):
                table.write(f"{i % 7},{i % 11},{(i * i) % 13},{'high' if i % 7 + i % 11 > 8 else 'low'}\n")

    def path(self, name):
        return os.path.join(self.folder, name)

    def train(self, processes, name, *options, shards=8, steps=30):
        """What becomes of a run; its files are NAME.csv and NAME.reel."""
        command = [] if processes == 1 else MPIRUN + ["-n", str(processes)]
        command += [os.path.join(ARGS.build, "bin", "reel"), "train", "--data", self.path("table.csv")]
        command += ["--steps", str(steps), "--batch", "32", "--dropout", "0.2", "--shards", str(shards)]
        command += ["--log", self.path(f"{name}.csv"), "--save", self.path(f"{name}.reel"), *options]
        return subprocess.Popen(
            command,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, REEL_NUM_THREADS="1"),
        )

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

    def test_bits_do_not_depend_on_the_number_of_processes(self):
        for processes in (1, 2, 4, 8):
            self.trained(processes, f"run{processes}")
        self.same("run1", "run2", "run4", "run8")

    def test_a_checkpoint_goes_on_with_another_number_of_processes(self):
        self.trained(1, "whole")
        keep = ("--checkpoints", self.path("kept"), "--evaluate-every", "6")
        self.trained(4, "part", *keep, steps=12)
        self.trained(2, "part", *keep)
        self.trained(1, "again", "--evaluate-every", "6")
        self.same("again", "part")

    def test_a_process_that_is_killed_ends_the_run(self):
        keep = ("--checkpoints", self.path("kept"), "--evaluate-every", "50")
        run = self.train(4, "killed", *keep, steps=100000)
        while not glob.glob(self.path("kept/*.safetensors")):
            self.assertIsNone(run.poll(), "it ended before it was killed")
            time.sleep(0.05)
        children = subprocess.run(["pgrep", "-P", str(run.pid)], text=True, stdout=subprocess.PIPE).stdout.split()
        os.kill(int(children[2]), signal.SIGKILL)
        start = time.monotonic()
        _, err = run.communicate(timeout=LIMIT)
        self.assertNotEqual(run.returncode, 0)
        self.assertLess(time.monotonic() - start, 20)
        self.assertIn("rank", err)

    def test_more_processes_than_cores_sleep_while_they_wait(self):
        """Eight processes, 1,000 steps; while one is stopped the others leave the cores to others."""
        keep = ("--checkpoints", self.path("kept"), "--evaluate-every", "50")
        run = self.train(8, "many", *keep, steps=1000)
        while not glob.glob(self.path("kept/*.safetensors")):
            self.assertIsNone(run.poll(), "it ended before it was stopped")
            time.sleep(0.02)
        children = subprocess.run(["pgrep", "-P", str(run.pid)], text=True, stdout=subprocess.PIPE).stdout.split()
        self.assertEqual(len(children), 8)
        os.kill(int(children[5]), signal.SIGSTOP)
        time.sleep(0.5)  # what was under way has come to the one that is stopped
        others = [pid for pid in children if pid != children[5]]
        before, start = sum(map(cpu_seconds, others)), time.monotonic()
        time.sleep(2)
        spent, passed = sum(map(cpu_seconds, others)) - before, time.monotonic() - start
        os.kill(int(children[5]), signal.SIGCONT)
        out, err = run.communicate(timeout=LIMIT)
        self.assertEqual(run.returncode, 0, out + err)
        self.assertLess(spent, passed / 2, "seconds of processors, of seven that wait")
        self.trained(1, "alone", "--evaluate-every", "50", steps=1000)
        self.same("many", "alone")

    def test_errors_are_told_once(self):
        for processes, shards, text in (
            (3, 8, "3 processes do not divide 8 shards"),
            (2, 12, "12 shards do not divide the batch"),
        ):
            run = self.train(processes, "wrong", shards=shards)
            out, err = run.communicate(timeout=LIMIT)
            self.assertEqual(run.returncode, 1, out + err)
            self.assertEqual(err.count(text), 1, err)

    def test_an_object_with_a_c_program(self):
        """Losses of `mpicc main.c step.o reel_mpi.c` for 1, 2 and 4 processes."""
        self.trained(1, "model", steps=1)
        main = """
#include <stdio.h>
#include <stdlib.h>
#include "step.h"
#include "reel_mpi.h"
int main(void) {
  char error[256];
  const struct reel_communicator* group = reel_mpi_join(error, sizeof error);
  if (!group) return puts(error), 1;
  int code = 0, own = 32 / (int)group->size;
  step* model = step_init(aligned_alloc(STEP_ALIGNMENT, STEP_SIZE), STEP_SIZE, &code);
  if (!model) return puts(step_error(code)), 1;
  if (group->size > 1) step_set_communicator(model, group);
  for (int s = 0; s < 20; ++s) {
    float x[32 * 3], loss;
    int64_t y[32];
    for (int i = 0; i < own; ++i) {
      const int row = (int)group->rank * own + i;
      for (int k = 0; k < 3; ++k) x[3 * i + k] = (float)((row * (k + 2) + s) % 7) / 7;
      y[i] = (row + s) % 2;
    }
    if ((code = step_train(model, x, y, &loss)) != 0) return puts(step_error(code)), 1;
    if (group->rank == 0) printf("%a\\n", loss);
  }
  return 0;
}
"""
        with open(self.path("main.c"), "w") as file:
            file.write(main.replace("step_set_communicator(model, group)", "SET(model, group)"))
        mpi = os.path.join(SOURCE, "runtime", "mpi")
        losses = []
        for members in (1, 2, 4):
            folder = self.path(f"of{members}")
            os.mkdir(folder)
            run = [
                os.path.join(ARGS.build, "bin", "reel"),
                "compile",
                self.path("model.reel"),
                "-o",
                f"{folder}/step",
                "--distribute",
                "train",
                "--members",
                str(members),
            ]
            subprocess.run(run, check=True, timeout=LIMIT)
            setter = "-DSET(m,g)=" + ("step_set_communicator(m,g)" if members > 1 else "((void)0)")
            subprocess.run(
                [
                    "mpicc",
                    "-std=gnu11",
                    "-Wall",
                    "-Werror",
                    setter,
                    "-I",
                    folder,
                    "-I",
                    mpi,
                    self.path("main.c"),
                    f"{folder}/step.o",
                    f"{mpi}/reel_mpi.c",
                    "-o",
                    f"{folder}/main",
                ],
                check=True,
                timeout=LIMIT,
            )
            losses.append(
                subprocess.run(
                    [*MPIRUN, "-n", str(members), f"{folder}/main"],
                    check=True,
                    timeout=LIMIT,
                    text=True,
                    stdout=subprocess.PIPE,
                ).stdout
            )
        self.assertEqual(len(losses[0].split()), 20)
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(losses[0], losses[2])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    ARGS, rest = parser.parse_known_args()
    if not shutil.which("mpirun") or not os.path.exists(os.path.join(ARGS.build, "lib", "libreel_mpi.so")):
        print("skipped: there is no MPI (libopenmpi-dev, openmpi-bin), or Reel was built without it")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
