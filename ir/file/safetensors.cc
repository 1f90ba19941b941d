#include "ir/file/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "ir/names.h"
#include "ir/printable.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

constexpr size_t kAlignment = 8;

absl::Status CheckEntry(const SafetensorsEntry& e) {
  if (!IsValidName(e.name) || e.name == kSafetensorsMetadata)
    return absl::InvalidArgumentError(StrCat("variable ", Quoted(e.name), ": safetensors has no such names"));
  if (!SafetensorsName(e.type.dtype).empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("variable ", Quoted(e.name), ": safetensors has no ", Name(e.type.dtype),
                                           "; write a .npz file, or its parts"));
}

void AppendEntry(const SafetensorsEntry& e, int64_t begin, std::string* header) {
  StrAppend(header, header->size() > 1 ? "," : "", JsonQuoted(e.name), ":{\"dtype\":\"", SafetensorsName(e.type.dtype),
            "\",\"shape\":[");
  for (int i = 0; i < e.type.shape.rank(); ++i) StrAppend(header, i == 0 ? "" : ",", e.type.shape[i].value());
  StrAppend(header, "],\"data_offsets\":[", begin, ",", begin + e.type.bytes(), "]}");
}

}  // namespace

std::string_view SafetensorsName(DType dtype) {
  static constexpr std::string_view kNames[kNumDTypes] = {"BOOL", "I8",  "I16",  "I32", "I64", "U8",  "U16", "U32",
                                                          "U64",  "F16", "BF16", "F32", "F64", "C64", ""};
  return kNames[static_cast<size_t>(dtype)];
}

absl::StatusOr<SafetensorsLayout> LayOutSafetensors(const std::vector<SafetensorsEntry>& entries,
                                                    const std::map<std::string, std::string>& metadata) {
  SafetensorsLayout out;
  out.order.resize(entries.size());
  std::iota(out.order.begin(), out.order.end(), size_t{0});
  std::stable_sort(out.order.begin(), out.order.end(),
                   [&](size_t a, size_t b) { return SizeOf(entries[a].type.dtype) > SizeOf(entries[b].type.dtype); });
  out.begins.resize(entries.size());
  for (const size_t i : out.order) {
    if (absl::Status s = CheckEntry(entries[i]); !s.ok()) return s;
    out.begins[i] = out.bytes;
    out.bytes += entries[i].type.bytes();
  }
  std::string header = "{";
  for (const auto& [key, text] : metadata) {
    StrAppend(&header, header.size() > 1 ? "," : StrCat(JsonQuoted(kSafetensorsMetadata), ":{"), JsonQuoted(key), ":",
              JsonQuoted(text));
  }
  if (!metadata.empty()) header += "}";
  for (size_t i = 0; i < entries.size(); ++i) AppendEntry(entries[i], out.begins[i], &header);
  header += "}";
  header.append((kAlignment - header.size() % kAlignment) % kAlignment, ' ');
  const uint64_t length = header.size();
  if (length > kMaxSafetensorsHeader) return absl::InvalidArgumentError("too many variables for a safetensors file");
  out.head.resize(sizeof length);
  std::memcpy(out.head.data(), &length, sizeof length);
  out.head += header;
  return out;
}

}  // namespace reel::ir
