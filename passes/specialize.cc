#include "passes/specialize.h"

#include <algorithm>

#include "ir/calls.h"
#include "ir/hash_map.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

HashSet<const ir::Function*> Reached(const ir::Module& module, std::vector<const ir::Function*> roots) {
  const std::vector<const ir::Function*> list = ir::ReachedFunctions(module, std::move(roots));
  return {list.begin(), list.end()};
}

HashSet<int32_t> SymbolsIn(const HashSet<const ir::Function*>& functions) {
  HashSet<int32_t> found;
  for (const ir::Function* f : functions) {
    for (int32_t id = 0; id < f->num_values(); ++id) {
      for (Extent e : f->type({id}).shape) {
        if (!e.is_constant()) found.insert(e.symbol());
      }
    }
  }
  return found;
}

class Substitution {
 public:
  explicit Substitution(absl::Span<const Extent> by_symbol) : by_symbol_(by_symbol) {}

  ir::Function Copy(const ir::Function& f) const {
    ir::Function out(f.name());
    for (int i = 0; i < f.num_parameters(); ++i) {
      const Type type = Of(f.parameter(i).type);
      i < f.num_arguments() ? out.AddParameter(f.parameter(i).name, type) : out.AddState(f.parameter(i).name, type);
    }
    std::vector<int32_t> locations;
    for (const ir::Location& location : f.locations()) locations.push_back(out.AddLocation(location));
    for (const ir::Node& node : f.nodes()) {
      ir::TypeList types;
      for (int i = 0; i < node.num_results; ++i) types.push_back(Of(f.type(node.result(i))));
      const bool known = node.location >= 0 && static_cast<size_t>(node.location) < locations.size();
      out.AddNode(node.op, node.operands, Attributes(f, node), types,
                  known ? locations[static_cast<size_t>(node.location)] : -1);
    }
    for (int32_t id = 0; id < f.num_values(); ++id) {
      if (const std::string_view hint = f.name_hint({id}); !hint.empty()) out.set_name_hint({id}, std::string(hint));
    }
    out.SetResults(f.results());
    out.set_result_names(f.result_names());
    return out;
  }

 private:
  Shape Of(const Shape& shape) const {
    Shape out = shape;
    for (int i = 0; i < shape.rank(); ++i) {
      if (!shape[i].is_constant()) out.set(i, by_symbol_[static_cast<size_t>(shape[i].symbol())]);
    }
    return out;
  }
  Type Of(const Type& type) const { return {type.dtype, Of(type.shape)}; }

  // Shapes, and the limits of slices that leave a symbolic axis whole.
  std::shared_ptr<const ir::Attributes> Attributes(const ir::Function& f, const ir::Node& node) const {
    if (!node.attributes) return nullptr;
    ir::Attributes changed;
    for (const auto& [name, value] : node.attributes->entries()) {
      const auto* shape = std::get_if<Shape>(&value);
      if (shape && !shape->is_constant()) changed.Set(name, Of(*shape));
    }
    if (node.op == ir::Op::kSlice && !f.type(node.operands[0]).shape.is_constant()) {
      changed.Set("limits", Limits(f.type(node.operands[0]).shape, node.attr<std::vector<int64_t>>("limits")));
    }
    if (changed.empty()) return node.attributes;
    ir::Attributes out = *node.attributes;
    for (const auto& [name, value] : changed.entries()) out.Set(name, value);
    return std::make_shared<const ir::Attributes>(std::move(out));
  }

  std::vector<int64_t> Limits(const Shape& from, std::vector<int64_t> limits) const {
    const Shape to = Of(from);
    for (int i = 0; i < from.rank(); ++i) {
      if (!from[i].is_constant() && to[i].is_constant()) limits[static_cast<size_t>(i)] = to.dim(i);
    }
    return limits;
  }

  absl::Span<const Extent> by_symbol_;
};

using Names = HashMap<std::string, std::string>;

// The function with other names for those that it calls.
ir::Function WithCallees(const ir::Function& f, const Names& names) {
  ir::Function out(f.name());
  Copier copier(f, &out);
  CopySignature(f, &out, &copier);
  for (const ir::Node& node : f.nodes()) {
    ir::Node named = node;
    if (ir::Info(node.op).Has(ir::kControl)) {
      ir::Attributes attributes = node.attrs();
      for (const auto& [name, value] : node.attrs().entries()) {
        const auto* callee = std::get_if<std::string>(&value);
        if (callee) attributes.Set(name, names.at(*callee));
      }
      named.attributes = std::make_shared<const ir::Attributes>(std::move(attributes));
    }
    copier.CopyNode(named);
  }
  CopyResults(f, &out, copier);
  return out;
}

absl::Status CheckRange(const ir::Symbol& symbol, int64_t value, std::string_view where) {
  if (value >= symbol.min && value <= symbol.max) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(where, ": ", symbol.name, " = ", value, " is not in its range [", symbol.min,
                                           ", ", symbol.max, "]; pass another extent, or widen the range of its Dim"));
}

