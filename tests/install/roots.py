"""Wheels in roots that have a Python and nothing else of ours, by chroot: Debian 12, a newer Debian, and a bare one.

usage: roots.py DIST [--python PYTHON]... [--root ROOT]...     as root, with debootstrap

A bare root has the folders of Fedora (/usr/lib64), the PYTHON of this machine, and the C and C++ libraries that it needs.
Debian's are made unless there are ROOTs that were made before.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CXX = ("libstdc++.so.6", "libgcc_s.so.1")  # manylinux: these are everywhere


def run(*command, **options):
    done = subprocess.run(
        [str(x) for x in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def debian(root, suite):
    run("/usr/sbin/debootstrap", "--variant=minbase", "--include=python3,python3-venv", suite, root)


def bare(root, python):
    """The interpreter's own files, and what it and its modules are linked to, in /usr/lib64."""
    prefix = pathlib.Path(run(python, "-c", "import sys; print(sys.base_prefix)").strip())
    ignored = shutil.ignore_patterns("test", "__pycache__", "site-packages", "idlelib", "config-*", "share", "include")
    shutil.copytree(prefix, root / "usr/local", symlinks=True, ignore=ignored)
    lib = root / "usr/lib64"
    lib.mkdir(parents=True)
    for name in ("lib64", "lib"):
        (root / name).symlink_to("usr/lib64")
    for name in ("tmp", "etc", "dev", "proc"):
        (root / name).mkdir()
    files = [
        x for x in (root / "usr/local").rglob("*") if x.is_file() and (x.suffix == ".so" or x.parent.name == "bin")
    ]
    out = "".join(subprocess.run(["ldd", x], capture_output=True, text=True).stdout for x in files)
    paths = set(re.findall(r"(/\S+) \(0x", out)) | {run("g++", f"-print-file-name={x}").strip() for x in CXX}
    for path in paths:
        if not path.startswith(str(root)):
            shutil.copy(path, lib / os.path.basename(path))
    (root / "etc/ld.so.conf").write_text("/usr/lib64\n")
    run("/sbin/ldconfig", "-r", root)


def wheel_for(root, dist):
    python = "/usr/local/bin/python3" if (root / "usr/local/bin/python3").exists() else "/usr/bin/python3"
    version = run("chroot", root, python, "-c", "import sys; print('cp%d%d' % sys.version_info[:2])").strip()
    wheels = [*dist.glob(f"*-{version}-*.whl"), *dist.glob("*-abi3-*.whl")]
    if not wheels:
        sys.exit(f"{root.name}: no wheel for {version} in {dist}: name that Python to `third_party/setup wheel`")
    return python, wheels[0]


def check(root, dist):
    python, wheel = wheel_for(root, dist)
    for path in (wheel, HERE / "wheel_day.py"):
        shutil.copy(path, root / "tmp")
    inside = {"env": {"PATH": PATH, "HOME": "/tmp", "LC_ALL": "C.UTF-8"}}
    if not (root / "proc/self").exists():
        run("mount", "-t", "proc", "proc", root / "proc")
    try:
        run("chroot", root, python, "-m", "venv", "/tmp/venv", **inside)
        run(
            "chroot",
            root,
            "/tmp/venv/bin/python3",
            "-m",
            "pip",
            "install",
            "--no-index",
            f"/tmp/{wheel.name}",
            **inside,
        )
        out = run(
            "chroot",
            root,
            "/tmp/venv/bin/python3",
            "-c",
            "import os; os.chdir('/tmp'); exec(open('wheel_day.py').read())",
            **inside,
        )
    finally:
        run("umount", root / "proc")
    print(f"{root.name}: {wheel.name}: {out.strip().splitlines()[-1]}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dist", type=pathlib.Path)
    parser.add_argument(
        "--python", action="append", default=[], help="of this machine, for a bare root; again for more"
    )
    parser.add_argument("--root", action="append", default=[], type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="reel_roots") as folder:
        folder = pathlib.Path(folder)
        for number, python in enumerate(args.python):
            bare(folder / f"bare{number}", python)
            check(folder / f"bare{number}", args.dist)
        for suite in () if args.root else ("bookworm", "trixie"):
            debian(folder / suite, suite)
            args.root.append(folder / suite)
        for root in args.root:
            check(root, args.dist)


if __name__ == "__main__":
    main()
