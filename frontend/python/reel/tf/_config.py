"""tf.config: only what changes how functions run."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core

_eagerly = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Whether tf.functions run as plain Python, op by op, on all threads."""
    global _eagerly
    _eagerly = bool(run_eagerly)
    _core._set_all_calls_slow(_eagerly)


def functions_run_eagerly() -> bool:
    """What run_functions_eagerly set."""
    return _eagerly
