"""Means of accuracies, correlations and losses."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _loss_functions as _losses
from .._common import given
from . import _functions
from ._base import FunctionMean

if _t.TYPE_CHECKING:
    from typing import Any

    from ....typing import DTypeLike


class Accuracy(FunctionMean):
    """The mean of accuracy."""

    _fn = staticmethod(_functions.accuracy)

    def __init__(self, name: str | None = "accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class BinaryAccuracy(FunctionMean):
    """The mean of binary_accuracy."""

    _fn = staticmethod(_functions.binary_accuracy)

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: DTypeLike | None = None, threshold: float = 0.5
    ) -> None:
        super().__init__(**given(locals()))


class CategoricalAccuracy(FunctionMean):
    """The mean of categorical_accuracy."""

    _fn = staticmethod(_functions.categorical_accuracy)

    def __init__(self, name: str | None = "categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class SparseCategoricalAccuracy(FunctionMean):
    """The mean of sparse_categorical_accuracy."""

    _fn = staticmethod(_functions.sparse_categorical_accuracy)

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class TopKCategoricalAccuracy(FunctionMean):
    """The mean of top_k_categorical_accuracy."""

    _fn = staticmethod(_functions.top_k_categorical_accuracy)

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(**given(locals()))


class SparseTopKCategoricalAccuracy(FunctionMean):
    """The mean of sparse_top_k_categorical_accuracy."""

    _fn = staticmethod(_functions.sparse_top_k_categorical_accuracy)

    def __init__(
        self,
        k: int = 5,
        name: str | None = "sparse_top_k_categorical_accuracy",
        dtype: DTypeLike | None = None,
        from_sorted_ids: bool = False,
    ) -> None:
        super().__init__(**given(locals()))

    def get_config(self) -> dict[str, Any]:
        return {k: v for k, v in super().get_config().items() if k != "from_sorted_ids"}  # as Keras has it


class MeanSquaredError(FunctionMean):
    """The mean of mean_squared_error."""

    _fn = staticmethod(_losses.mean_squared_error)

    def __init__(self, name: str | None = "mean_squared_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class MeanAbsoluteError(FunctionMean):
    """The mean of mean_absolute_error."""

    _fn = staticmethod(_losses.mean_absolute_error)

    def __init__(self, name: str | None = "mean_absolute_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class MeanAbsolutePercentageError(FunctionMean):
    """The mean of mean_absolute_percentage_error."""

    _fn = staticmethod(_losses.mean_absolute_percentage_error)

    def __init__(self, name: str | None = "mean_absolute_percentage_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class MeanSquaredLogarithmicError(FunctionMean):
    """The mean of mean_squared_logarithmic_error."""

    _fn = staticmethod(_losses.mean_squared_logarithmic_error)

    def __init__(self, name: str | None = "mean_squared_logarithmic_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class LogCoshError(FunctionMean):
    """The mean of log_cosh."""

    _fn = staticmethod(_losses.log_cosh)

    def __init__(self, name: str | None = "logcosh", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class CosineSimilarity(FunctionMean):
    """The mean of cosine_similarity."""

    _fn = staticmethod(_functions.cosine_similarity)

    def __init__(self, name: str | None = "cosine_similarity", dtype: DTypeLike | None = None, axis: int = -1) -> None:
        super().__init__(**given(locals()))


class KLDivergence(FunctionMean):
    """The mean of kl_divergence."""

    _fn = staticmethod(_losses.kl_divergence)

    def __init__(self, name: str | None = "kl_divergence", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class Poisson(FunctionMean):
    """The mean of poisson."""

    _fn = staticmethod(_losses.poisson)

    def __init__(self, name: str | None = "poisson", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class Hinge(FunctionMean):
    """The mean of hinge."""

    _fn = staticmethod(_losses.hinge)

    def __init__(self, name: str | None = "hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class SquaredHinge(FunctionMean):
    """The mean of squared_hinge."""

    _fn = staticmethod(_losses.squared_hinge)

    def __init__(self, name: str | None = "squared_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class CategoricalHinge(FunctionMean):
    """The mean of categorical_hinge."""

    _fn = staticmethod(_losses.categorical_hinge)

    def __init__(self, name: str | None = "categorical_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(**given(locals()))


class PearsonCorrelation(FunctionMean):
    """The mean of pearson_correlation."""

    _fn = staticmethod(_functions.pearson_correlation)

    def __init__(
        self, name: str | None = "pearson_correlation", dtype: DTypeLike | None = None, axis: int = -1
    ) -> None:
        super().__init__(**given(locals()))


class ConcordanceCorrelation(FunctionMean):
    """The mean of concordance_correlation."""

    _fn = staticmethod(_functions.concordance_correlation)

    def __init__(
        self, name: str | None = "concordance_correlation", dtype: DTypeLike | None = None, axis: int = -1
    ) -> None:
        super().__init__(**given(locals()))


class BinaryCrossentropy(FunctionMean):
    """The mean of binary_crossentropy."""

    _fn = staticmethod(_losses.binary_crossentropy)

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(**given(locals()))


class CategoricalCrossentropy(FunctionMean):
    """The mean of categorical_crossentropy."""

    _fn = staticmethod(_losses.categorical_crossentropy)

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        super().__init__(**given(locals()))


class SparseCategoricalCrossentropy(FunctionMean):
    """The mean of sparse_categorical_crossentropy."""

    _fn = staticmethod(_losses.sparse_categorical_crossentropy)

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(**given(locals()))
