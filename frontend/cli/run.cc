#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "frontend/cli/cli.h"
#include "frontend/cli/engines.h"
#include "frontend/cli/profile.h"
#include "frontend/values/npy.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/names.h"
#include "ir/text/printer.h"
#include "passes/specialize.h"
#include "runtime/thread_pool.h"

namespace reel::cli {
namespace {

constexpr int64_t kMaxPrintedElements = 1000;  // per result in JSON

struct Options : Common {
  std::string file, function, folder, engine = kEngines[0], save_state;
  std::vector<std::string> inputs;
  ProfileOption profile;
};

// A file name for a result: letters, digits, '_', '-' and '.' stay, other bytes become '_'.
std::string FileName(const std::string& result, std::set<std::string>* taken) {
  std::string name = result.empty() || result[0] == '.' ? "_" + result : result;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && !strchr("_-.", c); }, '_');
  name.resize(std::min<size_t>(name.size(), 200));
  while (!taken->insert(name).second) name += "_";
  return name + ".npy";
}

// NaN and infinities as strings: JSON has no numbers for them.
Json Number(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

// The element; a complex number as [re, im].
Json Element(const ir::Literal& literal, int64_t i) {
  const auto at = static_cast<size_t>(i);
  switch (literal.dtype()) {
    case kBool: return literal.AsInt(i) != 0;
    case kUInt64: return literal.data<uint64_t>()[at];
    case kComplex64: {
      const std::complex<float> z = literal.data<std::complex<float>>()[at];
      return Json::array({Number(double{z.real()}), Number(double{z.imag()})});
    }
    case kComplex128: {
      const std::complex<double> z = literal.data<std::complex<double>>()[at];
      return Json::array({Number(z.real()), Number(z.imag())});
    }
    default: return IsFloat(literal.dtype()) ? Number(literal.AsDouble(i)) : Json(literal.AsInt(i));
  }
}

Json Values(const ir::Literal& literal) {
  Json values = Json::array();
  for (int64_t i = 0; i < literal.size(); ++i) values.push_back(Element(literal, i));
  return values;
}

void Run(const Options& options, Program* program) {
  ir::Module module = ReadModule(options.file, options.budget);
  const ir::Function& function = FindFunction(module, options.function);
  const std::vector<ir::Literal> inputs = ReadInputs(options.inputs, options.budget, module, function);
  if (options.profile.on && options.engine != kEngines[0])
    Fail(kUsage, StrCat("--profile: only compiled kernels are timed; leave out --engine ", options.engine));
  const RunResult result = RunFunction(options.engine, module, function, inputs, options, options.profile.on);

  OutputFiles files;
  if (!options.profile.file.empty()) files.Add(options.profile.file, result.trace);
  std::set<std::string> taken;
  Json rows = Json::array();
  if (!options.folder.empty()) MakeFolder(options.folder);
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const ir::Literal& output = result.outputs[i];
    const std::string name = function.result_name(static_cast<int>(i));
    Json row = Describe(module, name, output.type());
    if (!options.folder.empty()) {
      const std::string path = StrCat(options.folder, "/", FileName(name, &taken));
      files.Add(path, output);
      row["file"] = path;
    }
    if (output.size() <= kMaxPrintedElements) row["values"] = Values(output);
    StrAppend(&program->out, options.json ? ""
                                          : StrCat(name, ": ", output.type().ToString(), "\n",
                                                   internal::FromLiteral(output).str(), "\n"));
    rows.push_back(std::move(row));
  }
  if (!options.save_state.empty()) {
    for (size_t i = 0; i < result.state.size(); ++i) module.mutable_variables()[i].initial = result.state[i];
    files.Add(options.save_state, module);
  }
  files.Commit();
  Json profile;
  if (result.profile) {
    const Machine machine = MeasureMachine({runtime::NumThreads()})[0];
    if (!options.json) StrAppend(&program->out, ProfileText(*result.profile, machine));
    profile = ProfileJson(*result.profile, machine);
  }
  if (!options.json) return;
  Json json = {
      {"function", function.name()}, {"engine", options.engine}, {"seconds", result.seconds}, {"results", rows}};
  if (result.profile) json["profile"] = std::move(profile);
  program->out = JsonText(json) + "\n";
}

}  // namespace

void AddRun(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = AddCommand(program, "run", "Run a function on .npy files",
                               "reel run mnist.reel --function predict --input images=images.npy --output-dir out",
                               options.get(), [options, program] { Run(*options, program); });
  command.Add("file", &options->file, "A .reel or .reel.txt file").Required().TypeName("FILE");
  command.Add("--function", &options->function, "Function to run (default: main)").TypeName("NAME");
  command.Add("--input", &options->inputs, "NAME=FILE.npy, once per argument").OneEach().TypeName("NAME=FILE");
  command.Add("--output-dir", &options->folder, "Write each result to NAME.npy there").TypeName("FOLDER");
  command.Add("--engine", &options->engine, "jit: compiled; interpret: reference evaluator in double; eager: op by op")
      .OneOf(std::vector<std::string>(std::begin(kEngines), std::end(kEngines)))
      .ShowDefault();
  command.Add("--save-state", &options->save_state, "Write the module with the new values of its variables")
      .TypeName("FILE");
  AddProfileOption(&command, &options->profile);
}

}  // namespace reel::cli
