"""tf.compat.v1.metrics: pairs (value so far, operation that takes a batch in and gives the value then).

What they count is in local variables, whose initializer starts them again.
"""

from __future__ import annotations as _annotations

import typing as _t

from ... import _array
from ... import dtypes as _dtypes
from ... import math as _math
from ..._convert import convert_to_tensor as _convert
from ..._graph import default_graph as _default_graph
from ..._trace import state as _state
from ...errors import ConversionError as _ConversionError
from ...errors import StateError as _StateError
from ._scopes import variable_scope as _variable_scope
from ._table import shared as _shared
from ._variables import GraphKeys as _GraphKeys

if _t.TYPE_CHECKING:
    from typing import Any

_FLOAT = _dtypes.float32


def _graph(what):
    if _state.graph is None:
        raise _StateError(f"tf.metrics.{what} is not supported when eager execution is enabled.")
    return _default_graph()


def _count(name, shape=(), dtype=_FLOAT):
    keys = [_GraphKeys.LOCAL_VARIABLES, _GraphKeys.METRIC_VARIABLES]
    return _state.graph.variable(_array.zeros(list(shape), dtype), False, name, collections=keys)


def _floats(x):
    return _dtypes.cast(_convert(x), _FLOAT)


def _ratio(a, b):
    """a / b, 0 where b is not positive."""
    return _array.where(b > 0.0, _math.divide_no_nan(a, b), _array.zeros_like(a))


def _done(value, update, metrics_collections, updates_collections):
    for keys, x in ((metrics_collections, value), (updates_collections, update)):
        if keys:
            _state.graph.add_to_collections(keys, x)
    return value, update


def _weights_like(weights, values):
    """Weights with the rank of the values, all of their shape."""
    weights = _floats(weights)
    have, want = weights.shape.rank, values.shape.rank
    if have is not None and want is not None and have == want + 1 and weights.shape[-1] == 1:
        weights = _array.squeeze(weights, [-1])
    elif have is not None and want is not None and have == want - 1 and have > 0:
        weights = _array.expand_dims(weights, -1)
    elif have not in (0, want):
        raise _ConversionError(f"weights can not be broadcast to values: {weights.shape} and {values.shape}")
    return _array.ones_like(values) * weights


def _mean(values, weights, name, metrics_collections, updates_collections, finish=lambda x: x):
    _graph(name)
    values = _floats(values)
    with _variable_scope(None, name):
        total, count = _count("total"), _count("count")
        spread = _array.ones_like(values) if weights is None else _weights_like(weights, values)
        value = finish(_ratio(total.value(), count.value()))
        with _state.graph.control_dependencies([values]):
            totals = total.assign_add(_math.reduce_sum(values * spread))
            counts = count.assign_add(_math.reduce_sum(spread))
        update = finish(_ratio(totals, counts))
    return _done(value, update, metrics_collections, updates_collections)


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The weighted mean."""
    return _mean(values, weights, name or "mean", metrics_collections, updates_collections)


def _same(predictions, labels):
    """Both as tensors of one rank: a last axis of one element of one of them goes away."""
    predictions, labels = _convert(predictions), _convert(labels)
    a, b = predictions.shape.rank, labels.shape.rank
    if a is not None and b is not None:
        if a == b + 1 and predictions.shape[-1] == 1:
            predictions = _array.squeeze(predictions, [-1])
        elif b == a + 1 and labels.shape[-1] == 1:
            labels = _array.squeeze(labels, [-1])
    if not predictions.shape.is_compatible_with(labels.shape):
        raise _ConversionError(f"Shapes {predictions.shape} and {labels.shape} are incompatible")
    return predictions, labels


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How often predictions are the labels."""
    _graph("accuracy")
    predictions, labels = _same(predictions, labels)
    if labels.dtype is not predictions.dtype:
        predictions = _dtypes.cast(predictions, labels.dtype)
    right = _dtypes.cast(_math.equal(predictions, labels), _FLOAT)
    return _mean(right, weights, name or "accuracy", metrics_collections, updates_collections)


