"""Commands and a training in Python under limits of address space (ulimit -v).

From the least with which the program starts to where it succeeds, in REEL_LIMIT_STEPS steps (40; 200 is thorough):
the status is 0, or 3 with a message (in Python 1, by an exception); never a signal, and no output is left half written.

usage: memory_limits.py build/bin/reel [python3 folder-of-the-package]; status 77: limits do not hold here
"""

import os
import resource
import subprocess
import sys
import tempfile

STEPS = int(os.environ.get("REEL_LIMIT_STEPS", "40"))
MIB = 1 << 20
TRAINING = """
import reel
w = reel.Variable(reel.zeros((16, 4)), name="w")

@reel.function
def step(x, y):
    with reel.GradientTape() as tape:
        loss = reel.mean(reel.square(reel.tanh(x @ w) - y))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss

x, y = reel.random.normal((8, 16)), reel.zeros((8, 4))
for _ in range(3):
    with reel.GradientTape() as tape:
        loss = reel.mean(reel.square(x @ w - y))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    loss = step(x, y)
print(float(loss))
"""


def run(command, limit, env=None):
    """Its status and what it says, with at most `limit` bytes of address space; None: no limit."""

    def bound():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    try:
        done = subprocess.run(command, capture_output=True, timeout=60, preexec_fn=bound, env=env)
    except subprocess.TimeoutExpired:  # an interpreter, where it can hardly start
        return "timeout", ""
    return done.returncode, done.stderr.decode(errors="replace")


def least(works, low, high):
    """The least number of MiB, by halving, with which it works."""
    while low < high:
        middle = (low + high) // 2
        if works(middle * MIB):
            high = middle
        else:
            low = middle + 1
    return low


def sweep(name, command, starts, failure, output=None, env=None):
    """What is wrong, of all limits from the least with which `starts` works."""
    if run(command, None, env)[0] != 0:
        return [f"{name}: fails without a limit: {run(command, None, env)}"]
    low = least(lambda limit: run(starts, limit, env)[0] == 0, 8, 1024)
    high = least(lambda limit: run(command, limit, env)[0] == 0, low, 1 << 14)
    if output and os.path.exists(output):
        os.remove(output)
    high += high // 8  # above it there may be less luck
    wrong, statuses = [], {}
    for i in range(STEPS):
        limit = (low * MIB + (high - low) * MIB * i // max(STEPS - 1, 1)) & -4096
        status, says = run(command, limit, env)
        statuses[status] = statuses.get(status, 0) + 1
        if status not in (0, failure) or (status != 0 and not says.strip()):
            wrong.append(f"{name}: {limit // 1024} KiB: status {status}: {says[-400:]}")
        if output and os.path.exists(output):
            if status != 0:
                wrong.append(f"{name}: {limit // 1024} KiB: status {status}, but there is an output")
            os.remove(output)
        elif output and status == 0:
            wrong.append(f"{name}: {limit // 1024} KiB: no output")
    print(f"{name}: {low} to {high} MiB in {STEPS} steps: statuses {statuses}", flush=True)
    return wrong


def graph(folder):
    """A function of two variables, with as many kernels as a small net has."""
    path = os.path.join(folder, "loss.reel.txt")
    with open(path, "w") as f:
        f.write('reel 1\nmodule "m"\n')
        for name in ("x", "w"):
            f.write(f"variable @{name}: f32[64,64] = init @ones\n")
        f.write("func @ones() -> (f32[64,64]) {\n  %0 = constant 0.5 : f32[]\n")
        f.write("  %1 = broadcast %0 {axes=[], shape=[64, 64]} : f32[64,64]\n  return %1\n}\n")
        f.write("func @main() state(@x: f32[64,64], @w: f32[64,64]) -> (loss: f32[]) {\n  %0 = tanh @x : f32[64,64]\n")
        last = 0
        for _ in range(6):
            f.write(
                f"  %{last + 1} = contract %{last}, @w "
                "{a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[64,64]\n"
            )
            f.write(f"  %{last + 2} = tanh %{last + 1} : f32[64,64]\n")
            last += 2
        f.write(f"  %{last + 1} = reduce_sum %{last} {{axes=[0, 1]}} : f32[]\n")
        f.write(f"  return %{last + 1} state(@x, @w)\n}}\n")
    return path


def main():
    reel, python = sys.argv[1], sys.argv[2:]
    if run([reel, "--version"], 1 * MIB)[0] == 0:
        sys.exit(77)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        forward = graph(folder)
        step = os.path.join(folder, "step.reel")
        status, says = run([reel, "grad", forward, "-o", step], None)
        assert status == 0, says
        out = os.path.join(folder, "out")
        version = [reel, "--version"]
        for name, command, output in [
            ("grad", ["grad", forward, "-o", out + ".reel"], out + ".reel"),
            ("opt", ["opt", step, "-o", out + ".reel"], out + ".reel"),
            ("compile", ["compile", step, "-o", out], out + ".o"),
            ("run", ["run", step, "--function", "main.grad"], None),
        ]:
            wrong += sweep(name, [reel] + command, version, 3, output)
        if python:
            env = dict(os.environ, PYTHONPATH=python[1])
            script = os.path.join(folder, "training.py")
            with open(script, "w") as f:
                f.write(TRAINING)
            wrong += sweep("python", [python[0], "-B", script], [python[0], "-B", "-c", ""], 1, None, env)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
