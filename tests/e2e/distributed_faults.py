"""Faults of several processes: one that is killed at any moment, ranks that differ, and what cannot be started.

REEL_KILLS=100 kills as many runs (20 otherwise)."""

import glob
import os
import random
import shutil
import signal
import time

from group import LIMIT, MPIRUN, Group, main

KILLS = int(os.environ.get("REEL_KILLS", "20"))
SECONDS = 20  # within which a run has ended after one of its processes has


def ranks_of(run):
    """The processes that mpirun has started so far, by rank."""
    found = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as stat:
                parent = int(stat.read().rpartition(")")[2].split()[1])
            if parent != run.pid:
                continue
            with open(f"/proc/{name}/environ", "rb") as environ:
                for entry in environ.read().split(b"\0"):
                    if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                        found[int(entry.partition(b"=")[2])] = int(name)
        except (OSError, ValueError, IndexError):
            continue
    return found


class Faults(Group):
    def test_killed_at_any_moment_it_goes_on_with_half_as_many(self):
        steps, draw = 2000, random.Random(26)
        options = ("--evaluate-every", "20")
        start = time.monotonic()
        self.trained(4, "whole", *options, steps=steps)
        seconds = time.monotonic() - start
        killed = slowest = began_again = attempts = 0
        while killed < KILLS:
            attempts += 1
            self.assertLess(attempts, 3 * KILLS + 10, "runs end before they are killed")
            shutil.rmtree(self.path("kept"), ignore_errors=True)
            keep = (*options, "--checkpoints", self.path("kept"))
            processes = draw.choice((2, 4))
            rank, moment = draw.randrange(processes), draw.uniform(0.02, 1) * seconds
            begun = time.monotonic()
            run = self.train(processes, "part", *keep, steps=steps)
            while killed % 2 == 1 and run.poll() is None and not glob.glob(self.path("kept/*.safetensors")):
                time.sleep(0.005)  # every other one has a checkpoint
            err, ended = self.killed(run, rank, moment if killed % 2 == 0 else moment / 10)
            if err is None:  # it was over; the whole run had to share the machine
                seconds = min(seconds, time.monotonic() - begun)
                continue
            killed += 1
            slowest = max(slowest, ended)
            self.assertLess(ended, SECONDS)
            kept = glob.glob(self.path("kept/*.safetensors"))
            began_again += not kept
            # One that has not joined MPI yet has no rank in what mpirun says.
            early = not kept and "1 process returned" in err
            self.assertTrue(f"rank {rank}" in err or early, f"kill {killed} after {moment:.3f} s: {err}")
            self.trained(processes // 2, "part", *keep, steps=steps)
            self.same("whole", "part")
        print(f"{killed} runs killed, {began_again} before a checkpoint; they ended within {slowest:.1f} s")

    def killed(self, run, rank, moment):
        """What a run says whose process `rank` is killed at a moment, or as soon as it is there, and in how many
        seconds it ends; None: it was over."""
        start, victim = time.monotonic(), None
        while run.poll() is None and (victim is None or time.monotonic() - start < moment):
            time.sleep(0.005)
            victim = ranks_of(run).get(rank)
        if victim is not None:
            os.kill(victim, signal.SIGKILL)
        start = time.monotonic()
        _, err = run.communicate(timeout=LIMIT)
        return (err if victim is not None and run.returncode != 0 else None), time.monotonic() - start

    def test_bad_input_is_one_error_and_a_status(self):
        reel = self.reel
        rows = (
            (3, "3 processes do not divide 8 shards", reel("wrong"), None),
            (2, "12 shards do not divide the batch", reel("wrong", shards=12), None),
            (2, "cannot read", reel("wrong", "--validation", "missing.csv"), None),
            (2, "another option --hidden than process 0: [8], not []", reel("wrong"), reel("wrong", "--hidden", "8")),
            (2, "another option --seed than process 0: 3, not 0", reel("wrong"), reel("wrong", "--seed", "3")),
            (2, "another option --shards than process 0: 4, not 8", reel("wrong"), reel("wrong", shards=4)),
            (2, "another number of steps than process 0: 31, not 30", reel("wrong"), reel("wrong", steps=31)),
            (2, "another class of machine", reel("wrong"), ["env", "REEL_CPU=x86-64-v2", *reel("wrong")]),
        )
        for processes, text, command, other in rows:
            mpi = [*MPIRUN, "-n", str(processes), *command]
            if other:
                mpi = [*MPIRUN, "-n", str(processes - 1), *command, ":", "-n", "1", *other]
            with self.subTest(text):
                self.fails_once(mpi, text)

    def fails_once(self, command, text):
        run = self.start(command)
        start = time.monotonic()
        out, err = run.communicate(timeout=LIMIT)
        self.assertIn(run.returncode, (1, 2, 4), out + err)
        self.assertLess(time.monotonic() - start, SECONDS)
        self.assertEqual(err.count("reel: "), 1, err)
        self.assertEqual(err.count(text), 1, err)

    def test_folders_that_are_not_shared(self):
        keep = ("--evaluate-every", "10", "--checkpoints")
        self.trained(1, "own", *keep, self.path("first"))
        here, there = (self.reel("own", *keep, self.path(folder), steps=40) for folder in ("first", "second"))
        text = "another step to go on from than process 0: 0, not 30"
        self.fails_once([*MPIRUN, "-n", "1", *here, ":", "-n", "1", *there], text)

    def test_without_mpi(self):
        """A copy of Reel that was built without it."""
        for folder in ("bin", "lib"):
            os.mkdir(self.path(folder))
        libraries = [n for n in os.listdir(os.path.join(self.build, "lib")) if ".so" in n and "reel_mpi" not in n]
        for name in [os.path.join("lib", n) for n in libraries] + [os.path.join("bin", "reel")]:
            shutil.copy2(os.path.join(self.build, name), self.path(name), follow_symlinks=False)
        command = self.reel("wrong")
        command[0] = self.path("bin/reel")
        self.fails_once([*MPIRUN, "-n", "2", *command], "install Open MPI (libopenmpi-dev) and build Reel again")


if __name__ == "__main__":
    main()
