"""The state of a model by paths, as Keras 3 names them in files: attributes of layers, and the class in a list."""

from __future__ import annotations as _annotations

import typing as _t
import warnings as _warnings

from .._convert import cast
from .._module import Module
from ..errors import ConversionError
from . import _hdf5
from ._layer import UNTRACKED, Layer
from ._naming import snake_class
from .metrics import Metric
from .optimizers import Optimizer

if _t.TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_PACKAGE = __package__ + "."
_NO_CHILDREN = frozenset((*UNTRACKED, "_sequence", "_graph", "_graph_layers", "_compiled", "_input_shape_given"))


def _of_class(cls):
    """The names of what users' classes compute of themselves: properties."""
    mine = [c for c in cls.__mro__ if not c.__module__.startswith(_PACKAGE) and c is not object and c is not Module]
    return [n for c in mine for n, v in vars(c).items() if isinstance(v, property) and not n.startswith("__")]


def _children(of):
    """(name, object or container) in what has a state, in the order in which files name it first."""
    if isinstance(of, Optimizer):
        if "inner_optimizer" in of.__dict__:
            yield "inner_optimizer", of.inner_optimizer
        return
    if not isinstance(of, Layer):
        return
    is_graph = of.__dict__.get("_graph") is not None or "_sequence" in of.__dict__
    if is_graph:
        yield "layers", of.layers
    names = {n: n for n in (*of.__dict__, *_of_class(type(of))) if n not in _NO_CHILDREN}
    names.update({of._saved_names[n]: n for n in of._saved_names if n in of.__dict__})
    for old in of._saved_names:
        names.pop(old, None)
    if hasattr(of, "layers") and not is_graph:
        names["layers"] = "layers"
    if getattr(of, "optimizer", None) is not None:
        names["optimizer"] = "optimizer"
    for name in sorted(names, key=lambda n: (n.startswith("_"), n)):
        try:
            yield name, getattr(of, names[name])
        except Exception:  # a property that cannot be computed now has no state
            continue


def _has_state(x):
    return isinstance(x, (Layer, Optimizer, Metric))


def walk(of: Any, path: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Any]]:
    """(path, object) of layers, metrics and the optimizer, each once."""
    seen = set() if seen is None else seen
    if id(of) in seen:
        return
    seen.add(id(of))
    yield path, of
    for name, child in _children(of):
        inner = f"{path}/{name}" if path else name
        if _has_state(child):
            yield from walk(child, inner, seen)
        elif isinstance(child, (list, tuple, dict)):
            counts: dict[str, int] = {}
            for x in child.values() if isinstance(child, dict) else child:
                if _has_state(x):
                    kind = snake_class(type(x))
                    n = counts[kind] = counts.get(kind, -1) + 1
                    yield from walk(x, f"{inner}/{kind}{f'_{n}' if n else ''}", seen)


def _variables(of):
    return of._own_variables() if isinstance(of, Layer) else list(of.variables)


def state_of(model: Any) -> Any:
    """What _hdf5.write writes of a model."""

    def plain(v):
        import numpy

        if v.dtype.name != "bfloat16":
            return v.numpy(), v.dtype.name
        bits = numpy.asarray(cast(v, "float32").numpy(), "float32").view(numpy.uint32) >> 16
        return bits.astype(numpy.uint16).view("V2"), "bfloat16"

    return {path: (x.name, [plain(v) for v in _variables(x)]) for path, x in walk(model)}


def restore(model: Any, reader: Any, path: str, skip_mismatch: bool = False) -> None:
    """Assigns what a file has; all that does not fit is one error, and then nothing is assigned."""
    todo, wrong = [], []
    for place, x in walk(model):
        variables, arrays = _variables(x), reader.arrays(place)
        if isinstance(x, Optimizer) and len(arrays) != len(variables):
            _warnings.warn(
                f"Skipping variable loading for optimizer '{x.name}', because it has {len(variables)} variables whereas "
                f"the saved optimizer has {len(arrays)} variables.",
                stacklevel=4,
            )
            continue
        if len(arrays) != len(variables) or any(str(i) not in arrays for i in range(len(variables))):
            wrong.append(
                f"{place or 'the model'}: layer '{x.name}' has {len(variables)} variables, the file has {len(arrays)}"
            )
            continue
        for i, v in enumerate(variables):
            data = arrays[str(i)]
            if tuple(data.shape) != tuple(v.shape):
                wrong.append(f"{place}/vars/{i} is {tuple(data.shape)} in the file, {tuple(v.shape)} in the model")
            else:
                todo.append((v, data))
    if wrong and not skip_mismatch:
        raise ConversionError(f"{path!r} does not fit the model {model.name!r}: {'; '.join(wrong)}")
    for v, value in [(v, _hdf5.value(data)) for v, data in todo]:
        v.assign(value if value.dtype is v.dtype else cast(value, v.dtype))
