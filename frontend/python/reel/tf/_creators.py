"""tf.variable_creator_scope: functions that stand between tf.Variable(...) and the variable that is made."""

from __future__ import annotations

import contextlib as _contextlib
import functools as _functools
import inspect as _inspect
import threading as _threading
import typing as _t

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class _Creators(_threading.local):
    """The creators of this thread, the innermost last."""

    asked: bool = False  # the last of them makes a variable now
    made: Any = None  # the variable that they gave: its __init__ is over

    def __init__(self) -> None:
        self.stack: list[Callable[..., Any]] = []

    def active(self) -> bool:
        return bool(self.stack) and not self.asked

    def make(self, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the creators give for the arguments of a variable, all of them by name."""
        signature = _inspect.signature(cls.__init__)
        bound = signature.bind_partial(None, *args, **kwargs)
        bound.apply_defaults()
        options = {name: value for name, value in bound.arguments.items() if name != "self"}

        def last(**given):
            self.asked = True
            try:
                return cls(**given)
            finally:
                self.asked = False

        create: Callable[..., Any] = last
        for creator in self.stack:
            create = _functools.partial(creator, create)
        out = create(**options)
        self.made = out if isinstance(out, cls) else None
        return out


creators = _Creators()


@_contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """A context manager: tf.Variable(...) inside gives what variable_creator(next_creator, **kwargs) returns.

    kwargs are all arguments of tf.Variable by name; next_creator(**kwargs) is the creator around, or makes the variable.
    Weights of tf.keras.layers are made without creators.
    """
    creators.stack.append(variable_creator)
    try:
        yield
    finally:
        creators.stack.remove(variable_creator)
