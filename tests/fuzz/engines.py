"""The ways a program is run: eager, functions, traced and lifted graphs compiled at 0 and 2, an object."""

import ctypes
import os
import subprocess
import tempfile

import numpy as np

import reel
from program import definitions


class Loaded:
    """A program's functions, with variables and generators that start anew for each run."""

    def __init__(self, program):
        self.program = program
        self.space = {"reel": reel, "np": np, "float": float}
        exec(definitions(program), self.space)
        self.arguments = self.space["ARGUMENTS"]
        self.variables = self.space["VARIABLES"]
        self.initial = {name: v.value() for name, v in self.variables.items()}

    def reset(self):
        for name, v in self.variables.items():
            v.assign(self.initial[name])
        if self.program.generator is not None:
            self.space["g0"].seed(self.program.generator)

    def compute(self, *arguments):
        """What is compared: outputs, first and second gradients, the variables at the end."""
        outputs, first, second = self.space["compute"](*arguments)
        return list(outputs), list(first), list(second), [v.value() for v in self.variables.values()]


def leaves(result):
    """(name, tensor or None) for everything a run gave; slices are two tensors."""
    out = []
    for what, part in zip(("output", "gradient", "second gradient", "variable"), result):
        for i, x in enumerate(part):
            if isinstance(x, reel.IndexedSlices):
                out += [(f"{what} {i} rows", x.values), (f"{what} {i} indices", x.indices)]
            else:
                out.append((f"{what} {i}", x))
    return out


def bits(t):
    """A tensor as (dtype, array); bfloat16 as its bits."""
    if t is None:
        return None
    if t.dtype is reel.bfloat16:
        return "bf16", np.array(reel.bitcast(t, reel.int16))
    return t.dtype.name, np.array(t)


def eager(loaded):
    loaded.reset()
    return [(name, bits(t)) for name, t in leaves(loaded.compute(*loaded.arguments))]


def function(loaded):
    """reel.function of everything."""
    loaded.reset()
    result = reel.function(loaded.compute)(*loaded.arguments)
    return [(name, bits(t)) for name, t in leaves(result)]


def _with_forward(loaded, wrapped):
    loaded.reset()
    forward = loaded.space["forward"]
    loaded.space["forward"] = wrapped(forward)
    try:
        return [(name, bits(t)) for name, t in leaves(loaded.compute(*loaded.arguments))]
    finally:
        loaded.space["forward"] = forward


def forward_function(loaded):
    """reel.function of the forward part under eager tapes."""
    return _with_forward(loaded, reel.function)


def eager_call(loaded):
    """What that must equal: results of a call are values of their own, though two be one tensor inside."""
    return _with_forward(
        loaded, lambda forward: lambda *x: [reel.identity(y) if isinstance(y, reel.Tensor) else y for y in forward(*x)]
    )


class Graph:
    """A traced or lifted graph and the names of its results."""

    def __init__(self, loaded, lifted=False):
        loaded.reset()
        self.loaded, self.names = loaded, None
        if lifted:
            with reel.Recording() as recording:
                found = leaves(loaded.compute(*loaded.arguments))
            self.names = [name if t is not None else None for name, t in found]
            self.all = [name for name, _ in found]
            self.function = recording.lift(loaded.arguments, [t for _, t in found if t is not None])
            loaded.reset()
            return

        def traced(*arguments):
            found = leaves(loaded.compute(*arguments))
            self.names = [name if t is not None else None for name, t in found]
            self.all = [name for name, _ in found]
            return [t for _, t in found if t is not None]

        specs = [reel.TensorSpec(t.shape, t.dtype, f"a{i}") for i, t in enumerate(loaded.arguments)]
        self.function = reel.trace(traced, specs)

    def named(self, results):
        results = iter(results)
        return [(name, next(results) if kept else None) for name, kept in zip(self.all, self.names)]

    def compiled(self, level):
        self.loaded.reset()
        run = reel.compile(self.function, opt_level=level)
        if self.loaded.variables or self.loaded.program.generator is not None:
            run.load_from(self.function.variables)
        got = run(*self.loaded.arguments)
        tensors = [got] if isinstance(got, reel.Tensor) else [got[i] for i in range(len(got))]
        return self.named([bits(t) for t in tensors])

    def object(self):
        """Exported, linked by cc, called through ctypes."""
        self.loaded.reset()
        shapes = self.compiled(2)
        self.loaded.reset()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "thing")
            module = reel.Module.lift({"main": self.function}, name="thing")
            reel.export(module, path)
            library = os.path.join(folder, "thing.so")
            subprocess.run(["cc", "-shared", "-o", library, path + ".o", "-lm"], check=True)
            return self.named(
                _call(ctypes.CDLL(library), self.loaded.arguments, [x for _, x in shapes if x is not None])
            )


def _call(library, arguments, like):
    size = library.thing_size
    size.restype = ctypes.c_size_t
    memory = np.full(size() + 64, 0xAB, np.uint8)
    start = memory.ctypes.data + (-memory.ctypes.data) % 64
    init = library.thing_init
    init.restype = ctypes.c_void_p
    init.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int)]
    error = ctypes.c_int(0)
    instance = init(start, size(), ctypes.byref(error))
    if not instance:
        raise RuntimeError(f"object: init gave {error.value}")
    given = [np.ascontiguousarray(bits(t)[1]) for t in arguments]
    made = [np.full(max(x.nbytes, 1), 0xCD, np.uint8) for _, x in like]
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in given + made]
    status = library.thing_main(ctypes.c_void_p(instance), *pointers)
    if status:
        raise RuntimeError(f"object: status {status}")
    return [(dtype, x[: y.nbytes].view(y.dtype).reshape(y.shape)) for x, (dtype, y) in zip(made, like)]


def difference(a, b):
    """How two runs differ, a line; None if all bits are equal (NaN is NaN)."""
    if [name for name, _ in a] != [name for name, _ in b]:
        return f"results {[n for n, _ in a]} and {[n for n, _ in b]}"
    for (name, x), (_, y) in zip(a, b):
        if (x is None) != (y is None):
            return f"{name}: {'None' if x is None else 'a tensor'} and {'None' if y is None else 'a tensor'}"
        if x is None:
            continue
        if x[0] != y[0] or x[1].shape != y[1].shape:
            return f"{name}: {x[0]}{x[1].shape} and {y[0]}{y[1].shape}"
        if not _equal_bits(*x, y[1]):
            return f"{name}: {_first(x[1], y[1])}"
    return None


def _equal_bits(dtype, x, y):
    if x.tobytes() == y.tobytes():
        return True
    if dtype == "bf16":
        nan = ((x & 0x7FFF) > 0x7F80) & ((y & 0x7FFF) > 0x7F80)
    elif x.dtype.kind in "fc":
        nan = np.isnan(x) & np.isnan(y)
    else:
        return False
    same = [a.reshape(-1, 1).view(np.uint8) for a in (x, y)]
    return bool(np.all((same[0] == same[1]).all(axis=1) | nan.reshape(-1)))


def _first(x, y):
    flat_x, flat_y = np.asarray(x).reshape(-1), np.asarray(y).reshape(-1)
    for i, (a, b) in enumerate(zip(flat_x, flat_y)):
        if a.tobytes() != b.tobytes() and not (a != a and b != b):
            return f"element {i} is {a!r} and {b!r}"
    return "differ"
