#include "frontend/stablehlo/import/importer.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "frontend/record/event_stream.h"
#include "frontend/record/imported.h"
#include "frontend/stablehlo/import/context.h"
#include "frontend/stablehlo/import/parser.h"
#include "frontend/values/status.h"
#include "ir/budget_meter.h"
#include "ir/hash_map.h"
#include "ir/names.h"
#include "ir/strings.h"

// Runs the operations of a program inside a trace: each handler calls Reel's ops on symbolic tensors, so a program
// becomes the graph that a user would have written. Called functions are written out where they are called.

namespace reel::stablehlo {
namespace reading {
namespace {

// Errors list no more operations than this.
constexpr size_t kMostListed = 100;

using Scope = internal::NameScope<Value>;
using internal::kDeepestCall;

// What a group of Reel's may have.
constexpr int64_t kMostProcesses = 1 << 20;

Processes ReadProcesses(const Program& program) {
  Processes out;
  out.meshes = program.meshes;
  for (const auto& [name, value] : program.attributes) {
    const bool replicas = name == "mhlo.num_replicas";
    if (!replicas && name != "mhlo.num_partitions") continue;
    if (value.kind != Attribute::Kind::kInt || value.integer < 1 || value.integer > kMostProcesses)
      Wrong(value.place, StrCat(name, " is no number from 1 to ", kMostProcesses));
    (replicas ? out.replicas : out.partitions) = value.integer;
    out.said = true;
  }
  if (out.count() > kMostProcesses) Malformed(StrCat("more processes than ", kMostProcesses));
  return out;
}

class Importer {
 public:
  Importer(const Program& program, const std::string& name, const StableHloImportOptions& options,
           ir::BudgetMeter* meter)
      : program_(program),
        file_(name.substr(name.rfind('/') + 1)),
        processes_(ReadProcesses(program)),
        options_(options),
        meter_(meter) {
    for (const Function& f : program.functions) {
      if (!functions_.emplace(f.name, &f).second) Wrong(f.place, StrCat("@", f.name, " is defined twice"));
    }
  }

  Module Import();

 private:
  const Function& Entry() const;
  void CheckOperations(const Function& entry) const;
  void List(const Region& region, std::vector<std::string>* lines, std::vector<const Function*>* reached) const;
  void AddSpecs(const Function& entry);
  std::string VariableName(const Function& entry, size_t i) const;
  Variable MakeVariable(const std::string& name, const Type& type, const Place& place) const;
  NamedTensors RunEntry(const Function& entry, std::span<const Tensor> arguments);
  Values RunRegion(const Region& region, const Values& arguments, const Scope* outer);
  Values RunCall(const Operation& op, const Values& arguments);
  void RunOperation(const Operation& op, Scope* scope);
  Values Handle(const Operation& op, Values inputs, const Scope& scope);
  void CheckResults(const Operation& op, const Values& results) const;
  const char* FileOf(const Operation& op);

