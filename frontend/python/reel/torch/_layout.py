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


def order_of(rank: int) -> list[int]:
    """PyTorch's axes in the order in which a ChannelsLast stores them."""
    return [0, *range(2, rank), 1]


def first(x: Any) -> Any:
    """A value, or what a list or dict has, in PyTorch's order."""
    if isinstance(x, (list, tuple)):
        return type(x)([first(y) for y in x])
    if isinstance(x, dict):
        return {k: first(y) for k, y in x.items()}
    if not isinstance(x, ChannelsLast):
        return x
    n = x.tensor.ndim
    return _core.permute_dims(x.tensor, (0, n - 1, *range(1, n - 1)))


def _last(x: Any) -> Tensor:
    """The tensor with its channels last."""
    if isinstance(x, ChannelsLast):
        return x.tensor
    return _core.permute_dims(x, order_of(x.ndim))


# Element by element: the order of axes does not matter, where all operands have it.
_ELEMENTWISE = frozenset(
    f"aten.{name}"
    for name in """relu.default sigmoid.default tanh.default silu.default gelu.default elu.default leaky_relu.default
    hardtanh.default hardswish.default hardsigmoid.default softplus.default exp.default neg.default clamp.default
    clamp_min.default clamp_max.default clone.default alias.default abs.default erf.default log.default sqrt.default
    rsqrt.default reciprocal.default sign.default add.Tensor add.Scalar sub.Tensor sub.Scalar mul.Tensor mul.Scalar
    div.Tensor div.Scalar pow.Tensor_Scalar maximum.default minimum.default where.self bitwise_and.Tensor
    bitwise_or.Tensor bitwise_not.default logical_and.default logical_or.default logical_not.default eq.Scalar
    eq.Tensor ne.Scalar ne.Tensor lt.Scalar lt.Tensor le.Scalar le.Tensor gt.Scalar gt.Tensor ge.Scalar
    ge.Tensor""".split()
)
_BATCH_NORM = frozenset(
    f"aten.{name}.default"
    for name in """_native_batch_norm_legit_functional _native_batch_norm_legit_no_training
    native_batch_norm_backward""".split()
)
# Of Reel's own order within: what they give is stored so.
_WINDOWS = frozenset(
    f"aten.{name}.default"
    for name in """convolution convolution_backward max_pool2d_with_indices max_pool2d_with_indices_backward
    avg_pool2d avg_pool2d_backward""".split()
)


def _rank(x: Any) -> int:
    return x.tensor.ndim if isinstance(x, ChannelsLast) else x.ndim if isinstance(x, _core.Tensor) else 0


def _elementwise(compute: Compute, args: Sequence[Any]) -> Any:
    rank = max(map(_rank, args))
    if any(_rank(x) not in (0, rank) for x in args):
        return compute(first(list(args)))
    return ChannelsLast(compute([_last(x) if _rank(x) == rank else x for x in args]))


def _batch_norm(compute: Compute, args: Sequence[Any]) -> Any:
    """The batch norm, or its gradient, of the rows of channels."""
    rank = _rank(args[0])
    images = [_last(x) for x in args if _rank(x) == rank]  # before vectors: the input, of a gradient also its cotangent
    rows = [_core.reshape(x, (-1, x.shape[-1])) for x in images]
    y, *rest = compute([*rows, *args[len(rows) :]])
    return (y if y is None else ChannelsLast(_core.reshape(y, images[0].shape)), *rest)


def _axis_last(axis: int, rank: int) -> int:
    """Where an axis of PyTorch's order is stored."""
    return (0, rank - 1, *range(1, rank - 1))[axis % rank]


def _cat(compute: Compute, args: Sequence[Any]) -> Any:
    tensors, dim = args[0], args[1] if len(args) > 1 else 0
    rank = _rank(tensors[0])
    if any(_rank(x) != rank for x in tensors):  # PyTorch leaves out empty ones
        return compute(first(list(args)))
    return ChannelsLast(compute([[_last(x) for x in tensors], _axis_last(dim, rank)]))


def _slice(compute: Compute, args: Sequence[Any]) -> Any:
    dim = args[1] if len(args) > 1 else 0
    return ChannelsLast(compute([args[0].tensor, _axis_last(dim, _rank(args[0])), *args[2:]]))


def _windows(compute: Compute, args: Sequence[Any]) -> Any:
    results = compute(first(list(args)))
    y, *rest = results if isinstance(results, tuple) else (results,)
    y = y if y is None or y.ndim < 3 else ChannelsLast(_last(y))
    return (y, *rest) if isinstance(results, tuple) else y


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
    if target == "aten.slice.Tensor" and isinstance(args[0], ChannelsLast):
        return _slice(compute, args)
    return _cat(compute, args) if target == "aten.cat.default" else compute(first(list(args)))
