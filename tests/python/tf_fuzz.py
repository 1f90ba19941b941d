r"""Random calls of TensorFlow's names (tf_names.txt), their results in TensorFlow 2.21 beside reel.tf's.

The arguments of a call are drawn by the names of the parameters (tf_fuzz.txt); tensors of one call mostly share dtype and
broadcast. A call is a case of tf_case.py, so what is found goes into a family's file as it is printed. No test of CI: it
needs TensorFlow.

    python tf_fuzz.py record OUT.jsonl [--seed 1] [--calls 30] [--mode eager|function|unknown|graph] [NAME...]
    python tf_fuzz.py record OUT.jsonl --mode derivatives [--calls 3] [NAME...]    that many recorded cases of each name
    python tf_fuzz.py compare OUT.jsonl [NAME...]     with reel.tf: differences by kind, and their counts

record needs TensorFlow 2.21, and goes on after a call on which it aborts. NAME is a regular expression that the start of
names matches, such as tf.math. or tf.\w+$. In the modes function and unknown (tensors of unknown extents) the call stands
in a tf.function, and the shapes in its trace are compared too: what TensorFlow knows is known.
"""

import argparse
import collections
import functools
import importlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

import tf_case
import tf_names

MODULES = """tf tf.math tf.nn tf.linalg tf.signal tf.image tf.random tf.bitwise tf.debugging tf.strings tf.keras.losses
tf.keras.metrics tf.keras.activations tf.keras.layers tf.keras.utils tf.keras.initializers tf.keras.regularizers
tf.compat.v1 tf.compat.v1.nn tf.compat.v1.math tf.compat.v1.losses tf.compat.v1.image tf.compat.v1.linalg
tf.compat.v1.metrics""".split()
CLASSES = tuple(f"tf.keras.{m}." for m in "losses metrics layers initializers regularizers".split())
LEFT_OUT = r"""(?x)\.(disable_|enable_|set_|get_|add_to_|Print|print|load_|save|import_|function|py_func|device|Session|Graph
|train|init_scope|executing|Variable$|variable|initialize|global|local|trainable|model_|plot_|raw_|custom_|no_grad|Register
|placeholder|random_|recompute_grad|grad_pass|categorical$|shuffle|multinomial|truncated|normal$|uniform$|gamma$|poisson|stateless_(gamma|poisson|binomial|param)
|.*sampler|.*_initializer$|.*Dropout|Random|.*variables|assert_same_graph|split_dataset|timeseries|.*_dataset|Progbar|clear_session
|write_file|read_file|matching_files|timestamp|is_.*initialized|assign|scatter_(?!nd)|while_loop|tuple|group|Lambda|AugMix|CutMix
|MixUp|RandAugment|Gaussian(Noise)|.*_scope|control_dep|make_|numpy_function|report_|experimental|legacy|map_fn|wrap_function)"""

DTYPES = "f32 f32 f32 f32 f64 f16 bf16 i32 i64 u8 i8 b c64 c128".split()
SHAPES = ["3", "2, 3", "2, 3", "3, 3", "2, 3, 3", "", "1", "0", "2, 0", "1, 3", "4, 1, 2", "2, 4, 4, 3", "1, 3, 3, 1"]
LIKE = {"2, 3": ["3", "1, 3", "", "2, 1", "2, 3"], "3, 3": ["3", "3, 3", ""], "2, 3, 3": ["3, 3", "2, 1, 3", ""]}
TEXTS = ["tf.constant(['a b', '', 'Xyz'])", "'ab c'", "tf.constant([['a', 'bb'], ['c', '']])", "['x', 'y']"]
SPATIAL = [
    "f32(2, 6, 6, 2)",
    "f32(1, 5, 4, 2)",
    "f32(2, 7, 2)",
    "f64(1, 5, 5, 2)",
    "f32(1, 4, 4, 4, 2)",
    "f16(1, 6, 6, 2)",
]
FILTERS = [
    "f32(3, 3, 2, 4)",
    "f32(2, 2, 2, 1)",
    "f32(3, 2, 2)",
    "f64(2, 2, 2, 2)",
    "f32(2, 2, 2, 2, 2)",
    "f32(2, 2, 2)",
]
SPECIAL = (
    "np.resize([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-30, 1e30, 0.5, -2.5, 3.5, 100.0, -100.0, 1e-8], 15)"
)


