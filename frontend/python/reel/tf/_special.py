"""tf.math.special: functions that tf.math has, too, and others that are refused by name."""

from __future__ import annotations as _annotations
