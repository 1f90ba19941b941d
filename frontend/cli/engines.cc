#include "frontend/cli/engines.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "codegen/compiler.h"
#include "frontend/eager/dispatch.h"
#include "frontend/program/compiled_data.h"
#include "frontend/program/deadline.h"
#include "frontend/program/execution_profile.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/budget_scope.h"
#include "ir/eval/eval.h"
#include "ir/names.h"
#include "passes/pass.h"
#include "passes/specialize.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "runtime/environment.h"
#include "runtime/thread_pool.h"

namespace reel::cli {
namespace {

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double SecondsLeft(const Common& common) {
  return std::max(0.0, common.budget.max_seconds - (ir::SteadySeconds() - common.start));
}

// The function and what it calls, as a module whose only entry point it is.
ir::Module Only(const ir::Module& module, const ir::Function& function) {
  ir::Module out = module;
  const std::string name = out.UniqueFunctionName(function.name());
  ir::Function entry = function;
  entry.set_name(name);
  out.AddFunction(std::move(entry));
  Take(passes::Dce(&out, {.entry_points = {name}}));
  return out;
}

RunResult Interpret(const ir::Module& module, const ir::Function& function, const std::vector<ir::Literal>& inputs,
                    const Common& common) {
  constexpr double kOperationsPerSecond = 1e7;  // of the evaluator, at least
  ir::EvalOptions options;
  options.max_bytes = common.budget.max_memory;
  options.max_operations = static_cast<int64_t>(std::min(SecondsLeft(common) * kOperationsPerSecond, 9e18));
  const double start = Now();
  ir::EntryResult result = Take(ir::EvaluateEntry(module, function.name(), inputs, {}, options));
  return {std::move(result.outputs), std::move(result.state), Now() - start};
}

// Runs a function op by op: results of `f`, given its parameters.
class EagerRunner {
 public:
  EagerRunner(const ir::Module& module, const Common& common) : module_(module), meter_(common.meter()) {}

  std::vector<Tensor> Run(const ir::Function& f, const std::vector<Tensor>& parameters) {
    constexpr int kMaxDepth = 200;  // of control ops in control ops
    if (++depth_ > kMaxDepth) Fail(kInvalid, "branches and loops are nested more than 200 deep");
    std::vector<Tensor> values = parameters;
    values.resize(static_cast<size_t>(f.num_values()));
    for (const ir::Node& node : f.nodes()) {
      std::vector<Tensor> operands;
      for (const ir::Value v : node.operands) operands.push_back(values[static_cast<size_t>(v.id)]);
      const std::vector<Tensor> results = RunNode(node, operands);
      std::copy(results.begin(), results.end(), values.begin() + node.first_result);
    }
    std::vector<Tensor> results;
    for (const ir::Value v : f.results()) results.push_back(values[static_cast<size_t>(v.id)]);
    --depth_;
    return results;
  }

 private:
  const ir::Function& Named(const ir::Node& node, std::string_view attribute) const {
    return *module_.FindFunction(node.attr<std::string>(attribute));
  }

  std::vector<Tensor> RunNode(const ir::Node& node, const std::vector<Tensor>& x) {
    Check(meter_.CheckTime());
    switch (node.op) {
      case ir::Op::kCall: return Run(Named(node, "callee"), x);
      case ir::Op::kIf: return Run(Named(node, x[0].item<bool>() ? "then" : "else"), {x.begin() + 1, x.end()});
      case ir::Op::kWhile: {
        const ir::AttrValue* limit = node.attrs().Find("maximum_iterations");
        std::vector<Tensor> values = x;
        for (int64_t i = 0; limit == nullptr || i < std::get<int64_t>(*limit); ++i) {
          if (!Run(Named(node, "cond"), values)[0].item<bool>()) break;
          values = Run(Named(node, "body"), values);
        }
        return values;
      }
      default: {
        const auto results = internal::DispatchAll(node.op, node.attributes, x);
        return {results.begin(), results.end()};
      }
    }
  }

