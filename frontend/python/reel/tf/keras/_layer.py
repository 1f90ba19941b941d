"""Layer: what all layers and models are."""

from __future__ import annotations as _annotations

import difflib as _difflib
import inspect as _inspect
import math as _pymath
import threading as _threading
import typing as _t

from ... import _core
from .. import dtypes as _dtypes
from .. import nest as _nest
from .._convert import cast, convert_to_tensor
from .._shape import TensorShape
from .._tensor import Tensor, TensorLike
from .._trace import converted as _converted
from .._trace import state as _state
from .._variable import Variable as _TfVariable
from ..errors import ConversionError
from . import _masks
from ._naming import entered, name_of_class, path, path_of
from ._serialize import dtype_of, objects, serialize
from ._specs import CallInfo as CallInfo
from ._specs import InputSpec as InputSpec
from ._specs import constraint_of as constraint_of
from ._specs import metric_class as _metric_class
from ._specs import regularizer_of as regularizer_of
from ._specs import shape_of as _shape_of
from ._tracking import UNTRACKED as UNTRACKED
from ._tracking import Tracked
from ._variable import Variable
from ._variable import changes as _changes

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ...typing import DTypeLike
    from ...typing import TensorLike as ArrayLike


class _Context(_threading.local):
    """The calls that are going on in this thread."""

    depth = 0
    training: bool | None = None
    has_losses = False  # whether a layer ever got one: else nothing has to be cleared


context = _Context()


_infos: dict[type, CallInfo] = {}


def info_of(layer: Layer) -> Any:
    """What the signature of a layer's call says."""
    info = _infos.get(type(layer))
    if info is None:
        info = _infos[type(layer)] = CallInfo(type(layer))
    return info


def shapes_of(inputs: Any) -> Any:
    """The shapes of a structure of tensors."""
    return _nest.map_structure(lambda x: TensorShape(x.shape) if hasattr(x, "shape") else None, inputs)


def _refuse(layer, given):
    """ValueError for options that there are not, with the nearest one that there is."""
    names = [p for c in type(layer).__mro__ if issubclass(c, Layer) for p in _inspect.signature(c.__init__).parameters]
    known = [n for n in dict.fromkeys(names) if n not in ("self", "kwargs", "args")]
    near = _difflib.get_close_matches(next(iter(given)), known, 1)
    raise ConversionError(
        f"{type(layer).__name__}: Unrecognized keyword arguments: {', '.join(map(repr, given))}; there are: {', '.join(known)}"
        + (f"; did you mean '{near[0]}'?" if near else "")
    )


