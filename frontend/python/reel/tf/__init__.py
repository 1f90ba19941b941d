"""TensorFlow 2's names for what Reel does: a script about gradients runs after changing its import line.

    import reel.tf as tf

    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * w
    tape.gradient(y, w)             # <tf.Tensor: shape=(), dtype=float32, numpy=6.0>

Python floats are float32 and ints int32; tensors of different dtypes do not mix.
"""

from . import autodiff, debugging, dtypes, errors, linalg, math, nest, nn, random
from ._array import *  # noqa: F401,F403
from ._array import print_v2 as print, slice, range  # noqa: A004
from ._control import case, cond, foldl, foldr, map_fn, scan, switch_case, while_loop
from ._custom import custom_gradient, grad_pass_through, recompute_grad, vectorized_map
from ._function import function
from ._module import Module
from ._shape import TensorShape, TensorSpec
from ._slices import IndexedSlices
from ._tape import GradientTape, UnconnectedGradients
from ._tensor import Tensor, constant, convert_to_tensor
from ._trace import executing_eagerly, inside_function
from ._variable import Variable
from .autodiff import AggregationMethod, gradients, hessians
from .debugging import Assert, assert_equal, assert_greater, assert_less, assert_rank
from .dtypes import *  # noqa: F401,F403
from .dtypes import BY_NAME as _BY_NAME, DType, as_dtype, cast
from .linalg import matvec as _matvec  # noqa: F401
from .math import (
    abs,
    acos,
    acosh,
    add,
    add_n,
    argmax,
    argmin,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    clip_by_value,
    complex,
    cos,
    cosh,
    cumsum,
    divide,
    einsum,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    matmul,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    round,
    scalar_mul,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    tensordot,
    truediv,
)

globals().update(_BY_NAME)
newaxis = None
__version__ = "2.21.0-reel"
_LAZY = {"keras": ".keras", "compat": ".compat", "tfe": "..tfe", "config": "._config", "autograph": ".autograph"}


def __getattr__(name):
    if name in _LAZY:
        import importlib

        return importlib.import_module(_LAZY[name], __name__)
    raise AttributeError(
        f"reel.tf has no {name!r}: it has TensorFlow's names about tensors and gradients only; see "
        "reel.tf.math, reel.tf.nn and reel.tf.linalg, or use reel itself"
    )
