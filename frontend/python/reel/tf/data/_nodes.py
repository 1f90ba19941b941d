"""Datasets that are made of one other: each says its elements' spec, how many there are, and iterates."""

from __future__ import annotations as _annotations

import collections as _collections
import itertools as _itertools
import typing as _t

from ... import _core
from .. import nest
from .._convert import convert_to_tensor
from .._shape import TensorSpec
from .._tensor import wrap
from ..errors import ConversionError
from ._dataset import Dataset, DatasetSpec
from ._elements import Mapped, call_with, check_tensors, map_specs, spec_of, stacked, structured, with_batch
from ._sources import INFINITE, UNKNOWN, _ListDataset, _positive, _Rows, _seed_of, rows_at

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ._elements import Run


class _Of(Dataset):
    """A dataset made of one other; as many elements, of the same spec."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._spec, self._count = dataset.element_spec, dataset._count

    def _iterate(self, run: Run) -> Iterator[Any]:
        return self._dataset._iterate(run)


class _OptionsDataset(_Of):
    def __init__(self, dataset: Dataset, options: Any) -> None:
        super().__init__(dataset)
        self._options = options


class _PrefetchDataset(_Of):
    pass


class _CacheDataset(_Of):
    def __init__(self, dataset: Dataset) -> None:
        super().__init__(dataset)
        self._kept: list[Any] | None = None

    def _iterate(self, run: Run) -> Iterator[Any]:
        if self._kept is not None:
            yield from self._kept
            return
        kept = []
        for element in self._dataset._iterate(run):
            kept.append(element)
            yield element
        self._kept = kept


class _MapDataset(_Of):
    def __init__(self, dataset: Dataset, function: Callable[..., Any]) -> None:
        super().__init__(dataset)
        self._function = Mapped(function, dataset.element_spec)
        self._spec = self._function.spec

    @property
    def element_spec(self) -> Any:
        if self._spec is None:  # of functions of datasets: that of the first element
            first = next(iter(self), None)
            self._spec = None if first is None else nest.map_structure(
                lambda x: DatasetSpec(x.element_spec) if isinstance(x, Dataset) else spec_of(x), first
            )  # fmt: skip
        return self._spec

    def _iterate(self, run: Run) -> Iterator[Any]:
        function = self._function
        return (function(element) for element in self._dataset._iterate(run))


class _FilterDataset(_Of):
    def __init__(self, dataset: Dataset, predicate: Callable[..., Any], stops: bool = False) -> None:
        super().__init__(dataset)
        self._predicate, self._stops = Mapped(predicate, dataset.element_spec), stops
        spec = self._predicate.spec
        if spec is not None and (not isinstance(spec, TensorSpec) or not spec.dtype.is_bool or len(spec.shape or ())):
            raise ConversionError(
                f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor but its return type is {spec}."
            )
        self._count = UNKNOWN

    def _iterate(self, run: Run) -> Iterator[Any]:
        for element in self._dataset._iterate(run):
            if bool(self._predicate(element)):
                yield element
            elif self._stops:
                return


class _BatchDataset(_Of):
    def __init__(self, dataset: Dataset, size: int, drop: bool) -> None:
        super().__init__(dataset)
        check_tensors(dataset.element_spec, "batch")
        self._size, self._drop = _positive(size, "batch_size"), drop
        self._spec = map_specs(lambda s: with_batch(s, self._size if drop else None), dataset.element_spec)
        n = dataset._count
        self._count = n if n < 0 else n // self._size if drop else -(-n // self._size)

    def _iterate(self, run: Run) -> Iterator[Any]:
        source = self._dataset
        if isinstance(source, _Rows):
            for numbers in _chunks(source._numbers(run), self._size, self._drop):
                yield rows_at(source._source, numbers)
            return
        for elements in _chunks(source._iterate(run), self._size, self._drop):
            yield stacked(elements, "batch")


def _chunks(iterator, size, drop):
    while chunk := list(_itertools.islice(iterator, size)):
        if drop and len(chunk) < size:
            return
        yield chunk


class _PaddedBatchDataset(_Of):
    def __init__(self, dataset: Dataset, size: int, shapes: Any, values: Any, drop: bool) -> None:
        super().__init__(dataset)
        check_tensors(dataset.element_spec, "padded_batch")
        self._size, self._drop = _positive(size, "batch_size"), drop
        leaves = nest.flatten(dataset.element_spec)
        given = [s.shape for s in leaves] if shapes is None else _shape_leaves(shapes, dataset.element_spec)
        self._shapes = [tuple(None if n in (None, -1) else int(n) for n in s) for s in given]
        fill = [None] * len(leaves) if values is None else nest.flatten(values)
        self._fill = fill * len(leaves) if len(fill) == 1 else fill
        self._spec = nest.pack_sequence_as(
            dataset.element_spec,
            [with_batch(TensorSpec(s, leaf.dtype), size if drop else None) for s, leaf in zip(self._shapes, leaves)],
        )
        n = dataset._count
        self._count = n if n < 0 else n // self._size if drop else -(-n // self._size)

    def _iterate(self, run: Run) -> Iterator[Any]:
        for elements in _chunks(self._dataset._iterate(run), self._size, self._drop):
            columns = zip(*(nest.flatten(e) for e in elements))
            out = [self._padded(c, s, f) for c, s, f in zip(columns, self._shapes, self._fill)]
            yield nest.pack_sequence_as(elements[0], out)

    def _padded(self, column, shape, fill):
        extents = [max(x.shape[i] for x in column) if n is None else n for i, n in enumerate(shape)]
        value = 0 if fill is None else fill.numpy().item() if hasattr(fill, "numpy") else fill
        parts = []
        for x in column:
            if any(m > n for m, n in zip(x.shape, extents)) or len(x.shape) != len(extents):
                raise _core.DataLossError(
                    f"padded_batch: Attempted to pad to a smaller size than the input element: {tuple(x.shape)} to {extents}"
                )
            pairs = [(0, n - m) for m, n in zip(x.shape, extents)]
            parts.append(_core.pad(x._t, pairs, constant_values=value) if pairs else x._t)
        return wrap(_core.stack(parts))


def _shape_leaves(shapes, spec):
    """The shapes of a structure like spec's; a shape may be a list or tuple of numbers."""
    if isinstance(spec, TensorSpec):
        return [() if shapes is None else tuple(shapes)]
    children = nest._children(shapes)
    return [s for given, part in zip(children, nest._children(spec)) for s in _shape_leaves(given, part)]


