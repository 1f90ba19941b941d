"""tf.data.experimental: what of it is in Dataset by now, and options, which change no element."""

from __future__ import annotations as _annotations

import enum as _enum
import typing as _t

from .. import dtypes as _dtypes
from ._dataset import Dataset as _Dataset
from ._dataset import ThreadingOptions as ThreadingOptions
from ._groups import GroupByReducerDataset as _GroupByReducerDataset
from ._groups import PadToCardinalityDataset as _PadToCardinalityDataset
from ._groups import Reducer as Reducer
from ._optional import Optional as Optional

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _Transform = Callable[[_Dataset], _Dataset]

AUTOTUNE: int = -1
INFINITE_CARDINALITY: int = -1
UNKNOWN_CARDINALITY: int = -2


class AutotuneAlgorithm(_enum.Enum):
    """Accepted by AutotuneOptions; iterators here have nothing to tune."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class AutotuneOptions:
    """Accepted; iterators here have nothing to tune."""

    autotune_algorithm: AutotuneAlgorithm | None = None
    cpu_budget: int | None = None
    enabled: bool | None = None
    initial_parallelism: int | None = None
    min_parallelism: int | None = None
    ram_budget: int | None = None


class OptimizationOptions:
    """Accepted; they change no element."""

    apply_default_optimizations: bool | None = None
    filter_fusion: bool | None = None
    filter_parallelization: bool | None = None
    inject_prefetch: bool | None = None
    map_and_batch_fusion: bool | None = None
    map_and_filter_fusion: bool | None = None
    map_fusion: bool | None = None
    map_parallelization: bool | None = None
    noop_elimination: bool | None = None
    parallel_batch: bool | None = None
    seq_interleave_prefetch: bool | None = None
    shuffle_and_repeat_fusion: bool | None = None


def cardinality(dataset: _Dataset) -> Any:
    """The number of elements, an int64 tensor: -1 if there is no end, -2 if it is not known."""
    return dataset.cardinality()


def at(dataset: _Dataset, index: int) -> Any:
    """The element of a number, from 0 on. IndexError after the last."""
    for element in dataset.skip(int(index)).take(1):
        return element
    raise IndexError(f"at: there is no element {index}")


def from_list(elements: list[Any], name: str | None = None) -> _Dataset:
    """A dataset of these elements, structures of one kind."""
    from ..errors import ConversionError
    from ._elements import spec_of, structured

    if not isinstance(elements, list) or not elements:
        raise ConversionError("Invalid `elements`. `elements` should be a list that is not empty.")
    made = [structured(e) for e in elements]
    return _Dataset._of_list(made, spec_of(made[0]))


def get_structure(dataset_or_iterator: Any) -> Any:
    """The TensorSpecs of an element."""
    return dataset_or_iterator.element_spec


def get_next_as_optional(iterator: Any) -> Optional:
    """An Optional of the next element; without a value after the last."""
    return iterator.get_next_as_optional()


def Counter(start: int = 0, step: int = 1, dtype: Any = _dtypes.int64) -> _Dataset:
    """start, start + step, ... without an end."""
    return _Dataset.counter(start, step, dtype)


def RandomDataset(
    seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> _Dataset:
    """Dataset.random."""
    return _Dataset.random(seed, rerandomize_each_iteration)


def get_single_element(dataset: _Dataset) -> Any:
    """The element of a dataset that has one."""
    return dataset.get_single_element()


def unbatch() -> _Transform:
    """For Dataset.apply: Dataset.unbatch."""
    return lambda dataset: dataset.unbatch()


def take_while(predicate: Callable[..., Any]) -> _Transform:
    """For Dataset.apply: Dataset.take_while."""
    return lambda dataset: dataset.take_while(predicate)


def unique() -> _Transform:
    """For Dataset.apply: Dataset.unique."""
    return lambda dataset: dataset.unique()


def enumerate_dataset(start: int = 0) -> _Transform:
    """For Dataset.apply: Dataset.enumerate."""
    return lambda dataset: dataset.enumerate(start)


def ignore_errors(log_warning: bool = False) -> _Transform:
    """For Dataset.apply: Dataset.ignore_errors."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> _Transform:
    """For Dataset.apply: Dataset.scan."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def shuffle_and_repeat(buffer_size: int, count: int | None = None, seed: int | None = None) -> _Transform:
    """For Dataset.apply: Dataset.shuffle, then Dataset.repeat."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: int,
    num_parallel_batches: int | None = None,
    drop_remainder: bool = False,
    num_parallel_calls: int | None = None,
) -> _Transform:
    """For Dataset.apply: Dataset.map, then Dataset.batch."""
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: int,
    block_length: int = 1,
    sloppy: bool | None = False,
    buffer_output_elements: int | None = None,
    prefetch_input_elements: int | None = None,
) -> _Transform:
    """For Dataset.apply: Dataset.interleave."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: int | None = None,
    window_size_func: Callable[..., Any] | None = None,
) -> _Transform:
    """For Dataset.apply: Dataset.group_by_window."""
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> _Transform:
    """For Dataset.apply: an element for each key, by rising keys: what the Reducer makes of the elements of the key."""
    return lambda dataset: _GroupByReducerDataset(dataset, key_func, reducer)


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> _Transform:
    """For Dataset.apply: Dataset.bucket_by_sequence_length."""
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes, padding_values,
        pad_to_bucket_boundary, no_padding, drop_remainder,
    )  # fmt: skip


def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: int | None = None
) -> _Transform:
    """For Dataset.apply: Dataset.rejection_resample."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> _Transform:
    """For Dataset.apply: dicts, then dicts of zeros up to a number of elements; mask_key says which is which."""
    return lambda dataset: _PadToCardinalityDataset(dataset, cardinality, mask_key)


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: int | None = None, stop_on_empty_dataset: bool = False
) -> _Dataset:
    """Dataset.sample_from_datasets."""
    return _Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(datasets: Any, choice_dataset: _Dataset, stop_on_empty_dataset: bool = False) -> _Dataset:
    """Dataset.choose_from_datasets."""
    return _Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def assert_cardinality(expected_cardinality: int) -> _Transform:
    """For Dataset.apply: says how many elements there are; an error at the end if there are others."""
    from ._nodes import checked_count

    return lambda dataset: checked_count(dataset, expected_cardinality)
