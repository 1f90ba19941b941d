"""Random numbers: the same bits in eager and compiled code, on every CPU."""

from ._core.random import *  # noqa: F401,F403
