"""reel.aot: compiled libraries give the bits of the function that they were made of."""

import json
import os
import struct
import subprocess

import numpy as np
import pytest

import reel
import reel.aot


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    w = reel.Variable(reel.ones((3, 2)), name="w")

    def train(x, index):
        y = x @ w
        w.assign_sub(0.1 * reel.take(y, index, axis=0))
        return reel.sum(y), y

    module = reel.Module.lift(
        {
            "train": (train, [reel.TensorSpec((3, 3), name="x"), reel.TensorSpec((3,), reel.int64, name="index")]),
            "predict": (lambda x: x @ w, [reel.TensorSpec((reel.Dim("B", 1, 100), 3), name="x")]),
        },
        name="step",
    )
    path = tmp_path_factory.mktemp("aot") / "step"
    reel.export(module, str(path), emit="so")
    return path.with_suffix(".so"), train, w


def test_trains_as_the_function_does(library):
    path, train, w = library
    step = reel.aot.load(path)
    w.assign(reel.ones((3, 2)))
    x, index = np.arange(9, dtype=np.float32).reshape(3, 3), np.array([2, 0, 1])
    for _ in range(3):
        total, y = step.train(x, index)
        want_total, want_y = train(x, index)
        assert total == want_total and np.array_equal(y, want_y)
        assert np.array_equal(step.variables["w"], w)


def test_variables_are_live_and_apart(library):
    one, two = reel.aot.load(library[0]), reel.aot.load(library[0])
    one.variables["w"][:] = 2
    assert one.predict(np.ones((1, 3), np.float32)).tolist() == [[6, 6]]
    assert two.predict(x=np.ones((1, 3), np.float32)).tolist() == [[3, 3]]


@pytest.mark.parametrize("rows", [1, 7, 64, 100])
def test_open_extents_come_from_the_arguments(library, rows):
    x = np.random.default_rng(0).normal(size=(rows, 3)).astype(np.float32)
    got = reel.aot.load(library[0]).predict(x)
    assert got.shape == (rows, 2) and np.allclose(got, x @ np.ones((3, 2)))


def test_strided_arguments_are_copied(library):
    x = np.ones((3, 8), np.float32)[:, ::2][:, :3]
    assert reel.aot.load(library[0]).predict(x).tolist() == [[3, 3]] * 3


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda s: s.predict(np.ones((2, 4), np.float32)),
            reel.InvalidArgumentError,
            r"x has shape \[2, 4\], the object",
        ),
        (lambda s: s.predict(np.ones((2, 3))), reel.InvalidTypeError, "x is float64, the object takes float32"),
        (lambda s: s.predict(), reel.InvalidTypeError, "give each argument once"),
        (lambda s: s.predict(1, 2), reel.InvalidTypeError, "got 2 arguments"),
        (lambda s: s.predict(np.ones((101, 3), np.float32)), reel.Error, "outside its declared range"),
        (lambda s: s.train(np.ones((3, 3), np.float32), [0, 1, 3]), reel.OutOfRangeError, "out of range"),
        (lambda s: s.fit, AttributeError, "no entry point 'fit'; it has train, predict"),
    ],
)
def test_mistakes(library, call, error, text):
    with pytest.raises(error, match=text):
        call(reel.aot.load(library[0]))


def test_files_that_are_none(library, tmp_path):
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(OSError):
        reel.aot.load(tmp_path / "text.so")
    renamed = tmp_path / "other.so"
    renamed.write_bytes(library[0].read_bytes())
    with pytest.raises(reel.InvalidArgumentError, match="load\\(path, name='step'\\)"):
        reel.aot.load(renamed)
    assert reel.aot.load(renamed, name="step").entries.keys() == {"train", "predict"}


# --- weights ---

DTYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64").split()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A library with a variable of each dtype, and those variables in its order."""
    rows = [reel.Variable(reel.ones((2, 3), dtype=d), name=f"kinds/{d}", trainable=False) for d in DTYPES]
    rows += [reel.Variable(2.5, name='scalar "\u00e4\U0001f600"'), reel.Variable(reel.zeros((0, 4)), name="none")]
    module = reel.Module.lift({"all": (lambda: tuple(reel.reshape(v, (-1,)) for v in rows), [])}, name="kept")
    path = tmp_path_factory.mktemp("kept") / "kept"
    reel.export(module, str(path), emit="so")
    by_name = {v.name: v for v in rows}
    return path.with_suffix(".so"), [by_name[name] for name in reel.aot.load(path.with_suffix(".so")).variables]


def fill(rows, first):
    for i, v in enumerate(rows):
        v.assign(reel.full(v.shape, (first + i) % (2 if v.dtype == reel.bool else 100), dtype=v.dtype))


def test_the_objects_file_is_that_of_save_weights(kept, tmp_path):
    path, rows = kept
    program = reel.aot.load(path)
    fill(rows, 1)
    reel.save_weights(tmp_path / "front.safetensors", rows)
    program.load(tmp_path / "front.safetensors")
    program.save(tmp_path / "object.safetensors")
    front = (tmp_path / "front.safetensors").read_bytes()
    assert (tmp_path / "object.safetensors").read_bytes() == front
    fill(rows, 8)
    reel.save_weights(tmp_path / "other.safetensors", {v.name: v for v in reversed(rows)})
    program.load(str(tmp_path / "other.safetensors"))
    program.save(tmp_path / "object.safetensors")
    fill(rows, 1)
    reel.load_weights(tmp_path / "object.safetensors", rows)
    reel.save_weights(tmp_path / "again.safetensors", rows)
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "object.safetensors").read_bytes() != front
    assert sorted(p.stem for p in tmp_path.iterdir()) == ["again", "front", "object", "other"]


