"""Writes the type stubs of reel._core, by nanobind's stubgen, and mends what it cannot know.

usage: stubs.py FOLDER     the folder with the package reel; stubs go to FOLDER/reel/_core/
"""

import pathlib
import re
import subprocess
import sys

PRELUDE = '''"""The C++ part of Reel; import reel instead."""

import builtins
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

TensorLike: TypeAlias = Any  # a Tensor, Variable, number, nested list of them, or array
DTypeLike: TypeAlias = DType | str | type | Any
IntsLike: TypeAlias = int | Sequence[int]
ShapeLike: TypeAlias = int | Sequence[int]
AxisLike: TypeAlias = int | Sequence[int]
Padding: TypeAlias = str | int | Sequence[int] | Sequence[tuple[int, int]]

'''
IMPORTS = """import builtins
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from reel._core import AxisLike, DType, DTypeLike, IntsLike, Padding, ShapeLike, Tensor, TensorLike, Variable
"""
COMPARISONS = "lt le eq ne gt ge".split()
BINARY = "add sub mul mod floordiv truediv matmul lshift rshift and or xor".split()
UNARY = "neg pos abs invert".split()


def operators():
    """Signatures of the slots, by name."""
    table = {
        f"__{n}__": "(self, other: TensorLike, /) -> Tensor" for n in COMPARISONS + BINARY + [f"r{b}" for b in BINARY]
    }
    table |= {f"__{n}__": "(self) -> Tensor" for n in UNARY}
    table |= {
        "__pow__": "(self, other: TensorLike, /) -> Tensor",
        "__rpow__": "(self, other: TensorLike, /) -> Tensor",
        "__bool__": "(self) -> bool",
        "__int__": "(self) -> int",
        "__float__": "(self) -> float",
        "__index__": "(self) -> int",
        "__len__": "(self) -> int",
        "__hash__": "(self) -> int",
        "__getitem__": "(self, key: Any, /) -> Tensor",
    }
    return table


def error_classes(package):
    """The exceptions, which stubgen would import from reel."""
    import importlib

    core = importlib.import_module("reel._core")
    lines = []
    for name, value in vars(core).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            bases = ", ".join(
                b.__name__ if b.__module__ == "reel" else f"builtins.{b.__name__}" for b in value.__bases__
            )
            lines.append(f'class {name}({bases}):\n    """{value.__doc__}"""\n    code: str\n')
    return "\n".join(lines)


def qualified(match):
    """A built-in type with its module, unless it is the name of a parameter."""
    before, after = match.string[: match.start()].rstrip(), match.string[match.end() :]
    return match.group(0) if after.startswith(":") and before[-1:] in "(," else "builtins." + match.group(0)


def mend(text):
    """Signatures of operators, and names of the module that hide built-in types."""
    for name, signature in operators().items():
        if name in ("__eq__", "__ne__"):
            comment = "  # type: ignore[override]"
        else:
            comment = ""
        text = re.sub(
            rf"    def {name}\(self(?:, (?:value|key)(?:, mod=None)?)?, /\):\n",
            f"    def {name}{signature}:{comment}\n",
            text,
        )
    lines = []
    for line in text.split("\n"):
        if line.lstrip().startswith("def "):
            code, hash_sign, comment = line.partition("  # ")
            line = (
                re.sub(r"(?<![\w.'])(bool|complex|float|int|tuple|list|dict|type|str|object)\b(?!\()", qualified, code)
                + hash_sign
                + comment
            )
        lines.append(line)
    return "\n".join(lines).replace("reel._core.", "")


def main(folder):
    package = pathlib.Path(folder) / "reel"
    sys.path.insert(0, str(folder))
    subprocess.run(
        [
            sys.executable,
            "-m",
            "nanobind.stubgen",
            "-q",
            "-r",
            "-i",
            str(folder),
            "-m",
            "reel._core",
            "-O",
            str(package),
        ],
        check=True,
    )
    for path in sorted((package / "_core").glob("*.pyi")):
        text = path.read_text()
        head = re.match(r'"""(?:.|\n)*?"""\n', text).group(0)
        body = mend(
            re.sub(r"^(?:import [^\n]*|from [^\n]* import (?:\([^)]*\)|[^\n]*))\n", "", text[len(head) :], flags=re.M)
        )
        if path.name == "__init__.pyi":
            submodules = "import types\n\nfrom . import fft as fft, linalg as linalg, nn as nn, optim as optim\n"
            submodules += "from . import random as random\n\n"
            path.write_text(PRELUDE + submodules + error_classes(package) + "\n" + body.lstrip())
        else:
            path.write_text(head + "\n" + IMPORTS + body)


if __name__ == "__main__":
    main(*sys.argv[1:])
