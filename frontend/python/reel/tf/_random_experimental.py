"""tf.random.experimental: older names of tf.random's functions of seeds and generators."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from . import _philox
from ._convert import to_core as _to_core
from ._generator import Algorithm as Algorithm
from ._generator import Generator as Generator
from ._generator import create_rng_state as create_rng_state
from ._generator import fold_in as stateless_fold_in
from ._generator import get_global_generator as get_global_generator
from ._generator import seeded as _seeded
from ._generator import set_global_generator as set_global_generator
from ._generator import split as stateless_split
from ._tensor import wrap as _wrap

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor as _Tensor


def stateless_shuffle(value: ArrayLike, seed: ArrayLike, alg: Any = "auto_select", name: str | None = None) -> _Tensor:
    """The rows in random order, as a function of the seed: sorted by a word each. Another order than TensorFlow's."""
    x = _to_core(value)
    words = _philox.full_integers(_seeded("stateless_shuffle", seed, alg), (x.shape[0],), _core.int32)
    return _wrap(_core.take(x, _core.argsort(words), axis=0))
