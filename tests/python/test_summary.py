"""Event files: every byte against a reader of its own, and TensorBoard's reader where that is installed."""

import math
import os
import re
import signal
import struct
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import reel
from event_reader import crc32c, double, events, first, message, nodes, signed, values

FLOAT, INT64 = 1, 9  # of TensorFlow's types.proto


def clock():
    """A clock that ticks once at each look."""
    now = [1000.0]

    def tick():
        now[0] += 1
        return now[0]

    return tick


def written(folder, write, **options):
    """The events of what `write` adds, behind the first."""
    with reel.SummaryWriter(folder, clock=clock(), **options) as writer:
        write(writer)
    (_, _, head), *rest = events(writer.path)
    assert first(head, 3) == b"brain.Event:2"
    return rest


def one_value(folder, write):
    ((time, step, event),) = written(folder, write)
    (value,) = values(event)
    return time, step, value


def test_crc_of_the_reader():
    assert crc32c(bytes(32)) == 0x8A9136AA and crc32c(bytes(range(32))) == 0x46DD794E  # RFC 3720, B.4


@pytest.mark.parametrize("value", [0.5, -3, 1e-30, math.nan, math.inf, reel.asarray(2.0), np.float64(7), True])
def test_scalars(tmp_path, value):
    time, step, v = one_value(tmp_path, lambda w: w.add_scalar("train/loss é", value, 12))
    assert step == 12 and time == 1003.0
    assert first(v, 1).decode() == "train/loss é"
    np.testing.assert_equal(struct.unpack("<f", first(v, 2))[0], np.float32(float(value)))


def test_negative_steps_and_the_name_of_the_file(tmp_path):
    (event,) = written(tmp_path / "a" / "b", lambda w: w.add_scalar("x", 1, -1))
    assert signed(event[1]) == -1
    (name,) = os.listdir(tmp_path / "a" / "b")
    assert re.fullmatch(rf"events\.out\.tfevents\.1001\..+\.{os.getpid()}\.0", name)


@pytest.mark.parametrize(
    "x",
    [
        np.random.default_rng(0).normal(size=(10, 100)).astype("float32"),
        np.array([0.0, 0.0]),
        np.array([-1e30, 1e30, 1e-30, 1.0, 1.0]),
        np.arange(-5, 6),
        np.array([True, False, True]),
        np.array([], "float32"),
        np.array(3.5),
        np.arange(200, dtype="uint8"),
    ],
)
def test_histograms(tmp_path, x):
    _, _, v = one_value(tmp_path, lambda w: w.add_histogram("h", x, 1))
    h = message(first(v, 5))
    limits, counts = (np.frombuffer(first(h, n), "<f8") for n in (6, 7))
    flat = x.astype("float64").ravel()
    assert [double(first(h, n, bytes(8))) for n in (1, 2, 3)] == [
        flat.min() if x.size else 0,
        flat.max() if x.size else 0,
        x.size,
    ]
    assert double(first(h, 4, bytes(8))) == pytest.approx(flat.sum())
    assert double(first(h, 5, bytes(8))) == pytest.approx((flat**2).sum())
    positive = [1e-12 * 1.1**n for n in range(2000) if 1e-12 * 1.1**n < 1e20]
    largest = sys.float_info.max
    all_limits = np.array([-largest, *(-p for p in reversed(positive)), 0, *positive, largest])
    expected = dict.fromkeys(range(len(all_limits)), 0)
    for value in flat:
        expected[int(np.searchsorted(all_limits, value, side="right"))] += 1
    places = [int(np.argmin(np.abs(all_limits - limit))) for limit in limits]
    np.testing.assert_allclose(limits, all_limits[places], rtol=1e-12)
    assert {p: c for p, c in zip(places, counts) if c} == {p: c for p, c in expected.items() if c}
    assert not any(a == 0 and b == 0 for a, b in zip(counts, counts[1:]))


def test_text(tmp_path):
    _, step, v = one_value(tmp_path, lambda w: w.add_text("notes", "# *Réel*"))
    tensor, metadata = message(first(v, 8)), message(first(v, 9))
    assert step == 0 and first(tensor, 1) == 7 and first(tensor, 8).decode() == "# *Réel*"
    assert first(message(first(metadata, 1)), 1) == b"text" and first(metadata, 4) == 2


