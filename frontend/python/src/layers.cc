#include "reel/layers.h"

#include <algorithm>
#include <array>

#include "bind.h"
#include "callback.h"
#include "frontend/nn/layer_data.h"
#include "frontend/nn/summary.h"
#include "frontend/report/html.h"
#include "gradients.h"
#include "record.h"
#include "reel/attention.h"
#include "reel/conv_layers.h"
#include "reel/normalization.h"
#include "reel/recurrent.h"
#include "reel/summary.h"
#include "register.h"
#include "windows.h"

// reel.nn: layers.

namespace reel::python {
namespace {

struct NamedActivation {
  std::string_view name;
  Tensor (*function)(const Operand&);
};
constexpr std::array<NamedActivation, 15> kActivations = {{
    {"relu", Relu},
    {"relu6", Relu6},
    {"sigmoid", Sigmoid},
    {"tanh", Tanh},
    {"selu", Selu},
    {"silu", Silu},
    {"swish", Silu},
    {"softplus", Softplus},
    {"softsign", Softsign},
    {"mish", Mish},
    {"elu", Elu},
    {"gelu", Gelu},
    {"leaky_relu", LeakyRelu},
    {"hard_swish", HardSwish},
    {"hard_sigmoid", HardSigmoid},
}};

// None, a name, or a function of a tensor; Reel's own run without Python.
Activation ToActivation(nb::handle x) {
  if (x.is_none()) return {};
  std::string name;
  if (PyUnicode_Check(x.ptr()))
    name = nb::borrow<nb::str>(x).c_str();
  else if (nb::hasattr(x, "__name__") && x.type().equal(nb::module_::import_("reel._core").attr("exp").type()))
    name = nb::str(x.attr("__name__")).c_str();
  if (name == "linear") return {};
  if (name == "softmax") return Activation(Softmax);
  for (const NamedActivation& a : kActivations) {
    if (a.name == name) return Activation(a.function);
  }
  if (PyUnicode_Check(x.ptr())) {
    std::vector<std::string> names = {"linear", "softmax"};
    for (const NamedActivation& a : kActivations) names.emplace_back(a.name);
    ThrowInvalid(Text({"activation: there is no '", name, "'; pass a function such as reel.nn.relu, or a name; ",
                       Choices(name, names)}));
  }
  if (!PyCallable_Check(x.ptr())) ThrowType("activation: expected None, a name or a function, not " + TypeName(x));
  return [f = SharedObject(x)](const Operand& value) {
    const nb::gil_scoped_acquire lock;
    return ToTensor((*f)(Wrap(value.tensor())));
  };
}

// An initializer by Keras's name, with its defaults here.
Initializer NamedInitializer(const char* name) {
  using Make = Initializer (*)();
  const Make make = ToEnum<Make>("initializer", name,
                                 {{"zeros", &ZerosInit},
                                  {"ones", &OnesInit},
                                  {"identity", [] { return IdentityInit(); }},
                                  {"uniform", [] { return UniformInit(); }},
                                  {"normal", [] { return NormalInit(); }},
                                  {"truncated_normal", [] { return TruncatedNormalInit(); }},
                                  {"orthogonal", [] { return OrthogonalInit(); }},
                                  {"glorot_uniform", &GlorotUniform},
                                  {"glorot_normal", &GlorotNormal},
                                  {"he_uniform", &HeUniform},
                                  {"he_normal", &HeNormal},
                                  {"lecun_uniform", &LecunUniform},
                                  {"lecun_normal", &LecunNormal}});
  return make();
}

// None, a number, a name, or a function (shape, dtype) -> tensor.
Initializer ToInitializer(nb::handle x) {
  if (x.is_none()) return {};
  if (PyUnicode_Check(x.ptr())) return NamedInitializer(nb::borrow<nb::str>(x).c_str());
  Initializer* initializer = nullptr;
  if (nb::try_cast(x, initializer) && initializer) return *initializer;
  if (PyFloat_Check(x.ptr()) || PyLong_Check(x.ptr())) return ConstantInit(ToDouble(x, "initializer"));
  if (!PyCallable_Check(x.ptr()))
    ThrowType("initializer: expected a number, a name such as 'he_normal' or a function (shape, dtype), not " +
              TypeName(x));
  return [f = SharedObject(x)](const Shape& shape, DType dtype, const Generator&) {
    const nb::gil_scoped_acquire lock;
    return AsTensor((*f)(ShapeTuple(shape), DTypeObject(dtype)), dtype);
  };
}

struct Keyword {
  const char* name;
  const char* signature;
  void (*set)(LayerOptions&, nb::handle);
  bool of_bias = false;
};

// The keywords of layers with variables; those of a bias are of layers that have one.
constexpr Keyword kKeywords[] = {
    {"name", "name: str | None = None",
     [](LayerOptions& o, nb::handle x) { o.name = x.is_none() ? "" : nb::str(x).c_str(); }},
    {"use_bias", "use_bias: bool = True", [](LayerOptions& o, nb::handle x) { o.use_bias = nb::cast<bool>(x); }, true},
    {"dtype", "dtype: DTypeLike | None = None",
     [](LayerOptions& o, nb::handle x) { o.dtype = ToDType(x).value_or(kFloat32); }},
    {"kernel_init", "kernel_init: Any = None", [](LayerOptions& o, nb::handle x) { o.kernel_init = ToInitializer(x); }},
    {"bias_init", "bias_init: Any = None", [](LayerOptions& o, nb::handle x) { o.bias_init = ToInitializer(x); }, true},
    {"generator", "generator: Any = None", [](LayerOptions& o, nb::handle x) { o.generator = nb::cast<Generator>(x); }},
};

LayerOptions ToOptions(const char* layer, nb::kwargs kwargs, bool has_bias = true) {
  LayerOptions options;
  std::vector<std::string> names;
  for (const Keyword& k : kKeywords) {
    if (has_bias || !k.of_bias) names.emplace_back(k.name);
  }
  for (const auto [key, value] : kwargs) {
    const std::string name = nb::borrow<nb::str>(key).c_str();
    if (std::find(names.begin(), names.end(), name) == names.end()) ThrowNoOption(layer, "option", name, names);
    for (const Keyword& k : kKeywords) {
      if (k.name == name) k.set(options, value);
    }
  }
  return options;
}

// The keywords in a signature.
std::string Keywords(bool has_bias = true) {
  std::string out;
  for (const Keyword& k : kKeywords) {
    if (has_bias || !k.of_bias) out += (out.empty() ? "" : ", ") + std::string(k.signature);
  }
  return out + ") -> None";
}

template <typename C>
Tensor CallLayer(const C& layer, TensorLike x) {
  const Operand a = x.operand();
  Tensor y = layer(a);  // keeps the GIL: activations may be Python's
  if constexpr (std::derived_from<C, Layer>) internal::NoteOutput(layer, y);
  return y;
}

template <typename C>
nb::class_<C, Layer> LayerClass(nb::module_& m, const char* name, const char* doc) {
  nb::class_<C, Layer> c(m, name, doc);
  c.def("__call__", &CallLayer<C>, "x"_a, nb::sig("def __call__(self, x: TensorLike) -> Tensor"));
  return c;
}

// A layer of Python's in a Sequential: keeps the object, shares the layer's data.
struct PythonStep {
  std::shared_ptr<nb::object> object;
  Tensor operator()(const Operand& x) const {
    const nb::gil_scoped_acquire lock;
    return ToTensor((*object)(Wrap(x.tensor())));
  }
};
struct PythonLayer : PythonStep {
  std::shared_ptr<internal::LayerData> data;
  const std::shared_ptr<internal::LayerData>& internal_data() const { return data; }
};

// An indented tree: reel/_structure.py.
nb::object LayerTree(nb::handle layer) { return nb::module_::import_("reel._structure").attr("tree")(layer); }

// What the steps of a Sequential or Residual gave last.
nb::list StepOutputs(const Layer& layer) {
  nb::list out;
  const auto* data = dynamic_cast<const internal::SequentialData*>(layer.internal_data().get());
  if (!data) ThrowInvalid("the layer is no Sequential");
  for (const internal::Step& step : data->steps) out.append(nb::cast(step.output->Text()));
  return out;
}

// The table of rows (depth, label, output, variables, built).
std::string SummaryTableOf(nb::list rows) {
  std::vector<internal::SummaryRow> out;
  for (const nb::handle row : rows) {
    out.push_back({nb::cast<int>(row[0]), nb::cast<std::string>(row[1]), nb::cast<std::string>(row[2]),
                   ToVariables(row[3]), nb::cast<bool>(row[4])});
  }
  return internal::SummaryTable(out);
}

// Sequential and Residual of a list that is known at run time.
class Steps : public Sequential {
 public:
  explicit Steps(nb::args layers) : Sequential("sequential") {
    for (const nb::handle x : layers) AddObject(x);
  }

