"""Errors that Python code of the package raises say in which line of the user's program, as those of C++ do."""

import re as _re

from . import _core

_LINE = _re.compile(r"\([^()]*:\d+\)$")
# The numbers of the codes, which TensorFlow's error_code gives.
_NUMBERS = {
    name: number
    for number, name in enumerate(
        "OK Cancelled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted "
        "FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated".split()
    )
}


def _init(self, node_def=None, op=None, message=None, *args):
    """One argument is the text; three are TensorFlow's, and args may hold payloads."""
    if message is None:
        text, more = "" if node_def is None else str(node_def), () if op is None else (op,)
        text = text if not text or _LINE.search(text) else text + _core._at_user_line()
        Exception.__init__(self, text, *more, *args)
    else:  # a text of the user's own
        self.node_def, self.op = node_def, op
        Exception.__init__(self, str(message))


def _number(self):
    name = "InvalidArgument" if isinstance(self, _core.InvalidArgumentError) else self.code
    return _NUMBERS.get(name, _NUMBERS["Unknown"])


def _install(error):
    error.__init__ = _init
    error.message = property(str, doc="What str() gives.")
    error.error_code = property(_number, doc="The code as a number of TensorFlow's; 3 of an index out of range.")
    error.experimental_payloads = property(lambda self: {}, doc="Empty.")
    error.node_def = error.op = None


_install(_core.Error)
