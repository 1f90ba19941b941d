#include "frontend/tensorflow/table.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/file/crc32c.h"

namespace reel::tensorflow {
namespace {

constexpr size_t kBlockBytes = 4096;    // a block ends when it has that many
constexpr size_t kRestartInterval = 16;  // keys from one that is whole to the next
constexpr size_t kHandleBytes = 20;     // of a footer: the room for two varints of 64 bits
constexpr uint64_t kMagic = 0xDB4775248B80FB57;

template <typename T>
void AppendFixed(std::string* out, T number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out->append(bytes, sizeof bytes);
}

class Block {
 public:
  explicit Block(size_t restart_interval) : restart_interval_(restart_interval) {}

  void Add(std::string_view key, std::string_view value) {
    size_t shared = 0;
    if (count_++ % restart_interval_ == 0) {
      restarts_.push_back(static_cast<uint32_t>(bytes_.size()));
    } else {
      const auto end = std::mismatch(key.begin(), key.end(), last_.begin(), last_.end()).first;
      shared = static_cast<size_t>(end - key.begin());
    }
    AppendVarint(&bytes_, shared);
    AppendVarint(&bytes_, key.size() - shared);
    AppendVarint(&bytes_, value.size());
    bytes_.append(key.substr(shared)).append(value);
    last_ = key;
  }
  bool empty() const { return count_ == 0; }
  bool full() const { return bytes_.size() >= kBlockBytes; }
  const std::string& last_key() const { return last_; }

  /// Appends the block; gives where it is.
  std::string AppendTo(std::string* out) {
    if (restarts_.empty()) restarts_.push_back(0);
    for (const uint32_t at : restarts_) AppendFixed(&bytes_, at);
    AppendFixed(&bytes_, static_cast<uint32_t>(restarts_.size()));
    std::string handle;
    AppendVarint(&handle, out->size());
    AppendVarint(&handle, bytes_.size());
    bytes_.push_back(0);  // not compressed
    out->append(bytes_);
    AppendFixed(out, ir::MaskedCrc32c(ir::Crc32c(bytes_)));
    return handle;
  }

 private:
  size_t restart_interval_;
  size_t count_ = 0;
  std::string bytes_, last_;
  std::vector<uint32_t> restarts_;
};

}  // namespace

void AppendVarint(std::string* out, uint64_t number) {
  for (; number >= 128; number >>= 7) out->push_back(static_cast<char>((number & 127) | 128));
  out->push_back(static_cast<char>(number));
}

std::string WriteTable(const std::map<std::string, std::string>& entries) {
  std::string out;
  Block index(1), block(kRestartInterval);
  const auto finish = [&] {
    const std::string last = block.last_key();
    index.Add(last, std::exchange(block, Block(kRestartInterval)).AppendTo(&out));
  };
  for (const auto& [key, value] : entries) {
    block.Add(key, value);
    if (block.full()) finish();
  }
  if (!block.empty()) finish();
  std::string footer = Block(kRestartInterval).AppendTo(&out);  // of filters: there are none
  footer += index.AppendTo(&out);
  footer.resize(2 * kHandleBytes);
  AppendFixed(&footer, kMagic);
  return out + footer;
}

}  // namespace reel::tensorflow
