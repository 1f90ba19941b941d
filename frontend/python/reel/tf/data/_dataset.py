"""tf.data.Dataset: elements one after the other, structures of tensors."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core
from .. import nest
from .._convert import convert_to_tensor
from .._shape import TensorSpec
from .._trace import executing_eagerly
from ..errors import ConversionError, OutOfRangeError
from ._elements import Mapped, Run, spec_of, structured

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

INFINITE, UNKNOWN = -1, -2


class DatasetSpec:
    """What describes a dataset: the spec of its elements."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self.element_spec = element_spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and self.element_spec == other.element_spec

    def __hash__(self) -> int:
        return hash(repr(self.element_spec))

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"


class ThreadingOptions:
    """Accepted; an iterator here runs in the thread that asks."""

    max_intra_op_parallelism: int | None = None
    private_threadpool_size: int | None = None


class Options:
    """Accepted: none of them changes an element."""

    def __init__(self) -> None:
        self.threading = ThreadingOptions()
        self.autotune, self.experimental_distribute, self.experimental_optimization = _Any(), _Any(), _Any()
        self.deterministic: bool | None = None

    def merge(self, options: Options) -> Options:
        """These, where the others say nothing."""
        out = Options()
        out.__dict__.update({**self.__dict__, **{k: v for k, v in options.__dict__.items() if v is not None}})
        return out


