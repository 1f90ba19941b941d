"""`reel train --data` that is killed or stopped, and goes on: the bits of a run that was not.

usage: train_resume.py REEL
"""

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import unittest

STEPS = 600


def write_table(path):
    numbers = random.Random(7)
    with open(path, "w", encoding="utf-8") as f:
        f.write("a,b,c,kind\n")
        for i in range(120):
            kind = i % 3
            f.write(
                f"{numbers.gauss(kind, 0.4):.4f},{numbers.gauss(-kind, 0.6):.4f},{numbers.random():.4f},{'xyz'[kind]}\n"
            )


class Resume(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="reel_resume")
        write_table(self.path("t.csv"))

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def command(self, name, *options):
        return [
            REEL,
            "train",
            "--data",
            self.path("t.csv"),
            "--model",
            "mlp",
            "--hidden",
            "16,8",
            "--dropout",
            "0.2",
            "--batch",
            "16",
            "--evaluate-every",
            "25",
            "--checkpoints",
            self.path(name),
            "--save",
            self.path(name + ".reel"),
            "--json",
            *options,
        ]

    def train(self, name, *options):
        done = subprocess.run(self.command(name, *options), capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def bytes(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def stopped(self, name, number, *options):
        """Starts a run whose log is a pipe that holds few lines, and sends it a signal after about 60 steps."""
        pipe = self.path("pipe")
        if not os.path.exists(pipe):
            os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(end, True)
        hold = os.open(pipe, os.O_WRONLY)  # what is written first, and then the log, is one stream
        process = subprocess.Popen(
            self.command(name, "--log", pipe, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        os_lines = os.fdopen(end, "rb", buffering=0)
        text = b""
        while b"\n60," not in text:
            text += os_lines.read(1)
        process.send_signal(number)
        os.close(hold)
        while os_lines.read(4096):
            pass
        os_lines.close()
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, -number, err)
        return out

    def test_a_run_that_was_killed_goes_on_to_the_same_bits(self):
        options = (
            "--steps",
            str(STEPS),
            "--schedule",
            "cosine",
            "--warmup",
            "20",
            "--optimizer",
            "adamw",
            "--early-stopping",
            "1000",
        )
        self.train("whole", *options)
        self.stopped("killed", signal.SIGKILL, *options)
        self.stopped("killed", signal.SIGKILL, *options)
        report = self.train("killed", *options)
        self.assertGreater(report["first_step"], 0)
        self.assertLess(report["first_step"], STEPS)
        self.assertEqual(report["first_step"] % 25, 0)
        self.assertEqual(self.bytes("whole.reel"), self.bytes("killed.reel"))

    def test_a_run_that_is_asked_to_stop_keeps_where_it_was(self):
        options = ("--steps", str(STEPS))
        self.train("whole", *options)
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                report = json.loads(self.stopped(f"stopped{number}", number, *options))
                self.assertEqual(report["signal"], number)
                self.assertFalse(os.path.exists(self.path(f"stopped{number}.reel")))
                again = self.train(f"stopped{number}", *options)
                self.assertEqual(again["first_step"], report["last_step"])
                self.assertEqual(self.bytes("whole.reel"), self.bytes(f"stopped{number}.reel"))

    def test_the_log_and_a_longer_run_are_those_of_one_run(self):
        self.train("whole", "--steps", "200")
        first = self.train("parts", "--steps", "100")
        self.assertEqual(len(self.bytes("parts/log.csv").splitlines()), 101)
        with open(self.path("parts/log.csv"), "ab") as f:
            f.write(b"101,9,,\n102,8.")  # steps after the last checkpoint, the last of them cut off
        second = self.train("parts", "--steps", "200")
        self.assertEqual((first["last_step"], second["first_step"]), (100, 100))
        self.assertEqual(self.bytes("whole/log.csv"), self.bytes("parts/log.csv"))
        self.assertEqual(self.bytes("whole.reel"), self.bytes("parts.reel"))
        done = self.train("parts", "--steps", "200")
        self.assertEqual((done["first_step"], done["last_step"]), (200, 200))
        self.assertEqual(done["validation_loss"], second["validation_loss"])
        self.assertEqual(self.bytes("whole.reel"), self.bytes("parts.reel"))

    def test_another_run_in_the_same_folder_is_an_error(self):
        self.train("run", "--steps", "25")
        done = subprocess.run(
            self.command("run", "--learning-rate", "0.5"), capture_output=True, text=True, timeout=120
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("learning-rate was 0.0 and is 0.5", done.stderr)
        with open(self.path("run/run.json"), "w", encoding="utf-8") as f:
            f.write("{")
        done = subprocess.run(self.command("run"), capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1)
        self.assertIn("damaged", done.stderr)


if __name__ == "__main__":
    REEL = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
