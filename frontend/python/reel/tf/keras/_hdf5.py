"""The weights of models in HDF5, as Keras 3 lays them out: a group for each layer, with its variables in vars/0, ..."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core
from ..errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

    State = dict[str, tuple[str, list[Any]]]  # path of a layer -> its name, its arrays

_KINDS = "fiub"  # of NumPy dtypes that a file may hold


def library(what: str) -> Any:
    """The package h5py; an error that says how to get it."""
    try:
        import h5py
    except ImportError:
        raise _core.UnimplementedError(f"{what}: needs the package h5py: pip install h5py") from None
    return h5py


def write(file: Any, state: State) -> None:
    """Writes the arrays into an open file or stream."""
    h5py = library("save")
    with h5py.File(file, "w") as h5:
        for path, (name, arrays) in state.items():
            group = h5.create_group(f"{path}/vars" if path else "vars")
            group.attrs["name"] = name
            for i, (array, dtype) in enumerate(arrays):
                group[str(i)] = array
                if dtype == "bfloat16":
                    group[str(i)].attrs["dtype"] = dtype


class Reader:
    """An open file of weights. Its links to other files, and data that are kept elsewhere, are errors, not followed."""

    def __init__(self, file: Any, path: str) -> None:
        self._h5py, self._path = library("load"), path
        try:
            self._h5 = self._h5py.File(file, "r")
        except OSError as error:
            raise ConversionError(f"{path!r} holds no HDF5 file of weights: {error}") from None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *error: object) -> None:
        self._h5.close()

    def _inside(self, group, name):
        """The member of a group, or None. It has to lie in the file itself."""
        link = group.get(name, getlink=True)
        if link is None:
            return None
        if not isinstance(link, self._h5py.HardLink):
            raise ConversionError(f"{self._path!r}: {group.name}/{name} is a link to elsewhere, and is not followed")
        return group[name]

    def arrays(self, path: str) -> dict[str, Any]:
        """The datasets of a layer by their numbers, unread; none if the file does not know the layer."""
        group = self._h5
        for part in [*(p for p in path.split("/") if p), "vars"]:
            group = self._inside(group, part) if isinstance(group, self._h5py.Group) else None
            if group is None:
                return {}
        if not isinstance(group, self._h5py.Group):
            raise ConversionError(f"{self._path!r}: {path}/vars is no group")
        return {name: self._checked(group, name) for name in group}

    def _checked(self, group, name):
        data = self._inside(group, name)
        if not isinstance(data, self._h5py.Dataset) or data.is_virtual or data.external:
            raise ConversionError(f"{self._path!r}: {group.name}/{name} is no array that lies in the file")
        if data.dtype.kind not in _KINDS and data.dtype.itemsize != 2:
            raise ConversionError(
                f"{self._path!r}: {group.name}/{name} has the dtype {data.dtype}, not that of a number"
            )
        return data


def value(data: Any) -> Any:
    """A dataset as a tensor. Numbers of 2 bytes that HDF5 does not know are bfloat16."""
    import numpy

    from .._convert import convert_to_tensor

    array = data[()]
    if data.attrs.get("dtype") == "bfloat16" or data.dtype.kind not in _KINDS:
        wide = (numpy.asarray(array).view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
        return convert_to_tensor(wide)
    return convert_to_tensor(array)
