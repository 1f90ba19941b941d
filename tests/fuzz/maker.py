"""Makes a program from a seed: every statement is run as it is made, so that its values choose the next ones."""

import math
import random
import re

import numpy as np

import reel
from program import AT, DTYPES, FLOATS, Block, Input, Program, Stmt, array_of, block_lines

EXTENTS = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64, 65, 130]
MOST = 2048  # elements of a value
LARGEST = 500.0  # magnitude of a float


class Skip(Exception):
    """The op does not fit what there is."""


def short(dtype):
    return {v: k for k, v in DTYPES.items()}.get(dtype.name)


class Value:
    def __init__(self, name, tensor):
        self.name, self.tensor = name, tensor
        self.dtype, self.shape, self.rank = short(tensor.dtype), tuple(tensor.shape), tensor.ndim
        self.size = math.prod(self.shape)

    def __str__(self):
        return self.name

    def numpy(self):
        t = self.tensor
        return np.asarray(reel.astype(t, reel.float32) if self.dtype == "bf16" else t)


class Maker:
    def __init__(self, seed, kinds, statements=None):
        self.r = random.Random(seed)
        self.seed, self.kinds, self.used = seed, kinds, []
        r = self.r
        self.dtype = r.choices(["f64", "f32", "f16", "bf16"], [55, 38, 4, 3])[0]
        self.special = r.random() < 0.06
        self.extents = [r.choice(EXTENTS) for _ in range(3)]
        if r.random() < 0.04:
            self.extents[0] = 0
        self.count = 0
        self.env = {"reel": reel, "np": np, "float": float}
        exec(AT, self.env)
        self.values, self.variables, self.inputs, self.body = [], [], [], []
        self.stack = [self.body]  # the body being written
        self.depth = 0
        self.generator = None
        self.statements = statements or r.choice([3, 4, 5, 6, 8, 11])

    # --- random parts ---

    def chance(self, p):
        return self.r.random() < p

    def number(self, low=-2.0, high=2.0):
        return round(self.r.uniform(low, high), 3)

    def new(self, prefix="v"):
        self.count += 1
        return f"{prefix}{self.count}"

    def extent(self):
        return self.r.choice(self.extents) if self.chance(0.85) else self.r.choice(EXTENTS[:9])

    def shape(self, rank=None, most=MOST):
        rank = self.r.choices(range(5), [1, 4, 6, 3, 1])[0] if rank is None else rank
        while True:
            shape = tuple(self.extent() for _ in range(rank))
            if math.prod(shape) <= most:
                return shape
            most *= 1.5

    def data(self, dtype, shape, special=False):
        n = math.prod(shape)
        if dtype == "bool":
            return [self.r.random() < 0.5 for _ in range(n)]
        if dtype not in FLOATS:
            return [self.r.randint(0 if dtype[0] == "u" else -5, 6) for _ in range(n)]
        out = [round(self.r.uniform(-1.5, 1.5), 4) for _ in range(n)]
        if special:
            for i in range(n):
                if self.r.random() < 0.1:
                    out[i] = self.r.choice(["inf", "-inf", "nan", "-0.0", 0.0, "1e-300", "1e300"])
        return out

    # --- choosing operands ---

    def pick(self, fits=lambda v: True, dtypes=None):
        """A value, later ones more often."""
        dtypes = dtypes or (self.dtype,)
        some = [v for v in self.values if v.dtype in dtypes and fits(v)]
        if not some:
            raise Skip
        if self.chance(0.5):
            some = some[-3:]
        return self.r.choice(some)

    def real(self, rank=None, least=0, fits=lambda v: True):
        """A float of a rank (or at least `least`)."""
        try:
            return self.pick(lambda v: (v.rank == rank if rank is not None else v.rank >= least) and fits(v))
        except Skip:
            if rank is None or self.depth:
                raise
        v = self.pick(lambda v: v.size > 0)
        if v.rank > rank:
            if rank == 0:
                return self.emit(f"reel.mean({v})")
            at = ", ".join(["0"] * (v.rank - rank))
            return self.emit(f"at({v}, ({at},))")
        return self.emit(f"reel.expand_dims({v}, axis={list(range(rank - v.rank)) or 0})")

    def filled(self, rank=None, least=0):
        return self.real(rank, least, lambda v: v.size > 0)

    def like(self, v):
        """A value of this type."""
        return self.pick(lambda w: w.shape == v.shape, (v.dtype,))

    def other(self, v):
        """Something that broadcasts with v: a value, or a number."""

        def broadcasts(w):
            return (
                all(a == b or a == 1 or b == 1 for a, b in zip(reversed(v.shape), reversed(w.shape)))
                and math.prod(max(a, b) for a, b in zip((1,) * 9 + v.shape, (1,) * (9 + v.rank - w.rank) + w.shape))
                <= MOST
            )

        if self.chance(0.25):
            return self.number()
        return self.pick(lambda w: w.rank <= v.rank and broadcasts(w), (v.dtype,))

    def axis(self, v):
        if v.rank == 0:
            raise Skip
        return self.r.randrange(-v.rank, v.rank)

    def axes(self, v):
        """None, an axis, or several, as text."""
        if v.rank == 0 or self.chance(0.25):
            return "None"
        k = self.r.randint(1, v.rank)
        some = sorted(self.r.sample(range(v.rank), k))
        return str(some[0] if k == 1 else tuple(some))

    def parameter(self, shape, dtype=None):
        """A new input of a shape, beside what there is."""
        dtype = dtype or self.dtype
        for v in self.values:
            if v.shape == tuple(shape) and v.dtype == dtype and self.chance(0.4):
                return v
        if self.depth or math.prod(shape) > MOST:
            raise Skip
        return self.input(dtype, tuple(shape))

    def input(self, dtype, shape, variable=False):
        name = self.new("w" if variable else "x")
        x = Input(name, dtype, shape, self.data(dtype, shape, self.special), variable)
        tensor = reel.asarray(array_of(x), dtype=getattr(reel, DTYPES[dtype]))
        self.inputs.append(x)
        if variable:
            self.env[name] = reel.Variable(tensor)
            self.variables.append(name)
            return None
        self.env[name] = tensor
        v = Value(name, tensor)
        self.values.append(v)
        return v

    def indices(self, below, shape):
        """Integers 0 ... below - 1 of a shape: a new argument, or a constant."""
        if below < 1:
            raise Skip
        numbers = [self.r.randrange(below) for _ in range(math.prod(shape))]
        if self.chance(0.3) and not self.depth:
            name = self.new("x")
            self.inputs.append(Input(name, "i64", tuple(shape), numbers))
            self.env[name] = reel.reshape(reel.asarray(numbers, dtype=reel.int64), tuple(shape))
            return name
        flat = f"reel.asarray({numbers}, dtype=reel.{self.r.choice(['int64', 'int64', 'int32'])})"
        return flat if len(shape) == 1 and numbers else f"reel.reshape({flat}, {tuple(shape)})"

    # --- writing ---

    def emit(self, text, blocks=(), count=1, keep=None):
        """Runs the text; its results become values. `keep`: of several results those with these positions."""
        scope = dict(self.env)
        for block in blocks:
            exec("\n".join(block_lines(block, "")), scope)
        results = eval(text, scope)
        parts = [results] if count == 1 else list(results)
        if len(parts) != count:
            raise Skip
        values = []
        for part in parts:
            if not isinstance(part, reel.Tensor):
                raise Skip
            v = Value(self.new(), part)
            if v.dtype is None or v.size > MOST:
                raise Skip
            if v.dtype in FLOATS and not self.special and v.size and not np.all(np.abs(v.numpy()) <= LARGEST):
                raise Skip
            values.append(v)
        self.stack[-1].append(Stmt([v.name for v in values], text, list(blocks)))
        for v in values:
            self.env[v.name] = v.tensor
            self.values.append(v)
        return values[0] if count == 1 else values

    def assign(self, text):
        eval(text, self.env)
        self.stack[-1].append(Stmt([], text))

    def block(self, parameters, build):
        """A function of tensors: statements that `build` writes, which returns the result's text."""
        names = [self.new("p") for _ in parameters]
        values, env = list(self.values), dict(self.env)
        body = []
        self.stack.append(body)
        self.depth += 1
        mine = []
        self.values = list(values)
        for name, tensor in zip(names, parameters):
            self.env[name] = tensor
            mine.append(Value(name, tensor))
            self.values.append(mine[-1])
        try:
            result = build(*mine)
        finally:
            self.depth -= 1
            self.stack.pop()
            self.values, self.env = values, env
        return Block(self.new("f"), names, body, result)

    def steps(self, v, n):
        """n random statements that keep v's type, from v; the last value."""
        for _ in range(n):
            for _ in range(20):
                mark = len(self.stack[-1]), len(self.values)
                try:
                    w = self.kinds.step(self, v)
                    if (w.shape, w.dtype) == (v.shape, v.dtype):
                        v = w
                        break
                except (Skip, reel.Error, ArithmeticError):
                    pass
                del self.stack[-1][mark[0] :], self.values[mark[1] :]
        return v

    # --- the whole ---

    def make(self):
        r = self.r
        for _ in range(r.choice([1, 1, 2, 2, 3])):
            self.input(self.dtype, self.shape())
        if self.chance(0.3):
            self.input(self.dtype, self.shape(r.choice([0, 1, 1, 2])), variable=True)
        if self.chance(0.3):
            self.input(r.choice(["i64", "i32", "bool", "u8", "i8"]), self.shape(r.choice([0, 1, 2]), 200))
        tries = 0
        while len(self.body) < self.statements and tries < 40 * self.statements:
            tries += 1
            name, write = self.kinds.choose(r)
            mark = len(self.body), len(self.inputs), len(self.values), len(self.variables)
            try:
                write(self)
                self.used.append(name)
            except (Skip, reel.Error, ArithmeticError):
                self.back_to(*mark)
        return self.finished()

    def back_to(self, body, inputs, values, variables):
        del self.body[body:], self.inputs[inputs:], self.values[values:], self.variables[variables:]

    def finished(self):
        used = set()
        for s in self.body:
            used |= s.uses()
        inputs = [x for x in self.inputs if x.name in used] or self.inputs[:1]
        loose = [v for v in self.values if v.name not in used and v.name not in {x.name for x in self.inputs}]
        inner = [v for v in self.values if v.name in used and v.name.startswith("v")]
        outputs = loose[-4:] + ([self.r.choice(inner)] if inner and self.chance(0.3) else [])
        if not outputs:
            outputs = [self.values[0]]
            inputs = inputs if any(x.name == outputs[0].name for x in inputs) else self.inputs
        target = self.r.choice(
            [
                "reel.sum({0} * {1})",
                "reel.mean({0} * {0} * {1})",
                "reel.sum(reel.sin({0} * {1}))",
                "reel.sum({0} * {0} * {1})",
            ]
        )
        p = Program(
            self.seed,
            inputs,
            self.body,
            list(dict.fromkeys(v.name for v in outputs)),
            target,
            self.dtype,
            self.generator,
            1 + self.chance(0.5),
            self.special,
        )
        return without_unused(p)


def without_unused(p):
    """The program without statements whose results nothing uses (assignments stay)."""
    needed = set(p.outputs)
    body = []
    for s in reversed(p.body):
        if not s.results or needed & set(s.results):
            body.append(s)
            needed |= s.uses()
    p.body = body[::-1]
    p.inputs = [x for x in p.inputs if x.name in needed] or p.inputs[:1]
    if not re.search(r"\bg0\b", p.text()):
        p.generator = None
    return p
