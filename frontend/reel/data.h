#ifndef REEL_DATA_H_
#define REEL_DATA_H_

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/budget.h"
#include "reel/random.h"
#include "reel/tensor.h"

// Data to train on: a pipeline of steps over a source, that an iterator goes through.
//
//   Dataset data = Dataset::FromCsv("iris.csv", {.labels = {"species"}});
//   for (const Example& batch : data.Shuffle(0).Batch(32).Prefetch(2)) step(batch[0], batch[1]);
//
// Every element is a function of the pipeline, its epoch and its position: the same bits on every machine, with and
// without prefetching, and after an iterator was restored from a checkpoint. Files are untrusted: what does not fit is
// an Error with the file and the line, row or name, and memory is taken only for what is there.

namespace reel {

namespace internal {
class DatasetNode;
struct DatasetIteratorData;
}  // namespace internal

/// An element of a dataset: a few tensors, in order, with names or without.
class Example {
 public:
  Example() = default;
  Example(Tensor tensor) : tensors_{std::move(tensor)} {}                                  // NOLINT: implicit
  Example(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}                   // NOLINT: implicit
  Example(std::initializer_list<Tensor> tensors) : tensors_(tensors.begin(), tensors.end()) {}
  /// Tensors with names; they must be distinct.
  static Example Named(const std::vector<std::pair<std::string, Tensor>>& tensors);

  size_t size() const { return tensors_.size(); }
  /// Tensor i, or the one of a name; an error says what there is.
  const Tensor& operator[](size_t i) const;
  const Tensor& operator[](std::string_view name) const;
  const Tensor& operator[](const char* name) const { return (*this)[std::string_view(name)]; }
  const Tensor& operator[](int i) const { return (*this)[static_cast<size_t>(i)]; }
  /// All of them, if there are N: `const auto [x, y] = batch.As<2>();`
  template <size_t N>
  std::array<Tensor, N> As() const {
    CheckSize(N);
    std::array<Tensor, N> out;
    for (size_t i = 0; i < N; ++i) out[i] = tensors_[i];
    return out;
  }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  /// Empty: the tensors have none.
  const std::vector<std::string>& names() const { return names_; }
  auto begin() const { return tensors_.begin(); }
  auto end() const { return tensors_.end(); }

 private:
  void CheckSize(size_t n) const;

  std::vector<Tensor> tensors_;
  std::vector<std::string> names_;
};

/// Tokens of a text: each character or byte has a number.
class Vocabulary {
 public:
  /// The 256 bytes, each its own number.
  static Vocabulary Bytes();
  /// The characters of a text in UTF-8, each once, in the order of their code points. Another encoding is an error with
  /// the offset of the byte.
  static Vocabulary OfCharacters(std::string_view text);
  /// A file that Save() has written.
  static Vocabulary Load(const std::string& path);
  /// Writes it as JSON, {"unit": "character", "symbols": ["\n", " ", "!", ...]}, whole or not at all.
  void Save(const std::string& path) const;

  int64_t size() const;
  /// The tokens of a text, i64[n]; a character that is not in it is an error with its offset.
  Tensor Encode(std::string_view text) const;
  /// The text of tokens of any shape and integer dtype; one out of range is an error. Bytes may be no UTF-8.
  std::string Decode(const Tensor& tokens) const;
  /// What each token stands for; of bytes the 256 strings of one byte.
  const std::vector<std::string>& symbols() const { return *symbols_; }
  bool bytes() const { return bytes_; }

