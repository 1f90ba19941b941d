"""Every system call of a command that writes a file fails, is interrupted, or is the last one.

strace makes the n-th call fail with ENOSPC, EIO or EINTR, or kills the process there. Whatever it hits: the file is
the old one or the new one, keeps its mode, nothing else stays in the folder except after a kill, and the next writer
removes that; the status is 0 if and only if the file is the new one (an error after the file has its name may also
leave the new one).

usage: write_faults.py build/bin/reel; status 77: strace may not trace here
"""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

MODULE = """reel 1
module "m"
func @main(%x: f32[2]) -> (y: f32[2]) {
  %0 = neg %x : f32[2]
  return %0
}
"""
LINE = re.compile(r"^(\w+)\((.*)\) += (-?\d+|\?)")
FAULTS = ["error=ENOSPC", "error=EIO", "error=EINTR", "signal=KILL"]
KILLED = {-9, 137}


class Case:
    """convert in.reel.txt -o out.reel in a folder that has an old out.reel, or none."""

    name = "out.reel"
    removes = ("unlink", "unlinkat")  # what takes temporary files away

    def __init__(self, reel, folder, old):
        self.reel, self.old = reel, old
        self.source = os.path.join(folder, "in.reel.txt")
        self.folder = os.path.join(folder, "out")
        self.path = os.path.join(self.folder, self.name)
        with open(self.source, "w") as f:
            f.write(MODULE)
        self.reset()
        status = self.run([])
        assert status == 0, status
        self.new = self.now()
        assert self.new not in (self.old, None)

    def now(self):
        """What is there, None if it is nothing."""
        return read(self.path) if os.path.exists(self.path) else None

    def put(self, old):
        with open(self.path, "wb") as f:
            f.write(old)
        os.chmod(self.path, 0o600)

    def reset(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        if self.old is not None:
            self.put(self.old)

    def run(self, strace):
        command = strace + [self.reel, "convert", self.source, "-o", self.path]
        # An answer in any case: the process may have been stopped while it held a lock.
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60).returncode

    def calls(self):
        """(name, number among the calls of that name) from the opening of the folder on."""
        log = self.source + ".log"
        assert self.run(["strace", "-qq", "-o", log]) == 0
        seen, calls = collections.Counter(), []
        with open(log, errors="replace") as lines:
            for line in lines:
                match = LINE.match(line)
                if not match:
                    continue
                seen[match[1]] += 1
                if calls or (match[1] == "openat" and f'"{self.folder}/"' in match[2]):
                    calls.append((match[1], seen[match[1]]))
        assert len(calls) > 10, "the writer is not seen"
        return [(name, n) for name, n in calls if not name.startswith(("exit", "mmap", "munmap", "brk", "mprotect"))]

    def check(self, name, n, fault):
        self.reset()
        status = self.run(["strace", "-qq", "-o", "/dev/null", "-e", f"inject={name}:{fault}:when={n}"])
        what = f"{name} {n} {fault}: status {status}"
        now = self.now()
        assert now in (self.old, self.new), what + ": neither old nor new"
        if self.old is not None and os.path.isfile(self.path):
            assert os.stat(self.path).st_mode & 0o7777 == 0o600, what + ": another mode"
        assert status == 0 or status == 4 or status in KILLED, what
        assert status != 0 or now == self.new, what + ": no new file"
        left = [entry for entry in os.listdir(self.folder) if entry != self.name.rstrip("/")]
        if status in KILLED or name in self.removes:
            assert self.run([]) == 0 and os.listdir(self.folder) == [self.name.rstrip("/")], (
                f"{what}: {left} is not swept"
            )
        else:
            assert not left, f"{what}: {left} is left"
        return status


class FolderCase(Case):
    """The same with -o model/: a SavedModel, of which none is ever in part there."""

    name = "model/"
    # Looking through a folder to remove it is many calls, any of which may fail.
    removes = ("unlink", "unlinkat", "rmdir", "openat", "getdents64", "newfstatat", "fcntl", "fstat", "close", "fchdir")

    def now(self):
        if not os.path.exists(self.path):
            return None
        files = [os.path.join(f, name) for f, _, names in os.walk(self.path) for name in names]
        return {os.path.relpath(path, self.path): read(path) for path in files}

    def put(self, old):
        for name, content in old.items():
            path = os.path.join(self.path, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(content)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def main(reel):
    probe = (
        subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True)
        if shutil.which("strace")
        else None
    )
    if probe is None or probe.returncode != 0:
        print("SKIPPED: strace is not installed or may not trace here")
        return 77
    statuses = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for old in (b"old", None):
            case = Case(reel, folder, old)
            for name, n in case.calls():
                for fault in FAULTS if old is not None else ["error=EIO", "signal=KILL"]:
                    statuses[case.check(name, n, fault)] += 1
        for old, fault in (({"saved_model.pb": b"old", "more/file": b"old"}, "signal=KILL"), (None, "error=EIO")):
            case = FolderCase(reel, folder, old)
            for name, n in case.calls():
                statuses[case.check(name, n, fault)] += 1
    print("runs by status:", dict(statuses))
    assert statuses[4] > 10 and statuses[0] > 5 and sum(statuses[s] for s in KILLED) > 10
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
