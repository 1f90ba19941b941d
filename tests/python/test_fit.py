"""reel.fit and reel.callbacks: what a run says, when it ends, and what it leaves where it is killed."""

import csv
import io
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import reel
from reel.callbacks import Callback, Checkpoints, CSVLogger, EarlyStopping, Lambda, Progress


class Told(Callback):
    """Notes every call."""

    def __init__(self):
        self.calls = []

    def __getattribute__(self, name):
        if not name.startswith("on_"):
            return super().__getattribute__(name)
        return lambda *arguments: self.calls.append((name[3:], *arguments))


def numbers(path):
    with open(path, newline="") as file:
        return [(int(r["step"]), r) for r in csv.DictReader(file)]


def test_the_order_of_what_is_told():
    told = Told()
    values = iter([4.0, 2.0, 6.0, 5.0])
    history = reel.fit(lambda x: next(values), [1, 2], epochs=2, validate=lambda: 7, callbacks=[told])
    a = [("epoch_begin", 0, {}), ("train_batch_begin", 1, {}), ("train_batch_end", 1, {"loss": 4.0})]
    b = [("train_batch_begin", 2, {}), ("train_batch_end", 2, {"loss": 2.0})]
    c = [("test_begin", {}), ("test_end", {"val_loss": 7.0})]
    assert told.calls[:9] == [("train_begin", {}), *a, *b, *c, ("epoch_end", 0, {"loss": 3.0, "val_loss": 7.0})]
    assert told.calls[-1] == ("train_end", {}) and told.calls[-2][:2] == ("epoch_end", 1)
    assert history.history == {"loss": [3.0, 5.5], "val_loss": [7.0, 7.0]} and history.epoch == [0, 1]
    assert list(history.logs["loss"].steps) == [1, 2, 3, 4] and list(history.logs["val_loss"].steps) == [2, 4]
    assert "val_loss 7" in repr(history)


@pytest.mark.parametrize(
    "data, step, expected",
    [
        ([(1, 2)], lambda a, b: a + b, {"loss": [3.0]}),
        ([[1, 2]], lambda a, b: {"loss": a, "other": b}, {"loss": [1.0], "other": [2.0]}),
        ([{"a": 5}], lambda batch: batch["a"], {"loss": [5.0]}),
        ([3], lambda x: None, {}),
        ([reel.asarray(3.0)], lambda x: x * 2, {"loss": [6.0]}),
    ],
)
def test_batches_and_results(data, step, expected):
    assert reel.fit(step, data).history == expected


def test_a_compiled_step_learns():
    w = reel.Variable(reel.zeros(3))

    @reel.function
    def step(x, y):
        with reel.GradientTape() as tape:
            loss = reel.mean((x @ w - y) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    x = reel.random.normal((64, 3), generator=reel.random.Generator(0))
    history = reel.fit(step, [(x, reel.sum(x, axis=1))], epochs=50)
    assert history.history["loss"][-1] < 1e-2 * history.history["loss"][0]


@pytest.mark.parametrize(
    "options, steps, validated",
    [
        ({}, 4, [4]),
        ({"epochs": 3}, 12, [4, 8, 12]),
        ({"steps": 6}, 6, [4, 6]),
        ({"steps": 6, "epochs": 1}, 4, [4]),
        ({"epochs": 2, "validate_every": 3}, 8, [3, 6]),
        ({"steps": 5, "validate_every": 2}, 5, [2, 4, 5]),
    ],
)
def test_the_end_and_validations(options, steps, validated):
    history = reel.fit(lambda x: 1.0, range(4), validate=lambda: {"loss": 2.0}, **options)
    assert history.logs["loss"].steps[-1] == steps
    assert list(history.logs["val_loss"].steps) == validated


def test_validation_over_data():
    history = reel.fit(lambda x: 1.0, [1], epochs=2, validate=(lambda a, b: {"sum": a + b}, [(1, 2), (3, 4)]))
    assert history.history == {"loss": [1.0, 1.0], "val_sum": [5.0, 5.0]}
    with pytest.raises(ValueError, match="gave no batch"):
        reel.fit(lambda x: 1.0, [1], epochs=2, validate=(lambda a: a, iter([1])))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: reel.fit(3, [1]), TypeError, "step must be a function, not int"),
        (lambda: reel.fit(lambda x: 1, 3), TypeError, "iterate over, not int"),
        (lambda: reel.fit(lambda x: 1, [1], steps=0), ValueError, "steps is a number from 1 on, not 0"),
        (lambda: reel.fit(lambda x: 1, [1], on_nan="no"), ValueError, "'raise', 'stop', 'ignore', not 'no'"),
        (lambda: reel.fit(lambda x: "a", [1]), TypeError, "returns the loss, a dict of numbers by name"),
        (lambda: reel.fit(lambda x: 1, [1], validate=lambda: [1]), TypeError, "validate returns"),
        (lambda: reel.fit(lambda x: 1, iter([1]), epochs=2), ValueError, "no batch in epoch 1; an iterator"),
        (lambda: Lambda(on_begin=print), TypeError, "'on_begin' is none of on_train_begin"),
        (lambda: Checkpoints(reel.Checkpoint("x", w=reel.Variable(1.0))), ValueError, "needs a part step"),
        (lambda: EarlyStopping(mode="up"), ValueError, "'min' or 'max', not 'up'"),
        (lambda: CSVLogger("x", every=0), ValueError, "every"),
        (lambda: reel.callbacks.TensorBoard("x", every=0), ValueError, "every"),
        (
            lambda: reel.fit(lambda x: 1, [1], callbacks=[EarlyStopping("accuracy")]),
            ValueError,
            "no 'accuracy'; there are: loss",
        ),
    ],
)
def test_mistakes(call, error, text):
    with pytest.raises(error, match=text.replace(".", r"\.")):
        call()


