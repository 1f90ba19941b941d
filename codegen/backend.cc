#include "codegen/backend.h"

#include "codegen/aot/aot.h"
#include "codegen/aot/archive.h"
#include "codegen/jit/jit.h"
#include "codegen/llvm/guard.h"
#include "ir/lazy.h"

namespace reel::codegen {
namespace {

class LlvmBackend : public Backend {
 public:
  absl::StatusOr<CodeObjects> CompileObjects(const Program& program, const Target& target,
                                             const CodeOptions& options) override {
    return codegen::CompileObjects(program, target, options);
  }
  absl::StatusOr<ObjectFiles> CompileToObject(std::span<const TargetProgram> levels, const std::string& name,
                                              const CodeOptions& options) override {
    absl::StatusOr<ObjectFiles> files;
    absl::Status s = InLlvm(options.reserve, [&] {
      files = AotCompile(levels, name, options);
      return files.status();
    });
    if (!s.ok()) return s;
    return files;
  }
  absl::StatusOr<std::string> EmitText(std::span<const TargetProgram> levels, const std::string& name,
                                       const CodeOptions& options, bool assembly) override {
    absl::StatusOr<std::string> text;
    absl::Status s = InLlvm(options.reserve, [&] {
      text = AotText(levels, name, options, assembly);
      return text.status();
    });
    if (!s.ok()) return s;
    return text;
  }
  absl::StatusOr<std::string> Archive(const std::string& object, const std::string& member,
                                      const std::string& os) override {
    absl::StatusOr<std::string> bytes;
    absl::Status s = InLlvm(kMinReserve + static_cast<int64_t>(2 * object.size()), [&] {
      bytes = ArchiveOf(object, member, os);
      return bytes.status();
    });
    if (!s.ok()) return s;
    return bytes;
  }
};

}  // namespace
}  // namespace reel::codegen

extern "C" reel::codegen::Backend* reel_backend() {
  static constinit reel::Lazy<reel::codegen::LlvmBackend> backend;
  return &backend.Get();
}
