#include "frontend/eager/kernel_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "codegen/library/library.h"
#include "frontend/eager/kernel.h"
#include "frontend/program/compiled_data.h"
#include "ir/lazy.h"
#include "ir/reduction_order.h"
#include "runtime/shared_library.h"
#include "runtime/thread_pool.h"

namespace reel::internal {
namespace {

using codegen::LibraryKernel;

constexpr int64_t kShortRow = 16;                     // rows that are faster as columns
constexpr int64_t kNarrow = 256;                  // elements of a row: of more it pays to read them in order
constexpr int64_t kChunk = 1 << 15;               // elements that one thread takes at a time
constexpr int64_t kTile = 1 << 11;                // of a number that is repeated

// Kernels by op, dtype of the last operand, dtype of the result and variant.
class Table {
 public:
  Table() {
    void* const library = runtime::OpenBeside("libreel_kernels.so");
    const auto get = library ? reinterpret_cast<codegen::Library (*)()>(::dlsym(library, "reel_kernels")) : nullptr;
    if (!get) return;  // every op is compiled on its first use
    const codegen::Library all = get();
    for (int64_t i = 0; i < all.count; ++i) {
      const LibraryKernel& k = all.kernels[i];
      const uint8_t* last = std::find(k.operand, k.operand + 3, LibraryKernel::kNone) - 1;
      kernels_[Index(static_cast<ir::Op>(k.op), static_cast<DType>(*last), static_cast<DType>(k.result), k.variant)] =
          &k;
    }
  }
  const LibraryKernel* Find(ir::Op op, DType operand, DType result, uint8_t variant) const {
    return kernels_[Index(op, operand, result, variant)];
  }

