"""Models as things one can keep: state, files of weights, checkpoints, pickle and copy."""

import copy
import io
import json
import os
import pathlib
import pickle
import random
import signal
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

import reel


def equal(a, b):
    """Two states: names, types and bits."""
    return list(a) == list(b) and all(
        a[n].dtype == b[n].dtype and np.asarray(a[n]).tobytes() == np.asarray(b[n]).tobytes() for n in a
    )


def double(x):
    return x * 2


class Block(reel.nn.Module):
    def __init__(self):
        self.scale = reel.Variable([1.0, 2.0])
        self.layers = [reel.nn.Dense(3, "relu"), reel.nn.Dense(2, double, name="out")]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.scale


class Net(reel.nn.Module):
    def __init__(self):
        self.first = Block()
        self.rest = reel.nn.Sequential(reel.nn.Dense(4), reel.nn.BatchNorm(), reel.nn.Dropout(0.5), reel.nn.Dense(2))
        self.more = {"last": Block()}

    def __call__(self, x):
        return self.more["last"](self.rest(self.first(x)))


NAMES = [
    "first/scale", "first/layers/0/kernel", "first/layers/0/bias", "first/layers/out/kernel", "first/layers/out/bias",
    "rest/dense/kernel", "rest/dense/bias", "rest/batch_norm/scale", "rest/batch_norm/offset",
    "rest/batch_norm/running_mean", "rest/batch_norm/running_variance", "rest/dense_1/kernel", "rest/dense_1/bias",
    "more/last/scale", "more/last/layers/0/kernel", "more/last/layers/0/bias", "more/last/layers/out/kernel",
    "more/last/layers/out/bias",
]  # fmt: skip
X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)


def step(model, optimizer, x=X):
    with reel.nn.training(), reel.GradientTape() as tape:
        loss = reel.sum(model(x) ** 2)
    variables = model.trainable_variables
    optimizer.apply(tape.gradient(loss, variables), variables)
    return loss


def test_names_do_not_depend_on_what_was_built_before():
    for _ in range(2):
        net = Net()
        net(X)
        assert list(net.state_dict()) == NAMES == [v.name for v in net.variables]
        assert list(net.first.state_dict()) == [n.removeprefix("first/") for n in NAMES if n.startswith("first/")]
    dense = reel.nn.Dense(2)
    dense(X)
    assert list(dense.state_dict()) == ["kernel", "bias"]


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
def test_weights_of_a_model_that_was_not_called(tmp_path, ending):
    net, other = Net(), Net()
    y = net(X)
    net.save_weights(tmp_path / ("net" + ending))
    key = reel.random.default_generator().key()
    other.load_weights(tmp_path / ("net" + ending))
    assert np.array_equal(key, reel.random.default_generator().key())  # nothing was drawn
    assert equal(net.state_dict(), other.state_dict()) and np.array_equal(y, other(X))
    assert equal(reel.load_weights(tmp_path / ("net" + ending)), net.state_dict())
    reel.save_weights(tmp_path / ("list" + ending), net.variables)
    assert equal(reel.load_weights(tmp_path / ("list" + ending)), net.state_dict())


def test_states_are_copies_and_take_arrays():
    v = reel.nn.Dense(2, inputs=3)
    before = v.state_dict()
    v.load_state_dict({"kernel": np.ones((3, 2), np.float32), "bias": reel.zeros(2)})
    assert not equal(before, v.state_dict())
    v.load_state_dict(before)
    assert equal(before, v.state_dict())


def test_all_differences_at_once_and_nothing_is_loaded():
    net = Net()
    net(X)
    before = net.state_dict()
    state = dict(before)
    state["first/scale"] = np.ones(3, np.float32)
    state["rest/dense/bias"] = np.ones(4)
    state["typo"] = state.pop("more/last/scale")
    with pytest.raises(reel.InvalidArgumentError) as e:
        net.load_state_dict(state)
    for text in ["4 differences, nothing was loaded", 'shape: "first/scale" is f32[3], not f32[2]',
                 'dtype: "rest/dense/bias" is f64[4], not f32[4]', 'missing: "more/last/scale" f32[2]',
                 'extra: "typo" f32[2]', "test_keep.py"]:  # fmt: skip
        assert text in str(e.value)
    assert equal(before, net.state_dict())
    net.load_state_dict({"first/scale": np.zeros(2, np.float32), "typo": 1}, strict=False)
    assert not np.any(net.state_dict()["first/scale"])


