"""Attention."""

from __future__ import annotations as _annotations

import math as _pymath
import typing as _t

from .... import _core
from ... import _array, math
from ..._convert import cast
from ..._tensor import wrap
from ...errors import ConversionError
from .. import initializers
from .._layer import Layer, constraint_of, regularizer_of
from .._serialize import serialize
from ._basic import EinsumDense, refuse_options
from ._noise import Dropout

if _t.TYPE_CHECKING:
    from typing import Any


class Attention(Layer):
    """softmax(scores of query and key) value: call([query, value], or [query, value, key])."""

    _config: tuple[str, ...] = ("use_scale", "score_mode", "dropout", "seed")

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if score_mode not in ("dot", "concat"):
            raise ConversionError(
                f"Invalid value for argument score_mode. Expected one of {{'dot', 'concat'}}. Received: score_mode={score_mode}"
            )
        self.use_scale, self.score_mode, self.dropout, self.seed = use_scale, score_mode, dropout, seed
        self._drop = Dropout(dropout, seed=seed) if dropout else None
        self.scale = self.concat_score_weight = None
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        self._checked(input_shape)
        if self.use_scale:
            self.scale = self.add_weight((), "ones", name="scale")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight((), "ones", name="concat_score_weight")

    def _checked(self, inputs):
        # A list of tensors, or of their shapes; a shape alone is a tuple of numbers.
        is_list = isinstance(inputs, (list, tuple)) and not any(isinstance(x, (int, type(None))) for x in inputs)
        if not is_list or not 2 <= len(inputs) <= 3:
            raise ConversionError(
                f"{type(self).__name__} layer must be called on a list of inputs, namely [query, value] or [query, value, key]."
            )

    def _scores(self, query, key):
        if self.score_mode == "dot":
            scores = math.matmul(query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale
        q, k = _array.expand_dims(query, -2), _array.expand_dims(key, -3)
        total = q + k if self.scale is None else (q + k) * self.scale
        return self.concat_score_weight * math.reduce_sum(math.tanh(total), axis=-1)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool = False,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        """The values weighted, and with return_attention_scores the weights."""
        self._checked(inputs)
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask = mask[0] if mask else None
        value_mask = mask[1] if mask and len(mask) > 1 else None
        scores = self._scores(query, key)
        allowed = None if value_mask is None else _array.expand_dims(value_mask, -2)
        if use_causal_mask:
            causal = lower_triangle(scores.shape[-2], scores.shape[-1])
            allowed = causal if allowed is None else math.logical_and(allowed, causal)
        if allowed is not None:
            least = 65504.0 if scores.dtype.name == "float16" else 1e9
            scores = scores - least * cast(math.logical_not(allowed), scores.dtype)
        weights = math.softmax(scores)
        if training and self._drop is not None:
            weights = self._drop(weights, training=True)
        out = math.matmul(weights, value)
        if query_mask is not None:
            out = out * cast(_array.expand_dims(query_mask, -1), out.dtype)
        return (out, weights) if return_attention_scores else out

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return previous_mask[0] if isinstance(previous_mask, (list, tuple)) else None


class AdditiveAttention(Attention):
    """Attention whose scores are sums of tanh(query + key)."""

    _config = ()

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(use_scale=use_scale, dropout=dropout, **kwargs)

    def build(self, input_shape: Any) -> None:
        self._checked(input_shape)
        if self.use_scale:
            self.scale = self.add_weight((input_shape[0][-1],), "glorot_uniform", name="scale")

    def _scores(self, query, key):
        total = math.tanh(_array.expand_dims(query, -2) + _array.expand_dims(key, -3))
        return math.reduce_sum(total if self.scale is None else self.scale * total, axis=-1)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("score_mode", None)
        return config


def lower_triangle(rows: int, columns: int) -> Any:
    """True where the column is not after the row."""
    return wrap(_core.tril(_core.ones((rows, columns), dtype=_core.bool)))


class MultiHeadAttention(Layer):
    """Attention of several heads: projections of query, key and value, and of what the heads give."""

    _saved_names = {f"_{n}_dense": f"{n}_dense" for n in ("query", "key", "value", "output")}
    _config = (
        "num_heads", "key_dim", "value_dim", "dropout", "use_bias", "output_shape_given", "attention_axes",
        "sliding_window", "use_gate", "seed",
    )  # fmt: skip
    sliding_window, use_gate = None, False  # always

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
        sliding_window: Any = None,
        flash_attention: Any = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        use_gate: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        refuse_options(self, sliding_window=sliding_window, flash_attention=flash_attention, use_gate=use_gate)
        if num_heads <= 0 or key_dim <= 0:
            raise ConversionError(f"MultiHeadAttention: num_heads and key_dim are above 0, not {num_heads}, {key_dim}")
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim or key_dim
        self.dropout, self.use_bias, self.seed = dropout, use_bias, seed
        self.output_shape_given = (
            None if output_shape is None else (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        )
        self.attention_axes = attention_axes
        # As configs: each projection has an initializer of its own.
        self._options = {
            "kernel_initializer": serialize(initializers.get(kernel_initializer)),
            "bias_initializer": serialize(initializers.get(bias_initializer)),
            "kernel_regularizer": serialize(regularizer_of(kernel_regularizer)),
            "bias_regularizer": serialize(regularizer_of(bias_regularizer)),
            "kernel_constraint": serialize(constraint_of(kernel_constraint)),
            "bias_constraint": serialize(constraint_of(bias_constraint)),
        }
        self.supports_masking = True

    def build(self, query_shape: Any, value_shape: Any, key_shape: Any = None) -> None:
        key_shape = value_shape if key_shape is None else key_shape
        rank = len(query_shape)
        axes = self.attention_axes
        axes = (axes,) if isinstance(axes, int) else tuple(axes) if axes is not None else tuple(range(1, rank - 1))
        self._axes = tuple(a % rank for a in axes)
        if query_shape[-1] is None or value_shape[-1] is None:
            raise ConversionError("MultiHeadAttention: the last axes of query, value and key must be known")

        def projection(name, shape, width):
            letters = "abcdefg"[: len(shape) - 1]
            layer = EinsumDense(
                f"{letters}x,xyz->{letters}yz", (*([None] * (len(shape) - 2)), self.num_heads, width),
                bias_axes="yz" if self.use_bias else None, name=name, dtype=self.dtype, **self._options,
            )  # fmt: skip
            layer.build(shape)
            return layer

        self._query_dense = projection("query", query_shape, self.key_dim)
        self._key_dense = projection("key", key_shape, self.key_dim)
        self._value_dense = projection("value", value_shape, self.value_dim)
        out = self.output_shape_given or (query_shape[-1],)
        letters, ends = "abcdefg"[: rank - 1], "uvw"[: len(out)]
        self._output_dense = EinsumDense(
            f"{letters}yz,yz{ends}->{letters}{ends}", (*([None] * (rank - 2)), *out),
            bias_axes=ends if self.use_bias else None, name="attention_output", dtype=self.dtype, **self._options,
        )  # fmt: skip
        self._output_dense.build((*query_shape[:-1], self.num_heads, self.value_dim))
        self._drop = Dropout(self.dropout, seed=self.seed) if self.dropout else None

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """The output, and with return_attention_scores the weights [batch, heads, queries, keys]."""
        key = value if key is None else key
        q, k, v = self._query_dense(query), self._key_dense(key), self._value_dense(value)
        allowed = self._allowed(query, value, value_mask, key_mask, attention_mask, use_causal_mask)
        rank = len(query.shape)
        # [batch, others, queries, heads, width] of each; one axis of all attention axes.
        others = [a for a in range(1, rank - 1) if a not in self._axes]
        q, shape = self._grouped(q, others)
        k, v = self._grouped(k, others)[0], self._grouped(v, others)[0]
        scores = math.einsum("bonhd,bomhd->bohnm", q * (1.0 / _pymath.sqrt(self.key_dim)), k)
        if allowed is not None:
            allowed = cast(allowed, "bool")
            while len(allowed.shape) < 3:
                allowed = _array.expand_dims(allowed, 0)
            allowed = _array.reshape(allowed, (allowed.shape[0], 1, *_heads(allowed)))
            scores = self._masked(scores, allowed, return_attention_scores)
        weights = math.softmax(scores)
        dropped = self._drop(weights, training=training) if self._drop is not None and training else weights
        out = math.einsum("bohnm,bomhd->bonhd", dropped, v)
        out = self._output_dense(self._ungrouped(out, others, shape))
        if not return_attention_scores:
            return out
        if others or len(self._axes) > 1:
            raise ConversionError("MultiHeadAttention: return_attention_scores needs one attention axis and no others")
        return out, _array.reshape(weights, (weights.shape[0], *weights.shape[2:]))

    def _masked(self, scores, allowed, returned):
        """Scores where attention may not go are low; whole rows of them get no gradient unless weights are used."""
        if returned or self.dropout:
            least = 3e4 if scores.dtype.name == "float16" else 1e9
            return scores - least * cast(math.logical_not(allowed), scores.dtype)
        return _array.where(allowed, scores, cast(-0.7 * scores.dtype.max, scores.dtype))

    def _grouped(self, x, others):
        """[batch, others, steps, heads, width], and the shape with axes in the order before they were joined."""
        order = [0, *others, *self._axes, len(x.shape) - 2, len(x.shape) - 1]
        moved = _array.transpose(x, order) if order != sorted(order) else x
        shape = tuple(moved.shape)
        n = _pymath.prod(shape[1 : 1 + len(others)])
        return _array.reshape(moved, (shape[0], n, _pymath.prod(shape[1 + len(others) : -2]), *shape[-2:])), shape

    def _ungrouped(self, x, others, shape):
        x = _array.reshape(x, (*shape[:-2], *x.shape[-2:]))
        order = [0, *others, *self._axes, len(shape) - 2, len(shape) - 1]
        if order == sorted(order):
            return x
        return _array.transpose(x, [order.index(i) for i in range(len(order))])

    def _allowed(self, query, value, value_mask, key_mask, attention_mask, causal):
        """Where attention may go, [batch, queries, keys] (or with heads); None if everywhere."""
        parts = []
        for m in (value_mask, key_mask):  # that of the queries says which outputs count, and is handed on
            if m is not None:
                parts.append(_array.expand_dims(cast(m, "bool"), -2))
        if causal:
            parts.append(_array.expand_dims(lower_triangle(query.shape[1], value.shape[1]), 0))
        if attention_mask is not None:
            parts.append(cast(attention_mask, "bool"))
        out = None
        for p in parts:
            if out is not None and len(p.shape) == 4 and len(out.shape) == 3:
                out = _array.expand_dims(out, 1)
            out = p if out is None else math.logical_and(out, p)
        return out

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return previous_mask

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config["output_shape"] = config.pop("output_shape_given")
        return {**config, **self._options}


def _heads(mask):
    """(heads or 1, queries, keys) of a mask."""
    return tuple(mask.shape[1:]) if len(mask.shape) == 4 else (1, *mask.shape[-2:])