def model_step():
    model = reel.nn.Sequential(reel.nn.Dense(8, "tanh", name="dense"), reel.nn.Dense(3, name="head"))
    optimizer = reel.optim.Adam(1e-2)

    @reel.function
    def train(x, labels):
        with reel.GradientTape() as tape:
            loss = reel.nn.softmax_cross_entropy(model(x), labels)
        optimizer.apply(tape.gradient(loss, model.variables), model.variables)
        return loss

    x, labels = reel.ones((16, 4)), reel.zeros(16, dtype=reel.int64)
    train(x, labels)
    return train, model, x, labels


def test_graphs(tmp_path):
    train, model, x, labels = model_step()
    ((_, _, event),) = written(tmp_path, lambda w: w.add_graph(train, x, labels))
    graph = nodes(first(event, 4))
    for name, (_, inputs, _) in graph.items():
        assert re.fullmatch(r"[A-Za-z0-9.][A-Za-z0-9_./\\-]*", name)
        assert all(i.split(":")[0] in graph for i in inputs)
    assert graph["dense/kernel"] == ("Variable", [], [(FLOAT, [4, 8])])
    inputs = {(t, *shape) for n in graph if "/inputs/" in n for t, shape in graph[n][2]}
    assert inputs == {(FLOAT, 16, 4), (INT64, 16)}
    folders = {"/".join(n.split("/")[:3]) for n in graph}
    for folder in ("train/forward/dense", "train/forward/head", "train/backward/dense", "train/backward/head"):
        assert folder in folders
    assert any(f.startswith("train/update/") for f in folders) and "train/assigned/adam" in folders
    (result,) = [n for n in graph if n.startswith("train/outputs/")]
    assert graph[result][2] == [(FLOAT, [])]
    assert [n for n in graph if n.startswith("train/forward/head/contract")]
    assert not [n for n in graph if n.startswith("train/forward/adam")]
    (product,) = [n for n in graph if n.startswith("train/forward/dense/contract")]
    kernel = graph[product][1][1]  # as it is read here, for tapes: an identity of the variable
    assert (kernel == "dense/kernel" or graph[kernel][1] == ["dense/kernel"]) and graph[product][2] == [
        (FLOAT, [16, 8])
    ]


@pytest.mark.parametrize("lift", [False, True])
def test_graphs_of_models_and_modules(tmp_path, lift):
    train, model, x, labels = model_step()
    if lift:
        module = reel.Module.lift(
            {"train": train.get_graph(x, labels), "predict": (model, [reel.TensorSpec((None, 4))])}
        )
        ((_, _, event),) = written(tmp_path, lambda w: w.add_graph(module))
    else:
        ((_, _, event),) = written(tmp_path, lambda w: w.add_graph(model, x))
    graph = nodes(first(event, 4))
    tops = {n.split("/")[0] for n in graph}
    assert {"dense", "head"} <= tops and tops & {"predict", "Sequential"}
    if lift:
        assert any(n.startswith("train/backward/dense/") for n in graph)
        assert graph["predict/inputs/arg0"][2] == [(FLOAT, [-1, 4])]


@pytest.mark.parametrize(
    "write, error, text",
    [
        (lambda w: w.add_scalar("", 1, 0), ValueError, "name is empty"),
        (lambda w: w.add_scalar("a\nb", 1, 0), ValueError, "control characters"),
        (lambda w: w.add_scalar("a" * 5000, 1, 0), ValueError, "4096"),
        (lambda w: w.add_scalar(3, 1, 0), TypeError, "expected a str, not int"),
        (
            lambda w: w.add_histogram("h", [1.0, math.nan, math.inf], 0),
            ValueError,
            "of 3 values 1 are NaN and 1 are inf",
        ),
        (lambda w: w.add_histogram("h", [1j], 0), ValueError, "complex128|complex64"),
        (lambda w: w.add_text("t", 3), TypeError, "expected a str"),
        (lambda w: w.add_graph(3), TypeError, "not int"),
        (lambda w: (w.close(), w.close(), w.add_scalar("x", 1, 0)), RuntimeError, "closed"),
    ],
)
def test_mistakes(tmp_path, write, error, text):
    with pytest.raises(error, match=text):
        write(reel.SummaryWriter(tmp_path))


@pytest.mark.parametrize(
    "options, error",
    [({"flush_seconds": -1}, "flush_seconds"), ({"clock": lambda: math.nan}, "clock"), ({"clock": 3}, "clock")],
)
def test_wrong_options(tmp_path, options, error):
    with pytest.raises((ValueError, TypeError), match=error):
        reel.SummaryWriter(tmp_path, **options)


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(reel.Error, match="file"):
        reel.SummaryWriter(tmp_path / "file")


