"""What layers expect: of inputs, and of the signatures of their calls."""

from __future__ import annotations as _annotations

import inspect as _inspect
import typing as _t

from .._module import Module
from .._variable import Variable as _Variable
from ._serialize import deserialize as _deserialize

if _t.TYPE_CHECKING:
    from typing import Any


class InputSpec:
    """What a layer expects of an input: dtype, shape, ndim, max_ndim, min_ndim, axes {axis: extent}."""

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        self.dtype, self.shape, self.name, self.optional = (
            dtype,
            None if shape is None else tuple(shape),
            name,
            optional,
        )
        self.ndim = len(self.shape) if self.shape is not None else ndim
        self.max_ndim, self.min_ndim, self.axes = max_ndim, min_ndim, dict(axes or {})
        self.allow_last_axis_squeeze = allow_last_axis_squeeze

    def problem(self, shape: Any) -> str | None:
        """In words, why a shape does not fit; None if it does."""
        found = f" Full shape received: {tuple(shape)}"
        if self.ndim is not None and len(shape) != self.ndim:
            return f"expected ndim={self.ndim}, found ndim={len(shape)}.{found}"
        if self.max_ndim is not None and len(shape) > self.max_ndim:
            return f"expected max_ndim={self.max_ndim}, found ndim={len(shape)}.{found}"
        if self.min_ndim is not None and len(shape) < self.min_ndim:
            return f"expected min_ndim={self.min_ndim}, found ndim={len(shape)}.{found}"
        wanted = {**self.axes, **dict(enumerate(self.shape or ()))}
        for axis, n in wanted.items():
            if n is not None and shape[axis] not in (n, None):
                return f"expected axis {axis} of input shape to have value {n}, but received input with shape {tuple(shape)}"
        return None


class CallInfo:
    """What the signature of a class's call says."""

    def __init__(self, cls):
        self.signature = _inspect.signature(cls.call)
        parameters = list(self.signature.parameters.values())[1:]
        self.names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        by_name = {p.name: p for p in parameters}
        self.takes_all = any(p.kind == p.VAR_KEYWORD for p in parameters)
        self.training = "training" in by_name
        self.default = by_name["training"].default if self.training else None
        self.masks = [p for p in by_name if p == "mask" or p.endswith("_mask")]
        self.build = list(_inspect.signature(cls.build).parameters)[1:]


KINDS: dict[type, str] = {}  # of attributes, by their classes


def kind_of(cls: type) -> str:
    """leaf, nested or nothing: whether a variable or layer may be in an attribute of this class."""
    if issubclass(cls, (_Variable, Module)) or hasattr(cls, "update_state"):
        return "leaf"
    return "nested" if issubclass(cls, (list, tuple, dict)) and not getattr(cls, "_reel_leaf", False) else "nothing"


_metric: list[type] = []


def metric_class() -> type:
    """Metric, which is imported when it is needed."""
    if not _metric:
        from .metrics import Metric

        _metric.append(Metric)
    return _metric[0]


def regularizer_of(identifier: Any) -> Any:
    """A regularizer, or None."""
    if identifier is None:
        return None
    from . import regularizers

    return regularizers.get(_deserialize(identifier))


def constraint_of(identifier: Any) -> Any:
    """A constraint, or None."""
    if identifier is None:
        return None
    from . import constraints

    return constraints.get(_deserialize(identifier))


def shape_of(x: Any) -> Any:
    """A shape that JSON made a list of; in lists and dicts, those."""
    if isinstance(x, dict):
        return {k: shape_of(v) for k, v in x.items()}
    if isinstance(x, list) and any(isinstance(v, (list, dict)) for v in x):
        return [shape_of(v) for v in x]
    return tuple(x) if isinstance(x, list) else x
