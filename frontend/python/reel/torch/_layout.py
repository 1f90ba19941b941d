"""Images of PyTorch's, [n, c, h, w], as [n, h, w, c] between the ops of a graph that do not mind.

A convolution of Reel's has its channels last, so that each op in PyTorch's order costs two transpositions around it.
"""

from __future__ import annotations

import dataclasses as _dataclasses
import typing as _t

from .. import _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._core import Tensor

    Compute = Callable[[Sequence[Any]], Any]


@_dataclasses.dataclass
class ChannelsLast:
    """A value whose axis 1 is stored last."""

    tensor: Tensor


def first(x: Any) -> Any:
    """A value, or what a list has, in PyTorch's order."""
    if isinstance(x, (list, tuple)):
        return type(x)([first(y) for y in x])
    if not isinstance(x, ChannelsLast):
        return x
    n = x.tensor.ndim
    return _core.permute_dims(x.tensor, (0, n - 1, *range(1, n - 1)))


def _last(x: Any) -> Tensor:
    """The tensor with its channels last."""
    if isinstance(x, ChannelsLast):
        return x.tensor
    return _core.permute_dims(x, (0, *range(2, x.ndim), 1))


# Element by element: the order of axes does not matter, where all operands have it.
_ELEMENTWISE = frozenset(
    f"aten.{name}"
    for name in """relu.default sigmoid.default tanh.default silu.default gelu.default elu.default leaky_relu.default
    hardtanh.default hardswish.default hardsigmoid.default softplus.default exp.default neg.default clamp.default
    clamp_min.default clamp_max.default clone.default add.Tensor add.Scalar sub.Tensor sub.Scalar mul.Tensor
    mul.Scalar div.Tensor div.Scalar pow.Tensor_Scalar""".split()
)
_BATCH_NORM = frozenset(
    ["aten._native_batch_norm_legit_functional.default", "aten._native_batch_norm_legit_no_training.default"]
)
# Of Reel's own order within: what they give is stored so.
_WINDOWS = frozenset(["aten.convolution.default", "aten.max_pool2d_with_indices.default", "aten.avg_pool2d.default"])


def _rank(x: Any) -> int:
    return x.tensor.ndim if isinstance(x, ChannelsLast) else x.ndim if isinstance(x, _core.Tensor) else 0


def _elementwise(compute: Compute, args: Sequence[Any]) -> Any:
    rank = max(map(_rank, args))
    if any(_rank(x) not in (0, rank) for x in args):
        return compute(first(list(args)))
    return ChannelsLast(compute([_last(x) if _rank(x) == rank else x for x in args]))


def _batch_norm(compute: Compute, args: Sequence[Any]) -> Any:
    """The batch norm of the rows of channels."""
    x = _last(args[0])
    y, *rest = compute([_core.reshape(x, (-1, x.shape[-1])), *args[1:]])
    return (ChannelsLast(_core.reshape(y, x.shape)), *rest)


def _cat(compute: Compute, args: Sequence[Any]) -> Any:
    tensors, dim = args[0], args[1] if len(args) > 1 else 0
    rank = _rank(tensors[0])
    if any(_rank(x) != rank for x in tensors):  # PyTorch leaves out empty ones
        return compute(first(list(args)))
    return ChannelsLast(compute([[_last(x) for x in tensors], (0, rank - 1, *range(1, rank - 1))[dim % rank]]))


def _windows(compute: Compute, args: Sequence[Any]) -> Any:
    results = compute(first(list(args)))
    if isinstance(results, tuple):
        return (ChannelsLast(_last(results[0])), *results[1:])
    return ChannelsLast(_last(results))


def _has_last(args: Sequence[Any]) -> bool:
    return any(isinstance(x, ChannelsLast) or (isinstance(x, list) and _has_last(x)) for x in args)


def call(target: str, compute: Compute, args: Sequence[Any]) -> Any:
    """compute(args), whose values may be stored with channels last, as may be what it gives."""
    if target in _WINDOWS:
        return _windows(compute, args)
    if target == "getitem" or not _has_last(args):
        return compute(args)
    if target in _ELEMENTWISE:
        return _elementwise(compute, args)
    if target in _BATCH_NORM:
        return _batch_norm(compute, args)
    return _cat(compute, args) if target == "aten.cat.default" else compute(first(list(args)))
