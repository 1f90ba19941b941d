#include <algorithm>
#include <cstring>

#include "frontend/eager/kernel_library.h"
#include "runtime/thread_pool.h"

// Ops that only move elements: copies from strided memory to contiguous memory, or the other way.

namespace reel::internal {
namespace {

using Ints = std::vector<int64_t>;

// Element i of a row-major result comes from offset + sum(i * strides), in elements.
struct Source {
  int64_t offset = 0;
  Ints strides;
};

Source SourceOf(ir::Op op, const ir::Attributes& attributes, const Shape& from, const Shape& to) {
  const Ints strides = RowMajorStrides(from);
  Source s;
  if (op == ir::Op::kTranspose) {
    for (int64_t a : attributes.Get<Ints>("permutation")) s.strides.push_back(strides[static_cast<size_t>(a)]);
  } else if (op == ir::Op::kSlice) {
    const auto &starts = attributes.Get<Ints>("starts"), &steps = attributes.Get<Ints>("strides");
    for (size_t i = 0; i < starts.size(); ++i) {
      s.offset += starts[i] * strides[i];
      s.strides.push_back(strides[i] * steps[i]);
    }
  } else if (op == ir::Op::kBroadcast) {
    const auto& axes = attributes.Get<Ints>("axes");
    s.strides.assign(static_cast<size_t>(to.rank()), 0);
    for (size_t i = 0; i < axes.size(); ++i) {
      if (from.dim(static_cast<int>(i)) != 1) s.strides[static_cast<size_t>(axes[i])] = strides[i];
    }
  } else {  // reverse
    s.strides = strides;
    for (int64_t a : attributes.Get<Ints>("axes")) {
      int64_t& stride = s.strides[static_cast<size_t>(a)];
      s.offset += (from.dim(static_cast<int>(a)) - 1) * stride;
      stride = -stride;
    }
  }
  return s;
}

// Axes of extent 1 dropped, neighbours that are walked as one merged; at least one axis is left.
void Collapse(Ints* extents, Ints* strides) {
  size_t n = 0;
  for (size_t i = 0; i < extents->size(); ++i) {
    const int64_t extent = (*extents)[i], stride = (*strides)[i];
    if (extent == 1) continue;
    if (n > 0 && (*strides)[n - 1] == stride * extent) {
      (*extents)[n - 1] *= extent;
      (*strides)[n - 1] = stride;
      continue;
    }
    (*extents)[n] = extent;
    (*strides)[n++] = stride;
  }
  extents->resize(n);
  strides->resize(n);
  if (n > 0) return;
  extents->push_back(1);
  strides->push_back(1);
}

// The first `done` elements again and again.
template <typename T>
void Repeat(T* to, int64_t done, int64_t total) {
  for (; done < total; done += std::min(done, total - done)) {
    std::memcpy(to + done, to, static_cast<size_t>(std::min(done, total - done)) * sizeof(T));
  }
}

template <typename T>
void CopyRow(const T* from, int64_t stride, int64_t n, T* to) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  } else if (stride == 0) {
    const int64_t first = std::min<int64_t>(n, 16);
    for (int64_t i = 0; i < first; ++i) to[i] = *from;
    Repeat(to, first, n);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
  }
}

// rows x n elements; reading down the columns of the source in blocks that fit the first cache.
template <typename T>
void CopyBlocked(const T* from, int64_t row_stride, int64_t stride, int64_t rows, int64_t n, T* to) {
  constexpr int64_t kBlock = 16;  // so many lines fit the first cache at any distance
  for (int64_t j0 = 0; j0 < n; j0 += kBlock) {
    const int64_t width = std::min(kBlock, n - j0);
    for (int64_t i = 0; i < rows; ++i) CopyRow(from + i * row_stride + j0 * stride, stride, width, to + i * n + j0);
  }
}

template <typename T>
void CopyStrided(const T* from, const Ints& extents, const Ints& strides, T* to) {
  const size_t rank = extents.size();
  if (rank == 2 && strides[0] == 0 && strides[1] == 1) {
    std::memcpy(to, from, static_cast<size_t>(extents[1]) * sizeof(T));
    return Repeat(to, extents[1], extents[0] * extents[1]);
  }
  const bool plane = rank >= 2 && strides[rank - 1] != 0 && strides[rank - 1] != 1;
  const size_t inner = plane ? 2 : 1;
  const int64_t n = extents.back(), rows = plane ? extents[rank - 2] : 1;
  int64_t planes = 1;
  for (size_t i = 0; i + inner < rank; ++i) planes *= extents[i];
  const auto one = [&](int64_t p) noexcept {
    const T* source = from;
    int64_t rest = p;
    for (size_t i = rank - inner; i-- > 0;) {
      source += rest % extents[i] * strides[i];
      rest /= extents[i];
    }
    T* const target = to + p * rows * n;
    plane ? CopyBlocked(source, strides[rank - 2], strides.back(), rows, n, target)
          : CopyRow(source, strides.back(), n, target);
  };
  constexpr int64_t kChunk = 1 << 16;  // elements that one thread takes at a time
  const int64_t each = std::max<int64_t>(1, kChunk / (rows * n)), chunks = (planes + each - 1) / each;
  const auto some = [&](int64_t chunk) noexcept {
    for (int64_t p = chunk * each; p < std::min(planes, (chunk + 1) * each); ++p) one(p);
  };
  chunks == 1 ? some(0) : runtime::ParallelFor(chunks, some);
}

