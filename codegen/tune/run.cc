#include "codegen/tune/run.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <random>

#include "ir/strings.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "runtime/profile.h"
#include "runtime/thread_pool.h"

namespace reel::codegen {
namespace {

// Elements that random ones are taken from.
std::vector<ir::Literal> Values(DType dtype, std::minstd_rand* random) {
  constexpr int kValues = 61;  // prime: rows of a matrix differ
  std::vector<ir::Literal> out;
  for (int i = 0; i < kValues; ++i) {
    const double x = static_cast<double>((*random)() % 2001) / 1000 - 1;
    out.push_back(ir::Literal::Scalar(dtype, IsFloat(dtype) || IsComplex(dtype) ? x : 0));
  }
  return out;
}

// An instance at its start.
runtime::Buffer Instance(const Program& program, runtime::Profiler* profiler) {
  runtime::Buffer memory = runtime::Buffer::TryAllocateZeroed(static_cast<size_t>(program.instance_bytes));
  if (!memory) return memory;
  auto* header = new (memory.data()) reel_instance{};
  header->magic = REEL_INSTANCE_MAGIC;
  header->parallel_for = reel_gang_parallel_for;
  header->profile = program.profile ? profiler : nullptr;
  auto* const first = static_cast<std::byte*>(memory.data());
  for (const VariableSlot& v : program.variables) {
    const auto initial = v.initial.bytes();
    std::memcpy(first + v.offset, initial.data(), initial.size());
  }
  return memory;
}

}  // namespace

RandomArguments::RandomArguments(const EntryPoint& entry) {
  std::minstd_rand random(1);
  for (const ir::Parameter& p : entry.arguments) {
    const std::vector<ir::Literal> values = Values(p.type.dtype, &random);
    const auto size = static_cast<size_t>(p.type.bytes());
    auto* const bytes = static_cast<std::byte*>(buffers_.emplace_back(runtime::Buffer::Allocate(size)).data());
    const size_t element = values[0].bytes().size();
    for (size_t i = 0; element > 0 && (i + 1) * element <= size; ++i) {
      const auto value = values[i % values.size()].bytes();
      std::memcpy(bytes + i * element, value.data(), element);
    }
  }
}

std::vector<const void*> RandomArguments::pointers() const {
  std::vector<const void*> out;
  for (const runtime::Buffer& buffer : buffers_) out.push_back(buffer.data());
  return out;
}

absl::StatusOr<Runs> RunProgram(const CompiledModule& code, int entry_index, const std::vector<const void*>& arguments,
                                int times, const volatile int32_t* stop) {
  const Program& program = code.program();
  const EntryPoint& entry = program.entries[static_cast<size_t>(entry_index)];
  runtime::Profiler profiler(static_cast<int32_t>(program.kernels.size()));
  const runtime::Buffer instance = Instance(program, &profiler);
  if (!instance) return absl::ResourceExhaustedError(StrCat("no memory for ", program.instance_bytes, " bytes"));
  static_cast<reel_instance*>(instance.data())->stop = stop;
  std::vector<runtime::Buffer> results;
  std::vector<void*> out;
  for (const ir::Parameter& r : entry.results) {
    results.push_back(runtime::Buffer::TryAllocateZeroed(static_cast<size_t>(r.type.bytes())));
    if (!results.back()) return absl::ResourceExhaustedError(StrCat("no memory for ", r.type.bytes(), " bytes"));
    out.push_back(results.back().data());
  }
  Runs runs;
  runs.kernels.assign(program.kernels.size(), 0);
  runs.calls.assign(program.kernels.size(), 0);
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    profiler.Clear();
    for (const InPlace& pair : entry.in_place) {  // the old value is where the new one will be
      const auto bytes = static_cast<size_t>(entry.results[static_cast<size_t>(pair.result)].type.bytes());
      std::memcpy(out[static_cast<size_t>(pair.result)], arguments[static_cast<size_t>(pair.parameter)], bytes);
    }
    const int64_t begin = runtime::ProfileClock();
    const int32_t status = code.entry(entry_index)(instance.data(), arguments.data(), out.data());
    seconds.push_back(static_cast<double>(runtime::ProfileClock() - begin) * 1e-9);
    if (status == REEL_CANCELLED) return absl::CancelledError(StrCat(entry.name, " was stopped"));
    if (status != REEL_OK) return absl::FailedPreconditionError(StrCat(entry.name, ": ", reel_status_message(status)));
    if (!program.profile) continue;
    const runtime::Profiler::Data data = profiler.Get();
    for (size_t k = 0; k < runs.kernels.size(); ++k) {
      const double took = static_cast<double>(data.kernels[k].nanoseconds) * 1e-9;
      runs.calls[k] = data.kernels[k].calls;
      runs.kernels[k] = i == 0 ? took : std::min(runs.kernels[k], took);
    }
  }
  std::sort(seconds.begin(), seconds.end());
  runs.least = seconds.front();
  runs.median = seconds[seconds.size() / 2];
  for (size_t i = 0; i < out.size(); ++i) {
    const auto* const bytes = static_cast<const std::byte*>(out[i]);
    runs.outcome.insert(runs.outcome.end(), bytes, bytes + entry.results[i].type.bytes());
  }
  const auto* const first = static_cast<const std::byte*>(instance.data());
  for (const VariableSlot& v : program.variables) {
    runs.outcome.insert(runs.outcome.end(), first + v.offset, first + v.offset + v.type.bytes());
  }
  return runs;
}

}  // namespace reel::codegen
