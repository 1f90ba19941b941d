#include "tests/ops/compare.h"

#include <cmath>
#include <cstring>

#include "ir/strings.h"

namespace reel::optable {
namespace {

std::string Show(const ir::Literal& l, int64_t k) {
  if (!IsFloat(l.dtype())) return StrCat(l.AsInt(k));
  const double x = l.AsDouble(k);
  return std::signbit(x) && x == 0 ? "-0" : StrCat(x);
}

bool SameElement(const ir::Literal& a, const ir::Literal& b, int64_t k) {
  if (IsFloat(a.dtype()) && std::isnan(a.AsDouble(k)) && std::isnan(b.AsDouble(k))) return true;
  const auto size = static_cast<size_t>(SizeOf(a.dtype())), at = static_cast<size_t>(k) * size;
  return std::memcmp(a.bytes().data() + at, b.bytes().data() + at, size) == 0;
}

// Is x close enough to the unrounded y? A difference of 0 allows no other sign of zero.
bool Near(double x, double y, double magnitude, double largest, const FloatFormat& format, const Tolerance& t) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) == std::isnan(y);
  if (x == y) return x != 0 || std::signbit(x) == std::signbit(y) || magnitude > 0 || t.norm > 0;
  if (std::isinf(y)) {  // only a result at the edge of overflow may stay finite
    return t.ulps > 0 && std::signbit(x) == std::signbit(y) &&
           std::fabs(x) >= format.most * (1 - t.ulps * format.epsilon);
  }
  const double ulp =
      std::max(format.tiny, std::ldexp(format.epsilon, std::ilogb(std::max(std::fabs(y), format.least))));
  const double allowed = t.ulps * ulp + t.terms * (format.epsilon * magnitude + format.tiny) +
                         t.norm * (format.epsilon * largest + format.tiny);
  if (std::isinf(x)) return std::signbit(x) == std::signbit(y) && std::fabs(y) + allowed >= format.most;
  return std::fabs(x - y) <= allowed;
}

// A complex literal as its parts, [..., 2]; a real one itself.
ir::Literal Parts(const ir::Literal& l) {
  if (!IsComplex(l.dtype())) return l;
  Type type{RealOf(l.dtype()), l.shape()};
  type.shape.push_back(2);
  return ir::Literal(type, {l.bytes().begin(), l.bytes().end()});
}

ir::EvalTensor Parts(const ir::EvalTensor& t) {
  if (!IsComplex(t.type.dtype)) return t;
  ir::EvalTensor out{{RealOf(t.type.dtype), t.type.shape}, {}, {}};
  out.type.shape.push_back(2);
  for (const auto& z : t.c) out.f.insert(out.f.end(), {z.real(), z.imag()});
  return out;
}

}  // namespace

std::string DifferentBits(const ir::Literal& got, const ir::Literal& want) {
  if (got.type() != want.type()) {
    return StrCat("type ", got.type().ToString(), ", want ", want.type().ToString());
  }
  if (IsComplex(got.dtype())) return DifferentBits(Parts(got), Parts(want));
  for (int64_t k = 0; k < got.size(); ++k) {
    if (SameElement(got, want, k)) continue;
    return StrCat("element ", k, " of ", got.type().ToString(), " is ", Show(got, k), ", want ", Show(want, k));
  }
  return "";
}

std::string TooFar(const ir::Literal& got, const ir::EvalTensor& reference, const ir::EvalTensor& magnitude,
                   const Tolerance& tolerance) {
  if (IsComplex(got.dtype()) && got.type() == reference.type) {
    ir::EvalTensor size = magnitude;  // of the absolute values: no imaginary part
    for (auto& z : size.c) z = {z.real(), z.real()};
    return TooFar(Parts(got), Parts(reference), Parts(size), tolerance);
  }
  if (tolerance.exact() || !IsFloat(got.dtype())) return DifferentBits(got, ir::ToLiteral(reference));
  if (got.type() != reference.type) {
    return StrCat("type ", got.type().ToString(), ", want ", reference.type.ToString());
  }
  const FloatFormat format = FormatOf(got.dtype());
  double largest = 0;
  for (double y : reference.f) largest = std::max(largest, std::isfinite(y) ? std::fabs(y) : 0);
  for (int64_t k = 0; k < got.size(); ++k) {
    const auto n = static_cast<size_t>(k);
    const double scale = tolerance.terms == 0 ? 0 : magnitude.f[n];
    if (Near(got.AsDouble(k), reference.f[n], scale, largest, format, tolerance)) continue;
    return StrCat("element ", k, " of ", got.type().ToString(), " is ", Show(got, k), ", want ", reference.f[n],
                  ", difference ", got.AsDouble(k) - reference.f[n]);
  }
  return "";
}

ir::Literal Absolute(const ir::Literal& literal) {
  if (IsComplex(literal.dtype())) {
    ir::EvalTensor t = *ir::FromLiteral(literal);
    for (auto& z : t.c) z = std::abs(z);
    return ir::ToLiteral(t);
  }
  if (!IsFloat(literal.dtype())) return literal;
  std::vector<double> values(static_cast<size_t>(literal.size()));
  for (int64_t k = 0; k < literal.size(); ++k) values[static_cast<size_t>(k)] = std::fabs(literal.AsDouble(k));
  return MakeLiteral(literal.type(), values);
}

}  // namespace reel::optable
