"""What losses, metrics, optimizers and their like share: tensors, ranks, means, names and configurations."""

from __future__ import annotations as _annotations

import re as _re
import typing as _t

from .. import _array
from .. import dtypes as _dtypes
from .. import math as _math
from .._beside import logits as logits
from .._convert import convert_to_tensor as _convert
from .._tensor import TensorLike as _TensorLike
from ..errors import ConversionError
from ._masks import set_mask as _set_mask
from ._naming import unique_name as _unique_name
from ._serialize import deserialize as _deserialize
from ._serialize import get_registered_object as _registered_object
from ._serialize import serialize as _serialize

if _t.TYPE_CHECKING:
    from typing import Any

EPSILON = 1e-7  # Keras's fuzz factor


def masked(values: Any, mask: Any) -> Any:
    """The values, which count only where the mask is True."""
    _set_mask(values, mask)
    return values


def tensor(x: Any, dtype: Any = None) -> Any:
    """A tensor of anything that is one, cast to a dtype."""
    x = _convert(x)
    return x if dtype is None or x.dtype == dtype else _dtypes.cast(x, dtype)


def pair(y_true: Any, y_pred: Any, same: bool = True) -> tuple[Any, Any]:
    """Targets and predictions as tensors of the predictions' dtype; `same`: of one rank too."""
    y_pred = tensor(y_pred)
    y_true = tensor(y_true, y_pred.dtype)
    return same_rank(y_true, y_pred) if same else (y_true, y_pred)


def same_rank(a: Any, b: Any, expand: bool = True) -> tuple[Any, Any]:
    """Of ranks that differ by 1: a last axis of extent 1 is dropped, or given to the other if that has one axis."""
    if len(a.shape) < len(b.shape):
        return same_rank(b, a, expand)[::-1]
    if len(a.shape) == len(b.shape) + 1 and a.shape[-1] == 1:
        if len(b.shape) == 1 and expand:
            return a, _array.expand_dims(b, -1)
        return _array.squeeze(a, -1), b
    return a, b


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean; of integers and bools as float32."""
    if not (x.dtype.is_floating or x.dtype.is_complex):
        x = _dtypes.cast(x, _dtypes.float32)
    return _math.reduce_mean(x, axis, keepdims)


def clip(x: Any) -> Any:
    """Probabilities away from 0 and 1, so that logarithms are finite."""
    return _math.clip_by_value(x, EPSILON, 1 - EPSILON)


def is_symbolic(x: Any) -> bool:
    """Whether the value is not known: a tensor that is traced."""
    return isinstance(x, _TensorLike) and x._core_value().symbolic


# --- names and configurations ---


def given(names: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a constructor was given, of its locals()."""
    own = {k: v for k, v in names.items() if k not in ("self", "kwargs", "__class__")}
    return own | names.get("kwargs", {})


def snake_case(name: str) -> str:
    """MeanSquaredError -> mean_squared_error."""
    name = _re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return _re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def auto_name(of: object) -> str:
    """A name that no other object has: adam, adam_1, ..."""
    return _unique_name(snake_case(type(of).__name__))


class Names:
    """The classes and functions of one module by name, as configurations name them."""

    def __init__(self, module: str, what: str, members: dict[str, Any], aliases: dict[str, Any] | None = None) -> None:
        self.module, self.what = "keras." + module, what
        self.members, self.aliases = members, aliases or {}

    def find(self, name: str, custom: Any = None) -> Any:
        """The class or function of a name; ValueError if there is none."""
        found = _registered_object(name, custom, {**self.aliases, **self.members})
        if found is None:
            raise self.unknown(name)
        return found

    def unknown(self, identifier: Any) -> ConversionError:
        """The error for what is no identifier."""
        known = ", ".join(sorted(n for n in {**self.members, **self.aliases} if n == n.lower()))
        return ConversionError(f"Could not interpret {self.what} identifier: {identifier}; the names are: {known}")

    def serialize(self, value: Any) -> Any:
        """A function's name; an object's class and configuration."""
        if value is None or isinstance(value, (str, dict)):
            return value
        if not hasattr(value, "get_config"):
            return value.__name__ if self.members.get(value.__name__) is value else _serialize(value)
        name = type(value).__name__
        own = self.members.get(name) is type(value)
        return {
            "module": self.module if own else type(value).__module__,
            "class_name": name,
            "config": value.get_config(),
            "registered_name": None if own else name,
        }

    def deserialize(self, config: Any, custom: Any = None) -> Any:
        """What serialize made of an object, as an object again; custom: {name: class} beside those known."""
        if isinstance(config, str):
            return self.find(config, custom)
        if isinstance(config, dict) and config.get("class_name") in ("function", "__lambda__"):
            return _deserialize(config, custom)
        if not isinstance(config, dict) or not isinstance(config.get("class_name"), str):
            raise self.unknown(config)
        made = self.find(config.get("registered_name") or config["class_name"], custom)
        options = dict(config.get("config") or {})
        return made.from_config(options) if hasattr(made, "from_config") else made(**options)

    def get(self, identifier: Any) -> Any:
        """None, or what a name, a configuration, a class or an object stands for; classes are called."""
        if identifier is None:
            return None
        if isinstance(identifier, (str, dict)):
            identifier = self.deserialize(identifier)
        if isinstance(identifier, type):
            return identifier()
        if not callable(identifier):
            raise self.unknown(identifier)
        return identifier


def public(module: dict[str, Any], base: type | None = None) -> dict[str, Any]:
    """The classes (of a base) and functions that a module shows, by name."""
    found = {n: v for n, v in module.items() if not n.startswith("_")}
    return {
        n: v
        for n, v in found.items()
        if (isinstance(v, type) and base is not None and issubclass(v, base))
        or (not isinstance(v, type) and callable(v) and n not in ("get", "serialize", "deserialize"))
    }
