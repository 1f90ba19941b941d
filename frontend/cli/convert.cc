#include "frontend/cli/cli.h"

#include <nlohmann/json.hpp>

#include "frontend/onnx/import.h"
#include "frontend/record/event_log.h"
#include "frontend/values/npy.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/names.h"
#include "ir/number.h"
#include "ir/proto/file.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string file, out;
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

OnnxOptions ImportOptions(const Options& options) {
  OnnxOptions out{.trainable = !options.frozen, .budget = options.budget};
  for (const std::string& text : options.dims) {
    const auto [name, number] = Split("--dim", text);
    int64_t value = -1;
    if (!ir::ParseNumber(number, &value) || value < 0)
      Fail(kUsage, StrCat("--dim ", text, ": ", ir::Quoted(number), " is not an extent"));
    out.dims[name] = value;
  }
  for (const std::string& text : options.constants) {
    const auto [name, path] = Split("--constant", text);
    out.constants[name] = internal::FromLiteral(Take(ParseNpy(ReadFile(path, options.budget), path, options.budget)));
  }
  return out;
}

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
    if (!options.dims.empty() || !options.constants.empty() || options.frozen)
      Fail(kUsage, "--dim, --constant and --frozen are for ONNX models");
    return Take(ir::ParseModuleBytes(std::as_bytes(std::span(bytes)), name, options.budget));
  }
  const Module module = onnx::Import(bytes, name, ImportOptions(options),
                                     standard ? onnx::ReadExternal() : onnx::ReadBeside(options.file));
  return module.internal_data()->module;
}

void Run(const Options& options, Program* program) {
  const ir::Module module = ReadAny(options);
  OutputFiles files;
  files.Add(options.out, module);
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
  Command command = AddCommand(program, "convert", "Read an ONNX model, or change between .reel and .reel.txt",
                               "reel convert resnet.onnx --dim batch=8 -o resnet.reel", options.get(),
                               [options, program] { Run(*options, program); });
  command.Add("file", &options->file, "A .onnx, .reel or .reel.txt file").Required().TypeName("FILE");
  command.Add("-o,--output", &options->out, "File to write; text if it ends in .txt").Required().TypeName("FILE");
  command.Add("--dim", &options->dims, "NAME=N: an extent that the model leaves open").TypeName("NAME=INT");
  command
      .Add("--constant", &options->constants,
           "NAME=FILE.npy: an input that becomes a constant, as those that decide "
           "shapes must")
      .TypeName("NAME=FILE");
  command.Flag("--frozen", &options->frozen, "Weights are variables that are not trained");
}

}  // namespace reel::cli
