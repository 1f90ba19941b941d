#include "frontend/program/symbolic_programs.h"

#include <algorithm>

#include "codegen/program/program.h"
#include "codegen/target/target.h"
#include "frontend/values/status.h"
#include "ir/calls.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "passes/specialize.h"

namespace reel::internal {
namespace {

// Variables alone: every program of the module has them at these places.
codegen::Program PlanVariables(const ir::Module& module, const codegen::CompilerOptions& options) {
  ir::Module variables(module.name());
  for (const ir::Variable& v : module.variables()) variables.AddVariable(v);
  return Take(codegen::BuildProgram(variables, Take(codegen::FindTarget(options.cpu)), {}));
}

codegen::EntryPoint Signature(const ir::Function& f) {
  codegen::EntryPoint entry;
  entry.name = f.name();
  for (int i = 0; i < f.num_arguments(); ++i) entry.arguments.push_back(f.parameter(i));
  for (int i = 0; i < f.num_outputs(); ++i) {
    entry.results.push_back({f.result_name(i), f.type(f.results()[static_cast<size_t>(i)])});
  }
  return entry;
}

}  // namespace

SymbolicPrograms::SymbolicPrograms(ir::Module module, codegen::CompilerOptions options, NumericsCheck check)
    : module_(std::move(module)), options_(std::move(options)), check_(check) {
  std::vector<ir::Literal> initial = Take(ir::InitialState(module_, {.max_bytes = options_.budget.max_memory}));
  const std::vector<const ir::Function*> entries = ir::EntryFunctions(module_);
  for (size_t i = 0; i < initial.size(); ++i) {
    module_.mutable_variables()[i].initial = std::move(initial[i]);
  }
  signatures_ = PlanVariables(module_, options_);
  for (const ir::Function* entry : entries) signatures_.entries.push_back(Signature(*entry));
}

std::shared_ptr<const CompiledData> SymbolicPrograms::Find(size_t entry, std::span<const Tensor> arguments) {
  if (auto found = Look(entry, arguments)) return found;
  const std::lock_guard lock(compiling_);
  if (auto found = Look(entry, arguments)) return found;  // somebody else made it
  std::shared_ptr<const CompiledData> program;
  {
    const runtime::ForkWindow window(compiling_);
    program = Make(entry, arguments);
  }
  const std::lock_guard guard(mutex_);
  if (made_.size() == kMaxPrograms) made_.pop_back();
  made_.insert(made_.begin(), {entry, program});
  return program;
}

std::shared_ptr<const CompiledData> SymbolicPrograms::Look(size_t entry, std::span<const Tensor> arguments) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& m) {
    if (m.entry != entry) return false;
    const auto& parameters = m.program->program().entries[0].arguments;
    return std::equal(parameters.begin(), parameters.end(), arguments.begin(), arguments.end(),
                      [](const ir::Parameter& p, const Tensor& x) { return x.type() == p.type; });
  });
  if (found == made_.end()) return nullptr;
  std::rotate(made_.begin(), found, found + 1);
  return made_.front().program;
}

std::shared_ptr<const CompiledData> SymbolicPrograms::Make(size_t entry, std::span<const Tensor> arguments) const {
  const codegen::EntryPoint& signature = signatures_.entries[entry];
  const std::string& name = signature.name;
  if (arguments.size() != signature.arguments.size()) {
    ThrowInvalid(StrCat("run ", name, ": takes ", signature.arguments.size(), " arguments, got ", arguments.size()));
  }
  std::vector<Type> types;
  for (const Tensor& x : arguments) types.push_back(x.type());
  const auto extents = passes::BindArguments(module_, *module_.FindFunction(name), types);
  if (!extents.ok()) ThrowInvalid(StrCat("run ", name, ": ", extents.status().message()));
  ir::Module constant = Take(passes::Specialize(module_, *extents, {&name, 1}));
  constant.set_name(StrCat(module_.name(), passes::Text(module_, *extents)));  // of plans and dumps
  auto made = std::make_shared<CompiledData>();
  made->Compile(constant, options_, check_);
  return made;
}

ir::Module FixExtents(const ir::Module& module, const std::vector<std::pair<std::string, int64_t>>& extents) {
  return Take(passes::Specialize(module, Take(passes::BindNames(module, extents))));
}

}  // namespace reel::internal
