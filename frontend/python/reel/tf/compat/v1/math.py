"""tf.compat.v1.math."""

from __future__ import annotations

from ._functions import argmax as argmax
from ._functions import argmin as argmin
from ._functions import bincount as bincount
from ._functions import confusion_matrix as confusion_matrix
from ._functions import count_nonzero as count_nonzero
from ._functions import reduce_all as reduce_all
from ._functions import reduce_any as reduce_any
from ._functions import reduce_logsumexp as reduce_logsumexp
from ._functions import reduce_max as reduce_max
from ._functions import reduce_mean as reduce_mean
from ._functions import reduce_min as reduce_min
from ._functions import reduce_prod as reduce_prod
from ._functions import reduce_sum as reduce_sum
from ._table import shared as _shared
from .nn import in_top_k as in_top_k
from .nn import log_softmax as log_softmax
from .nn import softmax as softmax

__getattr__, __dir__ = _shared("math", globals())
