#include "frontend/compiled.h"

#include <dlfcn.h>

#include <cstring>
#include <string>

#include "ir/strings.h"
#include "runtime/abi.h"
#include "runtime/thread_pool.h"

namespace reel::internal {
namespace {

constexpr char kLibrary[] = "libreel_compiler.so";

// The folder of this library, with a slash; empty if it is not known.
std::string OwnFolder() {
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&InitHeader), &info) == 0 || !info.dli_fname)
    return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

codegen::Compiler* OpenCompiler() {
  std::string error;
  void* const library = OpenBeside(kLibrary, &error);
  using Getter = codegen::Compiler* (*)();
  const auto getter =
      library ? reinterpret_cast<Getter>(::dlsym(library, "reel_compiler")) : nullptr;
  if (getter) return getter();
  ThrowError(ErrorCode::kUnavailable,
             StrCat("the compiler cannot be opened: ", error, "; install ", kLibrary,
                    " beside libreel.so or where the loader looks"));
}

}  // namespace

void* OpenBeside(const char* name, std::string* error) {
  void* library = ::dlopen((OwnFolder() + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library) return library;
  if (error) *error = ::dlerror();
  return ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

codegen::Compiler& GetCompiler() {
  static codegen::Compiler* const compiler = OpenCompiler();  // tried again after a failure
  return *compiler;
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