  const ir::Module& module_;
  const ir::BudgetMeter meter_;
  int depth_ = 0;
};

RunResult RunEagerly(const ir::Module& module, const ir::Function& named, const std::vector<ir::Literal>& inputs,
                     const Common& common) {
  ir::Module only = Only(module, named);
  const std::string name = only.functions().back()->name();
  Take(passes::Inline(&only, {.entry_points = {name}, .differentiation_done = true}));
  const ir::Function& f = *only.FindFunction(name);
  std::vector<ir::Literal> state = Take(ir::InitialState(module, {.max_bytes = common.budget.max_memory}));
  std::vector<Tensor> parameters;
  const auto variable = [&](int i) -> ir::Literal& {
    const ir::Variable* v = module.FindVariable(f.state()[static_cast<size_t>(i)]);
    return state[static_cast<size_t>(v - module.variables().data())];
  };
  for (int i = 0; i < f.num_parameters(); ++i) {
    const int s = i - f.num_arguments();
    parameters.push_back(internal::FromLiteral(s < 0 ? inputs[static_cast<size_t>(i)] : variable(s)));
  }
  const double start = Now();
  const std::vector<Tensor> results = EagerRunner(only, common).Run(f, parameters);
  RunResult result{{}, std::move(state), Now() - start};
  for (int i = 0; i < static_cast<int>(f.results().size()); ++i) {
    const Tensor& value = results[static_cast<size_t>(i)];
    const int s = i - f.num_outputs();
    if (s < 0)
      result.outputs.push_back(internal::ToLiteral(value));
    else
      result.state[static_cast<size_t>(module.FindVariable(f.state()[static_cast<size_t>(s)]) -
                                       module.variables().data())] = internal::ToLiteral(value);
  }
  return result;
}

RunResult RunCompiled(const ir::Module& module, const ir::Function& function, const std::vector<ir::Literal>& inputs,
                      const Common& common, bool profile) {
  const ir::Module only = Only(module, function);
  codegen::CompilerOptions options = internal::DefaultCompilerOptions();
  options.budget = common.budget;
  options.start = common.start;
  options.profile = profile || runtime::GetEnvironment().profile;
  const auto compiled = Take(reel_compiler()->Compile(only, options));
  const codegen::Program& program = compiled->program();
  // Functions that nothing calls any more may be entry points beside it.
  const auto found = std::find_if(program.entries.begin(), program.entries.end(), [&](const codegen::EntryPoint& e) {
    return e.name == only.functions().back()->name();
  });
  if (found == program.entries.end()) Fail(kInvalid, StrCat("compiling left out ", ir::Quoted(function.name())));
  const codegen::EntryPoint& entry = *found;
  const auto number = static_cast<int>(found - program.entries.begin());
  const runtime::Buffer instance = internal::MakeInstance(program);
  internal::WriteInitialValues(program, instance);

  std::vector<const void*> arguments;
  for (const ir::Literal& x : inputs) arguments.push_back(x.bytes().data());
  std::vector<std::vector<std::byte>> outputs;
  std::vector<void*> results;
  for (const ir::Parameter& r : entry.results) {
    outputs.emplace_back(static_cast<size_t>(r.type.bytes()));
    results.push_back(outputs.back().data());
  }
  runtime::Profiler profiler(static_cast<int32_t>(program.kernels.size()));
  static_cast<reel_instance*>(instance.data())->profile = options.profile ? &profiler : nullptr;
  const double start = Now();
  const int64_t begin = runtime::ProfileClock();
  const int32_t status = [&] {
    const internal::Deadline deadline(SecondsLeft(common));
    static_cast<reel_instance*>(instance.data())->stop = deadline.passed();
    return compiled->entry(number)(instance.data(), arguments.data(), results.data());
  }();
  profiler.AddRun(number, begin);
  RunResult result{{}, Take(ir::InitialState(module)), Now() - start};
  if (profile) {
    result.profile = internal::ProfileOf(program, profiler);
    result.trace = internal::TraceOf(program, profiler);
  }
  internal::ReportProfile(program, profiler);
  if (status == REEL_CANCELLED) {
    Fail(kBudget, StrCat(function.name(), " takes longer than the budget of ", common.budget.max_seconds,
                         " s; raise --budget-seconds"));
  }
  if (status == REEL_INDEX_OUT_OF_RANGE || status == REEL_STATE_PARTLY_UPDATED) {
    Fail(kInvalid, internal::FaultOf(status, program, instance.data()).text);
  }
  if (status != REEL_OK) Fail(kInvalid, StrCat(function.name(), ": ", reel_status_message(status)));
  for (size_t i = 0; i < outputs.size(); ++i) {
    result.outputs.emplace_back(entry.results[i].type, std::move(outputs[i]));
  }
  for (const codegen::VariableSlot& v : program.variables) {
    const auto* first = static_cast<const std::byte*>(instance.data()) + v.offset;
    const auto index = static_cast<size_t>(module.FindVariable(v.name) - module.variables().data());
    result.state[index] = ir::Literal(v.type, std::vector<std::byte>(first, first + v.type.bytes()));
  }
  return result;
}

}  // namespace

std::vector<Type> TypesOf(const std::vector<ir::Literal>& literals) {
  std::vector<Type> types;
  for (const ir::Literal& x : literals) types.push_back(x.type());
  return types;
}

RunResult RunFunction(const std::string& engine, const ir::Module& module, const ir::Function& function,
                      const std::vector<ir::Literal>& inputs, const Common& common, bool profile) {
  const auto run = [&](const ir::Module& m, const ir::Function& f) {
    return engine == "eager" ? RunEagerly(m, f, inputs, common) : RunCompiled(m, f, inputs, common, profile);
  };
  const ir::BudgetMeter meter = common.meter();
  return Take(ir::Within(&meter, [&]() -> absl::StatusOr<RunResult> {
    if (engine == "interpret") return Interpret(module, function, inputs, common);
    if (module.symbols().empty()) return run(module, function);
    const passes::Extents extents = Take(passes::BindArguments(module, function, TypesOf(inputs)));
    const std::string name = function.name();
    const ir::Module constant = Take(passes::Specialize(module, extents, {&name, 1}));
    return run(constant, *constant.FindFunction(name));
  }));
}

}  // namespace reel::cli
