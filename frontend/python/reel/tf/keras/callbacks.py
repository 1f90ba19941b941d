"""Callbacks of fit, evaluate and predict."""

from __future__ import annotations as _annotations

import os as _os
import typing as _t
import warnings as _warnings

from ... import _core
from ..errors import ConversionError
from .utils import Progbar as _Progbar

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_EVENTS = ("epoch_begin", "epoch_end", "train_begin", "train_end", "test_begin", "test_end", "predict_begin",
           "predict_end", "train_batch_begin", "train_batch_end", "test_batch_begin", "test_batch_end",
           "predict_batch_begin", "predict_batch_end", "batch_begin", "batch_end")  # fmt: skip


class Callback:
    """What is told of epochs and batches: subclasses override the methods that they need. `model`, `params` are set."""

    def __init__(self) -> None:
        self.params: Any = None
        self._model: Any = None

    @property
    def model(self) -> Any:
        """The model that is trained."""
        return self.__dict__.get("_model")

    def set_params(self, params: dict[str, Any]) -> None:
        """epochs, steps and verbose."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """The model, before training begins."""
        self._model = model

    if _t.TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def _define(event):
    takes_number = event.endswith(("epoch_begin", "epoch_end", "batch_begin", "batch_end"))
    if event in ("train_batch_begin", "train_batch_end"):
        plain = "on_" + event[len("train_") :]

        def method(self, batch, logs=None):
            getattr(self, plain)(batch, logs=logs)

    elif takes_number:

        def method(self, number, logs=None):
            pass

    else:

        def method(self, logs=None):
            pass

    method.__name__ = f"on_{event}"
    method.__qualname__ = f"Callback.on_{event}"
    method.__doc__ = f"Called at the {event.rpartition('_')[2]} of {event.rpartition('_')[0].replace('_', ' ')}."
    setattr(Callback, method.__name__, method)


for _event in _EVENTS:
    _define(_event)


class CallbackList:
    """Callbacks as one; with a History, and a ProgbarLogger if add_progbar."""

    def __init__(
        self,
        callbacks: Any = None,
        add_history: bool = False,
        add_progbar: bool = False,
        model: Any = None,
        **params: Any,
    ) -> None:
        if isinstance(callbacks, CallbackList):
            callbacks = callbacks.callbacks
        self.callbacks = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks] if callbacks else []
        if add_progbar and not any(isinstance(c, ProgbarLogger) for c in self.callbacks):
            self.callbacks.append(ProgbarLogger())
        self.history = next((c for c in self.callbacks if isinstance(c, History)), None)
        if add_history and self.history is None:
            self.history = History()
            self.callbacks.append(self.history)
        self.params = params
        for c in self.callbacks:
            c.set_params(params)
            if model is not None:
                c.set_model(model)

    def append(self, callback: Any) -> None:
        """Adds one."""
        self.callbacks.append(callback)

    def batch_hooks(self, kind: str) -> tuple[Any, Any]:
        """(begin, end) of a kind's batches; None where no callback wants to know."""

        def wanted(name, plain):
            for c in self.callbacks:
                for cls in type(c).__mro__:
                    if cls is not Callback and (name in cls.__dict__ or plain and plain in cls.__dict__):
                        return True
                if name in c.__dict__ or plain in c.__dict__:
                    return True
            return False

        out: list[Any] = []
        for end in ("begin", "end"):
            name, plain = f"on_{kind}_batch_{end}", f"on_batch_{end}" if kind == "train" else ""
            out.append((lambda *args, name=name: self._call(name, *args)) if wanted(name, plain) else None)
        return out[0], out[1]

    def _call(self, name, *args):
        takes_number = "batch" in name or "epoch" in name
        if len(args) < 1 + takes_number:
            args = (*args, {})
        for c in self.callbacks:
            getattr(c, name)(*args)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("on_"):
            raise AttributeError(name)
        return lambda *args: self._call(name, *args)


class History(Callback):
    """`history`: the logs of epochs, a list of each by name; `epoch`: their numbers. What fit returns."""

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Any = None) -> None:
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        for k, v in (logs or {}).items():
            self.history.setdefault(k, []).append(v)
        self.model.history = self


