"""Rows AO02 to AO20 and SM02 to SM05 of the gradient semantics: what is compiled ahead of time, and saved modules.

Objects are linked into shared libraries and called through ctypes, with nothing of Reel.
"""

import ctypes
import json
import resource
import signal
import subprocess

import numpy as np
import pytest

import reel


class Linked:
    """NAME.o as a library, and one instance of it."""

    def __init__(self, folder, name):
        self.name = name
        library = folder / (name + ".so")
        subprocess.run(["cc", "-shared", "-nostdlib", str(folder / (name + ".o")), "-o", str(library)], check=True)
        self.loaded = ctypes.CDLL(str(library))
        size, error = self.function("size", ctypes.c_size_t)(), ctypes.c_int(-1)
        self.memory = ctypes.create_string_buffer(size + 64)
        address = -(-ctypes.addressof(self.memory) // 64) * 64
        self.instance = self.function("init", ctypes.c_void_p)(
            ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.byref(error)
        )
        assert self.instance and error.value == 0

    def function(self, name, result=ctypes.c_int):
        f = getattr(self.loaded, f"{self.name}_{name}")
        f.restype = result
        return f

    def run(self, entry, *arrays, extents=()):
        """Calls an entry point: extents, then arguments and results, which are arrays."""
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]
        return self.function(entry)(ctypes.c_void_p(self.instance), *map(ctypes.c_int64, extents), *pointers)

    def variable(self, name, shape):
        address = self.function("variable_" + name, ctypes.c_void_p)(ctypes.c_void_p(self.instance))
        return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_float)), shape)


def exported(tmp_path, entries, name="made"):
    reel.export(reel.Module.lift(entries, name=name), str(tmp_path / name))
    return Linked(tmp_path, name)


SCALAR = [reel.TensorSpec((), name="y")]


def zeros(*shape):
    return np.zeros(shape, np.float32)


def test_AO02_AO04_an_object_and_a_header_with_a_class(tmp_path):
    linked = exported(tmp_path, {"run": (lambda y: {"twice": y * 2}, SCALAR)})
    out = zeros()
    assert linked.run("run", np.float32([4.0]), out) == 0 and out == 8.0
    header = (tmp_path / "made.h").read_text()
    assert "int made_run(made* instance, const float* y, float* twice);" in header and "bool Run()" in header


def test_AO05_names_of_arguments_and_results(tmp_path):
    linked = exported(tmp_path, {"run": (lambda y: {"twice": y * 2}, SCALAR)})
    address = ctypes.addressof(ctypes.c_char.in_dll(linked.loaded, "made_manifest_json"))
    text = json.dumps(json.loads(ctypes.string_at(address)))
    assert '"y"' in text and '"twice"' in text and '"run"' in text


def test_AO06_unknown_extents_are_arguments(tmp_path):
    rows = reel.Dim("B", 1, 8)
    linked = exported(tmp_path, {"run": (lambda x: x * x, [reel.TensorSpec((rows, 2), name="x")])})
    for n in (1, 5):
        x, out = np.arange(2 * n, dtype=np.float32), zeros(2 * n)
        assert linked.run("run", x, out, extents=[n]) == 0 and (out == x * x).all()


def test_AO07_constants_are_in_the_object(tmp_path):
    c = reel.asarray([1.0, 2.0, 3.0])
    linked = exported(tmp_path, {"run": (lambda y: y * c, SCALAR)})
    out = zeros(3)
    assert linked.run("run", np.float32([2.0]), out) == 0 and out.tolist() == [2, 4, 6]


def test_AO08_AO09_variables_are_read_and_updated_in_place(tmp_path):
    x = reel.Variable(23.0, name="x")

    def step(y):
        before = x + 0
        x.assign(x + y)
        return before, x + 0

    linked = exported(tmp_path, {"step": (step, SCALAR)})
    before, after = zeros(), zeros()
    for want in ((23, 65), (65, 107)):
        assert linked.run("step", np.float32([42.0]), before, after) == 0 and (before, after) == want
    assert linked.variable("x", (1,)) == 107
    linked.variable("x", (1,))[:] = 1.0
    assert linked.run("step", np.float32([1.0]), before, after) == 0 and (before, after) == (1, 2)
    assert x.numpy() == 23.0


def test_AO10_an_update_step(tmp_path):
    x = reel.Variable(2.0, name="x")

    def step(y):
        for _ in range(3):
            x.assign(x - 0.1 * (x + y))
        return x + 0

    linked, out = exported(tmp_path, {"step": (step, SCALAR)}), zeros()
    for want in (1.187, 0.594323):
        assert linked.run("step", np.float32([1.0]), out) == 0 and out == pytest.approx(want, abs=2e-6)


def test_AO11_AO12_gradients_and_several_entry_points_on_the_same_variables(tmp_path):
    w = reel.Variable([1.0, -2.0], name="w")
    optimizer = reel.optim.SGD(0.5)

    def train(y):
        with reel.GradientTape() as tape:
            loss = reel.sum((w - y) ** 2)
        optimizer.apply(tape.gradient(loss, [w]), [w])
        return loss

    linked = exported(tmp_path, {"train": (train, SCALAR), "read": (lambda y: w * y, SCALAR)})
    loss, out = zeros(), zeros(2)
    assert linked.run("train", np.float32([3.0]), loss) == 0 and loss == 29.0
    assert linked.run("read", np.float32([1.0]), out) == 0 and out.tolist() == [3.0, 3.0]


