"""What reel.fit tells while a run goes on: logs, checkpoints, progress, an early end.

    reel.fit(train, data, steps=2000, validate=evaluate, validate_every=250, callbacks=[
        reel.callbacks.Checkpoints(checkpoint, every=250),
        reel.callbacks.CSVLogger("run/log.csv"),
        reel.callbacks.TensorBoard("run"),
        reel.callbacks.Progress(),
    ])

They are told in this order; Checkpoints comes first, since it says which step the run goes on from. One of your own
derives from Callback.
"""

from __future__ import annotations

import csv
import math
import os
import sys
import time
from collections.abc import Callable
from typing import IO, Any, Literal

from . import _core
from ._fit import Callback as Callback
from ._fit import History as History
from ._fit import Run as Run
from ._fit import Series as Series
from ._keep import Checkpoint as _Checkpoint
from ._summary import SummaryWriter as _SummaryWriter

__all__ = [
    "Callback",
    "CSVLogger",
    "Checkpoints",
    "EarlyStopping",
    "History",
    "Lambda",
    "Progress",
    "Run",
    "Series",
    "TensorBoard",
]

_METHODS = tuple(name for name in vars(Callback) if name.startswith("on_"))


class Lambda(Callback):
    """Functions as a callback: `Lambda(on_epoch_end=lambda epoch, logs: print(epoch, logs))`."""

    def __init__(self, **methods: Callable[..., Any]) -> None:
        for name, function in methods.items():
            if name not in _METHODS:
                raise _core.InvalidTypeError(f"Lambda: '{name}' is none of {', '.join(_METHODS)}")
            setattr(self, name, function)


class Checkpoints(Callback):
    """Saves a reel.Checkpoint every `every` steps, of None after each epoch, and at the end.

    At the start the newest file is restored, if there is one and `restore` is true, and the run goes on from its step: the
    checkpoint has a part `step`. A run that ends by an exception, by Ctrl-C or with a NaN leaves the last files as they are.
    """

    def __init__(self, checkpoint: _Checkpoint, every: int | None = None, *, restore: bool = True) -> None:
        if not hasattr(checkpoint, "step"):
            raise _core.InvalidArgumentError(
                "Checkpoints: the checkpoint needs a part step: reel.Checkpoint(..., step=0)"
            )
        if every is not None and every < 1:
            raise _core.InvalidArgumentError(f"Checkpoints: every is a number of steps from 1 on, not {every!r}")
        self.checkpoint, self.every, self._restore = checkpoint, every, restore
        self._saved = -1

    def on_train_begin(self, logs: dict[str, float]) -> None:
        if self._restore:
            self.checkpoint.restore()
        self._saved = self.run.step = self.checkpoint.step

    def on_train_batch_end(self, step: int, logs: dict[str, float]) -> None:
        if self.every is not None and step % self.every == 0:
            self._save()

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        if self.every is None and not self.run.nan:
            self._save()

    def on_train_end(self, logs: dict[str, float]) -> None:
        if self.run.error is None and not self.run.nan:
            self._save()

    def _save(self) -> None:
        if self._saved != self.run.step:
            self._saved = self.checkpoint.step = self.run.step
            self.checkpoint.save()


