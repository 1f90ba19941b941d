"""keras.ops.numpy: NumPy's functions with Keras's dtypes."""

from __future__ import annotations as _annotations

from ._arrays import *  # noqa: F401,F403
from ._elementwise import *  # noqa: F401,F403
from ._products import *  # noqa: F401,F403
from ._select import *  # noqa: F401,F403
