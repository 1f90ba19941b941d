#include "frontend/autodiff/check_numerics.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "frontend/autodiff/backward.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"

namespace reel {
namespace internal {
namespace {

using passes::NumericsFault;

constexpr std::string_view kAdvice = "; keep what goes in in range, or turn check_numerics off";

NumericsFault::Kind KindOf(double x) {
  if (std::isnan(x)) return NumericsFault::Kind::kNaN;
  return x > 0 ? NumericsFault::Kind::kInf : NumericsFault::Kind::kMinusInf;
}

struct Wanted {
  bool nan, infinity;
  bool operator()(double x) const { return std::isnan(x) ? nan : infinity && std::isinf(x); }
};

// The first of n elements of so many numbers.
template <typename T, int kParts = 1>
std::optional<NumericsFault> FirstFault(const void* data, int64_t n, Wanted wanted) {
  const T* x = static_cast<const T*>(data);
  const auto number = [x](int64_t i) { return static_cast<double>(x[i]); };
  for (int64_t i = 0; i < kParts * n; ++i) {
    if (!wanted(number(i))) continue;
    // Of a complex number, as compiled code says it: NaN, if a part is.
    const bool nan = kParts == 2 && wanted.nan && std::isnan(number(i ^ 1));
    return NumericsFault{0, i / kParts, nan ? NumericsFault::Kind::kNaN : KindOf(number(i))};
  }
  return std::nullopt;
}

std::optional<NumericsFault> FaultOf(const Tensor& t, Wanted wanted) {
  if (!IsDifferentiable(t.dtype())) return std::nullopt;
  const void* data = t.raw_data();
  switch (t.dtype()) {
    case kFloat16: return FirstFault<Float16>(data, t.size(), wanted);
    case kBFloat16: return FirstFault<BFloat16>(data, t.size(), wanted);
    case kFloat32: return FirstFault<float>(data, t.size(), wanted);
    case kFloat64: return FirstFault<double>(data, t.size(), wanted);
    case kComplex64: return FirstFault<float, 2>(data, t.size(), wanted);
    default: return FirstFault<double, 2>(data, t.size(), wanted);
  }
}

// Where it came from: an operand that had one before, or the numbers that the op made it of.
std::string Origin(ir::Op op, absl::Span<const Tensor> operands, int64_t element) {
  bool complex = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    complex = complex || IsComplex(operands[i].dtype());
    if (FaultOf(operands[i], {true, false})) {
      return StrCat("; operand ", i, " ", operands[i].type().ToString(), " brings NaN in, from an input or a constant");
    }
  }
  if (complex || !ir::Info(op).Has(ir::kElementwise)) return "; no operand has NaN";
  std::string values;
  for (const Tensor& x : operands) {
    StrAppend(&values, values.empty() ? "" : " and ", static_cast<float>(ToLiteral(x).AsDouble(element)));
  }
  return StrCat(operands.size() == 1 ? "; its operand is " : "; its operands are ", values, " there");
}

}  // namespace

std::atomic<NumericsCheck> numerics_check{NumericsCheck::kOff};

void CheckNumericsOf(ir::Op op, absl::Span<const Tensor> operands, absl::Span<const Tensor> results) {
  if (!passes::ChecksNumerics(op)) return;
  const bool infinities = numerics_check.load(std::memory_order_relaxed) == NumericsCheck::kNanAndInf;
  for (const Tensor& y : results) {
    auto fault = FaultOf(y, {true, infinities});
    const auto brought = [](const Tensor& x) { return FaultOf(x, {false, true}).has_value(); };
    if (fault && std::any_of(operands.begin(), operands.end(), brought)) fault = FaultOf(y, {true, false});
    if (!fault) continue;
    const std::optional<ir::Op> of = GradientOf();
    ThrowInvalid(
        StrCat("check_numerics: ", passes::NumericsText(op, y.type(), of ? ir::Name(*of) : std::string_view(), *fault),
               Origin(op, operands, fault->element), kAdvice));
  }
}

void CheckNumericsFault(std::string_view entry, const std::vector<passes::NumericsSite>& sites, int64_t result) {
  if (result == passes::NoNumericsFault()) return;
  const NumericsFault fault = passes::DecodeNumericsFault(result);
  const passes::NumericsSite& site = sites[static_cast<size_t>(fault.site)];
  std::string text = StrCat("check_numerics: run ", entry, ": ", passes::NumericsText(site, fault));
  if (site.function != entry) StrAppend(&text, ", in @", site.function);
  if (site.location.line > 0) StrAppend(&text, ", at ", site.location.file, ":", site.location.line);
  ThrowInvalid(StrCat(text, kAdvice));
}

}  // namespace internal

NumericsCheck CheckNumerics(NumericsCheck check) { return internal::numerics_check.exchange(check); }

}  // namespace reel
