"""Datasets that sort elements: by length into batches, by class until a distribution is met, by key into sums."""

from __future__ import annotations as _annotations

import bisect as _bisect
import sys as _sys
import typing as _t

from ... import _core
from .. import nest
from .._convert import convert_to_tensor
from .._shape import TensorSpec
from ..errors import ConversionError
from . import _dataset
from ._elements import Mapped, call_with, spec_of, structured
from ._nodes import _Of
from ._sources import UNKNOWN, _seed_of

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ._dataset import Dataset
    from ._elements import Run


_dataset.groups = _sys.modules[__name__]


def bucketed(
    dataset: Dataset,
    length: Callable[..., Any],
    boundaries: Any,
    sizes: Any,
    shapes: Any,
    values: Any,
    to_boundary: bool,
    pads: bool,
    drop: bool,
) -> Dataset:
    """Batches of elements of similar lengths: bucket i has those below boundaries[i], sizes[i] in a batch."""
    boundaries, sizes = [int(b) for b in boundaries], [int(n) for n in sizes]
    if len(sizes) != len(boundaries) + 1:
        raise ConversionError(
            f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)={len(sizes)}` "
            f"and `len(bucket_boundaries)={len(boundaries)}`."
        )

    def key(*element):
        return convert_to_tensor(_bisect.bisect_right(boundaries, int(length(*element))), dtype="int64")

    def batches(bucket, window):
        i = int(bucket)
        if not pads:
            return window.batch(sizes[i], drop)
        wanted = shapes
        if to_boundary:
            if i == len(boundaries):
                raise ConversionError(
                    "bucket_by_sequence_length: When pad_to_bucket_boundary=True, elements must have length < "
                    f"max(bucket_boundaries), which is {boundaries[-1]}"
                )
            wanted = nest.map_structure(
                lambda s: TensorSpec([boundaries[i] - 1 if n is None else n for n in s.shape], s.dtype).shape,
                window.element_spec if shapes is None else nest.map_structure(TensorSpec, shapes),
            )
        return window.padded_batch(sizes[i], wanted, values, drop)

    def spec(bucket, window):
        return window.padded_batch(1, shapes, values) if pads else window.batch(1)

    from ._nodes import grouped

    return grouped(dataset, key, batches, lambda bucket: sizes[int(bucket)], spec)


class RejectionResampleDataset(_Of):
    """(class, element) of elements that are kept so that classes are distributed as target says."""

    def __init__(
        self, dataset: Dataset, class_func: Callable[..., Any], target: Any, initial: Any, seed: int | None
    ) -> None:
        super().__init__(dataset)
        self._class = Mapped(class_func, dataset.element_spec)
        self._target, self._seed, self._runs = _floats(target), seed, 0
        self._initial = None if initial is None else _floats(initial)
        if self._initial is not None and len(self._initial) != len(self._target):
            raise ConversionError(
                f"rejection_resample: target_dist has {len(self._target)} classes, initial_dist {len(self._initial)}"
            )
        self._spec, self._count = (self._class.spec, dataset.element_spec), UNKNOWN

    def _iterate(self, run: Run) -> Iterator[Any]:
        generator = run.draw(lambda: _seed_of(self, True))
        counts = [1.0 / len(self._target)] * len(self._target)  # of classes that came, where none are given
        for element in self._dataset._iterate(run):
            found = self._class(element)
            i = int(found)
            if not 0 <= i < len(counts):
                raise ConversionError(f"rejection_resample: class {i} of {len(counts)} classes")
            counts[i] += 1
            shares = self._initial or counts
            ratios = [t / max(s, 1e-12) for t, s in zip(self._target, shares)]
            if generator.random() < ratios[i] / max(ratios):
                yield found, element


def _floats(values):
    return [float(v) for v in (values.numpy() if hasattr(values, "numpy") else values)]


class Reducer:
    """init_func(key), reduce_func(state, element) and finalize_func(state) of group_by_reducer."""

    def __init__(
        self, init_func: Callable[..., Any], reduce_func: Callable[..., Any], finalize_func: Callable[..., Any]
    ) -> None:
        self.init_func, self.reduce_func, self.finalize_func = init_func, reduce_func, finalize_func


class GroupByReducerDataset(_Of):
    """An element for each key, by rising keys: what a reducer makes of the elements of the key."""

    def __init__(self, dataset: Dataset, key: Callable[..., Any], reducer: Reducer) -> None:
        super().__init__(dataset)
        self._key, self._reducer, self._count = key, reducer, UNKNOWN
        start = self._start(0)
        self._step = Mapped(
            lambda state, element: reducer.reduce_func(state, *(element if type(element) is tuple else (element,))),
            (spec_of(start), dataset.element_spec),
        )
        self._end = Mapped(lambda state: reducer.finalize_func(state), spec_of(start))
        self._spec = self._end.spec

    def _start(self, key):
        return structured(self._reducer.init_func(convert_to_tensor(key, dtype="int64")))

    def _iterate(self, run: Run) -> Iterator[Any]:
        states: dict[int, Any] = {}
        for element in self._dataset._iterate(run):
            k = int(call_with(self._key, element))
            states[k] = self._step((states[k] if k in states else self._start(k), element))
        for k in sorted(states):
            yield self._end(states[k])


class IgnoreErrorsDataset(_Of):
    """The elements that can be made: those that raise an error are left out."""

    def __init__(self, dataset: Dataset, logs: bool) -> None:
        super().__init__(dataset)
        self._logs, self._count = logs, UNKNOWN

    def _iterate(self, run: Run) -> Iterator[Any]:
        source = self._dataset
        if not hasattr(source, "_function") or not hasattr(source, "_dataset"):
            raise _core.UnimplementedError(
                "ignore_errors: it leaves out elements whose map function raises: call it right after map"
            )
        for element in source._dataset._iterate(run):
            try:
                made = source._function(element)
            except _core.Error as error:
                if self._logs:
                    import warnings

                    warnings.warn(f"ignore_errors: {error}", stacklevel=2)
                continue
            yield made


class PadToCardinalityDataset(_Of):
    """Dicts, then dicts of zeros up to a number of elements; mask_key says which is which."""

    def __init__(self, dataset: Dataset, cardinality: int, mask_key: str) -> None:
        super().__init__(dataset)
        if not isinstance(dataset.element_spec, dict):
            raise ConversionError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        if not 0 <= dataset._count <= cardinality:
            raise ConversionError(
                f"pad_to_cardinality: The dataset's cardinality must be known and at most {cardinality}, not {dataset._count}"
            )
        self._wanted, self._mask = cardinality, mask_key
        self._spec, self._count = {**dataset.element_spec, mask_key: TensorSpec((), "bool")}, cardinality

    def _iterate(self, run: Run) -> Iterator[Any]:
        from .._array import zeros

        for element in self._dataset._iterate(run):
            yield {**element, self._mask: convert_to_tensor(True)}
        for _ in range(self._wanted - self._dataset._count):
            nothing = nest.map_structure(lambda s: zeros(s.shape, s.dtype), self._dataset.element_spec)
            yield {**nothing, self._mask: convert_to_tensor(False)}
