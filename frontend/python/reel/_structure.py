"""Models as texts: trees of layers with their arguments, and tables of outputs and parameters."""

import inspect
from collections.abc import Sequence
from typing import Any

from . import _core
from ._core import Variable
from ._core.nn import Layer, Residual, Sequential

INDENT = "    "


def _is_module(x):
    return hasattr(x, "_is_reel_module")


def _shown(value):
    """An argument as its program says it, briefly."""
    if isinstance(value, _core.Tensor):
        return f"<{value.dtype} {list(value.shape)}>"
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else f"<{type(value).__name__}>"


def _differs(value, default):
    return type(value) is not type(default) or value != default


def _arguments(x):
    """What made a layer, "8, 'tanh', use_bias=False", without what is as it is by default."""
    if not hasattr(x, "_made"):
        return ""
    maker, positional, keywords = x._made
    parameters = [p for p in inspect.signature(maker).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    out, by_name = [], False
    for p, value in zip(parameters, positional):
        if p.default is not p.empty and not _differs(value, p.default):
            by_name = True
        else:
            out.append(f"{p.name}={_shown(value)}" if by_name else _shown(value))
    out += [f"{k}={_shown(v)}" for k, v in keywords.items() if v is not None]
    return ", ".join(out)


def label(x: Any) -> str:
    """A layer, module or function in one line."""
    if isinstance(x, Variable):
        return f"Variable({x.dtype}, {x.shape})"
    if isinstance(x, (Sequential, Residual)) or _is_module(x):
        return type(x).__name__
    if hasattr(x, "_made"):
        return f"{type(x).__name__}({_arguments(x)})"
    return getattr(x, "__name__", None) or type(x).__name__


def _items(x):
    """(name, object) of what is inside a module, a list or a dict, as far as it has layers or variables."""
    if isinstance(x, dict):
        pairs = x.items()
    elif isinstance(x, (list, tuple)):
        pairs = enumerate(x)
    else:
        pairs = x.__dict__.items()
    return [(str(k), v) for k, v in pairs if _holds(v)]


def _holds(x):
    if isinstance(x, (dict, list, tuple)):
        return bool(_items(x))
    return isinstance(x, (Layer, Variable)) or _is_module(x) or (callable(x) and hasattr(x, "_made"))


def tree(x: Any, indent: str = "", outer: tuple[int, ...] = ()) -> str:
    """The layers inside as indented lines, in the form of what makes them."""
    deeper = indent + INDENT
    if id(x) in outer:
        return "..."
    outer = (*outer, id(x))
    if isinstance(x, (Sequential, Residual)) and hasattr(x, "_made"):
        lines, ends = [tree(y, deeper, outer) for y in x._made[1]], f"{type(x).__name__}()"
    elif isinstance(x, dict):
        lines, ends = [f"{k!r}: {tree(v, deeper, outer)}" for k, v in _items(x)], "{}"
    elif isinstance(x, (list, tuple)):
        lines, ends = [tree(v, deeper, outer) for _, v in _items(x)], "[]"
    elif _is_module(x):
        lines, ends = [f"{k}={tree(v, deeper, outer)}" for k, v in _items(x)], f"{type(x).__name__}()"
    else:
        return label(x)
    if not lines:
        return ends
    return ends[:-1] + "".join(f"\n{deeper}{line}," for line in lines) + f"\n{indent}{ends[-1]}"


def _rows(x, name, depth, output, rows, outer=()):
    """Rows of the table: (depth, text, output, own variables, whether all of these exist)."""
    if id(x) in outer:
        return
    outer = (*outer, id(x))
    text = f"{name}: {label(x)}" if name else label(x)
    if isinstance(x, (Sequential, Residual)) and hasattr(x, "_made"):
        rows.append((depth, text, output or x._output, (), True))
        for y, of in zip(x._made[1], x._outputs()):
            _rows(y, y.name.rpartition("/")[2] if isinstance(y, Layer) else "", depth + 1, of, rows, outer)
    elif _is_module(x) or isinstance(x, (dict, list, tuple)):
        inside = _items(x)
        own = tuple(v for _, v in inside if isinstance(v, Variable))
        rows.append((depth, text if _is_module(x) else name, output, own, True))
        for key, value in inside:
            if not isinstance(value, Variable):
                _rows(value, key, depth + 1, "", rows, outer)
    elif isinstance(x, Layer):
        rows.append((depth, text, output or x._output, x.variables, x._built))
    else:
        rows.append((depth, text, output, (), True))


def _traced(model, inputs):
    """The type, as text, of what the model gives for inputs of these types; its layers note theirs."""
    results = []

    def call(*xs):
        y = model(*xs)
        results.append(_core._type_text(y) if isinstance(y, _core.Tensor) else "")
        return y

    _core.trace(call, [x if isinstance(x, _core.TensorSpec) else _core.TensorSpec(*_spec(x)) for x in inputs])
    return results[0]


def _spec(x):
    """Shape and dtype of an input: a tensor's or array's, or a shape."""
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return tuple(x.shape), x.dtype
    return (tuple(x) if isinstance(x, (list, tuple)) else (x,),)


def summary(model: Any, inputs: Sequence[Any]) -> str:
    """The table as text."""
    output, rows = _traced(model, inputs) if inputs else "", []
    _rows(model, "", 0, output, rows)
    return _core._summary_table(rows)
