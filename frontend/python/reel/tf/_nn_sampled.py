"""tf.nn's losses over a sample of the classes."""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core
from .. import nn as _nn
from ._convert import to_core
from ._nn_losses import embedding_lookup
from ._nn_windows import check_float, check_rank
from ._operators import operand
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor


def _sample(op, labels, count, classes, seed):
    """(count classes, all different; how often each label, and each of these, is expected among them).

    Classes come by the distribution log((c + 2) / (c + 1)) / log(classes + 1): the more frequent ones are to come first.
    """
    from . import _draws, _philox

    if count > classes:
        raise ConversionError(f"{op}: num_sampled {count} must not be more than num_classes {classes}")
    if labels.symbolic:
        raise _core.UnimplementedError(f"{op}: in a tf.function give sampled_values: classes are drawn eagerly only")
    stream = _draws.stream_of(op, seed, None, 64 * count * _philox.APART)
    if stream is None:
        stream = (*_core.random.default_generator().split(1)[0].tolist(), 0)
    found: dict[int, None] = {}
    tries = at = 0
    while len(found) < count:
        for u in _philox.unit((stream[0], stream[1] + at, stream[2]), (4 * count,), _core.float64).tolist():
            tries += 1
            found[min(int(_math.exp(u * _math.log(classes + 1))) - 1, classes - 1)] = None
            if len(found) == count:
                break
        at += 2 * count

    def expected(ids):
        c = _core.astype(ids, _core.float64)
        p = _core.log((c + 2) / (c + 1)) / _math.log(classes + 1)
        return _core.astype(-_core.expm1(_core.log1p(-p) * tries), _core.float32)

    ids = _core.asarray(list(found), _core.int64)
    return ids, expected(labels), expected(ids)


def _logits(op, weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, accidental, seed):
    """(logits, targets) [batch, num_true + sampled], less the logarithms of how often each class is expected."""
    x, y = to_core(inputs), _core.astype(to_core(labels), _core.int64)
    check_float(op, x)
    check_rank(op, "inputs", x, [2])
    y = _core.reshape(y, (-1, int(num_true)))
    if y.shape[0] != x.shape[0]:
        raise ConversionError(
            f"{op}: labels {tuple(y.shape)} must be num_true {num_true} for each of {x.shape[0]} inputs"
        )
    if sampled_values is None:
        sampled_values = _sample(op, y, int(num_sampled), int(num_classes), seed)
    ids, often_true, often_sampled = (_core.stop_gradient(to_core(v)) for v in sampled_values)
    ids = _core.astype(ids, _core.int64)
    rows = wrap(_core.concat([_core.reshape(y, (-1,)), ids]))
    w = operand(embedding_lookup(weights, rows), x.dtype, op)
    b = operand(embedding_lookup(biases, rows), x.dtype, op)
    n = y.shape[0] * y.shape[1]
    true = _core.sum(_core.expand_dims(x, 1) * _core.reshape(w[:n], (*y.shape, x.shape[1])), -1)
    true = true + _core.reshape(b[:n], tuple(y.shape)) - _core.log(_core.astype(often_true, x.dtype))
    sampled = _core.matmul(x, _core.matrix_transpose(w[n:])) + b[n:]
    if accidental:
        hit = _core.any(_core.equal(_core.expand_dims(y, -1), ids), 1)
        sampled = _core.where(hit, _core.full((), -3.4028235e38, dtype=x.dtype), sampled)
    sampled = sampled - _core.log(_core.astype(often_sampled, x.dtype))
    targets = _core.concat(
        [_core.full(tuple(true.shape), 1 / num_true, dtype=x.dtype), _core.zeros_like(sampled)], axis=1
    )
    return _core.concat([true, sampled], axis=1), targets


def nce_loss(
    weights: ArrayLike | Sequence[ArrayLike],
    biases: ArrayLike,
    labels: ArrayLike,
    inputs: ArrayLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[ArrayLike] | None = None,
    remove_accidental_hits: bool = False,
    name: str | None = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation [batch]: sigmoid cross-entropies of the labels and of sampled classes.

    weights [classes, features], biases [classes], labels [batch, num_true], inputs [batch, features]. sampled_values:
    (classes, expected counts of the labels [batch, num_true], of the classes); drawn unless given, other ones than
    TensorFlow's. remove_accidental_hits: sampled classes that are labels of a row do not count there.
    """
    x, z = _logits(
        "nce_loss", weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, None,
    )  # fmt: skip
    return wrap(_core.sum(_nn.sigmoid_cross_entropy(x, z, reduction="none"), 1))


def sampled_softmax_loss(
    weights: ArrayLike | Sequence[ArrayLike],
    biases: ArrayLike,
    labels: ArrayLike,
    inputs: ArrayLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[ArrayLike] | None = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = "sampled_softmax_loss",
) -> Tensor:
    """softmax_cross_entropy_with_logits [batch] over the labels and sampled classes only; arguments as of nce_loss."""
    x, z = _logits(
        "sampled_softmax_loss", weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, seed,
    )  # fmt: skip
    return wrap(-_core.sum(z * _nn.log_softmax(x), 1))


_all_in_graph(globals())
