"""TensorFlow 2.21's public names with their parameters beside reel.tf's: the table of what is there, refused and absent.

tf_names.txt holds TensorFlow's: `tf.math.add(x, y, name=None)`, `tf.audio/` for a module, a bare name for other objects;
of a class the parameters are those of its constructor. frontend/python/reel/tf/NAMES.md says, module by module, what
reel.tf makes of them. A name is there (with the same parameters in the same order, with the same defaults), refused (by
reel/tf/_refused.py, which says why) or absent.

    python tf_names.py record      in an environment that has TensorFlow 2.21: writes tf_names.txt
    python tf_names.py write       writes NAMES.md; not if a name got lost
    python tf_names.py show [tf.math]     prints what is absent and what has other parameters
"""

import enum
import inspect
import pathlib
import re
import sys
import types

HERE = pathlib.Path(__file__).parent
RECORD = HERE / "tf_names.txt"
PAGE = HERE.parents[1] / "frontend/python/reel/tf/NAMES.md"
MODULES = """tf tf.autodiff tf.autograph tf.autograph.experimental tf.bitwise tf.config tf.config.experimental
tf.config.threading tf.data tf.data.experimental tf.debugging tf.distribute tf.dtypes tf.errors tf.experimental
tf.experimental.numpy tf.image tf.io tf.io.gfile tf.linalg tf.math tf.math.special tf.nest tf.nn tf.random tf.random.experimental tf.signal tf.strings tf.summary tf.test
tf.train tf.types tf.version tf.keras tf.keras.activations tf.keras.backend tf.keras.callbacks tf.keras.config
tf.keras.constraints tf.keras.initializers tf.keras.layers tf.keras.losses tf.keras.metrics tf.keras.models tf.keras.ops tf.keras.ops.image
tf.keras.optimizers tf.keras.random tf.keras.tree tf.keras.optimizers.schedules tf.keras.regularizers tf.keras.utils tf.compat.v1 tf.compat.v1.image
tf.compat.v1.initializers tf.compat.v1.linalg tf.compat.v1.logging tf.compat.v1.losses tf.compat.v1.math
tf.compat.v1.metrics tf.compat.v1.nn tf.compat.v1.random tf.compat.v1.summary tf.compat.v1.train""".split()
CLASSES = """tf.DType tf.GradientTape tf.Graph tf.IndexedSlices tf.Module tf.Operation tf.Tensor tf.TensorArray tf.TensorShape
tf.TensorSpec tf.Variable tf.autodiff.ForwardAccumulator tf.data.Dataset tf.errors.OpError tf.random.Generator
tf.train.Checkpoint tf.train.CheckpointManager tf.keras.Model tf.keras.Sequential tf.keras.layers.Layer
tf.keras.losses.Loss tf.keras.metrics.Metric tf.keras.optimizers.Optimizer tf.compat.v1.Session
tf.compat.v1.train.Optimizer""".split()
# Other parameters on purpose: name -> why; a name that ends with a dot stands for all under it.
ON_PURPOSE = {
    "tf.errors.": "made with TensorFlow's arguments, or with the text alone",
    "tf.Tensor": "made by tf.constant and by ops only",
    "tf.DType": "the dtypes are there; none can be made",
    "tf.dtypes.DType": "the dtypes are there; none can be made",
}


def shown(default):
    """A default value as text; <> for one that has none of its own, which equals any."""
    if default is None or isinstance(default, (bool, int, float, str)) and not isinstance(default, enum.Enum):
        return repr(default)
    if isinstance(default, (tuple, list)):
        return "[" + ", ".join(shown(d) for d in default) + "]"
    if type(default).__name__ == "DType":
        return f"tf.{default.name}"
    if isinstance(default, enum.Enum):
        return default.name
    return getattr(default, "__name__", "<>")


def parameters(value):
    """The parameters of a function, or of a class's constructor, as text; None if they cannot be known."""
    if isinstance(value, type) and issubclass(value, (BaseException, enum.Enum)) and value.__init__ in NATIVE:
        return None
    try:
        found = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError, AttributeError):
        return None
    parts = []
    for i, p in enumerate(found):
        text = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        if (
            p.kind is p.KEYWORD_ONLY
            and found[i - 1].kind not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
            or (i == 0 and p.kind is p.KEYWORD_ONLY)
        ):
            parts.append("*")
        parts.append(text if p.default is p.empty else f"{text}={shown(p.default)}")
    return ", ".join(parts)


NATIVE = (BaseException.__init__, Exception.__init__, object.__init__)


def resolve(tf, path):
    """What a path such as tf.math.add names; AttributeError if there is none."""
    value = tf
    for part in path.split(".")[1:]:
        value = getattr(value, part)
    return value


def record():
    """Writes TensorFlow's names."""
    import tensorflow as tf

    assert tf.__version__.startswith("2.21"), tf.__version__
    lines = []
    for path in MODULES + CLASSES:
        parent = resolve(tf, path)
        for name in sorted(n for n in dir(parent) if not n.startswith("_")):
            value = getattr(parent, name, None)
            if isinstance(value, types.ModuleType):
                lines.append(f"{path}.{name}/")
            elif callable(value) and parameters(value) is not None:
                lines.append(f"{path}.{name}({parameters(value)})")
            else:
                lines.append(f"{path}.{name}")
    RECORD.write_text("\n".join(lines) + "\n")


