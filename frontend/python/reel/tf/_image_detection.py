"""Boxes of several classes and images, and boxes drawn into images; eager, like what they are made of."""

from __future__ import annotations

import collections as _collections
import typing as _t

from .. import _core
from ._args import integer
from ._convert import to_core
from ._image_boxes import non_max_suppression
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import InvalidArgumentError, UnimplementedError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor

_NONE = float("-inf")

CombinedNonMaxSuppression = _collections.namedtuple(
    "CombinedNonMaxSuppression", ["nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"]
)


def _known(op, *tensors):
    cores = [to_core(t) for t in tensors]
    if any(t.symbolic for t in cores):
        raise UnimplementedError(f"{op}: what it does depends on values; call it eagerly")
    return [t.numpy() for t in cores]


def non_max_suppression_padded(
    boxes: ArrayLike,
    scores: ArrayLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = _NONE,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """(indices, how many are valid) of non_max_suppression; with zeros up to max_output_size if they are padded. One image."""
    if len(to_core(boxes).shape) != 2:
        raise UnimplementedError("non_max_suppression_padded: boxes [n, 4] of one image; call it once for each")
    most = integer(max_output_size, "max_output_size")
    kept = non_max_suppression(boxes, scores, most, iou_threshold, score_threshold)._t
    valid = wrap(_core.asarray(kept.size, _core.int32))
    return wrap(_core.pad(kept, [(0, most - kept.size)]) if pad_to_max_output_size else kept), valid


def _of_image(np, boxes, scores, per_class, total, overlap, low):
    """(score, class, box) of what is kept of one image, the highest scores first."""
    found = []
    for c in range(scores.shape[1]):
        own = boxes[:, min(c, boxes.shape[1] - 1)]
        kept = non_max_suppression(own, scores[:, c], per_class, overlap, low).numpy()
        found += [(scores[i, c], c, own[i]) for i in kept]
    return sorted(found, key=lambda row: -row[0])[:total]


def combined_non_max_suppression(
    boxes: ArrayLike,
    scores: ArrayLike,
    max_output_size_per_class: int,
    max_total_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = _NONE,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """Boxes, scores, classes and their numbers of what is kept of each class and image: boxes [images, n, classes or 1, 4],
    scores [images, n, classes]. Eager only.
    """
    import numpy as np

    b, s = _known("CombinedNonMaxSuppression", boxes, scores)
    if b.ndim != 4 or s.ndim != 3 or b.shape[:2] != s.shape[:2] or b.shape[2] not in (1, s.shape[2]):
        raise InvalidArgumentError(
            f"CombinedNonMaxSuppression: boxes [images, n, classes or 1, 4] and scores [images, n, classes] are needed, got "
            f"{b.shape} and {s.shape}"
        )
    per_class, total = integer(max_output_size_per_class), integer(max_total_size)
    size = min(total, per_class * s.shape[2]) if pad_per_class else total
    out_boxes, out_scores = np.zeros((len(b), size, 4), np.float32), np.zeros((len(b), size), np.float32)
    classes, valid = np.zeros((len(b), size), np.float32), np.zeros(len(b), np.int32)
    for i in range(len(b)):
        kept = _of_image(np, b[i], s[i], per_class, size, float(iou_threshold), float(score_threshold))
        valid[i] = len(kept)
        for j, (score, c, box) in enumerate(kept):
            out_boxes[i, j], out_scores[i, j], classes[i, j] = box, score, c
    if clip_boxes:
        out_boxes = out_boxes.clip(0, 1)
    return CombinedNonMaxSuppression(*(wrap(_core.asarray(x)) for x in (out_boxes, out_scores, classes, valid)))


def draw_bounding_boxes(images: ArrayLike, boxes: ArrayLike, colors: ArrayLike, name: str | None = None) -> Tensor:
    """Images [n, height, width, channels] with the frames of boxes [n, boxes, 4], shares of height and width, in colors
    [m, channels] one after the other. Eager only.
    """
    if colors is None:
        raise UnimplementedError("draw_bounding_boxes: give colors, a matrix [m, channels]")
    x, b, paint = (a.copy() for a in _known("DrawBoundingBoxesV2", images, boxes, colors))
    if x.ndim != 4 or b.ndim != 3 or b.shape[0] != x.shape[0] or b.shape[2] != 4:
        raise InvalidArgumentError(
            f"DrawBoundingBoxes: images [n, h, w, channels] and boxes [n, boxes, 4] are needed, got {x.shape} and {b.shape}"
        )
    height, width = x.shape[1:3]
    for i, rows in enumerate(b):
        for j, (y0, x0, y1, x1) in enumerate(rows):
            top, bottom = int(y0 * (height - 1)), int(y1 * (height - 1))
            left, right = int(x0 * (width - 1)), int(x1 * (width - 1))
            if top > bottom or left > right or top >= height or bottom < 0 or left >= width or right < 0:
                continue
            color = paint[j % len(paint)][: x.shape[3]]
            across, down = slice(max(left, 0), right + 1), slice(max(top, 0), bottom + 1)
            for row in (top, bottom):
                if 0 <= row < height:
                    x[i, row, across] = color
            for column in (left, right):
                if 0 <= column < width:
                    x[i, down, column] = color
    return wrap(_core.asarray(x))


_all_in_graph(globals())
