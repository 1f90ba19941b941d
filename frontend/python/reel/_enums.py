"""Enumerations with TensorFlow's names."""

import enum as _enum


class UnconnectedGradients(_enum.Enum):
    """What a source gets that the target does not depend on: None, or zeros of its type."""

    NONE = "none"
    ZERO = "zero"
