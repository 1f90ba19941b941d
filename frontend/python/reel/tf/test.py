"""tf.test: assertions about arrays and tensors in a unittest.TestCase, and gradients by differences.

Of what TensorFlow's TestCase has, those about processes, protocol buffers and devices are not here.
"""

from __future__ import annotations as _annotations

import typing as _t

from ._test_case import TestCase as TestCase
from ._test_gradient import compute_gradient as compute_gradient

if _t.TYPE_CHECKING:
    from typing import Any


def main(argv: list[str] | None = None) -> Any:
    """Runs the tests of the script: unittest.main."""
    import unittest

    return unittest.main(argv=argv)


def gpu_device_name() -> str:
    """An empty text: reel compiles for the CPU."""
    return ""


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """False: reel compiles for the CPU."""
    return False


def is_built_with_cuda() -> bool:
    """False."""
    return False


def is_built_with_gpu_support() -> bool:
    """False."""
    return False


def is_built_with_rocm() -> bool:
    """False."""
    return False


def is_built_with_xla() -> bool:
    """False: tf.function(jit_compile=True) is compiled by reel itself, as every tf.function is."""
    return False


def is_cpu_target_available(target: str) -> bool:
    """Whether this machine's processor is of a target, 'x86' or 'aarch64'."""
    import platform

    machine = platform.machine().lower()
    return target in {"x86_64": ("x86",), "amd64": ("x86",), "arm64": ("aarch64",)}.get(machine, (machine,))
