#include "frontend/stablehlo/import/context.h"

#include <algorithm>
#include <limits>

#include "frontend/eager/dispatch.h"
#include "ir/strings.h"
#include "reel/error.h"

namespace reel::stablehlo::reading {

using internal::Dispatch;
using Kind = Attribute::Kind;

void Refuse(std::string_view what) { throw Error(ErrorCode::kUnimplemented, std::string(what)); }
void Malformed(std::string_view what) { throw Error(ErrorCode::kInvalidArgument, std::string(what)); }

const Value& Context::Input(size_t i) const {
  if (i >= inputs_.size()) Malformed(StrCat("it has ", inputs_.size(), " operands, and needs more"));
  return inputs_[i];
}

Tensors Context::All() const {
  Tensors out;
  for (const Value& v : inputs_) out.push_back(v.tensor);
  return out;
}

const Type& Context::type(size_t i) const {
  if (i >= op_.types.size()) Malformed(StrCat("it has ", op_.types.size(), " results, and needs more"));
  return op_.types[i];
}

const Attribute* Context::Field(std::string_view record, std::string_view name) const {
  if (const Attribute* whole = op_.Find(record)) return whole->Find(name);
  return op_.Find(name);
}

Ints Context::ReadInts(const Attribute* attribute, std::string_view name, const Ints& otherwise) const {
  if (!attribute) return otherwise;
  Ints out;
  if (attribute->kind == Kind::kDense && attribute->dense && IsInteger(attribute->dense->type.dtype)) {
    const DenseElements& dense = *attribute->dense;
    const int64_t count = dense.type.shape.size();
    // No list of a program has more numbers than this.
    constexpr int64_t kMost = 1 << 20;
    if (count > kMost) Malformed(StrCat(name, " is a list of ", count, " numbers"));
    for (int64_t i = 0; i < count; ++i) out.push_back(dense.literal.AsInt(dense.splat ? 0 : i));
    return out;
  }
  if (attribute->kind != Kind::kList) Malformed(StrCat(name, " is no list of integers"));
  for (const Attribute& element : attribute->list) {
    if (element.kind != Kind::kInt && element.kind != Kind::kBool) Malformed(StrCat(name, " is no list of integers"));
    out.push_back(element.integer);
  }
  return out;
}

Ints Context::ReadInts(std::string_view name, const Ints& otherwise) const {
  return ReadInts(op_.Find(name), name, otherwise);
}

Ints Context::NeedInts(std::string_view name) const {
  if (!Has(name)) Malformed(StrCat("the attribute ", name, " is missing"));
  return ReadInts(name);
}

int64_t Context::Int(std::string_view name, int64_t otherwise) const {
  const Attribute* attribute = op_.Find(name);
  if (!attribute) return otherwise;
  if (attribute->kind != Kind::kInt) Malformed(StrCat(name, " is no integer"));
  return attribute->integer;
}

int64_t Context::NeedInt(std::string_view name) const {
  if (!Has(name)) Malformed(StrCat("the attribute ", name, " is missing"));
  return Int(name, 0);
}

bool Context::Bool(std::string_view name, bool otherwise) const {
  const Attribute* attribute = op_.Find(name);
  if (!attribute) return otherwise;
  if (attribute->kind != Kind::kBool && attribute->kind != Kind::kInt) Malformed(StrCat(name, " is no bool"));
  return attribute->integer != 0;
}

std::string Context::Word(std::string_view name, std::string_view otherwise) const {
  const Attribute* attribute = op_.Find(name);
  if (!attribute) return std::string(otherwise);
  if (attribute->kind != Kind::kWord && attribute->kind != Kind::kString) Malformed(StrCat(name, " is no word"));
  return attribute->text;
}

std::vector<std::pair<int64_t, int64_t>> Context::Pairs(std::string_view name, size_t n) const {
  std::vector<std::pair<int64_t, int64_t>> out(n);
  const Attribute* attribute = op_.Find(name);
  if (!attribute) return out;
  Ints flat;
  if (attribute->kind == Kind::kList) {
    for (const Attribute& row : attribute->list) {
      for (const int64_t number : ReadInts(&row, name)) flat.push_back(number);
    }
  } else {
    flat = ReadInts(attribute, name);
  }
  if (flat.size() != 2 * n) Malformed(StrCat(name, " has ", flat.size(), " numbers, not two for each of ", n, " axes"));
  for (size_t i = 0; i < n; ++i) out[i] = {flat[2 * i], flat[2 * i + 1]};
  return out;
}

const Region& Context::region(size_t i) const {
  if (i >= op_.regions.size()) Malformed(StrCat("it has ", op_.regions.size(), " regions, and needs more"));
  return op_.regions[i];
}

Tensor ConstantOf(const DenseElements& dense) {
  const Tensor value = Dispatch(ir::Op::kConstant, {}, {{"value", dense.literal}});
  return dense.splat ? BroadcastAlong(value, dense.type.shape, {}) : value;
}

Tensor ScalarOf(DType dtype, int64_t value) {
  return Dispatch(ir::Op::kConstant, {}, {{"value", ir::Literal::ScalarInt(dtype, value)}});
}

Tensor Transposed(const Tensor& x, const Ints& permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end()) && permutation.size() == static_cast<size_t>(x.rank())) {
    return x;
  }
  return Dispatch(ir::Op::kTranspose, {x}, {{"permutation", permutation}});
}

