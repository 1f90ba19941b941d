"""Batches of what fit, evaluate and predict are given: arrays, datasets, generators."""

from __future__ import annotations as _annotations

import typing as _t

from .. import nest as _nest
from .._convert import convert_to_tensor
from .._tensor import TensorLike
from ..data._elements import from_array
from ..errors import ConversionError
from ._floatx import floatx

if _t.TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def unpack_x_y_sample_weight(data: Any) -> tuple[Any, Any, Any]:
    """(x, y, sample_weight) of a batch; None for what is not there."""
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if len(data) > 3:
        raise ConversionError(
            f"Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: {data}"
        )
    return (*data, None, None, None)[:3]


def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """The tuple that unpack_x_y_sample_weight takes apart."""
    if y is None:
        return (x,) if _nest.is_nested(x) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def as_array(x: Any, numpy: Any) -> Any:
    """A NumPy array, float64 as floatx."""
    if isinstance(x, TensorLike):
        x = x.numpy()
    array = numpy.asarray(x)
    if array.dtype == object or array.dtype.kind in "USO":
        raise ConversionError(f"Failed to convert a {type(x).__name__} of dtype {array.dtype} to a tensor of numbers")
    return array.astype(floatx()) if array.dtype.kind == "f" and array.dtype.name != floatx() else array


