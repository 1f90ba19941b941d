#include "frontend/cli/cli.h"

#include <nlohmann/json.hpp>

#include "ir/budget_scope.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "passes/gradient/gradient.h"
#include "passes/rewrite.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string file, function, out;
  std::vector<std::string> ys, xs, grad_ys;
};

// `function` with other names for its parameters first, first + 1, ...
ir::Function Renamed(const ir::Function& function, size_t first, const std::vector<std::string>& names) {
  ir::Function out(function.name());
  passes::Copier copier(function, &out);
  for (int i = 0; i < function.num_parameters(); ++i) {
    const ir::Parameter& p = function.parameter(i);
    const size_t k = static_cast<size_t>(i) - first;  // huge below first
    if (i >= function.num_arguments())
      copier.Map({i}, out.AddState(p.name, p.type));
    else
      copier.Map({i}, out.AddParameter(k < names.size() ? names[k] : p.name, p.type));
  }
  copier.CopyNodes();
  passes::CopyResults(function, &out, copier);
  return out;
}

void Run(const Options& options, Program* program) {
  ir::Module module = ReadModule(options.file, options.budget);
  const ir::Function& forward = FindFunction(module, options.function);
  const size_t ys = options.ys.empty() ? static_cast<size_t>(forward.num_outputs()) : options.ys.size();
  const auto first_seed = static_cast<size_t>(forward.num_arguments());
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys) {
    Fail(kUsage, StrCat("--grad-ys has ", options.grad_ys.size(), " names for ", ys, " ys"));
  }
  const ir::BudgetMeter meter = options.meter();
  const auto differentiate = [&] {
    return passes::AddGradientFunction(&module, forward.name(), options.ys, options.xs, !options.grad_ys.empty());
  };
  const passes::GradientFunction gradient = Take(ir::Within(&meter, differentiate, /*count_ops=*/true));
  if (!options.grad_ys.empty()) {
    module.AddFunction(Renamed(*module.FindFunction(gradient.name), first_seed, options.grad_ys));
  }
  Check(ir::Verify(module));
  if (!options.out.empty()) {
    OutputFiles files;
    files.Add(options.out, module);
    files.Commit();
  }
  const ir::Function& added = *module.FindFunction(gradient.name);
  if (options.json) {
    Json json = Describe(module, added);
    json["connected"] = gradient.connected;
    if (!options.out.empty()) json["file"] = options.out;
    program->out = JsonText(json, 2) + "\n";
  } else if (options.out.empty()) {
    program->out = ir::Print(module);
  } else {
    program->out = StrCat(options.out, ": added function ", gradient.name, ", ", added.nodes().size(), " nodes\n");
  }
}

}  // namespace

void AddGrad(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = AddCommand(program, "grad", "Add the gradient of a function to its module",
                               "reel grad mlp.reel --function loss --ys loss --xs w,b -o mlp_grad.reel", options.get(),
                               [options, program] { Run(*options, program); });
  command.Add("file", &options->file, "A .reel or .reel.txt file").Required().TypeName("FILE");
  command.Add("--function", &options->function, "Function to differentiate (default: main)").TypeName("NAME");
  command.Add("--ys", &options->ys, "Results to differentiate, by name or position (default: all)")
      .Delimiter(',')
      .TypeName("NAMES");
  command.Add("--xs", &options->xs, "Parameters or variables to differentiate by (default: all floating ones)")
      .Delimiter(',')
      .TypeName("NAMES");
  command.Add("--grad-ys", &options->grad_ys, "Names of further arguments: one seed per y (default: seeds of ones)")
      .Delimiter(',')
      .TypeName("NAMES");
  command.Add("-o,--output", &options->out, "File to write; without it the text is printed").TypeName("FILE");
}

}  // namespace reel::cli
