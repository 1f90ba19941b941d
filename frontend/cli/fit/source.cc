#include "frontend/cli/fit/source.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "ir/names.h"
#include "ir/number.h"
#include "ir/suggest.h"
#include "reel/reel.h"

namespace reel::cli {
namespace {

constexpr std::string_view kNpz = ".npz", kNpy = ".npy";

/// Names in a folder, sorted.
std::vector<std::string> NamesIn(const std::string& folder) {
  DIR* const open = ::opendir(folder.c_str());
  if (!open) Fail(kIo, StrCat("cannot read the folder ", ir::QuotedPath(folder), ": ", std::strerror(errno)));
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(open)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  ::closedir(open);
  std::sort(names.begin(), names.end());
  return names;
}

bool IsIdxOf(const std::string& name, std::string_view what) {
  return name.find(what) != name.npos && name.find("idx") != name.npos && name.find("ubyte") != name.npos;
}

/// Images and labels in the format of MNIST, each pair with what its names begin with ("train", "t10k").
struct IdxPair {
  std::string prefix, images, labels;
};
std::vector<IdxPair> IdxPairs(const std::string& folder) {
  std::vector<IdxPair> pairs;
  const std::vector<std::string> names = NamesIn(folder);
  for (const std::string& name : names) {
    if (!IsIdxOf(name, "images")) continue;
    const std::string prefix = name.substr(0, name.find("images"));
    const auto labels = std::find_if(names.begin(), names.end(), [&prefix](const std::string& other) {
      return other.starts_with(prefix + "labels") && IsIdxOf(other, "labels");
    });
    if (labels == names.end()) {
      Fail(kInvalid, StrCat(ir::QuotedPath(folder + "/" + name), " has no labels beside it; expected ", prefix,
                            "labels-idx1-ubyte or that with .gz"));
    }
    pairs.push_back({prefix, folder + "/" + name, folder + "/" + *labels});
  }
  return pairs;
}

/// Of several pairs the one to train on: "train-..." or the first that is no "t10k-..." or "test-...".
size_t TrainPair(const std::vector<IdxPair>& pairs) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].prefix.starts_with("train")) return i;
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].prefix.starts_with("t10k") && !pairs[i].prefix.starts_with("test")) return i;
  }
  return 0;
}

LabelKind LabelKindOf(const std::string& task) {
  return task == "classes" ? LabelKind::kClasses : task == "numbers" ? LabelKind::kNumbers : LabelKind::kAuto;
}

reel::Dataset OpenTable(const std::string& path, const FitSettings& settings, const FitData* like) {
  CsvOptions options{.labels = settings.labels, .columns = settings.columns, .label_kind = LabelKindOf(settings.task)};
  if (options.labels.empty()) options.labels = {"-1"};
  if (like) {
    options.class_names = like->class_names;
    options.classes = like->class_names.empty() ? like->classes : 0;
    options.label_kind = like->classes > 0 ? LabelKind::kClasses : LabelKind::kNumbers;
  }
  return reel::Dataset::FromCsv(path, options);
}

/// The names of features and labels among the arrays of a file.
std::vector<std::string> ArrayNames(const std::string& path, const FitSettings& settings,
                                    const std::vector<Spec>& specs) {
  std::vector<std::string> names;
  std::string list;
  for (const Spec& spec : specs) {
    names.push_back(spec.name);
    StrAppend(&list, list.empty() ? "" : ", ", spec.name);
  }
  const auto wrong = [&](const std::string& what) {
    Fail(kInvalid, StrCat(ir::QuotedPath(path), " has the arrays ", list, ": ", what));
  };
  const auto one_of = [&](const std::vector<std::string>& given, const char* option,
                          std::initializer_list<const char*> usual) -> std::string {
    if (given.size() > 1) wrong(StrCat(option, " takes one of them"));
    if (!given.empty() && std::find(names.begin(), names.end(), given[0]) == names.end())
      wrong(StrCat(option, " ", given[0], " is none of them", ir::DidYouMean(given[0], names)));
    if (!given.empty()) return given[0];
    for (const char* name : usual) {
      if (std::find(names.begin(), names.end(), name) != names.end()) return name;
    }
    return "";
  };
  std::string x = one_of(settings.columns, "--columns", {"x", "X", "images", "features", "x_train", "data"});
  std::string y = one_of(settings.labels, "--labels", {"y", "Y", "labels", "label", "targets", "y_train", "target"});
  if (names.size() == 2 && x.empty()) x = names[y == names[0] ? 1 : 0];
  if (names.size() == 2 && y.empty()) y = names[x == names[0] ? 1 : 0];
  if (x.empty() || y.empty() || x == y)
    wrong("say which are the features and the labels with --columns NAME --labels NAME");
  return {x, y};
}