// Up to symbols.
bool Matches(const Type& want, const Type& got) {
  if (want.dtype != got.dtype || want.shape.rank() != got.shape.rank()) return false;
  for (int i = 0; i < want.shape.rank(); ++i) {
    if (want.shape[i].is_constant() && want.shape[i] != got.shape[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<int32_t> SymbolsOf(const ir::Module& module, const ir::Function& function) {
  const auto found = SymbolsIn(Reached(module, {&function}));
  std::vector<int32_t> out(found.begin(), found.end());
  std::sort(out.begin(), out.end());
  return out;
}

absl::StatusOr<Extents> BindArguments(const ir::Module& module, const ir::Function& function,
                                      absl::Span<const Type> arguments) {
  Extents extents(module.symbols().size(), -1);
  std::vector<int> from(extents.size(), -1);  // by symbol: the argument that has its value
  const auto named = [&](int i) { return StrCat("argument ", i, " (", ir::Quoted(function.parameter(i).name), ")"); };
  for (int i = 0; i < function.num_arguments(); ++i) {
    const Type &want = function.parameter(i).type, &got = arguments[static_cast<size_t>(i)];
    if (!Matches(want, got)) {
      return absl::InvalidArgumentError(
          StrCat(named(i), " must be ", ir::Print(want, module), ", got ", got.ToString()));
    }
    for (int k = 0; k < want.shape.rank(); ++k) {
      if (want.shape[k].is_constant()) continue;
      const auto symbol = static_cast<size_t>(want.shape[k].symbol());
      if (absl::Status s = CheckRange(module.symbols()[symbol], got.shape.dim(k), named(i)); !s.ok()) return s;
      if (extents[symbol] >= 0 && extents[symbol] != got.shape.dim(k)) {
        return absl::InvalidArgumentError(StrCat(named(i), " has ", module.symbols()[symbol].name, " = ",
                                                 got.shape.dim(k), ", but ", named(from[symbol]), " has ",
                                                 extents[symbol], "; they must agree"));
      }
      extents[symbol] = got.shape.dim(k);
      from[symbol] = i;
    }
  }
  for (int32_t symbol : SymbolsOf(module, function)) {
    if (extents[static_cast<size_t>(symbol)] >= 0) continue;
    return absl::InvalidArgumentError(StrCat("symbol ", ir::Quoted(module.symbols()[static_cast<size_t>(symbol)].name),
                                             " has no value: no argument of @", function.name(), " has it"));
  }
  return extents;
}

absl::StatusOr<Extents> BindNames(const ir::Module& module, absl::Span<const std::pair<std::string, int64_t>> values) {
  Extents extents(module.symbols().size(), -1);
  for (const auto& [name, value] : values) {
    size_t symbol = 0;
    while (symbol < extents.size() && module.symbols()[symbol].name != name) ++symbol;
    if (symbol == extents.size()) {
      return absl::InvalidArgumentError(StrCat("the module has no symbolic extent ", ir::Quoted(name)));
    }
    if (extents[symbol] >= 0) return absl::InvalidArgumentError(StrCat("extent ", ir::Quoted(name), " is given twice"));
    if (absl::Status s = CheckRange(module.symbols()[symbol], value, "extents"); !s.ok()) return s;
    extents[symbol] = value;
  }
  return extents;
}

ir::Function WithExtents(const ir::Function& function, absl::Span<const Extent> by_symbol) {
  return Substitution(by_symbol).Copy(function);
}

absl::StatusOr<ir::Module> Specialize(const ir::Module& module, const Extents& extents,
                                      absl::Span<const std::string> entries) {
  ir::Module out(module.name());
  out.metadata() = module.metadata();
  std::vector<const ir::Function*> roots = ir::InitFunctions(module);
  for (const auto& f : module.functions()) {
    if (entries.empty() || std::find(entries.begin(), entries.end(), f->name()) != entries.end()) {
      roots.push_back(f.get());
    }
  }
  const HashSet<const ir::Function*> kept = Reached(module, std::move(roots));
  const HashSet<int32_t> used = SymbolsIn(kept);
  std::vector<Extent> by_symbol;  // those that stay are numbered anew
  for (size_t i = 0; i < module.symbols().size(); ++i) {
    if (extents[i] >= 0 || !used.contains(static_cast<int32_t>(i))) {
      by_symbol.emplace_back(std::max(extents[i], int64_t{0}));  // of one that nothing has it does not matter
    } else {
      by_symbol.push_back(Extent::Symbol(static_cast<int32_t>(out.symbols().size())));
      out.symbols().push_back(module.symbols()[i]);
    }
  }
  for (const ir::Variable& v : module.variables()) out.AddVariable(v);
  for (const auto& f : module.functions()) {
    if (kept.contains(f.get())) out.AddFunction(WithExtents(*f, by_symbol));
  }
  if (absl::Status s = ir::Verify(out); !s.ok()) return s;
  return out;
}

std::string Text(const ir::Module& module, const Extents& extents) {
  std::string text;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] >= 0) StrAppend(&text, " ", module.symbols()[i].name, "=", extents[i]);
  }
  return text;
}

absl::StatusOr<std::string> AddSpecialized(const ir::Module& from, const std::string& entry, const Extents& extents,
                                           ir::Module* to) {
  auto constant = Specialize(from, extents, {&entry, 1});
  if (!constant.ok()) return constant.status();
  Names names;
  const auto reached = Reached(*constant, {constant->FindFunction(entry)});
  for (const auto& f : constant->functions()) {
    if (!reached.contains(f.get())) continue;
    names[f->name()] = to->UniqueFunctionName(StrCat(f->name(), Text(from, extents)));
    to->AddFunction(ir::Function(names[f->name()]));  // the name is taken
  }
  for (const auto& f : constant->functions()) {
    const auto name = names.find(f->name());
    if (name == names.end()) continue;  // computes an initial value
    ir::Function renamed = WithCallees(*f, names);
    renamed.set_name(name->second);
    to->AddFunction(std::move(renamed));
  }
  return names[entry];
}

}  // namespace reel::passes
