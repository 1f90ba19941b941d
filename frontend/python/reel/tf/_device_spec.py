"""tf.DeviceSpec: the parts of a device's name."""

from __future__ import annotations

import typing as _t

from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

_FIELDS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec:
    """A device's job, replica, task, type and index, each None if it is left open. Cannot be changed."""

    __slots__ = tuple("_" + name for name in _FIELDS)
    _job: str | None
    _replica: int | None
    _task: int | None
    _device_type: str | None
    _device_index: int | None

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        def number(x: Any) -> int | None:
            return None if x is None else int(x)

        self._job = None if job is None else str(job)
        self._replica, self._task = number(replica), number(task)
        self._device_type = None if device_type is None else str(device_type).upper()
        self._device_index = number(device_index)

    @property
    def job(self) -> str | None:
        return self._job

    @property
    def replica(self) -> int | None:
        return self._replica

    @property
    def task(self) -> int | None:
        return self._task

    @property
    def device_type(self) -> str | None:
        return self._device_type

    @property
    def device_index(self) -> int | None:
        return self._device_index

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Of a text such as "/job:worker/task:1/device:CPU:0", "CPU:0" or "cpu"; ValueError for others."""
        values: dict[str, Any] = {}
        for part in spec.split("/"):
            words = part.split(":")
            if not part or words == ["*"]:
                continue
            key = words[0].lower()
            if key == "device" and len(words) == 3:
                values.update(device_type=words[1], device_index=_index(words[2], spec))
            elif key == "device" and len(words) == 2:
                values.update(device_type=words[1])
            elif key in ("job", "replica", "task") and len(words) == 2:
                values[key] = words[1] if key == "job" else _index(words[1], spec)
            elif key in ("cpu", "gpu", "tpu") and len(words) <= 2:
                values.update(device_type=words[0], device_index=_index(words[1], spec) if words[1:] else None)
            else:
                raise ConversionError(
                    f"Unknown attribute '{words[0]}' is encountered while parsing the device spec: '{spec}'; write "
                    "'/job:<name>/replica:<id>/task:<id>/device:<type>:<id>' or a part of it"
                )
        return cls(**values)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """from_string."""
        return self.from_string(spec)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """This one, with what `dev` says in the place of what it says."""
        return DeviceSpec(*(a if b is None else b for a, b in zip(self._values(), dev._values())))

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """This one with other values for some parts."""
        return DeviceSpec(**{**dict(zip(_FIELDS, self._values())), **kwargs})

    def to_string(self) -> str:
        """The text that from_string takes."""
        out = "".join(f"/{name}:{value}" for name, value in zip(_FIELDS[:3], self._values()[:3]) if value is not None)
        if self._device_type is not None:
            out += f"/device:{self._device_type}:{'*' if self._device_index is None else self._device_index}"
        return out

    def _values(self):
        return tuple(getattr(self, "_" + name) for name in _FIELDS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{n}={v}' for n, v in zip(_FIELDS, self._values()))})>"


def _index(text, spec):
    if text == "*":
        return None
    try:
        return int(text)
    except ValueError:
        raise ConversionError(
            f"the number {text!r} of the device spec {spec!r} is none: it is a decimal integer"
        ) from None
