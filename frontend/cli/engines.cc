#include "frontend/cli/engines.h"

#include <chrono>
#include <cstring>

#include "codegen/compiler.h"
#include "frontend/core.h"
#include "ir/eval/eval.h"
#include "passes/pass.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "runtime/environment.h"
#include "runtime/thread_pool.h"

namespace reel::cli {
namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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

RunResult Interpret(const ir::Module& module, const ir::Function& function,
                    const std::vector<ir::Literal>& inputs, const Budget& budget) {
  constexpr double kOperationsPerSecond = 1e7;  // of the evaluator, at least
  ir::EvalOptions options;
  options.max_bytes = budget.max_memory;
  options.max_operations =
      static_cast<int64_t>(std::min(budget.max_seconds * kOperationsPerSecond, 9e18));
  const double start = Now();
  ir::EntryResult result = Take(ir::EvaluateEntry(module, function.name(), inputs, {}, options));
  return {std::move(result.outputs), std::move(result.state), Now() - start};
}

RunResult RunEagerly(const ir::Module& module, const ir::Function& named,
                     const std::vector<ir::Literal>& inputs, const Budget& budget) {
  ir::Module only = Only(module, named);
  const std::string name = only.functions().back()->name();
  Take(passes::Inline(&only, {.entry_points = {name}, .differentiation_done = true}));
  const ir::Function& f = *only.FindFunction(name);
  std::vector<ir::Literal> state = Take(ir::InitialState(module, {.max_bytes = budget.max_memory}));
  std::vector<Tensor> values(static_cast<size_t>(f.num_values()));
  const auto at = [&](ir::Value v) -> Tensor& { return values[static_cast<size_t>(v.id)]; };
  const auto variable = [&](int i) -> ir::Literal& {
    const ir::Variable* v = module.FindVariable(f.state()[static_cast<size_t>(i)]);
    return state[static_cast<size_t>(v - module.variables().data())];
  };
  for (int i = 0; i < f.num_parameters(); ++i) {
    const int s = i - f.num_arguments();
    at({i}) = internal::FromLiteral(s < 0 ? inputs[static_cast<size_t>(i)] : variable(s));
  }
  const double start = Now();
  for (const ir::Node& node : f.nodes()) {
    if (ir::Info(node.op).Has(ir::kControl)) {
      Fail(kInvalid,
           StrCat("the eager engine does not run ", ir::Name(node.op), "; use --engine interpret"));
    }
    std::vector<Tensor> operands;
    for (const ir::Value v : node.operands) operands.push_back(at(v));
    const auto results = internal::DispatchAll(node.op, node.attributes, operands);
    for (int i = 0; i < node.num_results; ++i) at(node.result(i)) = results[static_cast<size_t>(i)];
  }
  RunResult result{{}, std::move(state), Now() - start};
  for (int i = 0; i < static_cast<int>(f.results().size()); ++i) {
    const Tensor& value = at(f.results()[static_cast<size_t>(i)]);
    const int s = i - f.num_outputs();
    if (s < 0)
      result.outputs.push_back(internal::ToLiteral(value));
    else
      result.state[static_cast<size_t>(module.FindVariable(f.state()[static_cast<size_t>(s)]) -
                                       module.variables().data())] = internal::ToLiteral(value);
  }
  return result;
}

// Memory for one instance, with header and initial values.
runtime::Buffer MakeInstance(const codegen::Program& program) {
  const auto bytes = static_cast<size_t>(program.instance_bytes);
  runtime::Buffer memory = runtime::Buffer::Allocate(bytes);
  std::memset(memory.data(), 0, bytes);
  auto* header = static_cast<reel_instance*>(memory.data());
  header->magic = REEL_INSTANCE_MAGIC;
  header->parallel_for = reel_gang_parallel_for;
  for (const codegen::VariableSlot& v : program.variables) {
    std::memcpy(static_cast<std::byte*>(memory.data()) + v.offset, v.initial.bytes().data(),
                v.initial.bytes().size());
  }
  return memory;
}

RunResult RunCompiled(const ir::Module& module, const ir::Function& function,
                      const std::vector<ir::Literal>& inputs, const Budget& budget) {
  const ir::Module only = Only(module, function);
  codegen::CompilerOptions options;
  options.dump_to = runtime::GetEnvironment().dump_to;
  options.budget = budget;
  const auto compiled = Take(reel_compiler()->Compile(only, options));
  const codegen::Program& program = compiled->program();
  const codegen::EntryPoint& entry = program.entries.at(0);
  const runtime::Buffer instance = MakeInstance(program);

  std::vector<const void*> arguments;
  for (const ir::Literal& x : inputs) arguments.push_back(x.bytes().data());
  std::vector<std::vector<std::byte>> outputs;
  std::vector<void*> results;
  for (const ir::Parameter& r : entry.results) {
    outputs.emplace_back(static_cast<size_t>(r.type.bytes()));
    results.push_back(outputs.back().data());
  }
  const double start = Now();
  const int32_t status = compiled->entry(0)(instance.data(), arguments.data(), results.data());
  RunResult result{{}, Take(ir::InitialState(module)), Now() - start};
  if (status != REEL_OK) Fail(kInvalid, StrCat(function.name(), ": ", reel_status_message(status)));
  for (size_t i = 0; i < outputs.size(); ++i) {
    result.outputs.emplace_back(entry.results[i].type, std::move(outputs[i]));
  }
  for (const codegen::VariableSlot& v : program.variables) {
    const auto* first = static_cast<const std::byte*>(instance.data()) + v.offset;
    const auto index = static_cast<size_t>(module.FindVariable(v.name) - module.variables().data());
    result.state[index] =
        ir::Literal(v.type, std::vector<std::byte>(first, first + v.type.bytes()));
  }
  return result;
}

}  // namespace

RunResult RunFunction(const std::string& engine, const ir::Module& module,
                      const ir::Function& function, const std::vector<ir::Literal>& inputs,
                      const Budget& budget) {
  if (engine == "interpret") return Interpret(module, function, inputs, budget);
  if (engine == "eager") return RunEagerly(module, function, inputs, budget);
  return RunCompiled(module, function, inputs, budget);
}

}  // namespace reel::cli