class EarlyStopping(Callback):
    """Stops the run where a number has not got better for more than `patience` validations, or epochs.

    Names with val_ before them are looked at after each validation, others, means over an epoch, at its end. Better is less
    than the best by more than `min_delta`, with mode="max" more. NaN is never better.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        patience: int = 0,
        *,
        min_delta: float = 0.0,
        mode: Literal["min", "max"] = "min",
    ) -> None:
        if mode not in ("min", "max"):
            raise _core.InvalidArgumentError(f"EarlyStopping: the mode is 'min' or 'max', not {mode!r}")
        self.monitor, self.patience, self.min_delta = monitor, patience, min_delta
        self._sign = 1.0 if mode == "min" else -1.0
        self.best, self.best_step, self._worse = math.inf * self._sign, 0, 0

    def on_train_begin(self, logs: dict[str, float]) -> None:
        self.best, self.best_step, self._worse = math.inf * self._sign, 0, 0

    def on_test_end(self, logs: dict[str, float]) -> None:
        if self.monitor.startswith("val_"):
            self._look(logs)

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        if not self.monitor.startswith("val_") or self.monitor not in logs:
            self._look(logs)

    def _look(self, logs: dict[str, float]) -> None:
        if self.monitor not in logs:
            raise _core.InvalidArgumentError(
                f"EarlyStopping: there is no '{self.monitor}'; there are: {', '.join(logs) or 'no numbers'}"
            )
        value = logs[self.monitor]
        if self._sign * (self.best - value) > self.min_delta:
            self.best, self.best_step, self._worse = value, self.run.step, 0
            return
        self._worse += 1
        if self._worse > self.patience:
            self.run.stop(f"{self.monitor} has not got better than {self.best:.6g}, of step {self.best_step}")


class CSVLogger(Callback):
    """A file of comma-separated values: step, epoch, and the numbers of each step by name. A validation has a row of its
    own, in which the others are empty.

    Each row is written when it is there, so a run that is killed keeps them. A run that goes on from a checkpoint appends;
    rows of steps after the checkpoint's, which come again, are left out first. `every`: of how many steps one has a row.
    """

    def __init__(self, path: str | os.PathLike[str], every: int = 1) -> None:
        if every < 1:
            raise _core.InvalidArgumentError(f"CSVLogger: every is a number of steps from 1 on, not {every!r}")
        self.path, self.every = os.fspath(path), every
        self._file: IO[str] | None = None
        self._names: list[str] = []

    def on_train_batch_end(self, step: int, logs: dict[str, float]) -> None:
        if step % self.every == 0:
            self._write(logs)

    def on_test_end(self, logs: dict[str, float]) -> None:
        self._write(logs)

    def on_train_end(self, logs: dict[str, float]) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None

    def _write(self, logs: dict[str, float]) -> None:
        if self._file is None:
            self._open(self._kept(self.run.step - 1), list(logs))
        elif not set(logs) <= set(self._names):
            self._file.close()
            self._open(self._kept(self.run.step), list(logs))
        assert self._file is not None
        row = [str(self.run.step), str(self.run.epoch), *(repr(logs[n]) if n in logs else "" for n in self._names)]
        csv.writer(self._file, lineterminator="\n").writerow(row)

    def _kept(self, last: int) -> list[dict[str, str]]:
        """The rows that there are, up to a step."""
        try:
            with open(self.path, newline="", encoding="utf-8") as file:
                lines = file.readlines()
        except FileNotFoundError:
            return []
        if lines and not lines[0].startswith("step,epoch"):
            raise _core.InvalidArgumentError(
                f"CSVLogger: {self.path!r} is another file: its first line does not begin with step,epoch"
            )
        rows = list(csv.DictReader(line for line in lines if line.endswith("\n")))
        return [row for row in rows if (row["step"] or "").isdecimal() and int(row["step"]) <= last]

    def _open(self, rows: list[dict[str, str]], names: list[str]) -> None:
        """The file anew, whole or not at all, with these rows and all names; then it is appended to."""
        known = [n for n in (rows[0] if rows else {}) if n is not None]
        self._names = [n for n in dict.fromkeys([*known, *self._names, *names]) if n not in ("step", "epoch")]
        os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
        with open(self.path + ".new", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, ["step", "epoch", *self._names], "", "ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        os.replace(self.path + ".new", self.path)
        self._file = open(self.path, "a", buffering=1, newline="", encoding="utf-8")


class TensorBoard(Callback):
    """Curves, and what else there is to see, in an event file for TensorBoard: `tensorboard --logdir folder`.

    `every`: of how many steps one is in the curves. `graph`: of a step that reel.function compiled, its graph. `weights`: a
    model or variables whose values are shown as histograms, every `weights_every` steps. Other options are those of
    reel.SummaryWriter.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        every: int = 1,
        graph: bool = True,
        weights: Any = None,
        weights_every: int = 100,
        **options: Any,
    ) -> None:
        if every < 1 or weights_every < 1:
            raise _core.InvalidArgumentError("TensorBoard: every and weights_every are numbers of steps from 1 on")
        self.folder, self.every, self.graph = os.fspath(folder), every, graph
        self.weights, self.weights_every, self._options = weights, weights_every, options
        self._writer: _SummaryWriter | None = None

    @property
    def writer(self) -> _SummaryWriter:
        """The writer of this run, for numbers of your own; it is there from the first step on."""
        if self._writer is None:
            going_on = self.run.step > 1
            self._writer = _SummaryWriter(
                self.folder, **{"purge_step": self.run.step if going_on else None, **self._options}
            )
        return self._writer

    def on_train_batch_end(self, step: int, logs: dict[str, float]) -> None:
        if self._writer is None and self.graph and hasattr(self.run.step_function, "get_graph"):
            batch = self.run.batch
            self.writer.add_graph(self.run.step_function, *(batch if isinstance(batch, (tuple, list)) else (batch,)))
        if step % self.every == 0:
            self._add(logs)
        if self.weights is not None and step % self.weights_every == 0:
            for variable in getattr(self.weights, "variables", self.weights):
                self.writer.add_histogram(variable.name, variable, step)

    def on_test_end(self, logs: dict[str, float]) -> None:
        self._add(logs)

    def on_train_end(self, logs: dict[str, float]) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer = None

    def _add(self, logs: dict[str, float]) -> None:
        for name, value in logs.items():
            self.writer.add_scalar(name, value, self.run.step)


