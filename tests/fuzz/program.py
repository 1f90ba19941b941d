"""A program as data: inputs, statements of Python text, outputs; printed as a script, and made callable by exec."""

import dataclasses
import json
import re

import numpy as np

DTYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u32": "uint32",
    "bool": "bool",
}
FLOATS = ("f16", "bf16", "f32", "f64")
_NAME = re.compile(r"\b[a-z]+[0-9]+\b")  # of values, functions, variables, generators: v3, f1, w0, g0


@dataclasses.dataclass
class Block:
    """def name(params): body; return text."""

    name: str
    params: list
    body: list
    result: str


@dataclasses.dataclass
class Stmt:
    """results = text, after the definitions of the functions it names; no results: an assignment to a variable."""

    results: list
    text: str
    blocks: list = dataclasses.field(default_factory=list)

    def uses(self):
        """Names that it takes from outside."""
        names = set(_NAME.findall(self.text))
        for block in self.blocks:
            names |= free(block)
            names.discard(block.name)
        return names

    def lines(self, indent):
        out = [line for block in self.blocks for line in block_lines(block, indent)]
        return out + [indent + (", ".join(self.results) + " = " if self.results else "") + self.text]


@dataclasses.dataclass
class Input:
    """A parameter: a source of gradients if it is of floats and not frozen."""

    name: str
    dtype: str
    shape: tuple
    values: list  # flat
    variable: bool = False


@dataclasses.dataclass
class Program:
    seed: int
    inputs: list
    body: list
    outputs: list
    target: str = "reel.sum({0} * {1})"  # of an output and its weight
    dtype: str = "f64"  # of most of its floats, and of the number that is differentiated
    generator: int = None  # seed of g0
    order: int = 2  # of gradients: 1 or 2
    special: bool = False  # has infinities, NaN, -0 on purpose

    def sources(self):
        return [x for x in self.inputs if x.dtype in FLOATS]

    def text(self):
        """def forward(arguments) -> list of outputs."""
        arguments = [x.name for x in self.inputs if not x.variable]
        lines = [f"def forward({', '.join(arguments)}):"]
        for s in self.body:
            lines += s.lines("    ")
        return "\n".join(lines + [f"    return [{', '.join(self.outputs)}]"]) + "\n"

    def has(self, text):
        return any(text in line for s in self.body for line in s.lines(""))

    def to_json(self):
        return json.dumps(dataclasses.asdict(self))

    @staticmethod
    def from_json(text):
        d = json.loads(text)

        def stmt(s):
            return Stmt(
                s["results"],
                s["text"],
                [Block(b["name"], b["params"], [stmt(x) for x in b["body"]], b["result"]) for b in s["blocks"]],
            )

        d["inputs"] = [Input(**{**x, "shape": tuple(x["shape"])}) for x in d["inputs"]]
        d["body"] = [stmt(s) for s in d["body"]]
        return Program(**d)

    def in_double(self):
        """The same program with every float dtype float64."""
        p = Program.from_json(re.sub(r"reel\.b?float(16|32)", "reel.float64", self.to_json()))
        for x in p.inputs:
            x.dtype = "f64" if x.dtype in FLOATS else x.dtype
        p.dtype = "f64"
        return p


def free(block):
    names = set(_NAME.findall(block.result))
    made = set(block.params)
    for s in block.body:
        names |= s.uses()
        made |= set(s.results)
    return names - made


def block_lines(block, indent):
    lines = [f"{indent}def {block.name}({', '.join(block.params)}):"]
    for s in block.body:
        lines += s.lines(indent + "    ")
    return lines + [f"{indent}    return {block.result}"]


def renamed(text, names):
    """The text with names replaced by others."""
    return _NAME.sub(lambda m: names.get(m.group(), m.group()), text)


def array_of(x):
    """An input's values, bfloat16 as float32."""
    kind = {"bf16": np.float32, "bool": np.bool_}.get(x.dtype) or getattr(np, DTYPES[x.dtype])
    return (
        np.array(
            [float(v) if isinstance(v, str) else v for v in x.values], dtype=np.float64 if x.dtype in FLOATS else None
        )
        .astype(kind)
        .reshape(x.shape)
    )


def tensor_text(x):
    values = [f"float({v!r})" if isinstance(v, str) else repr(v) for v in x.values]
    flat = f"[{', '.join(values)}]"
    if len(x.values) > 40 and len(set(x.values)) == 1:
        flat = f"[{values[0]}] * {len(values)}"
    text = f"reel.asarray({flat}, dtype=reel.{DTYPES[x.dtype]})"
    return text if len(x.shape) == 1 and x.values else f"reel.reshape({text}, {tuple(x.shape)})"


AT = """def at(x, key):
    return x[key]


def gradient_of(f, x):
    with reel.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    g = tape.gradient(y, x)
    return reel.zeros_like(x) if g is None else reel.asarray(g)
"""

COMPUTE = '''
def compute(*arguments):
    """Outputs, first and second gradients of a number made of them."""
    every = dict(zip(NAMES, arguments))
    xs = [every[name] if name in every else VARIABLES[name] for name in SOURCES]
    with reel.GradientTape(persistent=True) as outer:
        outer.watch(xs)
        with reel.GradientTape(persistent=True) as inner:
            inner.watch(xs)
            outputs = forward(*arguments)
            y = total(reel, outputs)
        first = [] if y is None else inner.gradient(y, xs)
        z = total(reel, first, 0.7) if ORDER > 1 else None
    second = [] if z is None else outer.gradient(z, xs)
    return outputs, first, second
'''


def total_of(program):
    """def total(reel, tensors): a number made of the floats among them."""
    return f"""def total(reel, tensors, weight=1.0):
    y = None
    for k, x in enumerate(tensors):
        if x is not None and x.dtype in (reel.float16, reel.bfloat16, reel.float32, reel.float64):
            part = reel.astype({program.target.format("x", "(weight + 0.25 * k)")}, reel.{DTYPES[program.dtype]})
            y = part if y is None else y + part
    return y
"""


def definitions(program):
    """The text that makes forward, compute, VARIABLES and ARGUMENTS, given `reel`."""
    lines = [
        AT,
        f"NAMES = {[x.name for x in program.inputs if not x.variable]}",
        f"SOURCES = {[x.name for x in program.sources()]}",
        f"ORDER = {program.order}",
        "VARIABLES = {}",
    ]
    for x in program.inputs:
        if x.variable:
            lines.append(f"{x.name} = VARIABLES['{x.name}'] = reel.Variable({tensor_text(x)}, name='{x.name}')")
    if program.generator is not None:
        lines.append(f"g0 = reel.random.Generator({program.generator})")
    arguments = [tensor_text(x) for x in program.inputs if not x.variable]
    lines.append("ARGUMENTS = [" + ",\n             ".join(arguments) + "]")
    return "\n".join(lines) + "\n\n\n" + program.text() + "\n\n" + total_of(program) + COMPUTE