class Arrays:
    """Rows of arrays (tensors, lists, data frames) in batches, each epoch in a new order if `shuffle`."""

    def __init__(
        self, x: Any, y: Any = None, sample_weight: Any = None, batch_size: int | None = None, shuffle: Any = False
    ) -> None:
        import numpy

        self._numpy = numpy
        data = (x,) if y is None else (x, y) if sample_weight is None else (x, y, sample_weight)
        data = _nest.map_structure(lambda a: None if a is None else as_array(a, numpy), data)
        self._structure, self._arrays = data, [a for a in _nest.flatten(data) if a is not None]
        counts = {a.shape[0] if a.ndim else None for a in self._arrays}
        if len(counts) != 1 or None in counts:
            raise ConversionError(
                "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples. The numbers of "
                f"samples are {', '.join(str(a.shape[0]) if a.ndim else 'of a scalar' for a in self._arrays)}"
            )
        self.rows = counts.pop()
        self.batch_size = 32 if batch_size is None else int(batch_size)
        self.shuffle = shuffle
        self.count = -(-self.rows // self.batch_size)

    def epoch(self) -> Iterator[Any]:
        """The batches of an epoch: tuples of one, two or three structures."""
        n, numpy = self.batch_size, self._numpy
        order = None
        if self.shuffle == "batch":
            order = numpy.concatenate([numpy.arange(i * n, min((i + 1) * n, self.rows)) for i in
                                       numpy.random.permutation(self.count)])  # fmt: skip
        elif self.shuffle:
            order = numpy.random.permutation(self.rows)
        flat = _nest.flatten(self._structure)
        for start in range(0, self.rows, n):
            stop = min(start + n, self.rows)
            rows = slice(start, stop) if order is None else order[start:stop]
            parts = [None if a is None else from_array(a[rows]) for a in flat]
            yield _nest.pack_sequence_as(self._structure, parts)

    def split(self, share: float) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """(data for training, data for validation): the last rows are the latter."""
        at = int(self._numpy.floor(self.rows * (1.0 - share)))
        if at == 0 or at == self.rows:
            raise ConversionError(
                f"Training data contains {self.rows} samples, which is not sufficient to split it into a validation and "
                f"training set as specified by `validation_split={share}`. Either provide more data, or a different value "
                "for the `validation_split` argument."
            )

        def part(rows):
            out = _nest.map_structure(lambda a: None if a is None else a[rows], self._structure)
            return (*out, None, None)[:3]

        return part(slice(0, at)), part(slice(at, None))


class Stream:
    """Batches of a dataset, a generator or a PyDataset."""

    def __init__(self, source: Any, steps: int | None = None, goes_on: bool = True) -> None:
        self.source, self.steps, self._goes_on = source, steps, goes_on
        self.count = steps
        self._iterator: Any = None
        if steps is None and hasattr(source, "__len__") and not isinstance(source, (list, tuple)):
            try:
                self.count = len(source)
            except TypeError:
                self.count = None
        self._is_sequence = hasattr(source, "__getitem__") and hasattr(source, "__len__")

    def epoch(self) -> Iterator[Any]:
        """The batches of an epoch; of `steps`, those that come next."""
        if self.steps is None:
            yield from map(_as_tensors, self._batches())
            if hasattr(self.source, "on_epoch_end"):
                self.source.on_epoch_end()
            return
        if not self._goes_on:
            self._iterator = None
        for _ in range(self.steps):
            if self._iterator is None:
                self._iterator = iter(self._batches())
            try:
                batch = next(self._iterator)
            except StopIteration:
                self._iterator = None
                return
            yield _as_tensors(batch)

    def _batches(self):
        if self._is_sequence and not hasattr(self.source, "element_spec"):
            return (self.source[i] for i in range(len(self.source)))
        return iter(self.source)


def _as_tensors(batch):
    import numpy

    if isinstance(batch, list):
        batch = tuple(batch)
    if not isinstance(batch, tuple):
        batch = (batch,)

    def tensor(x):
        return x if x is None or isinstance(x, TensorLike) else convert_to_tensor(as_array(x, numpy))

    return _nest.map_structure(tensor, batch)


def source_of(
    x: Any,
    y: Any = None,
    sample_weight: Any = None,
    batch_size: int | None = None,
    shuffle: Any = False,
    steps: int | None = None,
    class_weight: Any = None,
    goes_on: bool = False,
) -> Any:
    """What has epochs of batches of the arguments of fit (an epoch goes on where the last one ended), evaluate or predict."""
    if hasattr(x, "shape") or isinstance(x, (list, tuple, dict)):
        source = Arrays(x, y, sample_weight, batch_size, shuffle)
        if steps is not None:
            source = Repeated(source, steps)
    elif hasattr(x, "__next__") or hasattr(x, "__iter__") or hasattr(x, "__getitem__"):
        if y is not None or sample_weight is not None:
            raise ConversionError(
                f"When providing `x` as a {type(x).__name__}, `y` and `sample_weight` should not be passed. Instead, the "
                "targets should be included as part of it."
            )
        source = Stream(x, steps, goes_on)
    else:
        raise ConversionError(f"Unrecognized data type: x={x} (of type {type(x)})")
    return source if class_weight is None else Weighted(source, class_weight)


class Repeated:
    """So many batches an epoch of arrays, which begin again after their end."""

    def __init__(self, source: Arrays, steps: int) -> None:
        self._source, self.count = source, steps
        self._iterator: Any = iter(())

    def epoch(self) -> Iterator[Any]:
        """The next batches."""
        for _ in range(self.count):
            batch = next(self._iterator, None)
            if batch is None:
                self._iterator = self._source.epoch()
                batch = next(self._iterator)
            yield batch


class Weighted:
    """A source whose samples have the weights of their classes."""

    def __init__(self, source: Any, class_weight: dict[int, float]) -> None:
        import numpy

        self._source, self.count = source, source.count
        classes = max(int(k) for k in class_weight) + 1
        self._weights = numpy.asarray([float(class_weight.get(i, 1.0)) for i in range(classes)], "float32")

    def epoch(self) -> Iterator[Any]:
        """The batches with weights."""
        for batch in self._source.epoch():
            x, y, sample_weight = unpack_x_y_sample_weight(batch)
            if sample_weight is not None:
                raise ConversionError("You cannot `class_weight` and `sample_weight` at the same time.")
            yield x, y, convert_to_tensor(weights_of(y, self._weights))


def weights_of(y: Any, weights: Any) -> Any:
    """The weight of each target's class: of indices, or of the largest element of the last axis."""
    if _nest.is_nested(y):
        raise ConversionError("`class_weight` is only supported for Models with a single output.")
    array = y.numpy()
    if array.ndim >= 2 and array.shape[-1] > 1:
        classes = array.argmax(-1)
    else:
        classes = array.round().astype("int64").reshape(array.shape[:-1] if array.ndim >= 2 else array.shape)
    known = (classes >= 0) & (classes < len(weights))
    return weights[classes.clip(0, len(weights) - 1)] * known + (~known)
