"""TensorFlow 1's names for building graphs, running sessions and training.

graph = tf.compat.v1.Graph()
with graph.as_default(), tf.compat.v1.Session() as session:
    x = tf.compat.v1.placeholder(tf.float32, [])
    y, = tf.compat.v1.gradients(x * x, [x])
    session.run(y, {x: 3.0})        # 6.0

Names that mean the same in version 2 come from there by a table (_table); all others have functions of their own.
"""

from __future__ import annotations as _annotations

import importlib as _importlib
import typing as _t

from ..._graph import Graph as Graph
from ..._graph_tensor import GraphTensor as _GraphTensor, Node as _Node
from ..._session import InteractiveSession as InteractiveSession, Session as Session
from ..._shape import TensorShape as TensorShape
from ._asserts import *  # noqa: F401,F403
from ._functions import *  # noqa: F401,F403
from ._functions import tuple as tuple
from ._loops import cond as cond, while_loop as while_loop
from ._python import Print as Print, py_func as py_func
from ._scopes import (
    AUTO_REUSE as AUTO_REUSE,
    VariableScope as VariableScope,
    get_local_variable as get_local_variable,
    get_variable as get_variable,
    get_variable_scope as get_variable_scope,
    make_template as make_template,
    name_scope as name_scope,
    no_regularizer as no_regularizer,
    op_scope as op_scope,
    variable_op_scope as variable_op_scope,
    variable_scope as variable_scope,
)
from ._sessions import *  # noqa: F401,F403
from ._table import listed as _listed, lookup as _lookup
from ._variables import *  # noqa: F401,F403
from .initializers import (
    constant as constant_initializer,
    glorot_normal as glorot_normal_initializer,
    glorot_uniform as glorot_uniform_initializer,
    ones as ones_initializer,
    orthogonal as orthogonal_initializer,
    random_normal as random_normal_initializer,
    random_uniform as random_uniform_initializer,
    truncated_normal as truncated_normal_initializer,
    uniform_unit_scaling as uniform_unit_scaling_initializer,
    variance_scaling as variance_scaling_initializer,
    zeros as zeros_initializer,
)

Tensor = _GraphTensor
Operation = _Node
__version__ = VERSION = "2.21.0-reel"
_MODULES = (
    "app bitwise config data debugging dtypes errors flags gfile image initializers io layers linalg logging losses manip math metrics "
    "nest nn random signal spectral summary test train"
).split()
_FROM_TF = ("compat", "distribute", "keras", "autograph", "strings", "version")

if _t.TYPE_CHECKING:
    from typing import Any

    from . import (
        app as app,
        debugging as debugging,
        flags as flags,
        gfile as gfile,
        image as image,
        layers as layers,
        linalg as linalg,
        logging as logging,
        losses as losses,
        math as math,
        metrics as metrics,
        nn as nn,
        random as random,
        summary as summary,
        train as train,
    )


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return _importlib.import_module("." + name, __name__)
    if name in _FROM_TF:
        return getattr(_importlib.import_module("reel.tf"), name)
    return _lookup("top", name)


def __dir__():
    return sorted({n for n in globals() if not n.startswith("_")} | set(_listed("top")) | set(_MODULES))
