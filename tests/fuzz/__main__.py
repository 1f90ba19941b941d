"""Random programs on every engine: see README.md in this folder."""

import argparse
import collections
import json
import os
import select
import signal
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))


def work(options):
    """The child: seeds or programs by line on standard input, a line of JSON about each on standard output."""
    import numpy

    import check
    import kinds
    from maker import Maker
    from program import Program

    numpy.seterr(all="ignore")
    use_torch = options.oracle == "torch"
    for line in sys.stdin:
        request = json.loads(line)
        started = time.process_time()
        answer = {"seed": request["seed"], "findings": []}
        if "program" in request:
            program = Program.from_json(request["program"])
        else:
            maker = Maker(request["seed"], kinds)
            program = maker.make()
            answer["kinds"] = maker.used
        names = request.get("engines") or check.engines_for(request["seed"], options.few)
        found, _ = check.bits(program, names)
        answer["findings"] += [f for f in found if f[0] != "refused"]
        answer["refused"] = [text for what, text in found if what == "refused"]
        if not answer["refused"] and not request.get("bits only"):
            if use_torch:
                found, why = check.values(program)
                answer["findings"] += found
                answer["no oracle"] = why
            if not use_torch or request["seed"] % 5 == 0:
                answer["findings"] += check.slopes(program)
        answer["program"] = program.to_json()
        answer["seconds"] = time.process_time() - started
        print(json.dumps(answer), flush=True)


class Worker:
    """A child process; it may die or hang, which is an answer, too."""

    def __init__(self, options):
        self.options, self.child = options, None

    def start(self):
        self.log = open(os.path.join(self.options.out, f"stderr_{os.getpid()}_{id(self)}"), "w+b")
        command = [sys.executable, "-B", FOLDER, "--worker", "--oracle", self.options.oracle, "--out", self.options.out]
        self.child = subprocess.Popen(
            command + ["--few"] * self.options.few, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log
        )

    def ask(self, request):
        self.send(request)
        return self.answer()

    def send(self, request):
        if self.child is None:
            self.start()
        self.request, self.deadline = request, time.monotonic() + self.options.timeout
        self.child.stdin.write((json.dumps(request) + "\n").encode())
        self.child.stdin.flush()

    def answer(self):
        """The answer to what was sent, waiting for it; None if it may still come (never after the deadline)."""
        line = b""
        while not line.endswith(b"\n"):
            left = self.deadline - time.monotonic()
            ready, _, _ = select.select([self.child.stdout], [], [], max(left, 0))
            if not ready:
                return self.gone("hang", f"no answer in {self.options.timeout} s")
            part = os.read(self.child.stdout.fileno(), 1 << 20)
            if not part:
                status = self.child.wait()
                return self.gone("crash", f"status {status} {signal.Signals(-status).name if status < 0 else ''}")
            line += part
        return json.loads(line)

    def gone(self, what, text):
        self.log.flush()
        self.log.seek(max(0, self.log.tell() - 1500))
        tail = self.log.read().decode(errors="replace")
        self.stop()
        return {
            "seed": self.request["seed"],
            "findings": [(what, f"{text}: {tail[-700:]}")],
            "program": None,
            "refused": [],
        }

    def stop(self):
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            name = self.log.name
            self.log.close()
            os.unlink(name)
            self.child = None


def program_of(seed):
    """The program of a seed whose process died: made in a process of its own."""
    code = (
        f"import sys; sys.path.insert(0, {FOLDER!r}); import kinds; from maker import Maker; "
        f"print(Maker({seed}, kinds).make().to_json())"
    )
    made = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, timeout=120)
    return made.stdout.decode().splitlines()[-1] if made.returncode == 0 else None


