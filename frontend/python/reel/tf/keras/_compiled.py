"""What Model.compile makes of losses and metrics: one loss and a list of metrics for each output."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _array, dtypes, nest
from .._convert import convert_to_tensor
from ..errors import ConversionError
from . import losses as _losses
from . import metrics as _metrics
from ._common import same_rank
from ._naming import snake_class

if _t.TYPE_CHECKING:
    from typing import Any


class FunctionLoss(_losses.Loss):
    """A function of y_true and y_pred as a loss: the mean of what it gives."""

    def __init__(self, function: Any, name: str) -> None:
        super().__init__(name=name, reduction="sum_over_batch_size")
        self.function = function

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """What the function gives, for targets and outputs of one rank."""
        if hasattr(y_true, "shape") and hasattr(y_pred, "shape"):
            y_true, y_pred = same_rank(y_true, y_pred)
        return self.function(y_true, y_pred)


def loss_of(identifier: Any) -> Any:
    """A Loss of a name, function, Loss or other callable; None of None."""
    if identifier is None or isinstance(identifier, _losses.Loss):
        return identifier
    found = _losses.get(identifier)
    if isinstance(found, _losses.Loss):
        return found
    return FunctionLoss(found, getattr(found, "__name__", type(found).__name__))


def _is_binary(x):
    return len(x.shape) < 2 or x.shape[-1] == 1


def _by_shape(name, y_true, y_pred):
    """The class that accuracy or crossentropy means for targets and outputs of these shapes."""
    binary = _is_binary(y_pred)
    sparse = len(y_true.shape) < len(y_pred.shape) or y_true.shape[-1] == 1 and y_pred.shape[-1] > 1
    if name in ("accuracy", "acc"):
        names = ("BinaryAccuracy", "SparseCategoricalAccuracy", "CategoricalAccuracy")
    else:
        names = ("BinaryCrossentropy", "SparseCategoricalCrossentropy", "CategoricalCrossentropy")
    return getattr(_metrics, names[0 if binary else 1 if sparse else 2])


def metric_of(identifier: Any, y_true: Any, y_pred: Any) -> Any:
    """A Metric of a name, function or Metric."""
    if isinstance(identifier, _metrics.Metric):
        return identifier
    if isinstance(identifier, str) and identifier.lower() in ("accuracy", "acc", "crossentropy", "ce"):
        return _by_shape(identifier.lower(), y_true, y_pred)(name=identifier)
    found = _metrics.get(identifier)
    if isinstance(found, _metrics.Metric):
        return type(found)(name=identifier) if isinstance(identifier, str) else found
    name = identifier if isinstance(identifier, str) else getattr(found, "__name__", None) or snake_class(type(found))
    name = "lambda" if name == "<lambda>" else name
    return _metrics.MeanMetricWrapper(found, name=name)


def by_output(given: Any, names: list[str], what: str, single: bool) -> list[Any]:
    """An argument of compile as a list, one entry for each output."""
    if given is None or not isinstance(given, (list, tuple, dict)):
        return [given] * (len(names) if what == "loss" else 1) if single or what == "loss" else [given] * len(names)
    if isinstance(given, dict):
        unknown = [k for k in given if k not in names]
        if unknown:
            raise ConversionError(
                f"In the dict argument `{what}`, key '{unknown[0]}' does not correspond to any model output. Received: "
                f"{what}={given}; the outputs are {names}"
            )
        return [given.get(n) for n in names]
    if len(given) != len(names):
        raise ConversionError(
            f"For a model with multiple outputs, when providing the `{what}` argument as a list, it should have as many "
            f"entries as the model has outputs. Received: {what}={given} of length {len(given)}; there are {len(names)} "
            "outputs"
        )
    return list(given)


class Outputs:
    """The outputs of a model in the order of their leaves, with their names."""

    def __init__(self, y_pred: Any, names: list[str]) -> None:
        count = len(nest.flatten(y_pred))
        if isinstance(y_pred, dict):
            names = [str(k) for k in nest._keys(y_pred)]
        if len(names) != count:
            names = [f"output_{i}" for i in range(count)]
        counts: dict[str, int] = {}
        self.names = []
        for n in names:
            counts[n] = counts.get(n, 0) + 1
            self.names.append(n if counts[n] == 1 else f"{n}_{counts[n] - 1}")
        self.single = not nest.is_nested(y_pred)

    def targets(self, y: Any) -> list[Any]:
        """The targets in that order."""
        if self.single:
            return [y]
        if isinstance(y, dict):
            return [y.get(n) for n in self.names]
        return list(y) if isinstance(y, (list, tuple)) else [y]


class CompiledLoss:
    """The sum of the weighted losses of all outputs; a mean of each, where there are several."""

    def __init__(self, loss: Any, loss_weights: Any, output_names: list[str]) -> None:
        self._given, self._weights, self._output_names = loss, loss_weights, output_names
        self.trackers: list[Any] = []
        self.built = False

    def build(self, y_pred: Any) -> None:
        """One loss for each output, when their structure is known."""
        self.outputs = Outputs(y_pred, self._output_names)
        names = self.outputs.names
        given = by_output(self._given, names, "loss", self.outputs.single) if not self.outputs.single else [
            self._given[0] if isinstance(self._given, (list, tuple)) and len(self._given) == 1
            else next(iter(self._given.values())) if isinstance(self._given, dict) and len(self._given) == 1
            else self._given
        ]  # fmt: skip
        self.losses = [loss_of(x) for x in given]
        if (
            isinstance(self._weights, (list, tuple))
            and not isinstance(self._given, (list, tuple, dict))
            and len(names) > 1
        ):
            raise ConversionError(
                f"`loss_weights` must match the number of losses, got 1 losses and {len(self._weights)} weights; give a list "
                "of losses"
            )
        weights = self._weights
        if weights is not None and not isinstance(weights, (list, tuple, dict)):
            weights = [weights] * len(names)
        self.weights = [None] * len(names) if weights is None else by_output(weights, names, "loss_weights", False)
        if sum(x is not None for x in self.losses) > 1:
            self.trackers = [None if x is None else _metrics.Mean(name=f"{n}_loss") for n, x in zip(names, self.losses)]
        self.built = True

    def __call__(self, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        if not self.built:
            self.build(y_pred)
        parts = nest.flatten(y_pred)
        targets = self.outputs.targets(y)
        weights = sample_weight if isinstance(sample_weight, (list, tuple)) else [sample_weight] * len(parts)
        if isinstance(sample_weight, dict):
            weights = [sample_weight.get(n) for n in self.outputs.names]
        if len(targets) != len(parts):
            raise ConversionError(
                f"The model has {len(parts)} outputs, but there are {len(targets)} targets; give a list or a dict by the "
                f"names {self.outputs.names}"
            )
        total = []
        for i, (loss, p) in enumerate(zip(self.losses, parts)):
            if loss is None:
                continue
            value = loss(targets[i], p, sample_weight=weights[i])
            if self.trackers:
                self.trackers[i].update_state(value)
            total.append(value if self.weights[i] is None else value * float(self.weights[i]))
        return sum(total[1:], total[0]) if total else None


def batch_size(x: Any) -> Any:
    """The extent of the first axis of the first tensor, a float."""
    x = nest.flatten(x)[0]
    n = x.shape[0] if len(x.shape) else 1
    return dtypes.cast(_array.shape(x)[0], dtypes.float32) if n is None else float(n)


class CompiledMetrics:
    """The metrics of all outputs, and those that see sample weights."""

    def __init__(self, metrics: Any, weighted: Any, output_names: list[str]) -> None:
        self._given, self._weighted, self._output_names = metrics, weighted, output_names
        self.built = False
        self.metrics: list[Any] = []

    def build(self, y: Any, y_pred: Any) -> None:
        """The metrics of each output, when structures and shapes are known."""
        self.outputs = Outputs(y_pred, self._output_names)
        targets, parts = self.outputs.targets(y), nest.flatten(y_pred)
        self.plain = self._made(self._given, targets, parts, "metrics")
        self.weighted = self._made(self._weighted, targets, parts, "weighted_metrics")
        self.metrics = [m for _, row in (*self.plain, *self.weighted) for m in row]
        self.built = True

    def _made(self, given, targets, parts, what):
        names = self.outputs.names
        if given is None:
            rows = [[] for _ in names]
        elif isinstance(given, dict) and self.outputs.single:  # Keras looks at no name if there is one output
            rows = [nest.flatten([given[k] for k in sorted(given)])]
        elif isinstance(given, dict):
            rows = by_output(given, names, what, False)
        elif self.outputs.single:
            rows = [list(given) if isinstance(given, (list, tuple)) else [given]]
        else:
            rows = by_output(given, names, what, False) if isinstance(given, (list, tuple)) else [given] * len(names)
        out = []
        for name, row, t, p in zip(names, rows, targets, parts):
            row = row if isinstance(row, (list, tuple)) else [] if row is None else [row]
            flat = nest.flatten(list(row))
            out.append((name, [metric_of(m, convert_to_tensor(t), p) for m in flat if m is not None]))
        return out

    def update(self, y: Any, y_pred: Any, sample_weight: Any) -> None:
        """Counts a batch."""
        if not self.built:
            self.build(y, y_pred)
        targets, parts = self.outputs.targets(y), nest.flatten(y_pred)
        weights = sample_weight if isinstance(sample_weight, (list, tuple)) else [sample_weight] * len(parts)
        for rows, of in ((self.plain, [None] * len(parts)), (self.weighted, weights)):
            for (_, row), t, p, w in zip(rows, targets, parts, of):
                for metric in row:
                    metric.update_state(t, p) if w is None else metric.update_state(t, p, sample_weight=w)

    def results(self) -> dict[str, Any]:
        """The value of each by its name; that of the output before it where there are several."""
        out: dict[str, Any] = {}
        if not self.built:
            return out
        for rows in (self.plain, self.weighted):
            for name, row in rows:
                for metric in row:
                    key = metric.name if self.outputs.single else f"{name}_{metric.name}"
                    if key in out:
                        key = f"weighted_{key}" if rows is self.weighted and f"weighted_{key}" not in out else key
                    value = metric.result()
                    out.update(value) if isinstance(value, dict) else out.update({key: value})
        return out
