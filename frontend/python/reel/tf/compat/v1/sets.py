"""tf.compat.v1.sets."""

from __future__ import annotations

from ._table import shared as _shared

__getattr__, __dir__ = _shared("sets", globals())
