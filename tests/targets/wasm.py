"""Runs the demo's object for WebAssembly in wasmtime: what main.c does, through the object's own functions."""

import re
import struct
import subprocess
from pathlib import Path

import numpy as np

BATCH, WIDTH, PAGE = 64, 784, 65536


class Model:
    """An instance of an object, linked by wasm-ld, in the memory behind its data."""

    def __init__(self, linker: str, folder: Path, name: str):
        import wasmtime

        linked = folder / f"{name}.wasm"
        command = [linker, "--no-entry", "--export-all", f"--initial-memory={2048 * PAGE}"]
        subprocess.run([*command, folder / f"{name}.o", "-o", linked], check=True)
        engine = wasmtime.Engine()
        module = wasmtime.Module.from_file(engine, str(linked))
        self.imports = [i.name for i in module.imports]
        self.store = wasmtime.Store(engine)
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory, self.name = self.exports["memory"], name
        self.free = self.exports["__heap_base"].value(self.store)
        size = self.call("size")
        self.instance, error = self.take(size), self.take(4)
        if self.call("init", self.instance, size, error) != self.instance:
            raise RuntimeError(f"init gave {struct.unpack('<i', self.read(error, 4))}")

    def call(self, function: str, *arguments: int):
        return self.exports[f"{self.name}_{function}"](self.store, *arguments)

    def take(self, size: int) -> int:
        """The address of so many bytes, aligned to 64."""
        at = -(-self.free // 64) * 64
        self.free = at + size
        return at

    def read(self, at: int, size: int) -> bytes:
        return bytes(self.memory.read(self.store, at, at + size))

    def write(self, at: int, array: np.ndarray):
        self.memory.write(self.store, array.tobytes(), at)

    def save(self) -> bytes:
        size = self.call("save_size")
        to = self.take(size)
        assert self.call("save", self.instance, to, size) == 0
        return self.read(to, size)

    def load(self, file: bytes) -> int:
        at = self.take(len(file) + 1) + 1  # at no alignment
        self.memory.write(self.store, file, at)
        return self.call("load", self.instance, at, len(file))


def train(linker: str, folder: Path, name: str, demo: Path) -> bytes:
    """The bytes of all variables after the steps of the demo's data, in the order of main.c."""
    model = Model(linker, folder, name)
    assert not model.imports, f"an object for os none needs {model.imports}"
    data = (demo / f"{name}.data").read_bytes()
    rows, tests, steps = struct.unpack("<3i", data[:12])
    images = np.frombuffer(data, np.float32, rows * WIDTH, 12).reshape(rows, WIDTH)
    at = 12 + images.nbytes
    labels = np.frombuffer(data, np.int32, rows, at)
    at += labels.nbytes + 4 * tests * (WIDTH + 1)
    order = np.frombuffer(data, np.int32, BATCH * steps, at).reshape(steps, BATCH)
    x, y, loss = model.take(4 * BATCH * WIDTH), model.take(4 * BATCH), model.take(4)
    for batch in order:
        model.write(x, images[batch])
        model.write(y, labels[batch])
        assert model.call("train", model.instance, x, y, loss) == 0
    variables = re.findall(r"_variable_(\w+)\(model\), 1, (\d+)", (demo / "main.c").read_text())
    assert variables
    return b"".join(model.read(model.call(f"variable_{v}", model.instance), int(size)) for v, size in variables)
