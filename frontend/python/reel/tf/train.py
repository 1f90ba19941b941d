"""tf.train: checkpoints of variables, modules, models, optimizers and iterators over datasets."""

from __future__ import annotations as _annotations

import os as _os
import re as _re
import time as _time
import typing as _t

from .. import _core
from . import _checkpoint
from ._variable import Variable
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class CheckpointOptions:
    """Accepted; files are written at once, in one piece."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.options = kwargs


class Status:
    """What a restore did: which values found a variable, and which variables a value."""

    def __init__(self, restoring: Any) -> None:
        self._restoring = restoring

    def assert_consumed(self) -> Status:
        """AssertionError unless each value has a variable, and each variable a value."""
        self._restoring.again()
        left = self._restoring.unmatched_values()
        if left:
            raise AssertionError(f"Unresolved object in checkpoint {self._restoring.path}: {', '.join(left)}")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> Status:
        """AssertionError unless each variable that exists has a value."""
        self._restoring.again()
        left = self._restoring.unmatched_objects()
        if left:
            raise AssertionError(f"No checkpoint values in {self._restoring.path} for the objects: {', '.join(left)}")
        return self

    def assert_nontrivial_match(self) -> Status:
        """AssertionError if no value has a variable."""
        self._restoring.again()
        if len(self._restoring.objects) < 2:
            raise AssertionError(
                f"Nothing except the root object matched a checkpointed value in {self._restoring.path}."
            )
        return self

    def expect_partial(self) -> Status:
        """The status: nothing is said of what did not match, ever."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing is left to do."""

    run_restore_ops = initialize_or_restore


class _NothingRestored:
    """What restore(None) gives."""

    def _refuse(self):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _refuse

    def expect_partial(self):
        return self

    def initialize_or_restore(self, session=None):
        pass

    run_restore_ops = initialize_or_restore


class Checkpoint:
    """Attributes that are saved and restored together: Checkpoint(model=model, optimizer=optimizer, step=step).

    Files are called prefix-1.safetensors and so on; each is whole, or not there. Variables that are made after
    restore() get their values then.
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        self.__dict__["_parts"] = {}
        self.__dict__["_root"] = root
        self.__dict__["_counter"] = None
        if root is not None and not _checkpoint.is_trackable(root):
            raise ConversionError(f"`Checkpoint` was expecting root to be a trackable object, got {root!r}")
        for name, value in kwargs.items():
            if not _checkpoint.is_trackable(value):
                raise ConversionError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (a variable, module, optimizer, iterator, "
                    f"or lists and dicts of them), got {value!r} ({type(value)})."
                )
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        parts = self.__dict__.get("_parts", {})
        if name not in parts:
            raise AttributeError(f"'Checkpoint' object has no attribute '{name}'")
        return parts[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if "_reel_deferred" in self.__dict__:
            value = _checkpoint.tracked(self, name, value)
        self._parts[name] = value
        if "_reel_deferred" in self.__dict__:
            _checkpoint.attribute_was_set(self, name, value)

    def _checkpoint_children(self):
        """Attributes; those of the root, too."""
        found = {} if self._root is None else _checkpoint.children_of(self._root)
        found.update({k: v for k, v in self._parts.items() if _checkpoint.is_trackable(v)})
        if self._counter is not None:
            found["save_counter"] = self._counter
        return found

    @property
    def save_counter(self) -> Variable:
        """How often save was called, an int64 variable."""
        if self._counter is None:
            self.__dict__["_counter"] = Variable(0, dtype="int64", trainable=False, name="save_counter")
            if "_reel_deferred" in self.__dict__:
                _checkpoint.attribute_was_set(self, "save_counter", self._counter)
        return self._counter

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Writes the file of this very name; returns it."""
        path = _os.fspath(file_prefix)
        _checkpoint.write(path, self)
        return path

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Writes the file prefix-n, n = save_counter + 1, and the folder's file `checkpoint`; returns prefix-n."""
        self.save_counter.assign_add(1)
        path = f"{_os.fspath(file_prefix)}-{int(self.save_counter)}"
        self.write(path)
        _write_state(_os.path.dirname(path) or ".", path, [path])
        return path

    def read(self, save_path: Any, options: Any = None) -> Any:
        """Restores a file that write wrote."""
        path = _os.fspath(save_path)
        nodes, values = _checkpoint.read(path)
        restoring = _checkpoint.Restoring(path, nodes, values)
        restoring.root = self
        if self._root is not None and isinstance(self._root, (_checkpoint.Module,)):
            restoring.objects[0] = None
            restoring._defer(0, self._root)
            restoring.objects.pop(0)
        restoring.match(0, self)
        return Status(restoring)

    def restore(self, save_path: Any, options: Any = None) -> Any:
        """Restores a file; None does nothing, as at a first start. Values of variables that are not there yet wait."""
        if save_path is None:
            return _NothingRestored()
        path = _os.fspath(save_path)
        if _os.path.isdir(path) and latest_checkpoint(path):
            path = latest_checkpoint(path)
        status = self.read(path)
        _ = self.save_counter
        return status

    def sync(self) -> None:
        """Nothing is left to wait for."""


