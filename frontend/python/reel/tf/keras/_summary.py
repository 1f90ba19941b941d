"""Model.summary: a table of layers."""

from __future__ import annotations as _annotations

import math as _math
import typing as _t

from .. import dtypes as _dtypes
from .. import nest as _nest

if _t.TYPE_CHECKING:
    from typing import Any


def _count(variables):
    return sum(_math.prod(v.shape) for v in variables)


def _bytes(variables):
    return sum(_math.prod(v.shape) * _dtypes.as_dtype(v.dtype).size for v in variables)


def _size(n):
    for unit in ("B", "KB", "MB", "GB"):
        if n < 1024 or unit == "GB":
            return f"{n:.2f} {unit}"
        n /= 1024
    return ""


def _output(layer):
    try:
        shapes = _nest.flatten(_nest.map_structure(lambda x: str(tuple(x.shape)), layer.output))
    except AttributeError:
        return "?"
    return ", ".join(shapes)


def _rows(layers, expand, trainable, indent=""):
    rows = []
    for layer in layers:
        inner = getattr(layer, "layers", None)
        name = f"{indent}{layer.name} ({type(layer).__name__})"
        count = f"{_count(layer.weights):,}" if layer.built else "0 (unbuilt)"
        row = [name, _output(layer), count]
        rows.append(row + (["Y" if layer.trainable else "N"] if trainable else []))
        if expand and inner is not None:
            rows += _rows(inner, expand, trainable, indent + "  ")
    return rows


def table(model: Any, expand: bool, trainable: bool, layer_range: Any, line_length: int | None) -> str:
    """The table as text."""
    head = ["Layer (type)", "Output Shape", "Param #"] + (["Trai…"] if trainable else [])
    layers = model.layers
    if layer_range is not None:
        names = [layer.name for layer in layers]
        layers = layers[names.index(layer_range[0]) : names.index(layer_range[1]) + 1]
    rows = _rows(layers, expand, trainable)
    least = [33, 24, 15, 7]
    widths = [max(w, *(len(r[i]) + 2 for r in (head, *rows))) for i, w in enumerate(least[: len(head)])]
    if line_length is not None:
        widths[0] = max(widths[0], line_length - sum(widths[1:]) - len(widths) - 1)

    def line(cells, bar):
        parts = [f" {c:>{w - 2}} " if i == 2 else f" {c:<{w - 2}} " for i, (c, w) in enumerate(zip(cells, widths))]
        return bar + bar.join(parts) + bar

    def rule(left, fill, middle, right):
        return left + middle.join(fill * w for w in widths) + right

    lines = [f'Model: "{model.name}"', rule("┏", "━", "┳", "┓"), line(head, "┃"), rule("┡", "━", "╇", "┩")]
    for i, row in enumerate(rows):
        lines += ([rule("├", "─", "┼", "┤")] if i else []) + [line(row, "│")]
    lines.append(rule("└", "─", "┴", "┘"))
    yes, no = model.trainable_weights, model.non_trainable_weights
    optimizer = getattr(getattr(model, "optimizer", None), "variables", None)
    optimizer = [] if optimizer is None or not getattr(model.optimizer, "built", True) else list(optimizer)
    kinds = [("Total", [*yes, *no, *optimizer]), ("Trainable", yes), ("Non-trainable", no)]
    kinds += [("Optimizer", optimizer)] if optimizer else []
    lines += [f" {kind} params: {_count(found):,} ({_size(_bytes(found))})" for kind, found in kinds]
    return "\n".join(lines)
