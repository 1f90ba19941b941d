"""tf.experimental.Optional: a value that may not be there, as an iterator's next element."""

from __future__ import annotations as _annotations

import typing as _t

from .._convert import convert_to_tensor
from ..errors import InvalidArgumentError
from ._elements import spec_of, structured

if _t.TYPE_CHECKING:
    from typing import Any


class Optional:
    """A structure of tensors, or none: from_value and empty make one."""

    _spec: Any
    _value: Any

    @staticmethod
    def from_value(value: Any) -> Optional:
        """One that has this value."""
        out = Optional()
        out._value = structured(value)
        out._spec = spec_of(out._value)
        return out

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """One without a value, which would be of this spec."""
        out = Optional()
        out._value, out._spec = None, element_spec
        return out

    @property
    def element_spec(self) -> Any:
        """The spec of the value."""
        return self._spec

    def has_value(self, name: str | None = None) -> Any:
        """Whether there is a value, a bool scalar."""
        return convert_to_tensor(self._value is not None)

    def get_value(self, name: str | None = None) -> Any:
        """The value. InvalidArgumentError if there is none."""
        if self._value is None:
            raise InvalidArgumentError("The given optional does not have a value; ask has_value() first")
        return self._value
