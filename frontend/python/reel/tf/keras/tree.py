"""keras.tree: nested structures of values; a dict's leaves come in the order of its sorted keys."""

from __future__ import annotations as _annotations

import typing as _t

from .. import nest as _nest
from .._tensor import TensorLike as _TensorLike

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class MAP_TO_NONE:
    """What a function of traverse returns to put None there."""


def is_nested(structure: Any) -> bool:
    """Whether it is a list, tuple or dict."""
    return _nest.is_nested(structure)


def flatten(structure: Any) -> list[Any]:
    """The leaves as a list."""
    return _nest.flatten(structure)


def flatten_with_path(structure: Any) -> list[Any]:
    """(path, leaf) of each leaf: a path is a tuple of keys and places."""
    if not is_nested(structure):
        return [((), structure)]
    keys = sorted(structure) if isinstance(structure, dict) else range(len(structure))
    return [((key, *path), leaf) for key in keys for path, leaf in flatten_with_path(structure[key])]


def map_structure(func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True) -> Any:
    """func of the leaves of structures of one kind, in such a structure; none_is_leaf=False leaves None as it is."""

    def call(*leaves):
        if not none_is_leaf and any(leaf is None for leaf in leaves):
            return None
        return func(*leaves)

    return _nest.map_structure(call, *structures)


def map_structure_up_to(shallow_structure: Any, func: Callable[..., Any], *structures: Any) -> Any:
    """func of what stands where the shallow structure has its leaves."""
    if not is_nested(shallow_structure):
        return func(*structures)
    if isinstance(shallow_structure, dict):
        return {k: map_structure_up_to(v, func, *(s[k] for s in structures)) for k, v in shallow_structure.items()}
    parts = [map_structure_up_to(v, func, *(s[i] for s in structures)) for i, v in enumerate(shallow_structure)]
    return _nest._like(shallow_structure, parts)


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """The leaves in such a structure."""
    return _nest.pack_sequence_as(structure, list(flat_sequence))


def assert_same_structure(a: Any, b: Any, check_types: bool | None = None) -> None:
    """ValueError unless both are nested in the same way."""
    _nest.assert_same_structure(a, b)


def assert_same_paths(a: Any, b: Any) -> None:
    """ValueError unless the leaves have the same paths."""
    first, second = ({path for path, _ in flatten_with_path(x)} for x in (a, b))
    if first != second:
        from ..errors import ConversionError

        raise ConversionError(
            f"`a` and `b` don't have the same paths: {sorted(first ^ second, key=str)} are of one alone"
        )


def lists_to_tuples(structure: Any) -> Any:
    """The structure with tuples in place of lists."""
    if isinstance(structure, dict):
        return {k: lists_to_tuples(v) for k, v in structure.items()}
    if isinstance(structure, (list, tuple)) and is_nested(structure):
        parts = [lists_to_tuples(v) for v in structure]
        return tuple(parts) if isinstance(structure, list) else _nest._like(structure, parts)
    return structure


def map_shape_structure(func: Callable[..., Any], structure: Any) -> Any:
    """func of each shape, a tuple or list of extents, in a structure of them."""
    if isinstance(structure, (tuple, list)) and all(n is None or isinstance(n, int) for n in structure):
        return func(tuple(structure))
    if isinstance(structure, dict):
        return {k: map_shape_structure(func, v) for k, v in structure.items()}
    return _nest._like(structure, [map_shape_structure(func, v) for v in structure])


def traverse(func: Callable[..., Any], structure: Any, top_down: bool = True) -> Any:
    """func of each part, the whole first (or last); what it returns takes the part's place, None leaves it."""
    if top_down:
        out = func(structure)
        if out is not None:
            return None if out is MAP_TO_NONE else out
    if is_nested(structure) and not isinstance(structure, _TensorLike):
        parts = [traverse(func, x, top_down) for x in _nest._children(structure)]
        structure = _nest._like(structure, parts)
    if not top_down:
        out = func(structure)
        if out is not None:
            return None if out is MAP_TO_NONE else out
    return structure