/// These arrays of an .npz file, or of a folder of .npy files; no names: all.
reel::Dataset ReadArrays(const std::string& path, std::vector<std::string> names) {
  if (path.ends_with(kNpz)) return reel::Dataset::FromNpz(path, {.names = names});
  for (const std::string& file : names.empty() ? NamesIn(path) : std::vector<std::string>()) {
    if (file.ends_with(kNpy)) names.push_back(file.substr(0, file.size() - kNpy.size()));
  }
  std::vector<std::string> files;
  for (const std::string& name : names) files.push_back(StrCat(path, "/", name, kNpy));
  return reel::Dataset::FromNpy(files, names);
}

reel::Dataset OpenArrays(const std::string& path, const FitSettings& settings) {
  std::vector<std::string> names;
  if (!settings.columns.empty() && !settings.labels.empty())
    names = {settings.columns[0], settings.labels[0]};  // others may have other extents
  return ReadArrays(path, ArrayNames(path, settings, ReadArrays(path, names).specs()));
}

reel::Dataset OpenImages(const std::string& path, const FitSettings& settings, const FitData* like) {
  ImageFolderOptions options;
  if (!settings.size.empty()) {
    const size_t x = settings.size.find('x');
    const bool good = x != settings.size.npos && ir::ParseNumber(settings.size.substr(0, x), &options.height) &&
                      ir::ParseNumber(settings.size.substr(x + 1), &options.width) && options.height > 0 &&
                      options.width > 0;
    if (!good) Fail(kUsage, StrCat("--size ", settings.size, ": write --size HEIGHTxWIDTH, such as 28x28"));
    options.resize = true;
  }
  if (like) {
    options.class_names = like->class_names;
    options.height = like->features.dim(0);
    options.width = like->features.dim(1);
    options.channels = like->features.dim(2);
  }
  return reel::Dataset::FromImageFolder(path, options);
}

/// A second dataset's examples must look like those that the model is made for.
void CheckLike(const std::string& path, const reel::Dataset& data, const FitData& like) {
  const Shape shape = data.specs()[0].type.shape;
  if (shape == like.features) return;
  Fail(kInvalid, StrCat(ir::QuotedPath(path), ": its examples have features ", shape.ToString(),
                        ", those to train on have ", like.features.ToString()));
}

bool IsFraction(const std::string& text, double* fraction) {
  return ir::ParseNumber(text, fraction) && *fraction >= 0 && *fraction < 1;
}

/// A step over all examples, in batches as they are trained on.
void ForEachBatch(const FitData& data, const reel::Dataset& examples,
                  const std::function<void(const Example&, int64_t first)>& f) {
  int64_t first = 0;
  for (const Example& batch : examples.Batch(1024, /*drop_remainder=*/false).Iterate(0)) {
    const Example prepared = data.prepare(batch);
    f(prepared, first);
    first += prepared[0].shape().dim(0);
  }
}

/// Mean and deviation of each column of f32 [n, columns].
struct ColumnMoments {
  std::vector<double> sum, squares;
  void Add(const Tensor& x) {
    const auto values = x.data<float>();
    const size_t columns = sum.size();
    for (size_t i = 0; i < values.size(); ++i) {
      const double v = values[i];
      sum[i % columns] += v;
      squares[i % columns] += v * v;
    }
  }
  void Finish(int64_t n, std::vector<float>* mean, std::vector<float>* deviation) const {
    for (size_t j = 0; j < sum.size(); ++j) {
      const double m = sum[j] / static_cast<double>(n);
      const double variance = std::max(0.0, squares[j] / static_cast<double>(n) - m * m);
      mean->push_back(static_cast<float>(m));
      deviation->push_back(variance > 1e-12 * (m * m) && variance > 0 ? static_cast<float>(std::sqrt(variance)) : 1);
    }
  }
};