class Layer(Tracked):
    """A function with variables: subclasses define build(input_shape), which makes them, and call(inputs).

    dtype: that of the variables, and what floating inputs are cast to unless `autocast` is False.
    """

    _made: tuple[Any, ...] = ((), {})
    _saved_names: dict[str, str] = {}  # of attributes that hold layers, where files name them otherwise

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        layer = super().__new__(cls)
        layer.__dict__["_made"] = (args, kwargs)
        return layer

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "build" in cls.__dict__:
            cls.build = _building(cls.__dict__["build"])

    def __init__(
        self,
        *,
        activity_regularizer: Any = None,
        trainable: bool = True,
        dtype: DTypeLike | None = None,
        autocast: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        shape = kwargs.pop("input_shape", None)
        if "input_dim" in kwargs:
            shape = (kwargs.pop("input_dim"),)
        if shape is not None:
            shape = (kwargs.pop("batch_size", None), *shape)
        shape = kwargs.pop("batch_input_shape", kwargs.pop("batch_shape", shape))
        if kwargs:
            _refuse(self, kwargs)
        if name is not None and (not isinstance(name, str) or "/" in name):
            raise ConversionError(
                f"Argument `name` must be a string and cannot contain character `/`. Received: {name}"
            )
        self._name = name or name_of_class(type(self))
        self._dtype = dtype_of(dtype)
        self._trainable = bool(trainable)
        self.autocast = autocast
        self.built = False
        self.supports_masking = False
        self.input_spec = None
        self._input_shape_given = None if shape is None else tuple(shape)
        self.activity_regularizer = regularizer_of(activity_regularizer)

    # What it is.

    @property
    def name(self) -> str:
        """The name given, or made of the class's."""
        return self.__dict__.get("_name") or super().name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    @property
    def dtype(self) -> str:
        """The name of the variables' dtype."""
        return self.__dict__.get("_dtype", "float32")

    compute_dtype = variable_dtype = dtype
    input_dtype = dtype

    @property
    def path(self) -> str:
        """Its name after those of the layers that it is in while they are called or built."""
        return self.name

    @property
    def trainable(self) -> bool:
        """Whether its variables, and those of layers in it, are trainable."""
        return self.__dict__.get("_trainable", True)

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)
        for v in self._own_variables():
            if isinstance(v, Variable) and v.__dict__.get("_of_trainable", True):
                v.trainable = bool(value)
        for layer in self._own_layers():
            layer.trainable = value

    # Variables.

    def build(self, input_shape: Any) -> None:
        """Makes the variables for inputs of this shape."""

    def add_weight(
        self,
        shape: Any = None,
        initializer: Any = None,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        aggregation: Any = "none",
        overwrite_with_gradient: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """A new variable of this shape: glorot_uniform, zeros for integers and bools, or what initializer says."""
        from . import initializers

        if kwargs or overwrite_with_gradient:
            _refuse(self, kwargs or {"overwrite_with_gradient": True})
        if isinstance(shape, str):
            raise _core.InvalidTypeError("add_weight: the shape comes first, the name as name=")
        dtype = self.dtype if dtype is None else _dtypes.as_dtype(dtype).name
        if initializer is None:
            initializer = "glorot_uniform" if _dtypes.as_dtype(dtype).is_floating else "zeros"
        shape = (shape,) if isinstance(shape, int) else tuple(shape or ())
        if None in shape:
            raise ConversionError(
                "Shapes used to initialize variables must be fully-defined (no `None` dimensions). Received: "
                f"shape={shape} for variable {name!r} of layer '{self.name}'"
            )
        value = initializers.get(initializer)(shape, dtype=dtype)
        if _state.graph is not None:
            variable = _TfVariable(value, trainable=trainable, name=f"{self.name}/{name or 'weight'}", dtype=dtype)
        else:
            with entered(self):
                variable = Variable(
                    value, dtype=dtype, trainable=bool(trainable and self.trainable), autocast=autocast,
                    path=path_of(name or "variable"), regularizer=regularizer_of(regularizer), constraint=constraint_of(constraint),
                )  # fmt: skip
            variable._of_trainable = bool(trainable)
        self.__dict__.setdefault("_weights", []).append(variable)
        _changes.add()
        return variable

    def add_variable(self, shape: Any, initializer: Any, dtype: Any = None, **options: Any) -> Any:
        """add_weight."""
        return self.add_weight(shape, initializer, dtype, **options)

    @property
    def weights(self) -> list[Any]:
        """All variables, a list."""
        return self.variables

    trainable_weights = Tracked.trainable_variables
    non_trainable_weights = Tracked.non_trainable_variables

    def get_weights(self) -> list[Any]:
        """Values of all variables, NumPy arrays."""
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights: Iterable[ArrayLike]) -> None:
        """Assigns to all variables; ValueError unless number and shapes are theirs."""
        weights, mine = list(weights), self.weights
        if len(weights) != len(mine):
            raise ConversionError(
                f"You called `set_weights(weights)` on layer '{self.name}' with a weight list of length {len(weights)}, "
                f"but the layer was expecting {len(mine)} weights."
            )
        for v, value in zip(mine, weights):
            shape = tuple(value.shape if hasattr(value, "shape") else convert_to_tensor(value).shape)
            if shape != tuple(v.shape):
                raise ConversionError(
                    f"Layer {self.name} weight shape {tuple(v.shape)} is not compatible with provided weight shape {shape}."
                )
        for v, value in zip(mine, weights):
            v.assign(cast(convert_to_tensor(value), v.dtype))

    def count_params(self) -> int:
        """The number of elements of all variables; ValueError before there are any."""
        if not self.built:
            raise ConversionError(
                f"You tried to call `count_params` on layer '{self.name}', but the layer isn't built. You can build it "
                "manually via: `layer.build(input_shape)`."
            )
        return sum(_pymath.prod(v.shape) for v in self.weights)

    # Losses and metrics.

    def add_loss(self, loss: Any) -> None:
        """Adds to `losses`, until the outermost layer is called again."""
        losses = loss if isinstance(loss, (list, tuple)) else [loss]
        context.has_losses = True
        self.__dict__.setdefault("_losses", []).extend(losses)

    @property
    def losses(self) -> list[Any]:
        """Losses of this call, of layers in it, and of regularizers of trainable variables."""
        found = [x for layer in self._flatten_layers() for x in layer.__dict__.get("_losses", ())]
        return found + [v.regularizer(v) for v in self.trainable_weights if getattr(v, "regularizer", None) is not None]

    def _clear_losses(self):
        for layer in self._flatten_layers():
            layer.__dict__.pop("_losses", None)

    @property
    def metrics(self) -> list[Any]:
        """Metrics in attributes, and those of layers in it."""
        metric = _metric_class()
        return [x for layer in self._flatten_layers() for _, x in layer._tracked() if isinstance(x, metric)]

    # Calls.

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """What the layer gives for its inputs: subclasses say."""
        raise _core.UnimplementedError(f"Layer {type(self).__name__} does not have a `call()` method implemented.")

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor | Any:
        from ._symbolic import call_symbolically, holds_symbol

        if holds_symbol(args, kwargs):
            return call_symbolically(self, args, kwargs)
        self._check_made()
        if _state.graph is None:
            args, kwargs = self._converted_inputs(args, kwargs)
        else:
            args = tuple(_nest.map_structure(convert_to_tensor, x) for x in args)
        if not self.built:
            self._build_for(args, kwargs)
        if self.input_spec is not None:
            self._check_input(args[0] if args else next(iter(kwargs.values())))
        return self._call(args, kwargs)

    def _check_made(self):
        if "_name" not in self.__dict__ or "built" not in self.__dict__:
            raise _core.FailedPreconditionError(
                f"In layer {type(self).__name__}, you forgot to call `super().__init__()` as the first statement in the "
                "`__init__()` method. Go add it!"
            )

    def _converted_inputs(self, args, kwargs):
        wanted = _dtypes.as_dtype(self.dtype) if self.autocast else None

        def convert(x):
            if x.__class__ is Tensor:
                t = x
            elif isinstance(x, (TensorLike, _core.Tensor)) or hasattr(x, "__array__"):
                if isinstance(x, _TfVariable) and (wanted is None or not x.dtype.is_floating or x.dtype == wanted):
                    return x
                t = convert_to_tensor(x)
            else:
                return x
            return cast(t, wanted) if wanted is not None and t.dtype.is_floating and t.dtype is not wanted else t

        def first(x):
            x = convert(x)
            if isinstance(x, (bool, int, float, complex, str)):
                raise ConversionError(
                    "Only input tensors may be passed as positional arguments. The following argument value should be "
                    f"passed as a keyword argument: {x} (of type {type(x)})"
                )
            return x

        if len(args) == 1 and args[0].__class__ is Tensor and not kwargs:
            return (convert(args[0]),), kwargs
        head = (_nest.map_structure(first, args[0]),) if args else ()
        return head + tuple(_nest.map_structure(convert, x) for x in args[1:]), {
            k: _nest.map_structure(convert, x) for k, x in kwargs.items()
        }

    def _call(self, args, kwargs):
        info, outer = info_of(self), context.training
        if context.depth == 0 and context.has_losses:
            self._clear_losses()
        kwargs, training = self._with_training(info, args, kwargs)
        masks = _masks.of_arguments(self, info, args, kwargs) if _masks.known or self._makes_mask() else None
        if masks:
            kwargs = {**kwargs, **masks.given}
        context.depth, context.training = context.depth + 1, training
        path.layers.append(self)
        try:
            outputs = _converted(self.call)(*args, **kwargs)
        finally:
            path.layers.pop()
            context.depth, context.training = context.depth - 1, outer
        if masks is not None:
            masks.put(self, outputs)
        if self.activity_regularizer is not None:
            for x in _nest.flatten(outputs):
                if isinstance(x, Tensor):
                    self.add_loss(self.activity_regularizer(x) / (float(x.shape[0]) if x.shape and x.shape[0] else 1.0))
        return outputs

    def _makes_mask(self):
        return False

    def _with_training(self, info, args, kwargs):
        """The keywords with training in them if `call` takes it, and what layers in it take."""
        if "training" in kwargs:
            training = kwargs["training"]
            if not info.training and not info.takes_all:
                kwargs = {k: v for k, v in kwargs.items() if k != "training"}
            if training is not None:
                return kwargs, training
            kwargs = {k: v for k, v in kwargs.items() if k != "training"}
        elif "training" in info.names and len(args) > info.names.index("training"):
            return kwargs, args[info.names.index("training")]
        training = context.training
        if training is None and info.training and info.default is not _inspect.Parameter.empty:
            training = info.default
        if info.training and training is not None:
            kwargs = {**kwargs, "training": training}
        return kwargs, training

    def _check_input(self, inputs):
        specs, values = _nest.flatten(self.input_spec), _nest.flatten(inputs)
        if len(specs) != len(values):
            raise ConversionError(
                f"Layer '{self.name}' expected {len(specs)} input(s). Received {len(values)} instead."
            )
        for i, (spec, x) in enumerate(zip(specs, values)):
            problem = spec.problem(x.shape) if spec is not None and hasattr(x, "shape") else None
            if problem is not None:
                raise ConversionError(f"Input {i} of layer '{self.name}' is incompatible with the layer: {problem}")

    def _build_for(self, args, kwargs):
        """build() of the shapes of these arguments."""
        info = info_of(self)
        given = dict(zip(info.names, args))
        given.update((k, v) for k, v in kwargs.items() if k in info.names)
        shapes = {k: shapes_of(v) for k, v in given.items() if any(hasattr(x, "shape") for x in _nest.flatten(v))}
        if self.input_spec is not None and args:
            self._check_input(args[0])
        if len(info.build) <= 1 or not all(name.endswith("_shape") for name in info.build):
            self.build(next(iter(shapes.values()), None))
        else:
            self.build(**{name: shapes.get(name[: -len("_shape")]) for name in info.build})
        self.built = True

    def compute_output_shape(self, *args: Any, **kwargs: Any) -> Any:
        """The shape of what the layer gives for inputs of this shape."""
        from ._symbolic import output_shape

        return output_shape(self, args, kwargs)

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """The mask of the outputs: that of the inputs."""
        return previous_mask

    # Where it was called on symbols.

    def _node(self, what):
        nodes = self.__dict__.get("_inbound", ())
        if not nodes:
            raise AttributeError(f"The layer {self.name} has never been called and thus has no defined {what}.")
        return nodes[0]

    @property
    def input(self) -> Any:
        """The symbolic input of its first call."""
        return self._node("input").first_input()

    @property
    def output(self) -> Any:
        """The symbolic output of its first call."""
        return self._node("output").outputs

    @property
    def input_shape(self) -> Any:
        """The shape of `input`."""
        return _nest.map_structure(lambda x: tuple(x.shape), self.input)

    @property
    def output_shape(self) -> Any:
        """The shape of `output`."""
        return _nest.map_structure(lambda x: tuple(x.shape), self.output)

    # Configs.

    def get_config(self) -> dict[str, Any]:
        """The arguments that make such a layer, as plain values."""
        config = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": {
                "module": "keras", "class_name": "DTypePolicy", "config": {"name": self.dtype}, "registered_name": None,
            },
        }  # fmt: skip
        names = [n for c in reversed(type(self).__mro__) for n in c.__dict__.get("_config", ())]
        if self.activity_regularizer is not None:
            config["activity_regularizer"] = serialize(self.activity_regularizer)
        config.update({n: serialize(getattr(self, n)) for n in names})
        if type(self).__init__ is not Layer.__init__ and not names and type(self).get_config is Layer.get_config:
            config = {**self._made_of(), **config}
        return config

    def _made_of(self):
        """The arguments of the constructor, if they are plain values."""
        args, kwargs = self._made
        bound = _inspect.signature(type(self).__init__).bind(self, *args, **kwargs).arguments
        bound = {k: v for k, v in bound.items() if k not in ("self",)}
        bound.update(bound.pop("kwargs", {}))
        if not all(isinstance(x, (str, int, float, bool, type(None))) for x in _nest.flatten(bound)):
            raise _core.UnimplementedError(
                f"Object {type(self).__name__} was created by passing non-serializable argument values in `__init__()`, "
                f"and therefore the object must override `get_config()`. Arguments: {bound}"
            )
        return bound

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A new layer of a config."""
        return cls(**dict(objects(config)))

    def get_build_config(self) -> dict[str, Any] | None:
        """The shape that it was built for; of a build of several shapes those by name."""
        shape = self.__dict__.get("_build_shape")
        if shape is None:
            return None
        several = isinstance(shape, dict) and all(k.endswith("_shape") for k in shape)
        return {"shapes_dict" if several and len(shape) > 1 else "input_shape": shape}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Builds it for the shapes of such a config."""
        if config.get("shapes_dict"):
            self.build(**{k: _shape_of(v) for k, v in config["shapes_dict"].items()})
        elif config.get("input_shape") is not None:
            self.build(_shape_of(config["input_shape"]))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.__dict__.get('built', False)}>"

    def __deepcopy__(self, memo: Any) -> Any:
        import copy

        new = type(self).__new__(type(self))
        memo[id(self)] = new
        skip = ("_inbound", "_reel_methods", "_losses", "_gathered")
        for key, value in self.__dict__.items():
            if key not in skip:
                new.__dict__[key] = copy.deepcopy(value, memo)
        return new


def _building(build: Callable[..., Any]) -> Callable[..., Any]:
    """build of a class, which also says that the layer is built."""
    import functools

    @functools.wraps(build)
    def wrapped(self, *args, **kwargs):
        shape = self.__dict__.get("_build_shape")
        with entered(self):
            result = build(self, *args, **kwargs)
        self.built = True
        if shape is None and (args or kwargs):
            self.__dict__["_build_shape"] = args[0] if args else kwargs
        return result

    return wrapped
