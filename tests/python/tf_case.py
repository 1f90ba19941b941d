"""Calls of TensorFlow's names, their results in TensorFlow 2.21 recorded: what test_tf_cases.py compares reel.tf with.

tf_cases/FAMILY.txt holds the cases, tf_cases/FAMILY.json what TensorFlow gave. A case is an expression of `tf`, `np` and
inputs; lines before it that go on with two spaces of indent are statements:

    tf.norm(x, ord=1, axis=[0, 1]) ;; x=f32(3, 4)
    v = tf.Variable(x)
      v.assign_add(x)
      v * 2.0 ;; x=f32(3) mode=eager

Inputs are arrays of f16, bf16, f32, f64, c64, c128, i8 ... u64, b (shape, then optional low= and high=), the same in every
run, given as tensors; V(f32(3)) gives a variable, N(...) a NumPy array. Options: mode=eager or mode=function (without it both),
mode=unknown (a tf.function of inputs of unknown extents), mode=graph (a tf.Graph of version 1: tensors are placeholders,
`sess` is its session; open=1: of unknown extents, open=2: of unknown rank), mode=derivatives (three orders of the expression
in six ways; statements run once, before, and a layer `l` gives weights; some of them: ways="tapes, forward"),
tol=1e-3 (relative to the largest element), grads=0 (no gradients), second=0 (no second ones), differs="why" (on purpose
not TensorFlow's result).
A line that begins with # is a comment.

    python tf_case.py record FAMILY...      in an environment that has TensorFlow 2.21: writes the .json of families
    python tf_case.py compare FAMILY...     prints the cases in which reel.tf differs from the .json
"""

import json
import pathlib
import sys
import zlib

import numpy as np

import tf_value
from tf_value import described, error_of, given, total
from tf_ways import derivatives, evaluate_graph, traced

FOLDER = pathlib.Path(__file__).parent / "tf_cases"
TOLERANCES = {"float64": 1e-9, "complex128": 1e-9, "float16": 4e-3, "bfloat16": 3e-2}
ABSENT = "absent"
OPTIONS = ("mode", "tol", "grads", "second", "ways", "differs", "open")


class Case:
    """One case: its text, statements, expression, inputs and options."""

    def __init__(self, text):
        self.text = text
        body, _, given = text.partition(" ;; ")
        *self.statements, self.expression = [line.strip() for line in body.split("\n")]
        self.inputs, self.options = {}, {}
        for name, value in split_pairs(given):
            (self.options if name in OPTIONS else self.inputs)[name] = value
        if "differs" in self.options:
            self.options["differs"] = self.options["differs"].strip('"')

    @property
    def modes(self):
        return [self.options["mode"]] if "mode" in self.options else ["eager", "function"]

    def arrays(self):
        """Name -> (kind, array): the same numbers in every run."""
        return {
            name: make(value, np.random.RandomState(zlib.crc32(f"{name}={value}".encode())))
            for name, value in self.inputs.items()
        }


def split_pairs(text):
    """name=value pairs apart by spaces that are in no parentheses and no quotes."""
    parts, depth, quoted, part = [], 0, False, ""
    for c in text.strip() + " ":
        quoted ^= c == '"'
        depth += (c in "([") - (c in ")]")
        if c == " " and depth == 0 and not quoted:
            parts += [part.split("=", 1)] if part else []
            part = ""
        else:
            part += c
    return parts


def make(value, random):
    """The kind of an input (T tensor, V variable, N array) and its array, from text such as V(f32(2, 3, low=0))."""
    kinds = {"f": "float", "c": "complex", "i": "int", "u": "uint"}

    def maker(dtype):
        def array(*shape, low=None, high=None):
            if dtype == "bool":
                return random.randint(0, 2, shape).astype(bool)
            if dtype.startswith(("int", "uint")):
                low_or = 0 if dtype.startswith("u") and low is None else low
                return np.asarray(
                    random.randint(-4 if low_or is None else low_or, 5 if high is None else high, shape)
                ).astype(dtype)
            numbers = random.uniform(-2 if low is None else low, 2 if high is None else high, shape)
            if dtype.startswith("complex"):
                numbers = numbers + 1j * random.uniform(-2, 2, shape)
            return numbers if dtype == "bfloat16" else np.asarray(numbers).astype(dtype)

        return lambda *shape, **options: ("T", array(*shape, **options), dtype)

    names = {"b": maker("bool"), "bf16": maker("bfloat16")}
    names |= {f"{c}{n}": maker(f"{kinds[c]}{n}") for c in "fciu" for n in (8, 16, 32, 64, 128)}
    names |= {"V": lambda made: ("V",) + made[1:], "N": lambda made: ("N",) + made[1:]}
    return eval(value, {"__builtins__": {}}, names)


