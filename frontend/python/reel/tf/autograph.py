"""Python's `if`, `while`, `for`, `break`, `continue`, `return`, `and`, `or`, `not` on traced tensors.

convert(function) is the same function with these replaced by calls that decide when they run: on Python values and
eager tensors they do what Python does; on tensors of a trace they become tf.cond and tf.while_loop. Line numbers are
kept. What cannot be converted raises an error that names the line and what to write.
"""

from __future__ import annotations as _annotations

import enum as _enum
import sys as _sys
import typing as _t

from .. import _core
from . import _autograph_rewrite, _autograph_runtime
from ._autograph_runtime import convert as convert
from ._shape import TensorShape as _TensorShape
from .errors import ConversionError as _ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    F = _t.TypeVar("F")


@_t.overload
def do_not_convert(func: F) -> F: ...
@_t.overload
def do_not_convert(func: None = None) -> Callable[[F], F]: ...
def do_not_convert(func: Any = None) -> Any:
    """Marks a function that convert leaves as it is."""
    if func is None:
        return do_not_convert
    func._reel_do_not_convert = True
    return func


def _function_of(entity, what):
    """The Python function of an entity; errors for others."""
    function = getattr(entity, "python_function", entity)
    function = getattr(function, "__func__", function)
    if not hasattr(function, "__code__"):
        if isinstance(function, type):
            raise _core.UnimplementedError(f"{what}: classes are not converted; convert their methods: {function!r}")
        raise _ConversionError(f"{what}: a function is wanted, not {type(entity).__name__}: {entity!r}")
    return function


def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: object = None) -> Any:
    """The function with its control flow as calls that work on traced tensors, and on those of a tf.Graph.

    Without recursive, functions that it calls are converted all the same. ValueError for what is no function.
    """
    _function_of(entity, "to_graph")
    return convert(getattr(entity, "python_function", entity))


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: object = None) -> str:
    """The source of the converted function, as text. ValueError for what has no source."""
    function = _function_of(entity, "to_code")
    text = _autograph_rewrite.text_of(function)
    if text is None:
        raise _ConversionError(f"to_code: the source of {function!r} is not known, or it needs no conversion")
    return text


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Nothing is logged, whatever the level; to_code shows what a function becomes."""


def trace(*args: Any) -> None:
    """Prints values and types of what is given, when the function is traced."""
    _sys.stdout.write(" ".join(map(str, args)) + "\n")


class _Feature(_enum.Enum):
    """Parts of autograph that TensorFlow has as options; all that Reel has are always on."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


class experimental:
    """tf.autograph.experimental."""

    Feature = _Feature
    do_not_convert = staticmethod(do_not_convert)

    @staticmethod
    def set_loop_options(
        parallel_iterations: int | None = None,
        swap_memory: bool | None = None,
        maximum_iterations: Any = None,
        shape_invariants: Any = None,
    ) -> None:
        """Called first in the body of a loop: options of tf.while_loop, if it becomes one.

        shape_invariants: pairs of a tensor and its shape, which are checked; a loop keeps the shapes of its variables.
        """
        for x, shape in shape_invariants or ():
            if not _TensorShape(shape).is_compatible_with(x.shape):
                raise _ConversionError(f"set_loop_options: {x!r} does not have the shape {shape} of shape_invariants")
        options = {
            "parallel_iterations": parallel_iterations,
            "swap_memory": swap_memory,
            "maximum_iterations": maximum_iterations,
        }
        _autograph_runtime.set_loop_options({k: v for k, v in options.items() if v is not None})
