"""Weights of models in files: names by the place of a layer, so that another model of the same layers reads them."""

from __future__ import annotations as _annotations

import os as _os
import typing as _t

from ... import _core
from .._convert import to_core
from .._tensor import wrap
from ..errors import ConversionError
from ._naming import snake_class

if _t.TYPE_CHECKING:
    from typing import Any


def named_variables(layer: Any, prefix: str = "", seen: set[int] | None = None) -> dict[str, Any]:
    """Variables by names such as layers/dense_1/vars/0, each once."""
    seen = set() if seen is None else seen
    out: dict[str, Any] = {}
    own = layer._own_variables() if hasattr(layer, "_own_variables") else layer.variables
    for i, v in enumerate(own):
        if id(v) not in seen:
            seen.add(id(v))
            out[f"{prefix}vars/{i}"] = v
    counts: dict[str, int] = {}
    for inner in layer._own_layers() if hasattr(layer, "_own_layers") else ():
        name = snake_class(type(inner))
        n = counts[name] = counts.get(name, -1) + 1
        if id(inner) not in seen:
            seen.add(id(inner))
            out.update(named_variables(inner, f"{prefix}layers/{name}{f'_{n}' if n else ''}/", seen))
    return out


def checked_path(filepath: Any, what: str) -> str:
    """The path of a file of weights; ValueError for the formats that are not there."""
    path = _os.fspath(filepath)
    if path.endswith((".h5", ".hdf5")) and not path.endswith(".weights.h5"):
        raise _core.UnimplementedError(
            f"{what}({path!r}): Keras's older HDF5 files are neither written nor read here; end the path with .weights.h5 "
            "(or .safetensors, .npz)"
        )
    if path.endswith(".keras") and what == "load_weights":
        return path
    if not path.endswith((".weights.h5", ".safetensors", ".npz")):
        raise ConversionError(f"{what}({path!r}): the path must end with .weights.h5, .safetensors or .npz")
    return path


def save_weights(model: Any, filepath: Any, overwrite: bool, max_shard_size: Any) -> None:
    """Writes a file, whole or not at all."""
    path = checked_path(filepath, "save_weights")
    if max_shard_size is not None:
        raise _core.UnimplementedError("save_weights: max_shard_size: there is one file, of any size")
    if not overwrite and _os.path.exists(path):
        raise _core.AlreadyExistsError(f"save_weights: there is {path!r} already, and overwrite is False")
    variables = named_variables(model)
    if not variables or not model.built:
        raise ConversionError(
            f"save_weights: the model {model.name!r} has no variables yet; call it once, or build(input_shape)"
        )
    if path.endswith(".h5"):
        from . import _archive, _hdf5, _state

        with _archive.replacing(path, True, "save_weights") as stream:
            _hdf5.write(stream, _state.state_of(model))
        return
    _core._write_weights(path, {name: to_core(v) for name, v in variables.items()})


def load_weights(model: Any, filepath: Any, skip_mismatch: bool, options: dict[str, Any]) -> None:
    """Assigns what a file has; all that does not fit is one error, and then nothing is assigned."""
    path = checked_path(filepath, "load_weights")
    if unknown := [k for k in options if options[k]]:
        raise _core.UnimplementedError(f"load_weights: there is no {unknown[0]}=; layers are found by their place")
    if not model.built:
        raise ConversionError(
            f"You are loading weights into a model {model.name!r} that has not been built yet; call it once, or "
            "build(input_shape), first"
        )
    if path.endswith((".h5", ".keras")):
        from . import _archive, _hdf5, _state

        stream = _archive.weights_of(path) if path.endswith(".keras") else path
        with _hdf5.Reader(stream, path) as reader:
            _state.restore(model, reader, path, skip_mismatch)
        return
    values, variables = _core._read_weights(path), named_variables(model)
    wrong = [f"{n} is missing" for n in variables if n not in values]
    wrong += [f"{n} belongs to no variable" for n in values if n not in variables]
    fit = {n: v for n, v in variables.items() if n in values}
    wrong += [
        f"{n} is {tuple(values[n].shape)} in the file, {tuple(v.shape)} in the model"
        for n, v in fit.items()
        if tuple(values[n].shape) != tuple(v.shape)
    ]
    if wrong and not skip_mismatch:
        raise ConversionError(f"{path!r} does not fit the model {model.name!r}: {'; '.join(wrong)}")
    for name, v in fit.items():
        value = wrap(values[name])
        if tuple(value.shape) == tuple(v.shape):
            v.assign(value if value.dtype is v.dtype else _cast(value, v.dtype))


def _cast(value, dtype):
    from .._convert import cast

    return cast(value, dtype)
