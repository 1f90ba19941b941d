#include "frontend/eager/kernel.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>

#include "frontend/eager/kernel_library.h"
#include "frontend/ops/callback.h"
#include "frontend/ops/index.h"
#include "frontend/program/compiled_data.h"
#include "frontend/values/status.h"
#include "ir/hash_map.h"
#include "ir/key.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "runtime/communicator.h"
#include "runtime/fork.h"

// What the library of kernels lacks is compiled: a module of one node, once per op, attributes and operand types.

namespace reel::internal {

struct CompiledKernel {
  std::unique_ptr<codegen::CompiledModule> code;
  codegen::CompiledModule::Entry entry = nullptr;
  size_t instance_bytes = 0;
};

namespace {

using Kernel = CompiledKernel;

// Everything that fixes the code, as bytes. `over`: the result takes the first operand's place.
std::string KeyOf(ir::Op op, const ir::Attributes& attributes, const ir::TypeList& operands, bool over) {
  std::string key;
  ir::AppendKey(&key, static_cast<int64_t>(op));
  ir::AppendKey(&key, attributes);
  ir::AppendKey(&key, static_cast<int64_t>(over));
  for (const Type& type : operands) ir::AppendKey(&key, type);
  return key;
}

std::shared_ptr<const Kernel> CompileKernel(ir::Op op, const AttributesPtr& attributes, const ir::TypeList& operands,
                                            absl::Span<const Type> results, bool over) {
  ir::Module module(StrCat("eager_", ir::Name(op)));
  ir::Function f("main");
  ir::ValueList values;
  for (size_t i = 0; i < operands.size(); ++i) values.push_back(f.AddParameter(StrCat("x", i), operands[i]));
  const ir::Node& node = f.AddNode(op, values, attributes, results);
  std::vector<ir::Value> outputs;
  for (int i = 0; i < node.num_results; ++i) outputs.push_back(node.result(i));
  f.SetResults(std::move(outputs));
  module.AddFunction(std::move(f));
  codegen::CompilerOptions options = DefaultCompilerOptions();
  if (over) options.in_place = {{0, 0}};
  auto kernel = std::make_shared<Kernel>();
  kernel->code = Take(reel_compiler()->Compile(module, options));
  kernel->entry = kernel->code->entry(0);
  kernel->instance_bytes = static_cast<size_t>(kernel->code->program().instance_bytes);
  return kernel;
}

// The most recently used kernels of the process.
class KernelCache {
 public:
  std::shared_ptr<const Kernel> Find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto it = index_.find(key);
    if (it == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, it->second);
    return it->second->second;
  }

  void Add(std::string key, std::shared_ptr<const Kernel> kernel) {
    constexpr size_t kMaxKernels = 2048;
    const std::lock_guard lock(mutex_);
    if (index_.contains(key)) return;
    order_.emplace_front(key, std::move(kernel));
    index_.emplace(std::move(key), order_.begin());
    if (order_.size() <= kMaxKernels) return;
    index_.erase(order_.back().first);
    order_.pop_back();
  }

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const Kernel>>;
  runtime::Mutex mutex_;
  std::list<Entry> order_;  // latest use first
  HashMap<std::string, std::list<Entry>::iterator> index_;
};

KernelCache& Cache() {
  static constinit Lazy<KernelCache> cache;
  return cache.Get();
}

const ir::Attributes kNone;

// Compiled when it is asked for first.
std::shared_ptr<const Kernel> FindKernel(ir::Op op, const AttributesPtr& attributes, const ir::TypeList& operands,
                                         absl::Span<const Type> results, bool over) {
  const std::string key = KeyOf(op, attributes ? *attributes : kNone, operands, over);
  std::shared_ptr<const Kernel> kernel = Cache().Find(key);
  if (kernel) return kernel;
  kernel = CompileKernel(op, attributes, operands, results, over);
  Cache().Add(key, kernel);
  return kernel;
}

runtime::Buffer NewInstance(const Kernel& kernel) {
  runtime::Buffer instance = runtime::Buffer::Allocate(kernel.instance_bytes);
  InitHeader(instance.data());
  return instance;
}

void RunOn(const Kernel& kernel, ir::Op op, void* instance, const void* const* operands, void* const* results) {
  static_cast<reel_instance*>(instance)->communicator = runtime::CurrentCommunicator();
  const int32_t status = kernel.entry(instance, operands, results);
  CheckStatus(ir::Name(op), status, kernel.code->program(), instance);
}

runtime::Buffer Need(runtime::Buffer buffer, const Type& type) {
  if (!buffer) {
    ThrowError(ErrorCode::kResourceExhausted, StrCat("no memory for ", type.ToString(), ": ", type.bytes(), " bytes"));
  }
  return buffer;
}

// A scalar repeated. Elementwise ops take a long one as the number it is, so it has no memory until something else
// reads it; what might not fit into memory has it at once, for the error to name this line.
Tensor Fill(const Tensor& scalar, const Type& type) {
  const auto* value = static_cast<const std::byte*>(scalar.raw_data());
  constexpr int64_t kMuch = int64_t{1} << 30;
  if (type.shape.size() < kRepeatsFrom || type.bytes() > kMuch) return MakeTensor(type, Filled(value, type));
  TensorData::Number number;
  std::memcpy(number.bytes, value, static_cast<size_t>(SizeOf(type.dtype)));
  return Tensor(std::make_shared<TensorData>(type, number));
}

}  // namespace

