"""Eager updates that come again run as one compiled program: the same numbers, without a call of Python for each op."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _config
from ..._function import function as _function
from ..._tensor import Tensor as _Tensor
from ..._trace import state as _state
from ..._variable import Variable as _Variable
from . import schedules as _schedules

if _t.TYPE_CHECKING:
    from typing import Any

# How often an update comes before it is compiled: compiling takes about as long as some eager updates of its variables.
_FIRST, _FOR_EACH = 3, 0.25
_PLAIN = (bool, int, float, str, type(None))


class CompiledUpdates:
    """The compiled updates of one optimizer, by variables, kinds of gradients and hyperparameters."""

    def __init__(self) -> None:
        self._counts: dict[Any, int] = {}
        self._programs: dict[Any, Any] = {}

    def __deepcopy__(self, memo: Any) -> CompiledUpdates:
        return CompiledUpdates()

    def __reduce__(self) -> Any:
        return CompiledUpdates, ()

    def run(self, optimizer: Any, grads: list[Any], variables: list[Any]) -> bool:
        """Runs optimizer._apply(grads, variables) as a program. False if it is not to be compiled, or not yet."""
        if not _may_compile(optimizer):
            return False
        key = _key(optimizer, grads, variables)
        program = self._programs.get(key)
        if program is None:
            count = self._counts[key] = self._counts.get(key, 0) + 1
            if count <= _FIRST + _FOR_EACH * len(variables):
                return False
            program = self._programs[key] = _function(lambda g: optimizer._apply(g, variables), autograph=False)
        program(grads)
        return True


def _may_compile(optimizer):
    """Whether the update runs at once, nothing listens to its ops, and no function of the user is a part of it."""
    if _state.depth or _state.graph is not None or _state.tapes or _core._in_trace():
        return False
    if not type(optimizer).__module__.startswith(__package__) or _config.functions_run_eagerly():
        return False
    rate = optimizer._learning_rate
    return isinstance(rate, _Variable) or type(rate).__module__ == _schedules.__name__


def _key(optimizer, grads, variables):
    kinds = tuple([(g._t.dtype, g._t.shape) if g.__class__ is _Tensor else type(g) for g in grads])
    plain = tuple([v for v in vars(optimizer).values() if isinstance(v, _PLAIN)])
    return tuple(map(id, variables)), kinds, plain, id(optimizer._undecayed), id(optimizer._learning_rate)
