"""All op kinds, and the choice among them."""

import kinds_basic  # noqa: F401
import kinds_blocks  # noqa: F401
from kinds_control import step  # noqa: F401
from table import TABLE

_NAMES = list(TABLE)
_WEIGHTS = [TABLE[name][0] for name in _NAMES]


def choose(r):
    name = r.choices(_NAMES, _WEIGHTS)[0]
    return name, TABLE[name][1]