class _UnbatchDataset(_Of):
    def __init__(self, dataset: Dataset) -> None:
        super().__init__(dataset)
        check_tensors(dataset.element_spec, "unbatch")
        if any(s.shape is not None and not len(s.shape) for s in nest.flatten(dataset.element_spec)):
            raise ConversionError("Cannot unbatch an input with scalar components.")
        sizes = {s.shape[0] for s in nest.flatten(dataset.element_spec) if s.shape is not None}
        n = sizes.pop() if len(sizes) == 1 else None
        self._spec = map_specs(
            lambda s: TensorSpec(None if s.shape is None else s.shape[1:], s.dtype), dataset.element_spec
        )
        self._count = dataset._count * n if n is not None and dataset._count >= 0 else UNKNOWN

    def _iterate(self, run: Run) -> Iterator[Any]:
        for element in self._dataset._iterate(run):
            rows = [[wrap(r) for r in _core.unstack(x._t)] if x.shape[0] else [] for x in nest.flatten(element)]
            if len({len(r) for r in rows}) > 1:
                raise ConversionError(f"unbatch: the components of an element have {[len(r) for r in rows]} rows")
            for leaves in zip(*rows):
                yield nest.pack_sequence_as(element, leaves)


def of_rows(node: Dataset) -> Dataset:
    """The node; one of rows of arrays if what it is made of is."""
    source = node._dataset
    if not isinstance(source, _Rows):
        return node
    rows = type(node).__new__(_rows_class(type(node)))
    rows.__dict__.update(node.__dict__)
    rows._source = source._source
    return rows


_classes: dict[type, type] = {}


def _rows_class(cls):
    if cls not in _classes:

        def numbers(self, run):
            return self._subset(self._dataset._numbers, run)

        _classes[cls] = type(cls.__name__, (cls, _Rows), {"_numbers": numbers, "_iterate": _Rows._iterate})
    return _classes[cls]


