"""tf.compat.v1.manip."""

from __future__ import annotations

from ._functions import batch_to_space_nd as batch_to_space_nd
from ._functions import gather_nd as gather_nd
from ._table import shared as _shared

__getattr__, __dir__ = _shared("manip", globals())
