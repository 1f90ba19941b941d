"""Errors by TensorFlow's names: subclasses of reel.Error and of the built-in class.

An index out of range is an InvalidArgumentError, as in TensorFlow. Classes are made with TensorFlow's arguments
(node_def, op, message) or with the text alone; `message` is what str() gives.
"""

from .. import _core
from .._errors import _NUMBERS

OpError = _core.Error
InvalidArgumentError = _core.InvalidArgumentError
NotFoundError = _core.NotFoundError
AlreadyExistsError = _core.AlreadyExistsError
FailedPreconditionError = _core.FailedPreconditionError
UnimplementedError = _core.UnimplementedError
InternalError = _core.InternalError
ResourceExhaustedError = _core.ResourceExhaustedError
CancelledError = _core.CancelledError
DataLossError = _core.DataLossError
DeadlineExceededError = _core.DeadlineExceededError
PermissionDeniedError = _core.PermissionDeniedError
UnavailableError = _core.UnavailableError
AbortedError = _core.AbortedError

(
    OK,
    CANCELLED,
    UNKNOWN,
    INVALID_ARGUMENT,
    DEADLINE_EXCEEDED,
    NOT_FOUND,
    ALREADY_EXISTS,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    FAILED_PRECONDITION,
    ABORTED,
    OUT_OF_RANGE,
    UNIMPLEMENTED,
    INTERNAL,
    UNAVAILABLE,
    DATA_LOSS,
    UNAUTHENTICATED,
) = _NUMBERS.values()


class OutOfRangeError(OpError):
    """An iterator is at its end. Indices out of range are InvalidArgumentErrors."""

    code = "OutOfRange"


class UnknownError(OpError):
    """An error of no other kind."""

    code = "Unknown"


class UnauthenticatedError(OpError):
    """The caller is not known."""

    code = "Unauthenticated"


class OperatorNotAllowedInGraphError(_core.InvalidTypeError):
    """A traced tensor was used as a Python bool, or iterated over; a TypeError."""


class ConversionError(_core.InvalidTypeError):
    """A value that cannot be converted: a ValueError and a TypeError, as TensorFlow raises one or the other, by the op."""


class StateError(_core.FailedPreconditionError):
    """The object is not in a state for this; a RuntimeError."""


class NotEagerError(_core.UnimplementedError, AttributeError):
    """What only tensors with values have, asked of a traced one; an AttributeError, so that hasattr tells them apart."""
