"""cond and while_loop of tf.compat.v1."""

from __future__ import annotations

import typing as _t

from .... import _core
from ... import _array, _control, nest
from ..._trace import executing_eagerly
from ._arguments import renamed

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """true_fn() if pred, else false_fn(); fn1 and fn2 are their old names.

    Eager and without strict a list of one is its element.
    """
    yes, no = renamed("true_fn", true_fn, "fn1", fn1), renamed("false_fn", false_fn, "fn2", fn2)
    if not callable(yes) or not callable(no):
        raise _core.InvalidTypeError(
            "true_fn must be a callable." if not callable(yes) else "false_fn must be a callable."
        )

    eager = executing_eagerly()

    def unpacked(f):
        def call():
            out = f()
            single = (
                eager
                and not strict
                and isinstance(out, (list, tuple))
                and len(out) == 1
                and not hasattr(out, "_fields")
            )
            return out[0] if single else out

        return call

    return _control.cond(pred, unpacked(yes), unpacked(no), name=name)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int | None = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """loop_vars = body(*loop_vars) as long as cond(*loop_vars). A single loop variable comes as itself, unless
    return_same_structure. Without back_prop no gradient flows.
    """
    out = _control.while_loop(cond, body, loop_vars, shape_invariants, maximum_iterations=maximum_iterations, name=name)
    if not back_prop:
        out = nest.map_structure(_array.stop_gradient, out)
    if return_same_structure:
        return out
    leaves = nest.flatten(out)
    return leaves[0] if len(leaves) == 1 and isinstance(out, (list, tuple)) else out
