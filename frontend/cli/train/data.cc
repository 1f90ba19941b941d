#include "frontend/cli/train/data.h"

#include <sys/stat.h>
#include <zlib.h>

#include <cstring>
#include <memory>
#include <set>

#include "frontend/cli/cli.h"
#include "ir/names.h"
#include "runtime/philox.h"

namespace reel::cli {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 30;
constexpr int64_t kSplitKey = 20240607;

// The content of PATH.gz, or of PATH if only that exists. zlib reads both.
std::string ReadZipped(const std::string& path) {
  struct stat info;
  std::string name = path + ".gz";
  if (::stat(name.c_str(), &info) != 0) name = path;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(name.c_str(), "rb"), ::gzclose);
  if (!file) {
    Fail(kIo, StrCat("cannot open ", ir::Quoted(path + ".gz"), "; say where the data is with --data tests/data"));
  }
  std::string data;
  char buffer[1 << 16];
  int n = 0;
  while ((n = ::gzread(file.get(), buffer, sizeof buffer)) > 0) {
    data.append(buffer, static_cast<size_t>(n));
    if (static_cast<int64_t>(data.size()) > kMaxBytes) Fail(kBudget, StrCat(ir::Quoted(name), " is over 1 GiB"));
  }
  int error = 0;
  const char* message = ::gzerror(file.get(), &error);
  if (n < 0 || error != Z_OK) Fail(kInvalid, StrCat(ir::Quoted(name), ": ", message));
  return data;
}

uint32_t BigEndian(const std::string& data, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(data[at + i]);
  return value;
}

// The bytes of an IDX file of this shape.
std::string ReadIdx(const std::string& path, const std::vector<uint32_t>& shape) {
  const std::string data = ReadZipped(path);
  const size_t header = 4 + 4 * shape.size();
  size_t bytes = 1;
  bool good = data.size() >= header && BigEndian(data, 0) == 0x800 + shape.size();
  for (size_t i = 0; good && i < shape.size(); ++i) {
    good = BigEndian(data, 4 + 4 * i) == shape[i];
    bytes *= shape[i];
  }
  if (!good || data.size() != header + bytes) {
    Fail(kInvalid, StrCat(ir::Quoted(path), ": not the IDX file that tests/data/README.md describes"));
  }
  return data.substr(header);
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
  std::vector<int32_t> order(static_cast<size_t>(n));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  std::vector<uint32_t> bits(order.size());
  runtime::RandomBits(key, 0, 0, bits);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[Below(bits[i - 1], static_cast<int64_t>(i))]);
  }
  return order;
}

Dataset ReadMnist(const std::string& folder) {
  constexpr uint32_t kImages = 10000, kSide = 28;
  const std::string images = ReadIdx(folder + "/mnist/t10k-images-idx3-ubyte", {kImages, kSide, kSide});
  const std::string labels = ReadIdx(folder + "/mnist/t10k-labels-idx1-ubyte", {kImages});
  Dataset out{kFloat32, kSide * kSide, 10, 8000, 2000, {}, {}};
  out.rows.resize(size_t{kImages} * kSide * kSide * 4);
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