class CheckpointManager:
    """Numbered checkpoints in a folder, of which the newest max_to_keep stay."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: Any = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ConversionError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if keep_checkpoint_every_n_hours is not None:
            raise _core.UnimplementedError(
                "CheckpointManager: there is no keep_checkpoint_every_n_hours; give max_to_keep"
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ConversionError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint, self._directory = checkpoint, _os.fspath(directory)
        self._keep, self._name, self._init = max_to_keep, checkpoint_name, init_fn
        self._step, self._interval, self._last_step = step_counter, checkpoint_interval, last_checkpoint_step
        state = get_checkpoint_state(self._directory)
        self._paths = [] if state is None else list(state.all_model_checkpoint_paths)

    @property
    def checkpoint(self) -> Checkpoint:
        """The Checkpoint."""
        return self._checkpoint

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """The least number of steps between two saves."""
        return self._interval

    @property
    def checkpoints(self) -> list[str]:
        """The files that stay, the oldest first."""
        return list(self._paths)

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest; None if there is none."""
        return self._paths[-1] if self._paths else None

    def save(self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None) -> str | None:
        """Writes the next checkpoint, and removes those that are too old; None if the interval is not over."""
        if check_interval and self._interval is not None:
            step = int(self._step)
            if self._last_step is not None and step < int(self._last_step) + self._interval:
                return None
            self._last_step = step
        prefix = _os.path.join(self._directory, self._name)
        if checkpoint_number is None:
            path = self._checkpoint.save(prefix)
        else:
            self._checkpoint.save_counter.assign_add(1)
            path = self._checkpoint.write(f"{prefix}-{int(checkpoint_number)}")
        self._paths = [p for p in self._paths if p != path] + [path]
        old = [] if self._keep is None else self._paths[: -self._keep]
        self._paths = self._paths[len(old) :]
        _write_state(self._directory, path, self._paths)
        for p in old:
            if _os.path.exists(p + _checkpoint.SUFFIX):
                _os.remove(p + _checkpoint.SUFFIX)
        return path

    def restore_or_initialize(self) -> str | None:
        """Restores the newest and returns its path; without one calls init_fn."""
        if self.latest_checkpoint is not None:
            self._checkpoint.restore(self.latest_checkpoint)
            return self.latest_checkpoint
        if self._init is not None:
            self._init()
        return None

    def sync(self) -> None:
        """Nothing is left to wait for."""


class CheckpointState:
    """What the file `checkpoint` of a folder says."""

    def __init__(self, path: str, paths: list[str]) -> None:
        self.model_checkpoint_path, self.all_model_checkpoint_paths = path, paths


def _write_state(folder, path, paths):
    def text(p):
        return _os.path.relpath(p, folder).replace("\\", "/")

    lines = [f'model_checkpoint_path: "{text(path)}"'] + [f'all_model_checkpoint_paths: "{text(p)}"' for p in paths]
    _os.makedirs(folder, exist_ok=True)
    name = _os.path.join(folder, "checkpoint")
    with open(f"{name}.{_os.getpid()}.new", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    _os.replace(f"{name}.{_os.getpid()}.new", name)


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> CheckpointState | None:
    """The newest checkpoint of a folder and all of them; None if there is no file `checkpoint`."""
    folder = _os.fspath(checkpoint_dir)
    try:
        with open(_os.path.join(folder, latest_filename or "checkpoint"), encoding="utf-8") as file:
            text = file.read(1 << 20)
    except OSError:
        return None
    found = _re.findall(r'^(model_checkpoint_path|all_model_checkpoint_paths): "(.*)"$', text, _re.MULTILINE)
    paths = [_os.path.join(folder, p) for key, p in found if key.startswith("all")]
    newest = [_os.path.join(folder, p) for key, p in found if key.startswith("model")]
    return CheckpointState(newest[0], paths) if newest else None


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The newest checkpoint of a folder, for restore(); None if there is none."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not _os.path.exists(state.model_checkpoint_path + _checkpoint.SUFFIX):
        return None
    return state.model_checkpoint_path


class CheckpointReader:
    """The values of a checkpoint by name."""

    def __init__(self, path: str) -> None:
        self._values = _checkpoint.read(path)[1]

    def get_tensor(self, name: str) -> Any:
        """A value, a NumPy array. NotFoundError if there is none of this name."""
        if name not in self._values:
            raise _core.NotFoundError(f"Key {name} not found in checkpoint; there are {sorted(self._values)}")
        return self._values[name].numpy()

    def has_tensor(self, name: str) -> bool:
        """Whether there is a value of this name."""
        return name in self._values

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Shapes by name."""
        return {k: list(v.shape) for k, v in self._values.items()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """Dtypes by name."""
        from . import dtypes

        return {k: dtypes.as_dtype(v.dtype.name) for k, v in self._values.items()}


def _path_of(path):
    path = _os.fspath(path)
    found = latest_checkpoint(path) if _os.path.isdir(path) else path
    if found is None:
        raise ConversionError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
    return found


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint, of a folder the newest."""
    return CheckpointReader(_path_of(ckpt_dir_or_file))


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """A value of a checkpoint, a NumPy array."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """(name, shape) of all values, sorted; the object graph, a scalar, is one."""
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map() | {_checkpoint.GRAPH: []}
    return sorted(shapes.items())


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """New checkpoints of a folder as they come; ends when there is none for `timeout` seconds."""
    seen = None
    while True:
        waited = _time.monotonic()
        while (newest := latest_checkpoint(checkpoint_dir)) in (None, seen):
            if timeout is not None and _time.monotonic() - waited > timeout:
                if timeout_fn is None or timeout_fn():
                    return
                waited = _time.monotonic()
            _time.sleep(min(1.0, max(0.05, min_interval_secs)))
        seen = newest
        yield newest


def __getattr__(name: str) -> Any:
    """ExponentialMovingAverage, which is version 1's, too."""
    if name == "ExponentialMovingAverage":
        from .compat.v1._average import ExponentialMovingAverage

        return ExponentialMovingAverage
    from . import _refused

    raise _refused.missing(__name__, name)
