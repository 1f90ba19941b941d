"""What is in a layer is found once, for as long as attributes, lists and flags are what they were."""

import copy

import reel.tf as tf

keras = tf.keras


class _Lists(keras.Model):
    """Layers in a list and in a dict, which change in place."""

    def __init__(self):
        super().__init__()
        self.dense = [keras.layers.Dense(4) for _ in range(3)]
        self.named = {"a": keras.layers.Dense(2)}

    def call(self, x):
        for layer in self.dense:
            x = layer(x)
        return self.named["a"](x)


def built(units, features=4):
    layer = keras.layers.Dense(units)
    layer.build((None, features))
    return layer


def test_variables_are_those_of_the_layers_now():
    model = _Lists()
    model(tf.ones((2, 3)))

    def counts(change):
        change()
        return len(model.variables), len(model.trainable_variables)

    assert counts(lambda: None) == (8, 8)
    assert counts(lambda: model.dense.append(built(4))) == (10, 10)
    assert counts(lambda: model.named.update(b=built(2))) == (12, 12)
    assert counts(lambda: setattr(model.dense[0], "trainable", False)) == (12, 10)
    assert counts(lambda: setattr(model.dense[1].kernel, "trainable", False)) == (12, 9)
    assert counts(lambda: model.named.pop("b")) == (10, 7)
    assert counts(lambda: model.dense.__setitem__(0, built(4, 3))) == (10, 9)
    assert counts(lambda: setattr(model, "more", [[built(1)]])) == (12, 11)
    assert counts(lambda: model.more[0].append(built(1))) == (14, 13)
    assert counts(lambda: delattr(model, "more")) == (10, 9)
    assert counts(lambda: setattr(model, "trainable", False)) == (10, 0)
    assert counts(lambda: setattr(model, "trainable", True)) == (10, 10)
    assert counts(lambda: setattr(model, "scale", keras.Variable(1.0))) == (11, 11)
    assert counts(lambda: model.variables.clear()) == (11, 11)
    copy_ = copy.deepcopy(model)
    assert not {id(v) for v in copy_.variables} & {id(v) for v in model.variables}


def test_variables_of_a_layer_whose_subclass_finds_them():
    class Mine(keras.layers.Layer):
        on = True

        def call(self, inputs):
            return inputs

        @property
        def trainable_variables(self):
            return super().trainable_variables if self.on else []

    model = keras.Sequential([Mine(), keras.layers.Dense(2)])
    model.layers[0].scale = keras.Variable(1.0)
    model(tf.ones((1, 2)))
    assert len(model.trainable_variables) == 3
    model.layers[0].on = False
    assert len(model.trainable_variables) == 2
