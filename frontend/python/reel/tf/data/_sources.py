"""Datasets that are made of no other, or of several."""

from __future__ import annotations as _annotations

import itertools as _itertools
import typing as _t

from ... import _core
from .. import nest
from .._convert import convert_to_tensor
from .._dtypes import string
from .._shape import TensorSpec
from .._tensor import wrap
from ..errors import ConversionError
from ._dataset import Dataset
from ._elements import from_array, global_seed, leaves_like, map_specs, more_general, spec_of, structured

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ._elements import Run

INFINITE, UNKNOWN = -1, -2


class _TensorDataset(Dataset):
    def __init__(self, element: Any) -> None:
        self._element = structured(element)
        self._spec, self._count = spec_of(self._element), 1

    def _iterate(self, run: Run) -> Iterator[Any]:
        yield self._element


class _ListDataset(Dataset):
    def __init__(self, elements: list[Any], spec: Any = None) -> None:
        self._elements = elements
        self._spec, self._count = spec if spec is not None else spec_of(elements[0]), len(elements)

    def _iterate(self, run: Run) -> Iterator[Any]:
        return iter(self._elements)


class _Rows(Dataset):
    """A dataset of rows of arrays: `_source`, and the numbers of the rows. A batch of it is one lookup."""

    _source: Any = None

    def _numbers(self, run: Run) -> Iterator[int]:
        raise NotImplementedError

    def _iterate(self, run: Run) -> Iterator[Any]:
        arrays = nest.flatten(self._source)
        for i in self._numbers(run):
            yield nest.pack_sequence_as(self._source, [_row(a, i) for a in arrays])


def _row(array, i):
    return convert_to_tensor(array[i]) if not isinstance(array, _core.Tensor) else wrap(array[i])


class _TextLineDataset(Dataset):
    """The lines of files, without their ends."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._spec, self._count = TensorSpec((), string), UNKNOWN

    def _iterate(self, run: Run) -> Iterator[Any]:
        for name in self._names:
            try:
                with open(name, "rb") as file:
                    for line in file:
                        yield convert_to_tensor(line.rstrip(b"\n").removesuffix(b"\r"))
            except FileNotFoundError:
                raise _core.NotFoundError(f"TextLineDataset: {name}; No such file or directory") from None


def rows_at(source: Any, numbers: list[int]) -> Any:
    """The rows of these numbers, stacked."""
    import numpy

    index = numpy.asarray(numbers)

    def take(a):
        if isinstance(a, _core.Tensor):
            return wrap(_core.take(a, _core.asarray(index), axis=0))
        return from_array(a[index])

    return nest.pack_sequence_as(source, [take(a) for a in nest.flatten(source)])


class _TensorSliceDataset(_Rows):
    def __init__(self, tensors: Any) -> None:
        element = structured(tensors)
        counts = {tuple(x.shape[:1]) for x in nest.flatten(element)}
        if () in counts:
            raise ConversionError("Unbatching a tensor is only supported for rank >= 1: from_tensor_slices needs axes")
        if len(counts) != 1:
            raise ConversionError(
                "Dimensions are not compatible: from_tensor_slices needs tensors with as many rows each, not "
                f"{sorted(n for (n,) in counts)}"
            )
        (self._count,) = counts.pop()
        self._spec = map_specs(lambda s: TensorSpec(s.shape[1:], s.dtype), spec_of(element))

        def array(x):
            return x._t if x.dtype.name == "bfloat16" else x.__array__()

        self._source = nest.map_structure(array, element)

    def _numbers(self, run: Run) -> Iterator[int]:
        return iter(range(self._count))


class _RangeDataset(Dataset):
    def __init__(self, args: tuple[int, ...], dtype: Any) -> None:
        self._range = range(*(int(a) for a in args))
        self._dtype = dtype
        self._spec, self._count = TensorSpec((), dtype), len(self._range)

    def _iterate(self, run: Run) -> Iterator[Any]:
        return (convert_to_tensor(i, dtype=self._dtype) for i in self._range)


class _CounterDataset(Dataset):
    def __init__(self, start: Any, step: Any, dtype: Any) -> None:
        self._start, self._step, self._dtype = start, step, dtype
        self._spec, self._count = TensorSpec((), dtype), INFINITE

    def _iterate(self, run: Run) -> Iterator[Any]:
        return (convert_to_tensor(i, dtype=self._dtype) for i in _itertools.count(self._start, self._step))


class _RandomDataset(Dataset):
    def __init__(self, seed: int | None, again: bool | None) -> None:
        self._seed, self._again, self._runs = seed, again, 0
        self._spec, self._count = TensorSpec((), "int64"), INFINITE

    def _iterate(self, run: Run) -> Iterator[Any]:
        generator = run.draw(lambda: _seed_of(self, self._again is True))
        while True:
            yield convert_to_tensor(generator.getrandbits(32), dtype="int64")


class _GeneratorDataset(Dataset):
    def __init__(self, generator: Callable[..., Any], spec: Any, args: tuple[Any, ...]) -> None:
        self._generator, self._args = generator, args
        self._spec, self._count = spec, UNKNOWN

    def _iterate(self, run: Run) -> Iterator[Any]:
        specs = nest.flatten(self._spec)
        for value in self._generator(*self._args):
            if isinstance(value, list) and not isinstance(self._spec, (list, TensorSpec)):
                value = tuple(value)
            try:
                leaves = leaves_like(self._spec, value)
                out = [convert_to_tensor(x, dtype_hint=s.dtype) for x, s in zip(leaves, specs, strict=True)]
            except (ValueError, TypeError) as error:
                raise ConversionError(
                    f"`generator` yielded an element that did not match the expected structure. The expected structure was "
                    f"{self._spec}, but the yielded element was {value!r}: {error}"
                ) from None
            for x, s in zip(out, specs):
                if x.dtype is not s.dtype or s.shape is not None and not s.shape.is_compatible_with(x.shape):
                    raise ConversionError(
                        f"`generator` yielded an element of {x.dtype.name} and shape {x.shape} where one of {s.dtype.name} and "
                        f"shape {s.shape} was expected."
                    )
            yield nest.pack_sequence_as(self._spec, out)


class _ZipDataset(Dataset):
    def __init__(self, datasets: Any) -> None:
        flat = nest.flatten(datasets)
        if not flat:
            raise ConversionError("zip: there is no dataset")
        for d in flat:
            if not isinstance(d, Dataset):
                raise _core.InvalidTypeError(
                    f"zip: expected datasets, not {d!r}; nest them in tuples and dicts, not lists"
                )
        self._datasets = datasets
        self._spec = nest._packed(datasets, iter([d.element_spec for d in flat]))
        known = [d._count for d in flat]
        self._count = UNKNOWN if UNKNOWN in known else min((n for n in known if n >= 0), default=INFINITE)

    def _iterate(self, run: Run) -> Iterator[Any]:
        for parts in zip(*(d._iterate(run) for d in nest.flatten(self._datasets))):
            yield nest._packed(self._datasets, iter(parts))


def _positive(value, name):
    value = int(value)
    if value <= 0:
        raise ConversionError(f"{name} must be greater than zero, not {value}.")
    return value


class _ConcatenateDataset(Dataset):
    def __init__(self, first: Dataset, second: Dataset) -> None:
        self._datasets = (first, second)
        self._spec = more_general(first.element_spec, second.element_spec, "concatenate")
        counts = (first._count, second._count)
        self._count = INFINITE if INFINITE in counts else UNKNOWN if UNKNOWN in counts else sum(counts)

    def _iterate(self, run: Run) -> Iterator[Any]:
        for d in self._datasets:
            yield from d._iterate(run)


def _seed_of(node, again):
    """The number that an iteration's order is made of."""
    if node._seed is None and not hasattr(node, "_own_seed"):
        node._own_seed = global_seed()
    base = node._own_seed if node._seed is None else int(node._seed)
    node._runs += 1
    return hash((base, node._runs if again else 0)) & (2**62 - 1)


