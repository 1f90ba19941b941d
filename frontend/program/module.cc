#include "reel/module.h"

#include <algorithm>

#include "frontend/program/live_function.h"
#include "frontend/program/parts.h"
#include "frontend/record/event_log.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/trace.h"
#include "frontend/report/html.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "ir/budget_scope.h"
#include "ir/calls.h"
#include "ir/eval/eval.h"
#include "ir/hash_map.h"
#include "ir/proto/file.h"
#include "ir/strings.h"
#include "ir/suggest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "passes/gradient/gradient.h"
#include "passes/specialize.h"

namespace reel {

using internal::ModuleData;
using internal::ThrowError;
using internal::ThrowInvalid;
using internal::VariablePtr;

namespace {

const ModuleData& Data(const std::shared_ptr<const ModuleData>& data) {
  if (!data) ThrowError(ErrorCode::kFailedPrecondition, "a null function or module; assign it first");
  return *data;
}

const ir::Function& Entry(const std::shared_ptr<const ModuleData>& data) {
  return *Data(data).module.FindFunction(Data(data).entry);
}

using Renames = HashMap<std::string, std::string>;

std::string Renamed(const Renames& renames, const std::string& name) {
  const auto it = renames.find(name);
  return it == renames.end() ? name : it->second;
}

// Attributes of a control op with the names of its functions replaced.
internal::AttributesPtr RenameCallees(const ir::Node& node, const Renames& functions) {
  if (!ir::Info(node.op).Has(ir::kControl)) return node.attributes;
  ir::Attributes attributes;
  for (const auto& [name, value] : node.attrs().entries()) {
    const auto* callee = std::get_if<std::string>(&value);
    attributes.Set(name, callee ? ir::AttrValue(Renamed(functions, *callee)) : value);
  }
  return std::make_shared<const ir::Attributes>(std::move(attributes));
}

// The same function under other names: its own, its variables', its callees'.
ir::Function Rename(const ir::Function& f, std::string name, const Renames& variables, const Renames& functions) {
  ir::Function out(std::move(name));
  for (int i = 0; i < f.num_arguments(); ++i) out.AddParameter(f.parameter(i).name, f.parameter(i).type);
  for (int i = f.num_arguments(); i < f.num_parameters(); ++i) {
    out.AddState(Renamed(variables, f.parameter(i).name), f.parameter(i).type);
  }
  for (const ir::Node& node : f.nodes()) {
    std::vector<Type> types;
    for (int i = 0; i < node.num_results; ++i) types.push_back(f.type(node.result(i)));
    const int32_t location =
        node.location < 0 ? -1 : out.AddLocation(f.locations()[static_cast<size_t>(node.location)]);
    out.AddNode(node.op, node.operands, RenameCallees(node, functions), types, location);
    for (int i = 0; i < node.num_results; ++i) {
      if (const std::string_view hint = f.name_hint(node.result(i)); !hint.empty())
        out.set_name_hint(node.result(i), std::string(hint));
    }
  }
  for (int32_t id = f.num_parameters(); id < f.num_values();
       ++id) {  // "tanh.grad": reports and messages name ops by it
    if (const std::string_view hint = f.name_hint({id}); !hint.empty()) out.set_name_hint({id}, std::string(hint));
  }
  out.SetResults(f.results());
  out.set_result_names(f.result_names());
  return out;
}

// Puts functions into one module: variables that are one become one, other names are made distinct.
class Merger {
 public:
  explicit Merger(ModuleData* out) : out_(out) {}

  void Add(const std::string& name, const ModuleData& in) {
    if (out_->module.FindFunction(name)) ThrowInvalid(StrCat("module: two entry points are called '", name, "'"));
    Renames variables, functions;
    const std::vector<VariablePtr> bound = internal::BoundVariables(in, /*make=*/false);
    for (size_t i = 0; i < bound.size(); ++i) {
      const ir::Variable& v = in.module.variables()[i];
      variables[v.name] = AddVariable(v, bound[i]);
    }
    functions[in.entry] = name;
    std::vector<Extent> symbols;
    for (const ir::Symbol& s : in.module.symbols()) symbols.push_back(internal::AddSymbol(s, &out_->module));
    for (const auto& f : in.module.functions()) {
      if (f->name() != in.entry) functions[f->name()] = out_->module.UniqueFunctionName(StrCat(name, ".", f->name()));
    }
    for (const auto& f : in.module.functions()) {
      out_->module.AddFunction(Rename(passes::WithExtents(*f, symbols), functions[f->name()], variables, functions));
    }
  }

