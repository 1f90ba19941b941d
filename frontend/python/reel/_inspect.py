"""inspect.signature of the extension's classes, which editors show: what nanobind keeps of their constructors."""

from . import _core


class _Signature:
    """The attribute __signature__ of a class; instances and classes with constructors of their own have none."""

    def __get__(self, instance, owner):
        known = getattr(owner.__init__, "__nb_signature__", None) if instance is None else None
        if not known:
            raise AttributeError("__signature__")
        return _parsed(*known[0])


def _parsed(text, doc, defaults):
    """The signature of a method by its text, def __init__(self, units: int, ...) -> None, without self."""
    import inspect
    import re

    names = {"defaults": defaults}
    exec("from __future__ import annotations\n" + re.sub(r"\\=?(\d+)", r"defaults[\1]", text) + ": ...", names)
    parameters = list(inspect.signature(names["__init__"]).parameters.values())
    return inspect.Signature(parameters[1:])


_signature, _nanobind_class = _Signature(), type(_core.Tensor)
for _module in (_core, _core.nn, _core.optim, _core.random):
    for _class in vars(_module).values():
        if type(_class) is _nanobind_class:
            _class.__signature__ = _signature
