#include "ir/types.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "ir/rank_handler.h"

namespace reel {
namespace {

struct DTypeInfo {
  std::string_view name, numpy;
  int64_t size;
};

constexpr DTypeInfo kInfo[kNumDTypes] = {
    {"bool", "bool", 1},   {"i8", "int8", 1},       {"i16", "int16", 2},        {"i32", "int32", 4},
    {"i64", "int64", 8},   {"u8", "uint8", 1},      {"u16", "uint16", 2},       {"u32", "uint32", 4},
    {"u64", "uint64", 8},  {"f16", "float16", 2},   {"bf16", "bfloat16", 2},    {"f32", "float32", 4},
    {"f64", "float64", 8}, {"c64", "complex64", 8}, {"c128", "complex128", 16},
};

const DTypeInfo& Info(DType dtype) { return kInfo[static_cast<size_t>(dtype)]; }

std::atomic<SymbolicExtentHandler> symbolic_extent_handler{nullptr};
std::atomic<RankHandler> rank_handler{nullptr};

}  // namespace

int64_t SizeOf(DType dtype) { return Info(dtype).size; }
std::string_view Name(DType dtype) { return Info(dtype).name; }
std::string_view NumPyName(DType dtype) { return Info(dtype).numpy; }

bool ParseDType(std::string_view name, DType* dtype) {
  for (int i = 0; i < kNumDTypes; ++i) {
    if (kInfo[i].name == name) {
      *dtype = static_cast<DType>(i);
      return true;
    }
  }
  return false;
}

bool IsFloat(DType d) { return d >= kFloat16 && d <= kFloat64; }
bool IsHalf(DType d) { return d == kFloat16 || d == kBFloat16; }
bool IsInteger(DType d) { return d >= kInt8 && d <= kUInt64; }
bool IsUnsigned(DType d) { return d >= kUInt8 && d <= kUInt64; }
bool IsComplex(DType d) { return d >= kComplex64; }
DType RealOf(DType d) { return d == kComplex64 ? kFloat32 : d == kComplex128 ? kFloat64 : d; }

int64_t LowestInt(DType d) {
  if (d == kBool || IsUnsigned(d)) return 0;
  return static_cast<int64_t>(~uint64_t{0} << (8 * SizeOf(d) - 1));
}
int64_t HighestInt(DType d) {
  if (d == kBool) return 1;
  return static_cast<int64_t>(~uint64_t{0} >> (64 - 8 * SizeOf(d) + (IsUnsigned(d) ? 0 : 1)));
}

void SetSymbolicExtentHandler(SymbolicExtentHandler handler) { symbolic_extent_handler = handler; }

void SetRankHandler(RankHandler handler) { rank_handler = handler; }

void Extent::NeedNumber(int32_t symbol) {
  if (const SymbolicExtentHandler handler = symbolic_extent_handler) handler(symbol);
  throw std::logic_error("a symbolic extent is used as a number");
}

Shape::Shape(std::initializer_list<Extent> extents) {
  for (Extent e : extents) push_back(e);
}
Shape::Shape(std::span<const Extent> extents) {
  for (Extent e : extents) push_back(e);
}
Shape::Shape(const std::vector<int64_t>& extents) {
  for (int64_t e : extents) push_back(e);
}

void Shape::push_back(Extent extent) {
  if (rank_ >= kMaxRank) {
    if (const RankHandler handler = rank_handler) handler();
    throw std::length_error("a shape has at most 10 extents");
  }
  extents_[static_cast<size_t>(rank_++)] = extent;
}

void Shape::insert(int axis, Extent extent) {
  push_back(extent);
  const auto first = extents_.begin();
  std::rotate(first + axis, first + rank_ - 1, first + rank_);
}

void Shape::erase(int axis) {
  const auto first = extents_.begin();
  std::copy(first + axis + 1, first + rank_, first + axis);
  --rank_;
}

bool Shape::is_constant() const {
  return std::all_of(begin(), end(), [](Extent e) { return e.is_constant(); });
}

bool Shape::has_zero() const { return std::find(begin(), end(), Extent(0)) != end(); }

int64_t Shape::size() const {
  int64_t n = 1;
  for (Extent e : *this) n *= e.value();
  return n;
}

std::vector<int64_t> Shape::dims() const {
  std::vector<int64_t> out;
  for (Extent e : *this) out.push_back(e.value());
  return out;
}

std::string Shape::ToString() const {
  std::string out = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i) out += ",";
    const Extent e = (*this)[i];
    out += e.is_constant() ? std::to_string(e.value()) : "?" + std::to_string(e.symbol());
  }
  return out + "]";
}

bool operator==(const Shape& a, const Shape& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::string Type::ToString() const { return std::string(Name(dtype)) + shape.ToString(); }

std::vector<int64_t> WithoutOnes(const Shape& shape) {
  std::vector<int64_t> dims = shape.dims();
  std::erase(dims, 1);
  return dims;
}

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = stride;
    stride *= shape.dim(i);
  }
  return strides;
}

bool FitsInMemory(const Shape& shape) {
  // Zero extents do not excuse an overflow in the others: strides are computed from them too.
  int64_t n = 16;
  for (Extent e : shape) {
    if (!e.is_constant()) continue;
    if (__builtin_mul_overflow(n, std::max<int64_t>(e.value(), 1), &n)) return false;
    if (n > (int64_t{1} << 62)) return false;
  }
  return true;
}

}  // namespace reel
