"""Python's `if`, `while`, `for`, `break`, `continue`, `return`, `and`, `or`, `not` on traced tensors.

convert(function) is the same function with these replaced by calls that decide when they run: on Python values and
eager tensors they do what Python does; on tensors of a trace they become tf.cond and tf.while_loop. Line numbers are
kept. What cannot be converted raises an error that names the line and what to write.
"""

from __future__ import annotations as _annotations

import typing as _t

from ._autograph_runtime import convert as convert

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    F = _t.TypeVar("F")


@_t.overload
def do_not_convert(function: F) -> F: ...
@_t.overload
def do_not_convert(function: None = None) -> Callable[[F], F]: ...
def do_not_convert(function: Any = None) -> Any:
    """Marks a function that convert leaves as it is."""
    if function is None:
        return do_not_convert
    function._reel_do_not_convert = True
    return function
