"""Training by several processes: the same bits for any number of them, restarts with another number."""

import glob
import json
import os
import signal
import subprocess
import time

from group import LIMIT, MPIRUN, Group, main

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What a user writes; an object for a group of one has no collectives, so there is nothing to compare.
MAIN = """
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
#ifdef STEP_SIGNATURE
  if (reel_mpi_agree(STEP_SIGNATURE, error, sizeof error)) {
    if (group->rank == 0) puts(error);
    return 1;
  }
  step_set_communicator(model, group);
#endif
#ifdef PARTS /* of slots that had values: of the second layer's kernel, 128 x 2 */
  if ((code = step_begin_state(model)) != 0) return puts(step_error(code)), 1;
#endif
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
#ifdef PARTS /* what was gathered is whole: it is put back over others */
    static float m[256], v[256];
    if (s != 10) continue;
    if ((code = step_gather_state(model, m, v)) != 0 || (code = step_begin_state(model)) != 0 ||
        (code = step_scatter_state(model, m, v)) != 0)
      return puts(step_error(code)), 1;
#endif
  }
  return 0;
}
"""


def cpu_seconds(pid):
    """What a process has taken of the processors."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Distributed(Group):
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

    def test_optimizers_in_parts_change_no_bit(self):
        model = ("--hidden", "64,64")
        self.trained(1, "whole", *model, "--evaluate-every", "6")
        parts = (*model, "--shard-optimizer", "--checkpoints", self.path("kept"), "--evaluate-every", "6")
        self.trained(4, "parts", *parts, steps=12)
        self.trained(2, "parts", *parts)
        self.same("whole", "parts")

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

    def test_plans_are_measured(self):
        """What `reel plan` measures of the network and of a step, beside what it predicts."""
        self.trained(1, "model", steps=1)
        plan = [*MPIRUN, "-n", "2", os.path.join(self.build, "bin", "reel"), "plan", "--json"]
        network = json.loads(
            subprocess.run([*plan, "--calibrate"], check=True, timeout=LIMIT, capture_output=True).stdout
        )
        self.assertGreater(network["latency"], 0)
        plan += ["--model", self.path("model.reel"), "--members-per-node", "2", "--measure", "--network"]
        run = subprocess.run([*plan, "1e-6,1e-9"], check=True, timeout=LIMIT, capture_output=True)
        (row,) = json.loads(run.stdout)["rows"]
        self.assertEqual(row["processes"], 2)
        self.assertGreater(row["compute_seconds"], 0)
        self.assertGreater(row["measured_communication_seconds"], 0)

    def c_program(self, name, members, *options):
        """`mpicc main.c step.o reel_mpi.c`, of the step of model.reel."""
        folder, mpi = self.path(name), os.path.join(SOURCE, "runtime", "mpi")
        os.mkdir(folder)
        reel = [os.path.join(self.build, "bin", "reel"), "compile", self.path("model.reel"), "-o", f"{folder}/step"]
        reel += ["--distribute", "train", "--members", str(members), *options]
        subprocess.run(reel, check=True, timeout=LIMIT)
        with open(f"{folder}/main.c", "w") as file:
            file.write(MAIN)
        cc = ["mpicc", "-std=gnu11", "-Wall", "-Werror", "-I", folder, "-I", mpi, f"{folder}/main.c"]
        if "--shard-optimizer" in options:
            cc.append("-DPARTS")
        cc += [f"{folder}/step.o", f"{mpi}/reel_mpi.c", "-o", f"{folder}/main"]
        subprocess.run(cc, check=True, timeout=LIMIT)
        return f"{folder}/main"

    def test_an_object_with_a_c_program(self):
        """Losses for 1, 2 and 4 processes, of which the last use other buckets; and with an optimizer in parts."""
        self.trained(1, "model", steps=3)
        losses = []
        rows = (
            (1, ()),
            (2, ()),
            (4, ("--bucket-bytes", "100")),
            (2, ("--shard-optimizer",)),
            (8, ("--shard-optimizer",)),
        )
        for i, (members, options) in enumerate(rows):
            command = [*MPIRUN, "-n", str(members), self.c_program(f"row{i}", members, *options)]
            run = subprocess.run(command, check=True, timeout=LIMIT, text=True, stdout=subprocess.PIPE)
            losses.append(run.stdout)
        self.assertEqual(len(losses[0].split()), 20)
        for other in losses[1:]:
            self.assertEqual(losses[0], other)

    def test_objects_that_differ_are_noticed(self):
        self.trained(1, "model", steps=1)
        here, there = self.c_program("here", 2), self.c_program("there", 2, "--shards", "4")
        run = self.start([*MPIRUN, "-n", "1", here, ":", "-n", "1", there])
        out, err = run.communicate(timeout=LIMIT)
        self.assertEqual(run.returncode, 1, out + err)
        text = "process 1 of 2 has another program than process 0: link all with one object\n"
        self.assertEqual(out, text)


if __name__ == "__main__":
    main()