def cases(family):
    """The cases of a family's file."""
    found = []
    for line in (FOLDER / f"{family}.txt").read_text().split("\n"):
        if line.startswith("  ") and found:
            found[-1] += "\n" + line
        elif line.strip() and not line.startswith("#"):
            found.append(line)
    return [Case(text) for text in found]


def families():
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def evaluate(tf, case, mode, static=None):
    """What a case gives in one mode: {"value", "grads", "second"}, or an error in place of each.

    `static` is a list that takes the shapes that the tensors of its value have in a trace.
    """
    if mode == "derivatives":
        return derivatives(tf, case)

    def body(**inputs):
        scope = {"tf": tf, "np": np, **inputs}
        for statement in case.statements:
            exec(statement, scope)
        return eval(case.expression, scope)

    made = case.arrays()
    if mode == "graph":
        return evaluate_graph(tf, case, made)
    tensors = {name: given(tf, m) for name, m in made.items() if m[0] == "T"}
    others = {name: given(tf, m) for name, m in made.items() if m[0] != "T"}

    def run(**inputs):
        return body(**inputs, **others)

    try:
        run = run if mode == "eager" else traced(tf, run, tensors, mode, [] if static is None else static)
        result = {"value": described(tf, run(**tensors))}
    except Exception as error:
        return {"value": error_of(error)}
    names = [n for n, m in made.items() if m[0] != "N" and m[2].startswith(("float", "complex", "bfloat"))]
    if case.options.get("grads") == "0" or not names:
        return result
    sources = [{**tensors, **others}[n] for n in names]
    watched = [s for s in sources if isinstance(s, tf.Tensor)]
    try:
        with tf.GradientTape() as outer:
            if watched:
                outer.watch(watched)
            with tf.GradientTape() as inner:
                if watched:
                    inner.watch(watched)
                loss = total(tf, run(**tensors), 1.0)
            if loss is None:
                return result
            first = inner.gradient(loss, sources)
            again = total(tf, [g for g in first if g is not None], 2.0)
        result["grads"] = {n: described(tf, g) for n, g in zip(names, first)}
    except Exception as error:
        result["grads"] = error_of(error)
        return result
    if again is not None and mode == "eager" and case.options.get("second") != "0":
        try:
            result["second"] = {n: described(tf, g) for n, g in zip(names, outer.gradient(again, sources))}
        except Exception as error:
            result["second"] = error_of(error)
    return result


def classes_of(tf, name):
    """The classes that an error of this name is caught by."""
    import builtins

    found = [getattr(module, name) for module in (tf.errors, builtins) if hasattr(module, name)]
    return tuple(found) or (Exception,)


def shape_differences(wanted, got):
    """Of the shapes that a graph knows: what TensorFlow knows must be known here; more may be."""

    def extents(text):
        return None if text == "<unknown>" else eval(text, {"__builtins__": {}})

    def fits(w, g):
        return w is None or g is not None and len(w) == len(g) and all(m is None or m == n for m, n in zip(w, g))

    pairs = list(zip(map(extents, wanted), map(extents, got or [])))
    if len(pairs) == len(wanted) and all(fits(w, g) for w, g in pairs):
        return []
    return [f"shapes known while the graph is built: {wanted} wanted, got {got}"]


def differences(tf, wanted, got, tol, where="value", other=None):
    """In words, how a result differs from the recorded one; nothing if it does not. `other`: a class that will do too."""
    if where == "shapes":
        return shape_differences(wanted, got)
    if isinstance(wanted, dict) and "error" in wanted:
        if not (isinstance(got, dict) and "error" in got):
            return [f"{where}: {wanted['error']} wanted ({wanted['text'][:120]}), got {str(got)[:200]}"]
        if not isinstance(
            got.get("raised"), classes_of(tf, wanted["error"]) + (classes_of(tf, other) if other else ())
        ):
            return [f"{where}: {wanted['error']} wanted ({wanted['text'][:120]}), got {got['error']}: {got['text']}"]
        return []
    if isinstance(got, dict) and "error" in got:
        return [f"{where}: {str(wanted)[:120]} wanted, got {got['error']}: {got['text']}"]
    if isinstance(wanted, dict) and "data" in wanted:
        return tensor_differences(wanted, got, tol, where)
    if isinstance(wanted, dict) and isinstance(got, dict):
        keys = [*wanted, *(k for k in got if k not in wanted)]
        pairs = [(k, wanted.get(k, ABSENT), got.get(k, ABSENT)) for k in keys]
        return [d for k, w, g in pairs for d in differences(tf, w, g, tol, f"{where}.{k}")]
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        return [d for i, (w, g) in enumerate(zip(wanted, got)) for d in differences(tf, w, g, tol, f"{where}[{i}]")]
    return [] if wanted == got else [f"{where}: {str(wanted)[:200]} wanted, got {str(got)[:200]}"]