class _Selected(Dataset):
    """What of_rows takes."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._spec, self._count = dataset.element_spec, dataset._count

    def _iterate(self, run: Run) -> Iterator[Any]:
        return self._subset(self._dataset._iterate, run)

    def _subset(self, iterate: Callable[[Run], Iterator[Any]], run: Run) -> Iterator[Any]:
        raise NotImplementedError


class _ShuffleDataset(_Selected):
    def __init__(self, dataset: Dataset, size: int, seed: int | None, again: bool) -> None:
        super().__init__(dataset)
        self._size = int(size)
        if self._size <= 0 and self._size != -2:
            raise ConversionError(f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, not {size}.")
        self._seed, self._again, self._runs = seed, again, 0

    def _subset(self, iterate: Callable[[Run], Iterator[Any]], run: Run) -> Iterator[Any]:
        generator = run.draw(lambda: _seed_of(self, self._again))
        elements = iterate(run)
        buffer = list(elements if self._size == -2 else _itertools.islice(elements, self._size))
        for element in elements:
            i = generator.randrange(len(buffer))
            yield buffer[i]
            buffer[i] = element
        generator.shuffle(buffer)
        yield from buffer


class _RepeatDataset(_Selected):
    def __init__(self, dataset: Dataset, count: int | None) -> None:
        super().__init__(dataset)
        self._times = None if count is None or int(count) < 0 else int(count)
        n = dataset._count
        self._count = (
            0 if self._times == 0 or n == 0 else INFINITE if self._times is None else n * self._times if n >= 0 else n
        )

    def _subset(self, iterate: Callable[[Run], Iterator[Any]], run: Run) -> Iterator[Any]:
        for _ in _itertools.count() if self._times is None else range(self._times):
            some = False
            for element in iterate(run):
                some = True
                yield element
            if not some:
                return


class _TakeDataset(_Selected):
    def __init__(self, dataset: Dataset, count: int) -> None:
        super().__init__(dataset)
        self._limit = None if int(count) < 0 else int(count)
        n = dataset._count
        self._count = (
            n if self._limit is None else min(n, self._limit) if n >= 0 else self._limit if n == INFINITE else n
        )

    def _subset(self, iterate: Callable[[Run], Iterator[Any]], run: Run) -> Iterator[Any]:
        return _itertools.islice(iterate(run), self._limit)


class _SkipDataset(_Selected):
    def __init__(self, dataset: Dataset, count: int) -> None:
        super().__init__(dataset)
        self._skipped, n = int(count), dataset._count
        self._count = 0 if self._skipped < 0 else max(n - self._skipped, 0) if n >= 0 else n

    def _subset(self, iterate: Callable[[Run], Iterator[Any]], run: Run) -> Iterator[Any]:
        return iter(()) if self._skipped < 0 else _itertools.islice(iterate(run), self._skipped, None)


class _ShardDataset(_Selected):
    def __init__(self, dataset: Dataset, number: int, index: int) -> None:
        super().__init__(dataset)
        self._number, self._index = int(number), int(index)
        if self._number < 1:
            raise ConversionError(f"num_shards must be >= 1, got {number}.")
        if not 0 <= self._index < self._number:
            raise ConversionError(f"index must be between 0 and {self._number - 1}, got {index}.")
        n = dataset._count
        self._count = len(range(self._index, n, self._number)) if n >= 0 else n

    def _subset(self, iterate: Callable[[Run], Iterator[Any]], run: Run) -> Iterator[Any]:
        return _itertools.islice(iterate(run), self._index, None, self._number)


class _EnumerateDataset(_Of):
    def __init__(self, dataset: Dataset, start: int) -> None:
        super().__init__(dataset)
        self._start = int(start)
        self._spec = (TensorSpec((), "int64"), dataset.element_spec)

    def _iterate(self, run: Run) -> Iterator[Any]:
        for i, element in enumerate(self._dataset._iterate(run), self._start):
            yield convert_to_tensor(i, dtype="int64"), element


class _WindowDataset(_Of):
    def __init__(self, dataset: Dataset, size: int, shift: int | None, stride: int, drop: bool) -> None:
        super().__init__(dataset)
        self._size = _positive(size, "Window size")
        self._shift = self._size if shift is None else _positive(shift, "Window shift")
        self._stride, self._drop = _positive(stride, "Window stride"), drop
        self._spec = map_specs(DatasetSpec, dataset.element_spec)
        n, reach = dataset._count, (self._size - 1) * self._stride
        self._count = n if n < 0 else max(-(-n // self._shift) if not drop else (n - reach - 1) // self._shift + 1, 0)

    def _iterate(self, run: Run) -> Iterator[Any]:
        elements, waiting, first = self._dataset._iterate(run), _collections.deque(), 0
        reach = (self._size - 1) * self._stride + 1
        start = 0
        while True:
            while first + len(waiting) < start + reach:
                element = next(elements, None)
                if element is None:
                    break
                waiting.append(element)
            while waiting and first < start:
                waiting.popleft()
                first += 1
            if first < start and not waiting:  # a shift past what was read
                for _ in range(start - first):
                    if next(elements, None) is None:
                        return
                first = start
                continue
            rows = list(_itertools.islice(waiting, 0, reach, self._stride))
            if not rows or self._drop and len(rows) < self._size:
                return
            yield self._window(rows)
            start += self._shift

    def _window(self, rows):
        leaves = zip(*(nest.flatten(r) for r in rows))
        specs = nest.flatten(self._dataset.element_spec)
        return nest.pack_sequence_as(
            self._dataset.element_spec, [_ListDataset(list(column), s) for column, s in zip(leaves, specs)]
        )


class _InterleaveDataset(_Of):
    """Datasets that a function makes of elements: `cycle` of them at a time, `block` elements of each in turn."""

    def __init__(self, dataset: Dataset, function: Callable[..., Any], cycle: int, block: int) -> None:
        super().__init__(dataset)
        self._function, self._cycle, self._block = function, cycle, block
        self._spec, self._count = None, UNKNOWN
        specs = nest.flatten(dataset.element_spec)
        if all(isinstance(s, TensorSpec) and s.shape is not None and s.dtype.name != "string" for s in specs):
            zeros = [wrap(_core.zeros([1 if n is None else n for n in s.shape], dtype=s.dtype.core)) for s in specs]
            self._spec = self._made(nest.pack_sequence_as(dataset.element_spec, zeros)).element_spec

    @property
    def element_spec(self) -> Any:
        if self._spec is None:
            first = next(iter(self._dataset), None)
            self._spec = None if first is None else self._made(first).element_spec
        return self._spec

    def _made(self, element):
        out = call_with(self._function, element)
        if not isinstance(out, Dataset):
            raise _core.InvalidTypeError(
                f"The `map_func` argument must return a `Dataset` object. Got {type(out).__name__!r}."
            )
        return out

    def _iterate(self, run: Run) -> Iterator[Any]:
        elements = self._dataset._iterate(run)
        slots: list[Any] = [None] * self._cycle
        at, ended = 0, False
        while not ended or any(s is not None for s in slots):
            if slots[at] is None and not ended:
                following = next(elements, None)
                ended = following is None
                slots[at] = None if ended else self._made(following)._iterate(run)
            if slots[at] is not None:
                for _ in range(self._block):
                    element = next(slots[at], None)
                    if element is None:
                        slots[at] = None
                        break
                    yield element
            at = (at + 1) % self._cycle


class _ScanDataset(_Of):
    def __init__(self, dataset: Dataset, start: Any, function: Callable[..., Any]) -> None:
        super().__init__(dataset)
        self._start = structured(start)

        def step(state, element):
            return function(state, element)

        self._function = Mapped(
            lambda state, element: step(state, element), (spec_of(self._start), dataset.element_spec)
        )
        self._spec, self._count = self._function.spec[1], dataset._count

    def _iterate(self, run: Run) -> Iterator[Any]:
        state = self._start
        for element in self._dataset._iterate(run):
            state, out = self._function((state, element))
            yield out


class _UniqueDataset(_Of):
    def __init__(self, dataset: Dataset) -> None:
        super().__init__(dataset)
        self._count = UNKNOWN

    def _iterate(self, run: Run) -> Iterator[Any]:
        seen = set()
        for element in self._dataset._iterate(run):
            key = tuple(x.numpy().tobytes() for x in nest.flatten(element))
            if key not in seen:
                seen.add(key)
                yield element


class _CheckedCount(_Of):
    def _iterate(self, run: Run) -> Iterator[Any]:
        n = 0
        for element in self._dataset._iterate(run):
            n += 1
            if self._count >= 0 and n > self._count:
                raise _core.FailedPreconditionError(
                    f"Input dataset was expected to contain {self._count} elements, but contained more."
                )
            yield element
        if self._count != n and self._count != UNKNOWN:
            raise _core.FailedPreconditionError(
                f"Input dataset was expected to contain {self._count} elements, but contained only {n} elements."
            )


def checked_count(dataset: Dataset, count: int) -> Dataset:
    """The dataset, said to have so many elements."""
    out = _CheckedCount(dataset)
    out._count = int(count)
    return out


def grouped(
    dataset: Dataset,
    key: Callable[..., Any],
    reduce: Callable[..., Any],
    size: Callable[[Any], int],
    sample: Callable[..., Any] | None = None,
) -> Dataset:
    """Elements of one key, `size` at a time, as the datasets that reduce(key, dataset) makes; sample(key, dataset) is
    one of the same spec, if it is not the one of key 0."""

    class _GroupByWindowDataset(_Of):
        def _iterate(self, run):
            groups: dict[int, list[Any]] = {}
            for element in self._dataset._iterate(run):
                k = int(call_with(key, element))
                groups.setdefault(k, []).append(element)
                if len(groups[k]) >= size(convert_to_tensor(k, dtype="int64")):
                    yield from self._reduced(k, groups.pop(k), run)
            for k in sorted(groups):
                yield from self._reduced(k, groups[k], run)

        def _reduced(self, k, elements, run):
            return reduce(
                convert_to_tensor(k, dtype="int64"), _ListDataset(elements, self._dataset.element_spec)
            )._iterate(run)

    out = _GroupByWindowDataset(dataset)
    out._count = UNKNOWN
    empty = _ListDataset([], dataset.element_spec)
    out._spec = (sample or reduce)(convert_to_tensor(0, dtype="int64"), empty).element_spec
    return out
