"""tf.compat: v1 only, imported when it is asked for."""

import typing as _typing

if _typing.TYPE_CHECKING:
    from . import v1 as v1
else:  # for checkers a name that is not here is an error

    def __getattr__(name):
        if name == "v1":
            import importlib

            return importlib.import_module(".v1", __name__)
        raise AttributeError(f"reel.tf.compat has no {name!r}, only v1")
