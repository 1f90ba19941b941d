"""Makes wheels that run where no library of the package is installed, and the sdist: `third_party/setup wheel`.

usage: wheel.py BUILD PYTHON...     they go to BUILD/dist

The libraries are compiled once, in build-wheel, and the extension for each Python. LLVM's code is linked in. auditwheel
puts the other libraries into the wheel; their symbols get names of their own, so that neither these libraries nor those
of other packages (torch, tensorflow, onnx, ...) in the process can be taken for each other.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import tomllib
from auditwheel.wheeltools import InWheel

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BIN = pathlib.Path(sys.executable).parent  # auditwheel and patchelf are there
# As the main build calls the compiler: ccache has what that compiled.
ENVIRONMENT = {**os.environ, "CC": "/usr/bin/cc", "CXX": "/usr/bin/c++", "PATH": f"{BIN}:{os.environ['PATH']}"}
LLVM = os.environ.get("REEL_LLVM_VERSION", "19")
NOT_IN_SDIST = ("tests/", ".github/", ".ci/")


def run(*command, **options):
    done = subprocess.run(
        [str(x) for x in command],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-8000:]}")
    return done.stdout


def make_venv(build, python):
    """Its Python: one with what pyproject.toml needs to build."""
    tag = run(python, "-c", "import sys; print('cp%d%d' % sys.version_info[:2])").strip()
    folder = build / f"venv-{tag}"
    if not (folder / "done").exists():
        requires = tomllib.loads((HERE / "pyproject.toml").read_text())["build-system"]["requires"]
        run(python, "-m", "venv", "--clear", folder)
        run(folder / "bin/pip", "install", "-q", "--disable-pip-version-check", *requires)
        (folder / "done").touch()
    return folder / "bin/python3"


def symbols(library, *options):
    """Names of dynamic symbols, with their versions."""
    return {line.split()[-1] for line in run("nm", "-D", *options, library).splitlines() if len(line.split()) > 1}


def hide_symbols(bundled, everything):
    """Names without a version that the bundled libraries define get a prefix, where they are defined and where used."""
    defined = set().union(*(symbols(x, "--defined-only") for x in bundled))
    versioned = {name.split("@")[0] for x in everything for name in symbols(x) if "@" in name}
    ours = {n for n in defined if "@" not in n and re.match(r"_Z|[a-zA-Z]", n)} - versioned
    table = bundled[0].parent / "names"
    table.write_text("".join(f"{name} reel_{name}\n" for name in sorted(ours)))
    for library in everything:
        run("patchelf", "--rename-dynamic-symbols", table, library)
    table.unlink()


def add_licences(bundled, info):
    """Debian's copyright files of the libraries in the wheel."""
    files = ["*/" + re.sub(r"-[0-9a-f]{8}(?=\.so)", "", x.name) for x in bundled]
    packages = {line.split(":")[0] for line in run("dpkg-query", "-S", *files).splitlines()}
    for package in sorted(packages | {f"llvm-{LLVM}-dev"}):
        folder = info / "licenses" / package
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(f"/usr/share/doc/{package}/copyright", folder)


def repair(raw, dist):
    """The wheel with its libraries inside, in dist."""
    work = raw.parent / "repaired"
    shutil.rmtree(work, ignore_errors=True)
    run("auditwheel", "repair", "-w", work, raw)
    wheel = next(work.glob("*.whl"))
    with InWheel(wheel, dist / wheel.name) as folder:
        everything = [x for x in pathlib.Path(folder).rglob("*.so*") if x.is_file()]
        bundled = [x for x in everything if x.parent.name == "reel.libs"]
        hide_symbols(bundled, everything)
        add_licences(bundled, next(pathlib.Path(folder).glob("*.dist-info")))
    return dist / wheel.name


def make_wheel(build, dist, python):
    raw = build / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    defines = {"REEL_STATIC_LLVM": "ON", "REEL_LLVM_VERSION": LLVM}
    settings = [f"--config-settings=cmake.define.{name}={value}" for name, value in defines.items()]
    options = "-m pip wheel -v --no-deps --no-build-isolation -w".split()
    run(make_venv(build, python), *options, raw, *settings, HERE)
    return repair(next(raw.glob("*.whl")), dist)


def make_sdist(build, dist):
    """pyproject.toml goes to the top: an sdist has only what is below it."""
    stage = build / "sdist"
    shutil.rmtree(stage, ignore_errors=True)
    for name in run("git", "-C", ROOT, "ls-files", "-z").split("\0"):
        if name and not name.startswith(NOT_IN_SDIST):
            (stage / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, stage / name)
    project = (stage / "frontend/python/pyproject.toml").read_text()
    project = project.replace('"../../', '"').replace('"../.."', '"."')
    project = project.replace('"README.md"', '"frontend/python/README.md"').replace(
        '["reel"]', '["frontend/python/reel"]'
    )
    (stage / "pyproject.toml").write_text(project)
    code = "import sys, scikit_build_core.build as b; print(b.build_sdist(sys.argv[1]))"
    name = run(make_venv(build, sys.executable), "-c", code, dist, cwd=stage).split()[-1]
    return dist / name


def fitting_wheel(dist, python):
    """One of the stable ABI that is already there, for a Python that takes it."""
    takes = run(python, "-c", "import sys; print(sys.version_info >= (3, 12))").strip() == "True"
    return next(dist.glob("*-abi3-*.whl"), None) if takes else None


def say(path):
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 2**20:.1f} MB", flush=True)


def test(*options):
    command = [sys.executable, "-B", ROOT / "tests/install/wheel_test.py", *options]
    if subprocess.run(command, env=ENVIRONMENT).returncode:
        sys.exit(1)


def main(build, *pythons):
    build = pathlib.Path(build).resolve()
    dist = build / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    wheels = {}
    for python in pythons:
        wheel = fitting_wheel(dist, python) or make_wheel(build, dist, python)
        say(wheel)
        wheels[python] = wheel
    for python, wheel in wheels.items():
        print(python, flush=True)
        test("--wheel", wheel, "--auditwheel", BIN / "auditwheel", "--python", python)
    sdist = make_sdist(build, dist)
    say(sdist)
    test("--sdist", sdist, "--python", sys.executable)


if __name__ == "__main__":
    main(*sys.argv[1:])
