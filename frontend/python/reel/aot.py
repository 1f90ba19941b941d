"""Compiled shared libraries in Python: NumPy in and out, by the manifest that each carries.

reel.export(module, "step", emit="so")
step = reel.aot.load("step.so")
loss = step.train(images, labels)
step.variables["dense/kernel"]        # a NumPy array: the live variable
step.save("step.safetensors")         # all of them, as reel.save_weights writes; step.load(path) takes them back
"""

from __future__ import annotations as _annotations

import ctypes as _ctypes
import json as _json
import os as _os
import re as _re
import typing as _typing

import numpy as _np

from . import _core
from ._mistakes import missing as _missing

if _typing.TYPE_CHECKING:
    from collections.abc import Mapping

_ERRORS = {2: _core.InvalidArgumentError, 9: _core.OutOfRangeError}  # of a status; others are FailedPreconditionError
_NO_SUCH_VARIABLE, _MISSING = 13, 14
_ERRORS |= {status: _core.DataLossError for status in (11, 12, 15, 18, 19)}  # of what load() reads
_ERRORS |= {status: _core.InvalidArgumentError for status in (_NO_SUCH_VARIABLE, _MISSING, 16, 17)}
_BITS = {"bfloat16": "uint16"}  # NumPy has no such dtype: its bits


def _dtype(name: str) -> _np.dtype:
    return _np.dtype(_BITS.get(name, name))


class _Entry:
    """An entry point: a callable with the arguments of the graph."""

    def __init__(self, program: Program, row: dict):
        self._program, self._row = program, row
        self._function = program._symbol(row["function"])
        self.__name__ = row["name"]
        names = ", ".join(f"{p['name']}: {p['dtype']}{p['shape']}" for p in row["arguments"])
        self.__doc__ = f"{row['name']}({names}) -> " + ", ".join(f"{p['dtype']}{p['shape']}" for p in row["results"])

    def __call__(self, *arguments, **named):
        """The results as NumPy arrays: one, or a tuple of them. Arguments by position or by name."""
        arrays, extents = self._arrays(arguments, named), {}
        for array, parameter in zip(arrays, self._row["arguments"]):
            self._bind(array, parameter, extents)
        results = [_np.empty([extents.get(n, n) for n in p["shape"]], _dtype(p["dtype"])) for p in self._row["results"]]
        words = [_ctypes.c_int64(extents[e["c_name"]]) for e in self._row.get("extents", [])]
        pointers = [_ctypes.c_void_p(a.ctypes.data) for a in [*arrays, *results]]
        self._program._check(self._function(self._program._instance, *words, *pointers), self.__name__)
        return results[0] if len(results) == 1 else tuple(results)

    def _arrays(self, arguments, named):
        parameters = self._row["arguments"]
        given = dict(zip((p["name"] for p in parameters), arguments))
        if len(arguments) > len(parameters) or given.keys() & named.keys():
            raise _core.InvalidTypeError(f"{self.__doc__}: got {len(arguments)} arguments and {list(named)}")
        given.update(named)
        if given.keys() != {p["name"] for p in parameters}:
            raise _core.InvalidTypeError(f"{self.__doc__}: got {list(given)}; give each argument once")
        return [self._array(given[p["name"]], p) for p in parameters]

    def _array(self, value, parameter):
        """The value as the array that the object reads: no copy if it is one already."""
        array, dtype = _np.asarray(value), _dtype(parameter["dtype"])
        if not isinstance(value, (bool, int, float, list, tuple)) and array.dtype != dtype:
            raise _core.InvalidTypeError(
                f"{self.__name__}: {parameter['name']} is {array.dtype}, the object takes {parameter['dtype']}; "
                f"give x.astype({parameter['dtype']!r})"
            )
        return _np.ascontiguousarray(array, dtype).reshape(array.shape)

    def _bind(self, array, parameter, extents):
        """Finds open extents from the array's shape; raises if it does not fit."""
        wanted = parameter["shape"]
        fits = array.ndim == len(wanted)
        for have, want in zip(array.shape, wanted):
            fits = fits and have == (extents.setdefault(want, have) if isinstance(want, str) else want)
        if not fits:
            known = f", where {extents}" if extents else ""
            raise _core.InvalidArgumentError(
                f"{self.__name__}: {parameter['name']} has shape {list(array.shape)}, the object takes {wanted}{known}"
            )


