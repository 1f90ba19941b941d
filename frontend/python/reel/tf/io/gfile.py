"""tf.io.gfile: files and folders of this machine, with TensorFlow's errors."""

from __future__ import annotations as _annotations

import contextlib as _contextlib
import glob as _glob
import os as _os
import shutil as _shutil
import typing as _t

from ... import _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


@_contextlib.contextmanager
def _errors():
    """Errors of the operating system by TensorFlow's names."""
    try:
        yield
    except FileNotFoundError as error:
        raise _core.NotFoundError(f"{error.filename}; No such file or directory") from None
    except FileExistsError as error:
        raise _core.AlreadyExistsError(f"{error.filename}; File exists") from None
    except PermissionError as error:
        raise _core.PermissionDeniedError(f"{error.filename}; Permission denied") from None
    except (IsADirectoryError, NotADirectoryError) as error:
        raise _core.FailedPreconditionError(f"{error.filename}; {error.strerror}") from None
    except OSError as error:
        raise _core.FailedPreconditionError(f"{error.filename}; {error.strerror}") from None


def _path(path):
    return _os.fsdecode(path)


class GFile:
    """A file, opened when it is first used: modes 'r', 'w', 'a', 'r+', 'w+', 'a+', with 'b' for bytes."""

    def __init__(self, name: Any, mode: str = "r") -> None:
        if mode.replace("b", "") not in ("r", "w", "a", "r+", "w+", "a+"):
            raise _core.InvalidArgumentError(f"GFile: mode {mode!r} is not 'r', 'w' or 'a', with '+' or 'b'")
        self._name, self._mode = name, mode
        self._file: Any = None

    @property
    def name(self) -> Any:
        return self._name

    @property
    def mode(self) -> str:
        return self._mode

    def _opened(self, writes):
        if writes and self._mode.replace("b", "") == "r":
            raise _core.PermissionDeniedError("File isn't open for writing")
        if not writes and self._mode.replace("b", "") in ("w", "a"):
            raise _core.PermissionDeniedError("File isn't open for reading")
        if self._file is None:
            with _errors():
                self._file = open(_path(self._name), self._mode)
        return self._file

    def read(self, n: int = -1) -> Any:
        """n characters or bytes, or what is left."""
        return self._opened(False).read(n)

    def readline(self) -> Any:
        """The next line with its end; empty after the last."""
        return self._opened(False).readline()

    def readlines(self) -> list[Any]:
        """All lines with their ends."""
        return self._opened(False).readlines()

    def write(self, file_content: Any) -> None:
        """Writes a text."""
        file = self._opened(True)
        if "b" in self._mode:
            file.write(file_content.encode() if isinstance(file_content, str) else file_content)
        else:
            file.write(file_content.decode() if isinstance(file_content, bytes) else file_content)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Goes on at another place."""
        place = position if offset is None else offset
        if place is None:
            raise _core.InvalidTypeError("seek(): offset argument required")
        self._opened(False).seek(place, whence)

    def tell(self) -> int:
        """The place in the file."""
        return (self._file or self._opened(self._mode.replace("b", "") != "r")).tell()

    def seekable(self) -> bool:
        """True."""
        return True

    def size(self) -> int:
        """The number of bytes."""
        return stat(self._name).length

    def flush(self) -> None:
        """Writes what waits."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Closes the file; one that is to be written is there then, if it is empty too."""
        if self._file is None and self._mode.replace("b", "")[0] in "wa":
            self._opened(True)
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._opened(False))

    def __next__(self) -> Any:
        return next(self._opened(False))


class FileStatistics(_t.NamedTuple):
    """What stat gives."""

    length: int
    mtime_nsec: int
    is_directory: bool


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file. AlreadyExistsError if the other is there and overwrite is False."""
    if not overwrite and exists(dst):
        raise _core.AlreadyExistsError(f"file already exists: {_path(dst)}; use overwrite=True")
    with _errors():
        _shutil.copyfile(_path(src), _path(dst))


def exists(path: Any) -> bool:
    """Whether there is such a file or folder."""
    return _os.path.exists(_path(path))


def glob(pattern: Any) -> list[str]:
    """The paths that a pattern, or a list of them, names, sorted."""
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [name for p in patterns for name in sorted(_glob.glob(_path(p)))]


def isdir(path: Any) -> bool:
    """Whether it is a folder."""
    return _os.path.isdir(_path(path))


def join(path: Any, *paths: Any) -> str:
    """Parts of a path in one."""
    return _os.path.join(_path(path), *map(_path, paths))


def listdir(path: Any) -> list[str]:
    """The names in a folder. NotFoundError if there is none."""
    if not isdir(path):
        raise _core.NotFoundError(f"Could not find directory {_path(path)}")
    return _os.listdir(_path(path))


def makedirs(path: Any) -> None:
    """Makes a folder and those that it is in; it may be there."""
    with _errors():
        _os.makedirs(_path(path), exist_ok=True)


def mkdir(path: Any) -> None:
    """Makes a folder in one that is there."""
    with _errors():
        _os.mkdir(_path(path))


def remove(path: Any) -> None:
    """Removes a file."""
    with _errors():
        _os.remove(_path(path))


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Another name for a file or folder."""
    if not overwrite and exists(dst):
        raise _core.AlreadyExistsError(f"file already exists: {_path(dst)}; use overwrite=True")
    with _errors():
        _os.replace(_path(src), _path(dst))


def rmtree(path: Any) -> None:
    """Removes a folder and all in it."""
    with _errors():
        _shutil.rmtree(_path(path))


def stat(path: Any) -> FileStatistics:
    """length, mtime_nsec and is_directory of a file."""
    with _errors():
        found = _os.stat(_path(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, isdir(path))


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Any], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, its folders, its files), of all folders under one."""
    return _os.walk(_path(top), topdown, onerror)


def get_registered_schemes() -> list[str]:
    """What paths may begin with: nothing, for the files of this machine."""
    return [""]
