#include "frontend/compiled.h"

#include <cstring>
#include <string>

#include "ir/strings.h"
#include "runtime/abi.h"
#include "runtime/environment.h"
#include "runtime/thread_pool.h"

namespace reel::internal {
codegen::CompilerOptions DefaultCompilerOptions() {
  const runtime::Environment& environment = runtime::GetEnvironment();
  codegen::CompilerOptions options;
  options.dump_to = environment.dump_to;
  options.cache_dir = environment.cache_dir;
  return options;
}

void InitHeader(void* instance) {
  auto* header = static_cast<reel_instance*>(instance);
  *header = {REEL_INSTANCE_MAGIC, reel_gang_parallel_for, nullptr, {}};
}

runtime::Buffer MakeInstance(const codegen::Program& program) {
  const auto bytes = static_cast<size_t>(program.instance_bytes);
  runtime::Buffer memory = runtime::Buffer::TryAllocate(bytes);
  if (!memory) {
    ThrowError(
        ErrorCode::kResourceExhausted,
        StrCat(program.name, ": no memory for an instance of ", program.instance_bytes, " bytes"));
  }
  // Not the arena: steps write all that they read there.
  std::memset(memory.data(), 0, bytes - static_cast<size_t>(program.arena_bytes));
  InitHeader(memory.data());
  for (const codegen::VariableSlot& v : program.variables) {
    const auto initial = v.initial.bytes();
    if (!initial.empty())
      std::memcpy(static_cast<std::byte*>(memory.data()) + v.offset, initial.data(),
                  initial.size());
  }
  return memory;
}

void CheckStatus(std::string_view entry, int32_t status) {
  if (status == REEL_OK) return;
  const bool users = status == REEL_INVALID_ARGUMENT;
  ThrowError(users ? ErrorCode::kInvalidArgument : ErrorCode::kInternal,
             StrCat(entry, ": ", reel_status_message(status)));
}

}  // namespace reel::internal
