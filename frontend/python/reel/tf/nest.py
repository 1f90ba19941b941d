"""Nested structures of values: lists, tuples, named tuples and dicts (tf.nest).

The leaves of a dict come in the order of its sorted keys; everything else, None included, is a leaf.
"""

from __future__ import annotations as _annotations

import typing as _t

from .. import _calls, _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def is_nested(seq: object) -> bool:
    """Whether it is a list, tuple or dict, and not a leaf."""
    return isinstance(seq, (list, tuple, dict)) and not _is_leaf_tuple(seq)


is_sequence = is_nested


def _is_leaf_tuple(structure):
    return getattr(type(structure), "_reel_leaf", False)  # TensorShape is one value, not many


def _keys(structure):
    return _calls.sorted_keys(structure, "nest: ")


def _children(structure):
    if isinstance(structure, dict):
        return [structure[key] for key in _keys(structure)]
    return structure


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves as a list; a leaf is a list of itself."""
    if not is_nested(structure):
        return [structure]
    out = []
    for child in _children(structure):
        if is_nested(child):
            out.extend(flatten(child))
        else:
            out.append(child)
    return out


_like = _calls.like


def pack_sequence_as(structure: Any, flat_sequence: Iterable[Any], expand_composites: bool = False) -> Any:
    """The leaves in the places of those of `structure`; ValueError unless there are as many."""
    flat = list(flat_sequence)
    if not is_nested(structure):
        if len(flat) != 1:
            raise _core.InvalidArgumentError(
                f"nest.pack_sequence_as: the structure is one leaf, but there are {len(flat)} values"
            )
        return flat[0]
    wanted = len(flatten(structure))
    if wanted != len(flat):
        raise _core.InvalidArgumentError(
            f"nest.pack_sequence_as: the structure has {wanted} leaves, but there are {len(flat)} values"
        )
    return _packed(structure, iter(flat))


def _packed(part, leaves):
    """The leaves, an iterator, in the places of those of `part`.

    No function inside of another: one that calls itself is a cycle, which keeps all the leaves until Python looks for such.
    """
    return _like(part, [_packed(c, leaves) for c in _children(part)]) if is_nested(part) else next(leaves)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """ValueError (TypeError for sequences of other types) unless both nest in the same way."""
    if is_nested(nest1) != is_nested(nest2):
        raise _core.InvalidArgumentError(
            f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}"
        )
    if not is_nested(nest1):
        return
    if isinstance(nest1, dict) != isinstance(nest2, dict) or (check_types and type(nest1) is not type(nest2)):
        raise _core.InvalidTypeError(
            f"The two structures don't have the same sequence type: {type(nest1).__name__} and {type(nest2).__name__}"
        )
    if isinstance(nest1, dict) and set(nest1) != set(nest2):
        raise _core.InvalidArgumentError(
            f"The two dictionaries don't have the same keys: {_keys(nest1)} and {_keys(nest2)}"
        )
    if len(nest1) != len(nest2):
        raise _core.InvalidArgumentError(
            f"The two structures don't have the same number of elements: {len(nest1)} "
            f"in {nest1!r}, {len(nest2)} in {nest2!r}"
        )
    for a, b in zip(_children(nest1), _children(nest2)):
        assert_same_structure(a, b, check_types)


def map_structure(
    func: Callable[..., Any], *structure: Any, check_types: bool = True, expand_composites: bool = False
) -> Any:
    """func of the leaves at the same place of every structure, in the structure of the first."""
    if not callable(func):
        raise _core.InvalidTypeError(f"func must be callable, got: {func}")
    if not structure:
        raise _core.InvalidArgumentError("Must provide at least one structure")
    first = structure[0]
    if not is_nested(first) and len(structure) == 1:
        return func(first)
    for other in structure[1:]:
        assert_same_structure(first, other, check_types)
    leaves = zip(*(flatten(s) for s in structure))
    return pack_sequence_as(first, [func(*values) for values in leaves])
