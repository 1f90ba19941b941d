"""reel.fit: a plain loop around a step function, with callbacks."""

from __future__ import annotations

import array
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from . import _core

__all__ = ["Callback", "History", "Run", "Series", "fit"]

_ON_NAN = ("raise", "stop", "ignore")


class Callback:
    """What a run tells while it goes on. Derive from it, and write the methods that you need; they have Keras's names.

    `self.run` is the reel.callbacks.Run: its `step`, its `epoch`, `stop()`. Steps are counted from 1 over all epochs, those
    of the run that this one goes on from included; epochs from 0 in each run. `logs` are numbers by name.
    """

    run: Run

    def on_train_begin(self, logs: dict[str, float]) -> None:
        """Before the first step. One that restores a checkpoint sets self.run.step."""

    def on_epoch_begin(self, epoch: int, logs: dict[str, float]) -> None:
        """Before the first step of an epoch."""

    def on_train_batch_begin(self, step: int, logs: dict[str, float]) -> None:
        """Before a step."""

    def on_train_batch_end(self, step: int, logs: dict[str, float]) -> None:
        """After a step: what it returned."""

    def on_test_begin(self, logs: dict[str, float]) -> None:
        """Before a validation."""

    def on_test_end(self, logs: dict[str, float]) -> None:
        """After a validation: what it returned, each name with val_ before it."""

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        """After an epoch: means over its steps, and the last validation in it."""

    def on_train_end(self, logs: dict[str, float]) -> None:
        """After the run, however it ended; self.run.error is what it ended with, or None."""


class Series(NamedTuple):
    """The numbers of one name, and the steps they are of: `plt.plot(*history.logs["loss"])`."""

    steps: array.array[int]
    values: array.array[float]


class History(Callback):
    """What a run said: `logs`, a Series by name, and as Keras has it `history`, a number of each epoch by name."""

    def __init__(self) -> None:
        self.logs: dict[str, Series] = {}
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []

    def _add(self, logs: dict[str, float]) -> None:
        for name, value in logs.items():
            series = self.logs.setdefault(name, Series(array.array("q"), array.array("d")))
            series.steps.append(self.run.step)
            series.values.append(value)

    def on_train_batch_end(self, step: int, logs: dict[str, float]) -> None:
        self._add(logs)

    def on_test_end(self, logs: dict[str, float]) -> None:
        self._add(logs)

    def on_epoch_end(self, epoch: int, logs: dict[str, float]) -> None:
        self.epoch.append(epoch)
        for name, value in logs.items():
            self.history.setdefault(name, []).append(value)

    def __repr__(self) -> str:
        last = ", ".join(f"{name} {series.values[-1]:.6g}" for name, series in self.logs.items())
        return f"<History of {len(self.epoch)} epochs; last: {last or 'nothing'}>"


class Run:
    """A run while it goes on: what callbacks see of it."""

    def __init__(
        self, step_function: Callable[..., Any], data: Iterable[Any], steps: int | None, epochs: int | None
    ) -> None:
        self.step_function = step_function
        """What is called with each batch."""
        self.data = data
        """What the batches come from."""
        self.steps = steps
        """The number of the last step, if one was given."""
        self.epochs = epochs
        """The number of epochs, if one was given."""
        self.step = 0
        """Steps that are done, in this run and those it goes on from."""
        self.epoch = 0
        """The epoch that it is in, from 0."""
        self.batch: Any = None
        """The last batch."""
        self.error: BaseException | None = None
        """What the run ended with: an exception, KeyboardInterrupt too."""
        self.stopped = ""
        """Why somebody stopped it; empty if nobody did."""
        self.nan = False
        """Whether the loss was NaN, and `on_nan` is not "ignore"."""

    @property
    def total(self) -> int | None:
        """The number of the last step, as far as it is known before: `steps`, or the epochs times the data's length."""
        try:
            walk = None if self.epochs is None else self.epochs * len(self.data)  # type: ignore[arg-type]
        except (TypeError, _core.Error):
            walk = None
        return min((n for n in (self.steps, walk) if n is not None), default=None)

    def stop(self, why: str) -> None:
        """Ends the run after this step."""
        self.stopped = why


def _numbers(result: Any, prefix: str, what: str) -> dict[str, float]:
    """What a step or a validation returned as numbers by name."""
    if result is None:
        return {}
    named = result if isinstance(result, Mapping) else {"loss": result}
    try:
        return {prefix + str(name): float(value) for name, value in named.items()}
    except (TypeError, ValueError, _core.Error) as e:
        raise _core.InvalidTypeError(
            f"fit: {what} returns the loss, a dict of numbers by name, or None; not {type(result).__name__} ({e})"
        ) from e


def _call(function: Callable[..., Any], batch: Any) -> Any:
    return function(*batch) if isinstance(batch, (tuple, list)) else function(batch)


class _Means:
    """Means of numbers by name."""

    def __init__(self):
        self._sums, self._counts, self.count = {}, {}, 0

    def add(self, logs):
        self.count += 1
        for name, value in logs.items():
            self._sums[name] = self._sums.get(name, 0.0) + value
            self._counts[name] = self._counts.get(name, 0) + 1

    def get(self):
        return {name: total / self._counts[name] for name, total in self._sums.items()}


