"""What keras.backend sets for all layers: the default dtype, epsilon, the order of axes of images, names."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core
from ..errors import ConversionError
from ._floatx import epsilon as epsilon
from ._floatx import floatx as floatx
from ._floatx import settings as _settings

if _t.TYPE_CHECKING:
    from typing import Any

    from .._tensor import Tensor as _Tensor


def set_floatx(value: str) -> None:
    """float16, bfloat16, float32 or float64 for floatx."""
    if value not in ("bfloat16", "float16", "float32", "float64"):
        raise ConversionError(
            f"Unknown `floatx` value: {value}. Expected one of {{'bfloat16', 'float16', 'float32', 'float64'}}"
        )
    _settings["floatx"] = value


def set_epsilon(value: float) -> None:
    """A number for epsilon."""
    _settings["epsilon"] = value


def image_data_format() -> str:
    """channels_last."""
    return "channels_last"


def set_image_data_format(data_format: str) -> None:
    """channels_last alone; layers take data_format="channels_first" each."""
    if data_format != "channels_last":
        raise _core.UnimplementedError(
            f"set_image_data_format: the default is channels_last, not {data_format!r}; give layers data_format="
        )


def clear_session(free_memory: bool = True) -> None:
    """Names of layers start again."""
    from ._naming import forget_names

    forget_names()


def backend() -> str:
    """tensorflow: the names and meanings are its."""
    return "tensorflow"


def get_uid(prefix: str = "") -> int:
    """How often this prefix was asked for, from 1 on."""
    from . import _naming

    _naming.unique_name(prefix)
    return _naming._counts[prefix]


def is_keras_tensor(x: Any) -> bool:
    """Whether it is a symbol: what keras.Input gives and layers make of it."""
    from ._symbolic import KerasTensor

    return isinstance(x, KerasTensor)


def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """The extents of a tensor or symbol; None if it has none."""
    return tuple(x.shape) if hasattr(x, "shape") else None


def get_value(x: Any) -> Any:
    """A NumPy array of a tensor or variable; other things themselves."""
    return x.numpy() if hasattr(x, "numpy") else x


def set_value(x: Any, value: Any) -> None:
    """Assigns to a variable."""
    x.assign(value)


def cast_to_floatx(x: Any) -> _Tensor | Any:
    """Arrays and tensors as floatx."""
    import numpy

    from .._convert import cast
    from .._tensor import TensorLike

    return cast(x, floatx()) if isinstance(x, TensorLike) else numpy.asarray(x, dtype=floatx())


def __getattr__(name: str) -> Any:
    """Functions of tensors by the names of older programs."""
    if not name.startswith("_"):
        from . import _backend_functions

        if hasattr(_backend_functions, name):
            return getattr(_backend_functions, name)
    from .. import _refused

    raise _refused.missing(__name__, name)
