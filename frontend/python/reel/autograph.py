"""tf.autograph: Python's control flow on traced tensors."""

from .tf.autograph import convert as convert
from .tf.autograph import do_not_convert as do_not_convert