struct alignas(8) Bytes16 {
  uint64_t low, high;
};

// f(T{}) with an unsigned T of the element's size: only bits move.
template <typename F>
void WithElement(int64_t bytes, const F& f) {
  switch (bytes) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    case 8: return f(uint64_t{});
    default: return f(Bytes16{});
  }
}

void Copy(const void* from, const Source& source, const Type& result, void* to) {
  Ints extents = result.shape.dims(), strides = source.strides;
  Collapse(&extents, &strides);
  WithElement(SizeOf(result.dtype), [&](auto element) {
    using T = decltype(element);
    CopyStrided(static_cast<const T*>(from) + source.offset, extents, strides, static_cast<T*>(to));
  });
}

// The operand at offset + sum(i * strides) of the result, the rest of which is there already.
template <typename T>
void WriteStrided(const T* from, const Ints& extents, const Ints& strides, T* to) {
  const size_t rank = extents.size();
  const int64_t n = extents.back(), stride = strides.back();
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < rank; ++i) rows *= extents[i];
  for (int64_t row = 0; row < rows; ++row, from += n) {
    T* target = to;
    int64_t rest = row;
    for (size_t i = rank - 1; i-- > 0;) {
      target += rest % extents[i] * strides[i];
      rest /= extents[i];
    }
    if (stride == 1) {
      std::memcpy(target, from, static_cast<size_t>(n) * sizeof(T));
    } else {
      for (int64_t i = 0; i < n; ++i) target[i * stride] = from[i];
    }
  }
}

void Write(const Tensor& x, const Source& place, void* to) {
  Ints extents = x.shape().dims(), strides = place.strides;
  Collapse(&extents, &strides);
  WithElement(SizeOf(x.dtype()), [&](auto element) {
    using T = decltype(element);
    WriteStrided(static_cast<const T*>(x.raw_data()), extents, strides, static_cast<T*>(to) + place.offset);
  });
}

void Pad(const ir::Attributes& attributes, const Tensor& x, const Tensor& value, const Type& result, void* out) {
  WithElement(SizeOf(x.dtype()), [&](auto element) {
    using T = decltype(element);
    T fill;
    std::memcpy(&fill, value.raw_data(), sizeof fill);
    std::fill_n(static_cast<T*>(out), result.shape.size(), fill);
  });
  const auto &low = attributes.Get<Ints>("low"), &interior = attributes.Get<Ints>("interior");
  const Ints strides = RowMajorStrides(result.shape);
  Source place;
  for (size_t i = 0; i < low.size(); ++i) {
    place.offset += low[i] * strides[i];
    place.strides.push_back(strides[i] * (interior[i] + 1));
  }
  if (x.shape().size() > 0) Write(x, place, out);
}

// A start index as dynamic_slice and dynamic_update take it: clamped to [0, most].
int64_t Start(const Tensor& start, int64_t most) { return std::clamp<int64_t>(start.item<int64_t>(), 0, most); }

void DynamicSlice(int64_t axis, absl::Span<const Tensor> operands, const Type& result, void* out) {
  const Shape& shape = operands[0].shape();
  const auto a = static_cast<int>(axis);
  Source s{0, RowMajorStrides(shape)};
  s.offset = Start(operands[1], shape.dim(a) - result.shape.dim(a)) * s.strides[static_cast<size_t>(a)];
  if (result.shape.size() > 0) Copy(operands[0].raw_data(), s, result, out);
}

void DynamicUpdate(int64_t axis, absl::Span<const Tensor> operands, const Type& result, void* out) {
  const auto a = static_cast<int>(axis);
  std::memcpy(out, operands[0].raw_data(), static_cast<size_t>(result.bytes()));
  Source place{0, RowMajorStrides(result.shape)};
  place.offset =
      Start(operands[2], result.shape.dim(a) - operands[1].shape().dim(a)) * place.strides[static_cast<size_t>(a)];
  if (operands[1].shape().size() > 0) Write(operands[1], place, out);
}

}  // namespace

void Transpose(const void* from, int64_t rows, int64_t columns, int64_t bytes, void* to) {
  WithElement(bytes, [&](auto element) {
    using T = decltype(element);
    CopyStrided(static_cast<const T*>(from), {columns, rows}, {1, columns}, static_cast<T*>(to));
  });
}

bool RunAsCopy(ir::Op op, const ir::Attributes& attributes, absl::Span<const Tensor> operands, const Type& result,
               void* out) {
  switch (op) {
    case ir::Op::kTranspose:
    case ir::Op::kSlice:
    case ir::Op::kBroadcast:
    case ir::Op::kReverse:
      if (result.shape.size() == 0) return true;
      Copy(operands[0].raw_data(), SourceOf(op, attributes, operands[0].shape(), result.shape), result, out);
      return true;
    case ir::Op::kPad: return Pad(attributes, operands[0], operands[1], result, out), true;
    case ir::Op::kDynamicSlice: return DynamicSlice(attributes.Get<int64_t>("axis"), operands, result, out), true;
    case ir::Op::kDynamicUpdate: return DynamicUpdate(attributes.Get<int64_t>("axis"), operands, result, out), true;
    default: return false;
  }
}

}  // namespace reel::internal
