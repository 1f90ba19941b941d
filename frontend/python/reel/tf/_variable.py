"""tf.Variable: a core variable with TensorFlow's names."""

from __future__ import annotations

import inspect as _inspect
import threading as _threading
import typing as _t

from .. import _core
from . import dtypes
from ._shape import TensorShape
from ._tensor import Tensor, TensorLike, absent, numpy_text, operand, register, to_core, wrap
from ._trace import state

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike

_Core = _core.Variable
_read = _Core.value
_dtype = _Core.dtype.fget
_shape = _Core.shape.fget


class Variable(TensorLike, _Core):
    """A named, mutable value of fixed shape and dtype; a tape watches it if it is trainable.

    initial_value: what tf.convert_to_tensor takes, or a callable that returns it.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Variable:
        graph = state.graph
        if graph is None:
            return _Core.__new__(cls)
        allowed = {*_inspect.signature(cls.__init__).parameters, "collections", "use_resource", "expected_shape"}
        if unknown := [name for name in kwargs if name not in allowed]:
            raise _core.InvalidTypeError(f"Variable: there is no option '{unknown[0]}'")
        return graph.variable(*args, **kwargs)

    def __init__(
        self,
        initial_value: ArrayLike | Callable[[], ArrayLike] | None = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        import_scope: object = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: object = None,
        aggregation: object = None,
        shape: object = None,
    ) -> None:
        if initial_value is None:
            raise _core.InvalidArgumentError("The `initial_value` arg to `tf.Variable` must be specified.")
        if callable(initial_value) and not isinstance(initial_value, TensorLike):
            initial_value = initial_value()
        wanted = dtypes.core_dtype(dtype)
        if wanted is not None and isinstance(initial_value, (Tensor, _Core)):
            value = _core.astype(to_core(initial_value), wanted)
        else:
            value = to_core(initial_value, wanted)
        _on_creation(self)
        _Core.__init__(self, value, trainable is not False, _scopes.prefix + (name or "Variable"))
        self.constraint = constraint

    def _core_value(self):
        return _read(self)

    @property
    def dtype(self) -> dtypes.DType:
        return dtypes.BY_CORE[_dtype(self)]

    @property
    def shape(self) -> TensorShape:
        return TensorShape(_shape(self))

    @property
    def name(self) -> str:
        return _Core.name.fget(self) + ":0"

    @property
    def handle(self) -> Variable:
        return self

    def value(self) -> Tensor:
        """The value now, as a tensor; assigning does not change it."""
        return wrap(_read(self))

    read_value = value

    def initialized_value(self) -> Tensor:
        return self.value()

    def assign(
        self, value: ArrayLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Replaces the value; shape and dtype must be the variable's. Returns itself. No gradient flows to `value`."""
        _Core.assign(self, self._new_value(value, "assign"))
        return self

    def assign_add(
        self, delta: ArrayLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """assign(value + delta)."""
        _Core.assign_add(self, self._new_value(delta, "assign_add"))
        return self

    def assign_sub(
        self, delta: ArrayLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """assign(value - delta)."""
        _Core.assign_sub(self, self._new_value(delta, "assign_sub"))
        return self

    def _new_value(self, value, what):
        t = operand(value, _dtype(self), "AssignVariableOp", weak=False)
        if tuple(t.shape) != tuple(_shape(self)) and what == "assign":
            raise _core.InvalidArgumentError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable shape {self.shape}, and "
                f"the assigned value shape {TensorShape(t.shape)} are incompatible; tf.reshape the value, or make a "
                "new variable."
            )
        return t

    def __deepcopy__(self, memo: Any) -> Variable:
        return Variable(self.value(), trainable=self.trainable, name=_Core.name.fget(self))

    def __reduce__(self):
        return _unpickle, (self.numpy(), self.trainable, _Core.name.fget(self))

    def __repr__(self) -> str:
        head = f"<tf.Variable '{self.name}' shape={self.shape} dtype={_dtype(self).name}"
        t = _read(self)
        return head + ">" if t.symbolic else f"{head}, {numpy_text(t, True)}>"

    __str__ = __repr__


for _name in ("_repr_html_", *_core._methods):
    setattr(Variable, _name, absent(_name))
register(Variable)


def _unpickle(value, trainable, name):
    return Variable(value, trainable=trainable, name=name)


class _Scopes(_threading.local):
    prefix = ""  # what names of new variables on this thread begin with


_scopes = _Scopes()


class NameScope:
    """A context of names: name/ is added to those of variables made in it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> str:
        self._outer = _scopes.prefix
        _scopes.prefix += self._name + "/"
        return _scopes.prefix

    def __exit__(self, *error: object) -> None:
        _scopes.prefix = self._outer


_creation_hooks = []


def _on_creation(variable):
    for hook in _creation_hooks:
        hook(variable)
