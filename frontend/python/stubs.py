"""Writes the type stubs of reel._core, by nanobind's stubgen, and mends what it cannot know.

usage: stubs.py FOLDER     the folder with the package reel; stubs go to FOLDER/reel/_core/
"""

import pathlib
import re
import subprocess
import sys

IMPORTS = """import builtins
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, overload

from reel._enums import UnconnectedGradients
from reel.typing import AxisLike, DTypeLike, IntsLike, Padding, ShapeLike, TensorLike
"""
PRELUDE = f'''"""The C++ part of Reel; import reel instead."""

{IMPORTS}import types

from . import data as data, fft as fft, linalg as linalg, nn as nn, optim as optim
from . import random as random

_Source: TypeAlias = Tensor | Variable
_S = TypeVar("_S", bound=_Source)
_K = TypeVar("_K")
_T = TypeVar("_T")
_U = TypeVar("_U")
_Tensors = TypeVar("_Tensors", bound=builtins.tuple[Tensor, ...] | builtins.list[Tensor])
_Unconnected: TypeAlias = Literal["none", "zero"] | UnconnectedGradients

'''
SUBMODULE = f"""
{IMPORTS}from reel._core import DType, Tensor, Variable
{{generator}}
_T = TypeVar("_T")
_Initializer: TypeAlias = float | str | Callable[[builtins.tuple[int, ...], DType], TensorLike] | None
"""
MENDED = {
    "unconnected_gradients: Any": "unconnected_gradients: _Unconnected",
    "generator: Any": "generator: Generator | None",
    "kernel_init: Any": "kernel_init: _Initializer",
    "bias_init: Any": "bias_init: _Initializer",
}
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
            lines.append(f'class {name}({bases}):\n    """{value.__doc__}"""\n    code: str\n    message: str\n')
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
    for before, after in MENDED.items():
        text = text.replace(before, after)
    lines = []
    for line in text.split("\n"):
        if line.lstrip().startswith("def "):
            code, hash_sign, comment = line.partition("  # ")
            line = (
                re.sub(
                    r"(?<![\w.'])(bool|bytes|complex|float|int|tuple|list|dict|type|str|object)\b(?!\()",
                    qualified,
                    code,
                )
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
            "-p",
            str(pathlib.Path(__file__).with_suffix(".txt")),
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
            path.write_text(PRELUDE + error_classes(package) + "\n" + body.lstrip())
        else:
            generator = "" if path.stem == "random" else "from reel._core.random import Generator\n"
            path.write_text(head + SUBMODULE.format(generator=generator) + body)


if __name__ == "__main__":
    main(*sys.argv[1:])
