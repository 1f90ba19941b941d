#include "codegen/backend.h"

#include "codegen/aot/aot.h"
#include "codegen/jit/jit.h"

namespace reel::codegen {
namespace {

class LlvmBackend : public Backend {
 public:
  absl::StatusOr<CodeObjects> CompileObjects(const Program& program, const Target& target,
                                             const CodeOptions& options) override {
    return codegen::CompileObjects(program, target, options);
  }
  absl::StatusOr<ObjectFiles> CompileToObject(const Program& program, const std::string& name,
                                              const Target& target,
                                              const CodeOptions& options) override {
    return AotCompile(program, name, target, options);
  }
  absl::StatusOr<std::string> EmitText(const Program& program, const std::string& name,
                                       const Target& target, const CodeOptions& options,
                                       bool assembly) override {
    return AotText(program, name, target, options, assembly);
  }
};

}  // namespace
}  // namespace reel::codegen

extern "C" reel::codegen::Backend* reel_backend() {
  static auto* const backend = new reel::codegen::LlvmBackend;
  return backend;
}
