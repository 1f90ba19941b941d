#include "codegen/backend.h"

#include "codegen/aot/aot.h"
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
  absl::StatusOr<ObjectFiles> CompileToObject(const Program& program, const std::string& name, const Target& target,
                                              const CodeOptions& options) override {
    absl::StatusOr<ObjectFiles> files;
    absl::Status s = InLlvm(options.reserve, [&] {
      files = AotCompile(program, name, target, options);
      return files.status();
    });
    if (!s.ok()) return s;
    return files;
  }
  absl::StatusOr<std::string> EmitText(const Program& program, const std::string& name, const Target& target,
                                       const CodeOptions& options, bool assembly) override {
    absl::StatusOr<std::string> text;
    absl::Status s = InLlvm(options.reserve, [&] {
      text = AotText(program, name, target, options, assembly);
      return text.status();
    });
    if (!s.ok()) return s;
    return text;
  }
};

}  // namespace
}  // namespace reel::codegen

extern "C" reel::codegen::Backend* reel_backend() {
  static constinit reel::Lazy<reel::codegen::LlvmBackend> backend;
  return &backend.Get();
}
