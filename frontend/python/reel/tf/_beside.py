"""What is known about tensors beside their values: the logits that probabilities come from."""

from __future__ import annotations

import typing as _t
import weakref as _weakref

if _t.TYPE_CHECKING:
    from typing import Any


class Beside:
    """What is known about tensors beside their values, for as long as they live."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Any]] = {}

    def set(self, tensor: Any, value: Any) -> Any:
        """Remembers a value of a tensor; returns the tensor."""
        key, known = id(tensor), self._known
        known[key] = (_weakref.ref(tensor, lambda _: known.pop(key, None)), value)
        return tensor

    def get(self, tensor: Any) -> Any:
        """The value, None if there is none."""
        found = self._known.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None


# (logits, op) of probabilities, which Keras's losses take: of activations, with no op, and in traces of Softmax and Sigmoid.
logits = Beside()
