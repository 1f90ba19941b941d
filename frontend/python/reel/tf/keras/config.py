"""keras.config: what holds for all layers and models."""

from __future__ import annotations as _annotations

import typing as _t

from .. import debugging as _debugging
from .backend import backend as backend
from .backend import epsilon as epsilon
from .backend import floatx as floatx
from .backend import image_data_format as image_data_format
from .backend import set_epsilon as set_epsilon
from .backend import set_floatx as set_floatx
from .backend import set_image_data_format as set_image_data_format
from .utils import disable_interactive_logging as disable_interactive_logging
from .utils import enable_interactive_logging as enable_interactive_logging
from .utils import is_interactive_logging_enabled as is_interactive_logging_enabled

if _t.TYPE_CHECKING:
    from collections.abc import Callable

enable_traceback_filtering: Callable[[], None] = _debugging.enable_traceback_filtering
disable_traceback_filtering: Callable[[], None] = _debugging.disable_traceback_filtering
is_traceback_filtering_enabled: Callable[[], bool] = _debugging.is_traceback_filtering_enabled


def is_flash_attention_enabled() -> bool:
    """False: there is no flash attention."""
    return False


def disable_flash_attention() -> None:
    """There is none."""


def is_nnx_enabled() -> bool:
    """False."""
    return False
