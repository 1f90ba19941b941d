#include "reel/data.h"

#include "callback.h"
#include "common.h"
#include "frontend/data/iterator.h"
#include "register.h"

// reel.data: datasets, their iterators, vocabularies.

namespace reel::python {
namespace {

std::string PathOf(nb::handle x) {
  const nb::object path = nb::module_::import_("os").attr("fspath")(x);
  if (!PyUnicode_Check(path.ptr())) ThrowType("path: expected a str or a path, not " + TypeName(path));
  return nb::cast<std::string>(path);
}

/// A dict of tensors, a tuple of them, or the only one.
nb::object ToPython(const Example& example) {
  const std::vector<std::string>& names = example.names();
  if (!names.empty()) {
    nb::dict out;
    for (size_t i = 0; i < names.size(); ++i)
      out[nb::str(names[i].c_str(), names[i].size())] = Wrap(example.tensors()[i]);
    return out;
  }
  if (example.size() == 1) return Wrap(example.tensors()[0]);
  return nb::tuple(TensorObjects(example.tensors()));
}

Tensor Copied(nb::handle x) { return ToTensor(x); }

/// Shares the elements of an array where they lie as a tensor's do.
Tensor Shared(nb::handle x) {
  if (IsTensor(x.ptr()) || IsVariable(x.ptr())) return ToTensor(x);
  nb::object contiguous = nb::getattr(x, "flags", nb::none());
  contiguous = nb::getattr(contiguous, "c_contiguous", nb::none());
  const nb::object native = nb::getattr(nb::getattr(x, "dtype", nb::none()), "isnative", nb::none());
  return AsTensor(x, std::nullopt, contiguous.ptr() == Py_True && native.ptr() == Py_True);
}

/// The other way: what a function returned, or the arguments of arrays().
template <typename F>
Example ToExample(nb::handle x, const F& to_tensor) {
  if (PyDict_Check(x.ptr())) {
    std::vector<std::pair<std::string, Tensor>> out;
    for (const auto [name, value] : nb::borrow<nb::dict>(x)) {
      if (!PyUnicode_Check(name.ptr())) ThrowType("data: a name is " + TypeName(name) + ", not str");
      out.emplace_back(nb::cast<std::string>(name), to_tensor(value));
    }
    return Example::Named(out);
  }
  if (!PyTuple_Check(x.ptr())) return to_tensor(x);
  std::vector<Tensor> out;
  for (const nb::handle value : x) out.push_back(to_tensor(value));
  return out;
}

Example CallForExample(const nb::object& f, const Example& x, const Generator* generator) {
  const nb::gil_scoped_acquire lock;
  nb::list arguments;
  if (x.names().empty()) {
    for (const Tensor& t : x) arguments.append(Wrap(t));
  } else {
    arguments.append(ToPython(x));
  }
  if (generator) arguments.append(nb::cast(*generator));
  const nb::object result = f(*nb::tuple(arguments));
  if (result.is_none()) ThrowInvalid("map: the function returned None; return a tensor, a tuple or a dict of tensors");
  return ToExample(result, Copied);
}

Dataset Mapped(const Dataset& data, nb::handle f, nb::handle seed) {
  if (!PyCallable_Check(f.ptr())) ThrowType("map: expected a function, not " + TypeName(f));
  const std::shared_ptr<nb::object> function = SharedObject(f);
  if (seed.is_none()) return data.Map([function](const Example& x) { return CallForExample(*function, x, nullptr); });
  return data.Map(
      [function](const Example& x, const Generator& generator) { return CallForExample(*function, x, &generator); },
      ToInt(seed, "map: seed"));
}

std::optional<int64_t> OptionalNumber(nb::handle x, const char* what) {
  return x.is_none() ? std::nullopt : std::optional(ToInt(x, what));
}

/// None, one name or number of a column, or several.
std::vector<std::string> ToNames(nb::handle x, const char* what) {
  if (x.is_none()) return {};
  const auto name = [what](nb::handle item) {
    if (PyUnicode_Check(item.ptr())) return nb::cast<std::string>(item);
    if (PyLong_Check(item.ptr()) && !PyBool_Check(item.ptr())) return std::to_string(ToInt(item, what));
    ThrowType(Text({what, ": expected names, not ", TypeName(item)}));
  };
  if (!PyList_Check(x.ptr()) && !PyTuple_Check(x.ptr())) return {name(x)};
  std::vector<std::string> out;
  for (const nb::handle item : x) out.push_back(name(item));
  return out;
}

nb::object Next(const DatasetIterator& iterator) {
  const internal::Place place = iterator.internal_data()->place();
  std::optional<Example> example;
  try {
    const Unlocked other_threads(kLong);
    example = iterator.Next();
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) iterator.internal_data()->PutBack(place);
    throw;
  }
  if (!example) throw nb::stop_iteration();
  return ToPython(*example);
}

template <typename F>
auto WithoutLock(const F& f) {
  const Unlocked other_threads(kLong);
  return f();
}

/// TensorSpecs in the structure of an example.
nb::object SpecsOf(const Dataset& data) {
  const std::vector<Spec> specs = WithoutLock([&] { return data.specs(); });
  nb::list out;
  nb::dict named;
  for (const Spec& spec : specs) {
    out.append(nb::cast(spec));
    if (!spec.name.empty()) named[spec.name.c_str()] = nb::cast(spec);
  }
  if (!specs.empty() && nb::len(named) == specs.size()) return named;
  return specs.size() == 1 ? nb::object(out[0]) : nb::object(nb::tuple(out));
}

std::string TypesOf(const Dataset& data) {
  std::string out;
  for (const Spec& spec : data.specs()) {
    std::string type = spec.type.ToString();
    for (const Dim& symbol : spec.symbols) type.replace(type.find("?0"), 2, "1.." + std::to_string(symbol.max));
    out += (out.empty() ? "" : ", ") + (spec.name.empty() ? "" : spec.name + ": ") + type;
  }
  return out;
}

std::string Repr(const Dataset& data) {
  const std::string size = data.size() < 0 ? "without end" : std::to_string(data.size());
  // The types behind a map are known once its function was called, which a repr does not.
  const bool mapped = data.str().find(".map(f") != std::string::npos;
  return Text(
      {"<Dataset ", data.str(), ": ", size, mapped ? "" : " of (", mapped ? "" : TypesOf(data), mapped ? ">" : ")>"});
}

nb::list StringList(const std::vector<std::string>& strings) {
  nb::list out;
  for (const std::string& s : strings) out.append(nb::str(s.c_str(), s.size()));
  return out;
}

// --- sources ---

Dataset Arrays(nb::args arrays, nb::kwargs named) {
  if (nb::len(named) > 0 && nb::len(arrays) > 0) ThrowType("arrays: either names for all arrays or for none");
  if (nb::len(named) > 0) return Dataset::FromArrays(ToExample(named, Shared));
  if (nb::len(arrays) == 1) return Dataset::FromArrays(ToExample(nb::object(arrays[0]), Shared));
  return Dataset::FromArrays(ToExample(arrays, Shared));
}

Dataset Csv(nb::handle path, nb::handle label, nb::handle columns, const std::string& label_kind,
            nb::handle class_names, nb::handle classes, DTypeLike dtype, const std::string& delimiter, bool header,
            nb::handle missing) {
  if (delimiter.size() != 1) ThrowInvalid("csv: the delimiter must be one ASCII character, not '" + delimiter + "'");
  CsvOptions options;
  options.labels = ToNames(label, "csv: label");
  options.columns = ToNames(columns, "csv: columns");
  options.label_kind = ToEnum<LabelKind>(
      "csv: label_kind", label_kind,
      {{"auto", LabelKind::kAuto}, {"classes", LabelKind::kClasses}, {"numbers", LabelKind::kNumbers}});
  options.class_names = ToNames(class_names, "csv: class_names");
  options.classes = OptionalNumber(classes, "csv: classes").value_or(0);
  options.dtype = dtype.get(kFloat32);
  options.delimiter = delimiter[0];
  options.header = header;
  if (!missing.is_none()) options.missing = ToDouble(missing, "csv: missing");
  const std::string file = PathOf(path);
  return WithoutLock([&] { return Dataset::FromCsv(file, options); });
}

Dataset Npz(nb::handle path, nb::handle names) {
  const NpzOptions options{.names = ToNames(names, "npz: names")};
  const std::string file = PathOf(path);
  return WithoutLock([&] { return Dataset::FromNpz(file, options); });
}

Dataset Npy(nb::args paths, nb::kwargs named) {
  if (nb::len(named) > 0 && nb::len(paths) > 0) ThrowType("npy: either names for all files or for none");
  std::vector<std::string> files, names;
  for (const nb::handle path : paths) files.push_back(PathOf(path));
  for (const auto& [name, path] : named) {
    names.push_back(nb::cast<std::string>(name));
    files.push_back(PathOf(path));
  }
  return WithoutLock([&] { return Dataset::FromNpy(files, names); });
}

Dataset Idx(nb::handle images, nb::handle labels, DTypeLike dtype, nb::handle classes) {
  const IdxOptions options{.dtype = dtype.get(kFloat32),
                           .classes = OptionalNumber(classes, "idx: classes").value_or(0)};
  const std::string first = PathOf(images), second = labels.is_none() ? "" : PathOf(labels);
  return WithoutLock([&] { return Dataset::FromIdx(first, second, options); });
}

Dataset ImageFolder(nb::handle path, nb::handle size, nb::handle channels, bool resize, DTypeLike dtype,
                    nb::handle class_names) {
  ImageFolderOptions options;
  if (!size.is_none()) {
    const std::vector<int64_t> extents = ToInts(size, "image_folder: size");
    if (extents.empty() || extents.size() > 2)
      ThrowInvalid("image_folder: size is (height, width), or one number for both");
    options.height = extents.front();
    options.width = extents.back();
  }
  options.channels = OptionalNumber(channels, "image_folder: channels").value_or(0);
  options.resize = resize;
  options.dtype = dtype.get(kFloat32);
  options.class_names = ToNames(class_names, "image_folder: class_names");
  const std::string folder = PathOf(path);
  return WithoutLock([&] { return Dataset::FromImageFolder(folder, options); });
}

Dataset TextSource(nb::handle path, int64_t length, nb::handle stride, const std::string& unit, nb::handle vocabulary) {
  TextOptions options;
  options.length = length;
  options.stride = OptionalNumber(stride, "text: stride").value_or(0);
  options.unit =
      ToEnum<TextUnit>("text: unit", unit, {{"characters", TextUnit::kCharacters}, {"bytes", TextUnit::kBytes}});
  if (!vocabulary.is_none()) {
    Vocabulary* given = nullptr;
    if (!nb::try_cast(vocabulary, given) || !given)
      ThrowType("text: expected a reel.data.Vocabulary, not " + TypeName(vocabulary));
    options.vocabulary = *given;
  }
  const std::string file = PathOf(path);
  return WithoutLock([&] { return Dataset::FromText(file, options); });
}

void RegisterSources(nb::module_& m) {
  m.def("arrays", &Arrays, nb::sig("def arrays(*arrays: Any, **named: Any) -> Dataset"),
        "Row i of each array is example i; first extents must be equal. Nothing is copied: the arrays must not change. "
        "With names, or of a dict, examples are dicts; of one array they are tensors, else tuples.");
  m.def("csv", &Csv, "path"_a, "label"_a = nb::none(), "columns"_a = nb::none(), nb::kw_only(), "label_kind"_a = "auto",
        "class_names"_a = nb::none(), "classes"_a = nb::none(), "dtype"_a = nb::none(), "delimiter"_a = ",",
        "header"_a = true, "missing"_a = nb::none(),
        nb::sig("def csv(path: str | os.PathLike[str], label: str | int | Sequence[str | int] | None = None, columns: "
                "Sequence[str | int] | None = None, *, label_kind: Literal['auto', 'classes', 'numbers'] = 'auto', "
                "class_names: Sequence[str] | None = None, classes: int | None = None, dtype: DTypeLike | None = None, "
                "delimiter: str = ',', header: bool = True, missing: float | None = None) -> Dataset"),
        "A table: (features [columns], label) of each line; several labels are tensors of their own, and without a "
        "label the features stand alone. Columns are names of the header or numbers, -1 for the last. Whole numbers "
        "and text in a label column are classes (int64; text by its place in class_names, sorted if not given), other "
        "numbers are to be predicted. `missing` is the value of empty cells, which are errors else.");
  m.def("npz", &Npz, "path"_a, "names"_a = nb::none(),
        nb::sig("def npz(path: str | os.PathLike[str], names: Sequence[str] | None = None) -> Dataset"),
        "NumPy's archive of arrays with equal first extents: examples are dicts.");
  m.def(
      "npy", &Npy, nb::sig("def npy(*paths: str | os.PathLike[str], **named: str | os.PathLike[str]) -> Dataset"),
      "NumPy's files, one for each array, with equal first extents. Files are mapped, and rows read when they are "
      "asked "
      "for: data may be larger than memory, and each of several processes reads its own rows. With names examples are "
      "dicts; of one file they are tensors, else tuples. The files must not change meanwhile.");
  m.def("idx", &Idx, "images"_a, "labels"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(),
        "classes"_a = nb::none(),
        nb::sig("def idx(images: str | os.PathLike[str], labels: str | os.PathLike[str] | None = None, *, dtype: "
                "DTypeLike | None = None, classes: int | None = None) -> Dataset"),
        "The format of MNIST, gzipped or not: (image, label int64). float32 divides bytes by 255, uint8 leaves them. "
        "Labels must be below `classes`.");
  m.def("image_folder", &ImageFolder, "path"_a, "size"_a = nb::none(), nb::kw_only(), "channels"_a = nb::none(),
        "resize"_a = false, "dtype"_a = nb::none(), "class_names"_a = nb::none(),
        nb::sig("def image_folder(path: str | os.PathLike[str], size: IntsLike | None = None, *, channels: int | None "
                "= None, resize: bool = False, dtype: DTypeLike | None = None, class_names: Sequence[str] | None = "
                "None) -> Dataset"),
        "One folder for each class with PNG and JPEG files: (image [height, width, channels], label int64), in the "
        "order of their names, read when asked for. `size` is (height, width), by default that of the first image; "
        "others are errors, or resized (bilinear). channels: 1, gray, or 3, RGB. float32 divides bytes by 255, uint8 "
        "leaves them.");
  m.def("text", &TextSource, "path"_a, "length"_a = 64, nb::kw_only(), "stride"_a = nb::none(), "unit"_a = "characters",
        "vocabulary"_a = nb::none(),
        nb::sig("def text(path: str | os.PathLike[str], length: int = 64, *, stride: int | None = None, unit: "
                "Literal['characters', 'bytes'] = 'characters', vocabulary: Vocabulary | None = None) -> Dataset"),
        "Windows of a text in UTF-8, gzipped or not, each with the tokens that follow: (tokens int64[length], next "
        "int64[length]). Windows begin `stride` tokens apart, by default their length.");
  m.def("range", &Dataset::Range, "n"_a, nb::sig("def range(n: int) -> Dataset"),
        "The numbers 0, ..., n - 1 (int64): map makes of them what a function of the index gives.");
}

// --- classes ---

void RegisterSteps(nb::class_<Dataset>& c) {
  c.def("shuffle", &Dataset::Shuffle, "seed"_a = 0,
        "All examples in an order drawn with the seed, another for each epoch; the same on every machine.");
  c.def(
      "batch", &Dataset::Batch, "n"_a, "drop_remainder"_a = true,
      "n examples as one, with a new first axis. The last batch, if smaller, is left out unless drop_remainder=False.");
  c.def("shard", &Dataset::Shard, "rank"_a, "size"_a,
        "Right behind batch(n): of each batch the rows of process `rank` of `size`; no others are read. Together the "
        "processes see the batches that one alone sees; a place in a checkpoint is the same for all of them.");
  c.def(
      "repeat", [](const Dataset& d, nb::handle epochs) { return d.Repeat(OptionalNumber(epochs, "repeat")); },
      "epochs"_a = nb::none(), nb::sig("def repeat(self, epochs: int | None = None) -> Dataset"),
      "The examples of so many epochs; without a number for ever.");
  c.def(
      "map", &Mapped, "f"_a, nb::kw_only(), "seed"_a = nb::none(),
      nb::sig("def map(self, f: Callable[..., Any], *, seed: int | None = None) -> Dataset"),
      "f(x, y) of each example, or f(example) of a dict; it returns a tensor, a tuple or a dict. With a seed, f gets a "
      "reel.random.Generator as its last argument, whose draws depend on seed, epoch and place alone.");
  c.def("take", &Dataset::Take, "n"_a, "The first n examples, or all if there are fewer.");
  c.def("skip", &Dataset::Skip, "n"_a, "All but the first n examples.");
  c.def(
      "split",
      [](const Dataset& d, double fraction, nb::handle seed) {
        const auto [a, b] = d.Split(fraction, OptionalNumber(seed, "split: seed"));
        return nb::make_tuple(a, b);
      },
      "fraction"_a, "seed"_a.none() = 0,
      nb::sig("def split(self, fraction: float, seed: int | None = 0) -> tuple[Dataset, Dataset]"),
      "Two datasets: about this fraction of the examples, drawn with the seed, and the rest, both in their order. "
      "seed=None: the first and the rest; so must what overlaps (windows of a text) be split.");
  c.def("prefetch", &Dataset::Prefetch, "n"_a = 2,
        "A thread has the next n examples of the whole pipeline ready; its errors arrive in order.");
}

void RegisterDataset(nb::module_& m) {
  nb::class_<Dataset> c(m, "Dataset",
                        "A source of examples and steps over them, an immutable value. Each iteration is an epoch: the "
                        "k-th iterator of a dataset is at epoch k, and shuffles for it.");
  RegisterSteps(c);
  c.def("__iter__", [](const Dataset& d) { return d.Iterate(); }, nb::sig("def __iter__(self) -> DatasetIterator"));
  c.def(
      "iterate",
      [](const Dataset& d, nb::handle epoch) {
        const auto number = OptionalNumber(epoch, "iterate: epoch");
        return number ? d.Iterate(*number) : d.Iterate();
      },
      "epoch"_a = nb::none(), nb::sig("def iterate(self, epoch: int | None = None) -> DatasetIterator"),
      "An iterator over this epoch, or over the next.");
  c.def(
      "__len__",
      [](const Dataset& d) {
        if (d.size() < 0) ThrowType(d.str() + " never ends: it has no length");
        return static_cast<size_t>(d.size());
      },
      nb::sig("def __len__(self) -> int"));
  c.def("__bool__", [](const Dataset& d) { return d.size() != 0; });
  c.def(
      "__getitem__",
      [](const Dataset& d, nb::handle i) {
        if (!PyIndex_Check(i.ptr()))
          ThrowType("data: an index is an integer, not " + TypeName(i) + "; take(n) and skip(n) take parts");
        const int64_t index = ToInt(i, "data: index");
        return ToPython(WithoutLock([&] { return d.At(index); }));
      },
      "i"_a, nb::sig("def __getitem__(self, i: int, /) -> Any"), "Example i of epoch 0, to look at.");
  c.def("__repr__", &Repr);
  c.def_prop_ro("specs", &SpecsOf, nb::sig("def specs(self) -> Any"),
                "TensorSpecs in the structure of an example. Behind a map they are of the first example.");
  c.def_prop_ro(
      "classes", [](const Dataset& d) { return d.classes(); },
      "How many classes the first label has: the largest number + 1, or the names; 0: it has none.");
  c.def_prop_ro(
      "class_names", [](const Dataset& d) { return StringList(d.class_names()); },
      nb::sig("def class_names(self) -> list[str]"), "Of the first label, if its classes have names.");
  c.def_prop_ro(
      "columns", [](const Dataset& d) { return StringList(d.columns()); }, nb::sig("def columns(self) -> list[str]"),
      "The features of a table.");
  c.def_prop_ro(
      "vocabulary",
      [](const Dataset& d) {
        const auto vocabulary = d.vocabulary();
        return vocabulary ? nb::cast(*vocabulary) : nb::none();
      },
      nb::sig("def vocabulary(self) -> Vocabulary | Any"), "Of a text; None of other data.");
}

void RegisterIterator(nb::module_& m) {
  nb::class_<DatasetIterator> c(
      m, "DatasetIterator",
      "A place in a dataset. It can be a part of a reel.Checkpoint: restored, it goes on with the example that would "
      "have been next; what was prefetched and not yet taken does not count.");
  c.def("__iter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __iter__(self) -> DatasetIterator"));
  c.def("__next__", &Next, nb::sig("def __next__(self) -> Any"));
  c.def_prop_ro("epoch", &DatasetIterator::epoch, "The epoch that it goes through.");
  c.def_prop_ro("position", &DatasetIterator::position, "How many examples were taken.");
  c.def_prop_ro("dataset", &DatasetIterator::dataset, "What it goes through.");
  c.def("seek", &DatasetIterator::Seek, "epoch"_a, "position"_a, "Goes on there.");
  c.def("__repr__", [](const DatasetIterator& it) {
    return Text({"<DatasetIterator of ", it.dataset().str(), " at ", std::to_string(it.position()), " in epoch ",
                 std::to_string(it.epoch()), ">"});
  });
}

