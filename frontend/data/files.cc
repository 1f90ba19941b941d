#include <zlib.h>

#include <algorithm>

#include "frontend/data/node.h"
#include "frontend/values/status.h"
#include "ir/file/folder.h"
#include "ir/file/reader.h"
#include "ir/names.h"
#include "ir/strings.h"

// Files of data: gzipped ones, and MNIST's IDX format.

namespace reel {
namespace internal {
namespace {

constexpr std::string_view kGzip = "\x1f\x8b";

struct Inflater {
  z_stream stream{};
  ~Inflater() { inflateEnd(&stream); }
};

/// All members of a gzip file. Takes memory as bytes come, and no more than the budget.
absl::StatusOr<std::string> Gunzip(std::string_view packed, const Budget& budget) {
  constexpr size_t kStep = size_t{1} << 20;
  Inflater z;
  if (inflateInit2(&z.stream, 15 + 16) != Z_OK) return absl::ResourceExhaustedError("no memory to unpack it");
  z.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  size_t left = packed.size();
  z.stream.avail_in = 0;
  std::string out;
  for (;;) {
    if (z.stream.avail_in == 0) {
      z.stream.avail_in = static_cast<uInt>(std::min<size_t>(left, size_t{1} << 30));
      left -= z.stream.avail_in;
    }
    const size_t have = out.size();
    if (static_cast<int64_t>(have) > budget.max_bytes)
      return absl::ResourceExhaustedError(StrCat("it unpacks to more than the budget of ", budget.max_bytes, " bytes"));
    out.resize(have + kStep);
    z.stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    z.stream.avail_out = static_cast<uInt>(kStep);
    const int code = inflate(&z.stream, Z_NO_FLUSH);
    out.resize(have + kStep - z.stream.avail_out);
    if (code == Z_STREAM_END) {
      if (z.stream.avail_in == 0 && left == 0) return out;
      if (inflateReset(&z.stream) != Z_OK) return absl::DataLossError("damaged gzip data");
    } else if (code != Z_OK) {
      return absl::DataLossError(z.stream.avail_in == 0 && left == 0
                                     ? "the gzip data end too early"
                                     : StrCat("damaged gzip data: ", z.stream.msg ? z.stream.msg : "unknown"));
    }
  }
}

uint32_t BigEndian(const std::string& data, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(data[at + i]);
  return value;
}

absl::StatusOr<IdxArray> ParseIdxBytes(std::string bytes, const Budget& budget) {
  const auto damaged = [](const std::string& what) { return absl::DataLossError(StrCat("no IDX file: ", what)); };
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    return damaged("it must begin with two zero bytes, the type 0x08 and the number of axes");
  if (bytes[2] != 8)
    return damaged(StrCat("its type is ", static_cast<int>(static_cast<unsigned char>(bytes[2])),
                          ", and only unsigned bytes, 8, are read"));
  const auto rank = static_cast<size_t>(static_cast<unsigned char>(bytes[3]));
  if (rank < 1 || rank > static_cast<size_t>(kMaxRank)) return damaged(StrCat("it has ", rank, " axes"));
  IdxArray out;
  out.offset = 4 + 4 * rank;
  if (bytes.size() < out.offset) return damaged("it ends within the header");
  for (size_t i = 0; i < rank; ++i) out.shape.push_back(BigEndian(bytes, 4 + 4 * i));
  const Shape shape(out.shape);
  if (!FitsInMemory(shape)) return damaged(StrCat("its shape ", shape.ToString(), " overflows"));
  if (static_cast<int64_t>(bytes.size() - out.offset) != shape.size()) {
    return damaged(StrCat("u8", shape.ToString(), " takes ", shape.size(), " bytes, but ", bytes.size() - out.offset,
                          " follow the header"));
  }
  if (shape.size() > budget.max_memory) return absl::ResourceExhaustedError("it is larger than the memory budget");
  out.data = std::move(bytes);
  return out;
}

/// The labels of a file as i64.
Tensor IdxLabels(const IdxArray& labels, const std::string& path, const IdxOptions& options, int64_t* classes) {
  if (labels.shape.size() != 1)
    ThrowInvalid(
        StrCat(ir::QuotedPath(path), ": labels have one axis, but these are u8", Shape(labels.shape).ToString()));
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(labels.shape[0]));
  for (size_t i = labels.offset; i < labels.data.size(); ++i) {
    const int64_t label = static_cast<unsigned char>(labels.data[i]);
    if (options.classes > 0 && label >= options.classes) {
      ThrowInvalid(StrCat(ir::QuotedPath(path), ": label ", out.size(), " is ", label, ", but there are ",
                          options.classes, " classes: 0 to ", options.classes - 1));
    }
    *classes = std::max(*classes, label + 1);
    out.push_back(label);
  }
  if (options.classes > 0) *classes = options.classes;
  return Tensor::FromData(out, Shape(labels.shape));
}

}  // namespace

absl::StatusOr<std::string> ReadData(const std::string& path, const Budget& budget) {
  auto bytes = ir::ReadFile(path, budget);
  if (!bytes.ok() || !bytes->starts_with(kGzip)) return bytes;
  auto unpacked = Gunzip(*bytes, budget);
  if (unpacked.ok()) return unpacked;
  return absl::Status(unpacked.status().code(), StrCat(ir::QuotedPath(path), ": ", unpacked.status().message()));
}

std::string SourceText(std::string_view call, const std::string& path) {
  return StrCat(call, "(", ir::Quoted(ir::FileName(path)), ")");
}

size_t FindNonUtf8(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  for (size_t i = 0; i < text.size();) {
    const uint32_t c = byte(i);
    if (c < 0x80) {
      ++i;
      continue;
    }
    const size_t n = c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    if (n == 0) return i;
    for (size_t k = 1; k < n; ++k) {
      if ((byte(i + k) & 0xc0u) != 0x80) return i;
    }
    const uint32_t second = byte(i + 1);
    const bool overlong = (c == 0xe0 && second < 0xa0) || (c == 0xf0 && second < 0x90);
    const bool surrogate = c == 0xed && second >= 0xa0, too_large = c == 0xf4 && second >= 0x90;
    if (overlong || surrogate || too_large) return i;
    i += n;
  }
  return std::string_view::npos;
}

absl::StatusOr<IdxArray> ParseIdx(std::string bytes, const std::string& path, const Budget& budget) {
  auto array = ParseIdxBytes(std::move(bytes), budget);
  if (array.ok()) return array;
  return absl::Status(array.status().code(), StrCat(ir::QuotedPath(path), ": ", array.status().message()));
}

}  // namespace internal

Dataset Dataset::FromIdx(const std::string& images, const std::string& labels, const IdxOptions& options) {
  using internal::Take;
  if (options.dtype != kFloat32 && options.dtype != kUInt8)
    internal::ThrowInvalid(StrCat("idx: images are kFloat32 or kUInt8, not ", Name(options.dtype)));
  if (options.classes < 0) internal::ThrowInvalid(StrCat("idx: classes ", options.classes, " is negative"));
  const auto read = [&](const std::string& path) {
    return Take(internal::ParseIdx(Take(internal::ReadData(path, options.budget)), path, options.budget));
  };
  const internal::IdxArray pixels = read(images);
  std::vector<internal::RowsField> fields{
      {Tensor::FromBytes(kUInt8, Shape(pixels.shape), pixels.data.data() + pixels.offset), options.dtype == kFloat32}};
  internal::SourceInfo info;
  std::string text = internal::SourceText("idx", images);
  if (!labels.empty()) {
    int64_t classes = 0;
    fields.push_back({internal::IdxLabels(read(labels), labels, options, &classes)});
    info.labels.push_back({classes});
  }
  return internal::MakeRows(std::move(text), std::move(fields), {}, std::move(info));
}

}  // namespace reel
