"""Reel: tensors that differentiate, and a compiler for what they do.

    import reel

    w = reel.Variable([1.0, 2.0])
    with reel.GradientTape() as tape:
        loss = reel.sum(w ** 2)
    tape.gradient(loss, w)          # Tensor([2., 4.], dtype=float32)

Arrays follow the Python array API standard (reel.asarray, reel.matmul, x.T, x[1:, None]), gradients
TensorFlow's names. Floats are float32 and integers int64 unless said otherwise; Python numbers take
the dtype of the tensor they meet.
"""

import os as _os
import typing as _typing

from . import _extension

_extension.load(__name__)
from . import _core  # noqa: E402

_core._set_package_folder(_os.path.dirname(__file__) + _os.sep)  # type: ignore[attr-defined]

from . import _errors, _inspect
from ._mistakes import explain_functions as _explain_functions, missing as _missing

if _typing.TYPE_CHECKING:  # before those of the extension, for checkers that take the first
    from . import aot as aot
    from . import data as data, fft as fft, linalg as linalg, nn as nn, optim as optim, random as random
    from .jax import from_jax as from_jax
    from .torch import from_torch as from_torch
from ._core import *  # noqa: F401,F403  (all public names of the extension)
from ._array_api import *  # noqa: F401,F403

del data, fft, linalg, nn, optim, random  # noqa: F821  (those of the extension; the package's have more)
from . import data, fft, linalg, nn, optim, random  # type: ignore[no-redef]
from . import callbacks as callbacks, onnx as onnx, stablehlo as stablehlo, tensorflow as tensorflow
from ._custom import (
    custom_gradient as custom_gradient,
    grad_pass_through as grad_pass_through,
    recompute_grad as recompute_grad,
)
from . import distributed as distributed
from ._debugging import (
    check_bounds as check_bounds,
    check_gradients as check_gradients,
    check_numerics as check_numerics,
)
from ._fit import fit as fit
from .distributed import distribute as distribute
from ._function import function as function
from ._keep import Checkpoint as Checkpoint, load_weights as load_weights, save_weights as save_weights
from ._summary import SummaryWriter as SummaryWriter
from ._transforms import (
    hessian as hessian,
    hvp as hvp,
    jacobian as jacobian,
    jvp as jvp,
    vectorized_map as vectorized_map,
    vjp as vjp,
    vmap as vmap,
)
from ._enums import UnconnectedGradients as UnconnectedGradients

__version__ = "0.1.0"
__array_api_version__ = "2023.12"

for _names in (globals(), vars(fft), vars(linalg)):
    _explain_functions(_names)

if not _typing.TYPE_CHECKING:
    _explained = _missing("reel")

    def __getattr__(name: str):
        if name == "aot":  # needs NumPy, which tensors do not
            return __import__("reel.aot").aot
        if name == "from_torch":  # its module imports PyTorch
            from .torch import from_torch

            return from_torch
        if name == "from_jax":  # its module imports JAX
            from .jax import from_jax

            return from_jax
        return _explained(name)
