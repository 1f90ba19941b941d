"""Layers, initializers and so on as dicts of plain values, and back."""

from __future__ import annotations as _annotations

import contextlib as _contextlib
import importlib as _importlib
import threading as _threading
import typing as _t

from ... import _core
from ..errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_MODULES = (
    "layers", "models", "initializers", "regularizers", "constraints", "activations", "losses", "metrics", "optimizers",
    "optimizers.schedules",
)  # fmt: skip
_custom: dict[str, Any] = {}
_registered: dict[str, Any] = {}


def _module(name):
    return _importlib.import_module(f"{__package__}.{name}")


class _Sharing(_threading.local):
    """The layers of a file that is being written or read: one that is in it twice is one layer again."""

    made: dict[Any, Any] | None = None


_shared = _Sharing()


@_contextlib.contextmanager
def sharing() -> Iterator[None]:
    """A context in which configs keep that a layer is in two places."""
    outer, _shared.made = _shared.made, {}
    try:
        yield
    finally:
        _shared.made = outer


def _place(cls):
    """keras.layers of a class of reel.tf.keras.layers; None of others."""
    head = f"{__package__}."
    if not cls.__module__.startswith(head):
        return None
    parts = [p for p in cls.__module__[len(head) :].split(".") if not p.startswith("_")]
    if parts[:1] == ["models"]:
        return "keras"
    return ".".join(["keras", *(parts or ["layers"])])


def serialize(x: Any) -> Any:
    """A value of a config: objects as {"module", "class_name", "config", "registered_name"}."""
    if x is None or isinstance(x, (bool, int, float, str)):
        return x
    if isinstance(x, (list, tuple)):
        return type(x)(serialize(v) for v in x) if type(x) in (list, tuple) else [serialize(v) for v in x]
    if isinstance(x, dict):
        return {k: serialize(v) for k, v in x.items()}
    if isinstance(x, type):
        return x.__name__
    if hasattr(x, "get_config"):
        return _object(x)
    if callable(x) and hasattr(x, "__name__"):
        return _function(x)
    return _array(x)


def _object(x):
    cls, known = type(x), _shared.made
    if known is not None and id(x) in known:
        return known[id(x)][1]
    registered = next((k for k, v in _registered.items() if v is cls), None)
    place, name = _place(cls), cls.__name__
    if name == "Model" and place and x.__dict__.get("_graph") is not None:
        place, name = "keras.src.models.functional", "Functional"
    config = {
        "module": place,
        "class_name": name,
        "config": serialize(x.get_config()),
        "registered_name": None if place else registered or cls.__name__,
    }
    for key in ("build_config", "compile_config"):
        more = getattr(x, f"get_{key}", lambda: None)()
        if more is not None:
            config[key] = serialize(more)
    if known is not None and hasattr(x, "built"):
        config["shared_object_id"] = id(x)
        known[id(x)] = x, config
    return config


def _function(f):
    """The name of one of keras; of others how it is registered, or may be given as a custom object."""
    builtin = _builtin_function(f.__name__)
    if builtin is f or builtin is not None and f.__module__.startswith("reel.tf."):  # tf.nn.gelu is gelu
        return f.__name__
    if f.__name__ == "<lambda>":
        raise _core.UnimplementedError("a lambda has no name to be found by: define a function, and register it by "
                                       "@keras.saving.register_keras_serializable()")  # fmt: skip
    name = get_registered_name(f)
    return {"module": "builtins", "class_name": "function", "config": name, "registered_name": name}


def _builtin_function(name):
    for module in ("activations", "losses", "metrics"):
        found = getattr(_module(module), name, None) if not name.startswith("_") else None
        if callable(found) and not isinstance(found, type):
            return found
    return None


def _array(x):
    """Shapes as lists, dtypes as names, arrays with their values."""
    if hasattr(x, "as_list"):
        return x.as_list()
    if hasattr(x, "as_numpy_dtype"):
        return x.name
    if hasattr(x, "numpy") or hasattr(x, "tolist"):
        array = x.numpy() if hasattr(x, "numpy") else x
        if not array.shape and not hasattr(x, "numpy"):
            return array.item()
        kind = "__tensor__" if hasattr(x, "numpy") else "__numpy__"
        return {"class_name": kind, "config": {"value": array.tolist(), "dtype": str(array.dtype)}}
    return x


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None, kind: str | None = None) -> Any:
    """What `serialize` made a config of."""
    if isinstance(config, (list, tuple)):
        return type(config)(deserialize(x, custom_objects, kind) for x in config)
    if not isinstance(config, dict) or "class_name" not in config:
        return config
    name, inner = config["class_name"], config.get("config") or {}
    if name == "DTypePolicy":
        return inner["name"]
    if name in _PLAIN:
        return _PLAIN[name](inner)
    if name == "function":
        return _find_function(config, custom_objects)
    known, key = _shared.made, ("read", config.get("shared_object_id"))
    if known is not None and key in known:
        return known[key]
    cls = find_class(name, custom_objects, config.get("registered_name"), kind)
    if not isinstance(inner, dict):
        raise _core.InvalidTypeError(f"The config of {name} is no dict: {inner!r}")
    with custom_scope(custom_objects or {}):
        made = cls.from_config(inner) if hasattr(cls, "from_config") else cls(**inner)
        if config.get("build_config") and not getattr(made, "built", True):
            made.build_from_config(config["build_config"])
            made.built = True
        if config.get("compile_config"):
            made.compile_from_config(config["compile_config"])
    if known is not None and key[1] is not None:
        known[key] = made
    return made