class _Loop:
    """One call of fit."""

    def __init__(self, run, validate, validate_every, callbacks, on_nan):
        self.run, self.validate, self.on_nan = run, validate, on_nan
        self.validate_every = validate_every
        self.history = History()
        self.callbacks = [self.history, *callbacks]
        self.begun = []
        self.validated, self.validated_at = {}, -1

    def tell(self, method, *arguments):
        for callback in self.callbacks:
            getattr(callback, method)(*arguments)

    def train(self):
        for callback in self.callbacks:
            callback.run = self.run
            self.begun.append(callback)
            callback.on_train_begin({})
        while not self.done():
            self.tell("on_epoch_begin", self.run.epoch, {})
            before, means = self.run.step, _Means()
            self.epoch(means)
            if self.run.step == before and not self.run.stopped:
                raise _core.InvalidArgumentError(
                    f"fit: the data gave no batch in epoch {self.run.epoch}; an iterator can be walked through once: pass"
                    " what it is made of, or repeat it"
                )
            if self.validate_every is None:
                self.run_validation()
            self.tell("on_epoch_end", self.run.epoch, {**means.get(), **self.validated})
            self.run.epoch += 1

    def done(self):
        run = self.run
        over = run.epochs is not None and run.epoch >= run.epochs
        return bool(run.stopped) or over or self.last()

    def last(self):
        return self.run.steps is not None and self.run.step >= self.run.steps

    def epoch(self, means):
        run, self.validated = self.run, {}
        for batch in run.data:
            run.batch = batch
            self.tell("on_train_batch_begin", run.step + 1, {})
            logs = _numbers(_call(run.step_function, batch), "", "the step")
            run.step += 1
            if self.is_nan(logs):
                return
            means.add(logs)
            self.tell("on_train_batch_end", run.step, logs)
            if self.validate_every and (run.step % self.validate_every == 0 or self.last()):
                self.run_validation()
            if run.stopped or self.last():
                return

    def is_nan(self, logs):
        if self.on_nan == "ignore" or not math.isnan(logs.get("loss", 0.0)):
            return False
        self.run.nan, what = True, f"the loss of step {self.run.step} is NaN"
        if self.on_nan == "raise":
            raise FloatingPointError(f"fit: {what}; reel.check_numerics() finds the first op that gives one")
        self.run.stop(what)
        return True

    def run_validation(self):
        if self.validate is None or self.run.step == self.validated_at or self.run.nan:
            return
        self.tell("on_test_begin", {})
        function, batches = self.validate if isinstance(self.validate, tuple) else (self.validate, [()])
        means = _Means()
        for batch in batches:
            means.add(_numbers(_call(function, batch), "val_", "validate"))
        if means.count == 0:
            raise _core.InvalidArgumentError("fit: the data to validate with gave no batch; pass no iterator, but data")
        self.validated = means.get()
        self.validated_at = self.run.step
        self.tell("on_test_end", self.validated)

    def finish(self):
        """Tells all that have begun, whatever one of them raises."""
        errors = []
        for callback in self.begun:
            try:
                callback.on_train_end({})
            except Exception as e:  # the others still close their files
                errors.append(e)
        if errors and self.run.error is None:
            raise errors[0]


def fit(
    step: Callable[..., Any],
    data: Iterable[Any],
    *,
    steps: int | None = None,
    epochs: int | None = None,
    validate: Callable[[], Any] | tuple[Callable[..., Any], Iterable[Any]] | None = None,
    validate_every: int | None = None,
    callbacks: Sequence[Callback] = (),
    on_nan: Literal["raise", "stop", "ignore"] = "raise",
) -> History:
    """Calls `step` with each batch of the data, and tells the callbacks.

        history = reel.fit(train, data, epochs=5, validate=(loss_of, test),
                           callbacks=[reel.callbacks.Progress(), reel.callbacks.TensorBoard("runs/first")])

    A batch that is a tuple or a list gives the step's arguments, any other is its argument. The step returns the loss, a
    dict of numbers by name, or None. `validate` is a function that returns the same, or a pair of one and data: called
    with each batch, of which the means count. It is called after each epoch, or after every `validate_every` steps and the
    last one. The run ends after `steps` steps in all, those of earlier runs that a callback restored included, or
    after `epochs` epochs, each a walk through the data; without either after one epoch.

    `on_nan`: where the loss is NaN, "raise" a FloatingPointError, "stop" the run and return, or "ignore" it. Callbacks do
    not see that step, so no checkpoint is made of it. However the run ends, by an exception or Ctrl-C too, every callback
    is told with on_train_end, and closes its files.
    """
    if not callable(step):
        raise _core.InvalidTypeError(f"fit: the step must be a function, not {type(step).__name__}")
    if not hasattr(data, "__iter__"):
        raise _core.InvalidTypeError(f"fit: the data must be something to iterate over, not {type(data).__name__}")
    for name, number in (("steps", steps), ("epochs", epochs), ("validate_every", validate_every)):
        if number is not None and (not isinstance(number, int) or number < 1):
            raise _core.InvalidArgumentError(f"fit: {name} is a number from 1 on, not {number!r}")
    if on_nan not in _ON_NAN:
        raise _core.InvalidArgumentError(f"fit: on_nan is one of {', '.join(map(repr, _ON_NAN))}, not {on_nan!r}")
    run = Run(step, data, steps, epochs if epochs or steps else 1)
    loop = _Loop(run, validate, validate_every, callbacks, on_nan)
    try:
        loop.train()
    except BaseException as e:
        run.error = e
        raise
    finally:
        loop.finish()
    return loop.history
