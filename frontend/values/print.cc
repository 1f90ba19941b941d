#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <ostream>
#include <string>

#include "frontend/record/event_stream.h"
#include "ir/strings.h"
#include "ir/text/printer.h"
#include "reel/tensor.h"

// Printing as NumPy 2 does with its default options: precision 8, threshold 1000, edge items 3,
// lines of 75.

namespace reel {
namespace {

constexpr int kPrecision = 8;
constexpr int64_t kThreshold = 1000, kEdge = 3;
constexpr int kLineWidth = 75;

// Decimal digits of |x| and the power of ten of the first: 12.5 -> "125", 1.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal Parse(const char* first, const char* last) {
  Decimal d;
  const char* e = std::find(first, last, 'e');
  for (const char* p = first; p != e; ++p) {
    if (*p >= '0' && *p <= '9') d.digits.push_back(*p);
  }
  const char* exponent = e + 1;
  if (*exponent == '+') ++exponent;
  std::from_chars(exponent, last, d.exponent);
  return d;
}

// What the numbers of an element type are compared and converted as.
template <typename T>
using Arithmetic = std::conditional_t<internal::kIsHalf<T>, float, T>;

// The fewest digits that identify x among the numbers of its type.
template <typename T>
  requires internal::kIsHalf<T>
Decimal Shortest(T x) {
  char buffer[64];
  for (int fraction = 0;; ++fraction) {
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, std::abs(float{x}), std::chars_format::scientific, fraction).ptr;
    double value = 0;
    std::from_chars(buffer, end, value);
    if (T(value).bits == (x.bits & 0x7FFF)) return Parse(buffer, end);
  }
}
template <typename T>
  requires std::is_floating_point_v<T>
Decimal Shortest(T x) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::abs(x), std::chars_format::scientific).ptr;
  return Parse(buffer, end);
}

// 1 + fraction digits, correctly rounded.
template <typename T>
Decimal Rounded(T x, int fraction) {
  char buffer[128];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(Arithmetic<T>{x}), std::chars_format::scientific, fraction)
          .ptr;
  return Parse(buffer, end);
}

template <typename T>
std::string Sign(T x, bool plus) {
  return std::signbit(Arithmetic<T>{x}) ? "-" : plus ? "+" : "";
}

// Positional text, at most `precision` digits after the point (negative: no limit), zeros trimmed:
// "12.5", "3.".
template <typename T>
std::string Positional(T x, int precision, bool plus = false) {
  Decimal d = Shortest(x);
  std::string whole, fraction;
  const int digits = static_cast<int>(d.digits.size());
  if (x != 0 && precision >= 0 && digits - 1 - d.exponent > precision) {
    char buffer[512];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, std::abs(Arithmetic<T>{x}), std::chars_format::fixed, precision)
            .ptr;
    const std::string text(buffer, end);
    const size_t point = std::min(text.find('.'), text.size());
    whole = text.substr(0, point);
    fraction = point < text.size() ? text.substr(point + 1) : "";
  } else {
    for (int i = 0; i <= std::max(d.exponent, 0); ++i) {
      const int at = d.exponent < 0 ? -1 : i;
      whole.push_back(at >= 0 && at < digits ? d.digits[static_cast<size_t>(at)] : '0');
    }
    if (d.exponent < 0) fraction.assign(static_cast<size_t>(-d.exponent - 1), '0');
    const int from = std::max(d.exponent + 1, 0);
    if (from < digits) fraction += d.digits.substr(static_cast<size_t>(from));
  }
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return StrCat(Sign(x, plus), whole, ".", fraction);
}

std::string Exponent(int exponent, size_t width) {
  std::string e = StrCat(std::abs(exponent));
  if (e.size() < width) e.insert(0, width - e.size(), '0');
  return StrCat("e", exponent < 0 ? '-' : '+', e);
}

// Scientific text. fraction < 0: shortest, at most `precision` digits, zeros trimmed; else exactly
// that many.
template <typename T>
std::string Scientific(T x, int precision, int fraction, size_t exponent_width, bool plus = false) {
  Decimal d = fraction >= 0 ? Rounded(x, fraction) : Shortest(x);
  if (fraction < 0 && precision >= 0 && static_cast<int>(d.digits.size()) - 1 > precision) d = Rounded(x, precision);
  std::string rest = d.digits.substr(1);
  if (fraction < 0) rest.erase(rest.find_last_not_of('0') + 1);
  return StrCat(Sign(x, plus), d.digits.substr(0, 1), ".", rest, Exponent(d.exponent, exponent_width));
}

using Words = std::vector<std::string>;

std::string Left(std::string s, size_t width) {
  if (s.size() < width) s.insert(0, width - s.size(), ' ');
  return s;
}

template <typename T>
std::string SpecialWord(T x, bool plus) {
  return StrCat(x < 0 ? "-" : plus ? "+" : "", std::isnan(x) ? "nan" : "inf");
}