 private:
  std::string AddVariable(const ir::Variable& v, const VariablePtr& bound) {
    for (size_t i = 0; bound && i < out_->bound.size(); ++i) {
      if (out_->bound[i] == bound) return out_->module.variables()[i].name;
    }
    ir::Variable copy = v;
    for (int n = 1; out_->module.FindVariable(copy.name); ++n) copy.name = StrCat(v.name, "_", n);
    out_->bound.push_back(bound);
    return out_->module.AddVariable(std::move(copy)).name;
  }

  ModuleData* out_;
};

}  // namespace

std::string internal::ImportFunction(const ir::Module& from, const std::string& name, ir::Module* to) {
  std::vector<Extent> symbols;
  for (const ir::Symbol& s : from.symbols()) symbols.push_back(AddSymbol(s, to));
  ir::Module part;
  ir::CopyCallees(part.AddFunction(*from.FindFunction(name)), from, &part);
  Renames functions;
  for (const auto& f : part.functions()) {
    // Taken at once, so that the next name is another.
    functions[f->name()] = to->AddFunction(ir::Function(to->UniqueFunctionName(f->name()))).name();
  }
  for (const auto& f : part.functions()) {
    to->AddFunction(Rename(passes::WithExtents(*f, symbols), functions[f->name()], {}, functions));
  }
  return functions[name];
}

namespace {

Module FromIr(ir::Module module) {
  auto data = std::make_shared<ModuleData>();
  for (const ir::Variable& v : module.variables()) {
    // What is in parts stays so: nobody may take a part for the whole.
    VariablePtr& bound = data->bound.emplace_back();
    if (v.parts > 1) bound = internal::LoadPart(v);
  }
  data->module = std::move(module);
  return Module(std::move(data));
}

}  // namespace

std::vector<VariablePtr> internal::BoundVariables(const ModuleData& data, bool make) {
  const std::lock_guard lock(data.live.mutex);
  if (!make || std::find(data.bound.begin(), data.bound.end(), nullptr) == data.bound.end()) return data.bound;
  const std::vector<ir::Literal> values = Take(ir::InitialState(data.module));
  for (size_t i = 0; i < data.bound.size(); ++i) {
    const ir::Variable& v = data.module.variables()[i];
    if (!data.bound[i])
      data.bound[i] = Variable(internal::FromLiteral(values[i]), {v.name, v.trainable}).internal_data();
  }
  return data.bound;
}

Results Function::Call(const std::vector<Tensor>& arguments) const {
  const ModuleData& data = Data(data_);
  std::shared_ptr<internal::LiveFunction> live;
  {
    const std::lock_guard lock(data.live.mutex);
    if (!data.live.function) data.live.function = internal::MakeLive(data);
    live = data.live.function;
  }
  return Results(live->Call(arguments), live->result_names());
}

const std::string& Function::name() const { return Data(data_).entry; }
int Function::num_arguments() const { return Entry(data_).num_arguments(); }
int Function::num_results() const { return Entry(data_).num_outputs(); }
std::vector<Variable> Function::variables() const {
  const std::vector<VariablePtr> bound = internal::BoundVariables(Data(data_), /*make=*/true);
  const HashSet<std::string> state(Entry(data_).state().begin(), Entry(data_).state().end());
  std::vector<Variable> out;
  for (size_t i = 0; i < bound.size(); ++i) {
    const VariablePtr& whole = bound[i]->whole ? bound[i]->whole : bound[i];
    if (state.contains(Data(data_).module.variables()[i].name)) out.push_back(Variable(whole));
  }
  return out;
}
std::string Function::ToText() const { return ir::Print(Data(data_).module); }
uint64_t Function::Fingerprint() const { return ir::Fingerprint(Entry(data_)); }
std::string Function::ToDot() const {
  const ir::Function* f = &Entry(data_);
  return internal::DotOf({&f, 1});
}
std::string Function::ToHtml() const { return internal::HtmlOf(Data(data_).module, Entry(data_)); }

Function Gradients(const Function& function, const FunctionGradientOptions& options) {
  auto data = std::make_shared<ModuleData>(Data(function.internal_data()));
  const ir::BudgetMeter meter(options.budget);
  const auto differentiate = [&] {
    return passes::AddGradientFunction(&data->module, data->entry, options.ys, options.xs, options.grad_ys);
  };
  const auto made = internal::Take(ir::Within(&meter, differentiate, /*count_ops=*/true));
  data->module.RemoveFunction(data->entry);
  data->entry = made.name;
  internal::Check(ir::Verify(data->module));
  return Function(std::move(data));
}

Module Module::Lift(std::vector<EntrySpec> entries, std::string name) {
  auto data = std::make_shared<ModuleData>();
  data->module.set_name(std::move(name));
  Merger merger(data.get());
  for (const EntrySpec& entry : entries) {
    const Function f = entry.traced ? internal::TraceFunction(entry.name, entry.traced, entry.specs) : entry.function;
    merger.Add(entry.name, Data(f.internal_data()));
  }
  internal::Check(ir::Verify(data->module));
  return Module(std::move(data));
}

Module Module::Load(const std::string& path, const Budget& budget) {
  return FromIr(internal::Take(ir::LoadModule(path, budget)));
}
Module Module::FromText(std::string_view text, const Budget& budget) {
  return FromIr(internal::Take(ir::ParseModule(text, "text", budget)));
}
void Module::Save(const std::string& path) const { internal::Check(ir::SaveModule(Data(data_).module, path)); }
std::string Module::ToText() const { return ir::Print(Data(data_).module); }
std::string Module::ToDot() const { return internal::DotOf(ir::EntryFunctions(Data(data_).module)); }
std::string Module::ToHtml() const {
  return internal::HtmlOf(Data(data_).module, ir::EntryFunctions(Data(data_).module));
}
void Module::Verify() const { internal::Check(ir::Verify(Data(data_).module)); }
const std::string& Module::name() const { return Data(data_).module.name(); }

std::vector<std::string> Module::entries() const {
  std::vector<std::string> out;
  for (const ir::Function* f : ir::EntryFunctions(Data(data_).module)) out.push_back(f->name());
  return out;
}

Function Module::function(std::string_view entry) const {
  const ModuleData& data = Data(data_);
  if (!data.module.FindFunction(entry)) {
    const std::string near = ir::DidYouMean(entry, entries());
    ThrowError(ErrorCode::kNotFound, StrCat("module: there is no function '", entry, "'", near));
  }
  const std::vector<VariablePtr> bound = internal::BoundVariables(data, /*make=*/true);
  auto copy = std::make_shared<ModuleData>(ModuleData{data.module, std::string(entry), bound});
  return Function(std::move(copy));
}

Module Module::Snapshot() const {
  const ModuleData& data = Data(data_);
  auto copy = std::make_shared<ModuleData>(
      ModuleData{ir::Module(), data.entry, internal::BoundVariables(data, /*make=*/false)});
  copy->module = data.module;
  for (size_t i = 0; i < copy->bound.size(); ++i) {
    if (!copy->bound[i]) continue;
    if (copy->bound[i]->whole) {
      ThrowError(ErrorCode::kFailedPrecondition,
                 StrCat("snapshot: of variable '", copy->bound[i]->name,
                        "' this process has its part; take one of the step as it was before DataParallel"));
    }
    copy->module.mutable_variables()[i].initial = internal::ToLiteral(Variable(copy->bound[i]).value());
  }
  return Module(std::move(copy));
}

std::vector<std::string> Module::variables() const {
  std::vector<std::string> out;
  for (const ir::Variable& v : Data(data_).module.variables()) out.push_back(v.name);
  return out;
}

Tensor Module::value(std::string_view variable) const {
  const ir::Variable* v = Data(data_).module.FindVariable(variable);
  if (!v) {
    const std::string near = ir::DidYouMean(variable, variables());
    ThrowError(ErrorCode::kNotFound, StrCat("module: there is no variable '", variable, "'", near));
  }
  if (v->parts > 1) {
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("module: of variable '", variable, "' there is one of ", v->parts,
                      " parts; for the whole value call GatherState(step)() in all processes"));
  }
  const auto* literal = std::get_if<ir::Literal>(&v->initial);
  if (!literal) {
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("module: variable '", variable,
                      "' is computed by an init function; compile the module and read it there"));
  }
  return internal::FromLiteral(*literal);
}

}  // namespace reel
