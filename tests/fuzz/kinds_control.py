"""Op kinds: loops, branches, functions with gradients of their own, state, random numbers."""

import reel
from kinds_basic import BINARY, binary_text
from maker import Skip
from program import DTYPES, Block, Stmt
from table import kind

# --- control ---


def step(m, v):
    """A statement from v (perhaps beside another value) that keeps its type."""
    name = m.r.choice(
        [
            "tanh",
            "sin",
            "cos",
            "sigmoid",
            "atan",
            "erf",
            "softsign",
            "add",
            "multiply",
            "subtract",
            "add",
            "multiply",
            "number",
            "maximum",
            "where",
            "matmul",
            "softmax",
            "cumulative_sum",
            "flip",
            "mean",
        ]
    )
    if name in BINARY:
        y = m.other(v)
        return m.emit(binary_text(m, name, *((v, y) if m.chance(0.6) or isinstance(y, float) else (y, v))))
    if name == "number":
        return m.emit(f"{v} * {m.number(-1, 1)} + {m.number(-1, 1)}")
    if name == "where":
        return m.emit(f"reel.where({v} > {m.number(-0.3, 0.3)}, {v}, {m.number()})")
    if name == "matmul":
        y = m.pick(lambda w: v.rank == 2 and w.shape == (v.shape[1], v.shape[1]), (v.dtype,))
        return m.emit(f"reel.tanh({v} @ {y})")
    if name in ("softmax", "cumulative_sum", "flip", "mean"):
        if v.rank == 0:
            raise Skip
        return m.emit(
            {
                "softmax": f"reel.nn.softmax({v}, axis=-1)",
                "flip": f"reel.flip({v}, axis=0)",
                "cumulative_sum": f"reel.tanh(reel.cumulative_sum({v}, axis=0))",
                "mean": f"{v} - reel.mean({v}, axis=-1, keepdims=True)",
            }[name]
        )
    return m.emit(f"reel.nn.softsign({v})" if name == "softsign" else f"reel.{name}({v})")


def body_of(m, tensors, extra=()):
    """A block of the parameters (extra first) that returns new values of the types of `tensors`."""

    def build(*parameters):
        out = [m.steps(v, m.r.choice([1, 1, 2, 3])) for v in parameters[len(extra) :]]
        return "(" + "".join(f"{v}, " for v in out) + ")" if len(out) != 1 else str(out[0])

    return m.block(list(extra) + [v.tensor for v in tensors], build)


def state(m):
    x = m.real()
    return [x] + ([m.real()] if m.chance(0.3) else [])


@kind("while_loop", 2.5)
def _(m):
    vs = state(m)
    n = m.r.choice([0, 1, 3, 3])
    f = body_of(m, vs, [reel.asarray(0)])
    i = f.params[0]
    result = f.result.strip("()").rstrip(", ") if len(vs) > 1 else f.result
    f.result = f"({i} + 1, {result})"
    until = f"lambda i, *rest: i < {n}"
    if m.chance(0.25):
        until = f"lambda i, a, *rest: reel.logical_and(i < {n}, reel.sum(a) < {m.number(-5, 50)})"
    loop = f"reel.while_loop({until}, {f.name}, [reel.asarray(0), {', '.join(map(str, vs))}])"
    m.emit(loop + ("[1]" if len(vs) == 1 else "[1:]"), [f], count=len(vs))


@kind("for_loop", 1.5)
def _(m):
    vs = state(m)
    f = body_of(m, vs, [reel.asarray(0)])
    i = f.params[0]
    p = f.params[1:]
    f.params = [i, "q0"]
    f.body.insert(0, Stmt(p, "q0"))
    m.emit(
        f"reel.for_loop({m.r.choice([0, 1, 3])}, {f.name}, ({', '.join(map(str, vs))}{',' if len(vs) > 1 else ''}))",
        [f],
        count=len(vs),
    ) if len(vs) > 1 else m.emit(f"reel.for_loop({m.r.choice([0, 1, 3])}, {f.name}, {vs[0]})", [f])


@kind("cond", 2)
def _(m):
    vs = state(m)
    by = m.filled()

    def branch(*_):
        out = [m.steps(v, m.r.choice([0, 1, 2])) for v in vs]
        return ", ".join(map(str, out))

    f, g = m.block([], branch), m.block([], branch)
    m.emit(f"reel.cond(reel.sum({by}) > {m.number(-1, 1)}, {f.name}, {g.name})", [f, g], count=len(vs))


@kind("switch_case", 0.5)
def _(m):
    x = m.real()
    blocks = [m.block([], lambda: str(m.steps(x, 1))) for _ in range(3)]
    m.emit(f"reel.switch_case(reel.asarray({m.r.randint(0, 3)}), [{', '.join(b.name for b in blocks)}])", blocks)


