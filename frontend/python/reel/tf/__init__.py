"""TensorFlow 2's names for what Reel does: a script about gradients runs after changing its import line.

    import reel.tf as tf

    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * w
    tape.gradient(y, w)             # <tf.Tensor: shape=(), dtype=float32, numpy=6.0>

Python floats are float32 and ints int32; tensors of different dtypes do not mix.
"""

import typing as _typing

from . import (
    _refused as _refused,
    autodiff as autodiff,
    debugging as debugging,
    dtypes as dtypes,
    errors as errors,
    linalg as linalg,
    math as math,
    nest as nest,
)
from ._array import *  # noqa: F401,F403
from ._array import slice as slice
from ._callbacks import numpy_function as numpy_function, py_function as py_function
from ._control import (
    case as case,
    cond as cond,
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
    switch_case as switch_case,
    while_loop as while_loop,
)
from ._creators import variable_creator_scope as variable_creator_scope
from ._custom import (
    custom_gradient as custom_gradient,
    grad_pass_through as grad_pass_through,
    recompute_grad as recompute_grad,
    vectorized_map as vectorized_map,
)
from ._function import function as function
from ._module import Module as Module
from ._device_spec import DeviceSpec as DeviceSpec
from ._range import linspace as linspace, range as range
from ._registry import RegisterGradient as RegisterGradient, no_gradient as no_gradient
from ._scopes import (
    control_dependencies as control_dependencies,
    device as device,
    get_current_name_scope as get_current_name_scope,
    get_logger as get_logger,
    get_static_value as get_static_value,
    group as group,
    init_scope as init_scope,
    is_symbolic_tensor as is_symbolic_tensor,
    name_scope as name_scope,
    no_op as no_op,
    timestamp as timestamp,
)
from ._printing import print_v2 as _print_v2
from ._shape import TensorShape as TensorShape, TensorSpec as TensorSpec
from ._slices import IndexedSlices as IndexedSlices
from ._tape import GradientTape as GradientTape, UnconnectedGradients as UnconnectedGradients
from ._tensor_array import TensorArray as TensorArray
from ._convert import constant as constant, convert_to_tensor as convert_to_tensor
from ._tensor import Tensor as Tensor
from ._trace import executing_eagerly as executing_eagerly, inside_function as inside_function
from ._variable import (
    Variable as Variable,
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
)
from .autodiff import AggregationMethod as AggregationMethod, gradients as gradients, hessians as hessians
from .debugging import (
    Assert as Assert,
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_less as assert_less,
    assert_rank as assert_rank,
)
from .dtypes import *  # noqa: F401,F403
from .dtypes import (
    BY_NAME as _BY_NAME,
    DType as DType,
    as_dtype as as_dtype,
    cast as cast,
    saturate_cast as saturate_cast,
)
from .linalg import eig as eig, eigvals as eigvals, matvec as _matvec, sqrtm as matrix_square_root  # noqa: F401
from .math import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    add as add,
    add_n as add_n,
    argmax as argmax,
    argmin as argmin,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    clip_by_value as clip_by_value,
    complex as complex,
    cos as cos,
    cosh as cosh,
    cumsum as cumsum,
    divide as divide,
    einsum as einsum,
    equal as equal,
    exp as exp,
    floor as floor,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    matmul as matmul,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    not_equal as not_equal,
    pow as pow,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
    round as round,
    scalar_mul as scalar_mul,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    tensordot as tensordot,
    truediv as truediv,
    realdiv as realdiv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
)
from ._sorting import (
    argsort as argsort,
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
    searchsorted as searchsorted,
    sort as sort,
    unique as unique,
    unique_with_counts as unique_with_counts,
)

globals().update(_BY_NAME)
newaxis: None = None
print = _print_v2
__version__ = "2.21.0-reel"
_LAZY = {
    "autograph": ".autograph",
    "bitwise": ".bitwise",
    "compat": ".compat",
    "config": "._config",
    "data": ".data",
    "distribute": ".distribute",
    "experimental": ".experimental",
    "image": ".image",
    "initializers": ".keras.initializers",
    "io": ".io",
    "keras": ".keras",
    "losses": ".keras.losses",
    "metrics": ".keras.metrics",
    "optimizers": ".keras.optimizers",
    "nn": ".nn",
    "random": ".random",
    "signal": ".signal",
    "strings": ".strings",
    "summary": ".summary",
    "test": ".test",
    "tfe": "..tfe",
    "train": ".train",
    "version": ".version",
}
_INITIALIZERS = "zeros ones constant random_normal random_uniform".split()  # of _initializers, with _initializer behind

_LAZY_NAMES = {
    "Graph": ("._graph", "Graph"),
    "Operation": ("._graph_tensor", "Node"),
    "as_string": (".strings", "as_string"),
    "fftnd": (".signal", "fftnd"),
    "ifftnd": (".signal", "ifftnd"),
    "irfftnd": (".signal", "irfftnd"),
    "rfftnd": (".signal", "rfftnd"),
    "tuple": (".compat.v1._functions", "tuple_v2"),
}

if _typing.TYPE_CHECKING:
    from . import _config as config
    from . import autograph as autograph
    from . import bitwise as bitwise
    from . import compat as compat
    from . import data as data
    from . import distribute as distribute
    from . import experimental as experimental
    from . import image as image
    from . import io as io
    from . import keras as keras
    from . import nn as nn
    from . import random as random
    from . import signal as signal
    from . import strings as strings
    from . import summary as summary
    from . import test as test
    from . import train as train
    from . import version as version
    from .. import tfe as tfe
    from ._initializers import constant_initializer as constant_initializer
    from ._initializers import ones_initializer as ones_initializer
    from ._initializers import random_normal_initializer as random_normal_initializer
    from ._initializers import random_uniform_initializer as random_uniform_initializer
    from ._initializers import zeros_initializer as zeros_initializer
    from .keras import initializers as initializers, losses as losses, metrics as metrics, optimizers as optimizers
    from ._graph import Graph as Graph
    from ._graph_tensor import Node as Operation
    from .compat.v1._functions import tuple_v2 as tuple
    from .signal import fftnd as fftnd, ifftnd as ifftnd, irfftnd as irfftnd, rfftnd as rfftnd
    from .strings import as_string as as_string
else:  # for checkers a name that is not here is an error

    def __getattr__(name):
        if name in _LAZY_NAMES:
            import importlib

            module, inner = _LAZY_NAMES[name]
            return getattr(importlib.import_module(module, __name__), inner)
        if name in _LAZY:
            import importlib

            module = importlib.import_module(_LAZY[name], __name__)
            _refused.install_all()
            globals()[name] = module
            return module
        if name.endswith("_initializer") and name[: -len("_initializer")] in _INITIALIZERS:
            from . import _initializers

            return getattr(_initializers, name)
        raise _refused.missing(__name__, name)

    _refused.install_all()
