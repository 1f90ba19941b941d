"""Models as things one can keep: weights in files, checkpoints, pickle and copy."""

import copyreg
import difflib
import importlib
import os
import types
from collections.abc import Mapping
from typing import Any, overload

from . import _core, _structure
from ._core import Tensor, Variable
from ._core.data import DatasetIterator
from ._core.nn import Layer, Residual, Sequential
from ._core.optim import ExponentialMovingAverage, LossScale, Optimizer
from ._core.random import Generator, default_generator

_STATEFUL = (Variable, Layer, Optimizer, Generator, ExponentialMovingAverage, LossScale, DatasetIterator, _core._Number)


class Kept:
    """What nn.Module has: the layers and variables in its attributes, by name."""

    _is_reel_module = True

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        _collect(value, name, self.__dict__.get("_outer_name", ""), [], {id(self)})

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables that exist, each once, in the order of the attributes."""
        found = {}
        for _, leaf in _leaves(self):
            for v in (leaf,) if isinstance(leaf, Variable) else leaf.variables:
                found[id(v)] = v
        return tuple(found.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those that tapes watch."""
        return tuple(v for v in self.variables if v.trainable)

    def __repr__(self) -> str:
        return _structure.tree(self)

    def summary(self, *inputs: Any) -> str:
        """A table of its layers: outputs, parameters, those with a gradient, and bytes; see Layer.summary."""
        return _structure.summary(self, inputs)

    def state_dict(self) -> dict[str, Tensor]:
        """Its values by name, in order."""
        return _core._values(_state(self))

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Assigns values by name. All that does not fit is one error, and then nothing is assigned; with strict=False,
        what is missing or belongs nowhere is left out."""
        _core._load(_state(self), state, strict, "load_state_dict")

    def save_weights(self, path: str | os.PathLike[str]) -> None:
        """Writes its values to a file, as reel.save_weights does."""
        save_weights(path, self)

    def load_weights(self, path: str | os.PathLike[str], strict: bool = True) -> None:
        """Assigns the values of a file, as reel.load_weights does."""
        load_weights(path, self, strict)


def _leaves(module):
    """(name, layer or variable) of a module, each once; they and the modules inside get their names."""
    found, seen = [], set()
    _collect(module, "", module.__dict__.get("_outer_name", ""), found, seen)
    return found


def _collect(x, inner, outer, found, seen):
    """Of what is called `inner` in the module and outer/inner in the whole model."""
    if id(x) in seen:
        return
    here = "/".join(n for n in (outer, inner) if n)
    if isinstance(x, (Variable, Layer)):
        seen.add(id(x))
        folder, _, key = inner.rpartition("/")
        name = _core._name_variable if isinstance(x, Variable) else _core._name_layer
        last = name(x, "/".join(n for n in (outer, folder) if n), key)
        found.append((f"{folder}/{last}" if folder else last, x))
        return
    if isinstance(x, _core.Function):  # of a module that was loaded: its variables have their names
        seen.add(id(x))
        for v in x.variables:
            if id(v) not in seen:
                seen.add(id(v))
                found.append(("/".join(n for n in (inner, v.name) if n), v))
        return
    if isinstance(x, Kept):
        seen.add(id(x))
        if inner:
            x.__dict__["_outer_name"] = here
        items = ((k, v) for k, v in x.__dict__.items() if k != "_outer_name")
    elif isinstance(x, dict):
        items = x.items()
    elif isinstance(x, (list, tuple)):
        items = enumerate(x)
    else:
        return
    for key, value in items:
        _collect(value, f"{inner}/{key}" if inner else str(key), outer, found, seen)


def _state(x):
    """What the extension takes as a state: objects that have one, and lists of (name, state)."""
    if isinstance(x, _STATEFUL):
        return x
    if isinstance(x, Kept):
        return _leaves(x)
    if isinstance(x, _core.Function):
        return [(v.name, v) for v in x.variables]
    if isinstance(x, dict):
        return [(str(k), _state(v)) for k, v in x.items()]
    if isinstance(x, (list, tuple)):
        if all(isinstance(v, Variable) for v in x):
            return [(v.name, v) for v in x]
        return [(str(i), _state(v)) for i, v in enumerate(x)]
    return x  # an error of the extension's


def _values(x):
    """The values by name of what can be saved: states, and dicts that hold tensors and arrays too."""
    if not isinstance(x, dict):
        return _core._values(_state(x))
    out = {}
    for key, value in x.items():
        if isinstance(value, (*_STATEFUL, Kept, dict, list, tuple)) and not isinstance(value, Variable):
            out.update({f"{key}/{name}": v for name, v in _values(value).items()})
        else:
            out[str(key)] = value
    return out


def save_weights(path: str | os.PathLike[str], model: Any) -> None:
    """Writes the values of a model, of variables (their names must be distinct), or of a dict of names and tensors.

    The path ends with .safetensors, or with .npz for NumPy's format. At any moment there is the old file or the new. A
    layer that has no variables yet is an error: call the model once.
    """
    if isinstance(model, dict):
        _core._write_weights(os.fspath(path), _values(model))
    else:
        _core._save_weights(os.fspath(path), _state(model))


@overload
def load_weights(path: str | os.PathLike[str], model: None = None, strict: bool = True) -> dict[str, Tensor]: ...
@overload
def load_weights(path: str | os.PathLike[str], model: Any, strict: bool = True) -> None: ...
def load_weights(path: str | os.PathLike[str], model: Any = None, strict: bool = True) -> dict[str, Tensor] | None:
    """Assigns the values of a file to a model, or to variables; without one, returns them: a dict of names and tensors.

    All that does not fit (missing, extra, shape, dtype) is one error, and then nothing is assigned; with strict=False,
    what is missing or belongs nowhere is left out. A layer that was not called yet makes its variables now. Slots of
    optimizers are made by the first step as ever, and begin with the values.
    """
    values = _core._read_weights(os.fspath(path))
    if model is None:
        return values
    _core._load(_state(model), values, strict, os.fspath(path))
    return None


class Checkpoint:
    """A run that can be killed: everything it goes on from, in numbered files.

        checkpoint = reel.Checkpoint("run", model=model, optimizer=optimizer, generator=generator, step=0)
        checkpoint.restore()                      # the newest file that is whole, if there is one
        while checkpoint.step < 1000:
            train(...)
            checkpoint.step += 1
            checkpoint.save()

    Files are called run-1.safetensors, ...; of a folder (it exists, or the path ends with /)
    run/checkpoint-1.safetensors. The newest `keep` stay, with 0 all. Parts are models, optimizers, generators,
    variables, iterators over datasets, and integers, which are attributes of the checkpoint.
    """

    def __init__(self, path: str | os.PathLike[str], keep: int = 3, **parts: Any) -> None:
        for name, part in parts.items():
            if name.startswith("_") or hasattr(type(self), name):
                raise _core.InvalidArgumentError(f"checkpoint: a part cannot be called '{name}'")
            meant = difflib.get_close_matches(name, ("keep",), 1, 0.75) or "keep" in name
            if meant and (part is None or isinstance(part, (int, float))):
                raise _core.InvalidTypeError(f"checkpoint: there is no option '{name}'; did you mean 'keep'?")
        self.__dict__.update(_path=os.fspath(path), _keep=keep, _parts=dict(parts))

    def __getattr__(self, name: str) -> Any:
        parts = self.__dict__.get("_parts", {})
        if name not in parts:
            raise AttributeError(f"the checkpoint has no part '{name}'")
        return parts[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._parts:
            raise AttributeError(f"the checkpoint has no part '{name}'; give it when the checkpoint is made")
        self._parts[name] = value

    def _open(self):
        numbers, parts = {}, []
        for name, part in self._parts.items():
            if isinstance(part, int) and not isinstance(part, bool):
                numbers[name] = _core._Number()
                numbers[name].value = part
                part = numbers[name]
            parts.append((name, _state(part)))
        return numbers, _core._Checkpoint(self._path, parts, self._keep)

    def save(self) -> str:
        """Writes the next file, whole or not at all, then removes all but the newest. Returns its path."""
        return self._open()[1].save()

    def restore(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Loads the newest file that is whole, or this one, and returns its path; None if there is no file.

        All that does not fit is one error, and then nothing is assigned.
        """
        numbers, files = self._open()
        if path is None:
            path = files.restore() or None
        else:
            path = os.fspath(path)
            files.restore_file(path)
        if path is not None:
            self._parts.update({name: number.value for name, number in numbers.items()})
        return path

    @property
    def files(self) -> list[str]:
        """The files that there are, the oldest first."""
        return self._open()[1].files()


