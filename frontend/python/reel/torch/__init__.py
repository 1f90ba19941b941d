"""PyTorch's models in Reel, and Reel as a compiler of PyTorch's.

    import reel.torch

    f = reel.from_torch(model, (x,))                  # a function of Reel's; f.variables share the model's memory
    fast = torch.compile(model, backend="reel")       # forward and backward in Reel's code, tensors without copies

PyTorch is needed for these two alone: the table of its operators (_aten_*) is plain Reel.
"""

from __future__ import annotations

import importlib.util as _util
import typing as _typing

from .. import _core

if _typing.TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ._import import TorchFunction

__all__ = ["from_torch", "to_state_dict"]


def _require() -> None:
    if _util.find_spec("torch") is None:
        raise _core.FailedPreconditionError("reel.torch: PyTorch is not installed; run: pip install torch")


def from_torch(
    model: Any,
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
) -> TorchFunction:
    """A model of PyTorch's as a function of Reel's, which can be differentiated, compiled and exported.

    model: a torch.nn.Module, which torch.export exports for `args`, `kwargs` and `dynamic_shapes`; or what
    torch.export.export returned. Calls take tensors, arrays or PyTorch's tensors, nested as the module's arguments, and
    give what the module gives, with Reel's tensors. Parameters and buffers are variables with PyTorch's names; they
    share the module's memory until they are assigned. Buffers that the module changes are assigned. Dropout draws from
    reel.random. One error lists all ops and dtypes that Reel does not have, with their source lines.
    """
    _require()
    from . import _import

    return _import.from_torch(model, args, kwargs, dynamic_shapes)


def to_state_dict(function: TorchFunction) -> dict[str, Any]:
    """The variables of a from_torch as PyTorch's tensors, by name: for model.load_state_dict."""
    _require()
    from . import _import

    return _import.to_state_dict(function)


def backend(module: Any, inputs: Sequence[Any], **options: Any) -> Any:
    """What torch.compile(..., backend="reel") calls."""
    _require()
    from . import _compile

    return _compile.backend(module, inputs)


if _util.find_spec("torch") is not None:
    from torch._dynamo.backends import registry as _registry

    if "reel" not in _registry._COMPILER_FNS:
        _registry.register_backend(backend, name="reel")  # type: ignore[no-untyped-call,unused-ignore]
