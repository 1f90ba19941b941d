"""tf.compat.v1.debugging."""

from __future__ import annotations

from ._asserts import assert_equal as assert_equal
from ._asserts import assert_greater as assert_greater
from ._asserts import assert_greater_equal as assert_greater_equal
from ._asserts import assert_less as assert_less
from ._asserts import assert_less_equal as assert_less_equal
from ._asserts import assert_near as assert_near
from ._asserts import assert_negative as assert_negative
from ._asserts import assert_non_negative as assert_non_negative
from ._asserts import assert_non_positive as assert_non_positive
from ._asserts import assert_none_equal as assert_none_equal
from ._asserts import assert_positive as assert_positive
from ._asserts import assert_rank as assert_rank
from ._asserts import assert_rank_at_least as assert_rank_at_least
from ._asserts import assert_rank_in as assert_rank_in
from ._asserts import assert_scalar as assert_scalar
from ._functions import verify_tensor_all_finite as assert_all_finite
from ._table import shared as _shared

__all__ = ["assert_all_finite"]
__getattr__, __dir__ = _shared("debugging", globals())
