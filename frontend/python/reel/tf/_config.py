"""tf.config: only what changes how functions run."""

from .. import _core

_eagerly = False


def run_functions_eagerly(run_eagerly):
    """Whether tf.functions run as plain Python, op by op, on all threads."""
    global _eagerly
    _eagerly = bool(run_eagerly)
    _core._set_all_calls_slow(_eagerly)


def functions_run_eagerly():
    """What run_functions_eagerly set."""
    return _eagerly
