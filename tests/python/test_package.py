"""The package as such: import, type stubs, docstrings."""

import ast
import graphlib
import importlib.util
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

import reel

FOLDER = pathlib.Path(reel.__file__).parent
MODULES = ["", "data", "fft", "linalg", "nn", "optim", "random"]


def stub(module):
    return ast.parse((FOLDER / "_core" / f"{module or '__init__'}.pyi").read_text())


def core(module):
    return getattr(reel._core, module) if module else reel._core


@pytest.mark.parametrize("module", MODULES)
def test_stubs_name_everything(module):
    named = set()
    for node in stub(module).body:
        named |= {getattr(node, "name", "")} | {a.asname for a in getattr(node, "names", [])}
        named |= {t.id for t in [getattr(node, "target", None)] if isinstance(t, ast.Name)}
    public = {n for n in vars(core(module)) if not n.startswith("_")}
    assert public <= named, public - named
    assert (FOLDER / "py.typed").exists()


@pytest.mark.parametrize("module", MODULES)
def test_everything_has_a_docstring(module):
    missing = [
        n
        for n, v in vars(core(module)).items()
        if not n.startswith("_") and callable(v) and not (getattr(v, "__doc__", "") or "").strip()
    ]
    assert not missing


def test_operators_in_stubs_are_typed():
    (tensor,) = [n for n in stub("").body if isinstance(n, ast.ClassDef) and n.name == "Tensor"]
    methods = {n.name: ast.unparse(n.returns) for n in tensor.body if isinstance(n, ast.FunctionDef) and n.returns}
    for name in ("__add__", "__rmatmul__", "__eq__", "__neg__", "__getitem__", "__pow__"):
        assert methods[name] == "Tensor"
    assert methods["__len__"] == "builtins.int"