// All words of floats, aligned at the point; `plus`: positive numbers have a sign too.
template <typename T>
Words FloatWords(const std::vector<T>& values, bool plus) {
  using A = Arithmetic<T>;
  A largest = 0, smallest = std::numeric_limits<A>::infinity();
  bool any_finite = false, special = false, negative_infinity = plus;
  for (A x : values) {
    if (!std::isfinite(x)) {
      special = true;
      negative_infinity |= x < 0;
      continue;
    }
    any_finite = true;
    if (x == 0) continue;
    largest = std::max(largest, std::abs(x));
    smallest = std::min(smallest, std::abs(x));
  }
  const A cutoff = sizeof(T) == 2 ? A(1e3) : sizeof(T) == 4 ? A(1e6) : A(1e8);
  const bool scientific = largest > 0 && (largest >= cutoff || smallest < A(0.0001) || largest / smallest > A(1000));
  size_t left = 0, right = 0, exponent_width = 0;
  int fraction = 0;
  for (T x : values) {
    if (!std::isfinite(A{x})) continue;
    const std::string s = scientific ? Scientific(x, kPrecision, -1, 2, plus) : Positional(x, kPrecision, plus);
    const size_t point = s.find('.'), e = scientific ? s.find('e') : s.size();
    left = std::max(left, point);
    fraction = std::max(fraction, static_cast<int>(e - point - 1));
    if (scientific) exponent_width = std::max(exponent_width, s.size() - e - 2);
  }
  if (any_finite)
    right = scientific ? exponent_width + 2 + static_cast<size_t>(fraction) : static_cast<size_t>(fraction);
  if (special)
    left =
        std::max(left, static_cast<size_t>(std::max(0, 3 + (negative_infinity ? 1 : 0) - static_cast<int>(right) - 1)));
  Words words;
  for (T x : values) {
    if (const A a = x; !std::isfinite(a)) {
      words.push_back(Left(SpecialWord(a, plus), left + right + 1));
    } else if (scientific) {
      words.push_back(Left(Scientific(x, kPrecision, fraction, exponent_width, plus), left + 1 + right));
    } else {
      std::string s = Positional(x, kPrecision, plus);
      s = Left(s, left + s.size() - s.find('.'));
      s.resize(left + 1 + right, ' ');
      words.push_back(std::move(s));
    }
  }
  return words;
}

template <typename T>
Words IntegerWords(const std::vector<T>& values) {
  Words words;
  size_t width = 0;
  for (T x : values) {
    words.push_back(StrCat(x));
    width = std::max(width, words.back().size());
  }
  for (std::string& word : words) word = Left(std::move(word), width);
  return words;
}

Words BoolWords(const std::vector<bool>& values) {
  Words words;
  for (bool x : values) words.push_back(x ? " True" : "False");
  return words;
}

template <typename T>
Words RealWords(const std::vector<T>& values) {
  return FloatWords(values, /*plus=*/false);
}

// Both parts aligned, "j" after the digits of the second.
template <typename T>
Words ComplexWords(const std::vector<std::complex<T>>& values) {
  std::vector<T> re, im;
  for (const std::complex<T>& z : values) {
    re.push_back(z.real());
    im.push_back(z.imag());
  }
  Words words = RealWords(re);
  const Words imaginary = FloatWords(im, /*plus=*/true);
  for (size_t i = 0; i < words.size(); ++i) {
    std::string s = imaginary[i];
    s.insert(s.find_last_not_of(' ') + 1, 1, 'j');
    words[i] += s;
  }
  return words;
}

// A scalar of a float type, as Python's str of a NumPy scalar.
template <typename T>
std::string FloatScalar(T x) {
  using A = Arithmetic<T>;
  const A a = std::abs(A{x});
  if (!std::isfinite(a)) return SpecialWord(A{x}, false);
  const A limit = sizeof(T) == 2 ? A(1e3) : sizeof(T) == 4 ? A(1e6) : A(1e16);
  if (a == 0 || (a >= A(1e-4) && a < limit)) {
    std::string s = Positional(x, -1);
    if (s.back() == '.') s.push_back('0');
    return s;
  }
  std::string s = Scientific(x, -1, -1, 2);
  if (const size_t at = s.find(".e"); at != std::string::npos) s.erase(at, 1);
  return s;
}

// "(1+2j)", or "2j" without a real part.
template <typename T>
std::string ComplexScalar(std::complex<T> z) {
  const auto part = [](T x, bool plus) {
    std::string s = FloatScalar(x);
    if (s.ends_with(".0")) s.resize(s.size() - 2);
    return StrCat(plus && s[0] != '-' ? "+" : "", s);
  };
  if (z.real() == 0 && !std::signbit(z.real())) return StrCat(part(z.imag(), false), "j");
  return StrCat("(", part(z.real(), false), part(z.imag(), true), "j)");
}

// Flat indices of the elements that are shown, in order.
std::vector<int64_t> ShownElements(const Shape& shape, bool summarise) {
  std::vector<int64_t> shown = {0};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t n = shape.dim(axis);
    std::vector<int64_t> next;
    for (int64_t base : shown) {
      for (int64_t i = 0; i < n; ++i) {
        if (summarise && n > 2 * kEdge && i == kEdge) i = n - kEdge;
        next.push_back(base * n + i);
      }
    }
    shown = std::move(next);
  }
  return shown;
}

