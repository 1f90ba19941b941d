"""Calls of torch.compile(backend="reel") that record gradients, in few frames of Python.

AOTAutograd's autograd.Function of a graph serves inputs that the graph changes, results that are views, subclasses of
tensors and open extents. Where a graph has none of these, a class derived from it calls Reel's two programs at once.
"""

from __future__ import annotations

import typing as _t

import torch as _torch
from torch._functorch._aot_autograd.schemas import MutationType as _MutationType
from torch._functorch._aot_autograd.schemas import OutputType as _OutputType

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from torch.fx import GraphModule

    Compiler = Callable[[GraphModule, Sequence[Any]], Any]

# Results that are tensors of their own once a program has made them.
_FRESH = (_OutputType.non_alias, _OutputType.unsafe_view_alias)


class Program(_t.Protocol):
    """A compiled graph of one set of shapes; `orders` has the outputs that are views: of other memory order than row-major."""

    orders: dict[int, list[int]]

    def __call__(self, inputs: Sequence[Any]) -> list[Any]: ...


def _is_plain(metadata: Any) -> bool:
    """Whether forward's outputs are the results, then what backward reads, and backward's are the inputs' gradients."""
    none = (
        metadata.num_intermediate_bases, metadata.num_outputs_rng_offset, metadata.num_backward_tokens,
        metadata.num_graphsafe_rng_states, metadata.num_symints_saved_for_bw, metadata.num_opaque_objects_saved_for_bw,
        metadata.num_tensors_saved_with_no_vc_check, len(metadata.tokens), len(metadata.dynamic_saved_tensors_idxs),
    )  # fmt: skip
    unchanged = all(i.mutation_type == _MutationType.NOT_MUTATED for i in metadata.input_info)
    fresh = all(o.output_type in _FRESH and issubclass(o.raw_type, _torch.Tensor) for o in metadata.output_info)
    return not any(none) and unchanged and fresh


class Halves:
    """The two graphs of a function that records gradients, as AOTAutograd gives them to its compilers.

    The backward graph comes when it is first wanted.
    """

    def __init__(self, compiler: Compiler, program_of: Callable[[Any], Program | None]) -> None:
        self._compiler, self._program_of = compiler, program_of
        self.metadata: Any = None
        self._forward: Program | None = None
        self.backward_program: Program | None = None
        self._gradients: Sequence[Any] | None = None  # of the inputs, once known: None where there is none

    def forward(self, module: GraphModule, inputs: Sequence[Any]) -> Any:
        run = self._compiler(module, inputs)
        context = _torch._guards.TracingContext.try_get()
        self.metadata = context and context.fw_metadata
        self._forward = self._program_of(run)
        return run

    def backward(self, module: GraphModule, inputs: Sequence[Any]) -> Any:
        run = self._compiler(module, inputs)
        self.backward_program = self._program_of(run)
        self._gradients = _t.cast("Sequence[Any]", module.graph.output_node().args[0])
        return run

    def _all_differ(self) -> bool | None:
        """Whether no input is a result that gets no gradient, which AOTAutograd detaches; None if not known yet."""
        results = [i for i, info in enumerate(self.metadata.input_info) if info.requires_grad and not info.is_leaf]
        if not results or self._gradients is None:
            return None if results else True
        return all(self._gradients[i] is not None for i in results)

    def joined(self, call: Callable[..., Any], inputs: Sequence[Any]) -> Callable[..., Any]:
        """What runs them: `call`, AOTAutograd's function of both, and after its first calls something shorter."""
        known = self.metadata and self.metadata.input_info
        if self._forward is None or not known or len(known) != len(inputs) or not _is_plain(self.metadata):
            return call
        forward, direct = self._forward, _t.cast("Callable[..., Any] | None", None)

        def run(*inputs: Any) -> Any:
            nonlocal direct
            if direct is not None:
                return direct(*inputs)
            results = call(*inputs)
            differ = self._all_differ()
            if differ is not None:
                # The class that its results come from.
                node = next((y.grad_fn for y in results if y.grad_fn is not None), None)
                general = getattr(type(node), "_forward_cls", None)
                direct = _derived(general, forward, self).apply if differ and general else call
            return results

        return run


def _derived(general: Any, forward: Program, halves: Halves) -> Any:
    """The autograd.Function `general` of AOTAutograd's, for a plain graph."""
    infos = halves.metadata.output_info
    count = len(infos)
    constant = [i for i, o in enumerate(infos) if not o.requires_grad]
    differentiated = [i for i, o in enumerate(infos) if o.requires_grad_for_backward]
    all_are = len(differentiated) == count
    views = [i for i in forward.orders if i >= count]

    class Recorded(general):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> tuple[Any, ...]:
            found = forward(inputs)
            for i in views:  # as AOTAutograd does: what is kept is nobody's view
                found[i] = found[i].detach()
            ctx.save_for_backward(*found[count:])
            if constant:
                ctx.mark_non_differentiable(*[found[i] for i in constant])
                ctx._materialize_non_diff_grads = False
            return tuple(found[:count])

        @staticmethod
        def backward(ctx: Any, grads: list[Any]) -> Any:
            program = halves.backward_program
            if program is None or _torch.is_grad_enabled():
                return general.backward(ctx, grads)  # compiles it; with create_graph=True refuses second derivatives
            given = [*ctx.saved_tensors, *(grads if all_are else [grads[i] for i in differentiated])]
            grads.clear()
            if general.clear_saved_tensors_on_access:
                ctx.maybe_clear_saved_tensors()
            return tuple(program(given))

    of_calls = _t.cast("Any", Recorded)._backward_cls  # what the general one's forward would set at each call
    of_calls.symints = of_calls.opaque_objects = ()
    return Recorded
