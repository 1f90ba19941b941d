"""Arguments of version 1 that have two names."""

from __future__ import annotations

import typing as _t

from ...errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any


def renamed(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The one of two arguments that is given; ValueError for both."""
    if old is None:
        return new
    if new is not None:
        raise ConversionError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old


def flag(keepdims: Any, keep_dims: Any) -> bool:
    """keepdims, by its old name keep_dims too; False if neither is given."""
    return bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))


def refuse(what: str, name: str, value: Any, default: Any, why: str) -> None:
    """ValueError for an argument that is not its default and cannot be served."""
    if value is not default and value != default:
        raise ConversionError(f"{what}: {name}={value!r} is not here: {why}")