def missing():
    """The names that NAMES.md calls absent or refused."""
    found, module, out = set(), "", False
    for line in tf_names.PAGE.read_text().split("\n"):
        module = line.split(":")[0].removeprefix("## ") if line.startswith("## ") else module
        out = bool(line) and (out or line.startswith(("Absent", "Refused")))
        found |= {f"{module}.{name}" for name in re.findall(r"`(\w+)`", line)} if out else set()
    return found


def chosen(patterns, name):
    return not patterns or any(re.match(pattern, name) for pattern in patterns)


def names(patterns=()):
    """Name -> its parameters as [(name, has a default)] for what is to be called, of names whose start one matches."""
    found, absent, before = {}, missing(), set()
    for line in tf_names.RECORD.read_text().split("\n"):
        match = re.match(r"([\w.]+)\.(\w+)\((.*)\)$", line)
        if not match or match[1] not in MODULES or re.match(LEFT_OUT, "." + match[2]) or line.split("(")[0] in absent:
            continue
        if not chosen(patterns, line):
            continue
        if (match[2], match[3]) in before:
            continue  # an alias
        before.add((match[2], match[3]))
        if match[2][0].isupper() and not line.startswith(CLASSES) and match[2] not in ("KLD", "MSE"):
            continue
        flat = re.sub(r"\[[^()]*?\](?=,|$)", "L", match[3])
        parts = [p.split("=") for p in flat.split(", ") if re.match(r"\*?[a-zA-KM-Z_]", p)]
        found[f"{match[1]}.{match[2]}"] = [(p[0], len(p) > 1) for p in parts]
    return found


class Call:
    """The makers of one call's arguments: a dtype and a shape that its tensors mostly share."""

    def __init__(self, draw, name):
        self.draw, self.name, self.inputs = draw, name, {}
        self.dtype, self.shape = draw.choice(DTYPES), draw.choice(SHAPES)

    @staticmethod
    @functools.cache
    def pools():
        """[(expression of parameters, values)] of tf_fuzz.txt."""
        text = re.sub(r"\n  ", " ", pathlib.Path(__file__).with_suffix(".txt").read_text().split("\n", 1)[1])
        rows = [row.split(";;") for row in text.strip().split("\n")]
        return [(re.compile(names.replace(" ", "")), re.split(r" +\| +", values.strip())) for names, values in rows]

    def given(self, text):
        key = f"x{len(self.inputs)}"
        self.inputs[key] = f"V({text})" if self.draw.random() < 0.05 else text
        return key

    def tensor(self):
        draw = self.draw
        pick = draw.random()
        dtype = self.dtype if pick < 0.93 else draw.choice(DTYPES)
        shape = draw.choice(LIKE.get(self.shape, [self.shape])) if self.inputs and pick < 0.5 else self.shape
        if pick > 0.97:
            return draw.choice(
                ["2", "[1.0, 2.0]", "0.5", "np.array([1, 2, 3])", "[[1, 2, 3], [4, 5, 6]]", "None", "True"]
            )
        if draw.random() < 0.08 and dtype in ("f32", "f64"):
            return f"{self.given(f'{dtype}(15, low=1, high=1)')} * {SPECIAL}"
        limits = draw.choice(["", "", "", ", low=0, high=1", ", low=1, high=3", ", low=-1, high=1"])
        if "strings" in self.name or dtype == "b" or dtype[0] in "iu" and "high=1" in limits:
            limits = ""
        return self.given(f"{dtype}({shape}{limits})".replace("(, ", "("))

    def argument(self, parameter):
        if ".strings." in self.name and self.draw.random() < 0.5:
            return self.draw.choice(TEXTS)
        if parameter in ("input", "x", "features", "value") and re.search(
            "conv|pool|dilat|erosion|space_to|batch", self.name
        ):
            return self.given(self.draw.choice(SPATIAL))
        if parameter in ("filters", "filter") and ".nn." in self.name:
            return self.given(self.draw.choice(FILTERS))
        pool = next((values for pattern, values in self.pools() if pattern.fullmatch(parameter)), ["T"])
        value = self.draw.choice(pool)
        if value.startswith("in."):
            return self.given(value[3:])
        return re.sub(r"\bT\b", lambda _: self.tensor(), value)


