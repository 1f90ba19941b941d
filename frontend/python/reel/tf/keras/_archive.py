"""Whole models in .keras files, those of Keras 3: a zip of metadata.json, config.json and model.weights.h5."""

from __future__ import annotations as _annotations

import contextlib as _contextlib
import io as _io
import json as _json
import os as _os
import typing as _t
import zipfile as _zipfile

from ... import _core
from ..errors import ConversionError
from . import _hdf5, _serialize, _state

if _t.TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

KERAS_VERSION = "3.15.1"  # whose format it is
_MAX_CONFIG = 64 << 20  # bytes of JSON
_MAX_GROWTH, _SMALL = 100, 64 << 20  # a member may be so many times its packed size, unless it is small


@_contextlib.contextmanager
def replacing(path: str, overwrite: bool, what: str) -> Iterator[Any]:
    """A stream, whose bytes become the file when all is written."""
    if not overwrite and _os.path.exists(path):
        raise _core.AlreadyExistsError(f"{what}: there is {path!r} already, and overwrite is False")
    stream = _io.BytesIO()
    yield stream
    name = f"{path}.{_os.getpid()}.new"
    try:
        with open(name, "wb") as file:
            file.write(stream.getbuffer())
        _os.replace(name, path)
    except OSError:
        with _contextlib.suppress(OSError):
            _os.remove(name)
        raise


def save_model(model: Any, filepath: Any, overwrite: bool, zipped: Any, options: dict[str, Any]) -> None:
    """Writes architecture, weights, and what compile was given with the state of the optimizer."""
    path = _os.fspath(filepath)
    if options:
        raise ConversionError(
            f"save: the following argument(s) are not supported with the Keras format: {list(options)}"
        )
    if path.endswith((".h5", ".hdf5")) or zipped is False:
        raise _core.UnimplementedError(
            f"save({path!r}): Keras's older format HDF5, and folders, are not written; end the path with .keras"
        )
    if not path.endswith(".keras"):
        raise ConversionError(
            f"save({path!r}): Invalid filepath extension for saving; end the path with .keras. For a deployed program see "
            "reel.export"
        )
    _hdf5.library("save")
    with _serialize.sharing():
        config = _json.dumps(_serialize.serialize(model), allow_nan=True)
    weights = _io.BytesIO()
    _hdf5.write(weights, _state.state_of(model))
    with replacing(path, overwrite, "save") as stream, _zipfile.ZipFile(stream, "w") as archive:
        for name, content in (
            ("metadata.json", _json.dumps({"keras_version": KERAS_VERSION, "date_saved": _now()})),
            ("config.json", config),
            ("model.weights.h5", weights.getvalue()),
        ):
            archive.writestr(name, content)


def _now():
    import datetime

    return datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")


def _member(archive, name, path, limit):
    """The bytes of a member, which says truly how long it is."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise ConversionError(f"{path!r} is no file of a Keras model: it has no {name}") from None
    if info.file_size > limit or info.file_size > max(_SMALL, _MAX_GROWTH * info.compress_size):
        raise ConversionError(f"{path!r}: {name} says that it has {info.file_size} bytes, more than is read of it")
    with archive.open(info) as file:
        return file.read(info.file_size)


@_contextlib.contextmanager
def _opened(path):
    try:
        with _zipfile.ZipFile(path) as archive:
            yield archive
    except FileNotFoundError:
        raise ConversionError(f"File not found: filepath={path}. Please ensure the file is an accessible `.keras` zip "
                              "file.") from None  # fmt: skip
    except (_zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        if isinstance(error, _core.UnimplementedError):
            raise
        raise ConversionError(f"{path!r} is no file of a Keras model: {error}") from None


def weights_of(path: str) -> Any:
    """A stream of the weights in a .keras file."""
    with _opened(path) as archive:
        return _io.BytesIO(_member(archive, "model.weights.h5", path, _os.path.getsize(path) * _MAX_GROWTH + _SMALL))


def _config_of(path):
    with _opened(path) as archive:
        text = _member(archive, "config.json", path, _MAX_CONFIG)
    try:
        config = _json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConversionError(f"{path!r}: config.json is no JSON: {error}") from None
    if not isinstance(config, dict) or not isinstance(config.get("class_name"), str):
        raise ConversionError(f"{path!r}: config.json names no class of a model")
    return config


def load_model(filepath: Any, custom_objects: Any, compile: bool) -> Any:
    """The model of a file, with its weights. No code of the file is run: what it names is here, or registered."""
    path = _os.fspath(filepath)
    if path.endswith((".h5", ".hdf5")) or _os.path.isdir(path):
        raise _core.UnimplementedError(
            f"load_model({path!r}): Keras's older format HDF5, and folders, are not read; save the model as .keras"
        )
    if not path.endswith(".keras"):
        raise ConversionError(f"load_model({path!r}): File format not supported; the path must end with .keras")
    _hdf5.library("load_model")
    config = _config_of(path)
    if not compile:
        config["compile_config"] = None
    with _serialize.sharing():
        model = _serialize.deserialize(config, custom_objects)
    if not hasattr(model, "compile_from_config"):
        raise ConversionError(f"{path!r} holds a {type(model).__name__}, which is no model")
    with _hdf5.Reader(weights_of(path), path) as reader:
        _state.restore(model, reader, path)
    return model
