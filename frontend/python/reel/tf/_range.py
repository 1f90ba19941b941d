"""The range of traced tensors."""

from ._tensor import convert_to_tensor
from .errors import OperatorNotAllowedInGraphError


class TracedRange:
    """range() of traced tensors, which only converted `for` loops can go through."""

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = (convert_to_tensor(x) for x in (start, stop, step))

    def __iter__(self):
        raise OperatorNotAllowedInGraphError(
            "a range of a traced tensor can only be the iterable of a `for` in a "
            "tf.function; elsewhere write tf.while_loop(cond, body, loop_vars)"
        )
