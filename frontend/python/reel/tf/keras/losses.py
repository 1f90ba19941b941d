"""Losses: classes whose calls reduce the values of the batch, and functions that return one value per example."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _array, nest
from .. import dtypes as _dtypes
from .. import math as _math
from .._trace import state as _state
from ..errors import ConversionError
from . import _common
from ._common import given as _given
from ._loss_functions import KLD as KLD
from ._loss_functions import MAE as MAE
from ._loss_functions import MAPE as MAPE
from ._loss_functions import MSE as MSE
from ._loss_functions import MSLE as MSLE
from ._loss_functions import binary_crossentropy as binary_crossentropy
from ._loss_functions import binary_focal_crossentropy as binary_focal_crossentropy
from ._loss_functions import categorical_crossentropy as categorical_crossentropy
from ._loss_functions import categorical_focal_crossentropy as categorical_focal_crossentropy
from ._loss_functions import categorical_generalized_cross_entropy as categorical_generalized_cross_entropy
from ._loss_functions import categorical_hinge as categorical_hinge
from ._loss_functions import circle as circle
from ._loss_functions import cosine_similarity as cosine_similarity
from ._loss_functions import dice as dice
from ._loss_functions import hinge as hinge
from ._loss_functions import huber as huber
from ._loss_functions import kl_divergence as kl_divergence
from ._loss_functions import kld as kld
from ._loss_functions import kullback_leibler_divergence as kullback_leibler_divergence
from ._loss_functions import log_cosh as log_cosh
from ._loss_functions import logcosh as logcosh
from ._loss_functions import mae as mae
from ._loss_functions import mape as mape
from ._loss_functions import mean_absolute_error as mean_absolute_error
from ._loss_functions import mean_absolute_percentage_error as mean_absolute_percentage_error
from ._loss_functions import mean_squared_error as mean_squared_error
from ._loss_functions import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from ._loss_functions import mse as mse
from ._loss_functions import msle as msle
from ._loss_functions import poisson as poisson
from ._loss_functions import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from ._loss_functions import squared_hinge as squared_hinge
from ._loss_functions import tversky as tversky
from ._masks import mask_of as _mask_of

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...typing import DTypeLike
    from ...typing import TensorLike as ArrayLike
    from .._signatures import Axes
    from .._tensor import Tensor as _Tensor

    _Reduction = str | None


class Reduction:
    """Names of reductions."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: str) -> None:
        """ValueError for what is none of them."""
        if key not in cls.all():
            raise ConversionError(f'Invalid Reduction Key: {key}. Expected keys are "{cls.all()}"')


_REDUCTIONS = ("sum_over_batch_size", "sum", None, "none", "mean", "mean_with_sample_weight")


class Loss:
    """loss(y_true, y_pred, sample_weight) reduces what call(y_true, y_pred) gives of the batch.

    reduction: "sum_over_batch_size" and "mean" (the mean of all values), "sum", "mean_with_sample_weight" (by the sum of
    the weights), "none" or None (all values). Targets and predictions are cast to dtype, float32 unless given.
    """

    _labels: Any = None  # the dtype of the targets, if it is not that of the predictions

    def __init__(
        self, name: str | None = None, reduction: _Reduction = "sum_over_batch_size", dtype: DTypeLike | None = None
    ) -> None:
        self.name = name or _common.auto_name(self)
        self.reduction = _checked_reduction(reduction)
        self._dtype = _dtypes.as_dtype(dtype or _dtypes.float32)

    @property
    def dtype(self) -> str:
        """The name of the dtype of what is computed."""
        return self._dtype.name

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """One value per example; for subclasses."""
        raise NotImplementedError(f"{type(self).__name__} does not define call(y_true, y_pred)")

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: ArrayLike | None = None) -> _Tensor:
        if _state.graph is not None:
            return _state.graph.call(self._compute, (y_true, y_pred, sample_weight), {}, self.name)
        return self._compute(y_true, y_pred, sample_weight)

    def _compute(self, y_true, y_pred, sample_weight):
        dtype = self._dtype
        mask = _mask_of(y_pred)
        values = self.call(_tensors(y_true, self._labels or dtype), _tensors(y_pred, dtype))
        own = _mask_of(values)
        mask = own if mask is None else mask if own is None else _math.logical_and(mask, own)
        values = _common.tensor(values, dtype if dtype.is_floating else None)
        return reduced(values, sample_weight, mask, self.reduction)

    def get_config(self) -> dict[str, Any]:
        """The options, for from_config."""
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Loss:
        """A loss of these options."""
        return cls(**config)


