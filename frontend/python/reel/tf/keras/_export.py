"""model.export: a Keras model as a SavedModel, for TensorFlow and what serves its models."""

from __future__ import annotations

import os as _os
import typing as _t

from ... import _core, tensorflow
from .. import nest
from .._concrete import MOST as _MOST
from .._shape import TensorSpec
from .._tensor import wrap
from .._trace import state
from ..errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any


def export_model(model: Any, filepath: Any, format: str, input_signature: Any) -> None:
    """Writes what the model gives without training, as the signature `serving_default` and the function `serve`."""
    path = _os.fspath(filepath)
    if format != "tf_saved_model":
        raise _core.UnimplementedError(
            f"export({path!r}, {format!r}): models are exported as 'tf_saved_model'; reel.onnx.save and reel.export write "
            "functions in other formats"
        )
    if path.endswith(".pb"):
        raise ConversionError(f"export({path!r}): a SavedModel is a folder; name one")
    specs = _specs_of(model, input_signature)

    def serve(*xs):
        args = nest.pack_sequence_as(specs, [wrap(x) for x in xs])
        state.depth += 1
        try:
            results = nest.flatten(model(args[0] if len(args) == 1 else list(args), training=False))
        finally:
            state.depth -= 1
        return {f"output_{i}": x._t for i, x in enumerate(results)}

    core = [_core_spec(spec, i) for i, spec in enumerate(nest.flatten(specs))]
    tensorflow.save(_core.Module.lift({"serving_default": (serve, core), "serve": (serve, core)}), path)


def _specs_of(model, input_signature):
    """The TensorSpecs of the argument: those given, else of the model's inputs."""
    if input_signature is not None:
        return list(input_signature)
    inputs = getattr(model, "inputs", None)
    if not inputs:
        raise ConversionError(
            f"export: the shapes of the inputs of {model.name!r} are not known; call it once, or give input_signature"
        )
    return [TensorSpec(x.shape, x.dtype, getattr(x, "name", None)) for x in inputs]


def _core_spec(spec, i):
    """With one number for all axes 0 that are open, the batch, and one for each other."""
    shape = [
        _core.Dim("batch" if axis == 0 else f"n{i}_{axis}", 1, _MOST) if n is None else n
        for axis, n in enumerate(spec.shape)
    ]
    return _core.TensorSpec(shape, spec.dtype.core, name=spec.name or f"input_{i}")
