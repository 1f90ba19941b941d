"""What type checkers and editors see of the package: mypy, completion by jedi, signatures and docstrings."""

import ast
import importlib
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import reel
import reel.tf as tf

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = pathlib.Path(reel.__file__).parent
EXAMPLES = sorted((ROOT / "frontend/python/examples").glob("*.py"))
TYPED = sorted((ROOT / "tests/python/typed").glob("*.py"))
DOCUMENTS = ["README.md", "frontend/python/README.md", "frontend/python/FROM_TENSORFLOW.md", "frontend/GRADIENTS.md"]
DOCUMENTS += sorted(str(p.relative_to(ROOT)) for p in (ROOT / "frontend/docs").glob("*.md"))
MODULES = """reel reel.callbacks reel.data reel.fft reel.linalg reel.nn reel.onnx reel.optim reel.random reel.typing
    reel.autograph reel.tfe reel.tf
    reel.tf.autodiff reel.tf.autograph reel.tf.debugging reel.tf.linalg reel.tf.math reel.tf.nest reel.tf.nn
    reel.tf.random reel.tf.keras reel.tf.keras.activations reel.tf.keras.initializers reel.tf.keras.layers
    reel.tf.keras.losses reel.tf.keras.metrics reel.tf.keras.models reel.tf.keras.optimizers reel.tf.compat.v1
    reel.tf.keras.constraints reel.tf.keras.regularizers reel.tf.keras.optimizers.schedules reel.tf.summary""".split()


# --- checkers ---


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def checked(cache, files, *options):
    """What mypy says about files, with the package as an installed one: from a folder without its sources."""
    pytest.importorskip("mypy")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), *options, *map(str, files)],
        cwd=cache,
        env={**os.environ, "PYTHONPATH": str(FOLDER.parent), "MYPYPATH": ""},
        capture_output=True,
        text=True,
    )
    return run.stdout + run.stderr


def test_examples_pass_strict_checks(cache):
    assert len(EXAMPLES) >= 3
    assert checked(cache, EXAMPLES).startswith("Success")


def test_users_see_these_types(cache):
    assert len(TYPED) == 3
    assert checked(cache, TYPED).startswith("Success")


UNTYPED = ["--allow-untyped-defs", "--allow-incomplete-defs", "--allow-untyped-calls"]


def test_code_without_annotations_passes(cache, tmp_path):
    files = []
    for document in DOCUMENTS:
        for block in re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL):
            files.append(tmp_path / f"block_{len(files)}.py")
            files[-1].write_text(f"# of {document}\n{block}")
    assert len(files) > 8
    assert checked(cache, files, *UNTYPED).startswith("Success")


