"""tf.keras.saving: classes by name in configs; whole models and weights in files."""

from typing import Any as _Any

from ._serialize import custom_scope as CustomObjectScope
from ._serialize import custom_scope as custom_object_scope
from ._serialize import get_custom_objects as get_custom_objects
from ._serialize import get_registered_name as get_registered_name
from ._serialize import get_registered_object as get_registered_object
from ._serialize import register_keras_serializable as register_keras_serializable
from .models import load_model as load_model
from .models import save_model as save_model
from .utils import deserialize_keras_object as deserialize_keras_object
from .utils import serialize_keras_object as serialize_keras_object


def save_weights(model: _Any, filepath: _Any, overwrite: bool = True, max_shard_size: _Any = None) -> None:
    """Model.save_weights."""
    model.save_weights(filepath, overwrite=overwrite, max_shard_size=max_shard_size)


def load_weights(model: _Any, filepath: _Any, skip_mismatch: bool = False, **options: _Any) -> None:
    """Model.load_weights."""
    model.load_weights(filepath, skip_mismatch=skip_mismatch, **options)


__all__ = [
    "CustomObjectScope",
    "custom_object_scope",
    "deserialize_keras_object",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "load_model",
    "load_weights",
    "register_keras_serializable",
    "save_model",
    "save_weights",
    "serialize_keras_object",
]