class Program:
    """A loaded library and one instance of its variables. Entry points are attributes: `program.train(x, y)`.

    Calls on one program must not overlap; make another with load() for another thread. Nothing in it needs a compiler:
    the library is code that was compiled before.
    """

    def __init__(self, path: str | _os.PathLike[str], name: str | None = None):
        self._library = _ctypes.CDLL(_os.path.abspath(_os.fspath(path)))
        self._name = name or _os.path.splitext(_os.path.basename(_os.fspath(path)))[0]
        try:
            text = _ctypes.c_char.in_dll(self._library, f"{self._name}_manifest_json")
        except ValueError:
            raise _core.InvalidArgumentError(
                f"reel.aot.load: {path} has no {self._name}_manifest_json; it is none of Reel's, or it was renamed: give the "
                "name that it was compiled with, load(path, name='step')"
            ) from None
        self.manifest = _json.loads(_ctypes.string_at(_ctypes.addressof(text)))
        self._error = self._symbol(f"{self._name}_error", _ctypes.c_char_p)
        self._allocate()
        self.entries: Mapping[str, _Entry] = {e["name"]: _Entry(self, e) for e in self.manifest["entries"]}
        self.variables: Mapping[str, _np.ndarray] = {v["name"]: self._variable(v) for v in self.manifest["variables"]}
        self.__dict__.update(
            {n: self.entries[n] for n in ("save", "load") if n in self.entries}
        )  # nothing to save then

    def save(self, path: str | _os.PathLike[str]) -> None:
        """Writes all variables to a safetensors file, with their names in the graph. At any moment there is the old file
        or the new one."""
        function = self._weights("save")
        image = _np.empty(self._weights("save_size", _ctypes.c_size_t)(), _np.uint8)
        self._check(
            function(self._instance, _ctypes.c_void_p(image.ctypes.data), _ctypes.c_size_t(image.nbytes)), "save"
        )
        path = _os.path.realpath(path)  # a link stays
        if _os.path.exists(path) and not _os.path.isfile(path):  # a device or a pipe, written as bytes come
            with open(path, "wb") as file:
                file.write(image)
            return
        new = f"{path}.{_os.getpid()}.new"
        try:
            with open(new, "wb") as file:
                file.write(image)
            _os.replace(new, path)
        finally:
            if _os.path.exists(new):
                _os.remove(new)

    def load(self, path: str | _os.PathLike[str]) -> None:
        """Sets all variables from a safetensors file: one of save(), of reel.save_weights, or of another program.

        It has an entry for each variable, in any order, and no others. Raises DataLossError if it is damaged,
        InvalidArgumentError if names, dtypes or shapes are others; then no variable has changed.
        """
        function = self._weights("load")
        with open(path, "rb") as file:
            data = file.read()
        status = function(self._instance, _ctypes.c_char_p(data), _ctypes.c_size_t(len(data)))
        if status != 0:
            self._check(status, f"load({_os.fspath(path)!r})", self._fault(status, data))

    def _weights(self, suffix: str, result=_ctypes.c_int):
        """The function that takes all variables at once."""
        if not hasattr(self._library, f"{self._name}_{suffix}"):
            raise _core.FailedPreconditionError(
                f"{self._name} has no variables, or such as safetensors does not have, complex128: read and write them in "
                f"{self._name}.variables, one by one; it has {list(self.variables)}"
            )
        return self._symbol(f"{self._name}_{suffix}", result)

    def _fault(self, status: int, data: bytes) -> str:
        """What the load found wrong, of which variable or entry, and where."""
        number, at = self._block[32:48].view(_np.int64)  # reel_instance::fault
        if number >= 0:
            row = self.manifest["variables"][number]
            what = f"{row['name']!r}, {row['dtype']}{row['shape']}"
        elif status == _NO_SUCH_VARIABLE:  # its name has just been read
            (name,) = _re.findall(rb'[{,]\s*("(?:[^"\\]|\\.)*")\Z', data[:at], _re.DOTALL)
            what = f"{_json.loads(name)!r}; the variables are {list(self.variables)}"
        else:
            return f" (at byte {at})"
        advice = "; reel.save_weights(path, variables) writes those that are given, the optimizer's too"
        return f": {what}{advice if status == _MISSING else f' (at byte {at})'}"

    def __getattr__(self, name: str):
        entries = self.__dict__.get("entries", {})
        if name in entries:
            return entries[name]
        raise AttributeError(f"{self.__dict__.get('_name')} has no entry point {name!r}; it has {', '.join(entries)}")

    def __dir__(self):
        return [*super().__dir__(), *self.entries]

    def __repr__(self):
        return f"reel.aot.Program({self._name!r}: " + "; ".join(e.__doc__ for e in self.entries.values()) + ")"

    def _symbol(self, name: str, result=_ctypes.c_int):
        function = getattr(self._library, name)
        function.restype = result
        return function

    def _allocate(self):
        """The instance, in memory of its own, aligned as the object wants it."""
        size = self._symbol(f"{self._name}_size", _ctypes.c_size_t)()
        alignment = self._symbol(f"{self._name}_alignment", _ctypes.c_size_t)()
        self._memory = _np.zeros(size + alignment, _np.uint8)
        start = -self._memory.ctypes.data % alignment
        self._block = self._memory[start : start + size]
        self._instance = _ctypes.c_void_p(self._block.ctypes.data)
        status = _ctypes.c_int(0)
        self._symbol(f"{self._name}_init", _ctypes.c_void_p)(
            self._instance, _ctypes.c_size_t(size), _ctypes.byref(status)
        )
        self._check(status.value, "init")

    def _check(self, status: int, what: str, more: str = ""):
        if status != 0:
            kind = _ERRORS.get(status, _core.FailedPreconditionError)
            raise kind(f"{self._name}.{what}: {self._error(status).decode()}{more}")

    def _variable(self, row: dict) -> _np.ndarray:
        dtype, count = _dtype(row["dtype"]), int(_np.prod(row["shape"], dtype=_np.int64))
        return self._block[row["offset"] : row["offset"] + count * dtype.itemsize].view(dtype).reshape(row["shape"])


def load(path: str | _os.PathLike[str], name: str | None = None) -> Program:
    """Loads a shared library that reel.export(..., emit="so") or `reel compile --emit=so` wrote.

    `name`: the one that it was compiled with, if the file was renamed. Each call makes an instance with the initial values
    of the variables. Raises OSError if the file is no library, InvalidArgumentError if it is none of Reel's,
    FailedPreconditionError if this CPU lacks the instructions.
    """
    return Program(path, name)


if not _typing.TYPE_CHECKING:
    __getattr__ = _missing("reel.aot")
