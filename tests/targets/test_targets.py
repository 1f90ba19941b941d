"""Objects for other machines: the demo's training program, cross-compiled and run in an emulator, gives x86's bits.

A row whose tools are missing is skipped by name: `third_party/setup interop` installs them all.
"""

import ctypes
import json
import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import wasm

from conftest import REEL

MODELS = {"mnist": "mnist", "conv": "mnist_conv", "char": "shakespeare"}


@dataclass
class Row:
    """A target: how C is compiled for it and run here, the level whose bits it has, what vector code looks like."""

    target: str
    os: str
    compiler: str
    run: list[str]
    like: str
    vector: str

    def __str__(self):
        return f"{self.target}-{self.os}"


FUSED, APART = "x86-64-v3", "x86-64-v2"  # multiplications and additions: rounded once, or twice
WINE = shutil.which("wine64", path="/usr/bin:/usr/lib/wine") or "wine64"
ROWS = [
    Row("x86-64-v2", "linux", "cc", [], APART, r"mulps\s+.*xmm"),
    Row("x86-64-v3", "linux", "cc", [], FUSED, r"vfmadd\w+ps\s+.*ymm"),
    Row("x86-64-v4", "linux", "cc", [], FUSED, r"vfmadd\w+ps\s+.*zmm"),
    Row("x86-64-v4-amx-emulated", "linux", "cc", [], FUSED, r"vfmadd\w+ps\s+.*zmm"),
    Row("x86-64-v4-amx", "linux", "cc", [], FUSED, r"vfmadd\w+ps\s+.*zmm"),
    Row("x86-64-v3", "none", "cc", [], FUSED, r"vfmadd\w+ps\s+.*ymm"),
    Row("x86-64-v3", "windows", "x86_64-w64-mingw32-gcc", [WINE], FUSED, r"vfmadd\w+ps\s+.*ymm"),
    Row(
        "aarch64",
        "linux",
        "aarch64-linux-gnu-gcc",
        ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
        FUSED,
        r"fmla\s+v\d+\.4s",
    ),
    Row(
        "riscv64",
        "linux",
        "riscv64-linux-gnu-gcc",
        ["qemu-riscv64", "-cpu", "rv64,v=true,vext_spec=v1.0,vlen=128", "-L", "/usr/riscv64-linux-gnu"],
        FUSED,
        r"vfm(acc|add)\.v",
    ),
]
OTHER_SYSTEMS = [
    ("x86-64-v3", "macos"),
    ("aarch64", "macos"),
    ("aarch64", "windows"),
    ("aarch64", "none"),
    ("riscv64", "none"),
    ("wasm32", "none"),
]
UNDEFINED = {
    "linux": {"memcpy", "memmove", "memset"},
    "windows": {"memcpy", "memmove", "memset", "___chkstk_ms", "__chkstk"},
    "macos": {"_memcpy", "_memmove", "_memset", "___bzero", "_bzero"},
    "none": {"__indirect_function_table", "__stack_pointer"},  # of WebAssembly's linker
}


def tool(name: str) -> str:
    """The path of a program, LLVM's of any version; skips the test where there is none."""
    for candidate in (name, f"{name}-19", f"{name}-22"):
        if found := shutil.which(candidate):
            return found
    pytest.skip(f"{name} is not installed: third_party/setup interop")


def compile_object(demo: Path, name: str, target: str, system: str, to: Path, emit: str = "obj,header") -> Path:
    subprocess.run(
        [REEL, "compile", demo / f"{name}.reel", "-o", to / name, "--target", target, "--os", system, "--emit", emit],
        check=True,
        capture_output=True,
    )
    return to / f"{name}.o"


def run_program(row: Row, to: Path, source: Path, name: str, *arguments: str):
    """Compiles the program with the object in `to`, and runs it there."""
    compiler, runner = tool(row.compiler), [tool(row.run[0]), *row.run[1:]] if row.run else []
    subprocess.run([compiler, "-O1", f"-I{to}", source, f"{name}.o", "-o", "program.exe"], cwd=to, check=True)
    run = subprocess.run(
        [*runner, "./program.exe", *arguments],
        cwd=to,
        capture_output=True,
        text=True,
        env={"WINEDEBUG": "-all", "WINEPREFIX": str(to / "wine"), "HOME": str(to), "PATH": "/usr/bin:/bin"},
    )
    if "features that this machine lacks" in run.stderr:
        pytest.skip(f"this machine lacks {row.target}")
    assert run.returncode == 0, run.stderr


