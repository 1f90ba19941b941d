"""tf.compat.v1.train: optimizers, decaying rates, the global step, Saver."""

from __future__ import annotations

import typing as _t

from ... import _array
from ... import dtypes as _dtypes
from ..._graph import default_graph as _default_graph
from ..._graph_tensor import GraphVariable as _GraphVariable
from ..._trace import state as _state
from ..._variable import Variable as _Variable
from ...errors import ConversionError as _ConversionError
from ._average import ExponentialMovingAverage as ExponentialMovingAverage
from ._decay import cosine_decay as cosine_decay
from ._decay import cosine_decay_restarts as cosine_decay_restarts
from ._decay import exponential_decay as exponential_decay
from ._decay import inverse_time_decay as inverse_time_decay
from ._decay import linear_cosine_decay as linear_cosine_decay
from ._decay import natural_exp_decay as natural_exp_decay
from ._decay import noisy_linear_cosine_decay as noisy_linear_cosine_decay
from ._decay import piecewise_constant as piecewise_constant
from ._decay import piecewise_constant_decay as piecewise_constant_decay
from ._decay import polynomial_decay as polynomial_decay
from ._optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from ._optimizers import AdagradDAOptimizer as AdagradDAOptimizer
from ._optimizers import AdagradOptimizer as AdagradOptimizer
from ._optimizers import AdamOptimizer as AdamOptimizer
from ._optimizers import FtrlOptimizer as FtrlOptimizer
from ._optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from ._optimizers import MomentumOptimizer as MomentumOptimizer
from ._optimizers import Optimizer as Optimizer
from ._optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from ._optimizers import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from ._optimizers import RMSPropOptimizer as RMSPropOptimizer
from ._saver import Saver as Saver
from ._saver import checkpoint_exists as checkpoint_exists
from ._saver import latest_checkpoint as latest_checkpoint
from ._table import shared as _shared

if _t.TYPE_CHECKING:
    from typing import Any


def get_global_step(graph: Any = None) -> Any:
    """The variable that counts updates, None if there is none."""
    found = (graph or _default_graph()).get_collection("global_step")
    if len(found) > 1:
        raise _ConversionError(f"Multiple tensors in global_step collection: {found}")
    return found[0] if found else None


def create_global_step(graph: Any = None) -> Any:
    """A new variable that counts updates; ValueError if there is one."""
    if get_global_step(graph) is not None:
        raise _ConversionError('"global_step" already exists.')
    graph = graph or _default_graph()
    if _state.graph is None:
        step = _Variable(0, trainable=False, name="global_step", dtype="int64")
        graph.add_to_collection("global_step", step)
        return step
    with graph.as_default(), graph.name_scope(None):
        zero = _array.zeros([], _dtypes.int64)
        return graph.variable(zero, False, "global_step", collections=["variables", "global_step"])


def get_or_create_global_step(graph: Any = None) -> Any:
    """The int64 variable that counts updates, made if there is none."""
    step = get_global_step(graph)
    if step is not None and _state.graph is None and isinstance(step, _GraphVariable):
        step = None
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor: Any) -> None:
    """TypeError unless it is an integer scalar."""
    from .... import _core

    if not global_step_tensor.dtype.is_integer or global_step_tensor.shape.rank not in (0, None):
        raise _core.InvalidTypeError(f'Existing "global_step" must be an integer scalar: {global_step_tensor}')


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number of updates, of a session."""
    if sess is None or not isinstance(global_step_tensor, _GraphVariable):
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))


__getattr__, __dir__ = _shared("train", globals())