/// Numbers of text forms and arrays may be NaN: no model learns from those.
void CheckFinite(const std::string& path, const Tensor& x, const char* what, int64_t first) {
  const auto values = x.data<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const int64_t row = first + static_cast<int64_t>(i) / std::max<int64_t>(1, x.size() / x.shape().dim(0));
    Fail(kInvalid, StrCat(ir::QuotedPath(path), ": ", what, " of example ", row, " of those read is ", values[i],
                          "; expected finite numbers: leave such rows out"));
  }
}

/// The moments of what is trained on; all numbers must be finite.
void Measure(const FitSettings& settings, FitData* data) {
  const auto width = static_cast<size_t>(data->features.rank() == 1 ? data->features.size() : 0);
  const auto outputs = static_cast<size_t>(data->classes > 0 ? 0 : data->outputs);
  if (width == 0 && outputs == 0) return;
  ColumnMoments x{std::vector<double>(width), std::vector<double>(width)},
      y{std::vector<double>(outputs), std::vector<double>(outputs)};
  double fraction = 0;
  const std::string& other = IsFraction(settings.validation, &fraction) ? settings.data : settings.validation;
  for (const bool train : {true, false}) {
    if (!train && !data->validation) continue;
    ForEachBatch(*data, train ? *data->train : *data->validation, [&](const Example& batch, int64_t first) {
      const std::string& path = train ? settings.data : other;
      if (width > 0) CheckFinite(path, batch[0], "a feature", first);
      if (outputs > 0) CheckFinite(path, batch[1], "a number to predict", first);
      if (train && width > 0) x.Add(batch[0]);
      if (train && outputs > 0) y.Add(batch[1]);
    });
  }
  x.Finish(data->train->size(), &data->feature_mean, &data->feature_deviation);
  y.Finish(data->train->size(), &data->label_mean, &data->label_deviation);
}

/// Of arrays: classes are 0 ... the largest label of the examples to train on; other labels are errors with their row.
int64_t CheckLabels(const std::string& path, const FitData& data, const reel::Dataset& examples, int64_t classes) {
  int64_t largest = -1;
  ForEachBatch(data, examples, [&](const Example& batch, int64_t first) {
    const auto labels = batch[1].data<int64_t>();
    for (size_t i = 0; i < labels.size(); ++i) {
      largest = std::max(largest, labels[i]);
      if (labels[i] >= 0 && (classes == 0 || labels[i] < classes)) continue;
      const std::string expected = classes > 0 ? StrCat("0 to ", classes - 1) : "0 or more";
      Fail(kInvalid, StrCat(ir::QuotedPath(path), ": the label ", labels[i], " of example ",
                            first + static_cast<int64_t>(i), " is out of range; expected ", expected));
    }
  });
  return largest + 1;
}

/// Batches of examples as a step takes them: features f32, classes i64, numbers f32[n, outputs].
std::function<Example(const Example&)> Preparation(const std::vector<Spec>& specs, bool classes) {
  const DType x = specs[0].type.dtype, y = specs[1].type.dtype;
  const bool scale = x == kUInt8;
  if (classes && specs.size() == 2 && x == kFloat32 && y == kInt64) return [](const Example& batch) { return batch; };
  return [=, columns = specs.size() - 1, rank = specs[1].type.shape.rank()](const Example& batch) {
    Tensor features = Cast(batch[0], kFloat32);
    if (scale) features = features / 255.0f;
    if (classes) return Example{features, Cast(batch[1], kInt64)};
    std::vector<Tensor> labels;
    for (size_t i = 1; i <= columns; ++i) {
      const Tensor label = Cast(batch[i], kFloat32);
      labels.push_back(rank == 0 ? ExpandDims(label, 1) : label);
    }
    return Example{features, labels.size() == 1 ? labels[0] : Concat(labels, 1)};
  };
}

