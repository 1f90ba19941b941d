"""Errors that Python code of the package raises say in which line of the user's program, as those of C++ do."""

import re as _re

from . import _core

_LINE = _re.compile(r"\([^()]*:\d+\)$")


def _init(self, text="", *more):
    text = str(text)
    Exception.__init__(self, text if not text or _LINE.search(text) else text + _core._at_user_line(), *more)


_core.Error.__init__ = _init
