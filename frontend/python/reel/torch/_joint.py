"""What torch.compile's graph of forward and backward together gets before it becomes two programs."""

from __future__ import annotations

import typing as _t

import torch as _torch
from torch._functorch.partitioners import min_cut_rematerialization_partition as _min_cut

if _t.TYPE_CHECKING:
    from typing import Any

    from torch.fx import Graph, GraphModule, Node

# Of the forward graph's output node: from which output on the backward graph alone sees them.
KEPT = "reel_kept"

_aten = _torch.ops.aten


def _without_places(graph: Graph, node: Node) -> None:
    """A max pool's gradient with places that it finds itself, so that forward does not write them: Reel needs none."""
    places = node.args[-1]
    pool = _t.cast("Node", _t.cast("Node", places).args[0])
    with graph.inserting_before(node):
        again = graph.call_function(pool.target, pool.args, pool.kwargs)  # type: ignore[arg-type]
        own = graph.call_function(_t.cast("Node", places).target, (again, 1))  # type: ignore[arg-type]
    for new, old in ((again, pool), (own, _t.cast("Node", places))):
        new.meta = {**old.meta, "partitioner_tag": "is_backward"}
    node.args = (*node.args[:-1], own)


def _without_statistics(node: Node) -> None:
    """The gradient of a batch norm in training reads the batch's statistics, not the running ones."""
    if node.args[7]:
        node.args = (*node.args[:3], None, None, *node.args[5:])


def partition(
    joint: GraphModule, inputs: Any, *, num_fwd_outputs: int, **options: Any
) -> tuple[GraphModule, GraphModule]:
    """PyTorch's partition, which does not keep for the backward graph what is cheap to compute again."""
    for node in list(joint.graph.nodes):
        if node.target is _aten.max_pool2d_with_indices_backward.default:
            _without_places(joint.graph, node)
        elif node.target is _aten.native_batch_norm_backward.default:
            _without_statistics(node)
    forward, backward = _min_cut(joint, inputs, num_fwd_outputs=num_fwd_outputs, **options)
    forward.graph.output_node().meta[KEPT] = num_fwd_outputs
    return forward, backward
