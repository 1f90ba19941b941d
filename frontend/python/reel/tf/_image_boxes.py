"""Boxes of images that overlap: those with the highest scores are kept."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._args import integer, number
from ._convert import to_core
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import InvalidArgumentError, UnimplementedError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor

_NONE = float("-inf")


def _overlaps(np, boxes):
    """Intersection over union of each pair of boxes [y1, x1, y2, x2], corners in any order."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    area = np.prod(high - low, -1)

    def of(i, j):
        shared = np.prod(np.maximum(np.minimum(high[i], high[j]) - np.maximum(low[i], low[j]), 0))
        return shared / (area[i] + area[j] - shared) if area[i] > 0 and area[j] > 0 else 0.0

    return of


class _Rule(_t.NamedTuple):
    """When a candidate goes: its overlap with one that is kept, its score; sigma: how scores fall with overlaps."""

    overlap: float
    score: float
    sigma: float = 0.0

    def weight(self, np, overlap):
        if overlap > self.overlap:
            return 0.0
        return float(np.exp(-0.5 * overlap * overlap / self.sigma)) if self.sigma > 0 else 1.0


def _kept(np, overlap: Callable[[int, int], float], scores: Any, most: int, rule: _Rule) -> list[tuple[int, float]]:
    """(index, score) of what is kept, the highest score first, of equal ones the first."""
    import heapq

    if most < 0:
        raise InvalidArgumentError(f"NonMaxSuppression: max_output_size must not be negative, got {most}")

    waiting = [(-float(s), i, 0) for i, s in enumerate(scores) if s > rule.score]
    heapq.heapify(waiting)
    kept: list[tuple[int, float]] = []
    while waiting and len(kept) < most:
        negative, i, seen = heapq.heappop(waiting)
        score = before = -negative
        for j, _ in reversed(kept[seen:]):
            score *= rule.weight(np, overlap(i, j))
            if score <= rule.score or score == 0.0:
                break
        if score == before:
            kept.append((i, score))
        elif score > rule.score and score > 0.0:
            heapq.heappush(waiting, (-score, i, len(kept)))
    return kept


def _arrays(op, *tensors):
    cores = [to_core(t) for t in tensors]
    if any(t.symbolic for t in cores):
        raise UnimplementedError(f"{op}: the number of results depends on values; call it eagerly")
    return [t.numpy() for t in cores]


def _boxes(op, boxes, scores):
    b, s = _arrays(op, boxes, scores)
    if b.ndim != 2 or b.shape[1] != 4 or s.shape != b.shape[:1]:
        raise InvalidArgumentError(f"{op}: boxes [n, 4] and scores [n] are needed, got {b.shape} and {s.shape}")
    return b, s


def _results(kept, dtype):
    indices = _core.asarray([i for i, _ in kept], _core.int32) if kept else _core.zeros((0,), dtype=_core.int32)
    scores = _core.asarray([s for _, s in kept], dtype) if kept else _core.zeros((0,), dtype=dtype)
    return wrap(indices), wrap(scores)


def non_max_suppression(
    boxes: ArrayLike,
    scores: ArrayLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = _NONE,
    name: str | None = None,
) -> Tensor:
    """int32 indices of boxes [n, 4] by falling score, without those that overlap one before by more. Eager only."""
    return non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold, score_threshold)[0]


def non_max_suppression_with_scores(
    boxes: ArrayLike,
    scores: ArrayLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = _NONE,
    soft_nms_sigma: float = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """(indices, scores) of what is kept. soft_nms_sigma: scores times exp(-overlap^2 / (2 sigma)) of what overlaps."""
    import numpy as np

    b, s = _boxes("NonMaxSuppressionV5", boxes, scores)
    rule = _Rule(
        number(iou_threshold, "iou_threshold"),
        number(score_threshold, "score_threshold"),
        number(soft_nms_sigma, "soft_nms_sigma"),
    )
    if not 0.0 <= rule.overlap <= 1.0:
        raise InvalidArgumentError(f"NonMaxSuppression: iou_threshold must be in [0, 1], got {rule.overlap}")
    kept = _kept(np, _overlaps(np, b), s, integer(max_output_size, "max_output_size"), rule)
    return _results(kept, to_core(scores).dtype)


def non_max_suppression_overlaps(
    overlaps: ArrayLike,
    scores: ArrayLike,
    max_output_size: int,
    overlap_threshold: float = 0.5,
    score_threshold: float = _NONE,
    name: str | None = None,
) -> Tensor:
    """non_max_suppression with the overlaps [n, n] given. Eager only."""
    import numpy as np

    o, s = _arrays("NonMaxSuppressionWithOverlaps", overlaps, scores)
    if o.ndim != 2 or o.shape[0] != o.shape[1] or s.shape != o.shape[:1]:
        raise InvalidArgumentError(
            f"NonMaxSuppressionWithOverlaps: overlaps [n, n] and scores [n] are needed, got {o.shape} and {s.shape}"
        )
    rule = _Rule(number(overlap_threshold, "overlap_threshold"), number(score_threshold, "score_threshold"))
    kept = _kept(np, lambda i, j: float(o[i, j]), s, integer(max_output_size, "max_output_size"), rule)
    return _results(kept, to_core(scores).dtype)[0]


_all_in_graph(globals())
