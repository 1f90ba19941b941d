#include "frontend/cli/train/data.h"

#include <sys/stat.h>

#include <cstring>
#include <set>

#include "frontend/cli/cli.h"
#include "frontend/data/node.h"
#include "ir/names.h"
#include "runtime/philox.h"

namespace reel::cli {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 30;
constexpr int64_t kSplitKey = 20240607;

// The content of PATH.gz, or of PATH if only that exists.
std::string ReadZipped(const std::string& path) {
  struct stat info;
  std::string name = path + ".gz";
  if (::stat(name.c_str(), &info) != 0) name = path;
  auto data = internal::ReadData(name, {.max_bytes = kMaxBytes});
  if (data.ok()) return *std::move(data);
  const bool missing = absl::IsNotFound(data.status());
  const ExitStatus code = missing || absl::IsUnavailable(data.status()) || absl::IsPermissionDenied(data.status()) ? kIo
                          : absl::IsResourceExhausted(data.status()) ? kBudget
                                                                     : kInvalid;
  Fail(code, StrCat(data.status().message(), missing ? "; say where the data is with --demo-data tests/data" : ""));
}

// The bytes of an IDX file of this shape.
std::string ReadIdx(const std::string& path, const std::vector<int64_t>& shape) {
  auto array = internal::ParseIdx(ReadZipped(path), path, {});
  if (!array.ok()) Fail(kInvalid, std::string(array.status().message()));
  if (array->shape != shape)
    Fail(kInvalid, StrCat(ir::Quoted(path), ": not the IDX file that tests/data/README.md describes"));
  return array->data.substr(array->offset);
}

// A number in [0, n).
uint64_t Below(uint32_t bits, int64_t n) { return (uint64_t{bits} * static_cast<uint64_t>(n)) >> 32; }

template <typename T>
void StoreRow(const std::vector<T>& row, int64_t i, Dataset* out) {
  static_assert(sizeof(T) == 4);
  std::memcpy(out->rows.data() + static_cast<size_t>(i) * row.size() * 4, row.data(), row.size() * 4);
}

}  // namespace

std::vector<int32_t> Shuffled(int64_t n, int64_t key) {
  const std::vector<int64_t> order = internal::Permutation(n, key);
  return {order.begin(), order.end()};
}

Dataset ReadMnist(const std::string& folder) {
  constexpr int64_t kImages = 10000, kSide = 28;
  const std::string images = ReadIdx(folder + "/mnist/t10k-images-idx3-ubyte", {kImages, kSide, kSide});
  const std::string labels = ReadIdx(folder + "/mnist/t10k-labels-idx1-ubyte", {kImages});
  Dataset out{kFloat32, kSide * kSide, 10, 8000, 2000, {}, {}};
  out.rows.resize(static_cast<size_t>(kImages * kSide * kSide * 4));
  std::vector<float> row(kSide * kSide);
  int64_t n = 0;
  for (const int32_t i : Shuffled(kImages, kSplitKey)) {
    const char* pixels = images.data() + static_cast<size_t>(i) * row.size();
    for (size_t j = 0; j < row.size(); ++j) row[j] = static_cast<float>(static_cast<uint8_t>(pixels[j])) / 255.0f;
    StoreRow(row, n++, &out);
    const int32_t label = labels[static_cast<size_t>(i)];
    if (label < 0 || label >= out.classes) Fail(kInvalid, StrCat("label ", label, " is not a digit"));
    out.labels.push_back(label);
  }
  return out;
}

Dataset ReadCharacters(const std::string& folder, int64_t window, int64_t num_train, int64_t num_test) {
  const std::string text = ReadZipped(folder + "/tinyshakespeare.txt");
  const auto size = static_cast<int64_t>(text.size());
  if (size < 100 * window) Fail(kInvalid, "tinyshakespeare.txt is too short");
  const std::set<char> alphabet(text.begin(), text.end());
  int32_t code[256] = {};
  int32_t classes = 0;
  for (const char c : alphabet) code[static_cast<unsigned char>(c)] = classes++;
  Dataset out{kInt32, window, classes, num_train, num_test, {}, {}};
  const int64_t n = num_train + num_test;
  out.rows.resize(static_cast<size_t>(n * window * 4));
  std::vector<uint32_t> bits(static_cast<size_t>(n));
  runtime::RandomBits(kSplitKey, 0, 0, bits);
  std::vector<int32_t> row(static_cast<size_t>(window));
  const int64_t split = size / 10 * 9;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t first = i < num_train ? 0 : split, last = (i < num_train ? split : size) - window;
    const char* at = text.data() + first + Below(bits[static_cast<size_t>(i)], last - first);
    for (int64_t j = 0; j < window; ++j) row[static_cast<size_t>(j)] = code[static_cast<unsigned char>(at[j])];
    StoreRow(row, i, &out);
    out.labels.push_back(code[static_cast<unsigned char>(at[window])]);
  }
  return out;
}

}  // namespace reel::cli