/// Whether labels are classes: text and whole numbers are, others are numbers; --task says otherwise.
bool AreClasses(const std::string& path, const FitSettings& settings, const std::vector<Spec>& specs) {
  const Type& label = specs[1].type;
  const bool whole = !IsFloat(label.dtype);
  if (settings.task == "classes" && (!whole || label.shape.rank() > 0)) {
    Fail(kInvalid, StrCat(ir::QuotedPath(path), ": --task classes: the labels are ", label.ToString(),
                          " for each example; expected whole numbers or text, one for each"));
  }
  const bool classes = settings.task == "classes" || (settings.task == "auto" && whole);
  if (classes && specs.size() > 2)
    Fail(kInvalid, StrCat(ir::QuotedPath(path),
                          ": several label columns, one of classes; --task numbers predicts them"
                          " as numbers"));
  if (label.shape.rank() > 1)
    Fail(kInvalid, StrCat(ir::QuotedPath(path), ": the labels are ", label.ToString(),
                          " for each example; expected one number, or a vector of them"));
  return classes;
}

void SplitText(const FitSettings& settings, FitData* data) {
  double fraction = 0;
  const int64_t length = settings.context;
  const reel::Dataset all = *data->train;
  TextOptions apart{.length = length, .vocabulary = data->vocabulary};
  if (!IsFraction(settings.validation, &fraction)) {
    data->validation = reel::Dataset::FromText(settings.validation, apart);
  } else if (fraction > 0) {
    data->train = all.Split(1 - fraction, std::nullopt).first;
    const reel::Dataset windows = reel::Dataset::FromText(settings.data, apart);
    if (static_cast<double>(windows.size()) * fraction < 2) {
      Fail(kInvalid, StrCat(ir::QuotedPath(settings.data), ": too short to validate on ", fraction,
                            " of it with --context ", length, "; give --validation 0 or a longer text"));
    }
    data->validation = windows.Split(1 - fraction, std::nullopt).second.Skip(1);  // which the last to train on reach
  }
}

FitData OpenText(const FitSettings& settings) {
  FitData data{.kind = SourceKind::kText};
  data.train = reel::Dataset::FromText(settings.data, {.length = settings.context, .stride = 1});
  data.vocabulary = data.train->vocabulary();
  data.features = Shape({settings.context});
  data.classes = data.outputs = data.vocabulary->size();
  data.prepare = [](const Example& batch) { return batch; };
  SplitText(settings, &data);
  return data;
}

reel::Dataset OpenExamples(SourceKind kind, const std::string& path, const FitSettings& settings, const FitData* like) {
  switch (kind) {
    case SourceKind::kTable: return OpenTable(path, settings, like);
    case SourceKind::kArrays: return OpenArrays(path, settings);
    case SourceKind::kImages: return OpenImages(path, settings, like);
    default: break;
  }
  const std::vector<IdxPair> pairs = IdxPairs(path);
  const IdxPair& pair = pairs[TrainPair(pairs)];
  return reel::Dataset::FromIdx(pair.images, pair.labels, {.classes = like ? like->classes : 0});
}

/// The other pair of an IDX folder with a pair to train on and one to test.
std::optional<reel::Dataset> OtherPair(const FitSettings& settings, const FitData& data) {
  if (data.kind != SourceKind::kIdx || settings.validation != FitSettings().validation) return {};
  const std::vector<IdxPair> pairs = IdxPairs(settings.data);
  if (pairs.size() != 2) return {};
  const IdxPair& pair = pairs[1 - TrainPair(pairs)];
  return reel::Dataset::FromIdx(pair.images, pair.labels, {.classes = data.classes});
}

