"""What pickles of tensors and variables call."""

from . import _core


def tensor(dtype, shape, elements):
    return _core._unpickle(dtype, shape, elements)


def variable(value, trainable, name):
    return _core._make_variable(value, trainable, name)