 private:
  Vocabulary(std::vector<std::string> symbols, bool bytes);
  std::shared_ptr<const std::vector<std::string>> symbols_;
  bool bytes_;
};

/// How a column of labels is read.
enum class LabelKind {
  kAuto,  ///< whole numbers and text are classes, other numbers are numbers
  kClasses,  ///< i64 numbers of classes: whole numbers as they are, text by its place among the sorted class names
  kNumbers,  ///< what is to be predicted is a number of CsvOptions::dtype
};

/// Options of Dataset::FromCsv.
struct CsvOptions {
  /// Columns that are labels, each a tensor of its own behind the features. Names of the header; without one, and for
  /// columns of any file, "0", "1", ..., and "-1" for the last.
  std::vector<std::string> labels = {};
  std::vector<std::string> columns = {};  ///< that are features; empty: all that are no labels
  LabelKind label_kind = LabelKind::kAuto;
  /// What text in the first label column may be, and its order: those of the file that was trained on. Empty: all that
  /// occurs, sorted.
  std::vector<std::string> class_names = {};
  int64_t classes = 0;  ///< labels must be below it; 0: any
  DType dtype = kFloat32;  ///< of features and of labels that are numbers: kFloat32 or kFloat64
  char delimiter = ',';
  bool header = true;  ///< the first line has the names of the columns
  std::optional<double> missing = {};  ///< the value of an empty cell, such as NaN; else it is an error
  Budget budget = {};
};

/// Options of Dataset::FromNpz.
struct NpzOptions {
  std::vector<std::string> names = {};  ///< of the arrays to take, in order; empty: all of the file
  Budget budget = {};
};

/// Options of Dataset::FromIdx.
struct IdxOptions {
  /// Of the images: kFloat32 divides bytes by 255, kUInt8 leaves them.
  DType dtype = kFloat32;
  int64_t classes = 0;  ///< labels must be below it; 0: any
  Budget budget = {};
};

/// Options of Dataset::FromImageFolder.
struct ImageFolderOptions {
  int64_t height = 0, width = 0;  ///< 0: as the first image has it
  int64_t channels = 0;  ///< 1 (gray) or 3 (RGB), to which images are converted; 0: as the first image has it
  bool resize = false;  ///< bilinear; else an image of another size is an error
  /// kFloat32 divides bytes by 255, kUInt8 leaves them.
  DType dtype = kFloat32;
  std::vector<std::string> class_names = {};  ///< the folders to take, in order; empty: all, sorted
  Budget budget = {};
};

/// What a token is.
enum class TextUnit {
  kCharacters,  ///< of UTF-8
  kBytes,
};

/// Options of Dataset::FromText.
struct TextOptions {
  int64_t length = 64;  ///< tokens in a window
  int64_t stride = 0;  ///< from the start of one window to that of the next; 0: length
  TextUnit unit = TextUnit::kCharacters;
  std::optional<Vocabulary> vocabulary = {};  ///< that of the text trained on; without: that of this text
  Budget budget = {};
};

class DatasetIterator;

/// A source of examples and steps over them: an immutable value, cheap to copy. Each step makes another dataset and
/// leaves this one as it is.
class Dataset {
 public:
  /// Row i of every tensor is example i; first extents must be equal. Nothing is copied.
  static Dataset FromArrays(const Example& arrays);
  /// A table: {features [columns], label, ...} for each line, by RFC 4180; without labels the features alone. All cells
  /// are read now. Ragged lines and cells that are no numbers are errors with file, line and column.
  static Dataset FromCsv(const std::string& path, const CsvOptions& options = {});
  /// NumPy's archive of arrays with equal first extents: examples have its names.
  static Dataset FromNpz(const std::string& path, const NpzOptions& options = {});
  /// NumPy's files, one for each array, with equal first extents; examples have these names, if any. Files are mapped,
  /// and rows read when they are asked for: data may be larger than memory, and each of several processes reads its own
  /// rows. (Of bools all are read, to be checked.) The files must not change meanwhile.
  static Dataset FromNpy(const std::vector<std::string>& paths, const std::vector<std::string>& names = {});
  /// The format of MNIST, gzipped or not: {image, label i64} for each; without a path of labels the images alone.
  static Dataset FromIdx(const std::string& images, const std::string& labels = "", const IdxOptions& options = {});
  /// One folder for each class with PNG and JPEG files (.png, .jpg, .jpeg): {image [height, width, channels], label
  /// i64}. Classes and files are in the order of their names. Files are read when their image is asked for.
  static Dataset FromImageFolder(const std::string& path, const ImageFolderOptions& options = {});
  /// Windows of a text, gzipped or not, each with the tokens that follow: {tokens i64[length], next i64[length]}.
  static Dataset FromText(const std::string& path, const TextOptions& options = {});
  /// The numbers 0, ..., n - 1 (i64): Map() makes of them what a function of the index gives.
  static Dataset Range(int64_t n);