def _refuse_code(config):
    raise _core.UnimplementedError(
        "The config has a lambda, which is code of Python; none of a file is run. Define a function, and register it by "
        "@keras.saving.register_keras_serializable()"
    )


def _read_array(config):
    import numpy

    return numpy.array(config["value"], dtype=config["dtype"])


def _read_tensor(config):
    from .._convert import convert_to_tensor

    return convert_to_tensor(config["value"], dtype=config["dtype"])


_PLAIN = {"__lambda__": _refuse_code, "__numpy__": _read_array, "__tensor__": _read_tensor}


def _find_function(config, custom):
    names = [n for n in (config.get("config"), config.get("registered_name")) if isinstance(n, str)]
    for name in names:
        found = get_registered_object(name, custom)
        if (
            found is None
            and config.get("module") in (None, "builtins")
            or str(config.get("module")).startswith("keras")
        ):
            found = found or _builtin_function(name)
        if found is not None:
            return found
    raise _core.InvalidTypeError(
        f"Could not locate function '{names[0] if names else config}'. Make sure custom functions are decorated with "
        "`@keras.saving.register_keras_serializable()`, or pass them as custom_objects"
    )


def find_class(name: str, custom: dict[str, Any] | None = None, registered: str | None = None, kind: Any = None) -> Any:
    """A class by its name: one of custom objects, or of keras. ValueError if there is none."""
    for table in (custom or {}, _custom, _registered):
        for key in (name, registered):
            if key in table:
                return table[key]
    for module in (kind,) if kind else _MODULES:
        found = getattr(_module(module), name, None) if not name.startswith("_") else None
        if isinstance(found, type) and _place(found):
            return found
    if name == "Functional":
        return _module("models").Model
    raise ConversionError(
        f"Could not locate class '{name}'. Make sure custom classes are decorated with "
        "`@keras.saving.register_keras_serializable()`, or pass them as custom_objects"
    )


class custom_scope:
    """A context in which these names mean these objects."""

    def __init__(self, *dicts: dict[str, Any]) -> None:
        self._objects = {k: v for d in dicts for k, v in (d or {}).items()}

    def __enter__(self) -> custom_scope:
        self._outer = dict(_custom)
        _custom.update(self._objects)
        return self

    def __exit__(self, *error: object) -> None:
        _custom.clear()
        _custom.update(self._outer)


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable[[Any], Any]:
    """Decorates a class or function that configs name package>name."""

    def register(thing):
        if isinstance(thing, type) and not hasattr(thing, "get_config"):
            raise ConversionError("Cannot register a class that does not have a get_config() method: " + thing.__name__)
        _registered[f"{package}>{name or thing.__name__}"] = thing
        return thing

    return register


def get_custom_objects() -> dict[str, Any]:
    """The objects of custom scopes, a dict that can be written to."""
    return _custom


def get_registered_object(
    name: str, custom_objects: dict[str, Any] | None = None, module_objects: dict[str, Any] | None = None
) -> Any:
    """What is registered under a name; None if nothing is."""
    for table in (custom_objects or {}, _custom, _registered, module_objects or {}):
        if name in table:
            return table[name]
    return None


def get_registered_name(obj: Any) -> str:
    """The name under which a class or function is registered; its own if it is not."""
    return next((k for k, v in _registered.items() if v is obj), obj.__name__)


def dtype_of(value: Any) -> str:
    """The name of a layer's dtype argument: a name, a dtype, or a config of one."""
    from .. import dtypes
    from .backend import floatx

    value = deserialize(value)
    if value is None:
        return floatx()
    name = getattr(value, "name", value)
    if isinstance(name, str) and name.startswith("mixed_"):
        raise _core.UnimplementedError(
            f"dtype={name!r}: there are no mixed precision policies; give 'float32', 'float16' or 'bfloat16'"
        )
    return dtypes.as_dtype(name).name


def objects(config: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The items of a config, with objects in place of their configs."""
    for key, value in config.items():
        yield key, deserialize(value)