def case(draw, name, parameters, mode):
    """A random call as the text of a case."""
    call, arguments, positional = Call(draw, name), [], True
    share = draw.choice([0.0, 0.2, 0.2, 0.5])
    for parameter, optional in parameters:
        if parameter.startswith("*"):
            arguments.append("[T]".replace("[T]", call.tensor()))
        elif optional and parameter != "seed" and draw.random() >= share:
            positional = False
        else:
            positional &= draw.random() < 0.9
            value = call.argument(parameter)
            arguments.append(value if positional else f"{parameter}={value}")
            positional &= parameter != "name"
    text = f"{name}({', '.join(arguments)})"
    if name.startswith(CLASSES) and name.split(".")[-1][0].isupper() and name[-3:] not in ("KLD", "MAE", "MSE"):
        text = used(call, name, text)
    given = " ".join(f"{k}={v}" for k, v in call.inputs.items())
    options = f" open={draw.choice('0012')}" if mode == "graph" else ""
    return f"{text} ;; {given} mode={mode}{options}"


def used(call, name, made):
    """The text that makes an object and calls it."""
    module = name.split(".")[2]
    if module in ("losses", "metrics"):
        both = f"{call.argument('y_true')}, {call.argument('y_pred')}"
        if "Mean" == name.split(".")[-1] or name.endswith(".Sum"):
            both = call.tensor()
        weight = call.draw.choice(["", ", sample_weight=" + call.argument("sample_weight")])
        return f"{made}({both}{weight})"
    if module == "initializers":
        return f"{made}({call.draw.choice(['(2, 3)', '[3, 3]', '(2, 2, 3)', '(4,)', '(0, 2)'])})"
    if module == "regularizers":
        return f"{made}({call.tensor()})"
    inputs = call.given(
        call.draw.choice(SPATIAL + ["f32(2, 3)", "f32(2, 4, 3)", "i32(2, 3, low=0)", "f32(0, 3)", "f64(2, 3)"])
    )
    known = "layer.set_weights([np.cos(np.arange(w.size)).reshape(w.shape) for w in layer.get_weights()])"
    return f"layer = {made}\n  y = layer({inputs})\n  {known}\n  layer({inputs})"


def differentiated():
    """(name, text with mode=derivatives) of the recorded cases that have a floating input."""
    for family in tf_case.families():
        for known in tf_case.cases(family):
            options = {k: v for k, v in known.options.items() if k == "tol"}
            given = " ".join(f"{k}={v}" for k, v in {**known.inputs, **options}.items())
            name = re.search(r"tf\.[\w.]+", known.text)
            is_layer = bool(known.statements) and known.statements[0].startswith("l = tf.keras.")
            if not name or not re.search(r"\b(b?f|c)\d+\(", given) or bool(known.statements) != is_layer:
                continue
            lines = [x for x in known.statements if "Tape" not in x] + ["l(x)"] if is_layer else [known.expression]
            yield name[0], "\n  ".join(lines) + f" ;; {given} mode=derivatives"


def cases(arguments):
    """The texts of all calls: the same for the same seed."""
    if arguments.mode == "derivatives":
        counts = collections.Counter()
        for name, text in dict.fromkeys(differentiated()):
            counts[name] += chosen(arguments.names, name)
            if 0 < counts[name] <= arguments.calls and text not in counts:
                counts[text] = 0
                yield text
        return
    for name, parameters in names(arguments.names).items():
        draw = random.Random(f"{name} {arguments.seed}")
        yield from {case(draw, name, parameters, arguments.mode): None for _ in range(arguments.calls)}


def evaluated(tf, text, keeping=False):
    """What a case gives, in at most 10 seconds; 60 for derivatives."""
    signal.alarm(60 if text.endswith("mode=derivatives") else 10)
    try:
        case, static = tf_case.Case(text), []
        found = (tf_case.evaluate_keeping_errors if keeping else tf_case.evaluate)(tf, case, case.modes[0], static)
        return found if case.modes[0] == "eager" or "error" in str(found["value"])[:10] else {**found, "static": static}
    finally:
        signal.alarm(0)


