"""Docstrings: everything public has one, their >>> examples run, and names that pages mention exist."""

import doctest
import importlib
import inspect
import pathlib
import re

import pytest

import reel

ROOT = pathlib.Path(__file__).parents[2]
OWN = "reel reel.fft reel.linalg reel.nn reel.optim reel.random reel.data reel.callbacks reel.stablehlo reel.tensorflow".split()
MODULES = [*OWN, "reel.tfe", "reel.tf", "reel.tf.keras"]
PAGES = sorted((ROOT / "frontend/docs").glob("*.md")) + [
    ROOT / p for p in ("README.md", "frontend/GRADIENTS.md", "frontend/DEBUGGING.md", "frontend/python/README.md")
]


def members(module):
    """(name, object) of the public names of a module, and of the public members of its classes."""
    for name, value in vars(module).items():
        if name.startswith("_") or not callable(value) or getattr(value, "__module__", "").split(".")[0] != "reel":
            continue
        yield f"{module.__name__}.{name}", value
        if not isinstance(value, type):
            continue
        bases = [c for c in value.__mro__ if c.__module__.split(".")[0] == "reel"]
        for member in sorted({n for c in bases for n in vars(c) if not n.startswith("_")}):
            things = [vars(c)[member] for c in bases if member in vars(c)]
            if callable(things[0]) or isinstance(things[0], property):  # what it overrides may have said what it is
                yield f"{module.__name__}.{name}.{member}", next((t for t in things if t.__doc__), things[0])


EXAMPLES = {n: f.__doc__ for m in MODULES for n, f in members(importlib.import_module(m)) if ">>>" in (f.__doc__ or "")}


@pytest.mark.parametrize("module", OWN)
def test_members_have_docstrings(module):
    """Functions and classes are test_types.py's; here their members, too."""
    inherited = set(dir(BaseException)) | set(dir(tuple))
    missing = []
    for name, value in members(importlib.import_module(module)):
        text = (value.__doc__ or "").strip()
        if hasattr(value, "__nb_signature__") and not isinstance(value, type):
            text = text.partition("\n\n")[2]  # after the signature
        made = text.startswith(f"{name.rpartition('.')[2]}(")  # a NamedTuple's own
        if (not text or made) and name.rpartition(".")[2] not in inherited:
            missing.append(name)
    assert not missing


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_run(name):
    """With `reel` and `np` there, a seed that is set, and arrays as NumPy prints them."""
    reel.random.seed(0)
    names = {"reel": reel, "np": pytest.importorskip("numpy")}
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], names, name, None, 0)
    said = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    assert not said, "".join(said)


def test_there_are_examples():
    assert len(EXAMPLES) >= 40


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_names_on_pages_exist(page):
    """`reel.nn.Dense` in code, whatever follows it; files that end in .reel are none."""
    code = re.findall(r"```(?:python|sh)\n.*?```|`[^`\n]+`", page.read_text(), re.DOTALL)
    for name in {n for c in code for n in re.findall(r"(?<![\w./@-])reel(?:\.[A-Za-z_]\w*)+", c)}:
        parts = name.split(".")
        if parts[-1] in ("txt", "h", "cc", "o"):
            continue
        value = reel
        for i, part in enumerate(parts[1:], 2):
            if not hasattr(value, part) and inspect.ismodule(value):
                importlib.import_module(".".join(parts[:i]))  # ModuleNotFoundError, naming what the page says
            value = getattr(value, part)
