"""tf.io: files as texts, and tf.io.gfile. Formats of records, images and sounds are refused by name."""

from __future__ import annotations as _annotations

import typing as _t

from ..._core import UnimplementedError as _UnimplementedError  # type: ignore[attr-defined]
from .._text import made as _made
from .._trace import executing_eagerly as _executing_eagerly
from . import gfile as gfile

if _t.TYPE_CHECKING:
    from typing import Any


def _text_of(value, what):
    """Bytes of a text or of a tensor that holds one."""
    if not _executing_eagerly():
        raise _UnimplementedError(f"{what}: files are read and written eagerly; call it outside of the tf.function")
    value = value.numpy() if hasattr(value, "numpy") else value
    return value.encode() if isinstance(value, str) else value


def read_file(filename: Any, name: str | None = None) -> Any:
    """The bytes of a file, a scalar of strings. NotFoundError if there is none."""
    with gfile.GFile(_text_of(filename, "read_file").decode(), "rb") as file:
        return _made(file.read())


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Writes a text into a file; its folders are made."""
    path = _text_of(filename, "write_file").decode()
    folder = path.rpartition("/")[0]
    if folder:
        gfile.makedirs(folder)
    with gfile.GFile(path, "wb") as file:
        file.write(_text_of(contents, "write_file"))
