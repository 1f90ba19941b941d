"""Model and Sequential."""

from .layers import Layer


class Model(Layer):
    """A layer made of layers: subclasses define call(inputs)."""

    @property
    def layers(self):
        """The layers inside, a list."""
        return [x for x in self._find(Layer)]

    def summary(self):
        """Prints the variables."""
        for v in self.variables:
            print(f"{v.name:40} {str(v.shape):20} {v.dtype.name}")


class Sequential(Model):
    """Layers one after the other."""

    def __init__(self, layers=None, name=None, trainable=True):
        super().__init__(name=name, trainable=trainable)
        self._layers = list(layers or [])

    @property
    def layers(self):
        return list(self._layers)

    def add(self, layer):
        """Appends a layer."""
        self._layers.append(layer)

    def call(self, inputs, **kwargs):
        for layer in self._layers:
            inputs = layer(inputs)
        return inputs
