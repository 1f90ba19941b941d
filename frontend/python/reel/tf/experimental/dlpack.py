"""tf.experimental.dlpack: tensors for other packages and of them, without a copy where that is possible."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core
from .._convert import convert_to_tensor as _convert
from .._tensor import wrap as _wrap

if _t.TYPE_CHECKING:
    from typing import Any

    from .._tensor import Tensor as _Tensor


def to_dlpack(tf_tensor: Any) -> Any:
    """The DLPack capsule of a tensor that has values."""
    return _convert(tf_tensor).__dlpack__()


class _Capsule:
    """What from_dlpack takes: an object with the capsule in it, on the CPU."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def from_dlpack(dlcapsule: Any) -> _Tensor:
    """The tensor of a DLPack capsule, or of what has __dlpack__."""
    return _wrap(_core.from_dlpack(dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)))
