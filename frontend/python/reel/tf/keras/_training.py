"""compile, fit, evaluate and predict of models: a step is one compiled program."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core
from .. import nest as _nest
from .._convert import convert_to_tensor
from .._function import Function as _Function
from .._tape import GradientTape
from .._tensor import Tensor, TensorLike
from .._trace import inside_function
from ..errors import ConversionError
from . import _batches, _compiled
from ._serialize import deserialize as _deserialize
from ._serialize import serialize as _serialize

if _t.TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def _deserialized(x):
    """The objects of a config: in lists and dicts of outputs, too."""
    if isinstance(x, dict) and "class_name" not in x:
        return {k: _deserialized(v) for k, v in x.items()}
    return [_deserialized(v) for v in x] if isinstance(x, list) else _deserialize(x)


class State:
    """What compile was given and made, beside the model's attributes."""

    def __init__(self, **made: Any) -> None:
        self.__dict__.update(made)
        self.functions: dict[str, Any] = {}


class Trainer:
    """What a Model has of training."""

    stop_training = False

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool = False,
        steps_per_execution: int = 1,
        jit_compile: Any = "auto",
        auto_scale_loss: bool = True,
    ) -> None:
        """How to train: an optimizer; losses and metrics (names, functions, objects), of several outputs in lists or dicts.

        run_eagerly: steps are not compiled. steps_per_execution and jit_compile change no value, and nothing here.
        """
        from . import metrics as _metrics
        from . import optimizers

        optimizer = optimizers.get(optimizer)
        names = getattr(self, "output_names", [])
        for what, given in (("metrics", metrics), ("weighted_metrics", weighted_metrics)):
            if given is not None and not isinstance(given, (list, tuple, dict)):
                raise ConversionError(f"Expected `{what}` argument to be a list, tuple, or dict. Received: {given}")
        self.__dict__["_compiled"] = State(
            optimizer=optimizer,
            loss=None if loss is None else _compiled.CompiledLoss(loss, loss_weights, names),
            loss_given=loss,
            metrics=_compiled.CompiledMetrics(metrics, weighted_metrics, names),
            tracker=_metrics.Mean(name="loss"),
            run_eagerly=bool(run_eagerly),
            has_metrics=metrics is not None or weighted_metrics is not None,
            given={
                "optimizer": optimizer, "loss": loss, "loss_weights": loss_weights, "metrics": metrics,
                "weighted_metrics": weighted_metrics, "run_eagerly": bool(run_eagerly),
                "steps_per_execution": steps_per_execution, "jit_compile": False,
            },
        )  # fmt: skip
        self.stop_training = False

    def get_compile_config(self) -> dict[str, Any] | None:
        """What compile was given, as plain values; None if it was not called."""
        state = self.__dict__.get("_compiled")
        given = getattr(state, "given", None)
        return None if given is None else {**_serialize(given), "optimizer": _serialize(state.optimizer)}

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """compile of such a config; the optimizer makes its variables if the model has its own."""
        self.compile(**{k: _deserialized(v) for k, v in config.items()})
        if self.optimizer is not None and self.built:
            self.optimizer.build(self.trainable_variables)

    def _state_of_compile(self, what):
        state = self.__dict__.get("_compiled")
        if state is None:
            raise ConversionError(
                f"You must call `compile()` before calling `{what}`."
                if what != "optimizer"
                else "You must call `compile()` before using the model's optimizer."
            )
        return state

    @property
    def compiled(self) -> bool:
        """Whether compile was called."""
        return self.__dict__.get("_compiled") is not None

    @property
    def optimizer(self) -> Any:
        """That of compile."""
        state = self.__dict__.get("_compiled")
        return None if state is None else state.optimizer

    @optimizer.setter
    def optimizer(self, value: Any) -> None:
        state = self.__dict__.get("_compiled")
        if state is None:
            self.__dict__["_compiled"] = state = State(
                optimizer=value, loss=None, loss_given=None, metrics=_compiled.CompiledMetrics(None, None, []),
                tracker=_mean("loss"), run_eagerly=False, has_metrics=False,
            )  # fmt: skip
        state.optimizer, state.functions = value, {}

    @property
    def loss(self) -> Any:
        """That of compile, as it was given."""
        state = self.__dict__.get("_compiled")
        return None if state is None else state.loss_given

    @property
    def run_eagerly(self) -> bool:
        """Whether steps are not compiled."""
        from .. import _config

        state = self.__dict__.get("_compiled")
        return (state is not None and state.run_eagerly) or _config.functions_run_eagerly()

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._state_of_compile("fit").run_eagerly = bool(value)

    @property
    def metrics(self) -> list[Any]:
        """That of the loss, those of compile, and those of layers; what reset_metrics resets."""
        state, out = self.__dict__.get("_compiled"), []
        if state is not None:
            out = [state.tracker, *([m for m in state.loss.trackers if m is not None] if state.loss else [])]
            out += state.metrics.metrics
        known = {id(m) for m in out}
        return out + [m for m in super().metrics if id(m) not in known]

    @property
    def metrics_names(self) -> list[str]:
        """Their names; those of compile are one."""
        state = self.__dict__.get("_compiled")
        of_compile = {id(m) for m in state.metrics.metrics} if state is not None else set()
        names = [m.name for m in self.metrics if id(m) not in of_compile]
        return names[:1] + ["compile_metrics"] + names[1:] if state is not None and state.has_metrics else names

    def reset_metrics(self) -> None:
        """All metrics begin again."""
        for m in self.metrics:
            m.reset_state()

    # Steps: what subclasses override.

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Any:
        """The losses of compile, weighted, and those of layers: their sum."""
        state = self._state_of_compile("compute_loss")
        parts = []
        if state.loss is not None and y is not None:
            found = state.loss(y, y_pred, sample_weight)
            parts += [] if found is None else [found]
        parts += [convert_to_tensor(v) for v in self.losses]
        if not parts:
            if y is None and state.loss is not None or state.loss is None:
                raise ConversionError(
                    "No loss to compute. Provide a `loss` argument in `compile()`, and targets, or use `self.add_loss()`."
                )
            return convert_to_tensor(0.0)
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> dict[str, Any]:
        """Counts a batch in the metrics of compile; all results by name."""
        state = self._state_of_compile("compute_metrics")
        if y is not None and state.has_metrics:
            state.metrics.update(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def get_metrics_result(self) -> dict[str, Any]:
        """The values of all metrics by name."""
        state = self._state_of_compile("get_metrics_result")
        out: dict[str, Any] = {}
        of_compile = {id(m) for m in state.metrics.metrics}
        for m in self.metrics:
            if id(m) not in of_compile:
                value = m.result()
                out.update(value) if isinstance(value, dict) else out.update({m.name: value})
        out.update(state.metrics.results())
        return out

    def _loss_of(self, x, y, y_pred, sample_weight, training):
        """compute_loss, with what the signature of an overriding one takes."""
        import inspect

        names = inspect.signature(self.compute_loss).parameters
        options = {"training": training} if "training" in names else {}
        return self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, **options)

    def _called(self, x, training):
        from ._layer import info_of

        return self(x, training=training) if info_of(self).training or info_of(self).takes_all else self(x)

    def train_step(self, data: Any) -> dict[str, Any]:
        """One update by a batch; the metrics by name."""
        state = self._state_of_compile("fit")
        x, y, sample_weight = _batches.unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self._called(x, True)
            loss = self._loss_of(x, y, y_pred, sample_weight, True)
            state.tracker.update_state(loss, sample_weight=_compiled.batch_size(x))
            scaled = state.optimizer.scale_loss(loss) if hasattr(state.optimizer, "scale_loss") else loss
        weights = self.trainable_weights
        if weights:
            state.optimizer.apply_gradients(zip(tape.gradient(scaled, weights), weights))
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data: Any) -> dict[str, Any]:
        """The metrics by name, after a batch that trains nothing."""
        state = self._state_of_compile("evaluate")
        x, y, sample_weight = _batches.unpack_x_y_sample_weight(data)
        y_pred = self._called(x, False)
        if y is not None or self.losses:
            loss = self._loss_of(x, y, y_pred, sample_weight, False)
            state.tracker.update_state(loss, sample_weight=_compiled.batch_size(x))
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """The outputs for a batch."""
        return self._called(_batches.unpack_x_y_sample_weight(data)[0], False)

    # Compiled steps.

    def _step(self, kind):
        step = getattr(self, f"{kind}_step")
        if self.run_eagerly or inside_function():
            return step
        state = self.__dict__.get("_compiled")
        functions = state.functions if state is not None else self.__dict__.setdefault("_functions", State()).functions
        key = (kind, getattr(step, "__func__", step), self._trainable_key() if kind == "train" else None)
        if key not in functions:
            functions[key] = _Function(step, name=f"{kind}_step")
        return functions[key]

    def _trainable_key(self):
        return tuple(v.trainable for v in self.variables), self.trainable, len(self.trainable_variables)

    def make_train_function(self, force: bool = False) -> Any:
        """The compiled train_step."""
        return self._step("train")

    def make_test_function(self, force: bool = False) -> Any:
        """The compiled test_step."""
        return self._step("test")

    def make_predict_function(self, force: bool = False) -> Any:
        """The compiled predict_step."""
        return self._step("predict")

    def _prepare(self, data):
        """Variables of layers, metrics and the optimizer exist before a step is traced."""
        x, y, sample_weight = _batches.unpack_x_y_sample_weight(data)
        state = self.__dict__.get("_compiled")
        if state is None or state.__dict__.get("prepared"):
            return
        y_pred = self._called(x, False)
        if y is not None and state.loss is not None and not state.loss.built:
            state.loss.build(y_pred)
        if y is not None and state.has_metrics and not state.metrics.built:
            state.metrics.build(y, y_pred)
        if state.optimizer is not None and hasattr(state.optimizer, "build") and self.trainable_variables:
            if not getattr(state.optimizer, "built", False):
                state.optimizer.build(self.trainable_variables)
        state.prepared = True

    # fit, evaluate, predict.

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Iterable[Any] | None = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: dict[int, float] | None = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
    ) -> Any:
        """Trains for so many epochs; a History: the metrics of each epoch by name, of validation as val_name."""
        from . import callbacks as _callbacks

        self._state_of_compile("fit")
        self.stop_training = False
        if validation_split and validation_data is None:
            data = _batches.Arrays(x, y, sample_weight).split(validation_split)
            (x, y, sample_weight), validation_data = data[0], data[1]
        source = _batches.source_of(
            x, y, sample_weight, batch_size, shuffle, steps_per_epoch, class_weight, goes_on=True
        )
        validation = None
        if validation_data is not None:
            parts = validation_data if isinstance(validation_data, (tuple, list)) else (validation_data,)
            given = (*parts, None, None)[:3]
            validation = _batches.source_of(*given, validation_batch_size or batch_size, False, validation_steps)
        calls = _callbacks.CallbackList(
            callbacks, add_history=True, add_progbar=verbose != 0, model=self, epochs=epochs,
            steps=source.count, verbose=1 if verbose == "auto" else verbose,
        )  # fmt: skip
        calls.on_train_begin()
        logs: dict[str, Any] = {}
        for epoch in range(initial_epoch, epochs):
            self.reset_metrics()
            calls.on_epoch_begin(epoch)
            logs = self._epoch(source, "train", calls)
            if validation is not None and _is_due(epoch, validation_freq):
                found = self._evaluated(validation, calls)
                logs.update({f"val_{k}": v for k, v in found.items()})
            calls.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        if epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_variables)
        calls.on_train_end(logs)
        return calls.history

    def _epoch(self, source, kind, calls):
        """Runs the steps of an epoch; the last step's logs as numbers."""
        logs, step, i = {}, None, -1
        begin, end = calls.batch_hooks(kind)
        for i, batch in enumerate(source.epoch()):
            if step is None:
                self._prepare(batch)
                step = self._step(kind)
            if begin is not None:
                begin(i)
            logs = step(batch)
            if end is not None:
                end(i, numbers(logs))
            if self.stop_training and kind == "train":
                break
        if i < 0:
            raise ConversionError(f"{kind}: there is no batch; the data are empty")
        self._steps_done = i + 1
        return dict(sorted(numbers(logs).items()))

    def _evaluated(self, source, calls):
        self.reset_metrics()
        calls.on_test_begin()
        logs = self._epoch(source, "test", calls)
        calls.on_test_end(logs)
        return logs

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Iterable[Any] | None = None,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The loss and metrics of all data: a list (a number, if there is only the loss), or a dict by name."""
        from . import callbacks as _callbacks

        if kwargs:
            raise ConversionError(f"Arguments not recognized: {kwargs}")
        self._state_of_compile("evaluate")
        source = _batches.source_of(x, y, sample_weight, batch_size, False, steps)
        calls = _callbacks.CallbackList(
            callbacks, add_history=False, add_progbar=verbose != 0, model=self, epochs=1, steps=source.count,
            verbose=1 if verbose == "auto" else verbose,
        )  # fmt: skip
        logs = self._evaluated(source, calls)
        return logs if return_dict else self._in_order(logs)

    def _in_order(self, logs):
        state = self.__dict__.get("_compiled")
        of_compile = [m.name for m in state.metrics.metrics] if state is not None else []
        first = [m for n in self.metrics_names for m in (of_compile if n == "compile_metrics" else [n]) if m in logs]
        first = list(dict.fromkeys(first))
        values = [logs[n] for n in first] + [logs[n] for n in sorted(logs) if n not in first]
        return values[0] if len(values) == 1 else values

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Iterable[Any] | None = None,
    ) -> Any:
        """The outputs for all rows, NumPy arrays."""
        import numpy

        from . import callbacks as _callbacks

        source = _batches.source_of(x, None, None, batch_size, False, steps)
        calls = _callbacks.CallbackList(
            callbacks, add_history=False, add_progbar=verbose != 0, model=self, epochs=1, steps=source.count,
            verbose=1 if verbose == "auto" else verbose,
        )  # fmt: skip
        calls.on_predict_begin()
        parts, structure, step = [], None, None
        begin, end = calls.batch_hooks("predict")
        for i, batch in enumerate(source.epoch()):
            if step is None:
                if not self.built:
                    self.predict_step(batch)
                step = self._step("predict")
            if begin is not None:
                begin(i)
            structure = step(batch)
            parts.append([t.numpy() for t in _nest.flatten(structure)])
            if end is not None:
                end(i, {"outputs": structure})
        calls.on_predict_end()
        if not parts:
            raise ConversionError("predict: there is no batch; the data are empty")
        return _nest.pack_sequence_as(structure, [numpy.concatenate(column) for column in zip(*parts)])

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch, NumPy arrays."""
        batch = _batches._as_tensors((x,))
        if not self.built:
            self.predict_step(batch)
        return _nest.map_structure(lambda t: t.numpy(), self._step("predict")(batch))

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """One update; the loss and metrics of the batch: a list, or a dict by name."""
        import numpy

        self._state_of_compile("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ConversionError(
                    "Arguments `sample_weight` and `class_weight` cannot be specified at the same time."
                )
            n = max(class_weight) + 1
            table = numpy.asarray([float(class_weight.get(i, 1.0)) for i in range(n)], "float32")
            sample_weight = _batches.weights_of(convert_to_tensor(y), table)
        return self._on_batch("train", x, y, sample_weight, return_dict)

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        """The loss and metrics of a batch: a list, or a dict by name."""
        self._state_of_compile("test_on_batch")
        return self._on_batch("test", x, y, sample_weight, return_dict)

    def _on_batch(self, kind, x, y, sample_weight, return_dict):
        data = (x,) if y is None else (x, y) if sample_weight is None else (x, y, sample_weight)
        batch = _batches._as_tensors(data)
        self._prepare(batch)
        self.reset_metrics()
        logs = dict(sorted(numbers(self._step(kind)(batch)).items()))
        return logs if return_dict else self._in_order(logs)


def _mean(name):
    from . import metrics

    return metrics.Mean(name=name)


def _is_due(epoch, frequency):
    if isinstance(frequency, int):
        return (epoch + 1) % frequency == 0
    return epoch + 1 in frequency


def numbers(logs: Any) -> dict[str, Any]:
    """Metrics by name as Python numbers; what has more elements as arrays."""
    if not isinstance(logs, dict):
        raise ConversionError(
            f"train_step and test_step must return a dict of metrics by name, not {type(logs).__name__}"
        )
    out = {}
    for name, value in logs.items():
        if isinstance(value, (Tensor, TensorLike)):
            value = value.numpy()
            value = value.item() if getattr(value, "ndim", 1) == 0 else value
        out[name] = value
    return out