def test_nan():
    losses = [1.0, float("nan"), 3.0]
    with pytest.raises(FloatingPointError, match="step 2 is NaN"):
        reel.fit(lambda x: x, losses)
    assert list(reel.fit(lambda x: x, losses, on_nan="stop").logs["loss"].steps) == [1]
    assert list(reel.fit(lambda x: x, losses, on_nan="ignore").logs["loss"].steps) == [1, 2, 3]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_whatever_happens_files_are_closed(error, tmp_path):
    def step(x):
        if x == 2:
            raise error()
        return x

    ends = []
    logger = CSVLogger(tmp_path / "log.csv")
    bad = Lambda(on_train_end=lambda logs: 1 / 0)  # does not hide the error, nor keeps others from closing
    last = Lambda(on_train_end=lambda logs: ends.append(type(last.run.error)))
    with pytest.raises(error):
        reel.fit(step, [0, 1, 2], callbacks=[logger, bad, last])
    assert ends == [error] and logger._file is None
    assert [s for s, _ in numbers(tmp_path / "log.csv")] == [1, 2]
    with pytest.raises(ZeroDivisionError):
        reel.fit(lambda x: x, [0], callbacks=[bad])


@pytest.mark.parametrize(
    "mode, values, patience, steps",
    [
        ("min", [3, 2, 2, 1], 0, 3),
        ("min", [3, 2, 2, 1, 1, 1, 1], 1, 6),
        ("max", [1, 2, 3, 2], 0, 4),
        ("min", [float("nan"), 1, float("nan"), 0], 0, 1),
        ("min", [3, 2, 1], 0, 3),
    ],
)
@pytest.mark.parametrize("monitor", ["loss", "val_loss"])
def test_early_stopping(mode, values, patience, steps, monitor):
    given = iter(values)
    epoch = {} if monitor == "val_loss" else {"loss": 0}

    def step(x):
        return 0.0 if monitor == "val_loss" else next(given)

    validate = (lambda: next(given)) if monitor == "val_loss" else None
    stop = EarlyStopping(monitor, patience, mode=mode)
    history = reel.fit(step, [1], epochs=len(values), validate=validate, callbacks=[stop], on_nan="ignore")
    assert len(history.epoch) == steps, epoch


def trained(folder, steps, every=2, data=None):
    """A run of a weight that counts its steps."""
    w = reel.Variable(0.0)
    checkpoint = reel.Checkpoint(f"{folder}/", w=w, step=0)

    def step(x):
        w.assign_add(1.0)
        return float(w)

    log = CSVLogger(folder / "log.csv")
    callbacks = [Checkpoints(checkpoint, every), log]
    reel.fit(step, data or [0] * 5, steps=steps, callbacks=callbacks)
    return float(w), checkpoint


def test_a_run_goes_on(tmp_path):
    assert trained(tmp_path, 4)[0] == 4
    value, checkpoint = trained(tmp_path, 7)
    assert value == 7 and checkpoint.step == 7 and len(checkpoint.files) == 3
    assert [(s, r["loss"]) for s, r in numbers(tmp_path / "log.csv")] == [(n, f"{n}.0") for n in range(1, 8)]
    assert trained(tmp_path, 7)[0] == 7  # there is nothing left to do


