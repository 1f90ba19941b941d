#include "frontend/cli/cli.h"

#include <nlohmann/json.hpp>

#include "frontend/onnx/import.h"
#include "frontend/record/event_log.h"
#include "frontend/stablehlo/writer.h"
#include "frontend/values/npy.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/names.h"
#include "ir/number.h"
#include "ir/proto/file.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string file, out, entry;
  std::vector<std::string> dims, constants;
  bool frozen = false;
};

// The two sides of NAME=VALUE.
std::pair<std::string, std::string> Split(const std::string& option, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    Fail(kUsage, StrCat(option, " ", text, ": write ", option, " NAME=VALUE"));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::map<std::string, int64_t> Dims(const Options& options) {
  std::map<std::string, int64_t> out;
  for (const std::string& text : options.dims) {
    const auto [name, number] = Split("--dim", text);
    int64_t value = -1;
    if (!ir::ParseNumber(number, &value) || value < 0)
      Fail(kUsage, StrCat("--dim ", text, ": ", ir::Quoted(number), " is not an extent"));
    out[name] = value;
  }
  return out;
}

OnnxOptions ImportOptions(const Options& options) {
  OnnxOptions out{.dims = Dims(options), .trainable = !options.frozen, .budget = options.budget};
  for (const std::string& text : options.constants) {
    const auto [name, path] = Split("--constant", text);
    out.constants[name] = internal::FromLiteral(Take(ParseNpy(ReadFile(path, options.budget), path, options.budget)));
  }
  return out;
}

bool WritesStableHlo(const Options& options) { return options.out.ends_with(".mlir"); }

ir::Module ReadAny(const Options& options) {
  const bool standard = options.file == kStandard;
  if (!standard && !options.file.ends_with(".onnx") && !options.file.ends_with(".reel") &&
      !options.file.ends_with(".reel.txt")) {
    Fail(kUsage, StrCat(ir::Quoted(options.file), ": its name must end in .onnx, .reel or .reel.txt"));
  }
  const std::string bytes = ReadFile(options.file, options.budget);
  const std::string name = standard ? "standard input" : options.file;
  // Standard input has no name: an ONNX model begins with the number of a field.
  const bool is_onnx = standard ? bytes.starts_with('\x08') : options.file.ends_with(".onnx");
  if (!is_onnx) {
    if (!options.constants.empty() || options.frozen) Fail(kUsage, "--constant and --frozen are for ONNX models");
    if (!options.dims.empty() && !WritesStableHlo(options))
      Fail(kUsage, "--dim is for ONNX models, and for writing StableHLO (.mlir)");
    return Take(ir::ParseModuleBytes(std::as_bytes(std::span(bytes)), name, options.budget));
  }
  const Module module = onnx::Import(bytes, name, ImportOptions(options),
                                     standard ? onnx::ReadExternal() : onnx::ReadBeside(options.file));
  return module.internal_data()->module;
}

void Run(const Options& options, Program* program) {
  if (!options.entry.empty() && !WritesStableHlo(options)) Fail(kUsage, "--entry is for writing StableHLO (.mlir)");
  const ir::Module module = ReadAny(options);
  OutputFiles files;
  if (WritesStableHlo(options)) {
    StableHloOptions how{.entry = options.entry};
    if (!options.file.ends_with(".onnx")) how.dims = Dims(options);
    files.Add(options.out, stablehlo::Write(module, how));
  } else {
    files.Add(options.out, module);
  }
  files.Commit();
  if (options.json) {
    Json json = Describe(module);
    json["file"] = options.out;
    program->out = JsonText(json, 2) + "\n";
    return;
  }
  size_t nodes = 0;
  for (const auto& f : module.functions()) nodes += f->nodes().size();
  program->out = StrCat(options.out, ": ", module.functions().size(), " functions, ", nodes, " nodes, ",
                        module.variables().size(), " variables\n");
}

}  // namespace

void AddConvert(Program* program) {
  auto options = std::make_shared<Options>();
  Command command =
      AddCommand(program, "convert", "Read an ONNX model, write StableHLO, or change between .reel and .reel.txt",
                 "reel convert resnet.onnx --dim batch=8 -o resnet.reel", options.get(),
                 [options, program] { Run(*options, program); });
  command.Add("file", &options->file, "A .onnx, .reel or .reel.txt file").Required().TypeName("FILE");
  command.Add("-o,--output", &options->out, "File to write: StableHLO if it ends in .mlir, text if in .txt")
      .Required()
      .TypeName("FILE");
  command.Add("--dim", &options->dims, "NAME=N: an extent that the model leaves open").TypeName("NAME=INT");
  command.Add("--entry", &options->entry, "The entry point to write as StableHLO").TypeName("NAME");
  command
      .Add("--constant", &options->constants,
           "NAME=FILE.npy: an input that becomes a constant, as those that decide "
           "shapes must")
      .TypeName("NAME=FILE");
  command.Flag("--frozen", &options->frozen, "Weights are variables that are not trained");
}

}  // namespace reel::cli