 private:
  static constexpr size_t kOps = 128, kDTypes = 16;
  static size_t Index(ir::Op op, DType operand, DType result, uint8_t variant) {
    return ((static_cast<size_t>(op) * kDTypes + static_cast<size_t>(operand)) * kDTypes +
            static_cast<size_t>(result)) *
               LibraryKernel::kVariants +
           variant;
  }
  std::array<const LibraryKernel*, kOps * kDTypes * kDTypes * LibraryKernel::kVariants> kernels_{};
};

const LibraryKernel* FindKernel(ir::Op op, DType operand, DType result, uint8_t variant = LibraryKernel::kWhole) {
  static constinit Lazy<const Table> table;
  return table.Get().Find(op, operand, result, variant);
}

// in: up to three operands; the result goes to out.
void Call(const LibraryKernel& k, const void* const* in, void* out, int64_t length) {
  const void* buffers[4];
  for (size_t i = 0; i < 4 && k.order[i] != LibraryKernel::kNone; ++i) {
    buffers[i] = k.order[i] == LibraryKernel::kResult ? out : in[k.order[i]];
  }
  k.code(buffers, length);
}

const std::byte* At(const void* base, int64_t bytes) { return static_cast<const std::byte*>(base) + bytes; }
std::byte* At(void* base, int64_t bytes) { return static_cast<std::byte*>(base) + bytes; }

// --- reductions ---

struct Reduction {
  const LibraryKernel *block, *short_rows, *columns, *combine;  // combine: elementwise, null if there is none
  int64_t bytes;                                      // of an element
};

// `count` contiguous elements to one: blocks of 4,096, then their results by the same rule.
void ReduceRow(const Reduction& r, const void* x, int64_t count, void* out) {
  const auto one = [&](const void* from, int64_t n, void* to) {
    Call(n <= ir::kPartials ? *r.short_rows : *r.block, &from, to, n);
  };
  if (count <= ir::kReducedBlock) return one(x, count, out);
  const int64_t blocks = (count + ir::kReducedBlock - 1) / ir::kReducedBlock;
  const auto sums = runtime::Buffer::Allocate(static_cast<size_t>(blocks * r.bytes));
  runtime::ParallelFor(blocks, [&](int64_t i) noexcept {
    const int64_t begin = i * ir::kReducedBlock;
    one(At(x, begin * r.bytes), std::min(ir::kReducedBlock, count - begin), At(sums.data(), i * r.bytes));
  });
  ReduceRow(r, sums.data(), blocks, out);  // as deep as count's logarithm to base 4,096
}

void Combine(const Reduction& r, void* to, const void* from, int64_t elements) {
  const void* in[2] = {to, from};
  Call(*r.combine, in, to, elements);
}

// The tree over at most 64 partials of `width` elements each; the result is the first.
void AddTree(const Reduction& r, void* partials, int64_t count, int64_t width) {
  for (int64_t s = ir::kPartials / 2; s > 0; s /= 2) {
    if (s < count) Combine(r, partials, At(partials, s * width * r.bytes), std::min(s, count - s) * width);
  }
}

// At most 64 rows of `width` elements, one after another.
void AddGroup(const Reduction& r, const void* x, int64_t rows, int64_t width, void* out) {
  const int64_t row = width * r.bytes;
  if (rows == ir::kPartials && width <= kNarrow) {
    const void* in[2] = {x, &width};
    return Call(*r.columns, in, out, width);
  }
  std::memcpy(out, x, static_cast<size_t>(row));
  for (int64_t i = 1; i < rows; ++i) Combine(r, out, At(x, i * row), width);
}

// Rows of `width` elements to one: groups of 64, then their sums by the same rule. As deep as the logarithm to base 64.
void ReduceColumns(const Reduction& r, const void* x, int64_t rows, int64_t width, void* out) {
  if (rows <= ir::kPartials) return AddGroup(r, x, rows, width, out);
  const int64_t row = width * r.bytes, groups = (rows + ir::kPartials - 1) / ir::kPartials;
  const auto sums = runtime::Buffer::Allocate(static_cast<size_t>(groups * row));
  const int64_t at_once = std::max<int64_t>(1, kChunk / (ir::kPartials * width));
  runtime::ParallelFor((groups + at_once - 1) / at_once, [&](int64_t chunk) noexcept {
    for (int64_t g = chunk * at_once; g < std::min(groups, (chunk + 1) * at_once); ++g) {
      const int64_t first = g * ir::kPartials;
      AddGroup(r, At(x, first * row), std::min(ir::kPartials, rows - first), width, At(sums.data(), g * row));
    }
  });
  ReduceColumns(r, sums.data(), groups, width, out);
}

// The elementwise op that adds one more element to a reduction.
ir::Op CombineOf(ir::Op op) {
  switch (op) {
    case ir::Op::kReduceSum: return ir::Op::kAdd;
    case ir::Op::kReduceProd: return ir::Op::kMul;
    case ir::Op::kReduceMax: return ir::Op::kMax;
    default: return ir::Op::kMin;
  }
}

using Ints = std::vector<int64_t>;

// Reduced axes that are neighbours: [outer, count, inner] -> [outer, inner].
bool Reduce(ir::Op op, const Ints& axes, const Tensor& x, void* out) {
  const DType dtype = x.dtype();
  if (axes.empty() || axes.back() - axes.front() + 1 != static_cast<int64_t>(axes.size())) return false;
  int64_t extents[3] = {1, 1, 1};
  for (int i = 0; i < x.rank(); ++i) {
    extents[i < axes.front() ? 0 : i <= axes.back() ? 1 : 2] *= x.shape().dim(i);
  }
  const auto [outer, count, inner] = extents;
  const Reduction r{FindKernel(op, dtype, dtype), FindKernel(op, dtype, dtype, LibraryKernel::kShort),
                    FindKernel(op, dtype, dtype, LibraryKernel::kColumns), FindKernel(CombineOf(op), dtype, dtype),
                    SizeOf(dtype)};
  if (!r.block || !r.short_rows || count == 0) return false;
  const bool half = IsHalf(dtype);  // sums are f32 until the end
  if (half && (count > ir::kReducedBlock || inner > 1)) return false;
  if (inner > 1 && (!r.combine || !r.columns)) return false;
  if (outer == 0 || inner == 0) return true;
  if (inner == 1 && count <= kShortRow && outer >= ir::kPartials && r.combine && !half) {
    // Short rows: side by side as columns.
    const Type columns{dtype, {count, outer}};
    const auto turned = runtime::Buffer::Allocate(static_cast<size_t>(columns.bytes()));
    Transpose(x.raw_data(), outer, count, SizeOf(dtype), turned.data());
    AddTree(r, turned.data(), count, outer);
    std::memcpy(out, turned.data(), static_cast<size_t>(outer * r.bytes));
    return true;
  }
  const auto one = [&](int64_t i) {
    const void* from = At(x.raw_data(), i * count * inner * r.bytes);
    void* const to = At(out, i * inner * r.bytes);
    inner == 1 ? ReduceRow(r, from, count, to) : ReduceColumns(r, from, count, inner, to);
  };
  if (inner > 1 || count > ir::kReducedBlock || outer * count <= 2 * kChunk) {  // the first two allocate
    for (int64_t i = 0; i < outer; ++i) one(i);
    return true;
  }
  const int64_t rows = std::max<int64_t>(1, kChunk / count);
  runtime::ParallelFor((outer + rows - 1) / rows, [&](int64_t chunk) noexcept {
    for (int64_t i = chunk * rows; i < std::min(outer, (chunk + 1) * rows); ++i) one(i);
  });
  return true;
}

// Over everything: the last axis first, if it is long enough, then the others.
bool ReduceAll(ir::Op op, Ints axes, Tensor x, void* out) {
  while (axes.size() > 1 && static_cast<int>(axes.size()) == x.rank() && x.shape().dim(x.rank() - 1) >= ir::kPartials) {
    if (IsHalf(x.dtype())) return false;  // sums are f32 until the end
    Ints rest = x.shape().dims();
    rest.pop_back();
    const Type rows{x.dtype(), Shape(rest)};
    runtime::Buffer buffer = NewBuffer(rows);
    if (!Reduce(op, {axes.back()}, x, buffer.data())) return false;
    x = MakeTensor(rows, std::move(buffer));
    axes.pop_back();
  }
  return Reduce(op, axes, x, out);
}

}  // namespace

LibraryOp FindInLibrary(ir::Op op, DType dtype) {
  if (const LibraryKernel* k = FindKernel(op, dtype, dtype)) return {k, dtype};
  return {FindKernel(op, dtype, kBool), kBool};
}

void RunElementwise(const LibraryKernel& k, absl::Span<const ElementwiseOperand> operands, const Type& result,
                    void* out) {
  const int64_t n = result.shape.size(), result_bytes = SizeOf(result.dtype);
  const bool repeats = std::any_of(operands.begin(), operands.end(), [](const auto& x) { return x.repeated; });
  if (n <= 2 * kChunk && !repeats) {
    std::array<const void*, 3> in{};
    for (size_t i = 0; i < operands.size(); ++i) in[i] = operands[i].data;
    return Call(k, in.data(), out, n);
  }
  // A number is repeated in short tiles, which stay in the L1 cache; all operands go tile by tile then.
  const int64_t step = repeats ? kTile : kChunk;
  std::array<runtime::Buffer, 3> tiles;
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto& [repeated, dtype, data] = operands[i];
    if (repeated) tiles[i] = Filled(static_cast<const std::byte*>(data), {dtype, {kTile}});
  }
  runtime::ParallelFor((n + kChunk - 1) / kChunk, [&](int64_t chunk) noexcept {
    const int64_t end = std::min(n, (chunk + 1) * kChunk);
    for (int64_t begin = chunk * kChunk; begin < end; begin += step) {
      std::array<const void*, 3> part{};
      for (size_t i = 0; i < operands.size(); ++i) {
        const auto& [repeated, dtype, data] = operands[i];
        part[i] = repeated ? tiles[i].data() : At(data, begin * SizeOf(dtype));
      }
      Call(k, part.data(), At(out, begin * result_bytes), std::min(step, end - begin));
    }
  });
}

bool RunFromLibrary(ir::Op op, const ir::Attributes& attributes, absl::Span<const Tensor> operands, const Type& result,
                    void* out) {
  if (ir::Info(op).Has(ir::kElementwise)) {
    const LibraryKernel* k = FindKernel(op, operands.back().dtype(), result.dtype);
    if (!k) return false;
    std::array<ElementwiseOperand, 3> in;
    for (size_t i = 0; i < operands.size(); ++i) in[i] = ElementwiseOperand(*operands[i].internal_data());
    RunElementwise(*k, {in.data(), operands.size()}, result, out);
    return true;
  }
  switch (op) {
    case ir::Op::kReduceSum:
    case ir::Op::kReduceMax:
    case ir::Op::kReduceMin:
    case ir::Op::kReduceProd: return ReduceAll(op, attributes.Get<Ints>("axes"), operands[0], out);
    default: return RunAsCopy(op, attributes, operands, result, out);
  }
}

}  // namespace reel::internal
