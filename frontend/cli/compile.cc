#include <filesystem>

#include "codegen/compiler.h"
#include "frontend/cli/cli.h"
#include "ir/names.h"
#include "runtime/environment.h"

namespace reel::cli {
namespace {

const std::vector<std::string> kKinds = {"obj", "header", "llvm", "asm", "so", "plan", "dot"};

struct Options : Common {
  std::string file, out;
  std::vector<std::string> emit = {"obj", "header"};
  codegen::CompilerOptions compiler;

  bool Emits(std::string_view kind) const {
    return std::find(emit.begin(), emit.end(), kind) != emit.end();
  }
};

// The prefix of all symbols: the last part of the path.
std::string SymbolName(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (!ir::IsIdentifier(name) || name.find('.') != std::string::npos) {
    Fail(kUsage, StrCat("-o ", path, ": ", ir::Quoted(name),
                        " becomes the prefix of C functions; use letters, digits and _"));
  }
  return name;
}

void Link(const std::string& object, const std::string& shared) {
  const ProcessResult cc = RunProcess({"cc", "-shared", "-o", shared, object});
  if (cc.status != 0) Fail(kInvalid, StrCat("cc could not link ", shared, ":\n", cc.err));
}

void Run(const Options& options, Program* program) {
  codegen::CompilerOptions compiler = options.compiler;
  compiler.dump_to = runtime::GetEnvironment().dump_to;
  compiler.budget = options.budget;
  const std::string name = SymbolName(options.out);
  const ir::Module module = ReadModule(options.file, options.budget);
  OutputFiles files;
  Json written = Json::array();
  const auto add = [&](std::string_view kind, std::string_view suffix, std::string_view bytes) {
    const std::string path = StrCat(options.out, suffix);
    if (kind == "so")
      Link(std::string(bytes), files.Reserve(path));
    else
      files.Add(path, bytes);
    written.push_back({{"kind", kind}, {"file", path}, {"bytes", bytes.size()}});
  };
  for (const auto& [kind, suffix] :
       {std::pair<std::string, const char*>{"llvm", ".ll"}, {"asm", ".s"}, {"plan", ".plan.txt"}, {"dot", ".dot"}}) {
    if (options.Emits(kind)) add(kind, suffix, Take(reel_compiler()->EmitText(module, name, kind, compiler)));
  }
  if (options.Emits("obj") || options.Emits("header") || options.Emits("so")) {
    const codegen::ObjectFiles object =
        Take(reel_compiler()->CompileToObject(module, name, compiler));
    if (options.Emits("obj")) add("obj", ".o", object.object);
    if (options.Emits("header")) add("header", ".h", object.header);
    if (options.Emits("so")) {
      const TemporaryFolder folder;
      const std::string path = folder.path() + "/object.o";
      OutputFiles temporary;
      temporary.Add(path, object.object);
      temporary.Commit();
      add("so", ".so", path);
    }
  }
  files.Commit();
  for (const Json& row : written) {
    if (options.json)
      StrAppend(&program->out, row.dump(), "\n");
    else
      StrAppend(&program->out, row["file"].get<std::string>(), "\n");
  }
}

}  // namespace

void AddCompile(Program* program) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      AddCommand(program, "compile", "Compile a module to an object that a C program links",
                 "reel compile mnist.reel -o mnist --cpu x86-64-v3 --emit=obj,header",
                 options.get(), [options, program] { Run(*options, program); });
  command->add_option("file", options->file, "A .reel or .reel.txt file")->required();
  command
      ->add_option("-o,--output", options->out,
                   "NAME: writes NAME.o, NAME.h, ...; NAME is the prefix of the functions")
      ->required();
  command
      ->add_option("--cpu", options->compiler.cpu,
                   "native, x86-64-v2, x86-64-v3, x86-64-v4 or an LLVM name")
      ->capture_default_str();
  command->add_option("--emit", options->emit, "What to write, of obj, header, llvm, asm, so, plan, dot")
      ->delimiter(',')
      ->check(CLI::IsMember(kKinds))
      ->capture_default_str();
  command
      ->add_option("-O,--opt-level", options->compiler.opt_level,
                   "0: one scalar loop per op; 2: fused, vectorised")
      ->check(CLI::IsMember({0, 2}))
      ->capture_default_str();
}

}  // namespace reel::cli