def test_a_name_that_is_not_there_is_an_error(cache, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import reel\nimport reel.tf as tf\nreel.sun\ntf.sine\nreel.nn.Dens\ntf.ints\nreel.DTypeLike\n")
    found = checked(cache, [wrong])
    assert [int(n) for n in re.findall(r"wrong.py:(\d+): error: .*attr-defined", found)] == [3, 4, 5, 6, 7], found


@pytest.mark.parametrize("checker", ["basedpyright", "pyright"])
def test_pyright_agrees(checker, tmp_path):
    program = shutil.which(checker) or shutil.which(checker, path=os.path.dirname(sys.executable))
    if program is None:
        pytest.skip(f"no {checker}")
    files = ", ".join(f'"{f}"' for f in EXAMPLES + TYPED)
    (tmp_path / "pyrightconfig.json").write_text(
        f'{{"typeCheckingMode": "standard", "extraPaths": ["{FOLDER.parent}"], "include": [{files}]}}'
    )
    run = subprocess.run([program, "-p", str(tmp_path)], capture_output=True, text=True)
    assert re.search(r"^0 errors", run.stdout, re.MULTILINE), run.stdout


# --- what the files say ---


def functions_of(path):
    """(name, node) of the functions and methods that users can name; of overloads the last, which runs."""

    def visit(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield from visit(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield prefix + node.name, node

    return visit(ast.parse(path.read_text()).body, "")


# Files whose public names are for the package itself.
INTERNAL = {"_calls.py", "_keep.py", "_pickle.py", "tf/_autograph_convert.py", "tf/_autograph_rewrite.py"}
INTERNAL |= {"tf/_autograph_runtime.py", "tf/_graph.py", "tf/_range.py"}


def test_all_public_functions_are_annotated():
    missing = []
    for path in sorted(FOLDER.rglob("*.py")):
        name = path.relative_to(FOLDER).as_posix()
        if name in INTERNAL or not path.is_file():
            continue
        for function, node in functions_of(path):
            arguments = node.args
            named = [
                a for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs if a.arg not in ("self", "cls")
            ]
            starred = [a for a in (arguments.vararg, arguments.kwarg) if a]
            if node.returns is None or any(a.annotation is None for a in named + starred):
                missing.append(f"{name}: {function}")
    assert not missing


def test_lists_of_names_are_complete():
    """`__all__` is written out, for checkers; it has what the module defines."""
    from reel import _array_api
    from reel.tf import _array, _gather, _norms, _parts, _space, dtypes

    assert {n for n in vars(_array_api) if not n.startswith("_")} == {n for n in _array_api.__all__ if n[0] != "_"}
    families = (_array, _gather, _norms, _parts, _space)
    defined = {n for m in families for n, f in vars(m).items() if getattr(f, "__module__", "") == m.__name__}
    elsewhere = {"print_v2", "same_dtype", "patches", "l2_normalize", "normalize"}
    assert {n for n in defined if not n.startswith("_")} - elsewhere == set(_array.__all__)
    assert set(dtypes.__all__) == {*dtypes.BY_NAME, "half", "double", "string"}
    assert {n for n in vars(reel._core.linalg) if not n.startswith("_")} <= set(vars(reel.linalg))


def test_types_cost_nothing_at_run_time():
    code = "import sys, reel, reel.tf; print([m for m in sys.modules if m in ('reel.typing', 'reel.tf._signatures')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "[]\n", run.stderr


# --- what help and editors ask ---


WITHOUT_CONSTRUCTOR = type(reel.Tensor.__init__)  # what classes inherit that no user calls


def extension_function(x):
    return type(x) is type(reel.sum)  # nanobind keeps its signature in the docstring, and in the stubs


@pytest.mark.parametrize("module", MODULES)
def test_names_have_docstrings_and_signatures(module):
    found = importlib.import_module(module)
    names = [n for n in dir(found) if not n.startswith("_")]
    assert names
    for name in names:
        value = getattr(found, name)
        if not callable(value) or getattr(value, "__module__", "").startswith(("typing", "collections")):
            continue
        assert (value.__doc__ or "").strip(), name
        if extension_function(value):
            assert value.__doc__.startswith(f"{value.__name__}("), name
        elif not isinstance(value, type) or not isinstance(value.__init__, WITHOUT_CONSTRUCTOR):
            inspect.signature(value)  # ValueError if it has none


def test_signatures_of_classes():
    assert list(inspect.signature(reel.nn.Dense).parameters)[:3] == ["units", "activation", "inputs"]
    assert inspect.signature(reel.optim.Adam).parameters["beta_1"].default == 0.9
    assert inspect.signature(reel.GradientTape).parameters["persistent"].default is False

    class Own(reel.nn.Module):
        def __init__(self, units):
            pass

    class Layer(reel.nn.Dense):
        def __init__(self, size):
            super().__init__(size)

    assert list(inspect.signature(Own).parameters) == ["units"]
    assert list(inspect.signature(Layer).parameters) == ["size"]
    assert not hasattr(reel.nn.Dense(3), "__signature__")


@reel.function
def step(x, rate=0.1):
    """One step."""
    return x * rate


NAMES = {"reel": reel, "tf": tf, "tape": reel.GradientTape(), "step": step, "w": reel.Variable([1.0])}


@pytest.mark.parametrize(
    "code, wanted",
    [
        ("reel.nn.De", "Dense DepthwiseConv2D"),
        ("reel.fu", "full full_like function"),
        ("tape.gr", "gradient"),
        ("step.", "get_graph python_function input_signature"),
        ("w.assi", "assign assign_add assign_sub"),
        ("reel.linalg.sv", "svd svdvals"),
        ("tf.reduce_su", "reduce_sum"),
        ("tf.nn.re", "relu relu6"),
        ("tf.keras.layers.De", "Dense"),
    ],
)
def test_completion_in_a_notebook(code, wanted):
    jedi = pytest.importorskip("jedi")
    found = {c.name for c in jedi.Interpreter(code, [NAMES]).complete()}
    assert set(wanted.split()) <= found


@pytest.mark.parametrize(
    "code, parameters",
    [
        ("step(", "x rate"),
        ("reel.sum(", "x axis dtype keepdims"),
        ("reel.nn.Dense(", "units activation inputs"),
        ("tf.reduce_sum(", "input_tensor axis keepdims"),
        ("tf.sin(", "x name"),
    ],
)
def test_signatures_in_a_notebook(code, parameters):
    jedi = pytest.importorskip("jedi")
    (signature, *_) = jedi.Interpreter(code, [NAMES]).get_signatures()
    text = signature.to_string().partition("(")[2]
    assert re.findall(r"(?:^|, )(\w+)(?=[:=,)])", text)[: len(parameters.split())] == parameters.split(), text


@pytest.mark.parametrize(
    "code, wanted",
    [
        ("reel.nn.De", "Dense"),
        ("reel.GradientTape().gr", "gradient"),
        ("reel.sum(1).resh", "reshape"),
        ("import reel.tf as tf\ntf.reduce_su", "reduce_sum"),
        ("import reel.tf as tf\ntf.sin(1).nump", "numpy"),
    ],
)
def test_completion_in_an_editor(code, wanted):
    jedi = pytest.importorskip("jedi")
    project = jedi.Project(str(FOLDER.parent), added_sys_path=[str(FOLDER.parent)])
    assert wanted in {c.name for c in jedi.Script(f"import reel\n{code}", project=project).complete()}
