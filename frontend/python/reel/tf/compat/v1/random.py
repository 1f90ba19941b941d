"""tf.compat.v1.random."""

from __future__ import annotations

import typing as _t

from ... import dtypes as _dtypes
from ._functions import get_seed as get_seed
from ._functions import multinomial as multinomial
from ._functions import random_poisson as poisson
from ._functions import set_random_seed as set_random_seed
from ._table import shared as _shared

if _t.TYPE_CHECKING:
    from typing import Any

__all__ = ["get_seed", "multinomial", "poisson", "set_random_seed", "stateless_multinomial"]


def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = _dtypes.int64, name: str | None = None
) -> Any:
    """Classes drawn by unnormalised log probabilities and a seed."""
    from ... import random as _random

    return _random.stateless_categorical(logits, num_samples, seed, output_dtype)


__getattr__, __dir__ = _shared("random", globals())
