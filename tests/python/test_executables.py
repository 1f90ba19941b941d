"""Executables: saved and gone on from, open extents, shared libraries through ctypes."""

import ctypes
import re

import numpy as np
import pytest

import reel

X = np.random.default_rng(3).normal(size=(5, 4)).astype(np.float32)
SPEC = reel.TensorSpec((5, 4), name="x")


def module(spec=SPEC):
    w = reel.Variable(reel.full((4, 2), 0.5), name="w")
    optimizer = reel.optim.Adam(0.1)

    def train(x):
        with reel.GradientTape() as tape:
            loss = reel.mean((x @ w) ** 2)
        optimizer.apply(tape.gradient(loss, [w]), [w])
        return {"loss": loss}

    train(reel.asarray(X))  # makes the slots
    return reel.Module.lift({"train": (train, [spec]), "predict": (lambda x: {"y": x @ w}, [spec])}, name="tiny")


@pytest.mark.parametrize("name", ["a.reel", "a.reel.txt"])
def test_a_saved_executable_goes_on(tmp_path, name):
    made = module()
    whole, first = reel.compile(made), reel.compile(made)
    for _ in range(3):
        whole("train", X)
        first("train", X)
    first.save(str(tmp_path / name))
    rest = [reel.compile(reel.load(str(tmp_path / name))), reel.compile(first.snapshot())]
    losses = [whole("train", X).item() for _ in range(3)]
    for run in rest:
        assert [run("train", X).item() for _ in range(3)] == losses
        assert all(np.array_equal(run.variable(v), whole.variable(v)) for v in whole.variables)


def test_a_saved_executable_trains_eagerly(tmp_path):
    run = reel.compile(module())
    run("train", X)
    run.save(str(tmp_path / "a.reel"))
    step = reel.load(str(tmp_path / "a.reel")).function("train")
    assert step(X).item() == run("train", X).item()


def test_extents_of_compile():
    rows = reel.TensorSpec((reel.Dim("B", 1, 64), 4), name="x")
    fixed, free = reel.compile(module(rows), extents={"B": 5}), reel.compile(module(rows))
    assert fixed("train", X).item() == free("train", X).item()
    assert free("predict", X[:2]).shape == (2, 2)
    with pytest.raises(ValueError, match=r"f32\[5,4\]"):
        fixed("predict", X[:2])
    with pytest.raises(ValueError, match="C"):
        reel.compile(module(rows), extents={"C": 5})
    with pytest.raises(TypeError, match="extents is a dict"):
        reel.compile(module(rows), extents=[5])


class Library:
    """What path.so and path.h declare, called through ctypes."""

    def __init__(self, path):
        name = path.rsplit("/", 1)[1]
        self.c, self.name = ctypes.CDLL(path + ".so"), name
        with open(path + ".h") as f:
            header = f.read()
        size, alignment = (int(re.search(rf"{name.upper()}_{x} \(?(\d+)", header)[1]) for x in ("SIZE", "ALIGNMENT"))
        self.memory = ctypes.create_string_buffer(size + alignment)
        start = -(-ctypes.addressof(self.memory) // alignment) * alignment
        init = getattr(self.c, f"{name}_init")
        init.restype = ctypes.c_void_p
        error = ctypes.c_int(0)
        self.model = ctypes.c_void_p(init(ctypes.c_void_p(start), ctypes.c_size_t(size), ctypes.byref(error)))
        assert self.model.value and error.value == 0

    def call(self, entry, *arguments):
        pointers = [a if isinstance(a, int) else a.ctypes.data_as(ctypes.c_void_p) for a in arguments]
        pointers = [ctypes.c_int64(p) if isinstance(p, int) else p for p in pointers]
        return getattr(self.c, f"{self.name}_{entry}")(self.model, *pointers)


def test_plans_for_many_cores(tmp_path):
    """More parts that run at once, the same bits; an object for many has more room for them."""

    def f(x, w):
        y = x @ w
        return reel.nn.softmax(y) @ w + y

    rng = np.random.default_rng(3)
    x, w = (rng.standard_normal(s).astype(np.float32) for s in ((16384, 128), (128, 128)))
    graph = reel.function(f).get_graph(x, w)
    few, many = (reel.compile(graph, cores=n) for n in (1, 64))
    assert few.plan().split("\n", 1)[1] != many.plan().split("\n", 1)[1]
    np.testing.assert_array_equal(few(x, w).numpy(), many(x, w).numpy())
    size = {}
    for n in (0, 8, 64):
        reel.export(graph, str(tmp_path / f"step{n}"), cores=n)
        header = (tmp_path / f"step{n}.h").read_text()
        size[n] = int(re.search(rf"STEP{n}_SIZE (\d+)", header).group(1))
    assert size[0] == size[8] < size[64]
    for n in (-1, 1025):
        with pytest.raises(ValueError, match=f"cores is {n}; it is 0, or up to 1024"):
            reel.compile(graph, cores=n)


def test_shared_library(tmp_path):
    made = module()
    reel.export(made, str(tmp_path / "tiny"), emit="so")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tiny.h", "tiny.so"]
    library, run = Library(str(tmp_path / "tiny")), reel.compile(made)
    for _ in range(3):
        loss = np.zeros((), np.float32)
        assert library.call("train", X, loss) == 0
        assert loss == run("train", X).item()
    reel.export(made, str(tmp_path / "both"), emit="a", cpu="v2,v3")
    assert (tmp_path / "both.a").read_bytes().startswith(b"!<arch>\n") and (tmp_path / "both.h").exists()
    with pytest.raises(ValueError, match="emit is 'obj', 'a' or 'so'"):
        reel.export(made, str(tmp_path / "tiny"), emit="dll")


def test_shared_library_without_a_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(reel.UnavailableError, match="linked by the C compiler `cc`"):
        reel.export(module(), str(tmp_path / "tiny"), emit="so")
    assert list(tmp_path.iterdir()) == []


def test_extents_of_export(tmp_path):
    made = module(reel.TensorSpec((reel.Dim("B", 1, 64), 4), name="x"))
    with pytest.raises(NotImplementedError, match="B"):
        reel.export(made, str(tmp_path / "open"))  # the mean of all rows takes no chunks
    reel.export(made, str(tmp_path / "listed"), emit="so", extents={"B": [2, 5]})
    library, run = Library(str(tmp_path / "listed")), reel.compile(made)
    loss = np.zeros((), np.float32)
    for x in (X, X[:2]):
        assert library.call("train", len(x), np.ascontiguousarray(x), loss) == 0
        assert loss == run("train", x).item()
    assert library.call("train", 3, X[:3], loss) != 0
