"""Which functions autograph converts, and a converted function with what the original has."""

import functools as _functools
import linecache as _linecache
import os as _os
import types as _types

_STDLIB = _os.path.dirname(_os.__file__) + _os.sep
_codes = {}  # code object -> code of the converted function, or None if it stays as it is


def convert(function, runtime):
    """The converted function, which calls `runtime`; itself if its source is not known, or it is not the user's own."""
    if isinstance(function, _types.MethodType):
        converted = convert(function.__func__, runtime)
        return function if converted is function.__func__ else _types.MethodType(converted, function.__self__)
    if isinstance(function, _functools.partial):
        return _functools.partial(convert(function.func, runtime), *function.args, **function.keywords)
    if not isinstance(function, _types.FunctionType) or not _is_users(function):
        return function
    from . import _autograph_rewrite  # which is slow to import, and not wanted before

    code = function.__code__
    if code not in _codes:
        _codes[code] = _autograph_rewrite.rewrite(function)
    if _codes[code] is None:
        return function
    return _bind(function, _codes[code], runtime)


def _is_users(function):
    """Whether it is neither Reel's, nor Python's, nor of an installed package."""
    if getattr(function, "_reel_do_not_convert", False) or getattr(function, "_reel_converted", False):
        return False
    if (function.__module__ or "").split(".")[0] == "reel":
        return False
    filename = function.__code__.co_filename
    if filename.startswith(
        "<"
    ):  # a cell of IPython, a doctest, Python's prompt: their lines are known; others' are not
        return not filename.startswith(("<frozen", "<attrs")) and bool(_linecache.getlines(filename))
    return not ("site-packages" in filename or "dist-packages" in filename or filename.startswith(_STDLIB))


def _bind(function, code, runtime):
    """The converted code with the globals, defaults and captured variables of the function."""
    from . import _autograph_rewrite

    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[_autograph_rewrite.RUNTIME] = _types.CellType(runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    out = _types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    out.__kwdefaults__ = function.__kwdefaults__
    out.__dict__.update(function.__dict__)
    out.__module__, out.__qualname__, out.__doc__ = function.__module__, function.__qualname__, function.__doc__
    out._reel_converted = True
    return out