def train(row: Row, demo: Path, name: str, to: Path) -> bytes:
    """The variables after the demo's program has trained them."""
    compile_object(demo, name, row.target, row.os, to)
    shutil.copy(demo / f"{name}.data", to)
    run_program(row, to, demo / "main.c", name, f"{name}.data", "variables")
    return (to / "variables").read_bytes()


@pytest.fixture(scope="session")
def expected(demo, tmp_path_factory):
    """The variables of a level of this machine, by model and level."""
    known = {}

    def variables(model: str, level: str) -> bytes:
        if (model, level) not in known:
            row = next(r for r in ROWS if r.target == level)
            name = MODELS[model]
            known[model, level] = train(row, demo(model, name), name, tmp_path_factory.mktemp(level))
        return known[model, level]

    return variables


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_same_bits(row, demo, expected, tmp_path):
    name = MODELS["mnist"]
    assert train(row, demo("mnist", name), name, tmp_path) == expected("mnist", row.like)


@pytest.mark.parametrize("model", ["mnist", "conv"])
def test_webassembly_has_the_bits_of_v2(model, demo, expected, tmp_path):
    pytest.importorskip("wasmtime", reason="wasmtime is not installed: pip install wasmtime")
    linker, name = tool("wasm-ld"), MODELS[model]
    folder = demo(model, name)
    compile_object(folder, name, "wasm32", "none", tmp_path)
    assert wasm.train(linker, tmp_path, name, folder) == expected(model, APART)


QEMU_CPUS = {"Nehalem": APART, "Haswell": FUSED}  # what an object for several levels chooses there


@pytest.mark.parametrize("cpu", QEMU_CPUS)
def test_an_object_for_several_levels_chooses(cpu, demo, expected, tmp_path):
    name = MODELS["mnist"]
    row = Row("v4,v2,v3", "linux", "cc", ["qemu-x86_64", "-cpu", cpu], QEMU_CPUS[cpu], "")
    assert train(row, demo("mnist", name), name, tmp_path) == expected("mnist", row.like)