def test_the_file_of_a_model_and_its_optimizer_goes_on(tmp_path):
    model, optimizer = reel.nn.Sequential(reel.nn.Dense(4, "tanh"), reel.nn.Dense(2)), reel.optim.Adam(0.1)

    def train(x):
        with reel.GradientTape() as tape:
            loss = reel.mean(reel.square(model(x)))
        optimizer.apply(tape.gradient(loss, model.variables), model.variables)
        return loss

    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    train(reel.asarray(x))
    specs = [reel.TensorSpec((4, 3), name="x")]
    module = reel.Module.lift({"train": (train, specs), "predict": (model, specs)}, name="net")
    reel.export(module, str(tmp_path / "net"), emit="so")
    reel.export(reel.Module.lift({"predict": (model, specs)}, name="use"), str(tmp_path / "use"), emit="so")
    net, use = reel.aot.load(tmp_path / "net.so"), reel.aot.load(tmp_path / "use.so")
    for _ in range(3):
        train(reel.asarray(x))
    model.save_weights(tmp_path / "model.safetensors")
    use.load(tmp_path / "model.safetensors")
    assert np.array_equal(use.predict(x), np.asarray(model(x)))
    with pytest.raises(reel.InvalidArgumentError, match=r"no entry for a variable: 'adam/.*the optimizer's too"):
        net.load(tmp_path / "model.safetensors")
    reel.save_weights(tmp_path / "all.safetensors", [*model.variables, *optimizer.variables])
    net.load(tmp_path / "all.safetensors")
    with pytest.raises(
        reel.InvalidArgumentError, match=r"no variable of the program: 'adam/.*the variables are \['dense"
    ):
        use.load(tmp_path / "all.safetensors")
    losses = [net.train(x) for _ in range(3)]
    net.save(tmp_path / "on.safetensors")
    assert losses == [train(reel.asarray(x)).item() for _ in range(3)]
    reel.load_weights(tmp_path / "on.safetensors", [*model.variables, *optimizer.variables])
    assert net.train(x) == train(reel.asarray(x)).item()


def header_of(path):
    data = path.read_bytes()
    (n,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + n]), data[8 + n :]


def write(path, header, elements):
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + elements)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda h: h.pop("w"), reel.InvalidArgumentError, r"no entry for a variable: 'w', float32\[3, 2\]"),
        (
            lambda h: h.update({'a "b': h["w"]}),
            reel.InvalidArgumentError,
            r"no variable of the program: 'a \"b'; the var",
        ),
        (
            lambda h: h["w"].update(dtype="F64"),
            reel.InvalidArgumentError,
            r"another dtype than its variable: 'w', float",
        ),
        (
            lambda h: h["w"].update(shape=[2, 3]),
            reel.InvalidArgumentError,
            r"another shape than its variable: 'w', flo",
        ),
        (
            lambda h: h["w"].update(shape=None),
            reel.DataLossError,
            r"header .* is damaged: 'w', float32\[3, 2\] \(at byte",
        ),
        (lambda h: h["w"].update(data_offsets=[0, 23]), reel.DataLossError, r"too few or too many, .*: 'w'"),
        (lambda h: h.update(__metadata__=3), reel.DataLossError, r"header .* is damaged \(at byte"),
    ],
)
def test_what_does_not_fit_names_the_entry_and_changes_nothing(library, tmp_path, change, error, text):
    program, path = reel.aot.load(library[0]), tmp_path / "w.safetensors"
    program.save(path)
    header, elements = header_of(path)
    change(header)
    write(path, header, elements)
    program.variables["w"][:] = 7
    with pytest.raises(error, match=text) as raised:
        program.load(path)
    assert str(raised.value).startswith(f"step.load('{path}'): ")
    assert program.variables["w"].tolist() == [[7, 7]] * 3


@pytest.mark.parametrize("data", [b"", b"1234567", b"\xff" * 100])
def test_no_safetensors_file(library, tmp_path, data):
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(reel.DataLossError, match=r"no safetensors file, or it is cut off .*at byte 8\)"):
        reel.aot.load(library[0]).load(tmp_path / "x")


def test_a_file_that_cannot_be_written_leaves_nothing(library, tmp_path):
    with pytest.raises(OSError):
        reel.aot.load(library[0]).save(tmp_path / "none" / "x")
    (tmp_path / "x").mkdir()
    with pytest.raises(OSError):
        reel.aot.load(library[0]).save(tmp_path / "x")
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_links_and_devices_stay(library, tmp_path):
    program = reel.aot.load(library[0])
    (tmp_path / "link").symlink_to("file")
    program.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").is_file()
    program.load(tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as cat:
        program.save(tmp_path / "pipe")
        assert cat.communicate()[0] == (tmp_path / "file").read_bytes()
    assert (tmp_path / "pipe").is_fifo()


def test_a_program_without_variables_has_entries_of_those_names(tmp_path):
    module = reel.Module.lift({"load": (lambda x: x + 1, [reel.TensorSpec((), name="x")])}, name="plain")
    reel.export(module, str(tmp_path / "plain"), emit="so")
    program = reel.aot.load(tmp_path / "plain.so")
    assert program.load(np.float32(1)) == 2
    with pytest.raises(reel.FailedPreconditionError, match="plain has no variables"):
        program.save(tmp_path / "x")
