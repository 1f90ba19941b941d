"""Random numbers: the same bits in eager and compiled code, on every CPU."""

import typing as _typing

from ._core.random import *  # noqa: F401,F403
from ._mistakes import missing as _missing

if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.random")