  const Program& program_;
  std::string file_;
  const Processes processes_;
  const StableHloImportOptions& options_;
  ir::BudgetMeter* meter_;
  HashMap<std::string, const Function*> functions_;
  std::vector<const Function*> calls_;
  std::set<std::string> files_;       // what locations point to
  std::vector<Spec> specs_;           // of the arguments
  std::vector<Variable> variables_;   // by parameter; null of an argument
};

const Function& Importer::Entry() const {
  if (const auto it = functions_.find("main"); it != functions_.end()) return *it->second;
  const Function* found = nullptr;
  for (const Function& f : program_.functions) {
    if (!f.is_public) continue;
    if (found) Wrong(f.place, "there are several public functions, none of them @main");
    found = &f;
  }
  if (!found) Wrong(program_.functions[0].place, "there is no public function");
  return *found;
}

// All that Reel does not have, in functions that are reached.
void Importer::List(const Region& region, std::vector<std::string>* lines,
                    std::vector<const Function*>* reached) const {
  for (const Operation& op : region.operations) {
    const ImportRow* row = FindRow(op);
    if ((!row || !row->handler) && lines->size() < kMostListed) {
      const Attribute* target = op.name == "stablehlo.custom_call" ? op.Find("call_target_name") : nullptr;
      lines->push_back(StrCat(Text(op.place), ": ", op.name, target ? " @" + target->text : "", ": ",
                              row ? std::string(row->note) : "Reel does not have this operation",
                              op.file.empty() ? "" : StrCat(" (", op.file, ":", op.line, ")")));
    }
    if (op.name == "func.call") {
      const Attribute* callee = op.Find("callee");
      const auto it = callee ? functions_.find(callee->text) : functions_.end();
      if (it == functions_.end()) Wrong(op.place, "a call of a function that is not there");
      if (std::find(reached->begin(), reached->end(), it->second) == reached->end()) reached->push_back(it->second);
    }
    for (const Region& inner : op.regions) {
      if (row && row->handler) List(inner, lines, reached);
    }
  }
}

void Importer::CheckOperations(const Function& entry) const {
  std::vector<std::string> lines = program_.refused;
  std::vector<const Function*> reached{&entry};
  for (size_t i = 0; i < reached.size(); ++i) List(reached[i]->body, &lines, &reached);
  if (lines.empty()) return;
  std::string text = StrCat(lines.size(), " things that Reel does not have:");
  for (const std::string& line : lines) StrAppend(&text, "\n  ", line);
  Refuse(text);
}

std::string Importer::VariableName(const Function& entry, size_t i) const {
  const auto given = options_.variables.find(static_cast<int64_t>(i));
  if (given != options_.variables.end()) return given->second;
  const std::string* said = FindString(entry.parameters[i].attributes, "reel.variable");
  return said ? *said : "";
}

Variable Importer::MakeVariable(const std::string& name, const Type& type, const Place& place) const {
  const auto it = options_.values.find(name);
  const internal::SuspendScope suspend;
  const Tensor value = it == options_.values.end() ? Zeros(type.shape, type.dtype) : it->second;
  if (value.type() != type) {
    Wrong(place,
          StrCat("variable ", ir::Quoted(name), " is ", type.ToString(), ", its value ", value.type().ToString()));
  }
  return Variable(value, {.name = name, .trainable = IsDifferentiable(type.dtype)});
}

void Importer::AddSpecs(const Function& entry) {
  std::set<std::string> names, variables;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const Parameter& p = entry.parameters[i];
    variables_.emplace_back();
    if (std::string name = VariableName(entry, i); !name.empty()) {
      if (!variables.insert(name).second) Wrong(entry.place, StrCat("two variables ", ir::Quoted(name)));
      variables_.back() = MakeVariable(name, p.type, entry.place);
      continue;
    }
    const std::string* said = FindString(p.attributes, "reel.name");
    std::string name = said ? *said : p.name;
    if (!names.insert(name).second) names.insert(name = StrCat(name, "_", i));
    specs_.emplace_back(p.type.dtype, p.type.shape, name);
  }
  for (const auto& [index, name] : options_.variables) {
    if (index < 0 || index >= static_cast<int64_t>(entry.parameters.size()))
      Malformed(StrCat("variables: @", entry.name, " has no argument ", index));
  }
  for (const auto& [name, value] : options_.values) {
    if (!variables.contains(name)) Malformed(StrCat("values: there is no variable ", ir::Quoted(name)));
  }
}

Module Importer::Import() {
  const Function& entry = Entry();
  CheckOperations(entry);
  AddSpecs(entry);
  const auto callable = [&](std::span<const Tensor> arguments) { return RunEntry(entry, arguments); };
  const std::string* module = FindString(program_.attributes, "reel.module");
  const std::string* name = FindString(entry.attributes, "reel.entry");
  return Module::Lift({{name ? *name : entry.name, callable, specs_}}, module                  ? *module
                                                                       : program_.name.empty() ? "module"
                                                                                               : program_.name);
}

NamedTensors Importer::RunEntry(const Function& entry, std::span<const Tensor> arguments) {
  Values inputs;
  size_t next = 0;
  for (const Variable& v : variables_) inputs.emplace_back(v.defined() ? v.value() : arguments[next++]);
  const Values results = RunRegion(entry.body, inputs, nullptr);
  if (results.size() != entry.results.size()) Wrong(entry.place, "it returns another number of values than it says");
  NamedTensors out;
  std::set<std::string> names;
  for (size_t i = 0; i < results.size(); ++i) {
    const auto& [type, attributes] = entry.results[i];
    if (results[i].tensor.type() != type)
      Wrong(entry.place, StrCat("result ", i, " is ", results[i].tensor.type().ToString(), ", not ", type.ToString()));
    if (const std::string* variable = FindString(attributes, "reel.variable")) {
      const auto same = [&](const Variable& v) { return v.defined() && v.name() == *variable; };
      const auto it = std::find_if(variables_.begin(), variables_.end(), same);
      if (it == variables_.end()) Wrong(entry.place, StrCat("no argument is the variable ", ir::Quoted(*variable)));
      it->Assign(results[i].tensor);
      continue;
    }
    const std::string* said = FindString(attributes, "reel.name");
    if (!said) said = FindString(attributes, "jax.result_info");
    std::string name = said && !said->empty() ? *said : StrCat("result", i);
    if (!names.insert(name).second) names.insert(name = StrCat(name, "_", i));
    out.emplace_back(name, results[i].tensor);
  }
  return out;
}

Values Importer::RunRegion(const Region& region, const Values& arguments, const Scope* outer) {
  Scope scope;
  scope.outer = outer;
  if (arguments.size() != region.parameters.size())
    Malformed(StrCat("a region of ", region.parameters.size(), " parameters gets ", arguments.size(), " values"));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& p = region.parameters[i];
    if (arguments[i].tensor.type() != p.type) {
      Malformed(StrCat("parameter %", p.name, " of a region is ", p.type.ToString(), " and gets ",
                       arguments[i].tensor.type().ToString()));
    }
    if (!scope.values.emplace(p.name, arguments[i]).second) Malformed(StrCat("%", p.name, " is defined twice"));
  }
  for (const Operation& op : region.operations) {
    if (op.name == "func.return" || op.name == "stablehlo.return") {
      if (&op != &region.operations.back()) Wrong(op.place, "operations behind the end of a region");
      Values results;
      for (const std::string& name : op.operands) {
        const Value* value = scope.Find(name);
        if (!value) Wrong(op.place, StrCat("%", name, " is not defined here"));
        results.push_back(*value);
      }
      return results;
    }
    RunOperation(op, &scope);
  }
  Malformed("a region without stablehlo.return or func.return");
}

Values Importer::RunCall(const Operation& op, const Values& arguments) {
  const Function& callee = *functions_.find(op.Find("callee")->text)->second;
  if (std::find(calls_.begin(), calls_.end(), &callee) != calls_.end()) Refuse("a function that calls itself");
  if (calls_.size() >= kDeepestCall) Refuse(StrCat("calls nest deeper than ", kDeepestCall));
  calls_.push_back(&callee);
  Values results = RunRegion(callee.body, arguments, nullptr);
  calls_.pop_back();
  return results;
}

Values Importer::Handle(const Operation& op, Values inputs, const Scope& scope) {
  if (op.name == "func.call") return RunCall(op, inputs);
  if (op.name == "stablehlo.composite") {
    Operation call = op;
    const Attribute* body = op.Find("decomposition");
    if (!body || !functions_.contains(body->text)) Malformed("its decomposition is not there");
    call.attributes.emplace_back("callee", *body);
    return RunCall(call, inputs);
  }
  const auto run = [&](const Region& region, const Tensors& arguments) {
    Tensors out;
    for (const Value& v : RunRegion(region, Values(arguments.begin(), arguments.end()), &scope))
      out.push_back(v.tensor);
    return out;
  };
  const Context context(op, processes_, std::move(inputs), run,
                        [&](const std::string& name) { return scope.Find(name); });
  return FindRow(op)->handler(context);
}

void Importer::CheckResults(const Operation& op, const Values& results) const {
  if (results.size() != op.types.size())
    Malformed(StrCat("it gives ", results.size(), " results, the text says ", op.types.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].tensor.type() == op.types[i]) continue;
    Malformed(
        StrCat("result ", i, " is ", results[i].tensor.type().ToString(), ", the text says ", op.types[i].ToString()));
  }
}

