"""tf.compat.v1's assertions, which take data and summarize before the message."""

from __future__ import annotations

import typing as _t

from ... import debugging as _debugging
from ..._convert import convert_to_tensor as _convert

if _t.TYPE_CHECKING:
    from typing import Any


def _of_two(name):
    def check(
        x: Any,
        y: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        return function()(x, y, message=_with(message, data), summarize=summarize)

    return _named(check, name, (function := lambda: getattr(_debugging, name)))


def _of_one(name):
    def check(
        x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
    ) -> Any:
        return function()(x, message=_with(message, data), summarize=summarize)

    return _named(check, name, (function := lambda: getattr(_debugging, name)))


def _of_rank(name, argument):
    def check(
        x: Any,
        rank: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        return function()(x, rank, message=_with(message, data))

    def check_in(
        x: Any,
        ranks: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        return function()(x, ranks, message=_with(message, data))

    return _named(check if argument == "rank" else check_in, name, (function := lambda: getattr(_debugging, name)))


def _named(check, name, function):
    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"tf.debugging.{name}; data are shown with the message."
    return check


def _with(message, data):
    if not data:
        return message
    return " ".join([message or ""] + [str(x) for x in data]).strip()


assert_equal, assert_none_equal = _of_two("assert_equal"), _of_two("assert_none_equal")
assert_less, assert_less_equal = _of_two("assert_less"), _of_two("assert_less_equal")
assert_greater, assert_greater_equal = _of_two("assert_greater"), _of_two("assert_greater_equal")
assert_negative, assert_positive = _of_one("assert_negative"), _of_one("assert_positive")
assert_non_negative, assert_non_positive = _of_one("assert_non_negative"), _of_one("assert_non_positive")
assert_rank, assert_rank_at_least = _of_rank("assert_rank", "rank"), _of_rank("assert_rank_at_least", "rank")
assert_rank_in = _of_rank("assert_rank_in", "ranks")


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """tf.debugging.assert_near; data are shown with the message."""
    return _debugging.assert_near(x, y, rtol, atol, message=_with(message, data), summarize=summarize)


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Any:
    """TypeError unless the tensor is one of integers."""
    return _debugging.assert_integer(x, message=message)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Any:
    """The tensor; ValueError unless it has no axes."""
    _debugging.assert_scalar(tensor, message=message)
    return _convert(tensor)


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> Any:
    """TypeError unless the tensor is of this dtype."""
    return _debugging.assert_type(tensor, tf_type, message=message)


__all__ = [
    "assert_equal",
    "assert_none_equal",
    "assert_less",
    "assert_less_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_negative",
    "assert_positive",
    "assert_non_negative",
    "assert_non_positive",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_near",
    "assert_integer",
    "assert_scalar",
    "assert_type",
]
