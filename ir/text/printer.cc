#include "ir/text/printer.h"

#include <type_traits>

#include "ir/budget_scope.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "ir/text/literal_text.h"

namespace reel::ir {
namespace {

class Printer {
 public:
  Printer(const PrintOptions& options, const Module* module) : options_(options), module_(module) {}

  void PrintModule(const Module& module);
  void PrintFunction(const Function& f);
  void AddType(const Type& type) {
    Add(Name(type.dtype));
    AddShape(type.shape);
  }
  std::string Take() { return std::move(out_); }

 private:
  template <typename... Parts>
  void Add(const Parts&... parts) {
    StrAppend(&out_, parts...);
  }
  void AddName(std::string_view name) { IsIdentifier(name) ? Add(name) : AppendQuoted(&out_, name); }
  void AddGlobal(std::string_view name) {
    Add('@');
    AddName(name);
  }
  void AddShape(const Shape& shape);
  void AddValue(const Function& f, Value v);
  void AddValues(const Function& f, absl::Span<const Value> values);
  void AddVariable(const Variable& v);
  void AddSignature(const Function& f);
  void AddNode(const Function& f, const Node& node);
  void AddAttributes(const Node& node);
  void AddAttribute(Op op, const AttrValue& value);
  void AddReturn(const Function& f);

  const PrintOptions& options_;
  const Module* module_;
  std::string out_;
};

void Printer::AddShape(const Shape& shape) {
  Add('[');
  const char* separator = "";
  for (Extent e : shape) {
    Add(separator);
    separator = ",";
    if (e.is_constant()) {
      Add(e.value());
    } else if (module_ && static_cast<size_t>(e.symbol()) < module_->symbols().size()) {
      AddName(module_->symbols()[static_cast<size_t>(e.symbol())].name);
    } else {
      Add('?', e.symbol());
    }
  }
  Add(']');
}

// %x for a parameter, @v for the value a variable has on entry, %3 or %3.hint for a node's result.
void Printer::AddValue(const Function& f, Value v) {
  if (v.id < 0 || v.id >= f.num_values()) return Add("%?", v.id);
  if (v.id < f.num_arguments()) {
    Add('%');
    return AddName(f.parameter(v.id).name);
  }
  if (f.is_parameter(v)) return AddGlobal(f.parameter(v.id).name);
  Add('%', v.id - f.num_parameters());
  if (const std::string_view hint = f.name_hint(v); !hint.empty()) {
    Add('.');
    AddName(hint);
  }
}

void Printer::AddValues(const Function& f, absl::Span<const Value> values) {
  const char* separator = " ";
  for (Value v : values) {
    Add(separator);
    separator = ", ";
    AddValue(f, v);
  }
}

void Printer::AddAttribute(Op op, const AttrValue& value) {
  std::visit(
      [this, op](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, int64_t>) {
          Add(v);
        } else if constexpr (std::is_same_v<T, bool>) {
          Add(v ? "true" : "false");
        } else if constexpr (std::is_same_v<T, std::string>) {
          Info(op).Has(kControl) ? AddGlobal(v) : AppendQuoted(&out_, v);
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          Add('[');
          for (size_t i = 0; i < v.size(); ++i) Add(i ? ", " : "", v[i]);
          Add(']');
        } else if constexpr (std::is_same_v<T, Shape>) {
          AddShape(v);
        } else if constexpr (std::is_same_v<T, DType>) {
          Add(Name(v));
        } else {
          AddType(v.type());
          Add(' ');
          AppendLiteral(&out_, v, options_.elide_large_constants);
        }
      },
      value);
}

void Printer::AddAttributes(const Node& node) {
  if (node.attrs().empty()) return;
  const char* separator = " {";
  for (const auto& [name, value] : node.attrs().entries()) {
    Add(separator);
    separator = ", ";
    AddName(name);
    Add('=');
    AddAttribute(node.op, value);
  }
  Add('}');
}

// A constant whose type is its result's prints as "constant 1.5 : f32[]".
const Literal* PlainConstant(const Function& f, const Node& node) {
  if (node.op != Op::kConstant || node.num_results != 1 || node.attrs().entries().size() != 1) {
    return nullptr;
  }
  const auto* literal = std::get_if<Literal>(&node.attrs().entries()[0].second);
  return literal && node.operands.empty() && literal->type() == f.type(node.result()) ? literal : nullptr;
}

void Printer::AddNode(const Function& f, const Node& node) {
  Add("  ");
  for (int i = 0; i < node.num_results; ++i) {
    if (i) Add(", ");
    AddValue(f, node.result(i));
  }
  if (node.num_results > 0) Add(" = ");
  Add(Name(node.op));
  AddValues(f, node.operands);
  if (const Literal* literal = PlainConstant(f, node)) {
    Add(' ');
    AppendLiteral(&out_, *literal, options_.elide_large_constants);
  } else {
    AddAttributes(node);
  }
  Add(" :");
  for (int i = 0; i < node.num_results; ++i) {
    Add(i ? ", " : " ");
    AddType(f.type(node.result(i)));
  }
  if (node.num_results == 0) Add(" ()");
  if (options_.locations && node.location >= 0 && static_cast<size_t>(node.location) < f.locations().size()) {
    const Location& location = f.locations()[static_cast<size_t>(node.location)];
    Add(" loc(");
    AppendQuoted(&out_, location.file);
    Add(':', location.line, ')');
  }
  Add('\n');
}

void Printer::AddSignature(const Function& f) {
  Add("func ");
  AddGlobal(f.name());
  Add('(');
  for (int i = 0; i < f.num_parameters(); ++i) {
    if (i == f.num_arguments())
      Add(") state(");
    else if (i)
      Add(", ");
    AddValue(f, {i});
    Add(": ");
    AddType(f.parameter(i).type);
  }
  Add(") -> (");
  for (int i = 0; i < f.num_outputs(); ++i) {
    const auto n = static_cast<size_t>(i);
    if (i) Add(", ");
    if (n < f.result_names().size() && !f.result_names()[n].empty()) {
      AddName(f.result_names()[n]);
      Add(": ");
    }
    const Value v = f.results()[n];
    v.id >= 0 && v.id < f.num_values() ? AddType(f.type(v)) : Add('?');
  }
  Add(") {\n");
}

void Printer::AddReturn(const Function& f) {
  const absl::Span<const Value> results = f.results();
  const auto outputs = static_cast<size_t>(std::max(f.num_outputs(), 0));
  Add("  return");
  AddValues(f, results.subspan(0, outputs));
  if (!f.state().empty()) {
    Add(" state(");
    for (size_t i = outputs; i < results.size(); ++i) {
      if (i > outputs) Add(", ");
      AddValue(f, results[i]);
    }
    Add(')');
  }
  Add("\n}\n");
}

void Printer::PrintFunction(const Function& f) {
  AddSignature(f);
  ChargeVisits(f.nodes().size());
  for (const Node& node : f.nodes()) AddNode(f, node);
  AddReturn(f);
}

void Printer::AddVariable(const Variable& v) {
  Add("variable ");
  AddGlobal(v.name);
  if (!v.trainable) Add(" frozen");
  if (v.parts > 1) Add(" in ", v.parts, " parts");
  Add(": ");
  AddType(v.type);
  Add(" = ");
  if (const auto* literal = std::get_if<Literal>(&v.initial)) {
    AppendLiteral(&out_, *literal, options_.elide_large_constants);
  } else {
    Add("init ");
    AddGlobal(std::get<std::string>(v.initial));
  }
  Add('\n');
}

void Printer::PrintModule(const Module& module) {
  Add("reel ", kTextVersion, '\n');
  if (options_.elide_large_constants) Add("// A dump: elided constants do not load.\n");
  Add("module ");
  AppendQuoted(&out_, module.name());
  Add('\n');
  for (const auto& [key, value] : module.metadata()) {
    Add("meta ");
    AppendQuoted(&out_, key);
    Add(" = ");
    AppendQuoted(&out_, value);
    Add('\n');
  }
  for (const Symbol& s : module.symbols()) {
    Add("symbol ");
    AppendQuoted(&out_, s.name);
    Add(" in [", s.min, ", ", s.max, "]\n");
  }
  for (const Variable& v : module.variables()) AddVariable(v);
  for (const auto& f : module.functions()) PrintFunction(*f);
}

}  // namespace

std::string Print(const Module& module, const PrintOptions& options) {
  Printer printer(options, &module);
  printer.PrintModule(module);
  return printer.Take();
}

std::string Print(const Type& type, const Module& module) {
  const PrintOptions options;
  Printer printer(options, &module);
  printer.AddType(type);
  return printer.Take();
}

std::string Print(const Function& function, const PrintOptions& options, const Module* module) {
  Printer printer(options, module);
  printer.PrintFunction(function);
  return printer.Take();
}

}  // namespace reel::ir
