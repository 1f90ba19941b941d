"""Python's `if`, `while`, `for`, `break`, `continue`, `return`, `and`, `or`, `not` on traced tensors.

convert(function) is the same function with these replaced by calls that decide when they run: on Python values and
eager tensors they do what Python does; on tensors of a trace they become tf.cond and tf.while_loop. Line numbers are
kept. What cannot be converted raises an error that names the line and what to write.
"""

from ._autograph_runtime import convert  # noqa: F401


def do_not_convert(function=None):
    """Marks a function that convert leaves as it is."""
    if function is None:
        return do_not_convert
    function._reel_do_not_convert = True
    return function
