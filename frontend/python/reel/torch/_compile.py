"""torch.compile(model, backend="reel"): the forward and backward graphs of AOTAutograd as programs of Reel's."""

from __future__ import annotations

import typing as _t
import warnings as _warnings

import torch as _torch
from torch._dynamo.backends.common import aot_autograd as _aot_autograd
from torch._functorch.aot_autograd import make_boxed_func as _boxed
from torch.fx.passes.split_module import split_module as _split_module

from .. import _core
from .. import random as _random
from . import _aten_random, _decompose, _fx, _joint, _layout, _recorded, _recurrent, _run
from ._fx import shared
from ._nodes import Graph, Ref

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._core import Tensor

# Tensors go to Reel and back by the C functions of DLPack.
_EXCHANGE = _torch.Tensor.__dlpack_c_exchange_api__  # type: ignore[attr-defined]


def _order_of(value: Any) -> list[int] | None:
    """The axes by falling stride, if PyTorch would lay out a result in another order than row-major, without gaps."""
    if not isinstance(value, _torch.Tensor) or value.layout != _torch.strided or value.ndim < 2:
        return None
    shape, stride = value.shape, value.stride()
    if not all(isinstance(n, int) for n in (*shape, *stride)) or value.is_contiguous():
        return None
    order = sorted(range(value.ndim), key=lambda d: (-stride[d], d))
    return order if value.permute(order).is_contiguous() else None


def _inverse(order: Sequence[int]) -> list[int]:
    return sorted(range(len(order)), key=order.__getitem__)


def _as_lying(x: Tensor, order: list[int] | None) -> Any:
    """What an input is whose memory has the axes in that order, x being its memory."""
    if order is None:
        return x
    return _layout.ChannelsLast(x) if order == _layout.order_of(x.ndim) else _core.permute_dims(x, _inverse(order))


class _Program:
    """A graph traced for some numbers among its inputs and for shapes.

    `ins`, `outs`: axes of inputs and outputs in the order of their memory, None if that is row-major. Outputs from
    `kept` on are for the backward graph alone: the order of an image is what it has.
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Any],
        ins: Sequence[list[int] | None],
        outs: Sequence[list[int] | None],
        kept: int,
    ) -> None:
        self._outputs: list[Any] = []  # per output: None for a tensor of the program, an input's place, or (a value,)
        self.orders: dict[int, list[int]] = {}  # of outputs that are not row-major
        tensors = [i for i, x in enumerate(inputs) if isinstance(x, _torch.Tensor)]
        self._tensors = None if len(tensors) == len(inputs) else tensors
        self._ins = [(at, order) for at, i in enumerate(tensors) if (order := ins[i]) is not None]
        places = {name: i for i, name in enumerate(graph.inputs)}

        self._draws = any(node.target in _aten_random.DRAWS for node in graph.nodes)

        def traced(*symbolic: Tensor) -> list[Tensor]:
            values = list(inputs)
            for i, x in zip(tensors, symbolic):
                values[i] = _as_lying(x, ins[i])
            results = []
            with _aten_random.drawing_from(_random.Generator.from_key(symbolic[-1]) if self._draws else None):
                given = _run.stored(graph, values)
            for out, ref, order in zip(given, graph.output, outs):
                at = len(self._outputs)
                if isinstance(ref, Ref) and ref.name in places:  # the very tensor that came
                    self._outputs.append(places[ref.name])
                elif isinstance(out, (_core.Tensor, _layout.ChannelsLast)):
                    if at >= kept and isinstance(out, _layout.ChannelsLast):
                        out, order = out.tensor, _layout.order_of(out.tensor.ndim)
                    else:
                        out = _layout.first(out)
                        out = out if order is None else _core.permute_dims(out, order)
                    if order is not None:
                        self.orders[at] = order
                    self._outputs.append(None)
                    results.append(out)
                else:
                    self._outputs.append((out,))
            return results

        specs = [self._spec(inputs[i], ins[i]) for i in tensors]
        specs += [_core.TensorSpec((2,), _core.int64)] * self._draws
        self._call = _core._trace_program(traced, specs, "torch").call_shared  # type: ignore[attr-defined]
        self._inverse = [(i, _inverse(order)) for i, order in self.orders.items()]
        self._others = [(i, o) for i, o in enumerate(self._outputs) if o is not None]

    @staticmethod
    def _spec(x: _torch.Tensor, order: list[int] | None) -> Any:
        shape = tuple(x.shape) if order is None else tuple(x.shape[d] for d in order)
        return _core.TensorSpec(shape, getattr(_core, _fx.dtype_name(x.dtype)))

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        tensors = inputs if self._tensors is None else [inputs[i] for i in self._tensors]
        if self._ins:
            tensors = list(tensors)
            for i, order in self._ins:
                tensors[i] = tensors[i].permute(order)
        if self._draws:  # a key of PyTorch's generator, so that its seed and state decide
            tensors = [*tensors, _torch.empty(2, dtype=_torch.int64).random_()]
        out = _t.cast("list[Any]", self._call(_EXCHANGE, tensors))
        for i, o in self._others:
            out.insert(i, inputs[o] if isinstance(o, int) else o[0])
        for i, inverse in self._inverse:
            out[i] = out[i].permute(inverse)
        return out


def _report_strides(orders: dict[int, list[int]], kinds: Sequence[Any]) -> None:
    """Tells AOTAutograd how outputs lie for which PyTorch expects another order, for the backward graph's inputs."""
    context = _torch._guards.TracingContext.try_get()
    if context is None or context.output_strides is None:
        return
    for i, kind in enumerate(kinds):
        strides = None
        if i in orders:
            memory = _torch.empty([kind.shape[d] for d in orders[i]], device="meta")
            strides = tuple(memory.permute(_inverse(orders[i])).stride())
        context.output_strides.append(strides)


