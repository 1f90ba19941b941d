#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "frontend/keep/formats.h"
#include "ir/file/safetensors.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::internal {
namespace {

using ir::Quoted;

constexpr size_t kLengthBytes = 8;
constexpr std::string_view kChecksum = "crc32/";  // of the entry of the name that follows, in the metadata

/// The dtype of the format's name.
std::optional<DType> DTypeNamed(std::string_view name) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!name.empty() && ir::SafetensorsName(dtype) == name) return dtype;
  }
  return {};
}

/// What the header says of a tensor.
struct Entry {
  std::string name;
  std::optional<DType> dtype;
  std::optional<Shape> shape;
  std::optional<std::pair<uint64_t, uint64_t>> place;  // of its bytes behind the header
};

/// Takes {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...} as the parser reads it, and stops at
/// the first thing that has no place there: nothing nests deeper than that.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
  std::string error;

  bool start_object(size_t) override {
    if (in_list_ || depth_ == 2 || (depth_ == 1 && !has_key_)) return Unexpected("an object");
    ++depth_;
    return true;
  }
  bool key(string_t& key) override {
    has_key_ = true;
    if (depth_ == 2) {
      key_ = key;
      return in_metadata_ || Known(key);
    }
    if (!names_.insert(key).second) return Fail(StrCat("two entries are called ", Quoted(key)));
    in_metadata_ = key == ir::kSafetensorsMetadata;
    if (!in_metadata_) entries.push_back({key, {}, {}, {}});
    return true;
  }
  bool end_object() override {
    if (depth_-- == 1 || in_metadata_) return true;
    const Entry& e = entries.back();
    const bool whole = e.dtype && e.shape && e.place;
    return whole || Fail(StrCat("entry ", Quoted(e.name), ": dtype, shape or data_offsets is missing"));
  }
  bool string(string_t& text) override {
    if (depth_ != 2 || in_list_) return Unexpected("a string");
    if (in_metadata_)
      return metadata.emplace(key_, text).second || Fail(StrCat("metadata has ", Quoted(key_), " twice"));
    if (key_ != "dtype") return Unexpected("a string");
    entries.back().dtype = DTypeNamed(text);
    return entries.back().dtype || FailEntry(StrCat("dtype ", Quoted(text), " is none that Reel has"));
  }
  bool start_array(size_t) override {
    if (depth_ != 2 || in_list_ || in_metadata_ || key_ == "dtype") return Unexpected("a list");
    in_list_ = true;
    numbers_.clear();
    return true;
  }
  bool number_unsigned(uint64_t value) override {
    if (!in_list_) return Unexpected("a number");
    if (numbers_.size() == kMaxRank) return FailEntry(StrCat("it has more than ", kMaxRank, " axes"));
    numbers_.push_back(value);
    return true;
  }
  bool end_array() override {
    in_list_ = false;
    Entry& e = entries.back();
    if (key_ == "data_offsets") {
      if (numbers_.size() != 2) return FailEntry("data_offsets are not two numbers");
      e.place = {numbers_[0], numbers_[1]};
      return true;
    }
    Shape shape;
    for (const uint64_t n : numbers_) {
      if (n > (uint64_t{1} << 62)) return FailEntry("an extent is too large");
      shape.push_back(static_cast<int64_t>(n));
    }
    e.shape = shape;
    return true;
  }
  bool null() override { return Unexpected("null"); }
  bool boolean(bool) override { return Unexpected("a boolean"); }
  bool number_integer(int64_t) override { return FailEntry("a number is negative"); }
  bool number_float(double, const string_t&) override { return Unexpected("a fraction"); }
  bool binary(binary_t&) override { return Unexpected("binary data"); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return Fail(StrCat("the header is no JSON at byte ", position));
  }

 private:
  bool Fail(std::string text) {
    error = std::move(text);
    return false;
  }
  bool FailEntry(const std::string& text) {
    if (entries.empty() || depth_ < 2) return Fail(text);
    return Fail(StrCat("entry ", Quoted(entries.back().name), ": ", text));
  }
  bool Unexpected(const char* what) {
    if (depth_ == 0) return Fail("the header is not a JSON object");
    if (in_metadata_) return Fail(StrCat("metadata: there is ", what, ", all must be strings"));
    return Fail(StrCat("entry ", Quoted(entries.empty() ? "" : entries.back().name), ": unexpected ", what));
  }
  bool Known(const std::string& key) {
    const Entry& e = entries.back();
    const bool dtype = key == "dtype", shape = key == "shape", place = key == "data_offsets";
    if (!dtype && !shape && !place) return FailEntry(StrCat("key ", Quoted(key), " is unknown"));
    if ((dtype && e.dtype) || (shape && e.shape) || (place && e.place)) return FailEntry(StrCat(key, " comes twice"));
    return true;
  }

  int depth_ = 0;
  bool in_list_ = false, in_metadata_ = false, has_key_ = false;
  std::string key_;
  std::vector<uint64_t> numbers_;
  std::set<std::string> names_;
};

absl::Status DamagedSafetensors(const std::string& what) {
  return absl::DataLossError(StrCat("damaged safetensors: ", what));
}