class ProgbarLogger(Callback):
    """Prints steps and metrics: a bar (verbose 1) or a line for each epoch (2)."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: Any = None

    def _begin(self):
        self._bar, self._seen = _Progbar(self.params.get("steps"), verbose=self.params.get("verbose", 1)), 0

    def _step(self, logs):
        self._seen += 1
        if self.params.get("verbose", 1) == 1 and self._bar.is_live:
            self._bar.update(self._seen, list((logs or {}).items()), finalize=False)

    def _end(self, logs, seen):
        self._bar.target = seen
        self._bar.update(seen, [(k, v) for k, v in (logs or {}).items()], finalize=True)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._begin()
        if self.params.get("epochs", 1) > 1:
            print(f"Epoch {epoch + 1}/{self.params['epochs']}")
        self._fitting = True

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._end(logs, self._steps_of_epoch)

    def on_test_begin(self, logs: Any = None) -> None:
        if not getattr(self, "_fitting", False):
            self._begin()
        else:
            self._steps_of_epoch = self.model._steps_done

    def on_test_end(self, logs: Any = None) -> None:
        if not getattr(self, "_fitting", False):
            self._end(logs, self.model._steps_done)

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        self._fitting = False

    @property
    def _steps_of_epoch(self) -> int:
        return self.__dict__.get("_train_steps") or self.model._steps_done

    @_steps_of_epoch.setter
    def _steps_of_epoch(self, value: int) -> None:
        self.__dict__["_train_steps"] = value


class LambdaCallback(Callback):
    """Functions as a callback: on_epoch_end=lambda epoch, logs: ..., and so on."""

    def __init__(
        self,
        on_epoch_begin: Any = None,
        on_epoch_end: Any = None,
        on_train_begin: Any = None,
        on_train_end: Any = None,
        on_train_batch_begin: Any = None,
        on_train_batch_end: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.__dict__.update(kwargs)
        for name, value in {
            "on_epoch_begin": on_epoch_begin, "on_epoch_end": on_epoch_end, "on_train_begin": on_train_begin,
            "on_train_end": on_train_end, "on_train_batch_begin": on_train_batch_begin,
            "on_train_batch_end": on_train_batch_end,
        }.items():  # fmt: skip
            if value is not None:
                self.__dict__[name] = value


class _Monitored(Callback):
    """What looks at one metric, and knows which way is better."""

    def _look(self, monitor, mode, min_delta=0):
        if mode not in ("auto", "min", "max"):
            _warnings.warn(f"{type(self).__name__} mode {mode} is unknown, fallback to auto mode.", stacklevel=3)
            mode = "auto"
        self.monitor, self.mode, self._delta = monitor, mode, abs(min_delta)
        self._sign = {"min": -1, "max": 1}.get(mode, 0)

    def _is_better(self, value, best):
        if best is None:
            return True
        if self._sign == 0:
            name = self.monitor[4:] if self.monitor.startswith("val_") else self.monitor
            up = any(word in name.lower() for word in ("acc", "auc", "precision", "recall", "f1", "iou", "r2", "sensitivity",
                                                       "specificity", "true_", "top_k", "cosine"))  # fmt: skip
            self._sign = 1 if up else -1
        return (value - best) * self._sign > self._delta

    def _value(self, logs):
        value = (logs or {}).get(self.monitor)
        if value is None:
            _warnings.warn(
                f"{type(self).__name__} conditioned on metric `{self.monitor}` which is not available. Available metrics "
                f"are: {','.join(list(logs or {}))}",
                stacklevel=4,
            )
        return value


class EarlyStopping(_Monitored):
    """Stops after `patience` epochs without a better `monitor`; restore_best_weights: the best epoch's are set then."""

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__()
        self._look(monitor, mode, min_delta)
        self.min_delta = min_delta
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best: Any = None
        self.best_weights: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best = self.best_weights = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        value = self._value(logs)
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self._is_better(value, self.best):
            self.best, self.best_epoch = value, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._is_better(value, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch, self.model.stop_training = epoch, True

    def on_train_end(self, logs: Any = None) -> None:
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)