# --- pickle and copy: objects are made again as they were made, then get their state ---


class _Function:
    """A Python function among the arguments of a layer or an optimizer: pickled by its name, if that finds it."""

    def __init__(self, function):
        self.function = function

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        place = getattr(self.function, "__module__", None), getattr(self.function, "__qualname__", None)
        try:
            found = find_function(*place).function
        except (AttributeError, ImportError, TypeError, ValueError):
            found = None
        if found is not self.function:
            raise _core.InvalidArgumentError(
                f"pickle: {place[1] or self.function!r} cannot be found by its name; define it with def at the top of a"
                " module, or keep the values with save_weights"
            )
        return find_function, place


def find_function(module, name):
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return _Function(found)


# The extension's own functions, reel.nn.relu, are found by their names.
copyreg.pickle(type(_core.exp), lambda function: function.__qualname__)


def _wrap(x):
    if isinstance(x, types.FunctionType):
        return _Function(x)
    return tuple(map(_wrap, x)) if isinstance(x, tuple) else x


def _unwrap(x):
    if isinstance(x, _Function):
        return x.function
    return tuple(map(_unwrap, x)) if isinstance(x, tuple) else x


def _arguments(x):
    """(class or function, arguments, keywords) that made the object, and the other attributes that it has."""
    if not hasattr(x, "_made"):
        raise _core.InvalidArgumentError(f"pickle: the {type(x).__name__} was not made by its own constructor")
    maker, arguments, keywords = x._made
    own = {k: v for k, v in x.__dict__.items() if k != "_made"}
    return (maker, _wrap(arguments), {k: _wrap(v) for k, v in keywords.items()}), own or None