def test_import_needs_no_numpy():
    code = (
        "import sys, reel; x = reel.asarray([1.0, 2.0]) * 2; assert x.tolist() if 0 else x[1].item() == 4; print(x);"
        "assert 'numpy' not in sys.modules, 'numpy was imported'"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout == "[2. 4.]\n", run.stderr


def test_error_classes():
    for name, value in vars(reel).items():
        if isinstance(value, type) and issubclass(value, reel.Error) and value is not reel.Error:
            assert issubclass(value, (ValueError, TypeError, RuntimeError, LookupError)), name
            assert value.__module__ == "reel" and value.code


def test_lines_point_outside_of_the_package():
    class Model(reel.nn.Module):
        def __call__(self, x):
            return reel.linalg.vector_norm(x, ord=3) + reel.ones((2,)) @ reel.ones((3,))  # this line

    with pytest.raises(reel.Error) as e:
        Model()(reel.ones((2,)))
    line = next(i for i, text in enumerate(pathlib.Path(__file__).read_text().split("\n"), 1) if "# this line" in text)
    assert f"test_package.py:{line}" in str(e.value)


def python_modules():
    """The files of the package, by the names of their modules."""
    out = {}
    for path in FOLDER.rglob("*.py"):
        if path.is_file():  # no link to a file that has moved
            parts = ("reel", *path.relative_to(FOLDER).with_suffix("").parts)
            out[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return out


# Imports in functions that close a circle on purpose: what is loaded late because few programs use it, or because a class
# needs at run time what is made of it. The list may only get shorter.
LATE = {
    "reel.tf._callbacks": {"compat.v1"},
    "reel.tf._graph": {"_session"},
    "reel.tf._graph_probe": {"_variable"},
    "reel.tf._module": {"_checkpoint"},
    "reel.tf._nn_activations": {"random"},
    "reel.tf._scopes": {"compat.v1"},
    "reel.tf.compat.v1._functions": {"nn", "image", "debugging"},
    "reel.tf.compat.v1._variables": {"_graph"},
    "reel.tf.compat.v1.initializers": {"compat.v1._functions", "compat.v1._variables"},
    "reel.tf.data._dataset": {"data._sources", "data._nodes"},
    "reel.tf.data._elements": {"data._dataset"},
    "reel.tf.keras._layer": {"keras.initializers", "keras._symbolic"},
    "reel.tf.keras._serialize": {"keras.backend"},
    "reel.tf.keras._specs": {"keras.metrics", "keras.regularizers", "keras.constraints"},
    "reel.tf.keras._symbolic": {"keras.layers", "keras._layer"},
    "reel.tf.keras.backend": {"keras._symbolic"},
    "reel.tf.keras.layers._basic": {"keras.regularizers"},
    "reel.tf.keras.layers._cells": {"keras.layers._noise"},
    "reel.tf.keras.layers._normalization": {"keras.initializers"},
    "reel.tf.keras.optimizers._scale": {"keras.optimizers"},
}


def imported(module, path, modules):
    """The modules of the package that a module names in imports, in functions too; not those for types alone."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    tree = ast.parse(path.read_text())
    for_types = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for statement in block.body
        for node in ast.walk(statement)
    }
    out = set()
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            out |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join(base + ([node.module] if node.module else []))
            out |= {
                f"{source}.{a.name}" if f"{source}.{a.name}" in {*modules, "reel._core"} else source for a in node.names
            }
    return (out & set(modules)) - {module}


def test_no_circles_of_imports():
    modules = python_modules()
    assert {"reel", "reel.tf", "reel.tf._tensor", "reel.tf.compat.v1"} <= set(modules)
    graph = {m: imported(m, path, modules) for m, path in modules.items()}
    assert graph["reel.tf._slices"] >= {"reel.tf._tensor", "reel.tf._shape"}
    for module, late in LATE.items():
        late = {f"reel.tf.{name}" for name in late}
        assert late <= graph[module], f"take {sorted(late - graph[module])} of {module} out of LATE"
        graph[module] -= late
    graphlib.TopologicalSorter(graph).prepare()  # names a circle, if there is one


def test_version_1_changes_no_module():
    code = """
import sys
import sysconfig
from reel.tf import square
before = {name: dict(vars(m)) for name, m in sys.modules.items() if name.startswith("reel")}
import reel.tf.compat.v1 as v1
with v1.Graph().as_default(), v1.Session() as session:
    x = v1.placeholder("float32", [])
    gradient, = v1.gradients(square(x), [x])  # a name from before
    assert session.run(gradient, {x: 3.0}) == 6.0
changed = [f"{m}.{n}" for m, names in before.items() for n, value in names.items()
           if vars(sys.modules[m])[n] is not value]
assert not changed, changed
assert square(3.0).numpy() == 9.0
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


# Modules that users get by functions of others, which say when PyTorch or JAX is not installed.
NEED_TORCH = {
    f"reel.torch.{name}" for name in ("_compile", "_decompose", "_fx", "_import", "_joint", "_recorded", "_recurrent")
}
NEED_JAX = {"reel.jax._import"}


def test_each_module_can_be_the_first():
    modules = set(python_modules())
    assert modules >= NEED_TORCH | NEED_JAX
    if importlib.util.find_spec("torch") is None:
        modules -= NEED_TORCH
    if importlib.util.find_spec("jax") is None:
        modules -= NEED_JAX
    code = """
import os, sys
for module in sys.argv[1:]:
    child = os.fork()  # of an interpreter that has imported nothing
    if child == 0:
        __import__(module)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(module)
"""
    run = subprocess.run([sys.executable, "-c", code, *sorted(modules)], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout == "", run.stdout + run.stderr


def elf_header(machine):
    return b"\x7fELF\2\1\1" + bytes(9) + (3).to_bytes(2, "little") + machine.to_bytes(2, "little") + bytes(44)


THIS_PYTHON = f"CPython {sys.version_info[0]}.{sys.version_info[1]}"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
OTHERS = {  # what is there: (the file, what the error says)
    "nothing": (None, f"for this Python, {THIS_PYTHON}: it is not built."),
    "stubs": (None, f"for this Python, {THIS_PYTHON}: it is not built."),
    "another Python's": ("_core.cpython-37m-x86_64-linux-gnu.so", "linux-gnu.so, for CPython 3.7."),
    "a threaded Python's": (
        "_core.cpython-313t-x86_64-linux-gnu.so",
        "linux-gnu.so, for CPython 3.13 without the GIL.",
    ),
    "newer Pythons'": ("_core.abi3.so", f"_core.abi3.so is for CPython 3.12 or newer, this is {THIS_PYTHON}."),
    "another CPU's": ("_core" + SUFFIX, f"{SUFFIX} is for riscv64, this machine is {platform.machine()}."),
}


@pytest.mark.parametrize("there", OTHERS)
def test_import_without_a_fitting_extension_says_what_to_do(tmp_path, there):
    file, said = OTHERS[there]
    if file == "_core.abi3.so" and sys.version_info >= (3, 12):
        pytest.skip("it would fit")
    shutil.copytree(
        FOLDER,
        tmp_path / "reel",
        ignore=shutil.ignore_patterns("*.so", "_core", "__pycache__", "lib"),
        ignore_dangling_symlinks=True,
    )
    if there != "nothing":
        shutil.copytree(FOLDER / "_core", tmp_path / "reel" / "_core")
    if file:
        (tmp_path / "reel" / file).write_bytes(elf_header(243))
    run = subprocess.run(
        [sys.executable, "-c", "import reel"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert run.returncode == 1
    message = run.stderr.strip().splitlines()[-1]
    assert message.startswith("ImportError: reel: ") and "third_party/setup build" in message, run.stderr
    assert said in message


@pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="no qemu-user")
@pytest.mark.parametrize("cpu, said", [("core2duo", "this CPU is older than x86-64-v2"), ("Nehalem", "")])
def test_an_old_cpu_is_named_at_import(cpu, said):
    run = subprocess.run(
        ["qemu-x86_64", "-cpu", cpu, sys.executable, "-c", "import reel"], capture_output=True, text=True
    )
    assert run.returncode == 0 and said in run.stderr and bool(said) == bool(run.stderr), run.stderr


@pytest.mark.parametrize("readme", ["README.md", "frontend/python/README.md"])
def test_readme(readme, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # for the files they write
    text = (pathlib.Path(__file__).parents[2] / readme).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, readme, "exec"), {})
