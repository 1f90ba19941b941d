"""What torch.compile's graph of forward and backward together gets before it becomes two programs."""

from __future__ import annotations

import operator as _operator
import typing as _t

import torch as _torch
from torch._functorch.partitioners import min_cut_rematerialization_partition as _min_cut

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch.fx import GraphModule, Node

# Of the forward graph's output node: from which output on the backward graph alone sees them.
KEPT = "reel_kept"

_aten = _torch.ops.aten


def _without_statistics(node: Node) -> None:
    """The gradient of a batch norm in training reads the batch's statistics, not the running ones."""
    if node.args[7]:
        node.args = (*node.args[:3], None, None, *node.args[5:])


def _of_pools_alone(places: Node) -> bool:
    """Whether only gradients of max pools read it, as places."""
    backward = _aten.max_pool2d_with_indices_backward.default
    return bool(places.users) and all(
        user.target is backward and user.args[7] is places and places not in user.args[:7] for user in places.users
    )


def _find_places_anew(forward: GraphModule, backward: GraphModule, kept: int) -> None:
    """Gradients of max pools find their places themselves, so that forward does not write them: Reel needs none."""
    out, graph = forward.graph.output_node(), backward.graph
    names = [n.name if isinstance(n, _torch.fx.Node) else "" for n in _t.cast("Sequence[Any]", out.args[0])]
    dropped = set()
    for places in graph.find_nodes(op="placeholder"):
        if not _of_pools_alone(places) or places.name not in names[kept:]:
            continue
        dropped.add(names.index(places.name, kept))
        for node in list(places.users):
            with graph.inserting_before(node):
                pool = graph.call_function(_aten.max_pool2d_with_indices.default, node.args[1:7])
                own = graph.call_function(_operator.getitem, (pool, 1))
            grad = _t.cast("Node", node.args[0])
            own.meta = dict(places.meta)
            pool.meta = {**node.meta, "val": (grad.meta["val"], places.meta["val"])}
            node.args = (*node.args[:7], own)
        graph.erase_node(places)
    if dropped:
        values = _t.cast("Sequence[Any]", out.args[0])
        out.args = (tuple(v for i, v in enumerate(values) if i not in dropped),)
        if "desc" in out.meta:
            out.meta["desc"] = [d for i, d in enumerate(out.meta["desc"]) if i not in dropped]
        for module in (forward, backward):
            module.recompile()


def partition(
    joint: GraphModule, inputs: Any, *, num_fwd_outputs: int, **options: Any
) -> tuple[GraphModule, GraphModule]:
    """PyTorch's partition, which does not keep for the backward graph what is cheap to compute again."""
    for node in joint.graph.find_nodes(op="call_function", target=_aten.native_batch_norm_backward.default):
        _without_statistics(node)
    forward, backward = _min_cut(joint, inputs, num_fwd_outputs=num_fwd_outputs, **options)
    _find_places_anew(forward, backward, num_fwd_outputs)
    forward.graph.output_node().meta[KEPT] = num_fwd_outputs
    return forward, backward