@pytest.mark.parametrize("error,call", [
    ("expected a dict", lambda p: Net().load_state_dict([1])),
    ("end with .safetensors or .npz", lambda p: reel.save_weights(p / "x.bin", {})),
    ("cannot open", lambda p: reel.load_weights(p / "x.npz")),
    ("expected a model", lambda p: reel.Checkpoint(p / "x", model="m").save()),
    ("a part cannot be called 'save'", lambda p: reel.Checkpoint(p / "x", save=1)),
    ("two variables are called", lambda p: reel.save_weights(p / "x.npz", [reel.Variable(1.0), reel.Variable(2.0)])),
])  # fmt: skip
def test_mistakes(tmp_path, error, call):
    with pytest.raises(reel.Error, match=error):
        call(tmp_path)


def test_functions_of_loaded_modules_are_models(tmp_path):
    net = Net()
    net(X)
    reel.Module.lift({"main": reel.trace(net, [reel.TensorSpec((4, 3), "float32")])}).save(str(tmp_path / "net.reel"))

    class Tuned(reel.nn.Module):
        def __init__(self):
            self.base = reel.load(str(tmp_path / "net.reel")).function("main")
            self.head = reel.nn.Dense(1)

        def __call__(self, x):
            return self.head(self.base(x))

    model = Tuned()
    model(X)
    assert {n.removeprefix("base/") for n in model.state_dict()} == {*NAMES, "head/kernel", "head/bias"}
    before = model.state_dict()
    step(model, reel.optim.SGD(0.1))
    assert not equal(before, model.state_dict())
    model.save_weights(tmp_path / "tuned.npz")
    other = Tuned()
    other.load_weights(tmp_path / "tuned.npz")
    assert np.array_equal(model(X), other(X))
    reel.save_weights(tmp_path / "base.npz", model.base)
    net.load_weights(tmp_path / "base.npz")  # names are equal
    assert np.array_equal(net(X), model.base(X))


# --- pickle and copy ---


def copies(x):
    return [pickle.loads(pickle.dumps(x)), copy.deepcopy(x)]


LAYERS = {
    "dense": lambda: reel.nn.Dense(2, "tanh", use_bias=False),
    "dense_inputs": lambda: reel.nn.Dense(2, reel.nn.relu, inputs=3, dtype=reel.float32),
    "function": lambda: reel.nn.Dense(2, double, kernel_init=0.5),
    "residual": lambda: reel.nn.Residual(reel.nn.Dense(3), reel.nn.Flatten()),
    "nested": lambda: reel.nn.Sequential(reel.nn.Sequential(reel.nn.Dense(2)), reel.nn.Dense(2, name="own"), double),
    "layer_norm": lambda: reel.nn.LayerNorm(1e-3),
    "rms_norm": lambda: reel.nn.RMSNorm(),
    "batch_norm": lambda: reel.nn.BatchNorm(decay=0.5),
    "generator": lambda: reel.nn.Dense(2, generator=reel.random.Generator(5)),
}
OTHERS = {
    "conv": (lambda: reel.nn.Conv2D(4, 3, "relu", groups=2, padding="same"), (1, 5, 5, 2)),
    "conv_transpose": (lambda: reel.nn.Conv2DTranspose(4, (2, 2), strides=2), (1, 5, 5, 2)),
    "depthwise": (lambda: reel.nn.DepthwiseConv2D(3, 2), (1, 5, 5, 2)),
    "group_norm": (lambda: reel.nn.GroupNorm(2), (1, 5, 4)),
    "lstm": (lambda: reel.nn.LSTM(3, sequence=False), (1, 5, 4)),
    "gru": (lambda: reel.nn.GRU(3), (1, 5, 4)),
    "rnn": (lambda: reel.nn.RNN(3, reverse=True), (1, 5, 4)),
    "attention": (lambda: reel.nn.MultiHeadAttention(4, 2, causal=True, rotary=True), (1, 5, 4)),
}


