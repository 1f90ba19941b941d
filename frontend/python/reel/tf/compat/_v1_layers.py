"""tf.compat.v1.layers."""

from ..keras.layers import Dense as _Dense
from ..keras.layers import Flatten


class Dense(_Dense):
    """Keras' layer, with apply for its call."""

    def apply(self, inputs):
        return self(inputs)


def dense(
    inputs,
    units,
    activation=None,
    use_bias=True,
    kernel_initializer="glorot_uniform",
    bias_initializer="zeros",
    name=None,
    **options,
):
    """A new Dense layer of the inputs."""
    return Dense(units, activation, use_bias, kernel_initializer, bias_initializer, name=name)(inputs)


def flatten(inputs, name=None):
    """All axes but the first as one."""
    return Flatten()(inputs)
