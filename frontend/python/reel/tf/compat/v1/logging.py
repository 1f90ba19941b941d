"""tf.compat.v1.logging: Python's logger "tensorflow"."""

from __future__ import annotations as _annotations

import logging as _logging
import typing as _t

if _t.TYPE_CHECKING:
    from typing import Any

DEBUG, INFO, WARN, ERROR, FATAL = _logging.DEBUG, _logging.INFO, _logging.WARNING, _logging.ERROR, _logging.CRITICAL
_logger = _logging.getLogger("tensorflow")
_counts: dict[Any, int] = {}


def _handler():
    if not _logger.handlers and not _logging.getLogger().handlers:
        handler = _logging.StreamHandler()
        handler.setFormatter(_logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
        _logger.addHandler(handler)
    return _logger


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs a message of a level."""
    _handler().log(level, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs for those who search a fault."""
    log(DEBUG, msg, *args, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs what happens."""
    log(INFO, msg, *args, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs what may be wrong."""
    log(WARN, msg, *args, **kwargs)


warn = warning


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs what is wrong."""
    log(ERROR, msg, *args, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs what cannot go on."""
    log(FATAL, msg, *args, **kwargs)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """log."""
    log(level, msg, *args, **kwargs)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs if the condition holds."""
    if condition:
        log(level, msg, *args)


def _count(key):
    _counts[key] = _counts.get(key, -1) + 1
    return _counts[key]


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs the first and then each n-th call with this message."""
    log_if(level, msg, _count(("every", msg)) % n == 0, *args)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs the first n calls with this message."""
    log_if(level, msg, _count(("first", msg)) < n, *args)


def get_verbosity() -> int:
    """The level from which on messages are logged."""
    return _logger.getEffectiveLevel()


def set_verbosity(v: Any) -> None:
    """Sets the level from which on messages are logged, by its number or name."""
    _logger.setLevel(v)


def flush() -> None:
    """Writes out what handlers keep."""
    for handler in _logger.handlers:
        handler.flush()


def TaskLevelStatusMessage(msg: Any) -> None:
    """Logs an error."""
    error(msg)