void AddValidation(const FitSettings& settings, FitData* data) {
  double fraction = 0;
  if (const auto other = OtherPair(settings, *data)) {
    data->validation = other;
  } else if (!IsFraction(settings.validation, &fraction)) {
    const SourceKind kind = KindOf(settings.validation);
    if (kind != data->kind) {
      Fail(kInvalid, StrCat("--validation ", ir::QuotedPath(settings.validation), " is not of the kind of --data ",
                            ir::QuotedPath(settings.data)));
    }
    data->validation = OpenExamples(kind, settings.validation, settings, data);
    CheckLike(settings.validation, *data->validation, *data);
  } else if (fraction > 0) {
    if (data->train->size() < 2)
      Fail(kInvalid, StrCat(ir::QuotedPath(settings.data), ": one example cannot be split; give --validation 0"));
    const auto [train, validation] = data->train->Split(1 - fraction, settings.seed);
    data->train = train;
    data->validation = validation;
  }
}

}  // namespace

SourceKind KindOf(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    Fail(kIo, StrCat("cannot read ", ir::QuotedPath(path), ": ", std::strerror(errno)));
  if (!S_ISDIR(info.st_mode)) {
    for (const auto& [end, kind] : {std::pair(".csv", SourceKind::kTable),
                                    {kNpz.data(), SourceKind::kArrays},
                                    {".txt", SourceKind::kText},
                                    {".txt.gz", SourceKind::kText}}) {
      if (path.ends_with(end)) return kind;
    }
    Fail(kUsage, StrCat(ir::QuotedPath(path),
                        ": the name of data must end in .csv, .npz, .txt or .txt.gz, or be that of "
                        "a folder with images, IDX files or .npy files"));
  }
  const std::vector<std::string> names = NamesIn(path);
  if (names.empty()) {
    Fail(kInvalid, StrCat("the folder ", ir::QuotedPath(path),
                          " is empty; expected one folder of images for each class, IDX files, or .npy files"));
  }
  if (std::any_of(names.begin(), names.end(), [](const std::string& n) { return n.ends_with(kNpy); }))
    return SourceKind::kArrays;
  const bool idx = std::any_of(names.begin(), names.end(), [](const std::string& n) { return IsIdxOf(n, "images"); });
  return idx ? SourceKind::kIdx : SourceKind::kImages;
}

FitData OpenData(const FitSettings& settings) {
  const SourceKind kind = KindOf(settings.data);
  if (kind == SourceKind::kText) return OpenText(settings);
  FitData data{.kind = kind};
  data.train = OpenExamples(kind, settings.data, settings, nullptr);
  const std::vector<Spec> specs = data.train->specs();
  if (specs.size() < 2) Fail(kInvalid, StrCat(ir::QuotedPath(settings.data), " has no labels"));
  data.features = specs[0].type.shape;
  const bool classes = AreClasses(settings.data, settings, specs);
  data.prepare = Preparation(specs, classes);
  if (classes) data.class_names = data.train->class_names();
  data.classes = classes ? data.train->classes() : 0;
  if (classes && data.classes == 0) data.classes = CheckLabels(settings.data, data, *data.train, 0);
  const Shape& label = specs[1].type.shape;
  data.outputs = classes ? data.classes : label.rank() == 1 ? label.size() : static_cast<int64_t>(specs.size()) - 1;
  if (classes && data.classes < 2) {
    Fail(kInvalid, StrCat(ir::QuotedPath(settings.data),
                          ": all labels are the same class; expected two or more, or --task numbers"));
  }
  AddValidation(settings, &data);
  if (classes && kind == SourceKind::kArrays && data.validation)
    CheckLabels(settings.validation, data, *data.validation, data.classes);
  Measure(settings, &data);
  return data;
}

std::string FitData::Describe() const {
  const bool text = kind == SourceKind::kText;
  std::string out = StrCat(WithCommas(train->size()), text ? " windows of " : " examples ", features.ToString(),
                           text ? " characters" : "", " to train on");
  if (validation) StrAppend(&out, ", ", WithCommas(validation->size()), " to validate");
  StrAppend(&out, ", ", outputs,
            classes > 0   ? (text ? " characters" : " classes")
            : outputs > 1 ? " numbers"
                          : " number",
            classes > 0 ? "" : " to predict");
  return out;
}

}  // namespace reel::cli
