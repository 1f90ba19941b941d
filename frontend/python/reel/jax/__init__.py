"""JAX's functions in Reel.

    f = reel.from_jax(loss, params, x, y, params=0)   # a function of Reel's; the parameters are variables
    f(x, y)

JAX lowers the function to StableHLO, which Reel reads (reel.stablehlo).
"""

from __future__ import annotations

import importlib.util as _util
import typing as _typing

from .. import _core

if _typing.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ._import import JaxFunction

__all__ = ["from_jax", "to_params"]


def _require() -> None:
    if _util.find_spec("jax") is None:
        raise _core.FailedPreconditionError("reel.jax: JAX is not installed; run: pip install jax")


def from_jax(
    function: Callable[..., Any],
    *args: Any,
    params: int | Sequence[int] = (),
    static_argnums: int | Sequence[int] = (),
    budget: _core.Budget | None = None,
) -> JaxFunction:
    """A function of JAX's as a function of Reel's, which can be differentiated, trained, compiled and exported.

    function: what jax.jit takes, or gave. args: examples of its arguments, or jax.ShapeDtypeStruct, nested as JAX's
    pytrees. params: the positions of arguments that hold parameters: their leaves become variables with the path as
    name ("dense.kernel"), which begin with the values given; calls leave these arguments out. static_argnums: as in
    jax.jit; calls leave these out too. Loops, branches, vmap, grad, custom_jvp and jax.random come as what JAX lowered
    for CPUs: random bits are JAX's, gradients that Reel takes are those of the operations, not of custom_jvp. A typed
    key is what jax.random.key_data gives. One error lists all operations that Reel does not have.
    """
    _require()
    from . import _import

    return _import.from_jax(function, args, params, static_argnums, budget)


def to_params(function: JaxFunction) -> Any:
    """The variables of a from_jax as JAX's arrays, nested as the parameters were; of several arguments a tuple."""
    _require()
    from . import _import

    return _import.to_params(function)
