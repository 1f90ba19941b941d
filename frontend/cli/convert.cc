#include "frontend/cli/cli.h"

#include <nlohmann/json.hpp>

#include "frontend/keep/formats.h"
#include "frontend/onnx/export.h"
#include "frontend/onnx/import.h"
#include "frontend/record/event_log.h"
#include "frontend/stablehlo/import/importer.h"
#include "frontend/stablehlo/writer.h"
#include "frontend/tensorflow/saved_model.h"
#include "frontend/tensorflow/writer.h"
#include "frontend/values/npy.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/eval/eval.h"
#include "ir/names.h"
#include "ir/number.h"
#include "ir/proto/file.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string file, out;
  std::vector<std::string> dims, constants;
  bool frozen = false;
  int64_t opset = 17;
  std::string function;
  bool weights_as_inputs = false, external_data = false;
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

bool WritesSavedModel(const Options& options) { return options.out.ends_with('/'); }

// StableHLO and TensorFlow's graphs and SavedModels: entry points whose extents may become numbers.
bool WritesProgram(const Options& options) {
  return options.out.ends_with(".mlir") || options.out.ends_with(".pb") || WritesSavedModel(options);
}

ir::Module ReadAny(const Options& options) {
  const bool standard = options.file == kStandard;
  if (!standard && !options.file.ends_with(".onnx") && !options.file.ends_with(".reel") &&
      !options.file.ends_with(".reel.txt") && !options.file.ends_with(".mlir")) {
    Fail(kUsage, StrCat(ir::Quoted(options.file), ": its name must end in .onnx, .mlir, .reel or .reel.txt"));
  }
  const std::string bytes = ReadFile(options.file, options.budget);
  const std::string name = standard ? "standard input" : options.file;
  // Standard input has no name: an ONNX model begins with the number of a field.
  const bool is_onnx = standard ? bytes.starts_with('\x08') : options.file.ends_with(".onnx");
  if (!is_onnx) {
    if (!options.constants.empty() || options.frozen) Fail(kUsage, "--constant and --frozen are for ONNX models");
    if (!options.dims.empty() && !WritesProgram(options))
      Fail(kUsage, "--dim is for ONNX models, and for writing StableHLO (.mlir) or for TensorFlow (.pb, FOLDER/)");
    if (options.file.ends_with(".mlir"))
      return stablehlo::Import(bytes, name, {.budget = options.budget}).internal_data()->module;
    return Take(ir::ParseModuleBytes(std::as_bytes(std::span(bytes)), name, options.budget));
  }
  const Module module = onnx::Import(bytes, name, ImportOptions(options),
                                     standard ? onnx::ReadExternal() : onnx::ReadBeside(options.file));
  return module.internal_data()->module;
}

bool WritesWeights(const Options& options) {
  return options.out.ends_with(".safetensors") || options.out.ends_with(".npz");
}

/// The values of the module's variables, by their names.
internal::WeightsFile WeightsOf(const ir::Module& module, const Options& options) {
  internal::WeightsFile out;
  const std::vector<ir::Literal> values = Take(ir::InitialState(module, {.max_bytes = options.budget.max_memory}));
  for (size_t i = 0; i < values.size(); ++i) {
    out.values.emplace_back(module.variables()[i].name, internal::FromLiteral(values[i]));
  }
  return out;
}

void Write(const Options& options, const ir::Module& module) {
  OutputFiles files;
  const bool onnx = options.out.ends_with(".onnx");
  if (!onnx && (options.weights_as_inputs || options.external_data))
    Fail(kUsage, "--weights-as-inputs and --external-data are for an output that ends in .onnx");
  if (!onnx && !WritesProgram(options) && !options.function.empty())
    Fail(kUsage, "--function is for an output that ends in .onnx, .mlir, .pb or /");
  if (onnx) {
    const OnnxExportOptions how{.opset = options.opset,
                                .entry = options.function,
                                .weights_as_inputs = options.weights_as_inputs,
                                .external_data = options.external_data};
    Check(onnx::Write(module, options.out, how, [&](const std::string& path) { return files.Open(path); }));
  } else if (WritesProgram(options)) {
    std::map<std::string, int64_t> dims;
    if (!options.file.ends_with(".onnx")) dims = Dims(options);
    if (WritesSavedModel(options))
      return CheckFile(tensorflow::WriteSavedModel(module, options.out, options.function, dims));
    files.Add(options.out, options.out.ends_with(".pb")
                               ? tensorflow::WriteGraphDef(module, options.function, dims)
                               : stablehlo::Write(module, {.entry = options.function, .dims = dims}));
  } else if (WritesWeights(options)) {
    CheckFile(internal::WriteWeightsFile(options.out, WeightsOf(module, options)));
  } else {
    files.Add(options.out, module);
  }
  files.Commit();
}

void Run(const Options& options, Program* program) {
  const ir::Module module = ReadAny(options);
  Write(options, module);
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
      AddCommand(program, "convert", "Change between ONNX models, StableHLO, TensorFlow's models, .reel and .reel.txt",
                 "reel convert resnet.onnx --dim batch=8 -o resnet.reel", options.get(),
                 [options, program] { Run(*options, program); });
  command.Add("file", &options->file, "A .onnx, .mlir (StableHLO), .reel or .reel.txt file")
      .Required()
      .TypeName("FILE");
  command
      .Add(
          "-o,--output", &options->out,
          "File to write: text if it ends in .txt, an ONNX model if in .onnx, StableHLO if in .mlir, a frozen graph of "
          "TensorFlow if in .pb, a folder with a SavedModel if in /, the values of the variables if in .safetensors or "
          ".npz")
      .Required()
      .TypeName("FILE");
  command.Add("--dim", &options->dims, "NAME=N: an extent that the model leaves open").TypeName("NAME=INT");
  command
      .Add("--constant", &options->constants,
           "NAME=FILE.npy: an input that becomes a constant, as those that decide "
           "shapes must")
      .TypeName("NAME=FILE");
  command.Flag("--frozen", &options->frozen, "Weights are variables that are not trained");
  command.Add("--opset", &options->opset, "Of the ONNX model to write: 17 to 28").TypeName("INT");
  command
      .Add("--function", &options->function,
           "The entry point to write for another system; by default main, in a SavedModel all")
      .TypeName("NAME");
  command.Flag("--weights-as-inputs", &options->weights_as_inputs,
               "Variables that are only read are inputs of the ONNX model too");
  command.Flag("--external-data", &options->external_data, "Weights of the ONNX model go to a file .data beside it");
}

}  // namespace reel::cli
