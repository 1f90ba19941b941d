"""Errors by TensorFlow's names: subclasses of reel.Error and of the built-in class."""

from .. import _core

OpError = _core.Error
InvalidArgumentError = _core.InvalidArgumentError
NotFoundError = _core.NotFoundError
AlreadyExistsError = _core.AlreadyExistsError
FailedPreconditionError = _core.FailedPreconditionError
UnimplementedError = _core.UnimplementedError
InternalError = _core.InternalError
OutOfRangeError = _core.OutOfRangeError
ResourceExhaustedError = _core.ResourceExhaustedError
CancelledError = _core.CancelledError
DataLossError = _core.DataLossError
DeadlineExceededError = _core.DeadlineExceededError
PermissionDeniedError = _core.PermissionDeniedError
UnavailableError = _core.UnavailableError
AbortedError = _core.AbortedError


class OperatorNotAllowedInGraphError(_core.InvalidTypeError):
    """A traced tensor was used as a Python bool, or iterated over."""


class ConversionError(_core.InvalidArgumentError):
    """A value that cannot be converted; a ValueError."""


class StateError(_core.FailedPreconditionError):
    """The object is not in a state for this; a RuntimeError."""
