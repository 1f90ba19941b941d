"""keras.ops: NumPy's functions and those of layers on tensors and on symbols of functional models, with Keras's dtypes.

Integers and floats mix: an int32 and a float32 are a float32, an int64 and a float16 a float16; Python's numbers give way.
"""

from __future__ import annotations as _annotations

from . import image as image
from . import linalg as linalg
from . import nn as nn
from . import numpy as numpy
from ._control import *  # noqa: F401,F403
from .linalg import *  # noqa: F401,F403
from .nn import *  # noqa: F401,F403
from .numpy import *  # noqa: F401,F403
