"""tf.compat.v1.app."""

from __future__ import annotations as _annotations

import sys as _sys
import typing as _t

from . import flags as flags

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Reads the options of the command line, runs main with what is left of it, and ends the program."""
    main = main or _sys.modules["__main__"].main
    _sys.exit(main(flags.FLAGS(_sys.argv if argv is None else argv)))
