"""Model and Sequential."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core
from .. import nest as _nest
from .._convert import convert_to_tensor
from .._tensor import Tensor
from ..errors import ConversionError
from ._layer import Layer
from ._naming import entered as _entered
from ._naming import unique_name as _unique_name
from ._serialize import deserialize as _deserialize
from ._serialize import objects as _objects
from ._serialize import serialize as _serialize
from ._symbolic import Graph as _Graph
from ._symbolic import KerasTensor as _KerasTensor
from ._symbolic import infer as _infer
from ._symbolic import symbols_of as _symbols_of
from ._training import Trainer as _Trainer

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class Model(_Trainer, Layer):
    """A layer made of layers: Model(inputs, outputs) of symbols, or a subclass that defines call(inputs)."""

    _ignored = ("_compiled",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        graph = None
        if args or "inputs" in kwargs and "outputs" in kwargs:
            named = dict(zip(("inputs", "outputs", "name"), args))
            if len(args) > 3 or len(args) == 1 and "outputs" not in kwargs:
                raise _core.InvalidTypeError("Model: give inputs and outputs, or none of them and define call")
            kwargs = {**named, **kwargs}
            graph = _Graph(kwargs.pop("inputs"), kwargs.pop("outputs"))
            if type(self) is Model and kwargs.get("name") is None:
                kwargs["name"] = _unique_name("functional")
        super().__init__(**kwargs)
        self.__dict__["_graph"] = graph
        if graph is not None:
            self.__dict__["_graph_layers"] = graph.layers()
            self.built = True
            self.supports_masking = True

    def _own_layers(self):
        inner = self.__dict__.get("_graph_layers", ())
        return list({id(x): x for x in (*inner, *super()._own_layers())}.values())

    @property
    def layers(self) -> list[Any]:
        """The layers inside, a list."""
        return [x for x in self._own_layers() if isinstance(x, Layer)]

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """The layer of this name, or at this place; ValueError if there is none."""
        if (name is None) == (index is None):
            raise ConversionError("Provide either a layer name or a layer index at `get_layer`, and not both.")
        if index is not None:
            if len(self.layers) <= index:
                raise ConversionError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(self.layers)} layers."
                )
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ConversionError(f"No such layer: {name}. Existing layers are: {[layer.name for layer in self.layers]}.")

    # A model of symbols.

    def _graph_of(self, what):
        graph = self.__dict__.get("_graph")
        if graph is None:
            raise AttributeError(f"The model {self.name} has no {what}: it was not made of symbols (keras.Input).")
        return graph

    @property
    def inputs(self) -> Any:
        """The symbolic inputs, a list."""
        return list(self._graph_of("inputs").flat_inputs)

    @property
    def outputs(self) -> Any:
        """The symbolic outputs, a list."""
        return _nest.flatten(self._graph_of("outputs").outputs)

    @property
    def input(self) -> Any:
        """The symbolic inputs, as they were given."""
        return self._graph_of("input").inputs

    @property
    def output(self) -> Any:
        """The symbolic outputs, as they were given."""
        return self._graph_of("output").outputs

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that the outputs are of; output_1, ... where there are none."""
        graph = self.__dict__.get("_graph")
        if graph is None:
            return []
        if isinstance(graph.outputs, dict):
            return list(_nest._keys(graph.outputs))
        return [x._node.operation.name for x in _nest.flatten(graph.outputs)]

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs."""
        return [x._node.operation.name for x in self.inputs]

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        """The outputs of the graph; subclasses say what else."""
        graph = self.__dict__.get("_graph")
        if graph is None:
            raise _core.UnimplementedError(f"Model {type(self).__name__} does not have a `call()` method implemented.")
        return graph.run(self._flat(graph, inputs))

    def _flat(self, graph, inputs):
        """The values of the inputs, in the order of the symbols."""
        if isinstance(inputs, dict) and not isinstance(graph.inputs, dict):
            names = self.input_names
            missing = [n for n in names if n not in inputs]
            if missing:
                raise ConversionError(f"Missing data for input {missing[0]!r}. You passed a data dictionary with keys "
                                      f"{list(inputs)}. Expected the following keys: {names}")  # fmt: skip
            flat = [inputs[n] for n in names]
        elif isinstance(graph.inputs, dict) and isinstance(inputs, dict):
            flat = [inputs[k] for k in _nest._keys(graph.inputs)]
        else:
            flat = _nest.flatten(inputs)
        if len(flat) != len(graph.flat_inputs):
            raise ConversionError(
                f"Layer '{self.name}' expected {len(graph.flat_inputs)} input(s). Received {len(flat)} instead."
            )
        return [self._fitted(x, symbol) for x, symbol in zip(flat, graph.flat_inputs)]

    def _fitted(self, x, symbol):
        x = convert_to_tensor(x)
        shape, rank = x.shape, len(symbol.shape)
        if len(shape) == rank and all(n is None or n == m for n, m in zip(symbol.shape, shape)):
            return x
        if len(x.shape) == rank - 1 and symbol.shape[-1] == 1:
            x = _expand(x)
        elif len(x.shape) == rank + 1 and x.shape[-1] == 1:
            x = _squeeze(x)
        if len(x.shape) != rank or any(n not in (None, m) for n, m in zip(symbol.shape, x.shape)):
            raise ConversionError(
                f"Input of model '{self.name}' is incompatible with the layer: expected shape={symbol.shape}, found "
                f"shape={tuple(x.shape)}"
            )
        return x

    def build(self, input_shape: Any = None) -> None:
        """Makes the variables of a subclass for inputs of this shape, with the axis of the batch: it is called on symbols."""
        if input_shape is None or self.__dict__.get("_graph") is not None or type(self).call is Model.call:
            return
        symbols = _symbols_of(input_shape)
        self.built = True
        _infer(self, (symbols,), {})

    def _build_for(self, args, kwargs):
        if type(self).build is not Model.build:
            super()._build_for(args, kwargs)
        elif args:
            self.__dict__.setdefault("_build_shape", _nest.map_structure(_any_batch, args[0]))
        self.built = True

    # Configs, files.

    def summary(
        self,
        line_length: int | None = None,
        positions: Any = None,
        print_fn: Callable[[str], Any] | None = None,
        expand_nested: bool = False,
        show_trainable: bool = False,
        layer_range: Any = None,
    ) -> None:
        """Prints a table of the layers: outputs and numbers of parameters."""
        from ._summary import table

        (print_fn or print)(table(self, expand_nested, show_trainable, layer_range, line_length))

    def get_config(self) -> dict[str, Any]:
        """The arguments of a subclass; layers and nodes of a model of symbols."""
        if self.__dict__.get("_graph") is None or type(self).__init__ is not Model.__init__:
            return super().get_config()
        from ._graph_config import config_of

        return config_of(self)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """A new model of a config."""
        if "input_layers" in config:
            from ._graph_config import model_of

            return model_of(cls, config, custom_objects)
        return cls(**dict(_objects(config)))

    def to_json(self, **options: Any) -> str:
        """The config as JSON, for keras.models.model_from_json."""
        import json

        return json.dumps(_serialize(self), **options)

    def save_weights(self, filepath: Any, overwrite: bool = True, max_shard_size: Any = None) -> None:
        """Writes the variables to a file, .weights.h5, .safetensors or .npz, whole or not at all."""
        from ._files import save_weights

        save_weights(self, filepath, overwrite, max_shard_size)

    def load_weights(self, filepath: Any, skip_mismatch: bool = False, **options: Any) -> None:
        """Assigns what save_weights wrote; ValueError, and nothing assigned, if it does not fit."""
        from ._files import load_weights

        load_weights(self, filepath, skip_mismatch, options)

    def save(self, filepath: Any, overwrite: bool = True, zipped: Any = None, **options: Any) -> None:
        """Writes the whole model to a .keras file, as Keras does: architecture, weights, the optimizer with its state."""
        from ._archive import save_model

        save_model(self, filepath, overwrite, zipped, options)

    def export(
        self,
        filepath: Any,
        format: str = "tf_saved_model",
        verbose: Any = None,
        input_signature: Any = None,
        **kwargs: Any,
    ) -> None:
        """Writes a SavedModel for TensorFlow: the signature `serving_default` and the function `serve`, on any batch."""
        from ._export import export_model

        if kwargs:
            raise ConversionError(f"export: the following argument(s) are not supported: {list(kwargs)}")
        export_model(self, filepath, format, input_signature)


def _any_batch(x):
    """The shape of a batch of any size."""
    shape = getattr(x, "shape", None)
    return None if shape is None else (None, *shape[1:]) if len(shape) else ()


def _expand(x):
    from .._array import expand_dims

    return expand_dims(x, -1)


def _squeeze(x):
    from .._array import squeeze

    return squeeze(x, -1)


class Sequential(Model):
    """Layers one after the other; its variables are made when the shape of the input is known."""

    def __init__(
        self, layers: Iterable[Callable[..., Any]] | None = None, trainable: bool = True, name: str | None = None
    ) -> None:
        super().__init__(trainable=trainable, name=name)
        self.__dict__["_sequence"] = []
        self.supports_masking = True
        for layer in layers or ():
            self.add(layer, rebuild=False)
        self._rebuild()

    def _own_layers(self):
        return [x for x in self.__dict__.get("_sequence", ()) if isinstance(x, Layer)]

    @property
    def layers(self) -> list[Any]:
        """The layers, a list; the input is none."""
        from .layers import InputLayer

        return [x for x in self.__dict__.get("_sequence", ()) if not isinstance(x, InputLayer)]

    def add(self, layer: Callable[..., Any], rebuild: bool = True) -> None:
        """Appends a layer; keras.Input first says the shape of what will be given."""
        from .layers import InputLayer

        sequence = self._sequence
        if isinstance(layer, _KerasTensor):
            layer = layer._node.operation if layer._node is not None else layer
        if not callable(layer) and not isinstance(layer, InputLayer):
            raise ConversionError(
                f"Only instances of `keras.Layer` can be added to a Sequential model. Received: {layer} (of type {type(layer)})"
            )
        if isinstance(layer, Layer) and any(isinstance(x, Layer) and x.name == layer.name for x in sequence):
            raise ConversionError(
                "All layers added to a Sequential model should have unique names. Name '"
                f"{layer.name}' is already the name of a layer in this model. Update the `name` argument to pass a unique name."
            )
        if isinstance(layer, InputLayer) and sequence:
            raise ConversionError(
                f"Sequential model '{self.name}' has already been configured to use input shape "
                f"{self._input_shape_or_none()}. You cannot add a different Input layer to it."
            )
        if not sequence and not isinstance(layer, InputLayer):
            shape = getattr(layer, "_input_shape_given", None)
            if shape is None and isinstance(layer, Model) and layer.__dict__.get("_graph") is not None and layer.built:
                shape = layer._graph.flat_inputs[0].shape
            if shape is not None:
                sequence.append(InputLayer(batch_shape=shape))
        sequence.append(layer)
        if rebuild:
            self._rebuild()

    def pop(self, rebuild: bool = True) -> Any:
        """Removes the last layer, and returns it."""
        if not self.layers:
            raise _core.OutOfRangeError("pop: there are no layers in the model")
        layer = self._sequence.pop()
        self.built, self.__dict__["_graph"] = False, None
        if rebuild:
            self._rebuild()
        return layer

    def _input_shape_or_none(self):
        graph = self.__dict__.get("_graph")
        return graph.flat_inputs[0].shape if graph else None

    def _rebuild(self):
        """Builds the layers if the shape of the input is known; the graph is made if they are layers of symbols."""
        from .layers import InputLayer

        self.__dict__["_graph"] = None
        self.built = False
        if not self._sequence or not isinstance(self._sequence[0], InputLayer) or not self.layers:
            return
        x = start = self._sequence[0].output
        with _entered(self):
            for layer in self._sequence[1:]:
                x = layer(x) if isinstance(layer, Layer) else None
                if not isinstance(x, _KerasTensor):
                    break
        self.built = True
        if isinstance(x, _KerasTensor):
            self.__dict__["_graph"] = _Graph(start, x)

    def build(self, input_shape: Any = None) -> None:
        """Makes the variables for inputs of this shape, with the axis of the batch."""
        from .layers import InputLayer

        if input_shape is None or self.__dict__.get("_graph") is not None:
            return
        if not isinstance(self._sequence[0] if self._sequence else None, InputLayer) and isinstance(
            input_shape, (tuple, list)
        ) and all(n is None or isinstance(n, int) for n in input_shape):  # fmt: skip
            self._sequence.insert(0, InputLayer(batch_shape=(None, *input_shape[1:]), dtype=self.dtype))
            try:
                self._rebuild()
            except BaseException:
                self._sequence.pop(0)
                raise
            first = self._sequence.pop(0)
            if not self.built:
                return
            self._sequence.insert(0, first)

    def _build_for(self, args, kwargs):
        """The graph of the layers, for inputs of this shape; layers that cannot be traced build themselves when called."""
        from .layers import InputLayer

        x = args[0] if args else None
        if isinstance(x, Tensor) and self._sequence and not isinstance(self._sequence[0], InputLayer):
            try:
                self.build((None, *x.shape[1:]))
            except Exception:  # the call that follows raises it again, or does without
                self.__dict__["_graph"] = None
        self.built = True

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None, **kwargs: Any) -> Any:
        """The layers one after the other."""
        sequence, graph = self.__dict__["_sequence"], self.__dict__.get("_graph")
        if graph is not None and not _nest.is_nested(inputs):
            inputs = self._fitted(inputs, graph.flat_inputs[0])
        skipped = 1 if sequence and sequence[0].__class__.__name__ == "InputLayer" else 0
        for layer in sequence[skipped:] if skipped else sequence:
            inputs = layer(inputs)
        return inputs

    def get_config(self) -> dict[str, Any]:
        """Name, layers and the shape that it was built for."""
        config = (
            Layer.get_config(self) if type(self) is not Sequential else {"name": self.name, "trainable": self.trainable}
        )
        config["layers"] = [_serialize(layer) for layer in self._sequence]
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """A new model of a config."""
        layers = [_deserialize(c, custom_objects) for c in config["layers"]]
        return cls(layers, name=config.get("name"), trainable=config.get("trainable", True))


def clone_model(
    model: Model,
    input_tensors: Any = None,
    clone_function: Callable[[Any], Any] | None = None,
    call_function: Any = None,
    recursive: bool = False,
    **options: Any,
) -> Any:
    """A new model of the same layers, made anew with variables of their own."""
    if input_tensors is not None or call_function is not None or recursive:
        raise _core.UnimplementedError("clone_model: there are no input_tensors, call_function and recursive here")
    config = model.get_config()
    if clone_function is None:
        return type(model).from_config(config)
    if not isinstance(model, Sequential):
        raise _core.UnimplementedError("clone_model: a clone_function is for Sequential models only")
    return Sequential([clone_function(layer) for layer in model.layers], name=model.name)


def model_from_json(json_string: str, custom_objects: dict[str, Any] | None = None) -> Any:
    """A new model of to_json's text."""
    import json

    return _deserialize(json.loads(json_string), custom_objects)


def load_model(filepath: Any, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True) -> Any:
    """The model of a .keras file. Classes that are not Keras's are registered, or custom_objects by name; no code is run."""
    from ._archive import load_model

    return load_model(filepath, custom_objects, compile)


def save_model(model: Any, filepath: Any, overwrite: bool = True, zipped: Any = None, **options: Any) -> None:
    """Model.save."""
    model.save(filepath, overwrite, zipped, **options)


__all__ = [
    "Model", "Sequential", "clone_model", "load_model", "model_from_json", "save_model",
]  # fmt: skip
