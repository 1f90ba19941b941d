#include "ir/text/literal_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "ir/names.h"
#include "ir/strings.h"
#include "ir/text/base64.h"
#include "ir/text/float_bits.h"
#include "ir/text/printer.h"

namespace reel::ir {
namespace {

template <typename T>
T Load(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

template <typename T>
void Store(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof(T));
}

uint64_t LoadBits(const std::byte* p, DType dtype) {
  switch (SizeOf(dtype)) {
    case 2: return Load<uint16_t>(p);
    case 4: return Load<uint32_t>(p);
    default: return Load<uint64_t>(p);
  }
}

void StoreBits(std::byte* p, DType dtype, uint64_t bits) {
  switch (SizeOf(dtype)) {
    case 2: return Store(p, static_cast<uint16_t>(bits));
    case 4: return Store(p, static_cast<uint32_t>(bits));
    default: return Store(p, bits);
  }
}

void AppendFloat(std::string* out, DType dtype, const std::byte* p) {
  const FloatFormat format = FormatOf(dtype);
  const uint64_t bits = LoadBits(p, dtype);
  if (bits == format.quiet_nan()) {
    out->append("nan");
  } else if (format.IsNan(bits)) {
    char hex[17];
    const auto end = std::to_chars(hex, hex + sizeof hex, bits, 16).ptr;
    StrAppend(out, "nan(0x", std::string_view(hex, static_cast<size_t>(end - hex)), ")");
  } else if (dtype == kFloat64) {
    AppendPart(out, Load<double>(p));  // "inf" and "-0" included
  } else {
    AppendPart(out, dtype == kFloat32   ? Load<float>(p)
                    : dtype == kFloat16 ? float{Load<Float16>(p)}
                                        : float{Load<BFloat16>(p)});
  }
}

void AppendElement(std::string* out, DType dtype, const std::byte* p) {
  switch (dtype) {
    case kBool: return AppendPart(out, std::string_view(*p == std::byte{0} ? "false" : "true"));
    case kInt8: return AppendPart(out, int{Load<int8_t>(p)});
    case kInt16: return AppendPart(out, Load<int16_t>(p));
    case kInt32: return AppendPart(out, Load<int32_t>(p));
    case kInt64: return AppendPart(out, Load<int64_t>(p));
    case kUInt8: return AppendPart(out, int{Load<uint8_t>(p)});
    case kUInt16: return AppendPart(out, Load<uint16_t>(p));
    case kUInt32: return AppendPart(out, Load<uint32_t>(p));
    case kUInt64: return AppendPart(out, Load<uint64_t>(p));
    case kComplex64:
    case kComplex128: {
      const DType part = dtype == kComplex64 ? kFloat32 : kFloat64;
      out->push_back('(');
      AppendFloat(out, part, p);
      out->append(", ");
      AppendFloat(out, part, p + SizeOf(part));
      out->push_back(')');
      return;
    }
    default: return AppendFloat(out, dtype, p);
  }
}

// Reads the current number token with from_chars and skips it.
template <typename T, typename... Base>
bool ReadNumber(TokenReader* r, std::string_view expected, T* value, Base... base) {
  std::string_view text = r->token().name;
  if (r->At(Tok::kNumber) && sizeof...(base) > 0 && text.starts_with("0x")) text.remove_prefix(2);
  const char* end = text.data() + text.size();
  if (r->At(Tok::kNumber) || r->AtWord("inf")) {
    const auto result = std::from_chars(text.data(), end, *value, base...);
    if (result.ec == std::errc() && result.ptr == end) {
      r->Advance();
      return true;
    }
  }
  return r->Fail(expected);
}

template <typename T>
bool ReadInteger(TokenReader* r, DType dtype, std::byte* p) {
  T value{};
  if (!ReadNumber(r, StrCat("a number of ", Name(dtype)), &value)) return false;
  Store(p, value);
  return true;
}

// nan or nan(0x7fc00001)
bool ReadNan(TokenReader* r, DType dtype, std::byte* p) {
  const FloatFormat format = FormatOf(dtype);
  r->Advance();
  uint64_t bits = format.quiet_nan();
  if (r->Accept('(')) {
    const size_t position = r->token().begin;
    if (!r->At(Tok::kNumber) || !r->token().name.starts_with("0x")) {
      return r->Fail("the bits 0x...");
    }
    if (!ReadNumber(r, "the bits of a NaN", &bits, 16) || !r->Expect(')')) return false;
    const uint64_t used = format.sign_bit() | (format.sign_bit() - 1);
    if ((bits & ~used) || !format.IsNan(bits)) {
      return r->FailAt(position, StrCat("the bits are not a NaN of ", Name(dtype)));
    }
  }
  StoreBits(p, dtype, bits);
  return true;
}

bool ReadFloat(TokenReader* r, DType dtype, std::byte* p) {
  if (r->AtWord("nan")) return ReadNan(r, dtype, p);
  const std::string expected = StrCat("a number of ", Name(dtype));
  // from_chars also knows "-nan", which says nothing of the payload.
  if (r->token().name.starts_with("-n")) return r->Fail(expected);
  if (dtype == kFloat32) {
    float value = 0;
    if (!ReadNumber(r, expected, &value)) return false;
    Store(p, value);
    return true;
  }
  double value = 0;
  if (!ReadNumber(r, expected, &value)) return false;
  if (dtype == kFloat16) {
    Store(p, Float16(value));
  } else if (dtype == kBFloat16) {
    Store(p, BFloat16(value));
  } else {
    Store(p, value);
  }
  return true;
}

bool ReadElement(TokenReader* r, DType dtype, std::byte* p) {
  switch (dtype) {
    case kBool:
      if (!r->AtWord("true") && !r->AtWord("false")) return r->Fail("true or false");
      *p = std::byte{r->AtWord("true")};
      r->Advance();
      return true;
    case kInt8: return ReadInteger<int8_t>(r, dtype, p);
    case kInt16: return ReadInteger<int16_t>(r, dtype, p);
    case kInt32: return ReadInteger<int32_t>(r, dtype, p);
    case kInt64: return ReadInteger<int64_t>(r, dtype, p);
    case kUInt8: return ReadInteger<uint8_t>(r, dtype, p);
    case kUInt16: return ReadInteger<uint16_t>(r, dtype, p);
    case kUInt32: return ReadInteger<uint32_t>(r, dtype, p);
    case kUInt64: return ReadInteger<uint64_t>(r, dtype, p);
    case kComplex64:
    case kComplex128: {
      const DType part = dtype == kComplex64 ? kFloat32 : kFloat64;
      return r->Expect('(') && ReadFloat(r, part, p) && r->Expect(',') && ReadFloat(r, part, p + SizeOf(part)) &&
             r->Expect(')');
    }
    default: return ReadFloat(r, dtype, p);
  }
}

bool ReadList(TokenReader* r, const Type& type, std::vector<std::byte>* bytes) {
  const auto size = static_cast<size_t>(SizeOf(type.dtype)), want = static_cast<size_t>(type.bytes());
  const size_t position = r->token().begin;
  if (!r->Expect('[')) return false;
  // An element takes at least two characters, so the text bounds what is reserved.
  bytes->reserve(std::min(want, r->source_size() / 2 * size + size));
  while (!r->At(']')) {
    if (!bytes->empty() && !r->Expect(',')) return false;
    if (bytes->size() == want) return r->Fail(StrCat("']' after ", want / size, " elements"));
    bytes->resize(bytes->size() + size);
    if (!ReadElement(r, type.dtype, bytes->data() + bytes->size() - size)) return false;
  }
  r->Advance();
  if (bytes->size() == want) return true;
  return r->FailAt(position, StrCat("found ", bytes->size() / size, " elements, expected ", want / size,
                                    " of a literal ", type.ToString()));
}

bool ReadBase64(TokenReader* r, const Type& type, std::vector<std::byte>* bytes) {
  r->Advance();
  if (!r->At(Tok::kString)) return r->Fail("a quoted string");
  const size_t want = static_cast<size_t>(type.bytes());
  if (r->token().name.size() != (want + 2) / 3 * 4 || !DecodeBase64(r->token().name, bytes) || bytes->size() != want) {
    return r->Fail(StrCat("base64 of the ", want, " bytes of ", type.ToString()));
  }
  r->Advance();
  return true;
}

}  // namespace

void AppendLiteral(std::string* out, const Literal& literal, bool elide) {
  const auto bytes = literal.bytes();
  if (bytes.size() > kMaxDecimalBytes) {
    if (elide) return StrAppend(out, "elided(", bytes.size(), ")");
    out->append("base64\"");
    AppendBase64(out, bytes);
    out->push_back('"');
    return;
  }
  const auto size = static_cast<size_t>(SizeOf(literal.dtype()));
  const bool scalar = literal.shape().rank() == 0;
  if (!scalar) out->push_back('[');
  for (size_t i = 0; i < bytes.size(); i += size) {
    if (i) out->append(", ");
    AppendElement(out, literal.dtype(), bytes.data() + i);
  }
  if (!scalar) out->push_back(']');
}

bool ReadLiteral(TokenReader* r, const Type& type, BudgetMeter* meter, Literal* literal) {
  if (absl::Status s = meter->AddLiteral(type); !s.ok()) return r->FailWith(s);
  if (r->AtWord("elided")) return r->Fail("a value: this is a dump without its large constants");
  std::vector<std::byte> bytes;
  if (r->AtWord("base64")) {
    if (!ReadBase64(r, type, &bytes)) return false;
  } else if (type.shape.rank() == 0) {
    bytes.resize(static_cast<size_t>(type.bytes()));
    if (!ReadElement(r, type.dtype, bytes.data())) return false;
  } else if (!ReadList(r, type, &bytes)) {
    return false;
  }
  *literal = Literal(type, std::move(bytes));
  return true;
}

bool SkipLiteral(TokenReader* r) {
  while (!r->At(':')) {
    if (r->At(Tok::kEnd) || r->At(Tok::kError) || r->At('{') || r->At('}') || r->At('=')) {
      return r->Fail("a literal and ':'");
    }
    r->Advance();
  }
  return true;
}

}  // namespace reel::ir
