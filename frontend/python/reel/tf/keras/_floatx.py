"""The default dtype and epsilon of layers, which functions of tensors ask for, too."""

from __future__ import annotations as _annotations

import typing as _t

settings: dict[str, _t.Any] = {"floatx": "float32", "epsilon": 1e-7}


def floatx() -> str:
    """The dtype of layers that name none: float32 unless set_floatx said otherwise."""
    return settings["floatx"]


def epsilon() -> float:
    """A small number: 1e-7 unless set_epsilon said otherwise."""
    return settings["epsilon"]
