"""Means of accuracies, correlations and losses."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _loss_functions as _losses
from . import _functions
from ._base import MeanMetricWrapper

if _t.TYPE_CHECKING:
    from ....typing import DTypeLike


class Accuracy(MeanMetricWrapper):
    """The mean of accuracy."""

    def __init__(self, name: str | None = "accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(_functions.accuracy, name, dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """The mean of binary_accuracy."""

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: DTypeLike | None = None, threshold: float = 0.5
    ) -> None:
        super().__init__(_functions.binary_accuracy, name, dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """The mean of categorical_accuracy."""

    def __init__(self, name: str | None = "categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(_functions.categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """The mean of sparse_categorical_accuracy."""

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(_functions.sparse_categorical_accuracy, name, dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """The mean of top_k_categorical_accuracy."""

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(_functions.top_k_categorical_accuracy, name, dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """The mean of sparse_top_k_categorical_accuracy."""

    def __init__(
        self,
        k: int = 5,
        name: str | None = "sparse_top_k_categorical_accuracy",
        dtype: DTypeLike | None = None,
        from_sorted_ids: bool = False,
    ) -> None:
        super().__init__(
            _functions.sparse_top_k_categorical_accuracy, name, dtype, k=k, from_sorted_ids=from_sorted_ids
        )


class MeanSquaredError(MeanMetricWrapper):
    """The mean of mean_squared_error."""

    def __init__(self, name: str | None = "mean_squared_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.mean_squared_error, name, dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of mean_absolute_error."""

    def __init__(self, name: str | None = "mean_absolute_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.mean_absolute_error, name, dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of mean_absolute_percentage_error."""

    def __init__(self, name: str | None = "mean_absolute_percentage_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.mean_absolute_percentage_error, name, dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean of mean_squared_logarithmic_error."""

    def __init__(self, name: str | None = "mean_squared_logarithmic_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.mean_squared_logarithmic_error, name, dtype)


class LogCoshError(MeanMetricWrapper):
    """The mean of log_cosh."""

    def __init__(self, name: str | None = "logcosh", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.log_cosh, name, dtype)


class CosineSimilarity(MeanMetricWrapper):
    """The mean of cosine_similarity."""

    def __init__(self, name: str | None = "cosine_similarity", dtype: DTypeLike | None = None, axis: int = -1) -> None:
        super().__init__(_functions.cosine_similarity, name, dtype, axis=axis)


class KLDivergence(MeanMetricWrapper):
    """The mean of kl_divergence."""

    def __init__(self, name: str | None = "kl_divergence", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.kl_divergence, name, dtype)


class Poisson(MeanMetricWrapper):
    """The mean of poisson."""

    def __init__(self, name: str | None = "poisson", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.poisson, name, dtype)


class Hinge(MeanMetricWrapper):
    """The mean of hinge."""

    def __init__(self, name: str | None = "hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.hinge, name, dtype)


class SquaredHinge(MeanMetricWrapper):
    """The mean of squared_hinge."""

    def __init__(self, name: str | None = "squared_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.squared_hinge, name, dtype)


class CategoricalHinge(MeanMetricWrapper):
    """The mean of categorical_hinge."""

    def __init__(self, name: str | None = "categorical_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(_losses.categorical_hinge, name, dtype)


class PearsonCorrelation(MeanMetricWrapper):
    """The mean of pearson_correlation."""

    def __init__(
        self, name: str | None = "pearson_correlation", dtype: DTypeLike | None = None, axis: int = -1
    ) -> None:
        super().__init__(_functions.pearson_correlation, name, dtype, axis=axis)


class ConcordanceCorrelation(MeanMetricWrapper):
    """The mean of concordance_correlation."""

    def __init__(
        self, name: str | None = "concordance_correlation", dtype: DTypeLike | None = None, axis: int = -1
    ) -> None:
        super().__init__(_functions.concordance_correlation, name, dtype, axis=axis)


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean of binary_crossentropy."""

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(
            _losses.binary_crossentropy, name, dtype, from_logits=from_logits, label_smoothing=label_smoothing
        )


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean of categorical_crossentropy."""

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        super().__init__(
            _losses.categorical_crossentropy,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean of sparse_categorical_crossentropy."""

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(
            _losses.sparse_categorical_crossentropy,
            name,
            dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )
