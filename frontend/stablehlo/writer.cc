#include "frontend/stablehlo/writer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "frontend/export/names.h"
#include "frontend/export/program.h"
#include "frontend/stablehlo/dense.h"
#include "frontend/stablehlo/operators.h"
#include "frontend/values/status.h"
#include "ir/budget_scope.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "passes/specialize.h"

namespace reel::stablehlo {
namespace {

// The oldest release that has all operations of operators.def.
constexpr std::string_view kStableHloVersion = "1.0.0";

bool InSymbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// [A-Za-z_][A-Za-z0-9_.]*, near the name.
std::string SymbolNear(std::string_view name, exports::Names* names) {
  const bool other = !name.empty() && ((name[0] >= '0' && name[0] <= '9') || name[0] == '.');
  return names->Unique(StrCat(other ? "_" : "", name));
}

class Writer {
 public:
  Writer(const exports::Program& program, bool locations, size_t most)
      : program_(program), module_(program.module), locations_(locations), most_(most) {}

  std::string Run();

 private:
  bool IsEntry(const ir::Function& f) const { return f.name() == program_.entry; }
  /// The results that are written: of the entry point, those and the variables that it updates.
  std::vector<size_t> ResultsOf(const ir::Function& f) const;
  void AddFunction(const ir::Function& f);
  void AddSignature(const ir::Function& f);
  void AddNode(const ir::Function& f, const ir::Node& node, Emitter* e, std::vector<Value>* values);
  void NeedSymbols(const OpContext& c) const;
  void NeedSpace(const OpContext& c) const;
  std::string LocationOf(const ir::Function& f, const ir::Node& node);
  std::string_view SymbolOf(const ir::Function& f) const { return symbols_.at(f.name()); }

  const exports::Program& program_;
  const ir::Module& module_;
  const bool locations_;
  const size_t most_;
  std::string out_;
  std::unordered_map<std::string, std::string> symbols_;    // of functions
  std::unordered_map<std::string, size_t> location_index_;  // by text
  std::vector<std::string> location_texts_;
};

std::vector<size_t> Writer::ResultsOf(const ir::Function& f) const {
  std::vector<size_t> out;
  const auto outputs = static_cast<size_t>(f.num_outputs());
  for (size_t i = 0; i < f.results().size(); ++i) {
    if (i < outputs || !IsEntry(f) || program_.state[i - outputs].updated) out.push_back(i);
  }
  return out;
}

// " {reel.variable = "w"}" of a state, " {reel.name = "x"}" of another.
std::string NameAttribute(const ir::Function& f, int i, int declared, const std::string& name) {
  if (i < declared) return StrCat(" {reel.name = ", QuotedText(name), "}");
  return StrCat(" {reel.variable = ", QuotedText(f.state()[static_cast<size_t>(i - declared)]), "}");
}

void Writer::AddSignature(const ir::Function& f) {
  const bool entry = IsEntry(f);
  StrAppend(&out_, "  func.func ", entry ? "public" : "private", " @", SymbolOf(f), "(");
  for (int i = 0; i < f.num_parameters(); ++i) {
    StrAppend(&out_, i ? ", " : "", "%arg", i, ": ", TypeText(f.parameter(i).type));
    if (entry) out_ += NameAttribute(f, i, f.num_arguments(), f.parameter(i).name);
  }
  out_ += ") -> (";
  const char* separator = "";
  for (const size_t i : ResultsOf(f)) {
    const int n = static_cast<int>(i);
    StrAppend(&out_, std::exchange(separator, ", "), TypeText(f.type(f.results()[i])));
    if (entry) out_ += NameAttribute(f, n, f.num_outputs(), n < f.num_outputs() ? f.result_name(n) : "");
  }
  out_ += ")";
  if (entry) StrAppend(&out_, " attributes {reel.entry = ", QuotedText(f.name()), "}");
  out_ += " {\n";
}

std::string Writer::LocationOf(const ir::Function& f, const ir::Node& node) {
  if (!locations_ || node.location < 0) return "";
  const ir::Location& at = f.locations()[static_cast<size_t>(node.location)];
  std::string text = StrCat(QuotedText(at.file), ":", std::max(at.line, 0), ":0");
  if (const std::string_view hint = f.name_hint(node.result()); node.num_results > 0 && !hint.empty())
    text = StrCat(QuotedText(hint), "(", text, ")");
  const auto [it, added] = location_index_.emplace(text, location_texts_.size());
  if (added) location_texts_.push_back(text);
  return StrCat(" loc(#loc", it->second, ")");
}

// Refuses a node whose types have an extent that can be read nowhere in its function.
void Writer::NeedSymbols(const OpContext& c) const {
  for (const Type& type : c.types) {
    int32_t missing = 0;
    if (c.e.Knows(type.shape, &missing)) continue;
    const std::string name = ir::Quoted(module_.symbols()[static_cast<size_t>(missing)].name);
    Refuse(c, StrCat("no argument of the function has the extent ", name, "; give it a value (dims, --dim NAME=N)"));
  }
}

// Refuses a node that makes the text too long, before its bytes are copied.
void Writer::NeedSpace(const OpContext& c) const {
  const size_t more = c.node.op == ir::Op::kConstant ? HexSize(c.node.attr<ir::Literal>("value")) : 0;
  if (out_.size() + more <= most_) return;
  Refuse(c, StrCat("the text would have more than ", most_,
                   " characters; make large constants variables, whose values are arguments"));
}

void Writer::AddNode(const ir::Function& f, const ir::Node& node, Emitter* e, std::vector<Value>* values) {
  const std::function<std::pair<std::string, std::vector<Type>>(const std::string&)> callee = [&](const auto& name) {
    const ir::Function& called = *module_.FindFunction(name);
    std::vector<Type> types;
    for (const ir::Value v : called.results()) types.push_back(called.type(v));
    return std::pair(std::string(SymbolOf(called)), types);
  };
  OpContext c{*e, f, node, RowOf(node.op).said, {}, {}, callee};
  for (const ir::Value v : node.operands) c.x.push_back((*values)[v.index()]);
  for (int i = 0; i < node.num_results; ++i) c.types.push_back(f.type(node.result(i)));
  const bool control = ir::Info(node.op).Has(ir::kControl);
  if (!control) NeedSymbols(c);
  NeedSpace(c);
  e->set_location(LocationOf(f, node));
  const Values results = RowOf(node.op).handler(c);
  for (int i = 0; i < node.num_results; ++i) {
    const Value& value = results[static_cast<size_t>(i)];
    (*values)[node.result(i).index()] = value;
    for (int axis = 0; control && axis < value.type.shape.rank(); ++axis) {
      if (!value.type.shape[axis].is_constant()) e->BindSymbol(value.type.shape[axis].symbol(), value, axis);
    }
  }
}

void Writer::AddFunction(const ir::Function& f) {
  AddSignature(f);
  Emitter e(&out_);
  e.set_indent(4);
  std::vector<Value> values(static_cast<size_t>(f.num_values()));
  for (int i = 0; i < f.num_parameters(); ++i) {
    Value& value = values[static_cast<size_t>(i)];
    value = {StrCat("%arg", i), f.parameter(i).type};
    for (int axis = 0; axis < value.type.shape.rank(); ++axis) {
      if (!value.type.shape[axis].is_constant()) e.BindSymbol(value.type.shape[axis].symbol(), value, axis);
    }
  }
  ir::ChargeVisits(f.nodes().size());
  for (const ir::Node& node : f.nodes()) AddNode(f, node, &e, &values);
  Values results;
  for (const size_t i : ResultsOf(f)) results.push_back(values[f.results()[i].index()]);
  e.set_location("");
  e.EmitEnd("func.return", results);
  out_ += "  }\n";
}

// Members of the group that the program's collectives are among.
int64_t MembersOf(const ir::Module& module) {
  int64_t members = 1;
  for (const auto& f : module.functions()) {
    for (const ir::Node& node : f->nodes()) {
      if (ir::IsCollective(node.op)) members = std::max(members, node.attr<int64_t>("size"));
    }
  }
  return members;
}

std::string Writer::Run() {
  exports::Names names(InSymbol);
  symbols_[program_.entry] = names.Unique("main");
  for (const auto& f : module_.functions()) {
    if (!IsEntry(*f)) symbols_[f->name()] = SymbolNear(f->name(), &names);
  }
  exports::Names module_names(InSymbol);
  StrAppend(&out_, "module @", SymbolNear(module_.name(), &module_names),
            " attributes {reel.module = ", QuotedText(module_.name()),
            ", reel.stablehlo_version = ", QuotedText(kStableHloVersion));
  if (const int64_t members = MembersOf(module_); members > 1)
    StrAppend(&out_, ", mhlo.num_partitions = 1 : i32, mhlo.num_replicas = ", members, " : i32");
  out_ += "} {\n";
  AddFunction(program_.main());
  for (const auto& f : module_.functions()) {
    if (!IsEntry(*f)) AddFunction(*f);
  }
  out_ += "}\n";
  for (size_t i = 0; i < location_texts_.size(); ++i) StrAppend(&out_, "#loc", i, " = loc(", location_texts_[i], ")\n");
  return std::move(out_);
}

// Products and convolutions name the dtype of their sums, collectives are the backend's; the other ops on f16 and bf16
// are f32 between casts.
bool IsExpanded(const ir::Function&, const ir::Node& node) {
  switch (node.op) {
    case ir::Op::kContract:
    case ir::Op::kConv:
    case ir::Op::kAllReduce:
    case ir::Op::kReduceScatter:
    case ir::Op::kCholesky:
    case ir::Op::kTriangularSolve: return false;
    default: return true;
  }
}

std::string WhyRefused(const ir::Function&, const ir::Node& node) {
  const OpRow& row = RowOf(node.op);
  return row.handler ? "" : std::string(row.note);
}

}  // namespace

std::string Write(const ir::Module& module, const StableHloOptions& options, size_t most) {
  const std::vector<std::pair<std::string, int64_t>> dims(options.dims.begin(), options.dims.end());
  const passes::Extents extents = internal::Take(passes::BindNames(module, dims));
  const ir::Module numbers = internal::Take(passes::Specialize(module, extents));
  const exports::Format format{
      .name = "stablehlo", .expands = IsExpanded, .has_random_bits = true, .refuses = WhyRefused};
  return Writer(internal::Take(exports::Prepare(numbers, options.entry, format)), options.locations, most).Run();
}

}  // namespace reel::stablehlo
