"""Metrics with Keras 3's names: sums over the batches of an epoch, in variables."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _common
from .._loss_functions import (
    KLD as KLD,
    MAE as MAE,
    MAPE as MAPE,
    MSE as MSE,
    MSLE as MSLE,
    binary_crossentropy as binary_crossentropy,
    binary_focal_crossentropy as binary_focal_crossentropy,
    categorical_crossentropy as categorical_crossentropy,
    categorical_focal_crossentropy as categorical_focal_crossentropy,
    categorical_hinge as categorical_hinge,
    hinge as hinge,
    huber as huber,
    kl_divergence as kl_divergence,
    kld as kld,
    kullback_leibler_divergence as kullback_leibler_divergence,
    log_cosh as log_cosh,
    logcosh as logcosh,
    mae as mae,
    mape as mape,
    mean_absolute_error as mean_absolute_error,
    mean_absolute_percentage_error as mean_absolute_percentage_error,
    mean_squared_error as mean_squared_error,
    mean_squared_logarithmic_error as mean_squared_logarithmic_error,
    mse as mse,
    msle as msle,
    poisson as poisson,
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
    squared_hinge as squared_hinge,
)
from ._base import (
    Mean as Mean,
    MeanMetricWrapper as MeanMetricWrapper,
    Metric as Metric,
    RootMeanSquaredError as RootMeanSquaredError,
    Sum as Sum,
)
from ._confusion import (
    AUC as AUC,
    FalseNegatives as FalseNegatives,
    FalsePositives as FalsePositives,
    Precision as Precision,
    PrecisionAtRecall as PrecisionAtRecall,
    Recall as Recall,
    RecallAtPrecision as RecallAtPrecision,
    SensitivityAtSpecificity as SensitivityAtSpecificity,
    SpecificityAtSensitivity as SpecificityAtSensitivity,
    TrueNegatives as TrueNegatives,
    TruePositives as TruePositives,
)
from ._functions import (
    binary_accuracy as binary_accuracy,
    categorical_accuracy as categorical_accuracy,
    concordance_correlation as concordance_correlation,
    pearson_correlation as pearson_correlation,
    sparse_categorical_accuracy as sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy as top_k_categorical_accuracy,
)
from ._means import (
    Accuracy as Accuracy,
    BinaryAccuracy as BinaryAccuracy,
    BinaryCrossentropy as BinaryCrossentropy,
    CategoricalAccuracy as CategoricalAccuracy,
    CategoricalCrossentropy as CategoricalCrossentropy,
    CategoricalHinge as CategoricalHinge,
    ConcordanceCorrelation as ConcordanceCorrelation,
    CosineSimilarity as CosineSimilarity,
    Hinge as Hinge,
    KLDivergence as KLDivergence,
    LogCoshError as LogCoshError,
    MeanAbsoluteError as MeanAbsoluteError,
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
    MeanSquaredError as MeanSquaredError,
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
    PearsonCorrelation as PearsonCorrelation,
    Poisson as Poisson,
    SparseCategoricalAccuracy as SparseCategoricalAccuracy,
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
    SparseTopKCategoricalAccuracy as SparseTopKCategoricalAccuracy,
    SquaredHinge as SquaredHinge,
    TopKCategoricalAccuracy as TopKCategoricalAccuracy,
)
from ._scores import (
    BinaryIoU as BinaryIoU,
    F1Score as F1Score,
    FBetaScore as FBetaScore,
    IoU as IoU,
    MeanIoU as MeanIoU,
    OneHotIoU as OneHotIoU,
    OneHotMeanIoU as OneHotMeanIoU,
    R2Score as R2Score,
)

if _t.TYPE_CHECKING:
    from typing import Any

_CLASSES = {n: c for n, c in globals().items() if isinstance(c, type) and issubclass(c, Metric)}
_NAMES = _common.Names(
    "metrics",
    "metric",
    _CLASSES,
    {_common.snake_case(n): c for n, c in _CLASSES.items()}
    | {"mse": MeanSquaredError, "MSE": MeanSquaredError, "mae": MeanAbsoluteError, "MAE": MeanAbsoluteError}
    | {"mape": MeanAbsolutePercentageError, "MAPE": MeanAbsolutePercentageError}
    | {"msle": MeanSquaredLogarithmicError, "MSLE": MeanSquaredLogarithmicError}
    | {"bce": BinaryCrossentropy, "BCE": BinaryCrossentropy},
)


def serialize(metric: Any) -> Any:
    """A function's name, or class name and options of a metric: what deserialize takes."""
    return _NAMES.serialize(metric)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The metric that serialize wrote, without its counts."""
    return _NAMES.deserialize(config, custom_objects)


def get(identifier: Any) -> Any:
    """The metric of a name ("accuracy", "AUC"), of a configuration, or the object itself; None for None."""
    return _NAMES.get(identifier)