def recorded():
    """{module or class: {name: its parameters, "/" of a module, None of another object}}."""
    table = {}
    for line in RECORD.read_text().splitlines():
        head, bracket, rest = line.partition("(")
        path, _, name = head.rpartition(".")
        table.setdefault(path, {})[name.rstrip("/")] = rest[:-1] if bracket else "/" if name.endswith("/") else None
    return table


def same(wanted, ours):
    """Whether parameters as text mean the same."""
    if wanted in (None, "/") or ours is None or wanted == ours:
        return True
    if wanted.endswith("**kwargs") and ours.startswith(wanted.removesuffix("**kwargs").removesuffix(", ")):
        return True  # ours says which ones
    if "<>" not in wanted:
        return False
    pairs = list(zip(wanted.split(", "), ours.split(", "), strict=False))
    return wanted.count(", ") == ours.count(", ") and all(
        w == o or w.endswith("=<>") and o.startswith(w[:-2]) for w, o in pairs
    )


def look(tf, path, name, wanted):
    """("there" | "refused" | "absent" | "other", text): what reel.tf makes of a name."""
    from reel.tf import _refused

    full = f"{path}.{name}"
    try:
        value = resolve(tf, full)
    except (AttributeError, ImportError):
        why = _refused.reason(full)
        return ("refused", why) if why else ("absent", "")
    ours = parameters(value) if wanted not in (None, "/") and callable(value) else None
    if same(wanted, ours) or full in ON_PURPOSE or path + "." in ON_PURPOSE:
        return "there", ""
    return "other", f"`{name}({ours})` for `({wanted})`"


def table(tf):
    """{module or class: {"there" | "refused" | "absent" | "other": {name: text}}}."""
    found = {}
    for path, names in recorded().items():
        row = found[path] = {"there": {}, "refused": {}, "absent": {}, "other": {}}
        for name, wanted in names.items():
            kind, text = look(tf, path, name, wanted)
            row[kind][name] = text
    return found


def wrapped(head, names):
    """A paragraph of names in code, of lines that fit."""
    lines = [head]
    for name in names:
        word = f" `{name}`"
        if len(lines[-1]) + len(word) > 118:
            lines.append("")
        lines[-1] += word if lines[-1] else word[1:]
    return "\n".join(lines)


def page(found):
    """NAMES.md: of every module what is refused and why, absent, or there with other parameters."""
    total = {kind: sum(len(row[kind]) for row in found.values()) for kind in ("there", "refused", "absent", "other")}
    out = [
        "# TensorFlow's names in `reel.tf`",
        "Made by `tests/python/tf_names.py write`; `tests/python/test_tf_names.py` keeps it equal to the code. Of "
        f"TensorFlow 2.21's {sum(total.values())} public names\nin these modules and classes {total['there']} are there with "
        f"TensorFlow's parameters, {total['other']} with others, {total['refused']} are refused by name (the text of\nthe "
        f"AttributeError says why: `_refused.py`), {total['absent']} are absent.",
    ]
    for path, row in found.items():
        out.append(f"## {path}: {len(row['there']) + len(row['other'])} of {sum(len(r) for r in row.values())}")
        if row["other"]:
            out.append("Other parameters:\n" + "\n".join(f"- {text}" for text in row["other"].values()))
        if row["absent"]:
            out.append(wrapped("Absent:", row["absent"]))
        reasons = {}
        for name, why in row["refused"].items():
            reasons.setdefault(why, []).append(name)
        out += [wrapped(f"Refused ({why}):", names) for why, names in reasons.items()]
    return "\n\n".join(out) + "\n"


def absent_before():
    """The absent names that NAMES.md lists, by module."""
    sections = PAGE.read_text().split("\n## ")[1:] if PAGE.exists() else []
    found = {}
    for section in sections:
        path = section.partition(":")[0]
        names = re.search(r"\nAbsent:(.*?)(\n\n|$)", section, re.DOTALL)
        found[path] = set(re.findall(r"`(\w+)`", names[1])) if names else set()
    return found


def lost(found):
    """Names that are absent and were not."""
    return [f"{path}.{name}" for path, names in absent_before().items() for name in set(found[path]["absent"]) - names]


def main():
    what = sys.argv[1]
    if what == "record":
        return record()
    import reel.tf as tf

    found = table(tf)
    if what == "write":
        if lost(found) and "--lose" not in sys.argv:
            sys.exit(f"no longer there (--lose writes it all the same): {' '.join(lost(found))}")
        PAGE.write_text(page(found))
    else:
        for path in sys.argv[2:] or found:
            for kind in ("absent", "other"):
                print(
                    f"{path}: {len(found[path][kind])} {kind}:",
                    *(t or n for n, t in found[path][kind].items()),
                    sep="\n  ",
                )


if __name__ == "__main__":
    main()
