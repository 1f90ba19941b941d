"""tf.compat.v1.flags: options of a program, read from its command line by tf.compat.v1.app.run."""

from __future__ import annotations as _annotations

import sys as _sys
import typing as _t

from ...errors import ConversionError as _ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class Error(_ConversionError):
    """An option that is unknown, or a value that it cannot take."""


class FlagValues:
    """Options by name, as attributes. Called with a command line it reads it and gives what is left of it."""

    def __init__(self) -> None:
        self.__dict__.update(_parsers={}, _values={}, _parsed=False)

    def define(self, name: str, default: Any, parse: Callable[[Any], Any], boolean: bool = False) -> None:
        """Adds an option."""
        if name in self._parsers:
            raise Error(f"The flag '{name}' is defined twice.")
        self._parsers[name] = parse, boolean
        self._values[name] = default

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        left, rest = [argv[0]] if argv else [], list(argv[1:])
        while rest:
            argument = rest.pop(0)
            if argument == "--":
                left += rest
                break
            if not argument.startswith("-") or argument == "-":
                left.append(argument)
                continue
            name, equals, value = argument.lstrip("-").partition("=")
            self._read(name, equals, value, rest, left, known_only, argument)
        self.__dict__["_parsed"] = True
        return left

    def _read(self, name, equals, value, rest, left, known_only, argument):
        if name not in self._parsers and name.startswith("no") and self._parsers.get(name[2:], (None, False))[1]:
            self._values[name[2:]] = False
            return
        if name not in self._parsers:
            if known_only:
                left.append(argument)
                return
            raise Error(f"Unknown command line flag '{name}'; there are {', '.join(sorted(self._parsers))}")
        parse, boolean = self._parsers[name]
        if not equals:
            if boolean:
                self._values[name] = True
                return
            if not rest:
                raise Error(f"Missing value for flag --{name}")
            value = rest.pop(0)
        try:
            self._values[name] = parse(value)
        except ValueError as error:
            raise Error(f"flag --{name}={value}: {error}") from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._values:
            raise AttributeError(f"there is no flag {name!r}; there are {', '.join(sorted(self._values))}")
        if not self._parsed:
            self(_sys.argv, known_only=True)
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._values:
            raise AttributeError(f"there is no flag {name!r}; there are {', '.join(sorted(self._values))}")
        self._values[name] = value

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def flag_values_dict(self) -> dict[str, Any]:
        """Names and values."""
        return dict(self._values)


FLAGS = FlagValues()


def _boolean(text):
    if str(text).lower() in ("true", "t", "1", "yes", "y"):
        return True
    if str(text).lower() in ("false", "f", "0", "no", "n"):
        return False
    raise ValueError(f"Non-boolean argument to boolean flag: {text}")


def DEFINE_string(name: str, default: Any, help: str | None, flag_values: FlagValues = FLAGS, **args: Any) -> None:
    """An option of text."""
    flag_values.define(name, default, str)


def DEFINE_integer(
    name: str,
    default: Any,
    help: str | None,
    lower_bound: Any = None,
    upper_bound: Any = None,
    flag_values: FlagValues = FLAGS,
    **args: Any,
) -> None:
    """An option of an integer between bounds."""
    flag_values.define(name, default, lambda text: _bounded(int(text, 0), lower_bound, upper_bound))


def DEFINE_float(
    name: str,
    default: Any,
    help: str | None,
    lower_bound: Any = None,
    upper_bound: Any = None,
    flag_values: FlagValues = FLAGS,
    **args: Any,
) -> None:
    """An option of a number between bounds."""
    flag_values.define(name, default, lambda text: _bounded(float(text), lower_bound, upper_bound))


def _bounded(value, lower, upper):
    if (lower is not None and value < lower) or (upper is not None and value > upper):
        raise ValueError(f"{value} is not within [{lower}, {upper}]")
    return value


def DEFINE_boolean(name: str, default: Any, help: str | None, flag_values: FlagValues = FLAGS, **args: Any) -> None:
    """An option that is on or off: --name, --noname, --name=false."""
    flag_values.define(name, default, _boolean, True)


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(
    name: str, default: Any, enum_values: Sequence[str], help: str | None, flag_values: FlagValues = FLAGS, **args: Any
) -> None:
    """An option of one of some texts."""

    def parse(text):
        if text not in enum_values:
            raise ValueError(f"value should be one of {', '.join(enum_values)}")
        return text

    flag_values.define(name, default, parse)


def DEFINE_list(name: str, default: Any, help: str | None, flag_values: FlagValues = FLAGS, **args: Any) -> None:
    """An option of texts with commas between them."""
    start = default.split(",") if isinstance(default, str) else default
    flag_values.define(name, start, lambda text: [part.strip() for part in text.split(",")] if text else [])
