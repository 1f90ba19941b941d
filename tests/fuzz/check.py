"""One program on every engine and against an oracle: a list of findings."""

import re

import numpy as np

import engines
import reel
from program import array_of, definitions, total_of

ENGINES = ("function", "forward function", "level 0", "level 2", "lifted", "object")


def engines_for(seed, few):
    """Compiling costs most: one compiled engine for every seed, the others for some of them."""
    if few:
        names = ["level 2" if seed % 3 == 0 else "level 0"]
        others = ((10, "function"), (11, "lifted"), (13, "forward function"), (30, "object"))
    else:
        names = ["function" if seed % 4 == 1 else "level 2"]
        others = ((4, "level 0"), (7, "lifted"), (9, "forward function"), (15, "object"))
    return names + [name for every, name in others if seed % every == 0]


def _reads_after_assignment(program):
    """Where a function's gradient goes on to what was assigned, and a tape's to the variable: documented."""
    return program.has(".assign")


CONTROL = re.compile(
    r"reel\.(while_loop|for_loop|cond|scan|scan_steps|map_fn|vectorized_map|foldl|foldr|switch_case)\("
)


def _strict(program, name):
    """What of a run must equal eager's to the bit; the rest is compared by value, see README.md.

    A traced graph has a node for a loop or branch, whose gradient computes the forward part again: a gradient of that
    gradient adds up what comes by either.
    """
    if name != "lifted" and (name == "forward function" or CONTROL.search(program.text())):
        if program.has("gradient_of("):
            return lambda what: "gradient" not in what
        return lambda what: not what.startswith("second gradient")
    return lambda what: True


def _none_as(wanted, got):
    """The run with None where eager code has none: the branch that it did not take, or a loop that never ran, gives zeros
    in a graph. Then eager code has no second gradients, and a graph may have those of zeros."""
    zeros = all(y is None or not np.any(y[1]) for name, y in got if name.startswith("second"))
    if zeros and not any(name.startswith("second") for name, _ in wanted):
        got = [(name, y) for name, y in got if not name.startswith("second")]
    out = []
    for (_, x), (name, y) in zip(wanted, got):
        none = x is None and y is not None and "gradient" in name and not np.any(y[1])
        out.append((name, None if none else y))
    return out if len(wanted) == len(got) else got


def _dense_as(wanted, got):
    """The run with slices as tensors where the other has tensors: functions of a graph pass those on."""
    dense, slices, out = dict(got), dict(wanted), []
    for name, x in wanted:
        whole, indices = name.removesuffix(" rows"), slices.get(name.removesuffix(" rows") + " indices")
        if name.endswith(" indices") and name.removesuffix(" indices") in dense:
            continue
        if name.endswith(" rows") and dense.get(whole) is not None:
            tensor = np.zeros(dense[whole][1].shape, x[1].dtype)
            if x[0] != "bf16":  # which NumPy cannot add
                np.add.at(tensor, indices[1].astype(np.int64), x[1])
            name, x = whole, (x[0], tensor) if x[0] != "bf16" else dense[whole]
        out.append((name, x))
    return out


NEAR = {"float64": 1e-8, "float32": 2e-3}
NARROW = re.compile(r"reel\.(float32|float16|bfloat16)")


def _far(program, wanted, got, strict):
    """How the parts that need not agree to the bit differ by more than rounding; None if they do not. Where eager code
    itself is further from the same program in double, by that much more.
    """
    if not (found := _beyond(program, wanted, got, strict, {})):
        return None
    try:
        exact = dict(engines.eager(engines.Loaded(program.in_double())))
    except reel.Error:
        return found
    return _beyond(program, wanted, got, strict, exact)


def _beyond(program, wanted, got, strict, exact):
    narrow = NARROW.search(
        program.text() + total_of(program)
    )  # what was a float32 on its way is no better as a float64
    for (name, x), (other, y) in zip(wanted, got):
        if strict(name) or name != other or x is None or y is None or x[0] not in NEAR or x[1].shape != y[1].shape:
            continue
        a, b = x[1].astype(np.float64), y[1].astype(np.float64)
        steady = np.isfinite(a) & np.isfinite(b)
        scale = np.max(np.abs(a[steady]), initial=1.0)
        bound = NEAR["float32" if narrow else x[0]] * scale
        if narrow and exact.get(name) is not None and exact[name][1].shape == a.shape:
            bound += 8 * np.max(np.abs(a - exact[name][1].astype(np.float64))[steady], initial=0.0)
        if np.any(np.isfinite(a) != np.isfinite(b)) or np.any(np.abs(a - b)[steady] > bound):
            return f"{name}: {a.reshape(-1)[:4]} and {b.reshape(-1)[:4]}"
    return None


