"""Element types: tf.float32 and so on."""

import typing as _typing

from ._convert import cast as cast
from ._convert import saturate_cast as saturate_cast
from ._dtypes import BY_CORE as BY_CORE
from ._dtypes import BY_NAME as BY_NAME
from ._dtypes import DType as DType
from ._dtypes import as_dtype as as_dtype
from ._dtypes import core_dtype as core_dtype
from ._dtypes import double as double
from ._dtypes import float32 as float32
from ._dtypes import float64 as float64
from ._dtypes import half as half
from ._dtypes import int32 as int32
from ._dtypes import int64 as int64
from ._dtypes import string as string

if _typing.TYPE_CHECKING:
    bool: DType
    int8: DType
    int16: DType
    uint8: DType
    uint16: DType
    uint32: DType
    uint64: DType
    float16: DType
    bfloat16: DType
    complex64: DType
    complex128: DType

globals().update(BY_NAME)

if _typing.TYPE_CHECKING:
    from .math import complex as complex
else:

    def __getattr__(name):
        if name == "complex":  # of math, which needs this module
            from .math import complex

            return complex
        from ._refused import missing

        raise missing(__name__, name)


__all__ = [
    "string",
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "half",
    "double",
]
