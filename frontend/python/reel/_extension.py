"""Loads the extension reel._core, or says why it cannot be: not built, for another Python, for another kind of CPU."""

import mmap
import os
import platform
import re
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec

MACHINES = {3: "i686", 40: "armv7l", 62: "x86_64", 183: "aarch64", 243: "riscv64"}  # e_machine of ELF files
NEEDED = 40 << 20  # bytes of address space: what loading the extension takes (24 MiB), and room beside it
HELP = (
    "Install a wheel of this Python, or run `third_party/setup build` in the checkout and set PYTHONPATH=build/python, "
    "or `pip install ./frontend/python`"
)


def made_for(file: str) -> str:
    """The Python that an extension of this name is for, as text."""
    if file.endswith(".abi3.so"):
        return "CPython 3.12 or newer"
    tag = re.search(r"\.(cpython|pypy)-?(\d)(\d+)([a-z]*)", file)
    if not tag:
        return "another Python"
    name = "CPython" if tag[1] == "cpython" else "PyPy"
    return f"{name} {tag[2]}.{tag[3]}" + (" without the GIL" if "t" in tag[4] else "")


def this_python() -> str:
    gil = " without the GIL" if "t" in sys.abiflags else ""
    return f"{platform.python_implementation()} {sys.version_info[0]}.{sys.version_info[1]}{gil}"


def machine_of(path: str) -> str:
    """The kind of CPU that an ELF file is for."""
    with open(path, "rb") as f:
        header = f.read(20)
    order = "big" if header[5:6] == b"\2" else "little"
    number = int.from_bytes(header[18:20], order)
    return MACHINES.get(number, f"another CPU (ELF machine {number})") if header[:4] == b"\x7fELF" else "no CPU"


def require_memory() -> None:
    """Raises MemoryError where the extension would not fit: its start-up code and nanobind's end the process instead."""
    try:
        mmap.mmap(-1, NEEDED, prot=mmap.PROT_READ).close()
    except OSError as error:
        raise MemoryError(f"reel: import reel needs {NEEDED >> 20} MiB of address space; see ulimit -v") from error


def load(package: str) -> None:
    """Imports package._core; its type stubs are in a folder of that name beside it."""
    spec = find_spec(package + "._core")
    path = spec.origin if spec is not None else None
    folder = os.path.dirname(__file__)
    if path is None:
        others = sorted(n for n in os.listdir(folder) if n.startswith("_core.") and n.endswith(".so"))
        raise ImportError(
            f"reel: no extension reel._core for this Python, {this_python()}: "
            + ("; ".join(f"there is {n}, for {made_for(n)}" for n in others) or "it is not built")
            + f". {HELP}"
        )
    if path.endswith(".abi3.so") and sys.version_info < (3, 12):
        raise ImportError(f"reel: {path} is for {made_for(path)}, this is {this_python()}. {HELP}")
    require_memory()
    try:
        core = import_module(package + "._core")
    except ImportError as error:
        if machine_of(path) != platform.machine():
            raise ImportError(
                f"reel: {path} is for {machine_of(path)}, this machine is {platform.machine()}. {HELP}"
            ) from error
        raise ImportError(f"reel: the extension cannot be loaded: {error}. {HELP}") from error
    if not core._runs_compiled_code():
        warnings.warn(
            "reel: this CPU is older than x86-64-v2, the lowest level that Reel has code for: no op will run here",
            RuntimeWarning,
            stacklevel=3,
        )
