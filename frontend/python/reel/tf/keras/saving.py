"""tf.keras.saving: classes by name in configs; files of whole models are refused."""

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

__all__ = [
    "CustomObjectScope",
    "custom_object_scope",
    "deserialize_keras_object",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "load_model",
    "register_keras_serializable",
    "save_model",
    "serialize_keras_object",
]