def late(*_):
    raise TimeoutError("more than 10 seconds")


def record(arguments):
    """Writes a line for each call; a child does the work, so that its death costs one call."""
    out = pathlib.Path(arguments.out)
    if os.environ.get("TF_FUZZ_CHILD") is None:
        out.write_text("")
        while subprocess.run([sys.executable, *sys.argv], env={**os.environ, "TF_FUZZ_CHILD": "1"}).returncode:
            with out.open("a") as file:
                file.write("null\n")
        return
    import tensorflow as tf

    signal.signal(signal.SIGALRM, late)
    done = len(out.read_text().split("\n")) - 1
    with out.open("a") as file:
        for text in list(cases(arguments))[done:]:
            file.write(json.dumps([text, evaluated(tf, text)]) + "\n")
            file.flush()


NO_KERNEL = r"Could not find device|no entry for|No OpKernel|To be compatible with tf.function"
MORE = r"'T\w*' of \w+ is not in|No gradient defined|not in list of|symbolic `tf.Tensor`|" + NO_KERNEL
# What TensorFlow's Python code raises where it did not look at its arguments: nobody catches these.
ACCIDENTS = (
    r"(Attribute|Index|Assertion|UnboundLocal|Memory|Key|ZeroDivision|Overflow|NotImplemented|Aborted)Error wanted"
)


def kind(difference):
    """How bad a difference is."""
    if re.search(r"(Error|Exception) wanted", difference):
        is_error = re.search(r"got \w+(Error|Exception|Warning):", difference)
        if re.search(NO_KERNEL if is_error else MORE, difference):
            return "more than TensorFlow has"
        if re.search(ACCIDENTS, difference):
            return "accident of TensorFlow"
        return "wrong class of error" if is_error else "no error"
    if re.search(r"got \w*(Error|Exception|Refused)\w*:", difference):
        return "error"
    numbers = re.search(r"element \d+ of \d+ is (\S+), (\S+) wanted", difference)
    if numbers:
        got, wanted = float(numbers[1]), float(numbers[2])
        if abs(got - wanted) < 1e-3 * abs(wanted) or abs(got - wanted) < 2e-5:
            return "rounding"
    return "SILENT"


def static_differences(wanted, got):
    """Extents that TensorFlow knows in a trace and reel.tf does not, or others."""
    if len(wanted) != len(got or []):
        return [f"static: {len(wanted)} tensors wanted, got {got}"]
    for w, g in zip(wanted, got or []):
        if w is not None and (g is None or len(w) != len(g) or any(a not in (None, b) for a, b in zip(w, g))):
            return [f"static: {w} wanted, got {g}"]
    return []


def compare(arguments):
    """Prints what differs, by kind, and the counts."""
    tf = importlib.import_module("reel.tf")
    signal.signal(signal.SIGALRM, late)
    counts, total = collections.Counter(), 0
    for line in pathlib.Path(arguments.out).read_text().split("\n"):
        if not line or line == "null":
            continue
        text, wanted = json.loads(line)
        name = re.search(r"tf\.[\w.]+", text)[0]
        if not chosen(arguments.names, name):
            continue
        try:
            eval(name, {"tf": tf})
        except AttributeError:
            continue  # refused or absent
        total += 1
        got = evaluated(tf, text, keeping=True)
        for part in wanted:
            if part == "static":
                found = static_differences(wanted[part], got.get(part))
            else:
                found = tf_case.differences(tf, wanted[part], got.get(part), None, part)
            if found:
                counts[kind(found[0])] += 1
                print(f"{kind(found[0])} | {text}\n    {found[0]}".replace("\n  ", "\n   "), flush=True)
                if not text.endswith("mode=derivatives"):
                    break
    print(total, "calls:", dict(counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=30)
    parser.add_argument("--mode", choices=["eager", "function", "unknown", "graph", "derivatives"], default="eager")
    arguments = parser.parse_intermixed_args()
    {"record": record, "compare": compare}[arguments.what](arguments)


if __name__ == "__main__":
    main()