def bits(program, names):
    """Findings: (kind, text). The first run is eager; an error there that is Reel's is a refusal, not a finding."""
    loaded = engines.Loaded(program)
    try:
        wanted = engines.eager(loaded)
    except reel.Error as error:
        return [("refused", str(error).splitlines()[0])], None
    out, graph, traced = [], None, None
    for name in names:
        if name == "forward function" and _reads_after_assignment(program):
            continue
        try:
            if name in ("level 0", "level 2", "object"):
                graph = graph or engines.Graph(loaded)
                got = graph.object() if name == "object" else graph.compiled(int(name[-1]))
            elif name == "lifted":
                got = engines.Graph(loaded, lifted=True).compiled(2)
            else:
                got = {"function": engines.function, "forward function": engines.forward_function}[name](loaded)
        except Exception as error:  # what eager does, all do
            out.append(("error", f"{name}: {type(error).__name__}: {str(error)[:300]}"))
            continue
        strict = _strict(program, name)
        like = engines.eager_call(loaded) if name == "forward function" else wanted
        if CONTROL.search(program.text()):
            like = _dense_as(like, got)
            got = _none_as(like, got)
        d = engines.difference([x for x in like if strict(x[0])], [x for x in got if strict(x[0])])
        if d:
            out.append(
                (
                    f"bits of {d.split(' ')[0] if d.split(' ')[0] != 'second' else 'second gradient'}",
                    f"eager and {name}: {d}",
                )
            )
        elif not program.special and (d := _far(program, wanted, got, strict)):
            out.append(("far", f"eager and {name}: {d}"))
        if name in ("level 0", "level 2", "object", "function"):  # of one graph
            d = engines.difference(traced[1], got) if traced else None
            if d:
                out.append(("bits of one graph", f"{traced[0]} and {name}: {d}"))
            traced = traced or (name, got)
    return out, wanted


TOLERANCE = 1e-6


def values(program):
    """Findings of a program in float64 against PyTorch; a text of why there is no comparison, if there is none."""
    import oracle

    p = program.in_double()
    if p.special or p.generator is not None or p.has("bitcast"):
        return [], "no oracle"
    loaded = engines.Loaded(p)
    try:
        found = loaded.compute(*loaded.arguments)
    except reel.Error as error:
        return [], f"refused in float64: {str(error).splitlines()[0]}"
    got = {}
    for name, tensor in engines.leaves(
        [[reel.asarray(x) if isinstance(x, reel.IndexedSlices) else x for x in part] for part in found]
    ):
        got[name] = None if tensor is None else np.asarray(tensor)
    text = p.text() + total_of(p)
    arrays = {x.name: array_of(x) for x in p.inputs}
    try:
        wanted = _named(oracle.run(p, text, arrays))
        r = np.random.default_rng(p.seed)
        near = {k: a * (1 + 1e-11 * r.uniform(-1, 1, a.shape)) if a.dtype.kind == "f" else a for k, a in arrays.items()}
        moved = _named(oracle.run(p, text, near))
    except oracle.Missing as error:
        return [], f"no twin: {error}"
    except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError, AttributeError, KeyError) as error:
        return [], f"torch: {type(error).__name__}: {str(error).splitlines()[0][:100]}"
    out = []
    for name, w in wanted.items():
        g = got.get(name)
        if name.startswith("variable"):
            continue
        finding = _compare(name, g, w, moved[name])
        if finding:
            out.append(("values", finding))
            break  # what follows is made of it
    return out, None


def _named(result):
    out = {}
    for what, part in zip(("output", "gradient", "second gradient"), result):
        for i, x in enumerate(part):
            out[f"{what} {i}"] = x
    return out