def test_when_records_are_written(tmp_path):
    writer = reel.SummaryWriter(tmp_path, clock=clock(), flush_seconds=3)

    def count():
        return len(events(writer.path)) - 1

    seen = []
    for step in range(6):
        writer.add_scalar("x", 1, step)
        seen.append(count())
    assert seen == [0, 2, 2, 2, 5, 5]
    writer.add_scalar("x", 1, 6)
    writer.flush()
    assert count() == 7


def test_a_killed_run_keeps_what_was_flushed(tmp_path):
    program = f"""
        import os, signal, reel
        writer = reel.SummaryWriter({str(tmp_path)!r}, flush_seconds=1000)
        for step in range(100):
            writer.add_scalar("x", step, step)
        writer.flush()
        writer.add_scalar("x", 100, 100)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)])
    assert run.returncode == -signal.SIGKILL
    (name,) = os.listdir(tmp_path)
    assert len(events(tmp_path / name)) == 101


def test_a_forked_child_writes_nothing_twice(tmp_path):
    writer = reel.SummaryWriter(tmp_path, flush_seconds=1000)
    writer.add_scalar("x", 1, 1)
    if (child := os.fork()) == 0:
        writer.close()
        os._exit(0)
    os.waitpid(child, 0)
    writer.close()
    assert len(events(writer.path)) == 2


def test_a_full_disk(tmp_path):
    """No half record stays; what could not be written is written later."""
    program = f"""
        import os, resource, signal, reel
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        writer = reel.SummaryWriter({str(tmp_path)!r}, flush_seconds=1000)
        for step in range(100):
            writer.add_scalar("x", step, step)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        try:
            writer.flush()
            raise SystemExit("no error")
        except reel.Error as e:
            assert "cannot write" in str(e) and "tfevents" in str(e), e
        assert os.path.getsize(writer.path) < 100
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        writer.close()
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (name,) = os.listdir(tmp_path)
    assert len(events(tmp_path / name)) == 101


def test_the_callback(tmp_path):
    train, model, x, labels = model_step()
    board = reel.callbacks.TensorBoard(tmp_path, weights=model, weights_every=2)
    reel.fit(train, [(x, labels)] * 4, validate=lambda: 5.0, callbacks=[board])
    (name,) = os.listdir(tmp_path)
    found = [(step, first(v, 1).decode()) for _, step, e in events(tmp_path / name) for v in values(e)]
    assert [s for s, tag in found if tag == "loss"] == [1, 2, 3, 4] and (4, "val_loss") in found
    assert {tag for s, tag in found if s == 2} == {"loss", *(v.name for v in model.variables)}
    assert sum(4 in e for _, _, e in events(tmp_path / name)) == 1  # the graph


def test_a_run_that_goes_on_purges(tmp_path):
    for steps in (3, 5):
        checkpoint = reel.Checkpoint(tmp_path / "run", w=reel.Variable(1.0), step=0)
        callbacks = [reel.callbacks.Checkpoints(checkpoint, 10), reel.callbacks.TensorBoard(tmp_path / "tb")]
        reel.fit(lambda x: x, range(9), steps=steps, callbacks=callbacks)
    second = sorted(os.listdir(tmp_path / "tb"), key=lambda n: os.path.getmtime(tmp_path / "tb" / n))[-1]
    _, (_, step, start), *rest = events(tmp_path / "tb" / second)
    assert step == 4 and first(message(first(start, 7)), 1) == 1
    assert [s for _, s, _ in rest] == [4, 5]


def test_tensorboard_reads_it(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    train, model, x, labels = model_step()
    with reel.SummaryWriter(tmp_path) as writer:
        for step in range(10):
            writer.add_scalar("loss", 1 / (1 + step), step)
        writer.add_histogram("h", np.linspace(-1, 1, 101), 3)
        writer.add_text("notes", "hello", 1)
        writer.add_graph(train, x, labels)
    with reel.SummaryWriter(tmp_path, purge_step=5) as writer:
        writer.add_scalar("loss", 9, 5)
    read = accumulator.EventAccumulator(str(tmp_path))
    read.Reload()
    assert [(e.step, e.value) for e in read.Scalars("loss")][:2] == [(0, 1.0), (1, 0.5)]
    assert [e.step for e in read.Scalars("loss")] == [0, 1, 2, 3, 4, 5] and read.Scalars("loss")[-1].value == 9
    histogram = read.Histograms("h")[0].histogram_value
    assert (histogram.num, histogram.min, histogram.max) == (101, -1, 1) and sum(histogram.bucket) == 101
    assert read.Tensors("notes")[0].tensor_proto.string_val[0] == b"hello"
    graph = read.Graph()
    assert len(graph.node) > 40 and any(n.name == "dense/kernel" for n in graph.node)
