"""Operators of PyTorch's that are the gradient of another one: by Reel's own rules."""

from __future__ import annotations

import typing as _t

from .. import _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._core import Tensor


def gradients_of(
    function: Callable[..., Any], arguments: Sequence[Tensor], dy: Any, wanted: Sequence[bool] | None = None
) -> list[Tensor | None]:
    """The gradients by the wanted arguments of a function with this cotangent; None for the others."""
    keep = [True] * len(arguments) if wanted is None else list(wanted)
    with _core.GradientTape() as tape:
        for x, w in zip(arguments, keep):
            if w:
                tape.watch(x)
        y = function(*arguments)
    sources = [x for x, w in zip(arguments, keep) if w]
    found = iter(tape.gradient(y, sources, dy, unconnected_gradients="zero") if sources else [])
    return [next(found) if w else None for w in keep]