@pytest.fixture(scope="session")
def weights(demo, tmp_path_factory):
    """A file of other values for the demo's variables, in another order and with metadata, and what is saved then."""
    name, to = MODELS["mnist"], tmp_path_factory.mktemp("weights")
    compile_object(demo("mnist", name), name, "x86-64-v2", "linux", to, "so")
    library = ctypes.CDLL(str(to / f"{name}.so"))
    library.mnist_size.restype = library.mnist_save_size.restype = ctypes.c_size_t
    library.mnist_init.restype = ctypes.c_void_p
    memory = ctypes.create_string_buffer(library.mnist_size() + 64)
    at = ctypes.c_void_p(-(-ctypes.addressof(memory) // 64) * 64)
    assert library.mnist_init(at, ctypes.c_size_t(library.mnist_size()), None)
    image = ctypes.create_string_buffer(library.mnist_save_size())
    assert library.mnist_save(at, image, ctypes.c_size_t(len(image))) == 0
    head = 8 + int.from_bytes(image.raw[:8], "little")
    entries = list(json.loads(image.raw[8:head]).items())
    text = json.dumps(dict([*reversed(entries), ("__metadata__", {"format": "pt"})])).encode()
    elements = random.Random(0).randbytes(len(image) - head)
    return len(text).to_bytes(8, "little") + text + elements, image.raw[:head] + elements


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_weights_are_loaded_and_saved(row, demo, weights, tmp_path):
    name, (file, saved) = MODELS["mnist"], weights
    compile_object(demo("mnist", name), name, row.target, row.os, tmp_path)
    (tmp_path / "file").write_bytes(file)
    run_program(row, tmp_path, Path(__file__).with_name("weights.c"), name, "file", "saved")
    assert (tmp_path / "saved").read_bytes() == saved


def test_webassembly_loads_and_saves_weights(demo, weights, tmp_path):
    pytest.importorskip("wasmtime", reason="wasmtime is not installed: pip install wasmtime")
    linker, name, (file, saved) = tool("wasm-ld"), MODELS["mnist"], weights
    compile_object(demo("mnist", name), name, "wasm32", "none", tmp_path)
    model = wasm.Model(linker, tmp_path, name)
    before = model.save()
    assert model.load(file[:-1]) == 18 and model.save() == before
    assert model.load(file) == 0 and model.save() == saved != before


def test_the_two_classes_of_rounding_differ(expected):
    assert expected("mnist", FUSED) != expected("mnist", APART)


@pytest.mark.parametrize("row", [*ROWS, Row("wasm32", "none", "", [], APART, r"f32x4\.mul")], ids=str)
def test_products_are_vector_code(row, demo, tmp_path):
    objdump, name = tool("llvm-objdump"), MODELS["mnist"]
    compiled = compile_object(demo("mnist", name), name, row.target, row.os, tmp_path)
    code = subprocess.run([objdump, "-d", "--mattr=+v,+simd128", compiled], capture_output=True, text=True).stdout
    assert len(re.findall(row.vector, code)) > 20


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("target", "system"), [*((r.target, r.os) for r in ROWS), *OTHER_SYSTEMS])
def test_nothing_else_is_undefined(target, system, model, demo, tmp_path):
    nm, name = tool("llvm-nm"), MODELS[model]
    compiled = compile_object(demo(model, name), name, target, system, tmp_path)
    names = subprocess.run(
        [nm, "--undefined-only", "--format=just-symbols", compiled], check=True, capture_output=True, text=True
    ).stdout.split()
    allowed = UNDEFINED[system] if target == "wasm32" or system != "none" else set()
    assert set(names) <= allowed


FORMATS = [("linux", "ELF"), ("windows", "COFF"), ("macos", "Mach-O")]


@pytest.mark.parametrize(("system", "format"), FORMATS)
def test_static_libraries_have_an_index(system, format, demo, tmp_path):
    nm, file = tool("llvm-nm"), demo("mnist", "mnist") / "mnist.reel"
    command = [REEL, "compile", file, "-o", tmp_path / "mnist", "--emit", "a", "--cpu", "v2,v3", "--os", system]
    subprocess.run(command, check=True, capture_output=True)
    text = subprocess.run(
        [nm, "--print-armap", tmp_path / "mnist.a"], check=True, capture_output=True, text=True
    ).stdout
    assert re.search(r"^_?mnist_train in mnist\.o$", text, re.MULTILINE), text
    assert (
        format.lower()
        in subprocess.run(
            [tool("llvm-readobj"), "--file-headers", tmp_path / "mnist.a"], check=True, capture_output=True, text=True
        ).stdout.lower()
    )


def test_a_target_without_the_system_is_an_error(demo, tmp_path):
    file = demo("mnist", "mnist") / "mnist.reel"
    run = subprocess.run(
        [REEL, "compile", file, "-o", tmp_path / "m", "--target", "riscv64", "--os", "macos"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert 'no objects of riscv64 for "macos"; the operating system is one of: linux, none' in run.stderr
    assert not list(tmp_path.iterdir())


def test_targets_are_listed():
    text = subprocess.run([REEL, "compile", "--targets"], check=True, capture_output=True, text=True).stdout
    assert "aarch64: linux, windows, macos, none\n" in text
    assert "wasm32: none\n" in text


def test_a_shared_library_for_another_machine_is_an_error(demo, tmp_path):
    file = demo("mnist", "mnist") / "mnist.reel"
    run = subprocess.run(
        [REEL, "compile", file, "-o", tmp_path / "m", "--target", "aarch64", "--emit", "so"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "a shared library for aarch64 on linux is linked by that system's compiler" in run.stderr
    assert not list(tmp_path.iterdir())
