"""tf.compat.v1.train.Saver: the variables of a session in a file, written whole or not at all."""

from __future__ import annotations

import glob as _glob
import os as _os
import tempfile as _tempfile
import typing as _t

import numpy as _np

from ..._graph_tensor import GraphVariable
from ...errors import ConversionError, InvalidArgumentError, NotFoundError
from ._variables import global_variables

if _t.TYPE_CHECKING:
    from typing import Any

_SUFFIX = ".npz"


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Whether a Saver wrote this."""
    return _os.path.exists(str(checkpoint_prefix) + _SUFFIX)


def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """The path that the last save() of a folder returned; None if there is none."""
    state = _os.path.join(checkpoint_dir, latest_filename or "checkpoint")
    if not _os.path.exists(state):
        return None
    with open(state, encoding="utf-8") as file:
        for line in file:
            if line.startswith("model_checkpoint_path:"):
                path = _os.path.join(checkpoint_dir, line.split('"')[1])
                return path if checkpoint_exists(path) else None
    return None


class Saver:
    """save(sess, path) and restore(sess, path) of variables by their names: var_list as a list or a dict, or all.

    The files are NumPy's .npz, not TensorFlow's; the oldest of more than max_to_keep go.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: object = None,
        builder: object = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        self._given, self._max, self._reshape, self._pad = var_list, max_to_keep, reshape, pad_step_number
        self.last_checkpoints: list[str] = []
        if not defer_build and not allow_empty and not self._variables():
            raise ConversionError("No variables to save")

    def _variables(self):
        listed = global_variables() if self._given is None else self._given
        if isinstance(listed, dict):
            return dict(listed)
        names = {}
        for v in listed:
            name = v.op.name if isinstance(v, GraphVariable) else v.name.removesuffix(":0")
            if name in names:
                raise ConversionError(f"At least two variables have the same name: {name}")
            names[name] = v
        return names

    def save(
        self,
        sess: Any,
        save_path: str,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Writes the values; the path, with -global_step behind it if that is given. The graph is not written."""
        path = str(save_path)
        if global_step is not None:
            if not isinstance(global_step, int):
                global_step = int(sess.run(global_step) if isinstance(global_step, GraphVariable) else global_step)
            path += f"-{global_step:08d}" if self._pad else f"-{global_step}"
        folder = _os.path.dirname(path) or "."
        if not _os.path.isdir(folder):
            raise ConversionError(f"Parent directory of {save_path} doesn't exist, can't save.")
        variables = self._variables()
        found = sess.run(list(variables.values())) if sess is not None else [v.numpy() for v in variables.values()]
        _replace(path + _SUFFIX, lambda file: _np.savez(file, **dict(zip(variables, found))), folder)
        self._keep(path)
        if write_state:
            text = "".join(
                f'{key}: "{_os.path.basename(p)}"\n'
                for key, p in [("model_checkpoint_path", path)]
                + [("all_model_checkpoint_paths", p) for p in self.last_checkpoints]
            )
            state = _os.path.join(folder, latest_filename or "checkpoint")
            _replace(state, lambda file: file.write(text.encode()), folder)
        return path

    def _keep(self, path):
        self.last_checkpoints = [p for p in self.last_checkpoints if p != path] + [path]
        while self._max and len(self.last_checkpoints) > self._max:
            oldest = self.last_checkpoints.pop(0)
            for name in _glob.glob(_glob.escape(oldest) + _SUFFIX):
                _os.remove(name)

    def restore(self, sess: Any, save_path: str | None) -> None:
        """Gives the variables their values. Errors: ValueError for a file that is none, NotFoundError for a name that it
        does not have, InvalidArgumentError for another shape.
        """
        if save_path is None:
            raise ConversionError("Can't load save_path when it is None.")
        path = str(save_path)
        if not checkpoint_exists(path):
            raise ConversionError(f"The passed save_path is not a valid checkpoint: {path}")
        with _np.load(path + _SUFFIX, allow_pickle=False) as file:
            found = {}
            for name, v in self._variables().items():
                if name not in file.files:
                    raise NotFoundError(f"Key {name} not found in checkpoint {path}")
                found[name] = value = file[name]
                if value.shape != tuple(v.shape) and not (self._reshape and value.size == v.shape.num_elements()):
                    raise InvalidArgumentError(
                        f"Assign requires shapes of both tensors to match. lhs shape= {list(v.shape)} rhs shape= "
                        f"{list(value.shape)} of {name} in {path}"
                    )
        for name, v in self._variables().items():
            value = found[name].reshape(tuple(v.shape))
            if isinstance(v, GraphVariable):
                sess.load(v, value)
            else:
                v.assign(value)


def _replace(path, write, folder):
    handle, name = _tempfile.mkstemp(dir=folder, prefix=".saver")
    try:
        with _os.fdopen(handle, "wb") as file:
            write(file)
        _os.replace(name, path)
    except BaseException:
        _os.unlink(name)
        raise
