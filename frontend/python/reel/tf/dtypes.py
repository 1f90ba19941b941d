"""Element types: tf.float32 and so on."""

from . import _dtypes
from ._dtypes import BY_CORE, BY_NAME, DType, as_dtype, core_dtype, double, float32, float64, half, int32, int64  # noqa: F401
from ._tensor import cast  # noqa: F401

globals().update(BY_NAME)

__all__ = [*_dtypes.BY_NAME, "half", "double"]