void RegisterVocabulary(nb::module_& m) {
  nb::class_<Vocabulary> c(m, "Vocabulary", "Tokens of a text: each character or byte has a number.");
  c.def_static("bytes", &Vocabulary::Bytes, "The 256 bytes, each its own number.");
  c.def_static(
      "of_characters", [](const std::string& text) { return Vocabulary::OfCharacters(text); }, "text"_a,
      "The characters of a text, each once, in the order of their code points.");
  c.def_static(
      "load", [](nb::handle path) { return Vocabulary::Load(PathOf(path)); }, "path"_a,
      nb::sig("def load(path: str | os.PathLike[str]) -> Vocabulary"), "A file that save has written.");
  c.def(
      "save", [](const Vocabulary& v, nb::handle path) { v.Save(PathOf(path)); }, "path"_a,
      nb::sig("def save(self, path: str | os.PathLike[str]) -> None"), "Writes it as JSON, whole or not at all.");
  c.def(
      "encode",
      [](const Vocabulary& v, nb::handle text) {
        if (PyBytes_Check(text.ptr()))
          return v.Encode({PyBytes_AS_STRING(text.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(text.ptr()))});
        if (!PyUnicode_Check(text.ptr())) ThrowType("encode: expected a str or bytes, not " + TypeName(text));
        return v.Encode(nb::cast<std::string>(text));
      },
      "text"_a, nb::sig("def encode(self, text: str | builtins.bytes) -> Tensor"), "The tokens of a text, int64[n].");
  c.def(
      "decode",
      [](const Vocabulary& v, TensorLike tokens) -> nb::object {
        const std::string text = v.Decode(tokens.tensor());
        if (v.bytes()) return nb::bytes(text.data(), text.size());
        return nb::str(text.c_str(), text.size());
      },
      "tokens"_a, nb::sig("def decode(self, tokens: TensorLike) -> Any"),
      "The text of tokens: a str, of a vocabulary of bytes a bytes.");
  c.def("__len__", [](const Vocabulary& v) { return static_cast<size_t>(v.size()); });
  c.def_prop_ro(
      "symbols",
      [](const Vocabulary& v) -> nb::object {
        if (!v.bytes()) return StringList(v.symbols());
        nb::list out;
        for (const std::string& s : v.symbols()) out.append(nb::bytes(s.data(), s.size()));
        return out;
      },
      nb::sig("def symbols(self) -> list[Any]"), "What each token stands for.");
  c.def("__repr__", [](const Vocabulary& v) {
    return Text({"<Vocabulary of ", std::to_string(v.size()), v.bytes() ? " bytes>" : " characters>"});
  });
}

}  // namespace

void RegisterData(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("data", "Data to train on: pipelines of steps over files and arrays.");
  RegisterVocabulary(m);
  RegisterDataset(m);
  RegisterIterator(m);
  RegisterSources(m);
  // Threads that call Python must have ended before it does.
  nb::module_::import_("atexit").attr("register")(
      nb::cpp_function([] { WithoutLock([] { return internal::StopReaders(), 0; }); }));
}

}  // namespace reel::python