def _compare(name, got, wanted, moved):
    if wanted is None or got is None:
        zero = (wanted is None and (got is None or not np.any(got))) or (got is None and not np.any(wanted))
        return (
            None
            if zero
            else f"{name}: {'None' if got is None else 'a tensor'} and in torch "
            f"{'None' if wanted is None else 'not zero'}"
        )
    if got.shape != wanted.shape:
        return f"{name}: shape {got.shape} and in torch {wanted.shape}"
    if got.dtype.kind not in "fc":
        if got.dtype.kind == "b" or np.array_equal(wanted, moved):
            wrong = (got != wanted) & (wanted == moved)
            return f"{name}: {got[wrong][:3]} and in torch {wanted[wrong][:3]}" if np.any(wrong) else None
        return None
    if not got.size:
        return None
    steady = np.isfinite(wanted) & np.isfinite(moved)
    scale = np.max(np.abs(wanted[steady]), initial=1.0)
    spread = np.abs(np.where(steady, wanted - moved, 0)) + np.max(np.abs(np.where(steady, wanted - moved, 0)))
    with np.errstate(invalid="ignore"):
        wrong = steady & ~(np.abs(got - wanted) <= TOLERANCE * scale + 1e3 * spread)
        if name.startswith("output"):  # gradients at singular points are a choice
            wrong |= ~np.isfinite(wanted) & np.isfinite(got) & ~np.isfinite(moved)
    if not np.any(wrong):
        return None
    i = tuple(np.argwhere(wrong)[0])
    return f"{name}: element {i} is {got[i]!r} and in torch {wanted[i]!r} (moves by {moved[i] - wanted[i]:.2g})"


def slopes(program):
    """Findings of first and second gradients in float64 against central differences along one direction."""
    p = program.in_double()
    if p.special or re.search(
        r"stop_gradient|custom_gradient|bitcast|assign|floor|round|trunc|ceil|fmod|remainder|"
        r"sign|astype|eigvalsh|nextafter",
        p.text(),
    ):
        return []
    loaded = engines.Loaded(p)
    total, compute = loaded.space["total"], loaded.space["compute"]
    names = [x.name for x in p.inputs if not x.variable]
    r = np.random.default_rng(p.seed)
    way = {x.name: r.uniform(-1, 1, x.shape) for x in p.sources()}
    start = {x.name: array_of(x) for x in p.inputs}

    def at(h):
        for x in p.inputs:
            if x.variable:
                loaded.initial[x.name] = reel.asarray(start[x.name] + h * way[x.name])
        loaded.reset()
        moved = [reel.asarray(start[n] + h * way[n]) if n in way else reel.asarray(start[n]) for n in names]
        outputs, first, second = compute(*moved)
        y, z = total(reel, outputs), total(reel, first, 0.7) if p.order > 1 else None
        return [0.0 if v is None else float(v) for v in (y, z)], first, second

    try:
        here, first, second = at(0.0)
        ends = {h: at(h)[0] for h in (2e-5, -2e-5, 1e-5, -1e-5)}
    except reel.Error:
        return []
    out = []
    for k, (what, gradient) in enumerate((("gradient", first), ("second gradient", second))):
        inner = sum(
            float(np.sum(np.asarray(reel.asarray(g)) * way[x.name]))
            for x, g in zip(p.sources(), gradient)
            if g is not None
        )
        wide = (ends[2e-5][k] - ends[-2e-5][k]) / 4e-5
        narrow = (ends[1e-5][k] - ends[-1e-5][k]) / 2e-5
        scale = 1 + abs(narrow) + abs(ends[1e-5][k])
        if not np.isfinite([inner, wide, narrow]).all() or abs(wide - narrow) > 1e-6 * scale:
            continue  # not smooth here
        ahead, behind = (ends[1e-5][k] - here[k]) / 1e-5, (here[k] - ends[-1e-5][k]) / 1e-5
        if abs(ahead - behind) > abs(inner - narrow):
            continue  # a corner, where a rule decides
        if abs(inner - narrow) > 1e-4 * scale:
            out.append(("slopes", f"{what}: {inner!r} along a direction, by differences {narrow!r}"))
    return out


def script(program, note=""):
    """A program that runs alone and shows what differs."""
    return f"""# {note}
import numpy as np

import reel

{definitions(program)}

def run():
    for name, v in VARIABLES.items():
        v.assign(INITIAL[name])
    outputs, first, second = compute(*ARGUMENTS)
    return outputs, first, second, [v.value() for v in VARIABLES.values()]


INITIAL = {{name: v.value() for name, v in VARIABLES.items()}}
eager, compiled = run(), reel.function(run)()
for what, a, b in zip(("outputs", "first", "second", "variables"), eager, compiled):
    for x, y in zip(a, b):
        x, y = (None if t is None else np.asarray(reel.asarray(t)) for t in (x, y))
        print(what, "same bits" if x is y or x.tobytes() == y.tobytes() else f"DIFFERENT: {{x}} {{y}}")
"""