class _Compiled:
    """A module of ATen operators, all of which Reel has."""

    def __init__(self, module: _torch.fx.GraphModule, example_inputs: Sequence[Any]) -> None:
        self._graph = _fx.graph_of(module, shared)
        node = module.graph.output_node()
        out = node.args[0]
        self._single = not isinstance(out, (tuple, list))
        if self._single:
            self._graph.output = [self._graph.output]
        outputs = [out] if self._single else out
        given = [n.meta.get("val") if isinstance(n, _torch.fx.Node) else None for n in outputs]
        self._outs = [_order_of(v) for v in given]
        kinds = [n.meta.get("val") for n in module.graph.nodes if n.op == "placeholder"]
        self._numbers = [i for i, v in enumerate(kinds) if not isinstance(v, _torch.Tensor)]
        self._open = [
            i for i, v in enumerate(kinds)
            if isinstance(v, _torch.Tensor) and not all(isinstance(n, int) for n in v.shape)
        ]  # fmt: skip
        self._static = not self._numbers and not self._open
        self._programs: dict[Any, _Program] = {}
        self._only = None
        if self._static:
            ins = [_order_of(x) for x in example_inputs or kinds]
            self._only = _Program(self._graph, kinds, ins, self._outs, node.meta.get(_joint.KEPT, len(outputs)))
            _report_strides(self._only.orders, given)
        self._boxed_call = True  # AOTAutograd gives a list

    @property
    def program(self) -> _Program | None:
        """The one that every call runs, if there is one."""
        return None if self._single else self._only

    def __call__(self, inputs: Sequence[Any]) -> Any:
        program = self._only or self._of(inputs)
        out = program(inputs)
        return out[0] if self._single else out

    def _of(self, inputs: Sequence[Any]) -> _Program:
        key = (*(inputs[i] for i in self._numbers), *(tuple(inputs[i].shape) for i in self._open))
        program = self._programs.get(key)
        if program is None:
            plain = [None] * len(inputs)  # of any order: what is not row-major is copied
            program = self._programs[key] = _Program(self._graph, inputs, plain, self._outs, len(self._outs))
        return program


def _lacks(node: _torch.fx.Node) -> list[str]:
    if node.op != "call_function":
        return []
    return _run.missing([_fx.node_of(node)], traced=True)


def _warn(lines: Sequence[str]) -> None:
    """One warning for each op."""
    for line in {line.split(":")[0]: line for line in reversed(lines)}.values():
        _warnings.warn(f'torch.compile(backend="reel"): PyTorch runs its part of the graph: {line}', stacklevel=3)


def _parts(module: _torch.fx.GraphModule) -> Callable[..., Any]:
    """The module with each run of ops that Reel has compiled, and PyTorch running the rest."""
    own: dict[_torch.fx.Node, int] = {}
    part, before, kinds = 0, None, []
    for node in module.graph.nodes:
        if node.op in ("placeholder", "output", "get_attr"):
            continue
        if _fx.name_of(node.target) == "getitem" and node.args[0] in own:
            own[node] = own[node.args[0]]  # lists stay within a part
            continue
        here = not _lacks(node)
        if here != before:
            part, before = part + 1, here
            kinds.append(here)
        own[node] = part
    split = _split_module(module, module, lambda node: own[node])  # type: ignore[arg-type]
    for name, child in list(split.named_children()):
        if kinds[int(name.removeprefix("submod_")) - 1]:
            setattr(split, name, _Inlined(child))
    return split


class _Inlined(_torch.nn.Module):
    """A compiled part, as a submodule; traced at its first call for the shapes that it then sees."""

    def __init__(self, child: _torch.fx.GraphModule) -> None:
        super().__init__()
        self._run = _Compiled(child, ())

    def forward(self, *inputs: Any) -> Any:
        return self._run(inputs)


def compile_graph(module: _torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """What runs a module of ATen operators: a function of the list of its inputs, a _Compiled if Reel has them all."""
    lines = [line for node in module.graph.nodes for line in _lacks(node)]
    _warn(lines)
    if not lines:
        try:
            return _Compiled(module, example_inputs)
        except _core.Error as error:  # what an op of this kind and shape cannot do
            _warn([str(error)])
            return _t.cast("Callable[..., Any]", _boxed(module))
    return _t.cast("Callable[..., Any]", _boxed(_parts(module)))


def backend(module: _torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """Compiles a graph that TorchDynamo found, with its backward pass."""
    _recurrent.keep_whole(module)
    halves = _recorded.Halves(compile_graph, lambda run: run.program if isinstance(run, _Compiled) else None)
    with _decompose.attention_by_products():
        compiler = _aot_autograd(
            fw_compiler=halves.forward,
            bw_compiler=halves.backward,
            inference_compiler=compile_graph,
            decompositions=_decompose.for_training(),
            partition_fn=_joint.partition,
        )
        return halves.joined(_t.cast("Callable[..., Any]", compiler(module, inputs)), inputs)
