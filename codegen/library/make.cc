// reel_make_kernels TARGET OBJECT TABLE: compiles the library kernels of one CPU level, and writes
// the table that names them as C++.
#include <cstdio>
#include <fstream>

#include "codegen/library/specs.h"
#include "codegen/llvm/ir_headers.h"
#include "codegen/lower/lower.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

// "x86-64-v3" as a part of a C identifier.
std::string Identifier(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

absl::StatusOr<std::string> CompileAll(const std::vector<LibrarySpec>& specs, const Target& target,
                                       const std::string& suffix) {
  auto machine = MakeTargetMachine(target, 2);
  if (!machine.ok()) return machine.status();
  llvm::LLVMContext context;
  const auto module = MakeModule(context, "reel_kernels", **machine);
  for (const LibrarySpec& spec : specs) {
    const auto code = LowerKernel(spec.kernel, target, spec.symbol + suffix, module.get());
    if (!code.ok()) return code.status();
    (*code)->setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
  if (absl::Status s = Optimize(module.get(), machine->get(), 2); !s.ok()) return s;
  const auto code = EmitCode(module.get(), machine->get(), /*assembly=*/false);
  if (!code.ok()) return code.status();
  return std::string(code->data(), code->size());
}

std::string Bytes(const uint8_t* bytes, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) StrAppend(&text, i ? ", " : "", int{bytes[i]});
  return text + "}";
}

std::string Table(const std::vector<LibrarySpec>& specs, const std::string& suffix) {
  std::string out = "// Made by reel_make_kernels.\n#include \"codegen/library/library.h\"\n\n";
  StrAppend(&out, "extern \"C\" {\n");
  for (const LibrarySpec& spec : specs) {
    StrAppend(&out, "__attribute__((visibility(\"hidden\"))) void ", spec.symbol, suffix,
              "(const void* const*, int64_t);\n");
  }
  StrAppend(&out, "}\n\nnamespace {\nconst reel::codegen::LibraryKernel kKernels[] = {\n");
  for (const LibrarySpec& spec : specs) {
    const LibraryKernel& e = spec.entry;
    StrAppend(&out, "    {", int{e.op}, ", ", Bytes(e.operand, 3), ", ", int{e.result}, ", ", int{e.variant}, ", ",
              Bytes(e.order, 4), ", ", spec.symbol, suffix, "},\n");
  }
  StrAppend(&out, "};\n}  // namespace\n\nreel::codegen::Library reel_kernels", suffix, "() { return {kKernels, ",
            specs.size(), "}; }\n");
  return out;
}

int Write(const char* path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (file) return 0;
  std::fprintf(stderr, "reel_make_kernels: cannot write %s\n", path);
  return 1;
}

int Main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: reel_make_kernels TARGET OBJECT TABLE\n", stderr);
    return 2;
  }
  const auto target = FindTarget(argv[1]);
  if (!target.ok()) {
    std::fprintf(stderr, "reel_make_kernels: %s\n", std::string(target.status().message()).c_str());
    return 2;
  }
  const std::vector<LibrarySpec> specs = LibrarySpecs(*target);
  const std::string suffix = "_" + Identifier(target->name);
  const auto object = CompileAll(specs, *target, suffix);
  if (!object.ok()) {
    std::fprintf(stderr, "reel_make_kernels: %s\n", object.status().ToString().c_str());
    return 1;
  }
  return Write(argv[2], *object) || Write(argv[3], Table(specs, suffix));
}

}  // namespace
}  // namespace reel::codegen

int main(int argc, char** argv) { return reel::codegen::Main(argc, argv); }
