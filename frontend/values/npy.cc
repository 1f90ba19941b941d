#include "frontend/values/npy.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "ir/names.h"
#include "ir/strings.h"

namespace reel {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;

struct Descr {
  DType dtype;
  std::string_view text;
};
// NumPy has no bf16: as ml_dtypes saves it, two bytes without a type, which nothing else uses here.
constexpr std::array<Descr, kNumDTypes> kDescrs{{{kBool, "|b1"},
                                                 {kInt8, "|i1"},
                                                 {kInt16, "<i2"},
                                                 {kInt32, "<i4"},
                                                 {kInt64, "<i8"},
                                                 {kUInt8, "|u1"},
                                                 {kUInt16, "<u2"},
                                                 {kUInt32, "<u4"},
                                                 {kUInt64, "<u8"},
                                                 {kFloat16, "<f2"},
                                                 {kBFloat16, "<V2"},
                                                 {kFloat32, "<f4"},
                                                 {kFloat64, "<f8"},
                                                 {kComplex64, "<c8"},
                                                 {kComplex128, "<c16"}}};

// Reads the header's dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  absl::StatusOr<NpyLayout> Read() {
    NpyLayout header;
    Type& type = header.type;
    bool seen[3] = {false, false, false};
    if (!Eat('{')) return Error("it does not begin with {");
    while (!Eat('}')) {
      const auto key = String();
      if (!key || !Eat(':')) return Error("a key or ':' is missing");
      const size_t k = *key == "descr" ? 0 : *key == "fortran_order" ? 1 : *key == "shape" ? 2 : 3;
      if (k == 3 || seen[k]) return Error(StrCat("key ", ir::Quoted(*key), " is unknown or comes twice"));
      seen[k] = true;
      const absl::Status status = k == 0 ? ReadDescr(&type) : k == 1 ? ReadOrder(&header.fortran) : ReadShape(&type);
      if (!status.ok()) return status;
      if (!Eat(',') && Peek() != '}') return Error("',' is missing");
    }
    if (!seen[0] || !seen[1] || !seen[2]) return Error("descr, fortran_order or shape is missing");
    SkipBlanks();
    if (!text_.empty()) return Error("something follows the }");
    return header;
  }

 private:
  absl::Status Error(const std::string& what) const {
    return absl::InvalidArgumentError(StrCat("damaged .npy header: ", what));
  }
  void SkipBlanks() {
    const size_t n = text_.find_first_not_of(" \n\t");
    text_.remove_prefix(n == std::string_view::npos ? text_.size() : n);
  }
  char Peek() {
    SkipBlanks();
    return text_.empty() ? '\0' : text_[0];
  }
  bool Eat(char c) {
    if (Peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool EatWord(std::string_view word) {
    SkipBlanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> String() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return out;
  }
  absl::Status ReadDescr(Type* type) {
    const auto descr = String();
    for (const Descr& d : kDescrs) {
      if (!descr || d.text != *descr) continue;
      type->dtype = d.dtype;
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        StrCat("dtype ", descr ? ir::Quoted(*descr) : std::string("of a record"),
               " is not bool, an integer, a float or a complex number (little-endian) of a size that "
               "Reel has; convert with astype()"));
  }
  absl::Status ReadOrder(bool* fortran) {
    *fortran = EatWord("True");
    if (*fortran || EatWord("False")) return absl::OkStatus();
    return Error("fortran_order is neither True nor False");
  }
  absl::Status ReadShape(Type* type) {
    if (!Eat('(')) return Error("the shape is not a tuple");
    while (!Eat(')')) {
      SkipBlanks();
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) return Error("an extent is not a number from 0 to 2^63 - 1");
      if (type->shape.rank() == kMaxRank) return Error(StrCat("there are more than ", kMaxRank, " axes"));
      type->shape.push_back(extent);
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      if (!Eat(',') && Peek() != ')') return Error("',' is missing in the shape");
    }
    return absl::OkStatus();
  }

  std::string_view text_;
};

// Splits a file into its header text and its data.
absl::Status Split(std::string_view bytes, std::string_view* header, std::string_view* data) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  if (!bytes.starts_with(kMagic) || bytes.size() < 10) {
    return absl::InvalidArgumentError("not an .npy file, or truncated");
  }
  const size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0) {
    return absl::InvalidArgumentError(StrCat(".npy version ", version, ".", byte(7), " is not 1.0, 2.0 or 3.0"));
  }
  const size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) return absl::InvalidArgumentError("truncated in the .npy header");
  const size_t length = byte(8) | byte(9) << 8 | (version == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  if (bytes.size() - start < length) return absl::InvalidArgumentError("truncated in the .npy header");
  *header = bytes.substr(start, length);
  *data = bytes.substr(start + length);
  return absl::OkStatus();
}

