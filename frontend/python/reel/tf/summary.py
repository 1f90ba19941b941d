"""tf.summary: curves, histograms and text for TensorBoard, by reel's SummaryWriter.

writer = tf.summary.create_file_writer("runs/first")
with writer.as_default():
    tf.summary.scalar("loss", loss, step=step)
"""

from __future__ import annotations as _annotations

import contextlib as _contextlib
import threading as _threading
import typing as _t

from .. import _core
from .._summary import SummaryWriter as _FileWriter
from . import _scopes
from . import dtypes as _dtypes
from ._callbacks import effect as _effect
from ._convert import convert_to_tensor as _convert
from ._tensor import TensorLike as _TensorLike
from ._trace import state as _state
from .errors import ConversionError, StateError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor as _Tensor

    _Step = ArrayLike | None


class _Default(_threading.local):
    writer: SummaryWriter | None = None
    step: Any = None
    recording: Any = True


_default = _Default()


class SummaryWriter:
    """Writes one event file; create_file_writer makes it. With `as_default` the functions of tf.summary write to it."""

    def __init__(self, folder: str | None = None, max_queue: int = 10, flush_seconds: float = 120.0) -> None:
        self._file = None if folder is None else _FileWriter(folder, flush_seconds=flush_seconds)
        self._most, self._waiting, self._closed = max_queue, 0, False

    def _write(self, method: str, name: str, value: Any, step: int) -> None:
        if self._file is None:
            return
        getattr(self._file, method)(name, value, step)
        self._waiting += 1
        if self._waiting > self._most:
            self.flush()

    def as_default(self, step: _Step = None) -> AbstractContextManager[SummaryWriter]:
        """A context in which this is the writer, and `step` the step where none is given. RuntimeError once closed."""
        self._check_open()
        return self._as_default(step)

    @_contextlib.contextmanager
    def _as_default(self, step: _Step) -> Iterator[SummaryWriter]:
        before = _default.writer, _default.step
        _default.writer, _default.step = self, before[1] if step is None else step
        try:
            yield self
            self.flush()
        finally:
            _default.writer, _default.step = before

    def set_as_default(self, step: _Step = None) -> None:
        """From here on this is the writer, and `step` the step where none is given."""
        self._check_open()
        _default.writer = self
        if step is not None:
            _default.step = step

    def _check_open(self):
        if self._closed:
            raise StateError("SummaryWriter is already closed; make another one with tf.summary.create_file_writer")

    def init(self) -> None:
        """Nothing: the file is there already."""
        self._check_open()

    def flush(self) -> None:
        """What was written is in the file when it returns."""
        self._waiting = 0
        if self._file is not None and not self._closed:
            self._file.flush()

    def close(self) -> None:
        """Flushes and ends the file; a second call does nothing."""
        if self._file is not None and not self._closed:
            self._file.close()
        self._closed = True


def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: object = None,
) -> SummaryWriter:
    """A writer of an event file of its own in a folder, flushed after max_queue records (10) or flush_millis (2 minutes).

    Errors: ValueError without a folder; Reel cannot serve a filename_suffix or a mesh, and says so.
    """
    if logdir is None:
        raise ConversionError("create_file_writer: Argument `logdir` cannot be None")
    for option, value in (("filename_suffix", filename_suffix), ("experimental_mesh", experimental_mesh)):
        if value is not None:
            raise _core.UnimplementedError(f"create_file_writer: Reel has no {option}; leave it out")
    if isinstance(logdir, _TensorLike):
        raise _core.InvalidTypeError(f"create_file_writer: logdir must be a path, not {logdir!r}")
    flush = 120.0 if flush_millis is None else flush_millis / 1000
    return SummaryWriter(logdir, 10 if max_queue is None else int(max_queue), flush)


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing."""
    return SummaryWriter()


@_contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """A context in which summaries are written only if the condition is true: a bool, a tensor, or a callable."""
    before, _default.recording = _default.recording, condition
    try:
        yield
    finally:
        _default.recording = before


def _recording():
    """The condition now, a Python bool or a traced tensor; False without a writer."""
    if _default.writer is None:
        return False
    condition = _default.recording
    return condition() if callable(condition) and not isinstance(condition, _TensorLike) else condition


def should_record_summaries() -> _Tensor:
    """Whether there is a writer and record_if's condition holds."""
    return _convert(_recording(), _dtypes.bool)


def scalar(name: str, data: ArrayLike, step: _Step = None, description: str | None = None) -> bool:
    """One number of a curve, as float32. False if there is no default writer, and nothing was written.

    Errors: ValueError if data has axes, or neither step nor a default step is set.
    """
    value = _convert(data)
    if len(value.shape):
        raise ConversionError(f"tf.summary.scalar({name!r}): expected a scalar, got the shape {value.shape}")
    return _put("add_scalar", name, [_dtypes.cast(value, _dtypes.float32)], float, step, description)


def histogram(
    name: str, data: ArrayLike, step: _Step = None, buckets: int | None = None, description: str | None = None
) -> bool:
    """How numbers of any shape are distributed, in TensorBoard's buckets, each 1.1 times as wide as the one before.

    False if there is no default writer. Errors: a number of buckets cannot be served.
    """
    if buckets is not None:
        raise _core.UnimplementedError(
            f"tf.summary.histogram({name!r}): the buckets are TensorBoard's, leave buckets out"
        )
    return _put("add_histogram", name, [_convert(data)], lambda x: x, step, description)


def text(name: str, data: str, step: _Step = None, description: str | None = None) -> bool:
    """Text, shown as Markdown. False if there is no default writer."""
    if not isinstance(data, str):
        raise _core.UnimplementedError(f"tf.summary.text({name!r}): data must be one str, not {type(data).__name__}")
    return _put("add_text", name, [], lambda: data, step, description)


def _put(method, name, tensors, value_of, step, description):
    """Writes value_of(*tensors), now or whenever the function that is traced runs."""
    if not isinstance(name, str):
        raise _core.InvalidTypeError(f"tf.summary: the name must be a str, not {type(name).__name__}")
    if description is not None:
        raise _core.UnimplementedError(f"tf.summary: {name!r} cannot have a description here; leave it out")
    if _state.graph is not None:
        raise _core.UnimplementedError(
            "tf.summary does not write from a tf.Graph of version 1: use Session.run's values"
        )
    writer = _default.writer
    if writer is None:
        return False
    step = _default.step if step is None else step
    if step is None:
        raise ConversionError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    recording, tag = _recording(), _scopes.scoped(name)
    if recording is False or writer._file is None:
        return recording is not False
    inputs = [_convert(recording, _dtypes.bool), _convert(step), *tensors]

    def write(values):
        if bool(values[0]):
            writer._write(method, tag, value_of(*values[2:]), int(values[1]))

    cores = [x._core_value() for x in inputs]
    if _state.depth:
        _effect(write, "summary", cores)
        return True
    write(cores)
    return bool(cores[0])


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Flushes a writer, the default one unless given."""
    writer = _default.writer if writer is None else writer
    if writer is not None:
        writer.flush()


class experimental:
    """The default step."""

    @staticmethod
    def get_step() -> Any:
        """The step that is taken where none is given, None if there is none."""
        return _default.step

    @staticmethod
    def set_step(step: Any) -> None:
        """Sets it: a number, or a variable that is read when something is written."""
        _default.step = step
