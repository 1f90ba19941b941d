"""tf.experimental: optional values and DLPack."""

from ..data._optional import Optional as Optional
from . import dlpack as dlpack