@pytest.mark.parametrize("make,shape", [*((m, (4, 3)) for m in LAYERS.values()), *OTHERS.values()],
                         ids=[*LAYERS, *OTHERS])  # fmt: skip
def test_copies_of_layers_before_and_after_their_first_call(make, shape):
    x = reel.random.normal(shape)
    layer = make()
    for new in copies(layer):
        assert new.name == layer.name and len(new.variables) == len(layer.variables)
    y = layer(x)
    key = reel.random.default_generator().key()
    for new in copies(layer):
        assert type(new) is type(layer) and new.name == layer.name
        assert [v.name for v in new.variables] == [v.name for v in layer.variables]
        assert [v.trainable for v in new.variables] == [v.trainable for v in layer.variables]
        assert not {v._id for v in new.variables} & {v._id for v in layer.variables}
        assert np.array_equal(new(x), y)
    assert np.array_equal(key, reel.random.default_generator().key())


def test_every_class_is_copied_above():
    def classes(base):
        return {base, *(c for s in base.__subclasses__() if s.__module__.startswith("reel.") for c in classes(s))}

    layers = [make() for make in LAYERS.values()] + [make() for make, _ in OTHERS.values()]
    layers.append(reel.nn.Sequential())
    dimensions = ("Conv1D", "Conv3D", "Conv1DTranspose")  # as their twins
    assert {c.__name__ for c in classes(reel.nn.Layer)} == {
        *(c.__name__ for layer in layers for c in type(layer).__mro__[:-1]), "Embedding", *dimensions}  # fmt: skip
    made = {type(make()) for make in OPTIMIZERS.values()}
    assert classes(reel.optim.Optimizer) == {*made, reel.optim.Optimizer}


def test_copies_of_layers_keep_what_they_share():
    shared = reel.nn.Dense(3, inputs=3)
    model = reel.nn.Sequential(shared, reel.nn.Dense(3), shared)
    model(X)
    for new, kernel in copies((model, shared.variables[0])):
        assert len(new.variables) == 4 and new.variables[0] is kernel


class Custom(reel.nn.Dense):
    def __init__(self, size, note):
        super().__init__(size, "relu")
        self.note = note


def test_copies_of_subclasses():
    layer = Custom(2, "hello")
    y = layer(X)
    for new in copies(layer):
        assert type(new) is Custom and new.note == "hello" and np.array_equal(new(X), y)


