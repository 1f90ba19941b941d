#include "frontend/values/tensor_data.h"

#include <cstring>
#include <thread>
#include <utility>

#include "frontend/eager/kernel.h"
#include "runtime/fork.h"

namespace reel::internal {

namespace {

std::atomic<int64_t> live_tensors{0};
std::atomic<uint64_t> next_id{1};

}  // namespace

TensorData::TensorData(Type type_, runtime::Buffer buffer, uint64_t trace_)
    : type(std::move(type_)), id(NextId()), trace(trace_), buffer_(std::move(buffer)) {
  live_tensors.fetch_add(1, std::memory_order_relaxed);
}
TensorData::TensorData(Type type_, const Number& number)
    : type(std::move(type_)), id(NextId()), trace(0), state_(State::kUnwritten), number_(number) {
  live_tensors.fetch_add(1, std::memory_order_relaxed);
}
void TensorData::Write() const {
  runtime::Buffer filled = Filled(number_.bytes, type);
  State before = State::kUnwritten;
  const runtime::NoFork whole;  // a child would wait for kWritten
  if (state_.compare_exchange_strong(before, State::kPublishing, std::memory_order_acquire)) {
    buffer_ = std::move(filled);
    state_.store(State::kWritten, std::memory_order_release);
  }
  while (!written()) std::this_thread::yield();  // for an assignment of another thread
}
TensorData::~TensorData() {
  if (has_tangent) ForgetTangents(id);
  live_tensors.fetch_sub(1, std::memory_order_relaxed);
}

int64_t LiveTensors() { return live_tensors.load(std::memory_order_relaxed); }
uint64_t NextId() { return next_id.fetch_add(1, std::memory_order_relaxed); }

Tensor MakeTensor(const Type& type, runtime::Buffer buffer) {
  return Tensor(std::make_shared<TensorData>(type, std::move(buffer)));
}

Tensor MakeSymbolic(const Type& type, uint64_t trace) {
  return Tensor(std::make_shared<TensorData>(type, runtime::Buffer(), trace));
}

Tensor FromLiteral(const ir::Literal& literal) {
  return Tensor::FromBytes(literal.dtype(), literal.shape(), literal.bytes().data());
}

ir::Literal ToLiteral(const Tensor& tensor) {
  const auto* first = static_cast<const std::byte*>(tensor.raw_data());
  // Buffers are never written to while shared, so the literal keeps one instead of a copy.
  const auto owner = std::make_shared<const runtime::Buffer>(tensor.internal_data()->buffer());
  return ir::Literal(tensor.type(), std::shared_ptr<const std::byte>(owner, first));
}

}  // namespace reel::internal