/// That places are what dtypes and shapes need, and lie one after the other from the first byte to the last.
absl::Status CheckPlaces(const std::vector<Entry>& entries, uint64_t size) {
  std::vector<const Entry*> sorted;
  for (const Entry& e : entries) {
    const auto [begin, end] = *e.place;
    if (begin > end || end > size) {
      return DamagedSafetensors(StrCat("entry ", Quoted(e.name), ": bytes ", begin, " to ", end, " of ", size));
    }
    if (!FitsInMemory(*e.shape) || static_cast<uint64_t>(Type{*e.dtype, *e.shape}.bytes()) != end - begin) {
      return DamagedSafetensors(
          StrCat("entry ", Quoted(e.name), ": ", Type{*e.dtype, *e.shape}.ToString(), " in ", end - begin, " bytes"));
    }
    sorted.push_back(&e);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) { return *a->place < *b->place; });
  uint64_t at = 0;
  for (const Entry* e : sorted) {
    if (e->place->first != at) {
      return DamagedSafetensors(
          StrCat("entry ", Quoted(e->name), " begins at byte ", e->place->first, ", what is before it ends at ", at));
    }
    at = e->place->second;
  }
  if (at != size) return DamagedSafetensors(StrCat(size - at, " bytes follow the last entry"));
  return absl::OkStatus();
}

std::string ChecksumOf(std::string_view bytes) {
  char text[16];
  std::snprintf(text, sizeof text, "%08lx", ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  return text;
}

std::string_view BytesOf(const Entry& e, std::string_view data) {
  return data.substr(e.place->first, e.place->second - e.place->first);
}

std::string_view BytesOf(const Tensor& value) {
  return {static_cast<const char*>(value.raw_data()), static_cast<size_t>(value.type().bytes())};
}

/// A file has checksums of all of its entries or of none.
absl::Status CheckChecksums(const HeaderHandler& header, std::string_view data) {
  std::map<std::string_view, std::string_view> sums;
  for (const auto& [key, sum] : header.metadata) {
    if (key.starts_with(kChecksum)) sums.emplace(std::string_view(key).substr(kChecksum.size()), sum);
  }
  if (sums.empty()) return absl::OkStatus();
  for (const Entry& e : header.entries) {
    const auto sum = sums.find(e.name);
    if (sum == sums.end()) return DamagedSafetensors(StrCat("entry ", Quoted(e.name), " has no checksum, others have"));
    if (ChecksumOf(BytesOf(e, data)) != sum->second)
      return DamagedSafetensors(StrCat("entry ", Quoted(e.name), ": its elements do not have its checksum"));
    sums.erase(sum);
  }
  if (sums.empty()) return absl::OkStatus();
  return DamagedSafetensors(StrCat("there is a checksum of ", Quoted(sums.begin()->first), ", which is no entry"));
}

bool IsBools(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0 || c == 1; });
}

}  // namespace

absl::StatusOr<WeightsFile> ParseSafetensors(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) return DamagedSafetensors("it is shorter than the length of its header");
  uint64_t length;
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > bytes.size() - kLengthBytes || length > ir::kMaxSafetensorsHeader)
    return DamagedSafetensors(StrCat("a header of ", length, " bytes in a file of ", bytes.size()));
  const std::string_view header = bytes.substr(kLengthBytes, length), data = bytes.substr(kLengthBytes + length);
  if (!header.starts_with('{')) return DamagedSafetensors("the header is not a JSON object that begins at once");
  if (const size_t at = header.find('\0'); at != header.npos)  // where the parser would see an end
    return DamagedSafetensors(StrCat("the header is no JSON at byte ", at + 1));
  HeaderHandler handler;
  if (!nlohmann::json::sax_parse(header.begin(), header.end(), &handler)) return DamagedSafetensors(handler.error);
  if (absl::Status s = CheckPlaces(handler.entries, data.size()); !s.ok()) return s;
  if (absl::Status s = CheckChecksums(handler, data); !s.ok()) return s;
  WeightsFile out;
  for (const Entry& e : handler.entries) {
    const std::string_view own = BytesOf(e, data);
    if (*e.dtype == kBool && !IsBools(own))
      return DamagedSafetensors(StrCat("entry ", Quoted(e.name), ": a bool is neither 0 nor 1"));
    out.values.emplace_back(e.name, Tensor::FromBytes(*e.dtype, *e.shape, own.data()));
  }
  out.metadata = std::move(handler.metadata);
  return out;
}

absl::Status WriteSafetensors(const WeightsFile& file, ir::FileWriter* out) {
  std::vector<ir::SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata = file.metadata;
  for (const auto& [name, value] : file.values) {
    entries.push_back({name, value.type()});
    if (file.checksums) metadata[StrCat(kChecksum, name)] = ChecksumOf(BytesOf(value));
  }
  const auto layout = ir::LayOutSafetensors(entries, metadata);
  if (!layout.ok()) return layout.status();
  if (absl::Status s = out->Append(layout->head); !s.ok()) return s;
  for (const size_t i : layout->order) {
    if (absl::Status s = out->Append(BytesOf(file.values[i].second)); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace reel::internal