Tensor Reshaped(const Tensor& x, const Shape& shape) {
  return x.shape() == shape ? x : Dispatch(ir::Op::kReshape, {x}, {{"shape", shape}});
}

Tensor BroadcastAlong(const Tensor& x, const Shape& shape, const Ints& axes) {
  // Reel's axes increase.
  if (!std::is_sorted(axes.begin(), axes.end())) {
    Ints order(axes.size()), sorted = axes;
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    std::sort(order.begin(), order.end(),
              [&](int64_t a, int64_t b) { return axes[static_cast<size_t>(a)] < axes[static_cast<size_t>(b)]; });
    std::sort(sorted.begin(), sorted.end());
    return BroadcastAlong(Transposed(x, order), shape, sorted);
  }
  if (x.shape() == shape) return x;
  return Dispatch(ir::Op::kBroadcast, {x}, {{"axes", axes}, {"shape", shape}});
}

Tensor Padded(const Tensor& x, const Tensor& value, const Ints& low, const Ints& high, const Ints& interior) {
  const auto rank = static_cast<size_t>(x.rank());
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    Malformed("its paddings are not one for each axis");
  const auto none = [](int64_t n) { return n == 0; };
  Ints before = low, after = high, starts(rank, 0), limits, strides(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    before[i] = std::max<int64_t>(low[i], 0);
    after[i] = std::max<int64_t>(high[i], 0);
  }
  Tensor out = x;
  if (!std::all_of(before.begin(), before.end(), none) || !std::all_of(after.begin(), after.end(), none) ||
      !std::all_of(interior.begin(), interior.end(), none)) {
    out = Dispatch(ir::Op::kPad, {x, value}, {{"low", before}, {"high", after}, {"interior", interior}});
  }
  bool cut = false;
  for (size_t i = 0; i < rank; ++i) {
    starts[i] = low[i] < 0 ? -low[i] : 0;
    limits.push_back(out.shape().dim(static_cast<int>(i)) + std::min<int64_t>(high[i], 0));
    cut = cut || low[i] < 0 || high[i] < 0;
  }
  return cut ? Dispatch(ir::Op::kSlice, {out}, {{"starts", starts}, {"limits", limits}, {"strides", strides}}) : out;
}

Ints Inverse(const Ints& permutation) {
  Ints out(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) out[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return out;
}

void CheckAxes(const Ints& axes, int rank, std::string_view what) {
  std::vector<bool> seen(static_cast<size_t>(rank));
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= rank) Malformed(StrCat(what, ": there is no axis ", axis, " among ", rank));
    if (seen[static_cast<size_t>(axis)]) Malformed(StrCat(what, ": axis ", axis, " is named twice"));
    seen[static_cast<size_t>(axis)] = true;
  }
}

std::string CombinerOf(const Region& region, size_t i) {
  const size_t n = region.parameters.size() / 2;
  if (region.parameters.size() != 2 * n || i >= n || region.operations.empty()) return "";
  const Operation& end = region.operations.back();
  if (end.operands.size() <= i) return "";
  const std::string &result = end.operands[i], &a = region.parameters[i].name, &b = region.parameters[n + i].name;
  if (result == a) return "first";
  if (result == b) return "second";
  for (const Operation& op : region.operations) {
    if (op.results.size() != 1 || op.results[0] != result || op.operands.size() != 2) continue;
    const bool ordered = op.operands[0] == a && op.operands[1] == b;
    const bool turned = op.operands[0] == b && op.operands[1] == a;
    return ordered || turned ? op.name : "";
  }
  return "";
}

bool IsNeutral(std::string_view combiner, const ir::Literal& element) {
  const DType dtype = element.dtype();
  if (IsComplex(dtype)) return false;
  const double value = element.AsDouble(0);
  const bool is_float = IsFloat(dtype);
  if (dtype == kBool) {
    const bool all = combiner == "stablehlo.and" || combiner == "stablehlo.minimum" || combiner == "stablehlo.multiply";
    return (value != 0) == all;
  }
  if (combiner == "stablehlo.add") return value == 0;
  if (combiner == "stablehlo.multiply") return value == 1;
  if (combiner == "stablehlo.maximum")
    return is_float ? value == -std::numeric_limits<double>::infinity() : element.AsInt(0) == LowestInt(dtype);
  if (combiner == "stablehlo.minimum")
    return is_float ? value == std::numeric_limits<double>::infinity() : element.AsInt(0) == HighestInt(dtype);
  return false;
}

}  // namespace reel::stablehlo::reading