def _tensors(x, dtype):
    """A tensor, or a structure of them; lists and tuples of numbers are one tensor."""
    if isinstance(x, (list, tuple, dict)) and any(hasattr(leaf, "shape") for leaf in nest.flatten(x)):
        return nest.map_structure(lambda leaf: _common.tensor(leaf, dtype), x)
    return _common.tensor(x, dtype)


def _checked_reduction(reduction):
    if reduction not in _REDUCTIONS:
        raise ConversionError(
            f"Invalid value for argument `reduction`. Expected one of {_REDUCTIONS}. Received: reduction={reduction}"
        )
    return reduction


def reduced(values: _Tensor, sample_weight: Any, mask: Any, reduction: _Reduction) -> _Tensor:
    """Values times weights (of the same shape, of one axis less, or one number), only where the mask is True, reduced."""
    if mask is not None:
        sample_weight = _masked(values.dtype, sample_weight, mask, reduction)
    if sample_weight is not None:
        values, sample_weight = _common.same_rank(values, _common.tensor(sample_weight, values.dtype))
        values = values * sample_weight
    shape = tuple(values.shape)
    if reduction in (None, "none") or shape in ((), (0,)):
        return values
    if reduction == "mean_with_sample_weight" and sample_weight is not None:
        return _math.divide_no_nan(_math.reduce_sum(values), _math.reduce_sum(sample_weight))
    if reduction == "sum" or 0 in shape:
        return _math.reduce_sum(values)
    return _math.reduce_mean(values)


def _masked(dtype, sample_weight, mask, reduction):
    """Weights that are 0 where the mask is False; for means the others grow by total / valid."""
    weights = _common.tensor(mask, dtype)
    if reduction in ("mean", "sum_over_batch_size"):
        total = _common.tensor(_array.size(weights), dtype)
        weights = weights * _math.divide_no_nan(total, _math.reduce_sum(weights))
    if sample_weight is None:
        return weights
    weights, sample_weight = _common.same_rank(weights, _common.tensor(sample_weight, dtype))
    return sample_weight * weights


class _FunctionLoss(Loss):
    """The loss of a function, `_fn`, called with options. `_options` names those that get_config gives."""

    _fn: Callable[..., Any]
    _options: tuple[str, ...] = ()

    def __init__(self, reduction: _Reduction, name: str | None, dtype: DTypeLike | None, **options: Any) -> None:
        super().__init__(name=name, reduction=reduction, dtype=dtype)
        self._arguments = options
        for option in type(self)._options:
            setattr(self, option, options[option])

    def call(self, y_true: Any, y_pred: Any) -> Any:
        y_true, y_pred = _common.same_rank(y_true, y_pred)
        return self._fn(y_true, y_pred, **self._arguments)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {option: getattr(self, option) for option in type(self)._options}


