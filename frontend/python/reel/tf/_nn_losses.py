"""tf.nn's losses without reduction, their averages, and lookups in tables."""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core
from .. import nn as _nn
from . import dtypes
from ._array import clip_by_norm, gather
from ._convert import cast, to_core
from ._nn_windows import check_float, check_rank
from ._operators import operand, true_divide
from ._tensor import TensorLike, wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor


def l2_loss(t: ArrayLike, name: str | None = None) -> Tensor:
    """sum(t^2) / 2."""
    x = to_core(t)
    check_float("l2_loss", x)
    return wrap(_core.sum(_core.square(x)) / 2)


def _targets(op, labels, x):
    """Labels as a tensor of the logits' dtype."""
    if labels is None:
        raise ConversionError(f"{op}: Both `labels` and `logits` must be provided.")
    return operand(labels, x.dtype, op, weak=False)


def _same_shape(op, x, z, names=("logits", "labels")):
    if tuple(x.shape) != tuple(z.shape):
        raise ConversionError(
            f"{op}: `{names[0]}` and `{names[1]}` must have the same shape, received ({tuple(x.shape)} vs {tuple(z.shape)})."
        )


def softmax_cross_entropy_with_logits(
    labels: ArrayLike, logits: ArrayLike, axis: int = -1, name: str | None = None
) -> Tensor:
    """-sum labels log softmax(logits) along axis; the labels are distributions, which broadcast. Gradients to both.

    The gradients are right for labels that do not sum to 1, too, where TensorFlow's are not.
    """
    op = "softmax_cross_entropy_with_logits"
    if logits is None or labels is None:
        raise ConversionError(f"{op}: Both `labels` and `logits` must be provided.")
    x = to_core(logits)
    check_float(op, x)
    check_rank(op, "logits", x, [1], at_least=True)
    p = to_core(labels)
    if p.dtype is not x.dtype:
        p = _core.astype(p, x.dtype)
    return wrap(-_core.sum(p * _nn.log_softmax(x, axis), axis))


def sparse_softmax_cross_entropy_with_logits(labels: ArrayLike, logits: ArrayLike, name: str | None = None) -> Tensor:
    """-log softmax(logits)[label] along the last axis; the labels are class indices."""
    op = "sparse_softmax_cross_entropy_with_logits"
    if labels is None or logits is None:
        raise ConversionError(f"{op}: Both `labels` and `logits` must be provided.")
    x, i = to_core(logits), to_core(labels)
    check_float(op, x)
    check_rank(op, "logits", x, [1], at_least=True)
    if i.dtype not in (_core.int32, _core.int64):
        raise _core.InvalidTypeError(
            f"{op}: labels are {i.dtype.name}, not class indices of int32 or int64; use tf.cast, or "
            "softmax_cross_entropy_with_logits for distributions"
        )
    if i.ndim != x.ndim - 1:
        raise ConversionError(
            f"{op}: Rank of labels (received {i.ndim}) should equal rank of logits minus 1 (received "
            f"{x.ndim}): `labels` must have shape {tuple(x.shape)[:-1]}, not {tuple(i.shape)}"
        )
    return wrap(_nn.softmax_cross_entropy(x, i, reduction="none"))


def sigmoid_cross_entropy_with_logits(
    labels: ArrayLike | None = None, logits: ArrayLike | None = None, name: str | None = None
) -> Tensor:
    """-labels log sigmoid(x) - (1 - labels) log(1 - sigmoid(x)), without overflow."""
    op = "sigmoid_cross_entropy_with_logits"
    if logits is None:
        raise ConversionError(f"{op}: Both `labels` and `logits` must be provided.")
    x = to_core(logits)
    check_float(op, x)
    z = _targets(op, labels, x)
    _same_shape(op, x, z)
    return wrap(_nn.sigmoid_cross_entropy(x, z, reduction="none"))


def weighted_cross_entropy_with_logits(
    labels: ArrayLike, logits: ArrayLike, pos_weight: ArrayLike, name: str | None = None
) -> Tensor:
    """sigmoid_cross_entropy_with_logits whose first term, that of the positive examples, counts pos_weight times."""
    op = "weighted_cross_entropy_with_logits"
    x = to_core(logits)
    check_float(op, x)
    z = _targets(op, labels, x)
    _same_shape(op, x, z)
    q = operand(pos_weight, x.dtype, op, weak=True)
    return wrap((1 - z) * x + (1 + (q - 1) * z) * _nn.softplus(-x))


