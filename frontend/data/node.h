#ifndef REEL_FRONTEND_DATA_NODE_H_
#define REEL_FRONTEND_DATA_NODE_H_

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/hash_map.h"
#include "reel/data.h"
#include "runtime/buffer.h"

// What a Dataset is made of: a chain of nodes, each of which can say what example i of an epoch is.

namespace reel::internal {

/// The size of what never ends.
inline constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

/// A failure within a step, thrown on any thread. Where the iterator is asked, it becomes an Error with the user's
/// line.
struct FetchError {
  absl::Status status;
};

/// The value, or its status thrown as a FetchError.
template <typename T>
T Fetched(absl::StatusOr<T> value) {
  if (!value.ok()) throw FetchError{value.status()};
  return *std::move(value);
}

/// What steps pass on from the source.
struct SourceInfo {
  struct Label {
    int64_t classes = 0;
    std::vector<std::string> names = {};
  };
  std::vector<Label> labels = {};
  std::vector<std::string> columns = {};
  std::optional<Vocabulary> vocabulary = {};
};
using SourceInfoPtr = std::shared_ptr<const SourceInfo>;

/// What one reader of a pipeline remembers: the order of the last epoch of each shuffle.
class FetchMemory {
 public:
  /// The permutation of `n` for this shuffle.
  const std::vector<int64_t>& Order(const DatasetNode* shuffle, int64_t n, int64_t seed, int64_t epoch);

 private:
  struct Entry {
    int64_t epoch = -1;
    std::vector<int64_t> order = {};
  };
  HashMap<const DatasetNode*, Entry> entries_;
};

/// A source or a step. Immutable: threads share it.
class DatasetNode {
 public:
  DatasetNode(int64_t size, SourceInfoPtr info) : size_(size), info_(std::move(info)) {}
  virtual ~DatasetNode() = default;

  /// The examples of these indices of an epoch: stacked along a new first axis if `batched`, else the only one.
  virtual Example Fetch(int64_t epoch, std::span<const int64_t> indices, bool batched, FetchMemory* memory) const = 0;
  /// Types of an example.
  virtual std::vector<Spec> Specs() const = 0;
  /// As Dataset::str().
  virtual std::string Text() const = 0;
  /// What an iterator's place is a place in: Text() without paths and without what changes no example.
  virtual std::string Identity() const = 0;
  /// Examples that a thread keeps ready; 0: no thread.
  virtual int64_t prefetch() const { return 0; }

  int64_t size() const { return size_; }
  const SourceInfoPtr& info() const { return info_; }
  /// The epoch of the next iterator.
  std::atomic<int64_t>& next_epoch() const { return next_epoch_; }

 private:
  const int64_t size_;
  const SourceInfoPtr info_;
  mutable std::atomic<int64_t> next_epoch_ = 0;
};
using NodePtr = std::shared_ptr<const DatasetNode>;

/// 0, ..., n - 1 in an order that depends on the key alone: Fisher and Yates with 64 Philox bits for each.
std::vector<int64_t> Permutation(int64_t n, int64_t key);
/// Generator(seed).Split(i + 1)[i]
int64_t SplitKey(int64_t seed, int64_t i);

/// A tensor to be filled: of the row's type, with n of them in front if `batched`.
struct NewRows {
  NewRows(const Type& row, size_t n, bool batched);
  std::byte* row(size_t i) const { return static_cast<std::byte*>(buffer.data()) + i * row_bytes; }
  Tensor Done();

  Type type;
  size_t row_bytes;
  runtime::Buffer buffer;
};

/// Copies of `n` elements of type u8, divided by 255.
void ToUnitFloats(const std::byte* bytes, size_t n, float* out);

/// The examples as one, along a new axis; `what` begins errors.
Example Stack(std::span<const Example> examples, std::string_view what);
/// Batches as one, along the first axis they have.
Example Concat(std::span<const Example> batches);

/// Rows of tensors with equal first extents, whose names may be empty. Bytes become floats where `unit` says so.
struct RowsField {
  Tensor rows;
  bool unit_floats = false;
};
Dataset MakeRows(std::string text, std::vector<RowsField> fields, std::vector<std::string> names, SourceInfo info);

/// The bytes of a file, unpacked if it is gzipped, within the budget.
absl::StatusOr<std::string> ReadData(const std::string& path, const Budget& budget);
/// "call("file name")", for Text().
std::string SourceText(std::string_view call, const std::string& path);

/// The offset of the first byte that is no UTF-8; npos: it is all well.
size_t FindNonUtf8(std::string_view text);

/// What an IDX file holds.
struct IdxArray {
  std::vector<int64_t> shape;
  std::string data;  // behind `offset`
  size_t offset = 0;
};
/// Unsigned bytes in the format of MNIST; `path` is for errors.
absl::StatusOr<IdxArray> ParseIdx(std::string bytes, const std::string& path, const Budget& budget);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_DATA_NODE_H_
