"""keras.ops.nn: layers' functions."""

from __future__ import annotations as _annotations

from ._nn import *  # noqa: F401,F403
from ._select import one_hot as one_hot
