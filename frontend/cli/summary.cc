#include "frontend/cli/summary.h"

#include <nlohmann/json.hpp>

#include "codegen/compiler.h"
#include "codegen/loop/cost.h"
#include "codegen/program/program.h"
#include "frontend/program/symbolic_programs.h"
#include "ir/text/printer.h"

namespace reel::cli {
namespace {

/// What one call of some steps does; bodies of branches and loops count once.
struct Work {
  int64_t kernels = 0, bytes = 0;
  double flops = 0;
};

// Recursion is as deep as control steps are nested.
void AddSteps(const codegen::Program& program, const std::vector<codegen::Step>& steps, Work* work) {
  for (const codegen::Step& step : steps) {
    AddSteps(program, step.first, work);
    AddSteps(program, step.second, work);
    if (step.kernel < 0 || step.bytes > 0) continue;  // of a call in parts the first one counts
    const codegen::KernelCost cost = codegen::CostOf(program.kernels[static_cast<size_t>(step.kernel)]);
    ++work->kernels;
    work->flops += cost.flops;
    work->bytes += cost.bytes_read + cost.bytes_written;
  }
}

std::string TypesOf(const ir::Module& module, const ir::Function& f, bool results) {
  std::string out;
  const int count = results ? f.num_outputs() : f.num_arguments();
  for (int i = 0; i < count; ++i) {
    const std::string name = results ? f.result_name(i) : f.parameter(i).name;
    const Type& type = results ? f.type(f.results()[static_cast<size_t>(i)]) : f.parameter(i).type;
    StrAppend(&out, i == 0 ? "" : ", ", name, " ", ir::Print(type, module));
  }
  return out;
}

Json VariablesOf(const ir::Module& module) {
  int64_t trainable = 0, trainable_elements = 0, bytes = 0;
  for (const ir::Variable& v : module.variables()) {
    bytes += v.type.bytes();
    if (!v.trainable) continue;
    ++trainable;
    trainable_elements += v.type.shape.size();
  }
  return {{"count", module.variables().size()},
          {"trainable", trainable},
          {"parameters", trainable_elements},
          {"bytes", bytes}};
}

std::string Scaled(double number, const char* unit) {
  const char* const prefixes[] = {"", "k", "M", "G", "T"};
  size_t i = 0;
  for (; number >= 1000 && i + 1 < std::size(prefixes); ++i) number /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s%s", number, prefixes[i], unit);
  return text;
}

}  // namespace

Json Summarise(const ir::Module& given, const std::vector<std::pair<std::string, int64_t>>& extents,
               const Common& common) {
  const ir::Module module = reel::internal::FixExtents(given, extents);
  Json out = {{"module", given.name()}, {"variables", VariablesOf(given)}, {"functions", given.functions().size()}};
  Json entries = Json::array();
  if (!module.symbols().empty()) {
    Json open = Json::array();
    for (const ir::Symbol& s : module.symbols()) open.push_back(s.name);
    out["open_extents"] = open;
  }
  codegen::Program program;
  if (module.symbols().empty()) {
    const ir::BudgetMeter meter = common.meter();
    codegen::PlanOptions plan;
    plan.meter = &meter;
    program = Take(codegen::BuildProgram(module, Take(codegen::FindTarget("native")), plan));
    out["instance_bytes"] = program.instance_bytes;
    out["arena_bytes"] = program.arena_bytes;
  }
  for (const codegen::EntryPoint& entry : program.entries) {
    const ir::Function& f = FindFunction(given, entry.name);
    Work work;
    AddSteps(program, entry.steps, &work);
    entries.push_back({{"name", entry.name},
                       {"arguments", TypesOf(given, f, false)},
                       {"results", TypesOf(given, f, true)},
                       {"variables", f.state().size()},
                       {"nodes", f.nodes().size()},
                       {"kernels", work.kernels},
                       {"flops", work.flops},
                       {"bytes", work.bytes}});
  }
  out["entries"] = entries;
  return out;
}

std::string SummaryText(const Json& s) {
  const Json& v = s["variables"];
  const auto bytes = [](const Json& number) { return Scaled(number.get<double>(), "B"); };
  std::string out = StrCat("module ", Printable(s["module"].get<std::string>(), 200), "\n", "variables    ",
                           v["count"].get<int64_t>(), ", ", bytes(v["bytes"]), "; trainable ",
                           v["trainable"].get<int64_t>(), " with ", v["parameters"].get<int64_t>(), " parameters\n");
  if (s.contains("open_extents")) {
    return StrCat(out, "open extents ", JsonText(s["open_extents"]),
                  ": give --extent NAME=NUMBER for work and memory\n");
  }
  StrAppend(&out, "instance     ", bytes(s["instance_bytes"]), ", of it ", bytes(s["arena_bytes"]),
            " for temporaries\n");
  for (const Json& e : s["entries"]) {
    StrAppend(&out, "\n", Printable(e["name"].get<std::string>(), 200), "(",
              Printable(e["arguments"].get<std::string>(), 2000), ") -> ",
              Printable(e["results"].get<std::string>(), 2000), "\n  nodes ", e["nodes"].get<int64_t>(), ", kernels ",
              e["kernels"].get<int64_t>(), ", ", Scaled(e["flops"].get<double>(), "flop"), ", ", bytes(e["bytes"]),
              " through memory, variables ", e["variables"].get<int64_t>(), "\n");
  }
  return out;
}

}  // namespace reel::cli