 protected:
  Steps(const char* kind, nb::args layers) : Sequential(kind) {
    for (const nb::handle x : layers) AddObject(x);
  }
  void AddObject(nb::handle x) {
    if (!PyCallable_Check(x.ptr())) ThrowType("Sequential: expected layers and functions, not " + TypeName(x));
    Layer* layer = nullptr;
    if (nb::try_cast(x, layer) && layer) {
      PythonLayer step;
      step.object = SharedObject(x);
      step.data = layer->internal_data();
      Add(std::move(step));
    } else {
      Add(PythonStep{SharedObject(x)});
    }
  }
};
class ResidualSteps : public Steps {
 public:
  explicit ResidualSteps(nb::args layers) : Steps("residual", layers) {}
  Tensor operator()(const Operand& x) const {
    const Tensor t = x.tensor();
    return Add(t, Sequential::operator()(t));
  }

 private:
  static Tensor Add(const Tensor& a, const Tensor& b) { return reel::Add(a, b); }
};

void RegisterDense(nb::module_& m) {
  LayerClass<Dense>(m, "Dense",
                    "activation(x kernel + bias): kernel [in, units] glorot uniform, bias [units] "
                    "zeros; made by the first call.")
      .def("__init__",
           Recorded([](Dense* self, int64_t units, nb::handle activation, nb::handle inputs, nb::kwargs kwargs) {
             if (inputs.is_none())
               new (self) Dense(units, ToActivation(activation), ToOptions("Dense", kwargs));
             else
               new (self) Dense(ToInt(inputs, "inputs"), units, ToActivation(activation), ToOptions("Dense", kwargs));
           }),
           "units"_a, "activation"_a = nb::none(), "inputs"_a = nb::none(), "kwargs"_a,
           nb::sig(Text({"def __init__(self, units: int, activation: str | Callable[[Tensor], "
                         "Tensor] | None = None, inputs: int | None = None, *, ",
                         Keywords()})
                       .c_str()));
  LayerClass<Embedding>(m, "Embedding", "Rows of a table [vocabulary, dim] at integer indices.")
      .def("__init__", Recorded([](Embedding* self, int64_t vocabulary, int64_t dim, nb::kwargs kwargs) {
             new (self) Embedding(vocabulary, dim, ToOptions("Embedding", kwargs, false));
           }),
           "vocabulary"_a, "dim"_a, "kwargs"_a,
           nb::sig(Text({"def __init__(self, vocabulary: int, dim: int, *, ", Keywords(false)}).c_str()));
  LayerClass<Steps>(m, "Sequential", "One layer after another; takes layers and any function of one tensor.")
      .def("__init__", Recorded([](Steps* self, nb::args layers) { new (self) Steps(layers); }),
           nb::sig("def __init__(self, *layers: Callable[[Tensor], Tensor]) -> None"));
  LayerClass<ResidualSteps>(m, "Residual", "x + layers(x), the layers in sequence.")
      .def("__init__", Recorded([](ResidualSteps* self, nb::args layers) { new (self) ResidualSteps(layers); }),
           nb::sig("def __init__(self, *layers: Callable[[Tensor], Tensor]) -> None"));
  nb::class_<Dropout>(m, "Dropout", nb::dynamic_attr(),
                      "In training, each element is 0 with probability rate, else x / (1 - rate).")
      .def("__init__", Recorded([](Dropout* self, double rate) { new (self) Dropout(rate); }), "rate"_a)
      .def("__repr__", &LayerTree, nb::sig("def __repr__(self) -> str"))
      .def("__call__", &CallLayer<Dropout>, "x"_a);
  nb::class_<Flatten>(m, "Flatten", nb::dynamic_attr(), "[batch, ...] as [batch, the rest].")
      .def("__init__", Recorded([](Flatten* self) { new (self) Flatten(); }))
      .def("__repr__", &LayerTree, nb::sig("def __repr__(self) -> str"))
      .def("__call__", &CallLayer<Flatten>, "x"_a);
}

template <typename C>
void ConvolutionClass(nb::module_& m, const char* name, const char* doc) {
  LayerClass<C>(m, name, doc)
      .def("__init__",
           Recorded([name](C* self, int64_t filters, IntsLike size, nb::handle activation, nb::handle strides,
                           nb::handle padding, nb::handle dilation, int64_t groups, const char* format,
                           nb::kwargs kwargs) {
             new (self) C(filters, size.get("size"), ToActivation(activation),
                          ToConvOptions(strides, padding, dilation, groups, format), ToOptions(name, kwargs));
           }),
           "filters"_a, "size"_a, "activation"_a = nb::none(), "strides"_a = 1, "padding"_a = "valid", "dilation"_a = 1,
           "groups"_a = 1, "data_format"_a = "channels_last", "kwargs"_a,
           nb::sig(Text({"def __init__(self, filters: int, size: IntsLike, activation: str | "
                         "Callable[[Tensor], Tensor] | None = None, strides: IntsLike = 1, "
                         "padding: Padding = 'valid', dilation: IntsLike = 1, groups: int = 1, "
                         "data_format: str = 'channels_last', *, ",
                         Keywords()})
                       .c_str()));
}

template <typename C>
void TransposeClass(nb::module_& m, const char* name, const char* doc) {
  LayerClass<C>(m, name, doc)
      .def("__init__",
           Recorded([name](C* self, int64_t filters, IntsLike size, nb::handle activation, nb::handle strides,
                           nb::handle padding, nb::handle dilation, nb::handle output_padding, int64_t groups,
                           const char* format, nb::kwargs kwargs) {
             new (self) C(filters, size.get("size"), ToActivation(activation),
                          ToTransposeOptions(strides, padding, dilation, output_padding, nb::none(), groups, format),
                          ToOptions(name, kwargs));
           }),
           "filters"_a, "size"_a, "activation"_a = nb::none(), "strides"_a = 1, "padding"_a = "valid", "dilation"_a = 1,
           "output_padding"_a = nb::none(), "groups"_a = 1, "data_format"_a = "channels_last", "kwargs"_a,
           nb::sig(Text({"def __init__(self, filters: int, size: IntsLike, activation: str | "
                         "Callable[[Tensor], Tensor] | None = None, strides: IntsLike = 1, "
                         "padding: Padding = 'valid', dilation: IntsLike = 1, output_padding: "
                         "IntsLike | None = None, groups: int = 1, "
                         "data_format: str = 'channels_last', *, ",
                         Keywords()})
                       .c_str()));
}

void RegisterConvolutions(nb::module_& m) {
  ConvolutionClass<Convolution1D>(m, "Conv1D", "activation(conv1d(x, kernel) + bias).");
  ConvolutionClass<Convolution2D>(m, "Conv2D", "activation(conv2d(x, kernel) + bias).");
  ConvolutionClass<Convolution3D>(m, "Conv3D", "activation(conv3d(x, kernel) + bias).");
  TransposeClass<ConvolutionTranspose1D>(m, "Conv1DTranspose", "activation(conv1d_transpose(x, kernel) + bias).");
  TransposeClass<ConvolutionTranspose2D>(m, "Conv2DTranspose", "activation(conv2d_transpose(x, kernel) + bias).");
  LayerClass<DepthwiseConvolution2D>(m, "DepthwiseConv2D", "Each channel by itself.")
      .def("__init__",
           Recorded([](DepthwiseConvolution2D* self, IntsLike size, int64_t multiplier, nb::handle activation,
                       nb::handle strides, nb::handle padding, const char* format, nb::kwargs kwargs) {
             new (self) DepthwiseConvolution2D(size.get("size"), multiplier, ToActivation(activation),
                                               ToConvOptions(strides, padding, nb::int_(1), 1, format),
                                               ToOptions("DepthwiseConv2D", kwargs));
           }),
           "size"_a, "multiplier"_a = 1, "activation"_a = nb::none(), "strides"_a = 1, "padding"_a = "valid",
           "data_format"_a = "channels_last", "kwargs"_a,
           nb::sig(Text({"def __init__(self, size: IntsLike, multiplier: int = 1, activation: str | "
                         "Callable[[Tensor], Tensor] | None = None, "
                         "strides: IntsLike = 1, padding: Padding = 'valid', data_format: str = "
                         "'channels_last', *, ",
                         Keywords()})
                       .c_str()));
}

void RegisterNorms(nb::module_& m) {
  LayerClass<LayerNorm>(m, "LayerNorm", "layer_normalize over the last axis.")
      .def("__init__", Recorded([](LayerNorm* self, double epsilon, nb::kwargs k) {
             new (self) LayerNorm(epsilon, ToOptions("LayerNorm", k));
           }),
           "epsilon"_a = 1e-5, "kwargs"_a,
           nb::sig(Text({"def __init__(self, epsilon: float = 1e-5, *, ", Keywords()}).c_str()));
  LayerClass<RmsNorm>(m, "RMSNorm", "rms_normalize over the last axis.")
      .def("__init__", Recorded([](RmsNorm* self, double epsilon, nb::kwargs k) {
             new (self) RmsNorm(epsilon, ToOptions("RMSNorm", k, false));
           }),
           "epsilon"_a = 1e-6, "kwargs"_a,
           nb::sig(Text({"def __init__(self, epsilon: float = 1e-6, *, ", Keywords(false)}).c_str()));
  LayerClass<GroupNorm>(m, "GroupNorm", "group_normalize.")
      .def("__init__", Recorded([](GroupNorm* self, int64_t groups, int64_t axis, double epsilon, nb::kwargs k) {
             new (self) GroupNorm(groups, {.axis = axis, .epsilon = epsilon}, ToOptions("GroupNorm", k));
           }),
           "groups"_a, "axis"_a = -1, "epsilon"_a = 1e-5, "kwargs"_a,
           nb::sig(Text({"def __init__(self, groups: int, axis: int = -1, epsilon: float = 1e-5, *, ", Keywords()})
                       .c_str()));
  LayerClass<BatchNorm>(m, "BatchNorm",
                        "In training, batch_normalize by the statistics of the batch, which are "
                        "averaged; else by the averages.")
      .def("__init__", Recorded([](BatchNorm* self, int64_t axis, double epsilon, double decay, nb::kwargs k) {
             new (self) BatchNorm({.axis = axis, .epsilon = epsilon, .decay = decay}, ToOptions("BatchNorm", k));
           }),
           "axis"_a = -1, "epsilon"_a = 1e-5, "decay"_a = 0.9, "kwargs"_a,
           nb::sig(Text({"def __init__(self, axis: int = -1, epsilon: float = 1e-5, decay: float = "
                         "0.9, *, ",
                         Keywords()})
                       .c_str()));
}

template <typename C, typename Make>
void RecurrentClass(nb::module_& m, const char* name, const char* doc, Make make) {
  nb::class_<C, Recurrent>(m, name, doc)
      .def("__init__", Recorded([make, name](C* self, int64_t units, bool sequence, bool reverse, nb::kwargs k) {
             make(self, units, RecurrentOptions{.sequence = sequence, .reverse = reverse}, ToOptions(name, k));
           }),
           "units"_a, "sequence"_a = true, "reverse"_a = false, "kwargs"_a,
           nb::sig(Text({"def __init__(self, units: int, sequence: bool = True, reverse: bool = "
                         "False, *, ",
                         Keywords()})
                       .c_str()));
}

void RegisterRecurrent(nb::module_& m) {
  LayerClass<Recurrent>(m, "Recurrent",
                        "What RNN, LSTM and GRU have: [batch, time, features] to [batch, time, units].");
  RecurrentClass<Rnn>(
      m, "RNN", "h = tanh(x kernel + h recurrent_kernel + bias).",
      [](Rnn* self, int64_t n, RecurrentOptions r, LayerOptions o) { new (self) Rnn(n, Tanh, r, std::move(o)); });
  RecurrentClass<Lstm>(
      m, "LSTM", "Hochreiter, Schmidhuber, 1997.",
      [](Lstm* self, int64_t n, RecurrentOptions r, LayerOptions o) { new (self) Lstm(n, r, std::move(o)); });
  RecurrentClass<Gru>(m, "GRU", "Cho et al., 2014.", [](Gru* self, int64_t n, RecurrentOptions r, LayerOptions o) {
    new (self) Gru(n, r, std::move(o));
  });
  nb::class_<MultiHeadAttention, Layer>(m, "MultiHeadAttention", "Heads of attention between dense layers.")
      .def("__init__",
           Recorded([](MultiHeadAttention* self, int64_t units, int64_t heads, int64_t key_heads, bool causal,
                       bool rotary, double dropout, nb::kwargs k) {
             new (self) MultiHeadAttention(
                 units, heads, {.key_heads = key_heads, .causal = causal, .rotary = rotary, .dropout = dropout},
                 ToOptions("MultiHeadAttention", k));
           }),
           "units"_a, "heads"_a, "key_heads"_a = 0, "causal"_a = false, "rotary"_a = false, "dropout"_a = 0.0,
           "kwargs"_a,
           nb::sig(Text({"def __init__(self, units: int, heads: int, key_heads: int = 0, causal: "
                         "bool = False, rotary: bool = False, dropout: float = 0, *, ",
                         Keywords()})
                       .c_str()))
      .def(
          "__call__",
          [](const MultiHeadAttention& self, TensorLike q, TensorLike k, TensorLike v, TensorLike mask) {
            if (k.none()) return self(q.operand());
            return self(q.operand(), k.operand(), v.none() ? k.operand() : v.operand(),
                        mask.none() ? Tensor() : mask.tensor());
          },
          "query"_a, "key"_a = nb::none(), "value"_a = nb::none(), "mask"_a = nb::none(),
          nb::sig("def __call__(self, query: TensorLike, key: TensorLike | None = None, value: "
                  "TensorLike | None = None, mask: TensorLike | None = None) -> Tensor"));
}

// `with reel.nn.training():`
struct TrainingBlock {
  bool training;
  std::unique_ptr<TrainingScope> scope;
};

}  // namespace

void RegisterLayers(nb::module_& parent) {
  nb::module_ m = nb::borrow<nb::module_>(parent.attr("nn"));
  nb::class_<Layer> c(m, "Layer", nb::is_weak_referenceable(), nb::dynamic_attr(), "What all layers have.");
  c.def_prop_ro("name", [](const Layer& x) { return x.name(); });
  c.def_prop_ro(
      "variables", [](const Layer& x) { return VariableTuple(x.variables()); },
      nb::sig("def variables(self) -> tuple[Variable, ...]"),
      "All that exist, in order; none before the first call of a layer that is built by it.");
  c.def_prop_ro(
      "trainable_variables", [](const Layer& x) { return VariableTuple(x.trainable_variables()); },
      nb::sig("def trainable_variables(self) -> tuple[Variable, ...]"),
      "Those with a gradient: without running statistics.");
  c.def("__repr__", &LayerTree, nb::sig("def __repr__(self) -> str"));
  c.def(
      "summary",
      [](nb::handle self, nb::args inputs) {
        return nb::cast<std::string>(nb::module_::import_("reel._structure").attr("summary")(self, inputs));
      },
      nb::sig("def summary(self, *inputs: Any) -> str"),
      "A table of the layers: the types that they gave last, elements of their variables, of those with a gradient, "
      "and bytes; each variable counts once. With inputs (TensorSpecs, tensors or shapes) the model is traced with "
      "these first, which makes its variables.");
  c.def_prop_ro("_output", [](const Layer& x) { return x.internal_data()->output.Text(); });
  c.def_prop_ro("_built", [](const Layer& x) {
    const auto family = internal::Family(x.internal_data().get());
    return std::all_of(family.begin(), family.end(), [](internal::LayerData* d) { return d->Built(); });
  });
  c.def("_outputs", &StepOutputs);
  parent.def("_summary_table", &SummaryTableOf);
  parent.def("_type_text", [](const Tensor& x) {
    internal::LastOutput output;
    output.Note(x);
    return output.Text();
  });
  c.def("_repr_html_", [](nb::handle self) {
    return internal::HtmlOf(TypeName(self) + " " + nb::cast<Layer&>(self).name(), nb::cast<Layer&>(self).variables());
  });
  RegisterDense(m);
  RegisterConvolutions(m);
  RegisterNorms(m);
  RegisterRecurrent(m);
  nb::class_<TrainingBlock> t(m, "training",
                              "A context manager: inside, layers behave as in training (dropout, "
                              "batch statistics); training(False) as in use.");
  t.def(
      "__init__", [](TrainingBlock* self, bool training) { new (self) TrainingBlock{training, nullptr}; },
      "training"_a = true);
  t.def("__enter__", [](TrainingBlock& self) { self.scope = std::make_unique<TrainingScope>(self.training); });
  t.def(
      "__exit__", [](TrainingBlock& self, nb::handle, nb::handle, nb::handle) { self.scope.reset(); }, "type"_a.none(),
      "value"_a.none(), "traceback"_a.none());
  m.def("is_training", [] { return Training(); }, "Whether layers train now.");
}

}  // namespace reel::python