class MeanSquaredError(_FunctionLoss):
    """Of mean_squared_error."""

    _fn = staticmethod(mean_squared_error)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "mean_squared_error",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class MeanAbsoluteError(_FunctionLoss):
    """Of mean_absolute_error."""

    _fn = staticmethod(mean_absolute_error)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "mean_absolute_error",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class MeanAbsolutePercentageError(_FunctionLoss):
    """Of mean_absolute_percentage_error."""

    _fn = staticmethod(mean_absolute_percentage_error)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "mean_absolute_percentage_error",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class MeanSquaredLogarithmicError(_FunctionLoss):
    """Of mean_squared_logarithmic_error."""

    _fn = staticmethod(mean_squared_logarithmic_error)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "mean_squared_logarithmic_error",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class CosineSimilarity(_FunctionLoss):
    """Of cosine_similarity."""

    _fn = staticmethod(cosine_similarity)

    def __init__(
        self,
        axis: int = -1,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "cosine_similarity",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class Huber(_FunctionLoss):
    """Of huber."""

    _fn = staticmethod(huber)

    def __init__(
        self,
        delta: float = 1.0,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "huber_loss",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class LogCosh(_FunctionLoss):
    """Of log_cosh."""

    _fn = staticmethod(log_cosh)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "log_cosh",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class KLDivergence(_FunctionLoss):
    """Of kl_divergence."""

    _fn = staticmethod(kl_divergence)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "kl_divergence",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class Poisson(_FunctionLoss):
    """Of poisson."""

    _fn = staticmethod(poisson)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "poisson",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class Hinge(_FunctionLoss):
    """Of hinge."""

    _fn = staticmethod(hinge)

    def __init__(
        self, reduction: _Reduction = "sum_over_batch_size", name: str | None = "hinge", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(**_given(locals()))


class SquaredHinge(_FunctionLoss):
    """Of squared_hinge."""

    _fn = staticmethod(squared_hinge)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "squared_hinge",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class CategoricalHinge(_FunctionLoss):
    """Of categorical_hinge."""

    _fn = staticmethod(categorical_hinge)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "categorical_hinge",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class BinaryCrossentropy(_FunctionLoss):
    """Of binary_crossentropy."""

    _fn = staticmethod(binary_crossentropy)

    _options = ("from_logits", "label_smoothing", "axis")

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "binary_crossentropy",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class BinaryFocalCrossentropy(_FunctionLoss):
    """Of binary_focal_crossentropy."""

    _fn = staticmethod(binary_focal_crossentropy)

    _options = ("from_logits", "label_smoothing", "axis", "apply_class_balancing", "alpha", "gamma")

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "binary_focal_crossentropy",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class CategoricalCrossentropy(_FunctionLoss):
    """Of categorical_crossentropy."""

    _fn = staticmethod(categorical_crossentropy)

    _options = ("from_logits", "label_smoothing", "axis")

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "categorical_crossentropy",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class CategoricalFocalCrossentropy(_FunctionLoss):
    """Of categorical_focal_crossentropy."""

    _fn = staticmethod(categorical_focal_crossentropy)

    _options = ("from_logits", "label_smoothing", "axis", "alpha", "gamma")

    def __init__(
        self,
        alpha: ArrayLike = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "categorical_focal_crossentropy",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class SparseCategoricalCrossentropy(_FunctionLoss):
    """Of sparse_categorical_crossentropy."""

    _fn = staticmethod(sparse_categorical_crossentropy)

    _options = ("from_logits", "ignore_class")
    _labels = _dtypes.int64

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: _Reduction = "sum_over_batch_size",
        axis: int = -1,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class CategoricalGeneralizedCrossEntropy(_FunctionLoss):
    """Of categorical_generalized_cross_entropy."""

    _fn = staticmethod(categorical_generalized_cross_entropy)

    _options = ("q",)

    def __init__(
        self,
        q: float = 0.5,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "categorical_generalized_cross_entropy",
        dtype: DTypeLike | None = None,
    ) -> None:
        if not 0 < q < 1:
            raise ConversionError("q must be in the interval (0, 1)")
        super().__init__(**_given(locals()))


class Dice(_FunctionLoss):
    """Of dice."""

    _fn = staticmethod(dice)

    _options = ("axis",)

    def __init__(
        self,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "dice",
        axis: Axes | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class Tversky(_FunctionLoss):
    """Of tversky."""

    _fn = staticmethod(tversky)

    _options = ("alpha", "beta", "axis")

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "tversky",
        axis: Axes | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


class Circle(_FunctionLoss):
    """Of circle."""

    _fn = staticmethod(circle)

    _options = ("gamma", "margin", "remove_diagonal")

    def __init__(
        self,
        gamma: float = 80.0,
        margin: float = 0.4,
        remove_diagonal: bool = True,
        reduction: _Reduction = "sum_over_batch_size",
        name: str | None = "circle",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(**_given(locals()))


_NAMES = _common.Names("losses", "loss", _common.public(globals(), Loss))


def serialize(loss: Any) -> Any:
    """A function's name, or class name and options of a loss: what deserialize takes."""
    return _NAMES.serialize(loss)


def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The loss that serialize wrote."""
    return _NAMES.deserialize(name, custom_objects)


def get(identifier: Any) -> Any:
    """The loss of a name ("mse", "Huber"), of a configuration, or the callable itself; None for None."""
    return _NAMES.get(identifier)
