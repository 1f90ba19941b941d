"""tf.config: what it says and sets about one CPU. What changes nothing there is kept and given back, or refused."""

from __future__ import annotations as _annotations

import collections as _collections
import os as _os
import typing as _t

from .. import _core
from .errors import ConversionError as _ConversionError
from .errors import StateError as _StateError

if _t.TYPE_CHECKING:
    from typing import Any

_eagerly = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Whether tf.functions run as plain Python, op by op, on all threads."""
    global _eagerly
    _eagerly = bool(run_eagerly)
    _core._set_all_calls_slow(_eagerly)


def functions_run_eagerly() -> bool:
    """What run_functions_eagerly set."""
    return _eagerly


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly

PhysicalDevice = _collections.namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = _collections.namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDeviceConfiguration = _collections.namedtuple(
    "LogicalDeviceConfiguration",
    ["memory_limit", "experimental_priority", "experimental_device_ordinal"],
    defaults=(None, None, None),
)
PhysicalDevice.__doc__ = "A device of the machine: its name and type."
LogicalDevice.__doc__ = "A device that ops run on: its name and type."
LogicalDeviceConfiguration.__doc__ = "How a physical device is divided: here it is not."
_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_LOGICAL = LogicalDevice("/device:CPU:0", "CPU")


def _of_type(device, device_type):
    return [device] if device_type in (None, device.device_type) else []


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The one CPU; nothing of another type."""
    return _of_type(_CPU, device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The one CPU that ops run on; nothing of another type."""
    return _of_type(_LOGICAL, device_type)


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The one CPU; nothing of another type."""
    return _of_type(_CPU, device_type)


def _checked(device):
    if device not in (_CPU, _LOGICAL):
        raise _ConversionError(
            f"Unrecognized device: {device!r}; tf.config.list_physical_devices() has the one there is"
        )


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Nothing for the one CPU, and for no devices of another type; a program without its CPU is refused."""
    devices = devices if isinstance(devices, (list, tuple)) and not isinstance(devices, PhysicalDevice) else [devices]
    for device in devices:
        _checked(device)
        if device_type not in (None, device.device_type):
            raise _ConversionError(f"Unrecognized device: {device!r} is not of the type {device_type}")
    if not devices and device_type in (None, "CPU"):
        raise _core.UnimplementedError("set_visible_devices: ops need the CPU; hide devices of other types only")


def get_logical_device_configuration(device: Any) -> None:
    """None: the CPU is not divided."""
    _checked(device)


def set_logical_device_configuration(device: Any, logical_devices: Any) -> None:
    """One undivided device; NotImplementedError for more."""
    _checked(device)
    if len(logical_devices) != 1 or logical_devices[0] != LogicalDeviceConfiguration():
        raise _core.UnimplementedError(
            f"set_logical_device_configuration: the CPU is one device, it cannot be {len(logical_devices)}; use all of its"
            " cores (REEL_NUM_THREADS) instead"
        )


_soft_placement = True


def get_soft_device_placement() -> bool:
    """What set_soft_device_placement set; True at first."""
    return _soft_placement


def set_soft_device_placement(enabled: bool) -> None:
    """Whether ops for a device that is not there run on the CPU; False is refused, as there is no other device."""
    if not enabled:
        raise _core.UnimplementedError(
            "set_soft_device_placement(False): all ops run on the one CPU, whatever is asked"
        )


class threading:
    """tf.config.threading: Reel's threads are those of REEL_NUM_THREADS, which is read when a process starts."""

    @staticmethod
    def get_intra_op_parallelism_threads() -> int:
        """REEL_NUM_THREADS; 0 if it is not set, which means all cores."""
        return int(_os.environ.get("REEL_NUM_THREADS") or 0)

    @staticmethod
    def get_inter_op_parallelism_threads() -> int:
        """0: ops of one function do not wait for threads of their own."""
        return 0

    @staticmethod
    def set_intra_op_parallelism_threads(num_threads: int) -> None:
        """RuntimeError unless it is the number already: the threads were started with the process."""
        if num_threads != threading.get_intra_op_parallelism_threads():
            raise _StateError(
                "Intra op parallelism cannot be modified after initialization. Start the process with "
                f"REEL_NUM_THREADS={num_threads} in its environment instead."
            )

    @staticmethod
    def set_inter_op_parallelism_threads(num_threads: int) -> None:
        """RuntimeError for a number but 0 and 1: ops of a function run one after another, each on all threads."""
        if num_threads not in (0, 1):
            raise _StateError(
                "Inter op parallelism cannot be modified: ops run one after another, each on REEL_NUM_THREADS threads."
            )


class optimizer:
    """tf.config.optimizer: the passes of the compiler always run, so that options are kept and change nothing."""

    _options: dict[str, Any] = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    _KNOWN = (
        "layout_optimizer constant_folding shape_optimization remapping arithmetic_optimization "
        "dependency_optimization loop_optimization function_optimization debug_stripper disable_model_pruning "
        "scoped_allocator_optimization pin_to_host_optimization implementation_selector auto_mixed_precision "
        "disable_meta_optimizer min_graph_nodes auto_parallel"
    ).split()

    @staticmethod
    def get_jit() -> str:
        """'': tf.functions are compiled in any case."""
        return ""

    @staticmethod
    def set_jit(enabled: bool | str) -> None:
        """Nothing: tf.functions are compiled in any case. ValueError for a text but 'autoclustering'."""
        if not isinstance(enabled, bool) and enabled not in ("", "autoclustering"):
            raise _ConversionError(f"set_jit takes True, False, '' or 'autoclustering', not {enabled!r}")

    @staticmethod
    def get_experimental_options() -> dict[str, Any]:
        """What set_experimental_options was told."""
        return dict(optimizer._options)

    @staticmethod
    def set_experimental_options(options: dict[str, Any]) -> None:
        """Keeps the options, which change no result; those that would (auto_mixed_precision, debug_stripper) are refused."""
        for name, value in options.items():
            if name not in optimizer._KNOWN:
                raise _ConversionError(f"set_experimental_options: there is no option {name!r}")
            if value and name in ("auto_mixed_precision", "debug_stripper", "auto_parallel"):
                raise _core.UnimplementedError(
                    f"set_experimental_options: {name} changes results, Reel does not have it"
                )
        optimizer._options.update(options)


class experimental:
    """tf.config.experimental."""

    list_physical_devices = staticmethod(list_physical_devices)
    list_logical_devices = staticmethod(list_logical_devices)
    get_visible_devices = staticmethod(get_visible_devices)
    set_visible_devices = staticmethod(set_visible_devices)
    get_virtual_device_configuration = staticmethod(get_logical_device_configuration)
    set_virtual_device_configuration = staticmethod(set_logical_device_configuration)
    VirtualDeviceConfiguration = LogicalDeviceConfiguration
    _tensor_float_32 = True

    @staticmethod
    def enable_op_determinism() -> None:
        """Nothing: equal programs on equal values give equal bits, whatever the number of threads."""

    @staticmethod
    def enable_tensor_float_32_execution(enabled: bool) -> None:
        """Kept for tensor_float_32_execution_enabled: CPUs have no such format."""
        experimental._tensor_float_32 = bool(enabled)

    @staticmethod
    def tensor_float_32_execution_enabled() -> bool:
        """What enable_tensor_float_32_execution was told; True at first."""
        return experimental._tensor_float_32

    @staticmethod
    def get_device_details(device: Any) -> dict[str, Any]:
        """{}: nothing more is known of the CPU."""
        _checked(device)
        return {}

    @staticmethod
    def get_memory_info(device: str) -> dict[str, int]:
        """Refused: Reel does not count the bytes of a device."""
        raise _core.UnimplementedError("get_memory_info: Reel does not count memory by device; see reel.summary")

    @staticmethod
    def get_memory_usage(device: str) -> int:
        """Refused: Reel does not count the bytes of a device."""
        raise _core.UnimplementedError("get_memory_usage: Reel does not count memory by device; see reel.summary")

    @staticmethod
    def reset_memory_stats(device: str) -> None:
        """Refused: Reel does not count the bytes of a device."""
        raise _core.UnimplementedError("reset_memory_stats: Reel does not count memory by device; see reel.summary")

    @staticmethod
    def get_memory_growth(device: Any) -> None:
        """ValueError: only GPUs have it."""
        raise _ConversionError("Cannot get memory growth of non-GPU and non-Pluggable devices; there is one CPU only")

    @staticmethod
    def set_memory_growth(device: Any, enable: bool) -> None:
        """ValueError: only GPUs have it."""
        raise _ConversionError("Cannot set memory growth on non-GPU and non-Pluggable devices; there is one CPU only")

    @staticmethod
    def get_device_policy() -> str:
        """'silent': there is one device, so nothing is copied between two."""
        return "silent"

    @staticmethod
    def set_device_policy(device_policy: str | None) -> None:
        """Nothing: there is one device. ValueError for an unknown policy."""
        if device_policy not in (None, "explicit", "warn", "silent", "silent_for_int32"):
            raise _ConversionError(f"{device_policy!r} is not a valid device policy")

    @staticmethod
    def get_synchronous_execution() -> bool:
        """True: an op is done when its call returns."""
        return True

    @staticmethod
    def set_synchronous_execution(enable: bool) -> None:
        """Refused if False: an op is done when its call returns."""
        if not enable:
            raise _core.UnimplementedError("set_synchronous_execution(False): ops are done when their call returns")