OPTIMIZERS = {
    "sgd": lambda: reel.optim.SGD(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: reel.optim.Adam(reel.optim.cosine_decay(0.1, 20, warmup_steps=3), amsgrad=True),
    "adamw": lambda: reel.optim.AdamW(weight_decay=(0.1, is_matrix)),
    "adamax": lambda: reel.optim.Adamax(),
    "nadam": lambda: reel.optim.Nadam(rate),
    "rmsprop": lambda: reel.optim.RMSprop(momentum=0.5, centered=True),
    "adagrad": lambda: reel.optim.Adagrad(reel.optim.piecewise_constant([2, 4], [0.1, 0.2, 0.3])),
    "adadelta": lambda: reel.optim.Adadelta(reel.optim.linear_warmup(2, reel.optim.exponential_decay(0.1, 0.9, 3))),
    "lion": lambda: reel.optim.Lion(reel.optim.polynomial_decay(0.1, 1e-3, 5)),
    "lamb": lambda: reel.optim.Lamb(),
    "adafactor": lambda: reel.optim.Adafactor(reel.optim.inverse_sqrt_decay(0.1, 4)),
}


def is_matrix(v):
    return len(v.shape) > 1


def rate(step):
    return 0.1 / (step + 1)


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_copies_of_models_with_optimizers_go_on_alike(make):
    net, optimizer = Net(), make()
    for first in (False, True):
        if first:
            step(net, optimizer)
        reel.random.seed(3)
        sides = copies((net, optimizer))
        for new in sides:
            reel.random.seed(3)
            step(*new)
            step(*new)
        reel.random.seed(3)
        again = copy.deepcopy((net, optimizer))
        step(*again)
        step(*again)
        if not first:
            continue  # initial values are drawn
        for new in sides:
            assert equal(new[0].state_dict(), again[0].state_dict()) and equal(
                new[1].state_dict(), again[1].state_dict()
            )
        reel.random.seed(3)
        step(net, optimizer)
        step(net, optimizer)
        assert equal(net.state_dict(), again[0].state_dict()) and equal(optimizer.state_dict(), again[1].state_dict())


def test_copies_of_generators_and_all_else():
    g = reel.random.Generator(3)
    reel.random.uniform((3,), generator=g)
    for new in copies(g):
        assert np.array_equal(
            reel.random.uniform((2,), generator=copy.deepcopy(g)), reel.random.uniform((2,), generator=new)
        )
    default = reel.random.default_generator()
    for new in copies(default):
        assert new.state is default.state
    key = reel.random.Generator.from_key(np.array([1, 2]))
    for new in copies(key):
        assert np.array_equal(new.key(), [1, 2])
    g.load_state_dict({"state": np.array([7, 0])})
    assert equal(g.state_dict(), {"state": reel.asarray([7, 0])})
    w = reel.Variable([1.0, 2.0], name="w")
    average = reel.optim.ExponentialMovingAverage(0.5, warmup=True)
    average.update([w])
    for new in copies(average):
        assert equal(new.state_dict(), average.state_dict()) and np.array_equal(new.average(w).value(), [1, 2])
    for new in copies(reel.optim.LossScale(64.0)):
        assert float(new.state_dict()["scale"]) == 64
    for new in copies(reel.optim.cosine_decay(0.1, 10)):
        assert float(new(5)) == float(reel.optim.cosine_decay(0.1, 10)(5))
    for new in copies(reel.nn.Sequential(reel.nn.Dropout(0.25), reel.nn.Flatten(), reel.nn.relu)):
        assert np.array_equal(new(X), np.maximum(X, 0))
    assert [type(new) for new in copies(reel.nn.Dropout(0.25))] == [reel.nn.Dropout] * 2


def test_what_cannot_be_pickled_says_what_to_do():
    for x in (reel.nn.Dense(2, lambda x: x), reel.optim.Adam(lambda step: 0.1)):
        with pytest.raises(reel.InvalidArgumentError, match="define it with def at the top of a module"):
            pickle.dumps(x)
        copy.deepcopy(x)


# --- checkpoints ---


def test_slots_are_restored_before_the_first_step(tmp_path):
    net, optimizer = Net(), reel.optim.Adam()
    step(net, optimizer)
    generator = reel.random.default_generator()
    checkpoint = reel.Checkpoint(tmp_path / "run", keep=2, model=net, optimizer=optimizer, generator=generator, epoch=1)
    assert checkpoint.restore() is None
    for checkpoint.epoch in range(2, 6):
        path = checkpoint.save()
    assert path == str(tmp_path / "run-4.safetensors")
    assert checkpoint.files == [str(tmp_path / f"run-{n}.safetensors") for n in (3, 4)]
    step(net, optimizer)
    wanted = net.state_dict()

    net, optimizer = Net(), reel.optim.Adam()
    checkpoint = reel.Checkpoint(tmp_path / "run", model=net, optimizer=optimizer, generator=generator, epoch=0)
    assert checkpoint.restore() == path and checkpoint.epoch == 5
    assert checkpoint.restore(tmp_path / "run-3.safetensors") and checkpoint.epoch == 4
    assert set(reel.load_weights(path)) == {
        *(f"model/{n}" for n in net.state_dict()),
        *(f"optimizer/{n}" for n in optimizer.state_dict()),
        "generator",
        "epoch",
    }
    step(net, optimizer)
    assert equal(wanted, net.state_dict())
    with pytest.raises(reel.Error, match="missing: .more. .*extra: .optimizer/beta_1.*extra: .generator"):
        reel.Checkpoint(tmp_path / "run", model=net, optimizer=reel.optim.SGD(), more=reel.Variable(1.0)).restore()
    with pytest.raises(AttributeError, match="no part 'step'"):
        checkpoint.step = 3


RUN = """
import os, sys, time
import reel

folder, steps = sys.argv[1], int(sys.argv[2])
generator = reel.random.Generator(5)
first, last = reel.nn.Dense(16, "tanh", generator=generator), reel.nn.Dense(1, generator=generator)
model = reel.nn.Sequential(first, reel.nn.Dropout(0.5), last)
optimizer = reel.optim.Adam(reel.optim.cosine_decay(0.05, 60))

@reel.function
def train(x, y):
    with reel.GradientTape() as tape:
        loss = reel.mean((model(x) - y) ** 2)
    variables = model.variables
    optimizer.apply(tape.gradient(loss, variables), variables)
    return loss

default = reel.random.default_generator()
checkpoint = reel.Checkpoint(folder + "/", model=model, optimizer=optimizer, data=generator, dropout=default, step=0)
checkpoint.restore()
with reel.nn.training():
    while checkpoint.step < steps:
        x = reel.random.normal((8, 4), generator=generator)
        train(x, reel.sum(x, axis=1, keepdims=True))
        checkpoint.step += 1
        print(checkpoint.step, flush=True)
        checkpoint.save()
"""


def run(folder, steps, kill_at=None, delay=0):
    """Runs the program; kills it a while after it came to a step. The steps that it ran, and whether it was killed."""
    process = subprocess.Popen([sys.executable, "-c", RUN, str(folder), str(steps)], stdout=subprocess.PIPE, text=True)
    seen = []
    for line in process.stdout:
        seen.append(int(line))
        if kill_at is not None and seen[-1] >= kill_at:
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            kill_at = None
    return seen, process.wait() == -signal.SIGKILL


def newest(folder):
    names = [n for n in os.listdir(folder) if n.endswith(".safetensors")]
    return os.path.join(folder, max(names, key=lambda n: int(n.split("-")[1].split(".")[0])))


def test_a_killed_run_ends_as_one_that_was_not(tmp_path):
    kills = int(os.environ.get("REEL_TEST_KILLS", "12"))
    steps = 5 * kills
    assert run(tmp_path / "whole", steps) == (list(range(1, steps + 1)), False)
    seed = random.randrange(1000)
    rng, ran = random.Random(seed), []
    for step_ in sorted(rng.sample(range(1, steps - 10), kills)):
        seen, killed = run(tmp_path / "killed", steps, step_, rng.choice([0, rng.uniform(0, 0.004)]))
        assert killed, seed
        ran += seen
    ran += run(tmp_path / "killed", steps)[0]
    assert set(ran) == set(range(1, steps + 1)), seed
    assert len(ran) > steps, seed  # some steps were lost, and ran again
    whole, resumed = (reel.load_weights(newest(tmp_path / n)) for n in ("whole", "killed"))
    assert int(resumed["step"]) == steps and equal(whole, resumed)


# --- files of others ---


def test_a_file_of_pytorch():
    values = reel.load_weights(os.path.join(os.path.dirname(__file__), "../data/torch.safetensors"))
    assert {n: v.dtype.name for n, v in values.items()} == {
        "linear.weight": "float32", "linear.bias": "bfloat16", "half": "float16", "step": "int64", "mask": "bool",
        "empty": "float64", "z": "complex64"}  # fmt: skip
    assert np.array_equal(values["linear.weight"], np.arange(6.0).reshape(2, 3) / 4)
    assert np.array_equal(reel.astype(values["linear.bias"], reel.float32), [1.5, -2])
    assert np.array_equal(values["half"], [0.5, 65504]) and int(values["step"]) == 7
    assert np.array_equal(values["mask"], [True, False]) and values["empty"].shape == (0, 4)
    assert np.array_equal(values["z"], [1 + 2j])


def test_files_of_numpy(tmp_path):
    arrays = {"a/kernel": np.arange(6.0).reshape(2, 3), "b": np.array([True, False]), "c": np.complex128(1 + 2j)}
    np.savez(tmp_path / "plain.npz", **arrays)
    np.savez_compressed(tmp_path / "small.npz", zeros=np.zeros(100_000), **arrays)
    for name in ("plain.npz", "small.npz"):
        values = reel.load_weights(tmp_path / name)
        assert all(
            np.array_equal(values[n], arrays[n]) and values[n].dtype.name == arrays[n].dtype.name for n in arrays
        )
    reel.save_weights(tmp_path / "ours.npz", arrays)
    with np.load(tmp_path / "ours.npz") as ours:
        assert list(ours) == list(arrays) and all(np.array_equal(ours[n], arrays[n]) for n in arrays)


@pytest.mark.parametrize("dtype", ["?", "i1", "<f2", "<f4", "<f8", "<c16"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (4, 1, 3, 2), (0, 3), (3, 0)])
def test_fortran_order_of_numpy(tmp_path, shape, dtype):
    x = np.asfortranarray((np.arange(np.prod(shape, dtype=int)) % 2 + 1).cumsum().reshape(shape).astype(dtype))
    np.savez(tmp_path / "f.npz", x=x)
    (back,) = reel.load_weights(tmp_path / "f.npz").values()
    assert back.shape == x.shape and np.array_equal(back, x)  # of rank 0 NumPy makes rank 1


def test_a_bomb_is_refused(tmp_path):
    """An entry that says it is 4 GB."""
    file = io.BytesIO()
    np.savez_compressed(file, a=np.zeros(1000))
    bytes_ = bytearray(file.getvalue())
    size = struct.pack("<I", np.zeros(1000).nbytes + 128)
    assert bytes(bytes_).count(size) >= 1
    (tmp_path / "x.npz").write_bytes(bytes(bytes_).replace(size, b"\xf0\xff\xff\xff"))
    with pytest.raises(reel.Error, match="damaged .npz"):
        reel.load_weights(tmp_path / "x.npz")


def test_a_safetensors_header_is_what_the_format_says(tmp_path):
    reel.save_weights(
        tmp_path / "x.safetensors",
        {"b": np.ones(3, np.uint8), "a": np.ones((2, 2)), "h": reel.ones(2, dtype="bfloat16")},
    )
    data = (tmp_path / "x.safetensors").read_bytes()
    (n,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + n])
    assert n % 8 == 0 and list(header) == ["b", "a", "h"]
    assert header["a"] == {"dtype": "F64", "shape": [2, 2], "data_offsets": [0, 32]}
    assert header["h"] == {"dtype": "BF16", "shape": [2], "data_offsets": [32, 36]}
    assert header["b"] == {"dtype": "U8", "shape": [3], "data_offsets": [36, 39]} and len(data) == 8 + n + 39