@kind("scan", 1.5)
def _(m):
    xs = m.real(least=1, fits=lambda v: 1 <= v.shape[0] <= 9)
    row = m.env[str(xs)][0]
    carry = m.pick(lambda w: w.shape == xs.shape[1:]) if m.chance(0.5) else None
    if carry is None:
        f = m.block([row, row], lambda a, e: str(m.emit(f"reel.tanh({m.steps(a, 1)} * {m.number()} + {e})")))
        m.emit(f"reel.scan({f.name}, {xs}, reverse={m.chance(0.3)})", [f])
        return

    def build(c, e):
        new = m.emit(f"reel.tanh({m.steps(c, 1)} + {e} * {m.number()})")
        return f"({new}, {m.emit(f'{new} * {e}')})"

    f = m.block([carry.tensor, row], build)
    m.emit(f"reel.scan_steps({f.name}, {carry}, {xs}, reverse={m.chance(0.3)})", [f], count=2)


@kind("map_fn and folds", 0.8)
def _(m):
    xs = m.real(least=1, fits=lambda v: 1 <= v.shape[0] <= 9)
    row = m.env[str(xs)][0]
    if m.chance(0.5):
        f = m.block([row], lambda e: str(m.steps(e, 2)))
        m.emit(f"reel.{m.r.choice(['map_fn', 'vectorized_map'])}({f.name}, {xs})", [f])
    else:
        f = m.block([row, row], lambda a, e: str(m.emit(f"reel.sin({a}) * {m.number()} + {e}")))
        m.emit(f"reel.{m.r.choice(['foldl', 'foldr'])}({f.name}, {xs})", [f])


@kind("recompute_grad", 0.8)
def _(m):
    x, y = m.real(), m.real()
    f = m.block([x.tensor, y.tensor], lambda a, b: f"{m.steps(a, 2)}, {m.steps(b, 1)}")
    m.emit(f"reel.recompute_grad({f.name})({x}, {y})", [f], count=2)


@kind("custom_gradient", 0.8)
def _(m):
    x = m.real()
    a, name, k = m.new("p"), m.new("f"), m.number()
    f = Block(name, [a], [], f"reel.sin({a}), lambda dy: dy * reel.cos({a}) * {k}")
    m.emit(f"reel.custom_gradient({name})({x})", [f])


@kind("call", 0.8)
def _(m):
    x, y = m.real(), m.real()
    f = m.block([x.tensor, y.tensor], lambda a, b: f"{m.steps(a, 2)}, {m.steps(b, 1)}")
    m.emit(f"reel.function({f.name})({x}, {y})", [f], count=2)


@kind("inner gradient", 0.6)
def _(m):
    x = m.real()
    f = m.block([x.tensor], lambda a: f"reel.sum({m.steps(a, 2)})")
    m.emit(f"gradient_of({f.name}, {x})", [f])


# --- state, random numbers ---


@kind("read", 1.5)
def _(m):
    if not m.variables:
        raise Skip
    m.emit(f"{m.r.choice(m.variables)}.value()")


@kind("assign", 0.8)
def _(m):
    if not m.variables or m.depth:
        raise Skip
    w = m.r.choice(m.variables)
    v = m.pick(lambda v: v.shape == tuple(m.env[w].shape))
    m.assign(f"{w}.{m.r.choice(['assign', 'assign_add', 'assign_sub'])}(reel.tanh({v}) * {m.number()})")


@kind("random", 0.6)
def _(m):
    if m.generator is None:
        m.generator = m.r.randrange(1 << 30)
    m.env["g0"] = reel.random.Generator(m.generator)
    if m.chance(0.7):
        m.emit(
            f"reel.random.{m.r.choice(['uniform', 'normal'])}({m.shape()}, dtype=reel.{DTYPES[m.dtype]}, generator=g0)"
        )
    else:
        m.emit(f"reel.random.bernoulli({m.shape()}, 0.6, generator=g0)")


@kind("ones and ranges", 0.6)
def _(m):
    d = f"dtype=reel.{DTYPES[m.dtype]}"
    x = m.real()
    m.emit(
        m.r.choice(
            [
                f"reel.ones({m.shape()}, {d})",
                f"reel.zeros_like({x})",
                f"reel.linspace(-1.0, 1.0, {m.extent()}, {d})",
                f"reel.arange({m.extent()}, {d}) * 0.1",
                f"reel.eye({m.r.randint(1, 5)}, {d})",
                f"reel.full_like({x}, {m.number()})",
            ]
        )
    )