runtime::Buffer NewBuffer(const Type& type) {
  return Need(runtime::Buffer::TryAllocate(static_cast<size_t>(type.bytes())), type);
}

runtime::Buffer Filled(const std::byte* number, const Type& type) {
  const auto total = static_cast<size_t>(type.bytes());
  size_t done = std::min(total, static_cast<size_t>(SizeOf(type.dtype)));
  if (std::all_of(number, number + done, [](std::byte b) { return b == std::byte{}; }))
    return Need(runtime::Buffer::TryAllocateZeroed(total), type);
  runtime::Buffer buffer = NewBuffer(type);
  auto* out = static_cast<std::byte*>(buffer.data());
  std::memcpy(out, number, done);
  for (; done < total; done += std::min(done, total - done)) std::memcpy(out + done, out, std::min(done, total - done));
  return buffer;
}

namespace {

Tensor CallBack(const ir::Attributes& attributes, absl::Span<const Tensor> operands, const Type& type) {
  runtime::Buffer buffer = NewBuffer(type);
  std::vector<CallbackTensor> tensors{{type, buffer.data()}};
  for (const Tensor& x : operands) tensors.push_back({x.type(), const_cast<void*>(x.raw_data())});
  RunCallback(attributes, tensors);
  return MakeTensor(type, std::move(buffer));
}

}  // namespace

TensorList RunKernel(ir::Op op, const AttributesPtr& attributes, absl::Span<const Tensor> operands,
                     absl::Span<const Type> result_types) {
  if (ir::IsCheck(op)) {
    CheckValues(op, *attributes, operands[0]);
    return {MakeTensor(result_types[0], operands[0].internal_data()->buffer())};
  }
  if (op == ir::Op::kCallback) return {CallBack(*attributes, operands, result_types[0])};
  if (op == ir::Op::kIdentity || op == ir::Op::kStopGradient || op == ir::Op::kReshape) {
    return {MakeTensor(result_types[0], operands[0].internal_data()->buffer())};
  }
  if (op == ir::Op::kBroadcast && operands[0].rank() == 0) return {Fill(operands[0], result_types[0])};
  const ir::Attributes& given = attributes ? *attributes : kNone;
  if (result_types.size() == 1 && !operands.empty()) {
    runtime::Buffer buffer = NewBuffer(result_types[0]);
    if (RunFromLibrary(op, given, operands, result_types[0], buffer.data()))
      return {MakeTensor(result_types[0], std::move(buffer))};
  }
  ir::TypeList types;
  for (const Tensor& x : operands) types.push_back(x.type());
  const std::shared_ptr<const Kernel> kernel = FindKernel(op, attributes, types, result_types, false);
  const runtime::Buffer instance = NewInstance(*kernel);
  absl::InlinedVector<const void*, 4> in;
  for (const Tensor& x : operands) in.push_back(x.raw_data());
  TensorList results;
  absl::InlinedVector<void*, 4> out;  // 4 as above: g++ 12 warns about two sizes merged
  for (const Type& type : result_types) {
    runtime::Buffer buffer = NewBuffer(type);
    out.push_back(buffer.data());
    results.push_back(MakeTensor(type, std::move(buffer)));
  }
  RunOn(*kernel, op, instance.data(), in.data(), out.data());
  return results;
}

OverKernel::OverKernel(ir::Op op, const ir::Attributes& attributes, const ir::TypeList& operands)
    : op_(op),
      kernel_(FindKernel(op, std::make_shared<const ir::Attributes>(attributes), operands, {operands.data(), 1}, true)),
      instance_(NewInstance(*kernel_)) {
  if (kernel_->code->program().entries[0].in_place.empty())
    ThrowError(ErrorCode::kInternal, StrCat(ir::Name(op), ": it is not in place"));
}

void OverKernel::Run(absl::Span<const void* const> operands, void* memory) const {
  void* const results[] = {memory};
  RunOn(*kernel_, op_, instance_.data(), operands.data(), results);
}

}  // namespace reel::internal
