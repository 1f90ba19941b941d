"""tf.data.experimental: what of it is in Dataset by now."""

from __future__ import annotations as _annotations

import typing as _t

from ._dataset import Dataset as _Dataset

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

AUTOTUNE: int = -1
INFINITE_CARDINALITY: int = -1
UNKNOWN_CARDINALITY: int = -2


def cardinality(dataset: _Dataset) -> Any:
    """The number of elements, an int64 tensor: -1 if there is no end, -2 if it is not known."""
    return dataset.cardinality()


def Counter(start: int = 0, step: int = 1, dtype: Any = "int64") -> _Dataset:
    """start, start + step, ... without an end."""
    return _Dataset.counter(start, step, dtype)


def get_single_element(dataset: _Dataset) -> Any:
    """The element of a dataset that has one."""
    return dataset.get_single_element()


def unbatch() -> Callable[[_Dataset], _Dataset]:
    """For Dataset.apply: Dataset.unbatch."""
    return lambda dataset: dataset.unbatch()


def take_while(predicate: Callable[..., Any]) -> Callable[[_Dataset], _Dataset]:
    """For Dataset.apply: Dataset.take_while."""
    return lambda dataset: dataset.take_while(predicate)


def unique() -> Callable[[_Dataset], _Dataset]:
    """For Dataset.apply: Dataset.unique."""
    return lambda dataset: dataset.unique()


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: int | None = None, stop_on_empty_dataset: bool = False
) -> _Dataset:
    """Dataset.sample_from_datasets."""
    return _Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(datasets: Any, choice_dataset: _Dataset, stop_on_empty_dataset: bool = False) -> _Dataset:
    """Dataset.choose_from_datasets."""
    return _Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def assert_cardinality(expected_cardinality: int) -> Callable[[_Dataset], _Dataset]:
    """For Dataset.apply: says how many elements there are; an error at the end if there are others."""
    from ._nodes import checked_count

    return lambda dataset: checked_count(dataset, expected_cardinality)
