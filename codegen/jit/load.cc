// The code of a program in this process.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "codegen/jit/jit.h"
#include "codegen/jit/loader.h"
#include "codegen/program/symbols.h"
#include "ir/strings.h"
#include "runtime/callback.h"
#include "runtime/profile.h"

namespace reel::codegen {
namespace {

/// Constants are not part of the code: it refers to 64-byte aligned copies of the program's
/// literals.
class ConstantData {
 public:
  explicit ConstantData(const Program& program) {
    const ConstantLayout layout = LayOutConstants(program);
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(64, static_cast<size_t>(layout.bytes) + 64)));
    if (memory_ == nullptr) throw std::bad_alloc();
    for (size_t i = 0; i < program.constants.size(); ++i) {
      const auto bytes = program.constants[i].bytes();
      if (!bytes.empty()) std::memcpy(memory_.get() + layout.offsets[i], bytes.data(), bytes.size());
    }
  }
  const void* address() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

class LoadedModule : public CompiledModule {
 public:
  LoadedModule(Program program, ConstantData constants, LoadedCode code, std::vector<Entry> entries, Times times)
      : program_(std::move(program)),
        constants_(std::move(constants)),
        code_(std::move(code)),
        entries_(std::move(entries)),
        times_(times) {}

  const Program& program() const override { return program_; }
  Entry entry(int i) const override { return entries_[static_cast<size_t>(i)]; }
  Times times() const override { return times_; }

 private:
  const Program program_;
  const ConstantData constants_;
  const LoadedCode code_;
  const std::vector<Entry> entries_;
  const Times times_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<CompiledModule>> LoadProgram(Program&& program, const CodeObjects& code,
                                                            CompiledModule::Times times) {
  const auto start = std::chrono::steady_clock::now();
  ConstantData constants(program);
  LoadedCode::Symbols outside = {{"memcpy", reinterpret_cast<const void*>(&std::memcpy)},
                                 {"memmove", reinterpret_cast<const void*>(&std::memmove)},
                                 {"memset", reinterpret_cast<const void*>(&std::memset)},
                                 {kJitConstants, constants.address()}};
  if (!program.callbacks.empty()) outside[kCallback] = reinterpret_cast<const void*>(&reel_callback);
  if (program.profile) {
    outside[kProfileStep] = reinterpret_cast<const void*>(&reel_profile_step);
    outside[kProfileCopy] = reinterpret_cast<const void*>(&reel_profile_copy);
  }
  auto loaded = LoadedCode::Load(code.objects, outside);
  if (!loaded.ok()) return loaded.status();
  std::vector<CompiledModule::Entry> entries;
  for (size_t i = 0; i < program.entries.size(); ++i) {
    const void* entry = loaded->Find(StrCat(kJitEntry, i));
    if (entry == nullptr) return absl::DataLossError("machine code without its entry points");
    entries.push_back(reinterpret_cast<CompiledModule::Entry>(const_cast<void*>(entry)));
  }
  times.load = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::make_unique<LoadedModule>(std::move(program), std::move(constants), *std::move(loaded),
                                        std::move(entries), times);
}

}  // namespace reel::codegen