def test_a_run_goes_on_with_the_next_batch(tmp_path):
    data = reel.data.arrays(reel.arange(10)).shuffle(1).repeat()

    def run(steps):
        w, batches, seen = reel.Variable(0), iter(data.prefetch(2)), []
        checkpoint = reel.Checkpoint(tmp_path / "run", w=w, data=batches, step=0)

        def step(x):
            seen.append(int(x))
            w.assign_add(x)

        reel.fit(step, batches, steps=steps, callbacks=[Checkpoints(checkpoint, 7)])
        return seen, int(w)

    (first, _), (second, total) = run(14), run(25)
    whole = [int(x) for x, _ in zip(data.iterate(0), range(25))]
    assert first + second == whole and total == sum(whole)


def test_a_broken_run_keeps_its_checkpoint_and_rows_are_not_twice(tmp_path):
    def broken():
        yield from [0] * 5
        raise OSError("the disk")

    with pytest.raises(OSError):
        trained(tmp_path, 100, data=broken())
    (_, last) = numbers(tmp_path / "log.csv")[-1]
    assert last["loss"] == "5.0"
    value, _ = trained(tmp_path, 6)  # goes on from step 4
    assert value == 6
    assert [s for s, _ in numbers(tmp_path / "log.csv")] == [1, 2, 3, 4, 5, 6]


def test_no_checkpoint_is_made_of_nan(tmp_path):
    w = reel.Variable(0.0)
    checkpoint = reel.Checkpoint(tmp_path / "run", w=w, step=0)
    losses = [1.0, 1.0, float("nan")]
    for on_nan in ("stop", "raise"):
        try:
            reel.fit(lambda x: x, losses, callbacks=[Checkpoints(checkpoint, 3, restore=False)], on_nan=on_nan)
        except FloatingPointError:
            pass
        assert checkpoint.files == []


def test_a_killed_run_keeps_its_rows(tmp_path):
    program = f"""
        import time, reel
        reel.fit(lambda x: time.sleep(0.001) or x, range(10**6), callbacks=[reel.callbacks.CSVLogger({str(tmp_path / "log.csv")!r})])
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)])
    path = tmp_path / "log.csv"
    while child.poll() is None and (not path.exists() or path.read_text().count("\n") < 5):
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    text = path.read_text()
    assert text.startswith("step,epoch,loss\n1,0,0.0\n2,0,1.0\n") and text.endswith("\n")


def test_new_columns(tmp_path):
    path = tmp_path / "new" / "log.csv"
    results = iter([{"a": 1.0}, {"a": 2.0, "b": 3.0}, {"b": 4.0}])
    reel.fit(lambda x: next(results), range(3), callbacks=[CSVLogger(path)])
    assert path.read_text() == "step,epoch,a,b\n1,0,1.0,\n2,0,2.0,3.0\n3,0,,4.0\n"
    reel.fit(lambda x: {"a": 1.0}, range(1), callbacks=[CSVLogger(path)])  # from the start: a log of its own
    assert path.read_text() == "step,epoch,a\n1,0,1.0\n"
    assert os.listdir(path.parent) == ["log.csv"]


def test_another_file_is_not_overwritten(tmp_path):
    path = tmp_path / "thesis.csv"
    path.write_text("name,age\n")
    with pytest.raises(ValueError, match="does not begin with step,epoch"):
        reel.fit(lambda x: x, [1], callbacks=[CSVLogger(path)])
    assert path.read_text() == "name,age\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress(monkeypatch):
    pipe, terminal = io.StringIO(), Terminal()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    for stream in (pipe, terminal):
        reel.fit(lambda x: x, range(3), epochs=2, callbacks=[Progress(stream=stream)])
    assert pipe.getvalue() == ""
    assert terminal.getvalue().startswith("\r\x1b[Kstep 1/6  loss 0  ")
    assert "step 6/6  loss 2  " in terminal.getvalue() and terminal.getvalue().endswith(" steps/s\n")


def test_progress_by_tqdm():
    pytest.importorskip("tqdm")
    terminal = Terminal()
    reel.fit(lambda x: x, range(3), callbacks=[Progress(stream=terminal)])
    assert "3/3" in terminal.getvalue() and "loss=2" in terminal.getvalue()
