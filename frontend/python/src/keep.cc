#include "common.h"
#include "frontend/keep/state.h"
#include "frontend/nn/layer_data.h"
#include "frontend/values/variable_data.h"
#include "gradients.h"
#include "reel/checkpoint.h"
#include "reel/data.h"
#include "reel/weights.h"
#include "register.h"

// StateRef by name, files of weights, checkpoints: what reel/_keep.py is made of.

namespace reel::python {
namespace {

/// A number of a checkpoint.
struct Number {
  int64_t value = 0;
};

template <typename T>
const T* As(nb::handle x) {
  T* out = nullptr;
  return nb::try_cast(x, out) ? out : nullptr;
}

/// An object of Reel's that has state, or a list of pairs (name, such a thing).
StateRef ToState(nb::handle x) {
  if (IsVariable(x.ptr())) return VariableOf(x.ptr());
  if (const auto* layer = As<Layer>(x)) return *layer;
  if (const auto* optimizer = As<Optimizer>(x)) return *optimizer;
  if (const auto* generator = As<Generator>(x)) return *generator;
  if (const auto* average = As<ExponentialMovingAverage>(x)) return *average;
  if (const auto* scale = As<LossScale>(x)) return *scale;
  if (const auto* iterator = As<DatasetIterator>(x)) return *iterator;
  if (Number* number = nullptr; nb::try_cast(x, number) && number) return &number->value;
  if (As<Dataset>(x)) ThrowType("state: a dataset has none; keep an iterator of it, iter(dataset)");
  if (!PyList_Check(x.ptr()))
    ThrowType("state: expected a model, an optimizer, a generator or variables, not " + TypeName(x));
  std::vector<std::pair<std::string, StateRef>> parts;
  for (const nb::handle pair : x) parts.emplace_back(nb::cast<std::string>(pair[0]), ToState(pair[1]));
  return parts;
}

nb::dict ToDict(const StateDict& values) {
  nb::dict out;
  for (const auto& [name, value] : values) out[nb::str(name.c_str(), name.size())] = Wrap(value);
  return out;
}

StateDict ToValues(nb::handle mapping) {
  StateDict out;
  if (!nb::hasattr(mapping, "items")) ThrowType("load: expected a dict of names and values, not " + TypeName(mapping));
  for (const nb::handle item : mapping.attr("items")()) {
    if (!PyUnicode_Check(nb::object(item[0]).ptr())) ThrowType("load: a name is " + TypeName(item[0]) + ", not str");
    const nb::object value = item[1];
    out.emplace_back(nb::cast<std::string>(item[0]),
                     IsVariable(value.ptr()) ? ToTensor(value) : AsTensor(value, std::nullopt));
  }
  return out;
}

/// Makes a layer, which has only been allocated, as `base` makes it of the arguments, with these variables.
void RemakeLayer(nb::handle self, nb::handle base, nb::tuple arguments, nb::dict keywords, const std::string& name,
                 bool named, nb::handle variables) {
  internal::KeptVariables kept;
  const std::vector<Variable> list = ToVariables(variables);
  for (const Variable& v : list) {
    const bool own = v.name().starts_with(name + "/");
    kept.emplace(own ? v.name().substr(name.size() + 1) : v.name(), v);
  }
  {
    const internal::KeptScope scope(kept);
    base.attr("__init__")(self, *arguments, **keywords);
  }
  internal::LayerData& layer = *nb::cast<Layer&>(self).internal_data();
  if (!list.empty()) internal::BuildKept(&layer, kept);
  layer.options.name = name;
  layer.named = named;
  if (!list.empty() && internal::AllVariables(&layer).size() != list.size())
    ThrowInvalid(Text({"pickle: the variables of layer '", name, "' are those of another layer"}));
}

/// Gives a layer that has no name of its own this one; a name of its own stays, behind the slash.
std::string NameLayer(const Layer& layer, const std::string& outer, const std::string& key) {
  internal::LayerData& data = *layer.internal_data();
  const std::string& old = data.options.name;
  const std::string last = data.named ? old.substr(old.rfind('/') + 1) : key;
  const std::string full = internal::Joined(outer, last);
  if (old != full) internal::Rename(&data, full);
  data.named = true;
  return last;
}

std::string NameVariable(const Variable& v, const std::string& outer, const std::string& key) {
  std::string& name = v.internal_data()->name;
  const std::string last = name == VariableOptions().name ? key : name.substr(name.rfind('/') + 1);
  if (const std::string full = internal::Joined(outer, last); name != full) name = full;
  return last;
}

void RegisterFiles(nb::module_& m) {
  nb::class_<Number>(m, "_Number").def(nb::init<>()).def_rw("value", &Number::value);
  m.def("_values", [](nb::handle x) { return ToDict(GetState(ToState(x))); });
  m.def("_load", [](nb::handle x, nb::handle values, bool strict, const std::string& what) {
    internal::LoadState(ToState(x).internal_data().get(), ToValues(values), strict, what);
  });
  m.def("_read_weights", [](const std::string& path) {
    StateDict values;
    {
      const Unlocked other_threads(kLong);
      values = ReadWeights(path);
    }
    return ToDict(values);
  });
  m.def("_write_weights", [](const std::string& path, nb::handle mapping) {
    const StateDict values = ToValues(mapping);
    const Unlocked other_threads(kLong);
    SaveWeights(path, values);
  });
  m.def("_save_weights", [](const std::string& path, nb::handle x) {
    const StateRef state = ToState(x);
    const Unlocked other_threads(kLong);
    SaveWeights(path, state);
  });
  nb::class_<Checkpoint> c(m, "_Checkpoint");
  c.def("__init__", [](Checkpoint* self, const std::string& prefix, nb::handle parts, int keep) {
    std::vector<std::pair<std::string, StateRef>> list;
    for (const nb::handle pair : parts) list.emplace_back(nb::cast<std::string>(pair[0]), ToState(pair[1]));
    new (self) Checkpoint(prefix, std::move(list), {.keep = keep});
  });
  c.def("save", [](const Checkpoint& self) {
    const Unlocked other_threads(kLong);
    return self.Save();
  });
  c.def("restore", [](const Checkpoint& self) { return self.Restore(); });
  c.def("restore_file", [](const Checkpoint& self, const std::string& path) { self.Restore(path); });
  c.def("files", [](const Checkpoint& self) {
    nb::list out;
    for (const std::string& path : self.files()) out.append(nb::str(path.c_str(), path.size()));
    return out;
  });
}

template <typename F, typename... Extra>
void Method(nb::handle c, const char* name, F f, const Extra&... extra) {
  nb::cpp_function_def(f, nb::scope(c), nb::name(name), nb::is_method(), extra...);
}

// Methods of what has state; they are Python's (reel/_keep.py).
void RegisterMethods(nb::handle c, const char* remake, bool files) {
  const auto call = [](nb::handle function, auto... arguments) {
    return nb::module_::import_("reel._keep").attr(function)(arguments...);
  };
  Method(
      c, "state_dict", [](nb::handle self) { return ToDict(GetState(ToState(self))); },
      nb::sig("def state_dict(self) -> dict[str, Tensor]"), "Its values by name, in order.");
  Method(
      c, "load_state_dict",
      [](nb::handle self, nb::handle state, bool strict) {
        internal::LoadState(ToState(self).internal_data().get(), ToValues(state), strict, "load_state_dict");
      },
      "state"_a, "strict"_a = true,
      nb::sig("def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None"),
      "Assigns values by name. All that does not fit is one error, and then nothing is assigned; with strict=False, "
      "what "
      "is missing or belongs nowhere is left out.");
  if (!remake) return;
  Method(
      c, "__reduce__", [call, remake](nb::handle self) { return call(nb::str(remake), nb::borrow(self)); },
      nb::sig("def __reduce__(self) -> Any"));
  if (!files) return;
  Method(
      c, "save_weights",
      [call](nb::handle self, nb::handle path) { return call(nb::str("save_weights"), path, nb::borrow(self)); },
      "path"_a, nb::sig("def save_weights(self, path: str | os.PathLike[str]) -> None"),
      "Writes its values to a file, as reel.save_weights does.");
  Method(
      c, "load_weights",
      [call](nb::handle self, nb::handle path, bool strict) {
        call(nb::str("load_weights"), path, nb::borrow(self), strict);
      },
      "path"_a, "strict"_a = true,
      nb::sig("def load_weights(self, path: str | os.PathLike[str], strict: bool = True) -> None"),
      "Assigns the values of a file, as reel.load_weights does.");
}

}  // namespace

void RegisterKeep(nb::module_& m) {
  RegisterFiles(m);
  m.def("_remake_layer", &RemakeLayer);
  m.def("_is_named", [](const Layer& layer) { return layer.internal_data()->named; });
  m.def("_name_layer", &NameLayer);
  m.def("_name_variable", &NameVariable);
  const nb::object nn = m.attr("nn"), optim = m.attr("optim"), random = m.attr("random");
  RegisterMethods(nn.attr("Layer"), "reduce_layer", true);
  RegisterMethods(optim.attr("Optimizer"), "reduce", false);
  RegisterMethods(optim.attr("ExponentialMovingAverage"), "reduce", false);
  RegisterMethods(optim.attr("LossScale"), "reduce", false);
  RegisterMethods(random.attr("Generator"), "reduce_generator", false);
  RegisterMethods(m.attr("data").attr("DatasetIterator"), nullptr, false);
  for (const nb::object& c :
       {nb::object(nn.attr("Dropout")), nb::object(nn.attr("Flatten")), nb::object(optim.attr("Schedule"))}) {
    Method(
        c, "__reduce__", [](nb::handle self) { return nb::module_::import_("reel._keep").attr("reduce_plain")(self); },
        nb::sig("def __reduce__(self) -> Any"));
  }
}

}  // namespace reel::python
