"""The variables of layers: a tf.Variable that knows its regularizer, its constraint and its place in the model."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core
from .._convert import to_core
from .._variable import Variable as _TfVariable

if _t.TYPE_CHECKING:
    from typing import Any

    from ...typing import DTypeLike
    from .._signatures import ShapeLike

_name_of = _core.Variable.name.fget


class Changes:
    """Whether an attribute or a flag changed by which a layer's variables are found: then `state` is another object."""

    def __init__(self) -> None:
        self.state = object()

    def add(self) -> None:
        """One more."""
        self.state = object()


changes = Changes()


class Variable(_TfVariable):
    """A weight: initializer(shape, dtype), or a value, is what it begins with.

    `path` is its name with those of the layers that it was made in, `name` the last part. trainable, regularizer and
    constraint can be set.
    """

    def __init__(
        self,
        initializer: Any,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str | None = "none",
        synchronization: str | None = "auto",
        name: str | None = None,
        path: str | None = None,
        regularizer: Any = None,
        constraint: Any = None,
    ) -> None:
        from ._naming import unique_name

        if callable(initializer) and not hasattr(initializer, "numpy"):
            if shape is None:
                raise _core.InvalidArgumentError(
                    "When creating a Variable from an initializer, the `shape` argument should be specified. Received: "
                    f"initializer={initializer} and shape=None"
                )
            initializer = initializer(tuple(shape), dtype=dtype or "float32")
        super().__init__(
            initializer, trainable=trainable, name=path or name or unique_name("variable"), dtype=dtype,
            constraint=constraint,
        )  # fmt: skip
        self._trainable = bool(trainable)
        self.regularizer = regularizer
        self.autocast = autocast

    @property
    def name(self) -> str:
        """The last part of the path."""
        return _name_of(self).rpartition("/")[2]

    @property
    def path(self) -> str:
        """Its name after those of the layers that it was made in."""
        return _name_of(self)

    @property
    def trainable(self) -> bool:
        """Whether it is among trainable_variables."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)
        changes.add()

    def __deepcopy__(self, memo: Any) -> Variable:
        return Variable(
            self.value(), trainable=self._trainable, path=_name_of(self), regularizer=self.regularizer,
            constraint=self.constraint,
        )  # fmt: skip

    def __reduce__(self):
        return _unpickle, (self.numpy(), self._trainable, _name_of(self), self.regularizer, self.constraint)

    def __repr__(self) -> str:
        t = to_core(self)
        value = "" if t.symbolic else f", value={t.__array__()}"
        return f"<Variable path={self.path}, shape={self.shape}, dtype={t.dtype.name}{value}>"

    __str__ = __repr__


def _unpickle(value, trainable, path, regularizer, constraint):
    return Variable(value, trainable=trainable, path=path, regularizer=regularizer, constraint=constraint)