def many(x, n):
    parts = [x[:2], x[2:]]
    picked = reel.take(x, reel.asarray([3, 0]))
    branch = reel.cond(reel.sum(x) > 0, lambda: reel.concat([parts[1], parts[0]]), lambda: -x)
    square = reel.reshape(x, (2, 2))
    return branch + reel.concat([picked, picked]), reel.sort(x), square @ square, n + 1


def test_AO14_branches_gathers_splits_sorts_and_products(tmp_path):
    entries = {"run": (many, [reel.TensorSpec((4,), name="x"), reel.TensorSpec((), reel.int64, name="n")])}
    linked = exported(tmp_path, entries)
    for x in (np.float32([1, -2, 3, 4]), np.float32([-1, -2, -3, 4])):
        out = zeros(4), zeros(4), zeros(2, 2), np.zeros((), np.int64)
        assert linked.run("run", x, np.array(6), *out) == 0
        for made, want in zip(out, many(reel.asarray(x), reel.asarray(6))):
            np.testing.assert_array_equal(made, want.numpy())


def test_AO15_an_unknown_op_in_a_file():
    text = reel.Module.lift({"f": (lambda y: reel.exp(y), SCALAR)}).to_text()
    assert "exp" in text
    with pytest.raises(reel.Error, match="explode"):
        reel.Module.from_text(text.replace("exp", "explode"))


def test_AO17_an_unknown_name_is_answered_with_those_that_exist(tmp_path):
    w = reel.Variable(1.0, name="weight")
    run = reel.compile(reel.Module.lift({"f": (lambda y: y * w, SCALAR), "g": (lambda y: y * 2, SCALAR)}))
    with pytest.raises(LookupError, match="no entry point 'nothing'; there are: f, g"):
        run("nothing", np.float32(1.0))
    with pytest.raises(LookupError, match="no variable 'nothing'; there are: weight"):
        run.variable("nothing")


def test_AO17_an_entry_point_without_results_is_run_for_its_variables(tmp_path):
    w = reel.Variable(1.0, name="w")

    def grow(y):
        w.assign_add(y)

    linked = exported(tmp_path, {"grow": (grow, SCALAR)})
    assert linked.run("grow", np.float32([2.0])) == 0 and linked.variable("w", ()) == 3.0


def test_AO20_the_object_needs_nothing(tmp_path):
    exported(
        tmp_path,
        {"run": (lambda x: reel.reshape(x, (4, 4)) @ reel.reshape(x, (4, 4)), [reel.TensorSpec((16,), name="x")])},
    )
    nm = subprocess.run(["nm", "-u", str(tmp_path / "made.o")], capture_output=True, text=True, check=True)
    assert set(nm.stdout.split()) - {"U"} <= {"memcpy", "memmove", "memset"}


def shared():
    w = reel.Variable([1.0, 2.0], name="w")

    def grow(y):
        w.assign_add(y * reel.ones((2,)))

    return w, reel.Module.lift({"grow": (grow, SCALAR), "read": (lambda y: {"out": w * y}, SCALAR)}, name="two")


def test_SM02_entry_points_of_a_saved_module_share_their_variables(tmp_path):
    _, module = shared()
    module.save(str(tmp_path / "two.reel"))
    loaded = reel.load(str(tmp_path / "two.reel"))
    run = reel.compile(loaded)
    assert loaded.entries == ("grow", "read") and tuple(loaded.variables) == ("w",)
    run("grow", np.float32(1.0))
    assert run("read", np.float32(1.0)).tolist() == [2, 3]


def test_SM03_arguments_and_results_have_names():
    text = shared()[1].to_text()
    assert "y" in text and "out" in text
    assert reel.compile(shared()[1])("read", np.float32(2.0)).tolist() == [2, 4]


def test_SM04_a_file_is_written_whole_or_stays_as_it_was(tmp_path):
    path = tmp_path / "two.reel"
    shared()[1].save(str(path))
    before = path.read_bytes()
    large = reel.Variable(np.zeros(100000, np.float32), name="large")
    module = reel.Module.lift({"f": (lambda y: large * y, SCALAR)})
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))  # the disk is full in the midst of it
    try:
        with pytest.raises(reel.Error, match="cannot write.*File too large"):
            module.save(str(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["two.reel"]
    module.save(str(path))
    assert tuple(reel.load(str(path)).variables) == ("large",)


def test_SM04_files_have_versions():
    text = shared()[1].to_text()
    assert text.startswith("reel 1\n")
    with pytest.raises(reel.Error, match="version 99.*newer"):
        reel.Module.from_text(text.replace("reel 1", "reel 99", 1))


def test_SM05_SM06_text_and_binary_are_the_same_module(tmp_path):
    _, module = shared()
    module.save(str(tmp_path / "a.reel.txt"))
    module.save(str(tmp_path / "a.reel"))
    texts = [reel.load(str(tmp_path / name)).to_text() for name in ("a.reel.txt", "a.reel")]
    assert texts[0] == texts[1] == module.to_text()