def report(options, answer):
    """Writes a finding: its script, made smaller if asked."""
    seed = answer["seed"]
    text = answer["program"] or program_of(seed)
    kind, what = answer["findings"][0]
    print(f"seed {seed}: {kind}: {what}", flush=True)
    base = os.path.join(options.out, f"{kind.replace(' ', '_')}_{seed}")
    with open(base + ".txt", "w") as f:
        f.write("".join(f"{k}: {w}\n" for k, w in answer["findings"]))
    if text is None:
        return
    if options.reduce:
        import reducer

        text = reducer.reduced(text, kind, Worker(options), options)
    with open(base + ".json", "w") as f:
        f.write(text)
    sys.path.insert(0, FOLDER)
    import check
    from program import Program

    with open(base + ".py", "w") as f:
        f.write(check.script(Program.from_json(text), f"seed {seed}: {kind}: {what}".replace("\n", "\n# ")))


def run(options):
    first, last = (int(n) for n in options.seeds.split(":"))
    seeds = iter(range(first, last))
    os.makedirs(options.out, exist_ok=True)
    workers = [Worker(options) for _ in range(options.jobs)]
    counts, kinds, why = collections.Counter(), collections.Counter(), collections.Counter()
    started, cpu = time.monotonic(), 0.0
    busy = {}
    until = started + options.minutes * 60 if options.minutes else None

    def feed(worker):
        seed = next(seeds, None)
        if seed is None or (until and time.monotonic() > until):
            return
        worker.send({"seed": seed})
        busy[worker.child.stdout] = worker

    for w in workers:
        feed(w)
    while busy:
        nearest = max(0, min(w.deadline for w in busy.values()) - time.monotonic())
        ready, _, _ = select.select(list(busy), [], [], nearest)
        late = [s for s, w in busy.items() if w.deadline <= time.monotonic()]
        for stream in ready or late:
            worker = busy.pop(stream)
            answer = worker.answer()
            counts["programs"] += 1
            cpu += answer.get("seconds", 0)
            kinds.update(answer.get("kinds", ()))
            if answer["refused"]:
                counts["refused"] += 1
                why["refused: " + answer["refused"][0][:60]] += 1
            elif answer.get("no oracle"):
                why[answer["no oracle"][:60]] += 1
            elif options.oracle == "torch" and not answer["findings"]:
                counts["values compared"] += 1
            if answer["findings"]:
                counts["findings"] += 1
                counts[answer["findings"][0][0]] += 1
                report(options, answer)
            if counts["programs"] % 200 == 0:
                print(
                    f"{counts['programs']} programs, {counts['findings']} findings, "
                    f"{time.monotonic() - started:.0f} s, {cpu:.0f} s of the processor",
                    flush=True,
                )
            feed(worker)
    for w in workers:
        w.stop()
    print(f"{dict(counts)} in {time.monotonic() - started:.0f} s, {cpu:.0f} s of the processor; {len(kinds)} op kinds")
    if options.verbose:
        print("not compared:", *(f"\n  {n} {text}" for text, n in why.most_common(40)))
        print("op kinds:", ", ".join(f"{name} {n}" for name, n in kinds.most_common()))
    return 1 if counts["findings"] else 0


def main():
    p = argparse.ArgumentParser(prog="tests/fuzz", description="Random programs, on every engine of Reel.")
    p.add_argument("--seeds", default="0:300", help="first:last, the last one left out")
    p.add_argument("--minutes", type=float, default=0, help="end after about so long")
    p.add_argument("--jobs", type=int, default=1, help="processes")
    p.add_argument("--timeout", type=float, default=120, help="seconds after which a program hangs")
    p.add_argument("--oracle", choices=("auto", "torch", "slopes"), default="auto")
    p.add_argument("--out", default="fuzz_findings", help="folder of the findings")
    p.add_argument("--reduce", action="store_true", help="make the programs of findings smaller")
    p.add_argument("--few", action="store_true", help="fewer engines for each program, as the tests run it")
    p.add_argument("--show", type=int, help="print the program of a seed")
    p.add_argument("--verbose", action="store_true", help="op kinds, and what was not compared, at the end")
    p.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = p.parse_args()
    if options.oracle == "auto":
        import importlib.util

        options.oracle = "torch" if importlib.util.find_spec("torch") else "slopes"
    if options.show is not None:
        import check
        from program import Program

        print(check.script(Program.from_json(program_of(options.show)), f"seed {options.show}"))
        return 0
    return work(options) if options.worker else run(options)


if __name__ == "__main__":
    sys.exit(main())
