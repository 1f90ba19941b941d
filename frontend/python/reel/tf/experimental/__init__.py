"""tf.experimental: optional values, DLPack, and NumPy's functions on tensors (tf.experimental.numpy)."""

from ..data._optional import Optional as Optional
from . import dlpack as dlpack
from . import numpy as numpy