def test_weights_of_a_layer_without_variables(tmp_path):
    model = reel.nn.Sequential(reel.nn.Dense(4))
    with pytest.raises(reel.Error, match="has no variables yet; call the model once"):
        model.save_weights(tmp_path / "e.safetensors")
    assert not (tmp_path / "e.safetensors").exists()


def test_slots_of_counted_layers(tmp_path):
    """A layer without a name is called after how many there were: its slots were lost without a word."""

    def run(steps, restore):
        layer, optimizer = reel.nn.Dense(2), reel.optim.Adam(0.1)
        checkpoint = reel.Checkpoint(tmp_path / "c", model=layer, optimizer=optimizer)
        if restore:
            checkpoint.restore()
        for _ in range(steps):
            with reel.GradientTape() as tape:
                loss = reel.mean(layer(reel.ones((3, 4))) ** 2)
            optimizer.apply(tape.gradient(loss, layer.variables), layer.variables)
        checkpoint.save()

    run(2, restore=False)
    with pytest.raises(ValueError, match="slots were loaded for 'dense.*give them names"):
        run(1, restore=True)


@pytest.mark.parametrize("name", ["kep", "keeps", "max_to_keep", "Keep", "keep_last"])
def test_a_misspelt_option_of_a_checkpoint_is_no_part(tmp_path, name):
    with pytest.raises(TypeError, match=f"checkpoint: there is no option '{name}'; did you mean 'keep'?"):
        reel.Checkpoint(tmp_path / "run", **{name: 5})
    reel.Checkpoint(tmp_path / "run", keeper=reel.nn.Dense(2), step=0, epoch=3)


def test_damaged_elements_of_a_checkpoint_are_named(tmp_path):
    w = reel.Variable([1.0, 2.0], name="w")
    path = reel.Checkpoint(tmp_path / "run", w=w).save()
    data = bytearray(pathlib.Path(path).read_bytes())
    data[-1] ^= 4
    pathlib.Path(path).write_bytes(data)
    with pytest.raises(reel.DataLossError, match='run-1.safetensors.*entry "w": its elements do not have its checksum'):
        reel.Checkpoint(tmp_path / "run", w=w).restore(path)
    assert w.numpy().tolist() == [1.0, 2.0]
