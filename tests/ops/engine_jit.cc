#include <cstring>

#include "codegen/compiler.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "runtime/thread_pool.h"
#include "tests/ops/engines.h"

// The JIT at both levels, for this CPU and for a lower level, serial and on threads: same bits everywhere.

namespace reel::optable {
namespace {

class JitEngine : public Engine {
 public:
  JitEngine(std::string name, codegen::CompilerOptions options, bool threads)
      : name_(std::move(name)), options_(std::move(options)), threads_(threads) {}

  std::string name() const override { return name_; }

  absl::StatusOr<std::vector<ir::Literal>> Run(const ir::Module& module, std::string_view function,
                                               absl::Span<const ir::Literal> inputs) override {
    auto code = reel_compiler()->Compile(module, options_);
    if (!code.ok()) return code.status();
    const codegen::Program& program = (*code)->program();
    for (size_t i = 0; i < program.entries.size(); ++i) {
      if (program.entries[i].name == function) return Call(**code, static_cast<int>(i), inputs);
    }
    return absl::InternalError("the function is not an entry point");
  }

 private:
  absl::StatusOr<std::vector<ir::Literal>> Call(const codegen::CompiledModule& code, int index,
                                                absl::Span<const ir::Literal> inputs) const {
    const codegen::Program& program = code.program();
    const codegen::EntryPoint& entry = program.entries[static_cast<size_t>(index)];
    const auto instance = runtime::Buffer::Allocate(static_cast<size_t>(program.instance_bytes));
    // Whatever the arena held before must not matter.
    std::memset(instance.data(), 0xAB, static_cast<size_t>(program.instance_bytes));
    auto* header = new (instance.data()) reel_instance{};
    header->magic = REEL_INSTANCE_MAGIC;
    if (threads_) header->parallel_for = reel_gang_parallel_for;
    std::vector<const void*> arguments;
    for (const ir::Literal& l : inputs) arguments.push_back(l.bytes().data());
    std::vector<std::vector<std::byte>> bytes;
    std::vector<void*> results;
    for (const ir::Parameter& r : entry.results) {
      bytes.emplace_back(static_cast<size_t>(r.type.bytes()), std::byte{0xCD});
      results.push_back(bytes.back().data());
    }
    if (const int32_t status = code.entry(index)(instance.data(), arguments.data(), results.data())) {
      return absl::InternalError(std::string("the entry point returned ") + reel_status_message(status));
    }
    std::vector<ir::Literal> out;
    for (size_t i = 0; i < bytes.size(); ++i) out.emplace_back(entry.results[i].type, std::move(bytes[i]));
    return out;
  }

  const std::string name_;
  const codegen::CompilerOptions options_;
  const bool threads_;
};

std::unique_ptr<Engine> Make(std::string name, int opt_level, std::string cpu, bool threads) {
  codegen::CompilerOptions options;
  options.opt_level = opt_level;
  options.cpu = std::move(cpu);
  return std::make_unique<JitEngine>(std::move(name), std::move(options), threads);
}

}  // namespace

std::unique_ptr<Engine> MakeJitLevel0Engine() { return Make("jit -O0", 0, "native", false); }
std::unique_ptr<Engine> MakeJitLevel2Engine() { return Make("jit -O2", 2, "native", false); }
std::unique_ptr<Engine> MakeJitThreadsEngine() { return Make("jit -O2, threads", 2, "native", true); }
// Half the vector width, half the registers: the same bits, for both levels have FMA.
std::unique_ptr<Engine> MakeJitAvx2Engine() { return Make("jit -O2, x86-64-v3", 2, "x86-64-v3", false); }

}  // namespace reel::optable
