#include "frontend/cli/cli.h"

#include <nlohmann/json.hpp>

#include "ir/names.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::vector<std::string> files;
};

// All files are looked at; the worst status is the answer.
void Run(const Options& options, Program* program) {
  std::string errors;
  int status = kOk;
  Json rows = Json::array();
  for (const std::string& file : options.files) {
    try {
      const ir::Module module = ReadModule(file, options.budget);
      size_t nodes = 0;
      for (const auto& f : module.functions()) nodes += f->nodes().size();
      rows.push_back({{"file", file},
                      {"ok", true},
                      {"functions", module.functions().size()},
                      {"variables", module.variables().size()},
                      {"nodes", nodes}});
    } catch (const Failure& failure) {
      StrAppend(&errors, errors.empty() ? "" : "\n", failure.what());
      status = std::max<int>(status, failure.status());
    }
  }
  if (status != kOk) Fail(static_cast<ExitStatus>(status), errors);
  for (const Json& row : rows) {
    if (options.json)
      StrAppend(&program->out, JsonText(row), "\n");
    else
      StrAppend(&program->out, row["file"].get<std::string>(), ": ok, ", row["functions"].get<size_t>(), " functions, ",
                row["nodes"].get<size_t>(), " nodes, ", row["variables"].get<size_t>(), " variables\n");
  }
}

}  // namespace

void AddVerify(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = AddCommand(program, "verify", "Check files: status 0 if all are valid modules",
                               "reel verify mnist.reel mnist.reel.txt", options.get(),
                               [options, program] { Run(*options, program); });
  command.Add("files", &options->files, ".reel or .reel.txt files").Required().TypeName("FILE");
}

}  // namespace reel::cli
