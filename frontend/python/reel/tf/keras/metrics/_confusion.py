"""Counts of right and wrong predictions at thresholds, and what is computed from them."""

from __future__ import annotations as _annotations

import typing as _t

import numpy as _np

from ... import _array, dtypes
from ... import math as _math
from .. import _common
from .._common import EPSILON as _EPSILON
from .._common import tensor as _tensor
from ._base import Metric, check

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ....typing import DTypeLike
    from ....typing import TensorLike as ArrayLike
    from ..._tensor import Tensor as _Tensor
    from .._variable import Variable

    _Thresholds = float | Sequence[float] | None

_NO_THRESHOLD = -1e10
_KINDS = ("true_positives", "false_positives", "true_negatives", "false_negatives")


def _parsed(thresholds, default):
    """Thresholds as a list, each in [0, 1]."""
    if thresholds is None:
        return [default]
    thresholds = list(thresholds) if isinstance(thresholds, (list, tuple, _np.ndarray)) else [thresholds]
    wrong = [t for t in thresholds if t is None or not 0 <= t <= 1]
    check(not wrong, f"Threshold values must be in [0, 1]. Received: {wrong}")
    return thresholds


def _even(thresholds):
    """Whether they are 0, 1 / n, 2 / n, ... 1."""
    n = len(thresholds)
    return n > 2 and _np.allclose(thresholds, _np.arange(n, dtype=_np.float32) / (n - 1), atol=_EPSILON)


def _above(y_pred, thresholds):
    """For each threshold along a new first axis: where the prediction is above it, as 1 and 0."""
    shape = (-1,) + (1,) * len(y_pred.shape)
    at = _array.reshape(_tensor(_np.asarray(thresholds, _np.float32), y_pred.dtype), shape)
    if not _even(thresholds):
        return dtypes.cast(y_pred > at, y_pred.dtype)
    # Compared by the number of the threshold, which has no rounding error; 1e-7 below 0 is below every prediction.
    numbers = _np.arange(len(thresholds), dtype=_np.float32)
    numbers[0] -= thresholds[0] < 0
    scaled = _math.clip_by_value(y_pred, 0.0, 1.0) * (len(thresholds) - 1)
    return dtypes.cast(scaled > _array.reshape(_tensor(numbers, y_pred.dtype), shape), y_pred.dtype)


def _only_top(y_pred, k):
    """The k largest along the last axis; the others below every threshold."""
    _, at = _math.top_k(y_pred, k)
    chosen = _math.reduce_sum(_array.one_hot(at, y_pred.shape[-1], dtype=y_pred.dtype), -2)
    return y_pred * chosen + _NO_THRESHOLD * (1 - chosen)


def _counts(y_true, y_pred, thresholds, sample_weight, label_weights=None, top_k=None, class_id=None, by_label=False):
    """The four counts of _KINDS for each threshold; by_label: for each label along the last axis too."""
    y_true, y_pred = _tensor(y_true, dtypes.float32), _tensor(y_pred, dtypes.float32)
    y_pred, y_true = _common.same_rank(y_pred, y_true)
    check(
        y_pred.shape.is_compatible_with(y_true.shape),
        f"Shapes {y_pred.shape} of the predictions and {y_true.shape} of the targets are incompatible",
    )
    weights = _array.ones_like(y_pred)
    if sample_weight is not None:
        sample_weight = _array.expand_dims(_tensor(sample_weight, dtypes.float32), -1)
        weights = weights * _common.same_rank(y_true, sample_weight, expand=False)[1]
    if top_k is not None:
        y_pred = _only_top(y_pred, top_k)
    if class_id is not None:
        check(
            len(y_pred.shape) > 1,
            f"With class_id y_pred must have the axes (samples, classes), its shape is {y_pred.shape}",
        )
        y_true, y_pred, weights = y_true[..., class_id], y_pred[..., class_id], weights[..., class_id]
    if label_weights is not None:
        weights = weights * label_weights
    if not by_label:
        y_true, y_pred, weights = (_array.reshape(x, (-1,)) for x in (y_true, y_pred, weights))
    positive = _array.where(_math.not_equal(y_true, 0), weights, _array.zeros_like(weights))
    above = _above(y_pred, thresholds)
    return _four(above, positive, weights - positive)


