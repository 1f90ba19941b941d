"""tf.nn.experimental: dropout by seeds and samplers."""

from ._nn_activations import general_dropout as general_dropout
from ._nn_activations import stateless_dropout as stateless_dropout
