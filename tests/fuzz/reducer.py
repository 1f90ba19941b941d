"""Makes the program of a finding smaller: fewer statements, outputs, elements; the finding stays of its kind."""

import copy
import math
import re

from maker import without_unused
from program import FLOATS, Input, Program

MOST = 400  # tries


class Reducer:
    def __init__(self, kind, worker, options):
        self.kind, self.worker, self.options = kind, worker, options
        self.tries = 0

    def holds(self, program):
        """Whether the program still has a finding of the kind."""
        if self.tries >= MOST or not program.outputs:
            return False
        self.tries += 1
        request = {"seed": program.seed, "program": program.to_json()}
        if self.kind not in ("values", "slopes"):
            request["engines"] = self.engines
            request["bits only"] = True
        answer = self.worker.ask(request)
        return any(kind == self.kind for kind, _ in answer["findings"])

    def reduce(self, program):
        self.engines = ["level 2", "level 0", "function", "lifted"]
        if not self.holds(program):
            self.engines = ["level 2", "level 0", "function", "forward function", "lifted", "object"]
            if not self.holds(program):
                return program
        for name in list(self.engines):
            fewer = [e for e in self.engines if e != name]
            self.engines, kept = fewer, self.engines
            if not fewer or not self.holds(program):
                self.engines = kept
        before = None
        while before != program.to_json() and self.tries < MOST:
            before = program.to_json()
            for change in (
                self.outputs,
                self.statements,
                self.cuts,
                self.blocks,
                self.extents,
                self.target,
                self.numbers,
            ):
                program = change(program)
        return program

    def attempt(self, program, change):
        """The changed program if the finding stays, else the program."""
        trial = copy.deepcopy(program)
        if change(trial) is False:
            return program
        trial = without_unused(trial)
        return trial if self.holds(trial) else program

    def outputs(self, program):
        for name in list(program.outputs):
            if len(program.outputs) > 1:
                program = self.attempt(program, lambda p, name=name: p.outputs.remove(name))
        return program

    def statements(self, program):
        """Without a statement: an operand stands for its result, or the result is an output no more."""
        for i in range(len(program.body) - 1, -1, -1):
            if i >= len(program.body):
                continue
            s = program.body[i]
            if not s.results:
                program = self.attempt(program, lambda p, i=i: p.body.pop(i) and None)
                continue
            for other in sorted(s.uses()):
                if not re.fullmatch(r"[vx][0-9]+", other):
                    continue
                now = self.attempt(program, lambda p, i=i, other=other: _replaced(p, i, other))
                if now is not program:
                    program = now
                    break
        return program

    def cuts(self, program):
        """Results of a statement become inputs with their values."""
        for i in range(len(program.body) - 1, -1, -1):
            if i < len(program.body) and program.body[i].results:
                program = self.attempt(program, lambda p, i=i: _cut(p, i))
        return program

    def blocks(self, program):
        """Statements of bodies go, too."""
        for i in range(len(program.body)):
            for b in range(len(program.body[i].blocks)):
                k = len(program.body[i].blocks[b].body) - 1
                while k >= 0 and i < len(program.body) and b < len(program.body[i].blocks):
                    if k < len(program.body[i].blocks[b].body):
                        for other in sorted(program.body[i].blocks[b].body[k].uses()):
                            now = self.attempt(
                                program, lambda p, i=i, b=b, k=k, other=other: _without(p.body[i].blocks[b], k, other)
                            )
                            if now is not program:
                                program = now
                                break
                    k -= 1
        return program

    def extents(self, program):
        for n in sorted({n for x in program.inputs for n in x.shape if n > 1}, reverse=True):
            for m in (1, 2, 3, n // 2, n - 1):
                if 0 < m < n:
                    now = self.attempt(program, lambda p, n=n, m=m: _resized(p, n, m))
                    if now is not program:
                        program = now
                        break
        return program

    def target(self, program):
        def simple(p):
            if p.target == "reel.sum({0} * {1})":
                return False
            p.target = "reel.sum({0} * {1})"

        return self.attempt(program, simple)

    def numbers(self, program):
        def rounded(p):
            before = p.to_json()
            for x in p.inputs:
                if x.dtype in FLOATS:
                    x.values = [v if isinstance(v, str) else round(v, 1) or 0.3 for v in x.values]
            return None if p.to_json() != before else False

        return self.attempt(program, rounded)


def _swap(s, names):
    from program import renamed

    s.text = renamed(s.text, names)
    for b in s.blocks:
        b.result = renamed(b.result, names)
        for inner in b.body:
            _swap(inner, names)


def _replaced(p, i, other):
    gone = p.body.pop(i)
    for s in p.body[i:]:
        _swap(s, {name: other for name in gone.results})
    p.outputs = list(dict.fromkeys(other if name in gone.results else name for name in p.outputs))


def _cut(p, i):
    """Runs the program up to the statement, eagerly."""
    import numpy as np

    import engines
    import reel

    s = p.body[i]
    loaded = engines.Loaded(p)
    loaded.reset()
    upto = copy.deepcopy(p)
    upto.body, upto.outputs = p.body[: i + 1], list(s.results)
    try:
        loaded.space["forward"] = None
        exec(upto.text(), loaded.space)
        results = loaded.space["forward"](*loaded.arguments)
    except reel.Error:
        return False
    from maker import short

    for name, t in zip(s.results, results):
        kind = short(t.dtype)
        if kind is None or math.prod(t.shape) > 300:
            return False
        flat = np.asarray(reel.astype(t, reel.float64 if kind in FLOATS else t.dtype)).reshape(-1).tolist()
        flat = [v if not isinstance(v, float) or np.isfinite(v) else repr(v) for v in flat]
        fresh = "x" + name[1:]
        p.inputs.append(Input(fresh, kind, tuple(t.shape), flat))
        for later in p.body[i + 1 :]:
            _swap(later, {name: fresh})
        p.outputs = [fresh if o == name else o for o in p.outputs]
    p.body.pop(i)


def _without(block, k, other):
    gone = block.body.pop(k)
    names = {name: other for name in gone.results}
    from program import renamed

    for s in block.body[k:]:
        _swap(s, names)
    block.result = renamed(block.result, names)


def _resized(p, n, m):
    for x in p.inputs:
        shape = tuple(m if e == n else e for e in x.shape)
        x.values, x.shape = x.values[: math.prod(shape)], shape

    def text(t):
        return re.sub(rf"(?<=[(, \[]){n}(?=[,)\]])", str(m), t)

    def walk(s):
        s.text = text(s.text)
        for b in s.blocks:
            for inner in b.body:
                walk(inner)

    for s in p.body:
        walk(s)


def reduced(text, kind, worker, options):
    """JSON of the smaller program."""
    try:
        return Reducer(kind, worker, options).reduce(Program.from_json(text)).to_json()
    finally:
        worker.stop()