def _four(above, positive, negative):
    right, wrong = _math.reduce_sum(above * positive, 1), _math.reduce_sum(above * negative, 1)
    below = 1 - above
    return right, wrong, _math.reduce_sum(below * negative, 1), _math.reduce_sum(below * positive, 1)


class _Counting(Metric):
    """What keeps some of the four counts for each threshold."""

    thresholds: Any
    _top_k: int | None = None
    _class: int | None = None

    def _keep(self, kinds, shape):
        self._kinds = kinds
        for kind in kinds:
            setattr(self, kind, self.add_variable(shape, "zeros", name=kind))

    def _count(self, y_true, y_pred, sample_weight, **options):
        counts = _counts(y_true, y_pred, self.thresholds, sample_weight, **options)
        for kind, count in zip(_KINDS, counts):
            if kind in self._kinds:
                getattr(self, kind).assign_add(count)

    def update_state(self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        self._count(y_true, y_pred, sample_weight, top_k=self._top_k, class_id=self._class)

    def _one(self, values):
        """A number if there is one threshold."""
        return values[0] if len(self.thresholds) == 1 else _tensor(values)

    def _share(self, of, others):
        """of / (of + others), 0 for 0 / 0."""
        of, others = getattr(self, of).value(), getattr(self, others).value()
        return _math.divide_no_nan(of, of + others)

    @property
    def _recall(self):
        return self._share("true_positives", "false_negatives")

    @property
    def _precision(self):
        return self._share("true_positives", "false_positives")

    @property
    def _specificity(self):
        return self._share("true_negatives", "false_positives")


class _ConditionCount(_Counting):
    """One of the counts. `_kind` is its name."""

    _kind = ""
    accumulator: Variable

    def __init__(self, thresholds: _Thresholds = None, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(dtype, name)
        self.init_thresholds = thresholds
        self.thresholds = _parsed(thresholds, 0.5)
        self._kinds = (self._kind,)
        self.accumulator = self.add_variable((len(self.thresholds),), "zeros", name="accumulator")
        setattr(self, self._kind, self.accumulator)

    def result(self) -> _Tensor:
        return self._one(self.accumulator)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"thresholds": self.init_thresholds}


class TruePositives(_ConditionCount):
    """How many predictions above the threshold are right."""

    _kind = "true_positives"


class FalsePositives(_ConditionCount):
    """How many predictions above the threshold are wrong."""

    _kind = "false_positives"


class TrueNegatives(_ConditionCount):
    """How many predictions at or below the threshold are right."""

    _kind = "true_negatives"


class FalseNegatives(_ConditionCount):
    """How many predictions at or below the threshold are wrong."""

    _kind = "false_negatives"


class _Share(_Counting):
    """Precision or Recall: true positives among those and others, of which `_others` is the name."""

    _others = ""

    def __init__(
        self,
        thresholds: _Thresholds = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(dtype, name)
        self.init_thresholds = thresholds
        self.top_k = self._top_k = top_k
        self.class_id = self._class = class_id
        self.thresholds = _parsed(thresholds, 0.5 if top_k is None else _NO_THRESHOLD)
        self._keep(("true_positives", self._others), (len(self.thresholds),))

    def result(self) -> _Tensor:
        return self._one(self._share("true_positives", self._others))

    def get_config(self) -> dict[str, Any]:
        own = {"thresholds": self.init_thresholds, "top_k": self.top_k, "class_id": self.class_id}
        return super().get_config() | own


class Precision(_Share):
    """Of the predictions above a threshold, or among the top_k, the part that is right; class_id: of one class."""

    _others = "false_positives"


class Recall(_Share):
    """Of the positive targets, the part predicted above a threshold, or among the top_k; class_id: of one class."""

    _others = "false_negatives"


class _AtConstraint(_Counting):
    """The largest of one share over thresholds where another is at least a value. `_shares`: (constrained, wanted)."""

    _shares = ("", "")
    _named = ""

    def __init__(
        self,
        value: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        check(0 <= value <= 1, f"Argument `{self._named}` must be in the range [0, 1]. Received: {self._named}={value}")
        check(
            num_thresholds > 0,
            f"Argument `num_thresholds` must be an integer > 0. Received: num_thresholds={num_thresholds}",
        )
        super().__init__(dtype, name)
        self.value, self.num_thresholds = value, num_thresholds
        self.class_id = self._class = class_id
        self.thresholds = [0.5] if num_thresholds == 1 else _spread(num_thresholds, 0.0)
        self._keep(_KINDS, (len(self.thresholds),))

    def result(self) -> _Tensor:
        constrained, wanted = (getattr(self, share) for share in self._shares)
        feasible = constrained >= self.value
        return _math.maximum(_math.reduce_max(_array.where(feasible, wanted, _array.zeros_like(wanted))), 0.0)

    def get_config(self) -> dict[str, Any]:
        own = {"num_thresholds": self.num_thresholds, self._named: self.value, "class_id": self.class_id}
        return super().get_config() | own


def _spread(n, beyond):
    """n thresholds from 0 to 1, the first and the last a little beyond."""
    return [0.0 - beyond] + [i / (n - 1) for i in range(1, n - 1)] + [1.0 + beyond]


class SensitivityAtSpecificity(_AtConstraint):
    """The best sensitivity (recall) where the specificity is at least this."""

    _shares, _named = ("_specificity", "_recall"), "specificity"

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(specificity, num_thresholds, class_id, name, dtype)


class SpecificityAtSensitivity(_AtConstraint):
    """The best specificity where the sensitivity (recall) is at least this."""

    _shares, _named = ("_recall", "_specificity"), "sensitivity"

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)


class PrecisionAtRecall(_AtConstraint):
    """The best precision where the recall is at least this."""

    _shares, _named = ("_recall", "_precision"), "recall"

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(recall, num_thresholds, class_id, name, dtype)


class RecallAtPrecision(_AtConstraint):
    """The best recall where the precision is at least this."""

    _shares, _named = ("_precision", "_recall"), "precision"

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(precision, num_thresholds, class_id, name, dtype)


class AUC(_Counting):
    """The area under a curve of the thresholds: ROC (true over false positive rate), PR (precision over recall), PRGAIN.

    summation_method: "interpolation", "minoring" or "majoring". multi_label: the mean of the labels' areas, weighted by
    label_weights.
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: DTypeLike | None = None,
        thresholds: Sequence[float] | None = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: ArrayLike | None = None,
        from_logits: bool = False,
    ) -> None:
        self._own_thresholds = thresholds is not None
        if thresholds is not None:
            num_thresholds = len(thresholds) + 2
            self.thresholds = [0.0 - _EPSILON, *sorted(thresholds), 1.0 + _EPSILON]
        else:
            check(
                num_thresholds > 1,
                f"Argument `num_thresholds` must be an integer > 1. Received: num_thresholds={num_thresholds}",
            )
            self.thresholds = _spread(num_thresholds, _EPSILON)
        self.num_thresholds = num_thresholds
        self.curve = _one_of("AUC curve", curve, ("ROC", "PR", "PRGAIN"))
        methods = ("interpolation", "minoring", "majoring")
        self.summation_method = _one_of("AUC summation method", summation_method, methods)
        super().__init__(dtype, name)
        self.multi_label, self.num_labels, self.from_logits = multi_label, num_labels, from_logits
        self.label_weights = None if label_weights is None else _tensor(label_weights, dtypes.float32)
        check(multi_label or not num_labels, "`num_labels` is needed only when `multi_label` is True.")
        self._built = False
        if not multi_label or num_labels:
            self._build((None, num_labels))

    def _build(self, shape):
        check(
            len(shape) == 2,
            f"`y_pred` must have rank 2 when `multi_label=True`. Found rank {len(shape)}, shape {shape}",
        )
        self._keep(_KINDS, (self.num_thresholds, shape[1]) if self.multi_label else (self.num_thresholds,))
        self._built = True

    def update_state(self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        y_pred = _tensor(y_pred, dtypes.float32)
        if not self._built:
            self._build(y_pred.shape)
        if self.from_logits:
            y_pred = _math.sigmoid(y_pred)
        weights = None if self.multi_label else self.label_weights
        self._count(y_true, y_pred, sample_weight, label_weights=weights, by_label=self.multi_label)

    def result(self) -> _Tensor:
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self._of_labels(self._interpolated())
        x, y = {"ROC": self._roc, "PR": lambda: (self._recall, self._precision), "PRGAIN": self._gains}[self.curve]()
        first, second = y[:-1], y[1:]
        heights = {
            "interpolation": lambda: (first + second) / 2.0,
            "minoring": lambda: _math.minimum(first, second),
            "majoring": lambda: _math.maximum(first, second),
        }[self.summation_method]()
        return self._of_labels((x[:-1] - x[1:]) * heights)

    def _roc(self):
        return self._share("false_positives", "true_negatives"), self._recall

    def _gains(self):
        tp, fp, tn, fn = (getattr(self, kind).value() for kind in _KINDS)
        scale = _math.divide_no_nan(tp + fn, tn + fp)
        none = _math.equal(tp, 0.0)
        recall = _array.where(none, _array.zeros_like(tp), 1.0 - scale * _math.divide_no_nan(fn, tp))
        precision = _array.where(none, _array.ones_like(tp), 1.0 - scale * _math.divide_no_nan(fp, tp))
        return _math.maximum(recall, 0.0), precision

    def _interpolated(self):
        """Areas between thresholds, true and all positives taken as linear between them (Davis and Goadrich, 2006)."""
        tp, fp, _, fn = (getattr(self, kind).value() for kind in _KINDS)
        p = tp + fp
        rise, run = tp[:-1] - tp[1:], p[:-1] - p[1:]
        slope = _math.divide_no_nan(rise, _math.maximum(run, 0.0))
        start = tp[1:] - slope * p[1:]
        both = _math.logical_and(p[:-1] > 0, p[1:] > 0)
        ratio = _array.where(both, _math.divide_no_nan(p[:-1], p[1:]), _array.ones_like(run))
        return _math.divide_no_nan(slope * (rise + start * _math.log(ratio)), tp[1:] + fn[1:])

    def _of_labels(self, parts):
        """The sum of the parts; the mean of the labels' sums if there are several."""
        areas = _math.reduce_sum(parts, 0)
        if not self.multi_label:
            return areas
        if self.label_weights is None:
            return _math.reduce_mean(areas)
        return _math.divide_no_nan(_math.reduce_sum(areas * self.label_weights), _math.reduce_sum(self.label_weights))

    def get_config(self) -> dict[str, Any]:
        names = (
            "num_thresholds",
            "curve",
            "summation_method",
            "multi_label",
            "num_labels",
            "label_weights",
            "from_logits",
        )
        config = super().get_config() | {name: getattr(self, name) for name in names}
        return config | ({"thresholds": self.thresholds[1:-1]} if self._own_thresholds else {})


def _one_of(what, value, known):
    found = [k for k in known if str(value).lower() == k.lower()]
    check(found, f'Invalid {what} value: "{value}". Expected values are {list(known)}')
    return found[0]