def log_poisson_loss(
    targets: ArrayLike, log_input: ArrayLike, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """e^c - z c of targets z and log_input c; compute_full_loss: plus Stirling's log(z!), where z > 1."""
    c = to_core(log_input)
    check_float("log_poisson_loss", c)
    z = _targets("log_poisson_loss", targets, c)
    _same_shape("log_poisson_loss", c, z, ("log_input", "targets"))
    loss = _core.exp(c) - c * z
    if compute_full_loss:
        small = _core.logical_and(z >= 0, z <= 1)
        safe = _core.where(small, _core.ones_like(z), z)
        stirling = safe * _core.log(safe) - safe + 0.5 * _core.log(2 * _math.pi * safe)
        loss = loss + _core.where(small, _core.zeros_like(z), stirling)
    return wrap(loss)


def ctc_loss(
    labels: ArrayLike,
    logits: ArrayLike,
    label_length: ArrayLike,
    logit_length: ArrayLike,
    logits_time_major: bool = True,
    unique: object = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """-log of the probability of the labels [batch, length], over all ways to put them on the steps with blanks.

    logits: [time, batch, classes], or [batch, time, classes] if not logits_time_major. The lengths say how many labels
    and steps of each row count. blank_index: 0 unless given; negative ones count from the end. unique, which only makes
    TensorFlow faster, is not looked at.
    """
    x, i = to_core(logits), to_core(labels)
    check_float("ctc_loss", x)
    check_rank("ctc_loss", "logits", x, [3])
    check_rank("ctc_loss", "labels", i, [2])
    if label_length is None or logit_length is None:
        raise ConversionError(
            "ctc_loss: label_length and logit_length must be given for labels that are no sparse tensor"
        )
    blank = 0 if blank_index is None else int(blank_index)
    blank += x.shape[-1] if blank < 0 else 0
    if logits_time_major:
        x = _core.swapaxes(x, 0, 1)
    lengths = {"logit_lengths": to_core(logit_length), "label_lengths": to_core(label_length)}
    return wrap(_nn.ctc_loss(x, i, blank=blank, reduction="none", **lengths))


# --- averages ---


def compute_average_loss(
    per_example_loss: ArrayLike, sample_weight: ArrayLike | None = None, global_batch_size: ArrayLike | None = None
) -> Tensor:
    """The sum of the losses, times their weights, over the size of the batch: the losses' first extent unless given."""
    op = "compute_average_loss"
    x = to_core(per_example_loss)
    if not len(x.shape):
        raise ConversionError(f"{op}: `per_example_loss` must have at least rank 1, received {per_example_loss!r}")
    if sample_weight is not None:
        w = cast(sample_weight, dtypes.float32)._t
        if len(w.shape) and len(w.shape) + 1 == len(x.shape):
            w = _core.expand_dims(w, -1)
        if len(w.shape) > len(x.shape) and w.shape[-1] == 1:
            w = _core.squeeze(w, -1)
        # In float32, whatever the dtype of the losses, as in TensorFlow.
        x = _core.astype(_core.astype(x, _core.float32) * w, x.dtype)
    if global_batch_size is None:
        return wrap(_shared(x, x.shape[0]))
    if isinstance(global_batch_size, TensorLike):
        n = to_core(global_batch_size)
        if len(n.shape) or not n.dtype.is_integer:
            raise _core.InvalidTypeError(
                f"{op}: global_batch_size must be an int scalar, received {global_batch_size!r}"
            )
        return wrap(_shared(x, n))
    if isinstance(global_batch_size, bool) or not isinstance(global_batch_size, int):
        raise _core.InvalidTypeError(f"{op}: global_batch_size must be an int, received {global_batch_size!r}")
    if global_batch_size < 0:
        raise ConversionError(f"{op}: global_batch_size must be non-negative, received {global_batch_size}")
    return wrap(_shared(x, global_batch_size))


def _shared(x, n):
    """The sum over a number, of integers as floats."""
    if x.dtype.is_bool:
        raise InvalidArgumentError("the losses must be numbers, not bool; use tf.cast")
    n = _core.astype(n, x.dtype) if isinstance(n, _core.Tensor) else _core.asarray(n, x.dtype)
    total = _core.sum(x, dtype=x.dtype)
    return true_divide(total, _core.ones((), dtype=x.dtype) if 0 in tuple(x.shape) else n)


def scale_regularization_loss(regularization_loss: ArrayLike) -> Tensor:
    """The sum of the losses, over the number of replicas, of which there is one."""
    return wrap(_shared(to_core(regularization_loss), 1))


def zero_fraction(value: ArrayLike, name: str | None = None) -> Tensor:
    """The share of elements that are 0, a float32; NaN if there are none."""
    x = to_core(value)
    return wrap(_core.mean(_core.astype(_core.equal(x, 0), _core.float32)))


# --- tables ---


def embedding_lookup(
    params: ArrayLike | Sequence[ArrayLike], ids: ArrayLike, max_norm: ArrayLike | None = None, name: str | None = None
) -> Tensor:
    """Rows of a table at integer ids, scaled down to the norm max_norm where they are longer.

    params: a table, or a list of its parts, as even as can be with the longer ones first.
    """
    op = "embedding_lookup"
    parts = list(params) if isinstance(params, (list, tuple)) else [params]
    if not parts:
        raise ConversionError(f"{op}: need at least one tensor in `params`")
    i = to_core(ids)
    if i.dtype not in (_core.int32, _core.int64):
        raise _core.InvalidTypeError(f"{op}: ids must be int32 or int64, received {i.dtype.name}")
    table = parts[0]
    if len(parts) > 1:
        tables = [to_core(p) for p in parts]
        rows = [t.shape[0] for t in tables]
        least, more = divmod(sum(rows), len(rows))
        if rows != [least + (k < more) for k in range(len(rows))]:
            raise ConversionError(
                f"{op}: `params` with {rows} rows are not a table in {len(rows)} even parts, the longer ones first; "
                "use tf.concat"
            )
        table = wrap(_core.concat(tables, axis=0))
    found = gather(table, wrap(i))
    if max_norm is None:
        return found
    axes = tuple(range(len(i.shape), len(found.shape)))
    return clip_by_norm(found, max_norm, axes)


_all_in_graph(globals())