// Elements whose first axis varies fastest, in row-major order.
std::vector<std::byte> RowMajor(std::span<const std::byte> raw, const Type& type) {
  const auto width = static_cast<size_t>(SizeOf(type.dtype));
  const int rank = type.shape.rank();
  std::vector<std::byte> out(raw.size());
  std::vector<size_t> stride(static_cast<size_t>(rank), width);  // of the elements as they lie
  for (size_t k = 1; k < stride.size(); ++k)
    stride[k] = stride[k - 1] * static_cast<size_t>(type.shape[static_cast<int>(k) - 1].value());
  std::vector<int64_t> index(stride.size(), 0);
  size_t from = 0;
  for (size_t to = 0; to < out.size(); to += width) {
    std::memcpy(&out[to], &raw[from], width);
    for (int k = rank - 1; k >= 0; --k) {  // the next index, the last axis fastest
      const auto i = static_cast<size_t>(k);
      from += stride[i];
      if (++index[i] < type.shape[k].value()) break;
      from -= stride[i] * static_cast<size_t>(index[i]);
      index[i] = 0;
    }
  }
  return out;
}

absl::StatusOr<NpyLayout> ParseHeader(std::string_view bytes) {
  std::string_view header, data;
  if (absl::Status s = Split(bytes, &header, &data); !s.ok()) return s;
  auto read = HeaderReader(header).Read();
  if (!read.ok()) return read;
  const Type& type = read->type;
  if (!FitsInMemory(type.shape)) return absl::InvalidArgumentError("the shape overflows");
  if (type.bytes() != static_cast<int64_t>(data.size())) {
    return absl::InvalidArgumentError(
        StrCat(type.ToString(), " takes ", type.bytes(), " bytes, but ", data.size(), " follow the header"));
  }
  read->offset = bytes.size() - data.size();
  return read;
}

absl::StatusOr<ir::Literal> Parse(std::string_view bytes, const Budget& budget) {
  const auto read = ParseHeader(bytes);
  if (!read.ok()) return read.status();
  const Type& type = read->type;
  const std::string_view data = bytes.substr(read->offset);
  if (type.bytes() > budget.max_memory) {
    return absl::ResourceExhaustedError(
        StrCat(type.ToString(), " is larger than the memory budget of ", budget.max_memory, " bytes"));
  }
  if (type.dtype == kBool && data.find_first_not_of(std::string_view("\0\1", 2)) != data.npos) {
    return absl::InvalidArgumentError("a bool is neither 0 nor 1");
  }
  const auto raw = std::as_bytes(std::span(data));
  if (read->fortran) return ir::Literal(type, RowMajor(raw, type));
  return ir::Literal(type, std::vector<std::byte>(raw.begin(), raw.end()));
}

// The value, or its error with the name in front.
template <typename T>
absl::StatusOr<T> Named(absl::StatusOr<T> value, std::string_view name) {
  if (value.ok()) return value;
  return absl::Status(value.status().code(), StrCat(name, ": ", value.status().message()));
}

}  // namespace

absl::StatusOr<NpyLayout> ParseNpyLayout(std::string_view bytes, std::string_view name) {
  return Named(ParseHeader(bytes), name);
}

absl::StatusOr<ir::Literal> ParseNpy(std::string_view bytes, std::string_view name, const Budget& budget) {
  return Named(Parse(bytes, budget), name);
}

std::string NpyHeader(const ir::Literal& literal) {
  std::string descr, shape;
  for (const Descr& d : kDescrs) {
    if (d.dtype == literal.dtype()) descr = d.text;
  }
  for (const Extent extent : literal.shape()) {
    StrAppend(&shape, shape.empty() ? "" : ", ", extent.value());
  }
  if (literal.shape().rank() == 1) shape += ",";
  std::string header = StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", shape, "), }");
  const size_t prefix = kMagic.size() + 4;  // version and length of the header
  const size_t total = (prefix + header.size() + kAlignment) / kAlignment * kAlignment;
  header.append(total - prefix - header.size() - 1, ' ');
  header += '\n';
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return out + header;
}

std::string FormatNpy(const ir::Literal& literal) {
  std::string out = NpyHeader(literal);
  const auto bytes = literal.bytes();
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return out;
}

}  // namespace reel