class Progress(Callback):
    """The step, its numbers and the speed on the terminal's last line: tqdm's bar where that is installed. Where the
    error output is no terminal, nothing."""

    def __init__(self, *, seconds: float = 0.1, stream: IO[str] | None = None) -> None:
        self._seconds, self._stream = seconds, stream
        self._bar: Any = None
        self._logs: dict[str, float] = {}
        self._first = 0
        self._begun = self._shown = 0.0

    def on_train_begin(self, logs: dict[str, float]) -> None:
        self._out = self._stream or sys.stderr
        self._terminal = bool(getattr(self._out, "isatty", lambda: False)())
        self._bar, self._logs, self._begun, self._shown = None, {}, time.monotonic(), 0.0

    def on_train_batch_end(self, step: int, logs: dict[str, float]) -> None:
        if not self._terminal:
            return
        if not self._shown:
            self._first = step - 1
            self._bar = _bar(self.run.total, self._first, self._out, self._seconds)
        self._logs.update(logs)
        now = time.monotonic()
        if now - self._shown >= self._seconds:
            self._shown = now
            self._show()
        if self._bar is not None:
            self._bar.update(step - self._bar.n)

    def on_test_end(self, logs: dict[str, float]) -> None:
        self._logs.update(logs)

    def on_train_end(self, logs: dict[str, float]) -> None:
        if not self._terminal or not self._shown:
            return
        self._show()
        if self._bar is not None:
            self._bar.close()
        else:
            self._out.write("\n")
            self._out.flush()

    def _show(self) -> None:
        numbers = {name: f"{value:.4g}" for name, value in self._logs.items()}
        if self._bar is not None:
            self._bar.set_postfix(numbers, refresh=False)
            return
        run, total = self.run, self.run.total
        speed = (run.step - self._first) / max(time.monotonic() - self._begun, 1e-9)
        of = "" if total is None else f"/{total}"
        line = "  ".join([f"step {run.step}{of}", *(f"{n} {v}" for n, v in numbers.items()), f"{speed:.1f} steps/s"])
        self._out.write(f"\r\x1b[K{line}")
        self._out.flush()


def _bar(total: int | None, first: int, out: IO[str], seconds: float) -> Any:
    """A bar of tqdm's, or None without it."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, initial=first, unit="step", file=out, mininterval=seconds, dynamic_ncols=True)