def tensor_differences(wanted, got, tol, where):
    if not isinstance(got, dict) or (got.get("dtype"), got.get("shape")) != (wanted["dtype"], wanted["shape"]):
        kind = [got["dtype"], got["shape"]] if isinstance(got, dict) and "data" in got else got
        return [f"{where}: {wanted['dtype']} {wanted['shape']} wanted, got {str(kind)[:200]}"]
    if wanted["data"] and isinstance(wanted["data"][0], str):
        return [] if wanted["data"] == got["data"] else [f"{where}: {wanted['data'][:8]} wanted, got {got['data'][:8]}"]
    w, g = np.asarray(wanted["data"], np.float64), np.asarray(got["data"], np.float64)
    exact = not wanted["dtype"].startswith(("float", "complex", "bfloat"))
    tol = 0 if exact else tol or TOLERANCES.get(wanted["dtype"], 2e-5)
    finite = np.isfinite(w)
    scale = np.abs(w[finite]).max(initial=1e-30)
    with np.errstate(invalid="ignore"):
        wrong = np.where(finite, ~(np.abs(w - g) <= tol * scale), ~((w == g) | (np.isnan(w) & np.isnan(g))))
    if not wrong.any():
        return []
    i = int(np.argmax(wrong))
    return [f"{where}: element {i} of {w.size} is {g[i]!r}, {w[i]!r} wanted ({int(wrong.sum())} differ)"]


def check(tf, case, recorded):
    """All differences of a case from its record.

    In a function reel.tf may raise the class that TensorFlow raises eagerly: it has one for both.
    """
    found = []
    tol = float(case.options["tol"]) if "tol" in case.options else None
    if tol is None and case.modes == ["derivatives"]:  # what is added up is float64, of any inputs
        tol = max((TOLERANCES.get(m[2], 2e-5) for m in case.arrays().values()), default=None)
    for mode in case.modes:
        wanted = recorded.get(mode, recorded.get("eager"))
        got = evaluate_keeping_errors(tf, case, mode)
        for part in wanted:
            if mode not in ("function", "unknown") or part != "second":
                eager = recorded.get("eager", {}).get(part)
                other = eager["error"] if isinstance(eager, dict) and "error" in eager else None
                found += [f"{mode}: {d}" for d in differences(tf, wanted[part], got.get(part), tol, part, other)]
    return found


def evaluate_keeping_errors(tf, case, mode, static=None):
    """evaluate, with the exceptions themselves beside their names."""
    tf_value.keep_errors = True
    try:
        return evaluate(tf, case, mode, static)
    finally:
        tf_value.keep_errors = False


def record(family):
    """Writes what this environment's TensorFlow gives for a family."""
    import tensorflow as tf

    assert tf.__version__.startswith("2.21"), tf.__version__
    rows = {}
    for case in cases(family):
        results = {mode: evaluate(tf, case, mode) for mode in case.modes}
        if len(results) == 2:
            eager = {k: v for k, v in results["eager"].items() if k != "second"}
            if json.dumps(results["function"]) == json.dumps(eager):
                del results["function"]
        rows[case.text] = results
    lines = [f" {json.dumps(text)}: {json.dumps(row)}" for text, row in rows.items()]
    (FOLDER / f"{family}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    errors = sum("error" in str(next(iter(row.values()))["value"]) for row in rows.values())
    print(f"{family}: {len(rows)} cases, {errors} of them errors")


def recorded(family):
    return json.loads((FOLDER / f"{family}.json").read_text())


def main():
    what, names = sys.argv[1], sys.argv[2:] or families()
    for family in names:
        if what == "record":
            record(family)
            continue
        import reel.tf as tf

        known, wrong = recorded(family), 0
        for case in cases(family):
            found = check(tf, case, known[case.text]) if case.text in known else ["is not recorded"]
            if bool(found) != ("differs" in case.options):
                wrong += 1
                print(case.text, *(found or ["no longer differs"]), sep="\n    ")
        print(f"{family}: {len(known)} cases, {wrong} differ")


if __name__ == "__main__":
    main()
