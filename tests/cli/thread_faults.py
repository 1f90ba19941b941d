"""From the n-th thread on the system refuses to start any: commands go on with fewer, or fail with status 4.

usage: thread_faults.py build/bin/reel; status 77: strace may not trace here
"""

import os
import shutil
import subprocess
import sys
import tempfile

MODULE = """reel 1
module "m"
func @main() -> (y: f32[]) {
  %0 = constant 2 : f32[]
  return %0
}
"""
COMMANDS = ["run m.reel.txt", "compile m.reel.txt -o m", "bench ew_chain --threads 4 --cap 0.01"]


def run(command, folder, first):
    refuse = ["-e", "trace=clone,clone3", "-e", f"inject=clone,clone3:error=EAGAIN:when={first}+"]
    done = subprocess.run(
        ["strace", "-f", "-qq", "-o", "/dev/null", *refuse, *command],
        cwd=folder,
        env={**os.environ, "LSAN_OPTIONS": "detect_leaks=0"},  # it would trace, too
        capture_output=True,
        text=True,
        timeout=100,
    )
    return done.returncode, done.stderr


def main():
    reel, wrong, refused = os.path.abspath(sys.argv[1]), [], 0
    if not shutil.which("strace") or run(["true"], "/", 1)[0] != 0:
        print("SKIPPED: strace is not installed or may not trace here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "m.reel.txt"), "w") as f:
            f.write(MODULE)
        for command in COMMANDS:
            for first in range(1, 5):
                status, said = run([reel, *command.split()], folder, first)
                refused += status == 4
                if status not in (0, 4) or (status == 4 and "thread" not in said):
                    wrong.append(f"{command}, no thread from number {first} on: status {status}: {said[-300:]}")
    if not refused:
        wrong.append("nothing was refused")
    print("\n".join(wrong) or f"{refused} commands were refused a thread and said so")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