// As long-lived as the trace.
const char* Importer::FileOf(const Operation& op) {
  return op.file.empty() ? file_.c_str() : files_.insert(op.file).first->c_str();
}

void Importer::RunOperation(const Operation& op, Scope* scope) {
  internal::Check(meter_->AddNode(op.operands.size(), op.types.size()));
  internal::Check(meter_->CheckTime());
  // The line in the program that made the text, else in the text.
  const int line = op.file.empty() ? op.place.line : op.line;
  const internal::ImportedLine location(FileOf(op), static_cast<uint32_t>(std::max(line, 0)));
  Values inputs;
  for (const std::string& name : op.operands) {
    const Value* value = scope->Find(name);
    if (!value) Wrong(op.place, StrCat(op.name, ": %", name, " is not defined here"));
    inputs.push_back(*value);
  }
  const bool inside = op.name == "func.call" || !op.regions.empty();
  Values results;
  try {
    for (size_t i = 0; op.operand_types && i < inputs.size(); ++i) {
      if (inputs[i].tensor.type() == (*op.operand_types)[i]) continue;
      Malformed(StrCat("operand %", op.operands[i], " is ", inputs[i].tensor.type().ToString(), ", the text says ",
                       (*op.operand_types)[i].ToString()));
    }
    results = Handle(op, std::move(inputs), *scope);
    CheckResults(op, results);
  } catch (const Error& error) {
    // What an operation inside has said is kept as it is.
    const std::string_view what = error.what();
    if (inside && what.find(": stablehlo.") != std::string_view::npos) throw;
    throw Error(error.code(), StrCat(Text(op.place), ": ", op.name, ": ", what));
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (!scope->values.emplace(op.results[i], std::move(results[i])).second)
      Wrong(op.place, StrCat("%", op.results[i], " is defined twice"));
  }
}

}  // namespace
}  // namespace reading

Module Import(std::string_view text, const std::string& name, const StableHloImportOptions& options) {
  try {
    ir::BudgetMeter meter(options.budget);
    const reading::Program program = reading::Parse(text, &meter);
    return reading::Importer(program, name, options, &meter).Import();
  } catch (const Error& error) {
    throw Error(error.code(), StrCat("stablehlo: ", ir::Quoted(name), ": ", error.what()));
  }
}

}  // namespace reel::stablehlo