def _errors(labels, predictions, f):
    predictions, labels = _same(_floats(predictions), _floats(labels))
    return f(labels, predictions)


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The mean of |predictions - labels|."""
    _graph("mean_absolute_error")
    errors = _errors(labels, predictions, lambda y, p: _math.abs(p - y))
    return _mean(errors, weights, name or "mean_absolute_error", metrics_collections, updates_collections)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The mean of (predictions - labels)^2."""
    _graph("mean_squared_error")
    errors = _errors(labels, predictions, _math.squared_difference)
    return _mean(errors, weights, name or "mean_squared_error", metrics_collections, updates_collections)


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The root of the mean of (predictions - labels)^2."""
    _graph("root_mean_squared_error")
    errors = _errors(labels, predictions, _math.squared_difference)
    return _mean(
        errors, weights, name or "root_mean_squared_error", metrics_collections, updates_collections, _math.sqrt
    )


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The mean of |labels - predictions| / normalizer, 0 where that is 0."""
    _graph("mean_relative_error")
    by = _floats(normalizer)
    errors = _errors(labels, predictions, lambda y, p: _math.divide_no_nan(_math.abs(y - p), by))
    return _mean(errors, weights, name or "mean_relative_error", metrics_collections, updates_collections)


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How often values are below a threshold."""
    _graph("percentage_below")
    below = _dtypes.cast(_convert(values) < threshold, _FLOAT)
    return _mean(below, weights, name or "percentage_below_threshold", metrics_collections, updates_collections)


def _sums(parts, weights, name, finish, metrics_collections, updates_collections):
    """Sums of several masks, put together by finish."""
    with _variable_scope(None, name):
        counts = [_count(key) for key in parts]
        masks = [_dtypes.cast(mask, _FLOAT) for mask in parts.values()]
        spread = None if weights is None else _weights_like(weights, masks[0])
        value = finish(*[c.value() for c in counts])
        new = [_math.reduce_sum(m if spread is None else m * spread) for m in masks]
        update = finish(*[c.assign_add(n) for c, n in zip(counts, new)])
    return _done(value, update, metrics_collections, updates_collections)


def _booleans(labels, predictions):
    predictions, labels = _same(
        _dtypes.cast(_convert(predictions), _dtypes.bool), _dtypes.cast(_convert(labels), _dtypes.bool)
    )
    return labels, predictions


def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """True positives by all that is predicted to be positive."""
    _graph("precision")
    y, p = _booleans(labels, predictions)
    parts = {"true_positives": _math.logical_and(y, p), "false_positives": _math.logical_and(_math.logical_not(y), p)}
    return _sums(
        parts, weights, name or "precision", lambda t, f: _ratio(t, t + f), metrics_collections, updates_collections
    )


def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """True positives by all that is positive."""
    _graph("recall")
    y, p = _booleans(labels, predictions)
    parts = {"true_positives": _math.logical_and(y, p), "false_negatives": _math.logical_and(y, _math.logical_not(p))}
    return _sums(
        parts, weights, name or "recall", lambda t, f: _ratio(t, t + f), metrics_collections, updates_collections
    )


def _counter(kind, positive, right):
    def count(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Any:
        _graph(kind)
        y, p = _booleans(labels, predictions)
        p = p if positive else _math.logical_not(p)
        y = y if positive == right else _math.logical_not(y)
        parts = {"count": _math.logical_and(y, p)}
        return _sums(parts, weights, name or kind, lambda n: n, metrics_collections, updates_collections)

    count.__name__ = count.__qualname__ = kind
    count.__doc__ = f"The number (or weight) of {kind.replace('_', ' ')}."
    return count


true_positives, false_positives = _counter("true_positives", True, True), _counter("false_positives", True, False)
true_negatives, false_negatives = _counter("true_negatives", False, True), _counter("false_negatives", False, False)


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> Any:
    """The area under the ROC (or PR) curve, by thresholds that divide [0, 1] evenly."""
    _graph("auc")
    if curve not in ("ROC", "PR"):
        raise _ConversionError(f"curve must be either ROC or PR, {curve} unknown")
    if summation_method != "trapezoidal":
        raise _ConversionError(f"metrics.auc: summation_method={summation_method!r} is not here, only trapezoidal")
    n = num_thresholds if thresholds is None else len(thresholds) + 2
    inner = [(i + 1) / (n - 1) for i in range(n - 2)] if thresholds is None else sorted(thresholds)
    cuts = _convert([[-1e-7] + [float(t) for t in inner] + [1.0 + 1e-7]], _FLOAT)
    y, p = _booleans(labels, labels)[0], _floats(predictions)
    y, p = _array.reshape(y, [-1, 1]), _array.reshape(p, [-1, 1])
    above, spread = p > cuts, None
    if weights is not None:
        spread = _array.reshape(_weights_like(weights, _floats(predictions)), [-1, 1])
    with _variable_scope(None, name or "auc"):
        names = ["true_positives", "false_negatives", "true_negatives", "false_positives"]
        counts = [_count(key, [n]) for key in names]
        no, below = _math.logical_not(y), _math.logical_not(above)
        masks = [_math.logical_and(a, b) for a, b in ((y, above), (y, below), (no, below), (no, above))]
        masks = [_dtypes.cast(m, _FLOAT) for m in masks]
        new = [_math.reduce_sum(m if spread is None else m * spread, axis=0) for m in masks]
        value = _area(curve, *[c.value() for c in counts])
        update = _area(curve, *[c.assign_add(x) for c, x in zip(counts, new)])
    return _done(value, update, metrics_collections, updates_collections)


def _area(curve, tp, fn, tn, fp):
    tiny = 1e-6
    rate = (tp + tiny) / (tp + fn + tiny)
    if curve == "ROC":
        x, y = fp / (fp + tn + tiny), rate
    else:
        x, y = rate, (tp + tiny) / (tp + fp + tiny)
    return _math.reduce_sum((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2.0)


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The mean over classes of intersection by union; the update gives the confusion matrix."""
    _graph("mean_iou")

    def finish(matrix):
        rows, columns = _math.reduce_sum(matrix, 0), _math.reduce_sum(matrix, 1)
        diagonal = _math.reduce_sum(matrix * _array.eye(num_classes), 0)
        union = rows + columns - diagonal
        valid = _math.reduce_sum(_dtypes.cast(_math.not_equal(union, 0.0), _FLOAT))
        return _math.divide_no_nan(_math.reduce_sum(_math.divide_no_nan(diagonal, union)), valid)

    return _by_classes(
        labels, predictions, num_classes, weights, name or "mean_iou", finish, metrics_collections, updates_collections
    )


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The mean over classes of the accuracy of examples of the class; the update gives it by class."""
    _graph("mean_per_class_accuracy")
    y, p = _array.reshape(_convert(labels), [-1]), _array.reshape(_convert(predictions), [-1])
    p = _dtypes.cast(p, y.dtype)
    spread = (
        _array.ones_like(_floats(y))
        if weights is None
        else _array.reshape(_weights_like(weights, _floats(labels)), [-1])
    )
    which = _array.one_hot(_dtypes.cast(y, _dtypes.int64), num_classes)
    right = _dtypes.cast(_math.equal(y, p), _FLOAT) * spread
    with _variable_scope(None, name or "mean_accuracy"):
        total, count = _count("total", [num_classes]), _count("count", [num_classes])
        value = _math.reduce_mean(_math.divide_no_nan(count.value(), total.value()))
        totals = total.assign_add(_math.reduce_sum(which * _array.reshape(spread, [-1, 1]), 0))
        counts = count.assign_add(_math.reduce_sum(which * _array.reshape(right, [-1, 1]), 0))
        update = _math.divide_no_nan(counts, totals)
    return _done(value, update, metrics_collections, updates_collections)


def _by_classes(labels, predictions, n, weights, name, finish, metrics_collections, updates_collections):
    y, p = _array.reshape(_convert(labels), [-1]), _array.reshape(_convert(predictions), [-1])
    spread = None if weights is None else _array.reshape(_weights_like(weights, _floats(labels)), [-1])
    with _variable_scope(None, name):
        total = _count("total_confusion_matrix", [n, n], _dtypes.float64)
        a, b = (_array.one_hot(_dtypes.cast(x, _dtypes.int64), n) for x in (y, p))
        matrix = _math.matmul(a if spread is None else a * _array.reshape(spread, [-1, 1]), b, transpose_a=True)
        value = finish(_floats(total.value()))
        update = total.assign_add(_dtypes.cast(matrix, _dtypes.float64))
    return _done(value, update, metrics_collections, updates_collections)


__getattr__, __dir__ = _shared("metrics", globals())
