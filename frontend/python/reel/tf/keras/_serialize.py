"""Layers, initializers and so on as dicts of plain values, and back."""

from __future__ import annotations as _annotations

import importlib as _importlib
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


def _place(cls):
    """keras.layers of a class of reel.tf.keras.layers; the module of others."""
    head = f"{__package__}."
    if not cls.__module__.startswith(head):
        return None
    parts = [p for p in cls.__module__[len(head) :].split(".") if not p.startswith("_")]
    return ".".join(["keras", *(parts[:1] or ["layers"])])


def serialize(x: Any) -> Any:
    """A value of a config: objects as {"module", "class_name", "config", "registered_name"}."""
    if isinstance(x, (list, tuple)):
        return type(x)(serialize(v) for v in x) if type(x) in (list, tuple) else [serialize(v) for v in x]
    if isinstance(x, dict):
        return {k: serialize(v) for k, v in x.items()}
    if hasattr(x, "get_config"):
        cls = type(x)
        registered = next((k for k, v in _registered.items() if v is cls), None)
        place = _place(cls)
        return {
            "module": place,
            "class_name": cls.__name__,
            "config": x.get_config(),
            "registered_name": None if place else registered or cls.__name__,
        }
    if callable(x) and hasattr(x, "__name__"):
        return x.__name__
    return x


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None, kind: str | None = None) -> Any:
    """What `serialize` made a config of."""
    if not isinstance(config, dict) or "class_name" not in config:
        return config
    name, inner = config["class_name"], config.get("config", {})
    if name == "DTypePolicy":
        return inner["name"]
    cls = find_class(name, custom_objects, config.get("registered_name"), kind)
    with custom_scope(custom_objects or {}):
        return cls.from_config(inner) if hasattr(cls, "from_config") else cls(**inner)


def find_class(name: str, custom: dict[str, Any] | None = None, registered: str | None = None, kind: Any = None) -> Any:
    """A class by its name: one of custom objects, or of keras. ValueError if there is none."""
    for table in (custom or {}, _custom, _registered):
        for key in (name, registered):
            if key in table:
                return table[key]
    for module in (kind,) if kind else _MODULES:
        found = getattr(_module(module), name, None) if not name.startswith("_") else None
        if isinstance(found, type):
            return found
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
