#ifndef REEL_FRONTEND_VALUES_TENSOR_DATA_H_
#define REEL_FRONTEND_VALUES_TENSOR_DATA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "ir/literal.h"
#include "reel/tensor.h"
#include "runtime/buffer.h"

namespace reel::internal {

/// A number no tensor, variable or trace has had: identity, in the order of creation.
uint64_t NextId();

struct TensorData {
  /// Bytes of one element, of any dtype.
  struct alignas(16) Number {
    std::byte bytes[16];
  };

  TensorData(Type type_, runtime::Buffer buffer, uint64_t trace_ = 0);
  /// All elements are `number`. Memory is taken and written to when buffer() first asks for it.
  TensorData(Type type_, const Number& number);
  ~TensorData();
  TensorData(const TensorData&) = delete;
  TensorData& operator=(const TensorData&) = delete;

  /// Null if symbolic. Threads may share a tensor.
  const runtime::Buffer& buffer() const {
    if (!written()) [[unlikely]]
      Write();
    return buffer_;
  }
  /// All elements are number(), and there is no memory of them yet.
  bool is_number() const { return !written(); }
  /// What it was made of, if is_number() was ever true.
  const std::byte* number() const { return number_.bytes; }

  Type type;
  uint64_t id;
  uint64_t trace;  // id of the trace of a symbolic tensor, else 0
  bool has_tangent = false;  // a ForwardAccumulator knows one

 private:
  enum class State : uint8_t { kUnwritten, kPublishing, kWritten };
  bool written() const { return state_.load(std::memory_order_acquire) == State::kWritten; }
  void Write() const;

  mutable std::atomic<State> state_ = State::kWritten;
  Number number_;
  mutable runtime::Buffer buffer_;
};

inline bool IsNumber(const Tensor& x) { return x.internal_data()->is_number(); }
/// A tensor that has tangents dies (autodiff/forward_mode.cc).
void ForgetTangents(uint64_t id);

/// Tensors alive in the process, for leak tests.
int64_t LiveTensors();

using TensorList = absl::InlinedVector<Tensor, 2>;

Tensor MakeTensor(const Type& type, runtime::Buffer buffer);
Tensor MakeSymbolic(const Type& type, uint64_t trace);
/// A copy of a literal, and of a concrete tensor as a literal.
Tensor FromLiteral(const ir::Literal& literal);
ir::Literal ToLiteral(const Tensor& tensor);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_VALUES_TENSOR_DATA_H_
