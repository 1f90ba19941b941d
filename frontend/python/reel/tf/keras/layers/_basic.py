"""Inputs, dense layers, embeddings, functions as layers."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _array, math
from ..._convert import cast, convert_to_tensor
from ...errors import ConversionError
from .. import activations as _activations
from .. import initializers as _initializers
from .._common import given
from .._layer import InputSpec, Layer, constraint_of, regularizer_of
from .._naming import unique_name
from .._symbolic import KerasTensor, Node

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    _Activation = str | Callable[..., Any] | None


def same_dtype(x: Any, layer: Layer) -> Any:
    """Integers and bools as the layer's dtype."""
    return x if x.dtype.is_floating or x.dtype.is_complex else cast(x, layer.dtype)


def promoted(layer: Layer, *xs: Any) -> tuple[Any, ...]:
    """Tensors as one dtype: complex before floating before integers, of these those of most bits."""
    xs = tuple(convert_to_tensor(x) for x in xs)
    kinds = [(x.dtype.is_complex, x.dtype.is_floating, x.dtype.size, x.dtype) for x in xs]
    first = max(kinds, key=lambda k: k[:3])
    dtype = first[3] if first[0] or first[1] or all(k[3] == first[3] for k in kinds) else xs[0].dtype
    return tuple(cast(x, dtype) for x in xs)


