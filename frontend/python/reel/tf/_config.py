"""tf.config: only what changes how functions run."""

from ._trace import state


def run_functions_eagerly(run_eagerly):
    """Whether tf.functions run as plain Python, op by op, on this thread."""
    state.eager_switch = bool(run_eagerly)


def functions_run_eagerly():
    """What run_functions_eagerly set."""
    return state.eager_switch
