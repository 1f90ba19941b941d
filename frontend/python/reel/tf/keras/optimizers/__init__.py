"""Optimizers with Keras 3's names and options."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _common
from . import schedules as schedules
from ._adam import Adafactor as Adafactor, Adam as Adam, Adamax as Adamax, AdamW as AdamW, Lamb as Lamb, Nadam as Nadam
from ._base import Optimizer as Optimizer
from ._momentum import (
    SGD as SGD,
    Adadelta as Adadelta,
    Adagrad as Adagrad,
    Ftrl as Ftrl,
    Lion as Lion,
    RMSprop as RMSprop,
)
from ._scale import LossScaleOptimizer as LossScaleOptimizer

if _t.TYPE_CHECKING:
    from typing import Any

_CLASSES = _common.public(globals(), Optimizer)
_NAMES = _common.Names("optimizers", "optimizer", _CLASSES, {name.lower(): c for name, c in _CLASSES.items()})


def serialize(optimizer: Optimizer) -> dict[str, Any]:
    """Class name and options: what deserialize takes."""
    return _NAMES.serialize(optimizer)


def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """The optimizer that serialize wrote, without its variables' values."""
    if isinstance(config, dict) and str(config.get("class_name")).lower() in _NAMES.aliases:
        config = {**config, "class_name": _NAMES.aliases[config["class_name"].lower()].__name__}
    return _NAMES.deserialize(config, custom_objects)


def get(identifier: Any) -> Any:
    """The optimizer of a name ("adam"), of a configuration, or the object itself."""
    if isinstance(identifier, Optimizer) or identifier is None:
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if not isinstance(identifier, str) or identifier.lower() not in _NAMES.aliases:
        raise _NAMES.unknown(identifier)
    return _NAMES.aliases[identifier.lower()]()