class InputLayer(Layer):
    """What keras.Input makes: shape and dtype of what will be given."""

    def __init__(
        self,
        shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        sparse: bool | None = None,
        ragged: bool | None = None,
        batch_shape: Any = None,
        input_tensor: Any = None,
        optional: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if shape is not None and batch_shape is not None:
            raise ConversionError("You cannot pass both `shape` and `batch_shape` at the same time.")
        if sparse or ragged or optional or input_tensor is not None:
            raise _core.UnimplementedError(
                "InputLayer: there are no sparse, ragged and optional inputs, and no input_tensor"
            )
        batch_shape = kwargs.pop("batch_input_shape", batch_shape)
        if shape is None and batch_shape is None:
            raise ConversionError("You must pass a `shape` argument.")
        super().__init__(name=name or unique_name("input_layer"), dtype=dtype, **kwargs)
        self.batch_shape = tuple(batch_shape) if batch_shape is not None else (batch_size, *shape)
        symbol = KerasTensor(self.batch_shape, self.dtype, name=self.name)
        node = Node(self, (), {})
        node.outputs = symbol
        symbol._node = node
        self.__dict__["_inbound"] = [node]
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Nothing to compute."""
        raise _core.UnimplementedError("InputLayer: it is not called; it says what the model is given")

    def get_config(self) -> dict[str, Any]:
        return {
            "batch_shape": self.batch_shape,
            "dtype": self.dtype,
            "sparse": False,
            "ragged": False,
            "optional": False,
            "name": self.name,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**{k: v for k, v in config.items() if k != "trainable"})


class Weighted(Layer):
    """What layers with a kernel and a bias share: their options by name."""

    _options = ("kernel", "bias")
    quantization_config = None  # always: there are no quantised weights

    def _take_options(self, options):
        """Sets kernel_initializer, kernel_regularizer, kernel_constraint and so on, as objects."""
        for name in self._options:
            if f"{name}_initializer" in options:
                setattr(self, f"{name}_initializer", _initializers.get(options.pop(f"{name}_initializer")))
            setattr(self, f"{name}_regularizer", regularizer_of(options.pop(f"{name}_regularizer", None)))
            constraint = options.pop(f"{name}_constraint", None)
            setattr(self, f"{name}_constraint", constraint_of(constraint))

    def _weight(self, name, shape, of=None):
        """A weight of this name with its options."""
        of = of or name
        return self.add_weight(
            shape, getattr(self, f"{of}_initializer"), name=name, regularizer=getattr(self, f"{of}_regularizer"),
            constraint=getattr(self, f"{of}_constraint"),
        )  # fmt: skip


class Dense(Weighted):
    """activation(x kernel + bias): kernel [features, units], made at the first call."""

    _config = (
        "units", "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer",
        "bias_regularizer", "kernel_constraint", "bias_constraint", "quantization_config",
    )  # fmt: skip

    def __init__(
        self,
        units: int,
        activation: _Activation = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        refuse_options(self, lora_rank=lora_rank, lora_alpha=lora_alpha, quantization_config=quantization_config)
        if not isinstance(units, int) or units <= 0:
            raise ConversionError(
                f"Received an invalid value for `units`, expected a positive integer. Received: units={units}"
            )
        self.units = units
        self.activation = _activations.get(activation)
        self.use_bias = use_bias
        self._take_options(given(locals()))
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        features = input_shape[-1] if len(input_shape) else None
        if features is None:
            raise _core.InvalidArgumentError(
                f"Dense: the last axis of the inputs must be known, their shape is {input_shape}"
            )
        self.kernel = self._weight("kernel", (features, self.units))
        self.bias = self._weight("bias", (self.units,)) if self.use_bias else None
        self.input_spec = InputSpec(min_ndim=2, axes={-1: features})

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """activation(inputs kernel + bias)."""
        x, kernel = same_dtype(convert_to_tensor(inputs), self), self.kernel
        if x.dtype.is_complex:
            x, kernel = promoted(self, x, kernel)
        y = math.tensordot(x, kernel, 1) if len(x.shape) != 2 else math.matmul(x, kernel)
        if self.bias is not None:
            y = y + (cast(self.bias, y.dtype) if y.dtype.is_complex else self.bias)
        return self.activation(y)


def refuse_options(layer: Any, **options: Any) -> None:
    """An error for an option of Keras that is not here, if it is given."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise _core.UnimplementedError(f"{type(layer).__name__}: there is no {name} here; leave it out")


class EinsumDense(Weighted):
    """activation(einsum(equation, x, kernel) + bias): kernel of the shape that the equation says."""

    _config = (
        "output_shape_given", "equation", "activation", "activity_regularizer", "bias_axes", "kernel_initializer", "bias_initializer",
        "kernel_regularizer", "bias_regularizer", "kernel_constraint", "bias_constraint", "quantization_config",
    )  # fmt: skip

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: _Activation = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        gptq_unpacked_column_size: Any = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        refuse_options(
            self, lora_rank=lora_rank, lora_alpha=lora_alpha, gptq_unpacked_column_size=gptq_unpacked_column_size,
            quantization_config=quantization_config,
        )  # fmt: skip
        self.equation = equation.replace(" ", "")
        self.output_shape_given = (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        self.activation, self.bias_axes = _activations.get(activation), bias_axes
        self._take_options(given(locals()))

    def build(self, input_shape: Any) -> None:
        left, _, out = self.equation.partition("->")
        x, _, kernel = left.partition(",")
        if not out or not kernel:
            raise ConversionError(f"EinsumDense: the equation must be like 'ab,bc->ac', not {self.equation!r}")
        named = x.replace("...", "")
        given = input_shape[-len(named) :] if x.startswith("...") else input_shape[: len(named)]
        extents = dict(zip(named, given))
        letters = out.replace("...", "")
        shape = self.output_shape_given[-len(letters) :] if out.startswith("...") else (None, *self.output_shape_given)
        for letter, n in zip(letters, shape):
            if n is not None:
                extents[letter] = n
        missing = [c for c in kernel if extents.get(c) is None]
        if missing:
            raise ConversionError(
                f"EinsumDense: the extent of {missing[0]!r} is not known, of {self.equation!r} and inputs {input_shape}"
            )
        self.kernel = self._weight("kernel", [extents[c] for c in kernel])
        self.bias = None
        if self.bias_axes is not None:
            if any(c not in letters for c in self.bias_axes):
                raise ConversionError(
                    f"EinsumDense: bias_axes {self.bias_axes!r} has axes that the output of {self.equation!r} does not have"
                )
            at = min(letters.index(c) for c in self.bias_axes)
            said = dict(zip(letters, shape))
            self.bias = self._weight("bias", [said[c] if c in self.bias_axes else 1 for c in letters[at:]])

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """The product, the bias, the activation."""
        y = math.einsum(self.equation, same_dtype(inputs, self), self.kernel)
        return self.activation(y if self.bias is None else y + self.bias)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config["output_shape"] = config.pop("output_shape_given")
        return config


class Activation(Layer):
    """A function as a layer."""

    _config = ("activation",)

    def __init__(self, activation: _Activation, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = _activations.get(activation)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """activation(inputs)."""
        return self.activation(convert_to_tensor(inputs))


class Identity(Layer):
    """x."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The inputs."""
        return inputs


class Lambda(Layer):
    """Any function of tensors as a layer. Variables that it reads are not the layer's."""

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.function, self.arguments, self.mask = function, arguments or {}, mask
        self.supports_masking = mask is not None
        self.built = True

    def call(self, inputs: Any, mask: Any = None, training: bool | None = None) -> Any:
        """function(inputs), with mask and training if it takes them."""
        import inspect

        names = inspect.signature(self.function).parameters
        given = {k: v for k, v in {"mask": mask, "training": training}.items() if k in names}
        return self.function(inputs, **{**self.arguments, **given})

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        return self.mask(inputs, previous_mask) if callable(self.mask) else self.mask

    def get_config(self) -> dict[str, Any]:
        """Refused: a function is no plain value."""
        raise _core.UnimplementedError(
            f"Lambda {self.name!r}: a Python function is no plain value; write a layer with get_config"
        )


class Embedding(Weighted):
    """Rows of a table [input_dim, output_dim] at integer inputs."""

    _options = ("embeddings",)
    _config = (
        "input_dim", "output_dim", "embeddings_initializer", "embeddings_regularizer", "embeddings_constraint",
        "mask_zero", "activity_regularizer", "quantization_config",
    )  # fmt: skip

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        weights: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        self._input_length = kwargs.pop("input_length", None)
        super().__init__(**kwargs)
        refuse_options(self, lora_rank=lora_rank, lora_alpha=lora_alpha, quantization_config=quantization_config)
        for what, n in (("input_dim", input_dim), ("output_dim", output_dim)):
            if not isinstance(n, int) or n <= 0:
                raise ConversionError(
                    f"`{what}` must be a positive integer. Received: {what}={n} (of type {type(n).__name__})."
                )
        self.input_dim, self.output_dim, self.mask_zero = input_dim, output_dim, mask_zero
        self._take_options(given(locals()))
        self.supports_masking = mask_zero
        self.autocast = False
        if weights is not None:
            self.build()
            self.set_weights(weights if isinstance(weights, (list, tuple)) else [weights])

    def build(self, input_shape: Any = None) -> None:
        if self.built:
            return
        self.embeddings = self._weight("embeddings", (self.input_dim, self.output_dim))

    def call(self, inputs: Any) -> Any:
        """The rows."""
        x = convert_to_tensor(inputs)
        if x.dtype.name not in ("int32", "int64"):
            x = cast(x, "int32")
        return _array.gather(self.embeddings, x)

    def _makes_mask(self):
        return self.mask_zero

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return math.not_equal(convert_to_tensor(inputs), 0) if self.mask_zero else None


class Masking(Layer):
    """Steps whose features all equal mask_value are zeros, and masked for the layers after it."""

    _config = ("mask_value",)

    def __init__(self, mask_value: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value
        self.supports_masking = True
        self.built = True

    def _makes_mask(self):
        return True

    def _kept(self, inputs, keepdims=False):
        value = cast(convert_to_tensor(self.mask_value), inputs.dtype)
        return math.reduce_any(math.not_equal(inputs, value), axis=-1, keepdims=keepdims)

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        return self._kept(inputs)

    def call(self, inputs: Any) -> Any:
        """The inputs, zeros where they are masked."""
        return inputs * cast(self._kept(inputs, True), inputs.dtype)


class ActivityRegularization(Layer):
    """x; l1 sum |x| + l2 sum x^2 is among the losses."""

    _config = ("l1", "l2")

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        from .. import regularizers

        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.l1, self.l2, self.supports_masking, self.built = l1, l2, True, True

    def call(self, inputs: Any) -> Any:
        """The inputs."""
        return inputs

    def get_config(self) -> dict[str, Any]:
        return {k: v for k, v in super().get_config().items() if k != "activity_regularizer"}


class Wrapper(Layer):
    """A layer around another, `layer`."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ConversionError(
                f"Layer {layer} supplied to Wrapper isn't a supported layer type. Please ensure wrapped layer is a valid Keras layer."
            )
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True

    def get_config(self) -> dict[str, Any]:
        from .._serialize import serialize

        return {**super().get_config(), "layer": serialize(self.layer)}