def _allocate(cls, maker, arguments, keywords):
    x = cls.__new__(cls)
    maker.__init__(x, *_unwrap(arguments), **{k: _unwrap(v) for k, v in keywords.items()})
    return x


def reduce_plain(x):
    made, own = _arguments(x)
    return make_plain, (type(x), *made), own


def make_plain(cls, maker, arguments, keywords):
    if isinstance(maker, type):
        return _allocate(cls, maker, arguments, keywords)
    return maker(*_unwrap(arguments), **{k: _unwrap(v) for k, v in keywords.items()})


def reduce(x):
    made, own = _arguments(x)
    return make, (type(x), *made, x.state_dict()), own


def make(cls, maker, arguments, keywords, state):
    x = _allocate(cls, maker, arguments, keywords)
    x.load_state_dict(state)
    return x


def reduce_layer(x):
    made, own = _arguments(x)
    contains = isinstance(x, (Sequential, Residual))  # its arguments have the variables
    return make_layer, (type(x), *made, x.name, _core._is_named(x), () if contains else x.variables), own


def make_layer(cls, maker, arguments, keywords, name, named, variables):
    x = cls.__new__(cls)
    keywords = {k: _unwrap(v) for k, v in keywords.items()}
    if not issubclass(cls, (Sequential, Residual)):
        keywords["name"] = name
    _core._remake_layer(x, maker, _unwrap(arguments), keywords, name, named, variables)
    return x


def reduce_generator(x):
    if x.state is None:
        return from_key, (x.key(),)
    if x.state is default_generator().state:
        return default_generator, ()
    return make_generator, (x.key(),)


def from_key(key):
    return Generator.from_key(key)


def make_generator(key):
    x = Generator()
    x.state.assign(key)
    return x
