"""tf.compat.v1.linalg."""

from __future__ import annotations

from ._functions import norm as norm
from ._table import shared as _shared

__getattr__, __dir__ = _shared("linalg", globals())
