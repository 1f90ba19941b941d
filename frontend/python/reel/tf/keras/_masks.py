"""Masks that go with tensors: which steps of a sequence are data."""

from __future__ import annotations as _annotations

import typing as _t
import warnings as _warnings
import weakref as _weakref

from .. import nest as _nest
from .._tensor import Tensor

if _t.TYPE_CHECKING:
    from typing import Any

known: dict[int, tuple[Any, Any]] = {}  # id of a tensor -> (reference to it, its mask)


def mask_of(x: Any) -> Any:
    """The mask of a tensor, None without one."""
    found = known.get(id(x))
    return found[1] if found is not None and found[0]() is x else None


def set_mask(x: Any, mask: Any) -> None:
    """Gives a tensor a mask, for as long as it lives."""
    key = id(x)
    known[key] = (_weakref.ref(x, lambda _: known.pop(key, None)), mask)


class of_arguments:
    """The masks of a layer's arguments: `given`, the keywords to add to its call."""

    def __init__(self, layer: Any, info: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.inputs = args[0] if args else next(iter(kwargs.values()), None)
        self.mask = _nest.map_structure(mask_of, self.inputs)
        self.given = {}
        values = dict(zip(info.names, args)) | kwargs
        for name in info.masks:
            if values.get(name) is None:
                of = self.inputs if name == "mask" else values.get(name[: -len("_mask")])
                mask = _nest.map_structure(mask_of, of)
                if any(m is not None for m in _nest.flatten(mask)):
                    self.given[name] = mask
        if "mask" in kwargs and kwargs["mask"] is not None:
            self.mask = kwargs["mask"]

    def put(self, layer: Any, outputs: Any) -> None:
        """Gives the outputs their masks."""
        some = any(m is not None for m in _nest.flatten(self.mask))
        if not layer.supports_masking and not layer._makes_mask():
            if some and not self.given:
                _warnings.warn(
                    f"Layer '{layer.name}' (of type {type(layer).__name__}) was passed an input with a mask attached to "
                    "it. However, this layer does not support masking and will therefore destroy the mask information. "
                    "Downstream layers will not see the mask.",
                    stacklevel=5,
                )
            return
        if not some and not layer._makes_mask():
            return
        masks = layer.compute_mask(self.inputs, self.mask)
        flat = _nest.flatten(outputs)
        for x, mask in zip(flat, _nest.flatten(masks) if _nest.is_nested(masks) else [masks] * 1):
            if mask is not None and isinstance(x, Tensor) and mask_of(x) is None:
                set_mask(x, mask)