// Lays the words out in brackets.
class Layout {
 public:
  Layout(const Shape& shape, bool summarise, const Words& words)
      : shape_(shape), summarise_(summarise), words_(words) {}

  std::string Format(int axis, const std::string& indent, int width) {
    const int64_t n = shape_.dim(axis);
    const bool cut = summarise_ && n > 2 * kEdge;
    const std::string body = axis == shape_.rank() - 1 ? Row(n, cut, indent, width) : Rows(n, cut, axis, indent, width);
    return "[" + body.substr(indent.size()) + "]";
  }

 private:
  std::string Row(int64_t n, bool cut, const std::string& indent, int width) {
    std::string done, line = indent;
    const auto limit = static_cast<size_t>(width - 1);
    const auto extend = [&](const std::string& word) {
      if (line.size() + word.size() > limit && line.size() > indent.size()) {
        done += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word;
    };
    const int64_t shown = cut ? 2 * kEdge : n;
    for (int64_t i = 0; i < shown; ++i) {
      if (cut && i == kEdge) {
        extend("...");
        line += " ";
      }
      extend(words_[next_++]);
      if (i + 1 < shown) line += " ";
    }
    return done + line;
  }

  std::string Rows(int64_t n, bool cut, int axis, const std::string& indent, int width) {
    const std::string separator(static_cast<size_t>(shape_.rank() - axis - 1), '\n');
    std::string out;
    const int64_t shown = cut ? 2 * kEdge : n;
    for (int64_t i = 0; i < shown; ++i) {
      if (cut && i == kEdge) out += indent + "..." + separator;
      out += indent + Format(axis + 1, indent + " ", width - 1);
      if (i + 1 < shown) out += separator;
    }
    return out;
  }

  const Shape& shape_;
  bool summarise_;
  const Words& words_;
  size_t next_ = 0;
};

template <typename T, typename Format>
std::string Print(const Tensor& x, bool summarise, Format format) {
  const auto data = x.data<T>();
  std::vector<T> values;
  for (int64_t i : ShownElements(x.shape(), summarise)) values.push_back(data[static_cast<size_t>(i)]);
  const Words words = format(values);
  return Layout(x.shape(), summarise, words).Format(0, " ", kLineWidth);
}

std::string PrintScalar(const Tensor& x) {
  switch (x.dtype()) {
    case kBool: return x.item<bool>() ? "True" : "False";
    case kFloat16: return FloatScalar(x.item<Float16>());
    case kBFloat16: return FloatScalar(x.item<BFloat16>());
    case kComplex64: return ComplexScalar(x.item<std::complex<float>>());
    case kComplex128: return ComplexScalar(x.item<std::complex<double>>());
    case kFloat32: return FloatScalar(x.item<float>());
    case kFloat64: return FloatScalar(x.item<double>());
    case kUInt64: return StrCat(x.data<uint64_t>()[0]);
    default: return StrCat(x.item<int64_t>());
  }
}

}  // namespace

std::string Tensor::str() const {
  if (!defined()) return "<null tensor>";
  if (symbolic()) {
    const internal::TraceState* trace = internal::State().trace;
    return StrCat("<symbolic ", trace ? ir::Print(type(), *trace->module) : type().ToString(), ">");
  }
  if (rank() == 0) return PrintScalar(*this);
  if (size() == 0) return "[]";
  const bool summarise = size() > kThreshold;
  switch (dtype()) {
    case kBool: return Print<bool>(*this, summarise, BoolWords);
    case kInt8: return Print<int8_t>(*this, summarise, IntegerWords<int8_t>);
    case kInt16: return Print<int16_t>(*this, summarise, IntegerWords<int16_t>);
    case kInt32: return Print<int32_t>(*this, summarise, IntegerWords<int32_t>);
    case kInt64: return Print<int64_t>(*this, summarise, IntegerWords<int64_t>);
    case kUInt8: return Print<uint8_t>(*this, summarise, IntegerWords<uint8_t>);
    case kUInt16: return Print<uint16_t>(*this, summarise, IntegerWords<uint16_t>);
    case kUInt32: return Print<uint32_t>(*this, summarise, IntegerWords<uint32_t>);
    case kUInt64: return Print<uint64_t>(*this, summarise, IntegerWords<uint64_t>);
    case kFloat16: return Print<Float16>(*this, summarise, RealWords<Float16>);
    case kBFloat16: return Print<BFloat16>(*this, summarise, RealWords<BFloat16>);
    case kFloat32: return Print<float>(*this, summarise, RealWords<float>);
    case kFloat64: return Print<double>(*this, summarise, RealWords<double>);
    case kComplex64: return Print<std::complex<float>>(*this, summarise, ComplexWords<float>);
    default: return Print<std::complex<double>>(*this, summarise, ComplexWords<double>);
  }
}

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) { return stream << tensor.str(); }

}  // namespace reel