class ModelCheckpoint(_Monitored):
    """Saves the model after epochs, or batches (save_freq=n), to a .keras file; {epoch:02d} and metrics in its name.

    save_weights_only: the weights alone, to a .weights.h5, .safetensors or .npz file.
    """

    def __init__(
        self,
        filepath: Any,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
    ) -> None:
        from ._files import checked_path

        super().__init__()
        self.filepath = checked_path(filepath, "ModelCheckpoint") if save_weights_only else _os.fspath(filepath)
        if not save_weights_only and not self.filepath.endswith(".keras"):
            raise ConversionError(
                f"The filepath provided must end in `.keras` (Keras model format). Received: filepath={self.filepath}"
            )
        self._look(monitor, mode)
        self.verbose, self.save_best_only, self.save_weights_only = verbose, save_best_only, save_weights_only
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ConversionError(
                f"Unrecognized save_freq: {save_freq}. Expected save_freq are 'epoch' or integer values"
            )
        self.save_freq, self.best = save_freq, initial_value_threshold
        self._batches = self._epoch = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self.save_freq != "epoch":
            self._batches += 1
            if self._batches % self.save_freq == 0:
                self._save(self._epoch, batch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.save_freq == "epoch":
            self._save(epoch, None, logs)

    def _save(self, epoch, batch, logs):
        if self.save_best_only:
            value = self._value(logs)
            if value is None or not self._is_better(value, self.best):
                return
            self.best = value
        try:
            names = {} if batch is None else {"batch": batch + 1}
            path = self.filepath.format(epoch=epoch + 1, **names, **(logs or {}))
        except KeyError as error:
            raise ConversionError(
                f"ModelCheckpoint: {self.filepath!r} names {error}, the logs have {list(logs or {})}"
            ) from None
        if _os.path.dirname(path):
            _os.makedirs(_os.path.dirname(path), exist_ok=True)
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: saving model to {path}")
        (self.model.save_weights if self.save_weights_only else self.model.save)(path, overwrite=True)


class LearningRateScheduler(Callback):
    """The learning rate of each epoch is schedule(epoch, rate before), or schedule(epoch)."""

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        try:
            rate = self.schedule(epoch, float(_rate(self.model.optimizer)))
        except TypeError:
            rate = self.schedule(epoch)
        if not hasattr(rate, "__float__"):
            raise ConversionError(f"The output of the `schedule` function should be a float. Got: {rate}")
        _set_rate(self.model.optimizer, float(rate))
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {float(rate)}.")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs is not None:
            logs["learning_rate"] = float(_rate(self.model.optimizer))


def _rate(optimizer):
    rate = optimizer.learning_rate
    return rate(optimizer.iterations) if callable(rate) and not hasattr(rate, "assign") else rate


def _set_rate(optimizer, value):
    optimizer.learning_rate = value


class ReduceLROnPlateau(_Monitored):
    """The learning rate times `factor` after `patience` epochs without a better `monitor`."""

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 0.0001,
        cooldown: int = 0,
        min_lr: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if factor >= 1.0:
            raise ConversionError(f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={factor}")
        if kwargs:
            raise _core.InvalidTypeError(f"ReduceLROnPlateau: there is no option {next(iter(kwargs))!r}")
        self._look(monitor, mode, min_delta)
        self.factor, self.patience, self.verbose, self.min_lr, self.cooldown = (
            factor,
            patience,
            verbose,
            min_lr,
            cooldown,
        )
        self.on_train_begin()

    def on_train_begin(self, logs: Any = None) -> None:
        self.wait = self.cooldown_counter = 0
        self.best: Any = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = {} if logs is None else logs
        logs["learning_rate"] = float(_rate(self.model.optimizer))
        value = self._value(logs)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            old = float(_rate(self.model.optimizer))
            if self.wait >= self.patience and old > self.min_lr:
                new = max(old * self.factor, self.min_lr)
                _set_rate(self.model.optimizer, new)
                if self.verbose > 0:
                    print(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.")
                self.cooldown_counter, self.wait = self.cooldown, 0


class CSVLogger(Callback):
    """Writes the logs of each epoch to a file of comma-separated values."""

    def __init__(self, filename: Any, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename, self.separator, self.append = _os.fspath(filename), separator, append
        self._file: Any = None
        self._names: list[str] | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        has_head = self.append and _os.path.exists(self.filename) and _os.path.getsize(self.filename) > 0
        self._has_head = has_head
        self._file = open(self.filename, "a" if self.append else "w", newline="", encoding="utf-8")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        import csv

        writer = csv.writer(self._file, delimiter=self.separator, lineterminator="\n")
        logs = logs or {}
        if self._names is None:
            self._names = sorted(logs)
            if not self._has_head:
                writer.writerow(["epoch", *self._names])
        writer.writerow([epoch, *(logs.get(n, "NA") for n in self._names)])
        self._file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        self._file.close()
        self._file = None


class TerminateOnNaN(Callback):
    """Stops when the loss of a batch is no finite number; raise_error: as an error."""

    def __init__(self, raise_error: bool = False) -> None:
        super().__init__()
        self.raise_error = raise_error

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        import math

        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            if self.raise_error:
                raise _core.FailedPreconditionError(f"NaN or Inf loss encountered at batch {batch}.")
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class TensorBoard(Callback):
    """Event files for TensorBoard: curves of epochs (update_freq n: of batches, too), histograms of weights.

    In log_dir/train and, of validation, log_dir/validation.
    """

    def __init__(
        self,
        log_dir: Any = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: Any = "epoch",
        profile_batch: Any = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: Any = None,
    ) -> None:
        super().__init__()
        for name, value in {"write_images": write_images, "profile_batch": profile_batch,
                            "embeddings_freq": embeddings_freq, "embeddings_metadata": embeddings_metadata,
                            "write_steps_per_second": write_steps_per_second}.items():  # fmt: skip
            if value:
                raise _core.UnimplementedError(f"TensorBoard: there is no {name}; see reel.SummaryWriter")
        self.log_dir, self.histogram_freq, self.write_graph = _os.fspath(log_dir), histogram_freq, write_graph
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self._writers: dict[str, Any] = {}
        self._step = 0

    def _writer(self, which):
        from ... import SummaryWriter

        if which not in self._writers:
            self._writers[which] = SummaryWriter(_os.path.join(self.log_dir, which))
        return self._writers[which]

    def on_train_begin(self, logs: Any = None) -> None:
        self._step = 0

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        self._step += 1
        if self.update_freq != "epoch" and self._step % self.update_freq == 0:
            for name, value in (logs or {}).items():
                self._writer("train").add_scalar(f"batch_{name}", value, self._step)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        for name, value in (logs or {}).items():
            which, rest = ("validation", name[4:]) if name.startswith("val_") else ("train", name)
            self._writer(which).add_scalar(f"epoch_{rest}", value, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            for v in self.model.weights:
                self._writer("train").add_histogram(f"{v.path}/histogram", v, epoch)

    def on_train_end(self, logs: Any = None) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}


def _refused(name, why):
    def __init__(self, *args, **kwargs):
        raise _core.UnimplementedError(f"{name}: {why}")

    return type(name, (Callback,), {"__init__": __init__, "__doc__": f"Refused: {why}", "__module__": __name__})


BackupAndRestore = _refused("BackupAndRestore", "use tf.train.Checkpoint, or reel.Checkpoint, around the epochs")
RemoteMonitor = _refused("RemoteMonitor", "nothing is sent over a network")
SwapEMAWeights = _refused("SwapEMAWeights", "use the optimizer's use_ema and finalize_variable_values")

__all__ = [
    "BackupAndRestore", "CSVLogger", "Callback", "CallbackList", "EarlyStopping", "History", "LambdaCallback",
    "LearningRateScheduler", "ModelCheckpoint", "ProgbarLogger", "ReduceLROnPlateau", "RemoteMonitor",
    "SwapEMAWeights", "TensorBoard", "TerminateOnNaN",
]  # fmt: skip