  /// Another order of all examples for each epoch, by Fisher and Yates with Philox bits: that of epoch e is drawn with
  /// the key Generator(seed).Split(e + 1)[e].
  Dataset Shuffle(int64_t seed) const;
  /// n examples as one, with a new first axis. The last batch, if smaller, is left out, or not: then its first extent
  /// is what is left.
  Dataset Batch(int64_t n, bool drop_remainder = true) const;
  /// Right behind Batch(n): of each batch the rows of process `rank` of `size`, [rank * n / size, (rank + 1) * n /
  /// size), and no others are read. Together the processes see the batches that one alone sees, in the same order; a
  /// place in a checkpoint is that of the batch, whatever rank and size are.
  Dataset Shard(int64_t rank, int64_t size) const;
  /// The examples of so many epochs; without a number for ever.
  Dataset Repeat(std::optional<int64_t> epochs = std::nullopt) const;
  /// f of each example; it runs outside of tapes and recordings.
  Dataset Map(std::function<Example(const Example&)> f) const;
  /// f of each example and a generator whose draws depend on the seed, the epoch and the position alone.
  Dataset Map(std::function<Example(const Example&, const Generator&)> f, int64_t seed) const;
  /// The first n examples, or all if there are fewer.
  Dataset Take(int64_t n) const;
  /// All but the first n examples.
  Dataset Skip(int64_t n) const;
  /// Two datasets: about this fraction of the examples, at least one in each. Which is drawn with the seed; the order
  /// stays. Without a seed, the first and the rest: so must what overlaps (windows of a text) be split.
  std::pair<Dataset, Dataset> Split(double fraction, std::optional<int64_t> seed = 0) const;
  /// A thread has the next n examples of the whole pipeline ready. Its errors arrive at the iterator, in order.
  Dataset Prefetch(int64_t n = 2) const;

  /// Number of examples of an epoch; -1: for ever.
  int64_t size() const;
  /// Types of an example, with its names; a batch that may be smaller has Dim("batch", 1, n) in front. Behind a Map()
  /// these are the types of the first example.
  std::vector<Spec> specs() const;
  /// Of label i of a source of classes: how many there are (the largest + 1 if they are numbers), else 0.
  int64_t classes(size_t label = 0) const;
  /// Of label i of a source whose classes have names, else empty.
  std::vector<std::string> class_names(size_t label = 0) const;
  /// Of a table: the names of the features.
  std::vector<std::string> columns() const;
  /// Of a text.
  std::optional<Vocabulary> vocabulary() const;
  /// Example i of epoch 0; negative i counts from the end. To look at: iterators do not notice.
  Example At(int64_t i) const;
  /// csv("iris.csv").shuffle(0).batch(32)
  std::string str() const;

  /// Goes through one epoch. The k-th iterator of a dataset (of its copies too) is at epoch k, from 0.
  DatasetIterator Iterate() const;
  /// Goes through this epoch.
  DatasetIterator Iterate(int64_t epoch) const;
  /// Iterate(), for range-for.
  class Iteration;
  Iteration begin() const;
  std::default_sentinel_t end() const { return {}; }

  explicit Dataset(std::shared_ptr<const internal::DatasetNode> node) : node_(std::move(node)) {}
  const std::shared_ptr<const internal::DatasetNode>& internal_data() const { return node_; }

 private:
  std::shared_ptr<const internal::DatasetNode> node_;
};

/// A place in a dataset, as a shared handle. It can be a part of a Checkpoint (or of any StateRef): restored, it goes
/// on with the example that would have been next; examples prefetched and not yet taken do not count. Threads may share
/// it: each example goes to one of them.
class DatasetIterator {
 public:
  /// The next example; nothing at the end. What a step throws arrives here, and the example counts as taken.
  std::optional<Example> Next() const;
  int64_t epoch() const;
  /// How many examples were taken.
  int64_t position() const;
  /// Goes on there: position from 0 to the size of the dataset.
  void Seek(int64_t epoch, int64_t position) const;
  /// The dataset it goes through.
  Dataset dataset() const;
  /// What is left, for range-for.
  Dataset::Iteration begin() const;
  std::default_sentinel_t end() const { return {}; }

  explicit DatasetIterator(std::shared_ptr<internal::DatasetIteratorData> data) : data_(std::move(data)) {}
  const std::shared_ptr<internal::DatasetIteratorData>& internal_data() const { return data_; }

 private:
  std::shared_ptr<internal::DatasetIteratorData> data_;
};

/// What range-for walks with.
class Dataset::Iteration {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Example;
  using difference_type = std::ptrdiff_t;
  using pointer = const Example*;
  using reference = const Example&;

  explicit Iteration(DatasetIterator source) : source_(std::move(source)), example_(source_.Next()) {}
  reference operator*() const { return *example_; }
  pointer operator->() const { return &*example_; }
  Iteration& operator++() {
    example_ = source_.Next();
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const { return !example_.has_value(); }

 private:
  DatasetIterator source_;
  std::optional<Example> example_;
};

inline Dataset::Iteration Dataset::begin() const { return Iteration(Iterate()); }
inline Dataset::Iteration DatasetIterator::begin() const { return Dataset::Iteration(*this); }

}  // namespace reel

#endif  // REEL_DATA_H_