class _Any:
    """Options of any name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


class Dataset:
    """Elements one after the other, each a structure of tensors; iterating begins anew.

    Methods make new datasets. Functions of elements are traced when they are given, and compiled for each shape.
    """

    _spec: Any = None
    _count: int = UNKNOWN
    _options: Options | None = None

    def _iterate(self, run: Run) -> Any:
        raise NotImplementedError

    @property
    def element_spec(self) -> Any:
        """The TensorSpecs of an element."""
        return self._spec

    def __iter__(self) -> Iterator:
        if not executing_eagerly():
            from .._function import runs_as_it_is

            runs_as_it_is(self)
        return Iterator(self)

    def __len__(self) -> int:
        if self._count == INFINITE:
            raise _core.InvalidTypeError("The dataset is infinite.")
        if self._count == UNKNOWN:
            raise _core.InvalidTypeError("The dataset length is unknown.")
        return self._count

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec}>"

    def cardinality(self) -> Any:
        """The number of elements, an int64 tensor: -1 if there is no end, -2 if it is not known."""
        return convert_to_tensor(self._count, dtype="int64")

    def as_numpy_iterator(self) -> NumpyIterator:
        """The elements as NumPy arrays and scalars."""
        return NumpyIterator(self)

    def options(self) -> Options:
        """What with_options gave."""
        inner = getattr(self, "_dataset", None)
        return self._options or (inner.options() if inner is not None else Options())

    # Where elements come from.

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """One element: these tensors."""
        return _sources()._TensorDataset(tensors)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The rows of tensors, arrays and lists, in a structure of tuples and dicts."""
        return _sources()._TensorSliceDataset(tensors)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """What generator(*args) yields, checked: output_signature, or output_types, says what that is."""
        if not callable(generator):
            raise _core.InvalidTypeError("`generator` must be a Python callable.")
        if output_signature is None:
            if output_types is None:
                raise _core.InvalidTypeError("Either `output_signature` or `output_types` must be specified.")
            output_signature = _signature(output_types, output_shapes)
        elif output_types is not None or output_shapes is not None:
            raise _core.InvalidTypeError(
                "The `output_types` argument can not be used together with the `output_signature` argument."
            )
        if not all(isinstance(s, TensorSpec) for s in nest.flatten(output_signature)):
            raise _core.InvalidTypeError("`output_signature` must contain objects that are subclass of `tf.TypeSpec`")
        arguments = tuple(convert_to_tensor(a).numpy() for a in args or ())
        return _sources()._GeneratorDataset(generator, output_signature, arguments)

    @staticmethod
    def range(*args: Any, output_type: Any = "int64", name: str | None = None) -> Dataset:
        """Integers as Python's range has them, int64."""
        return _sources()._RangeDataset(args, output_type)

    @staticmethod
    def counter(start: int = 0, step: int = 1, dtype: Any = "int64", name: str | None = None) -> Dataset:
        """start, start + step, ... without an end."""
        return _sources()._CounterDataset(start, step, dtype)

    @staticmethod
    def random(
        seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Numbers of 32 random bits, int64, without an end."""
        return _sources()._RandomDataset(seed, rerandomize_each_iteration)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Tuples, or structures, of an element of each dataset, until one ends."""
        if not args and datasets is None:
            raise _core.InvalidTypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise _core.InvalidTypeError("Both `*args` and `datasets` cannot be set.")
        given = datasets if datasets is not None else args[0] if len(args) == 1 else tuple(args)
        if isinstance(given, list):
            raise _core.InvalidTypeError("zip: nest datasets in tuples and dicts; lists are converted to tensors")
        return _sources()._ZipDataset(given)

    @staticmethod
    def sample_from_datasets(
        datasets: Any,
        weights: Any = None,
        seed: int | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """The next element of one of the datasets, drawn with these weights."""
        if not datasets:
            raise ConversionError("Invalid `datasets`. `datasets` should not be empty.")
        if isinstance(weights, Dataset):
            raise _core.UnimplementedError("sample_from_datasets: weights are numbers here, no dataset")
        weights = weights.numpy() if hasattr(weights, "numpy") else weights
        return _sources().sampled(list(datasets), weights, seed, stop_on_empty_dataset)

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True) -> Dataset:
        """The next element of the dataset whose number choice_dataset has next."""
        if not datasets:
            raise ConversionError("Invalid `datasets`. `datasets` should not be empty.")
        if not isinstance(choice_dataset.element_spec, TensorSpec) or choice_dataset.element_spec.dtype.name != "int64":
            raise _core.InvalidTypeError("`choice_dataset` elements must be scalar tensors of int64.")

        def choices(run):
            return (int(i) for i in choice_dataset._iterate(run))

        return _sources()._ChoiceDataset(list(datasets), choices, stop_on_empty_dataset)

    @staticmethod
    def _of_list(elements: list[Any], spec: Any = None) -> Dataset:
        return _sources()._ListDataset(elements, spec)

    # What is made of them.

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """map_func of each element, of its parts if it is a tuple."""
        return _nodes()._MapDataset(self, map_func)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which the predicate, a bool scalar, is true."""
        return _nodes()._FilterDataset(self, predicate)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first for which the predicate is false."""
        return _nodes()._FilterDataset(self, predicate, stops=True)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that map_func makes of elements, one dataset after the other."""
        return _nodes()._InterleaveDataset(self, map_func, 1, 1)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: int | None = None,
        block_length: int | None = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Of cycle_length datasets that map_func makes, block_length elements of each in turn."""
        cycle = 2 if cycle_length is None or int(cycle_length) == -1 else int(cycle_length)
        block = 1 if block_length is None else int(block_length)
        if cycle < 1 or block < 1:
            raise ConversionError(f"`cycle_length` and `block_length` must be > 0, not {cycle_length}, {block_length}")
        return _nodes()._InterleaveDataset(self, map_func, cycle, block)

    def batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """batch_size elements as one, along a new first axis; the last batch may be smaller."""
        return _nodes()._BatchDataset(self, batch_size, bool(drop_remainder))

    def padded_batch(
        self,
        batch_size: int,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements of different shapes, filled up to the largest, or to padded_shapes."""
        return _nodes()._PaddedBatchDataset(self, batch_size, padded_shapes, padding_values, bool(drop_remainder))

    def unbatch(self, name: str | None = None) -> Dataset:
        """The rows of each element."""
        return _nodes()._UnbatchDataset(self)

    def rebatch(self, batch_size: int, drop_remainder: bool = False, name: str | None = None) -> Dataset:
        """Batches of another size."""
        return self.unbatch().batch(batch_size, drop_remainder)

    def shuffle(
        self,
        buffer_size: int,
        seed: int | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """The elements in random order: the next one is any of buffer_size that wait."""
        return _selected(_nodes()._ShuffleDataset(self, buffer_size, seed, reshuffle_each_iteration is not False))

    def repeat(self, count: int | None = None, name: str | None = None) -> Dataset:
        """The elements so many times; without an end for None and -1."""
        return _selected(_nodes()._RepeatDataset(self, count))

    def take(self, count: int, name: str | None = None) -> Dataset:
        """The first elements; all for -1."""
        return _selected(_nodes()._TakeDataset(self, count))

    def skip(self, count: int, name: str | None = None) -> Dataset:
        """The elements after the first ones; none for -1."""
        return _selected(_nodes()._SkipDataset(self, count))

    def shard(self, num_shards: int, index: int, name: str | None = None) -> Dataset:
        """Each num_shards-th element from index on."""
        return _selected(_nodes()._ShardDataset(self, num_shards, index))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The same elements: they are made when they are asked for."""
        return _nodes()._PrefetchDataset(self)

    def cache(self, filename: str = "", name: str | None = None) -> Dataset:
        """The same elements, which the first whole iteration keeps in memory."""
        if filename:
            raise _core.UnimplementedError(
                f"Dataset.cache({filename!r}): elements are kept in memory; leave out filename"
            )
        return _nodes()._CacheDataset(self)

    def enumerate(self, start: int = 0, name: str | None = None) -> Dataset:
        """(number, element), numbers are int64."""
        return _nodes()._EnumerateDataset(self, start)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """These elements, then those."""
        return _sources()._ConcatenateDataset(self, dataset)

    def window(
        self,
        size: int,
        shift: int | None = None,
        stride: int = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of `size` elements, `stride` apart; the next window begins `shift` later."""
        return _nodes()._WindowDataset(self, size, shift, stride, bool(drop_remainder))

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """outputs of (state, output) = scan_func(state, element)."""
        return _nodes()._ScanDataset(self, initial_state, scan_func)

    def unique(self, name: str | None = None) -> Dataset:
        """Each element once."""
        return _nodes()._UniqueDataset(self)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: int | None = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements of one key, window_size at a time, as what reduce_func(key, dataset) makes of them."""
        if (window_size is None) == (window_size_func is None):
            raise ConversionError(
                "Either the `window_size` argument or the `window_size_func` argument must be specified."
            )
        size = (lambda key: int(window_size)) if window_size_func is None else (lambda key: int(window_size_func(key)))
        return _nodes().grouped(self, key_func, reduce_func, size)

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements of similar lengths, filled up: bucket i has those below bucket_boundaries[i]."""
        return groups.bucketed(
            self, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes, padding_values,
            pad_to_bucket_boundary, not no_padding, drop_remainder,
        )  # fmt: skip

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Dataset:
        """(class, element) of some of the elements, so that classes are distributed as target_dist says."""
        return groups.RejectionResampleDataset(self, class_func, target_dist, initial_dist, seed)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements of a map whose function raises no error."""
        return groups.IgnoreErrorsDataset(self, log_warning)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """transformation_func(self)."""
        out = transformation_func(self)
        if not isinstance(out, Dataset):
            raise _core.InvalidTypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(out)}."
            )
        return out

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same elements."""
        return _nodes()._OptionsDataset(self, self.options().merge(options))

    # Values.

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """state = reduce_func(state, element) for each element; the last state."""
        state = structured(initial_state)
        function = Mapped(lambda old, element: reduce_func(old, element), (spec_of(state), self.element_spec))
        for element in Iterator(self):
            state = function((state, element))
        return state

    def get_single_element(self, name: str | None = None) -> Any:
        """The element of a dataset that has one."""
        found = list(self.take(2))
        if len(found) != 1:
            raise ConversionError("Dataset was empty." if not found else "Dataset had more than one element.")
        return found[0]

    def __getattr__(self, name: str) -> Any:
        if name in _REFUSED:
            raise _core.UnimplementedError(f"tf.data.Dataset.{name}: {_REFUSED[name]}")
        raise AttributeError(f"'Dataset' object has no attribute '{name}'")


_REFUSED = {
    "ragged_batch": "there are no ragged tensors; padded_batch fills elements up",
    "sparse_batch": "there are no sparse tensors; padded_batch fills elements up",
    "save": "there are no files of datasets; write arrays with NumPy or reel.save_weights",
    "snapshot": "there are no files of datasets",
    "fingerprint": "datasets have none",
}


class _Refused:
    """A function of tf.data.Dataset that is not here."""

    def __init__(self, why: str) -> None:
        self._why = why

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise _core.UnimplementedError(self._why)


Dataset.list_files = _Refused("Dataset.list_files: there are no tensors of strings; use glob, and reel.data for images")  # type: ignore[attr-defined]
Dataset.load = _Refused("Dataset.load: there are no files of datasets; read arrays with NumPy")  # type: ignore[attr-defined]


def TextLineDataset(
    filenames: Any,
    compression_type: str | None = None,
    buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    name: str | None = None,
) -> Dataset:
    """The lines of text files, scalars of strings, without their ends."""
    if compression_type:
        raise _core.UnimplementedError(f"TextLineDataset: files are not compressed here, not {compression_type!r}")
    if isinstance(filenames, Dataset):
        names = [x.numpy() for x in filenames]
    else:
        found = structured(filenames)
        names = [found.numpy()] if not found.shape else [x.numpy() for x in found]
    return _sources()._TextLineDataset([n.decode() if isinstance(n, bytes) else str(n) for n in names])


class Iterator:
    """The elements of a dataset, one after the other: next(it), or it.get_next(). A part of tf.train.Checkpoint."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._restart([], 0)

    def _restart(self, drawn, count):
        """Begins with these random numbers, and goes past the first elements."""
        self._run = Run(drawn)
        self._elements, self._consumed = iter(self._dataset._iterate(self._run)), 0
        for _ in range(count):
            next(self)

    @property
    def element_spec(self) -> Any:
        """That of the dataset."""
        return self._dataset.element_spec

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        element = next(self._elements)
        self._consumed += 1
        return element

    def get_next(self, name: str | None = None) -> Any:
        """The next element; OutOfRangeError after the last."""
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError("End of sequence") from None

    next = get_next

    def get_next_as_optional(self) -> Any:
        """A tf.experimental.Optional of the next element; without a value after the last."""
        from ._optional import Optional

        element = next(self, None)
        return Optional.empty(self.element_spec) if element is None else Optional.from_value(element)

    def _save_state(self) -> list[int]:
        """Numbers that _load_state makes such an iterator of."""
        return [self._consumed, *self._run.drawn]

    def _load_state(self, numbers: list[int]) -> None:
        self._restart(numbers[1:], numbers[0])


class NumpyIterator:
    """The elements of a dataset as NumPy arrays and scalars."""

    def __init__(self, dataset: Dataset) -> None:
        self._iterator = iter(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        def array(x):
            return x.as_numpy_iterator() if isinstance(x, Dataset) else x.numpy()

        return nest.map_structure(array, next(self._iterator))


def _signature(types, shapes):
    """The TensorSpecs of output_types and output_shapes."""
    leaves = nest.flatten(types)
    if shapes is None:
        given: list[Any] = [None] * len(leaves)
    elif not nest.is_nested(types):
        given = [shapes]
    else:
        given = list(nest._children(shapes))
    return nest.pack_sequence_as(types, [TensorSpec(s, t) for s, t in zip(given, leaves)])


def _sources():
    from . import _sources

    return _sources


def _nodes():
    from . import _nodes

    return _nodes


groups: _t.Any = None  # the module reel.tf.data._groups, which says so itself: its datasets are made of these


def _selected(node):
    return _nodes().of_rows(node)
