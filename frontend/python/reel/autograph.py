"""tf.autograph: Python's control flow on traced tensors."""

from .tf.autograph import convert, do_not_convert  # noqa: F401
