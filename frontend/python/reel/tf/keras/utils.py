"""Small things around training: labels as vectors, seeds, progress, sequences of batches."""

from __future__ import annotations as _annotations

import sys as _sys
import time as _time
import typing as _t

from ... import _core
from ..errors import ConversionError
from ._batches import pack_x_y_sample_weight as pack_x_y_sample_weight
from ._batches import unpack_x_y_sample_weight as unpack_x_y_sample_weight
from ._serialize import custom_scope as custom_object_scope
from ._serialize import get_custom_objects as get_custom_objects
from ._serialize import get_registered_name as get_registered_name
from ._serialize import get_registered_object as get_registered_object
from ._serialize import register_keras_serializable as register_keras_serializable
from .backend import clear_session as clear_session
from .backend import is_keras_tensor as is_keras_tensor

if _t.TYPE_CHECKING:
    from typing import Any

CustomObjectScope = custom_object_scope


def serialize_keras_object(obj: Any) -> Any:
    """A layer, initializer, ... as a dict of plain values."""
    from ._serialize import serialize

    return serialize(obj)


def deserialize_keras_object(
    config: Any, custom_objects: dict[str, Any] | None = None, safe_mode: bool = True, **kwargs: Any
) -> Any:
    """What serialize_keras_object made a dict of."""
    from ._serialize import deserialize

    return deserialize(config, custom_objects)


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Class indices as rows of zeros with a one: a NumPy array, a tensor of a tensor."""
    import numpy

    from .. import _array
    from .._tensor import TensorLike

    if isinstance(x, TensorLike):
        if num_classes is None:
            num_classes = int(x.numpy().max()) + 1
        if len(x.shape) > 1 and x.shape[-1] == 1:
            x = _array.squeeze(x, -1)
        return _array.one_hot(x, num_classes)
    x = numpy.array(x, dtype="int64")
    shape = x.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = tuple(shape[:-1])
    x = x.reshape(-1)
    num_classes = num_classes or int(numpy.max(x)) + 1
    out = numpy.zeros((x.shape[0], num_classes))
    out[numpy.arange(x.shape[0]), x] = 1
    return out.reshape(shape + (num_classes,))


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """An array whose rows along an axis have the norm 1; zeros stay."""
    import numpy

    norm = numpy.atleast_1d(numpy.linalg.norm(numpy.asarray(x), order, axis))
    norm[norm == 0] = 1
    return x / numpy.expand_dims(norm, axis)


def set_random_seed(seed: int) -> None:
    """Seeds Python's random, NumPy's and tf.random."""
    import random

    import numpy

    from .. import random as _random

    if not isinstance(seed, int):
        raise ConversionError(
            f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})"
        )
    random.seed(seed)
    numpy.random.seed(seed)
    _random.set_seed(seed)


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: float = 0.0,
) -> Any:
    """Lists of different lengths as one array: padded with `value`, and cut to maxlen, before or after."""
    import numpy

    if padding not in ("pre", "post") or truncating not in ("pre", "post"):
        raise ConversionError(
            f"pad_sequences: padding and truncating are 'pre' or 'post', not {padding!r}, {truncating!r}"
        )
    rows = [numpy.asarray(s) for s in sequences]
    maxlen = max((len(s) for s in rows), default=0) if maxlen is None else maxlen
    inner = next((s.shape[1:] for s in rows if len(s)), ())
    out = numpy.full((len(rows), maxlen, *inner), value, dtype=dtype)
    for row, s in zip(out, rows):
        kept = s[max(len(s) - maxlen, 0) :] if truncating == "pre" else s[:maxlen]
        if len(kept):
            row[maxlen - len(kept) :] = kept if padding == "pre" else row[maxlen - len(kept) :]
            if padding == "post":
                row[: len(kept)] = kept
    return out


class PyDataset:
    """Batches by number: subclasses define __getitem__(i), __len__() and, if they like, on_epoch_end()."""

    def __init__(self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10) -> None:
        self.workers, self.use_multiprocessing, self.max_queue_size = workers, use_multiprocessing, max_queue_size

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        raise _core.UnimplementedError(f"{type(self).__name__} does not define __len__")

    @property
    def num_batches(self) -> int | None:
        """The number of batches."""
        return len(self)

    def on_epoch_end(self) -> None:
        """Called after each epoch."""


Sequence = PyDataset


class Progbar:
    """A bar on the terminal, with the time and the means of values; a line at the end where there is no terminal."""

    def __init__(
        self,
        target: int | None,
        width: int = 20,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Any = None,
        unit_name: str = "step",
    ) -> None:
        self.target, self.width, self.verbose, self.interval, self.unit_name = (
            target,
            width,
            verbose,
            interval,
            unit_name,
        )
        self.is_live = bool(getattr(_sys.stdout, "isatty", lambda: False)())
        self._start = _time.monotonic()
        self._last = 0.0

    def update(self, current: int, values: Any = None, finalize: bool | None = None) -> None:
        """The bar at this step, with values, a list of (name, number)."""
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        now = _time.monotonic()
        if not self.verbose or not finalize and (not self.is_live or now - self._last < self.interval):
            return
        self._last = now
        seconds = now - self._start
        text = " - ".join([f"{k}: {self._number(v)}" for k, v in values or ()])
        each = seconds / max(current, 1)
        pace = f"{each:.0f}s" if each >= 1 else f"{each * 1e3:.0f}ms" if each >= 1e-3 else f"{each * 1e6:.0f}us"
        total = f"{current}/{self.target if self.target is not None else 'Unknown'}"
        filled = self.width if not self.target else int(self.width * min(current / self.target, 1))
        bar = "━" * filled + " " * (self.width - filled)
        if self.verbose == 1:
            head = f"{total} {bar} {seconds:.0f}s {pace}/{self.unit_name}"
        else:
            head = f"{total} - {seconds:.0f}s - {pace}/{self.unit_name}"
        line = head + (f" - {text}" if text else "")
        if self.is_live and self.verbose == 1:
            _sys.stdout.write("\r\x1b[K" + line + ("\n" if finalize else ""))
        else:
            _sys.stdout.write(line + "\n")
        _sys.stdout.flush()

    @staticmethod
    def _number(value):
        if not isinstance(value, (int, float)):
            return str(value)
        return f"{value:.4f}" if abs(value) > 1e-3 or value == 0 else f"{value:.4e}"

    def add(self, n: int, values: Any = None) -> None:
        """n steps more."""
        self._seen = getattr(self, "_seen", 0) + n
        self.update(self._seen, values)


def split_dataset(
    dataset: Any, left_size: Any = None, right_size: Any = None, shuffle: bool = False, seed: int | None = None
) -> tuple[Any, Any]:
    """Two datasets of one: the first left_size elements (a share if a float) and the last right_size."""
    import random

    from ..data import Dataset

    rows = list(dataset) if isinstance(dataset, Dataset) else list(Dataset.from_tensor_slices(dataset))
    if left_size is None and right_size is None:
        raise ConversionError("At least one of the `left_size` or `right_size` must be specified.")
    if shuffle:
        random.Random(seed).shuffle(rows)
    n = len(rows)

    def count(size):
        return None if size is None else round(size * n) if isinstance(size, float) else size

    left, right = count(left_size), count(right_size)
    left = n - right if left is None else left
    right = n - left if right is None else right
    if left < 0 or right < 0 or left + right > n:
        raise ConversionError(f"split_dataset: {left} and {right} elements of {n}")
    return Dataset._of_list(rows[:left]), Dataset._of_list(rows[n - right :])


def _refused(name, why):
    def function(*args: Any, **kwargs: Any) -> Any:
        raise _core.UnimplementedError(f"{name}: {why}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Refused: {why}."
    return function


plot_model = _refused("plot_model", "model.summary() prints the layers, reel.trace(...).to_dot() the graph")
model_to_dot = _refused("model_to_dot", "reel.trace(...).to_dot() gives the graph of a function")


_logging = {"interactive": True}


def enable_interactive_logging() -> None:
    """Is kept for is_interactive_logging_enabled: Progbar looks itself whether it writes to a terminal."""
    _logging["interactive"] = True


def disable_interactive_logging() -> None:
    """Is kept for is_interactive_logging_enabled: Progbar looks itself whether it writes to a terminal."""
    _logging["interactive"] = False


def is_interactive_logging_enabled() -> bool:
    """What enable_interactive_logging or disable_interactive_logging said last; True at first."""
    return _logging["interactive"]


def standardize_dtype(dtype: Any) -> str:
    """The name of a dtype; floatx for None."""
    from ._backend_functions import standardize_dtype as named

    return named(dtype)


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> Any:
    """The pixels of an image of PIL as an array of floats [height, width, channels]."""
    import numpy

    x = numpy.asarray(img, dtype=dtype or "float32")
    if x.ndim not in (2, 3):
        raise ConversionError(f"Unsupported image shape: {x.shape}")
    x = x.reshape(*x.shape, 1) if x.ndim == 2 else x
    return x.transpose(2, 0, 1) if data_format == "channels_first" else x


def timeseries_dataset_from_array(
    data: Any,
    targets: Any,
    sequence_length: int,
    sequence_stride: int = 1,
    sampling_rate: int = 1,
    batch_size: int | None = 128,
    shuffle: bool = False,
    seed: int | None = None,
    start_index: int | None = None,
    end_index: int | None = None,
) -> Any:
    """A dataset of windows of rows, sequence_stride apart, of every sampling_rate-th row, with their targets."""
    import numpy

    from ..data import Dataset

    start, end = start_index or 0, len(data) if end_index is None else end_index
    count = end - start - (0 if targets is not None else (sequence_length - 1) * sampling_rate)
    if targets is not None:
        count = min(count, len(targets), len(data) - (sequence_length - 1) * sampling_rate)
    first = numpy.arange(start, start + max(count, 0), sequence_stride)
    first = first[first + (sequence_length - 1) * sampling_rate < end] if end_index is not None else first
    if shuffle:
        numpy.random.RandomState(seed).shuffle(first)
    windows = numpy.asarray(data)[first[:, None] + numpy.arange(0, sequence_length * sampling_rate, sampling_rate)]
    rows = windows if targets is None else (windows, numpy.asarray(targets)[first])
    out = Dataset.from_tensor_slices(rows)
    return out if batch_size is None else out.batch(batch_size)