class _ChoiceDataset(Dataset):
    """The next element of the dataset whose number comes next."""

    def __init__(self, datasets: list[Dataset], choices: Callable[[Run], Iterator[int]], stops: bool) -> None:
        self._datasets, self._choices, self._stops = datasets, choices, stops
        self._spec, self._count = datasets[0].element_spec, UNKNOWN
        for d in datasets[1:]:
            self._spec = more_general(self._spec, d.element_spec, "sample_from_datasets")

    def _iterate(self, run: Run) -> Iterator[Any]:
        iterators: list[Any] = [d._iterate(run) for d in self._datasets]
        for i in self._choices(run):
            if not 0 <= i < len(iterators):
                raise ConversionError(f"choose_from_datasets: there are {len(iterators)} datasets, and {i} is chosen")
            element = next(iterators[i], None) if iterators[i] is not None else None
            if element is not None:
                yield element
                continue
            if self._stops:
                return
            iterators[i] = None
            if all(it is None for it in iterators):
                return


def sampled(datasets: list[Dataset], weights: Any, seed: int | None, stops: bool) -> Dataset:
    """The next element of datasets drawn with these weights."""
    if weights is not None and len(weights) != len(datasets):
        raise ConversionError(
            f"When non-`None` is passed, `weights` must have the same length as `datasets` but got {len(weights)} weights for "
            f"{len(datasets)} datasets"
        )
    weights = [1.0] * len(datasets) if weights is None else [float(w) for w in weights]

    class Seeded:
        _seed, _runs = seed, 0

    holder = Seeded()

    def choices(run):
        generator = run.draw(lambda: _seed_of(holder, True))
        left = list(weights)
        while any(left):
            yield generator.choices(range(len(left)), left)[0]

    return _ChoiceDataset(datasets, choices, stops)
