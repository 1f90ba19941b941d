"""reel.from_torch: an exported program as a function on Reel's variables."""

from __future__ import annotations

import typing as _t

import torch as _torch
import torch.utils._pytree as _pytree
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind as _In
from torch.export.graph_signature import OutputKind as _Out

from .. import _core
from . import _decompose, _fx, _run
from ._fx import shared

if _t.TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .._core import Variable


def _as_input(x: Any) -> Any:
    return shared(x) if isinstance(x, _torch.Tensor) else _core.asarray(x) if hasattr(x, "__array__") else x


class TorchFunction:
    """A model of PyTorch's as a function of Reel's: what from_torch returns.

    `variables`, by PyTorch's names; `trainable_variables`: the parameters that require gradients.
    """

    def __init__(self, program: ExportedProgram) -> None:
        module = program.graph_module
        signature = program.graph_signature
        self._graph = _fx.graph_of(module, shared)
        _run.require(self._graph, "from_torch")
        self._in, self._out = program.call_spec.in_spec, program.call_spec.out_spec
        self._named: dict[str, Variable] = {}
        self._sources: list[Any] = []  # of each input of the graph: a variable, a constant, or None for an argument
        made: dict[tuple[int, tuple[int, ...]], Variable] = {}
        for spec in signature.input_specs:
            self._sources.append(self._source(program, spec, made))
        self._updates: list[tuple[int, Variable]] = []
        self._results: list[int] = []
        self._mutated: list[str] = []
        for i, out in enumerate(signature.output_specs):
            if out.kind == _Out.BUFFER_MUTATION:
                self._updates.append((i, self._named[_t.cast("str", out.target)]))
            elif out.kind == _Out.USER_OUTPUT:
                self._results.append(i)
            elif out.kind == _Out.USER_INPUT_MUTATION:
                self._mutated.append(_t.cast("str", out.target))
        if self._mutated:
            raise _core.UnimplementedError(
                f"from_torch: the model writes to its inputs {self._mutated}; Reel's tensors do not change: clone them"
            )

    def _source(self, program: ExportedProgram, spec: Any, made: dict[Any, Variable]) -> Any:
        """What an input of the graph is."""
        if spec.kind == _In.USER_INPUT:
            return None
        if spec.kind not in (_In.PARAMETER, _In.BUFFER):
            value = program.constants[spec.target]
            return shared(value) if isinstance(value, _torch.Tensor) else value
        value = program.state_dict[spec.target] if spec.persistent is not False else program.constants[spec.target]
        key = (value.data_ptr(), tuple(value.shape))
        if key not in made or not value.numel():
            trainable = spec.kind == _In.PARAMETER and value.requires_grad
            made[key] = _core.Variable(shared(value), trainable=trainable, name=spec.target)
        self._named[spec.target] = made[key]
        return made[key]

    @property
    def variables(self) -> list[Variable]:
        """Parameters and buffers; one that has several names once."""
        return list(dict.fromkeys(self._named.values()))

    @property
    def trainable_variables(self) -> list[Variable]:
        """Parameters that require gradients."""
        return [v for v in self.variables if v.trainable]

    @property
    def named_variables(self) -> dict[str, Variable]:
        """Variables by all of their names in PyTorch."""
        return dict(self._named)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result for arguments nested as the exported ones."""
        leaves, structure = _pytree.tree_flatten((args, kwargs))
        if self._in is not None and structure != self._in:
            raise _core.InvalidArgumentError(
                f"from_torch: the arguments have the structure {structure}, the model was exported for {self._in}"
            )
        given = iter(map(_as_input, leaves))
        inputs = [
            next(given) if s is None else s.value() if isinstance(s, _core.Variable) else s for s in self._sources
        ]
        results = _run.run(self._graph, inputs, layouts=True)
        for i, variable in self._updates:
            variable.assign(results[i])
        return _pytree.tree_unflatten([results[i] for i in self._results], self._out)


def from_torch(model: Any, args: Any, kwargs: Mapping[str, Any] | None, dynamic_shapes: Any) -> TorchFunction:
    """See reel.from_torch."""
    if isinstance(model, _torch.nn.Module):
        if args is None:
            raise _core.InvalidArgumentError(
                "from_torch: a module needs the arguments of a call: from_torch(model, (x,))"
            )
        model = _torch.export.export(model, tuple(args), dict(kwargs or {}), dynamic_shapes=dynamic_shapes)
    if not isinstance(model, ExportedProgram):
        raise _core.InvalidTypeError(
            f"from_torch: expected a torch.nn.Module or what torch.export.export returns, not {type(model).__name__}"
        )
    return TorchFunction(model.run_decompositions(_decompose.for_import()))


def to_state_dict(function: TorchFunction) -> dict[str, Any]:
    """See reel.torch.to_state_dict."""
    return {k: _torch.from_dlpack(v.value()).clone() for k, v in function.named_variables.items()}
