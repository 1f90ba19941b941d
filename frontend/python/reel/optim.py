"""Optimizers, schedules and clipping."""

import typing as _typing

from ._core.optim import *  # noqa: F401,F403
from ._mistakes import missing as _missing

if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.optim")
