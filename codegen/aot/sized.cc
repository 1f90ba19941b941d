#include "codegen/aot/sized.h"

#include <algorithm>
#include <functional>

#include "ir/calls.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "passes/rowwise.h"
#include "passes/specialize.h"

namespace reel::codegen {
namespace {

using passes::Extents;
using Given = std::vector<std::pair<std::string, int64_t>>;

constexpr int64_t kMaxValues = 16;    // of a range that is compiled whole
constexpr size_t kMaxVariants = 64;   // of an entry point
constexpr int64_t kMaxRows = 64;     // of a chunk

// The values given for a symbol, ascending, distinct.
std::vector<int64_t> ValuesOf(const ir::Symbol& symbol, const Given& given) {
  std::vector<int64_t> values;
  for (const auto& [name, value] : given) {
    if (name == symbol.name) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

absl::Status CheckGiven(const ir::Module& module, const Given& given) {
  for (const auto& value : given) {
    if (auto known = passes::BindNames(module, {&value, 1}); !known.ok()) return known.status();
  }
  return absl::OkStatus();
}

// Those with one value become numbers.
absl::StatusOr<ir::Module> FixSingle(const ir::Module& module, const Given& given) {
  Extents extents;
  for (const ir::Symbol& s : module.symbols()) {
    const std::vector<int64_t> values = ValuesOf(s, given);
    extents.push_back(values.size() == 1 ? values[0] : s.min == s.max ? s.min : -1);
  }
  return passes::Specialize(module, extents);
}

class Sizer {
 public:
  Sizer(const ir::Module& module, const Given& given) : module_(module), given_(given) {
    out_.module.set_name(module.name());
    out_.module.metadata() = module.metadata();
  }

  absl::StatusOr<SizedModule> Run() {
    for (const ir::Variable& v : module_.variables()) {
      out_.module.AddVariable(v);
      const auto* init = std::get_if<std::string>(&v.initial);
      if (init && !out_.module.FindFunction(*init)) {
        if (absl::Status s = AddInit(*init); !s.ok()) return s;
      }
    }
    for (const ir::Function* entry : ir::EntryFunctions(module_)) {
      if (absl::Status s = AddEntry(*entry); !s.ok()) return s;
    }
    if (absl::Status s = ir::Verify(out_.module); !s.ok()) return s;
    return std::move(out_);
  }

 private:
  // What computes a variable's initial value keeps its name.
  absl::Status AddInit(const std::string& name) {
    const Extents none(module_.symbols().size(), -1);
    auto only = passes::Specialize(module_, none, {{name}});
    if (!only.ok()) return only.status();
    for (const auto& f : only->functions()) {
      if (!out_.module.FindFunction(f->name())) out_.module.AddFunction(*f);
    }
    return absl::OkStatus();
  }

  absl::Status AddEntry(const ir::Function& f) {
    ObjectEntry entry;
    entry.name = f.name();
    const std::vector<int32_t> symbols = passes::SymbolsOf(module_, f);
    Extents own(module_.symbols().size(), -1);  // symbol to its place in entry.symbols
    for (int32_t symbol : symbols) {
      own[static_cast<size_t>(symbol)] = static_cast<int64_t>(entry.symbols.size());
      entry.symbols.push_back(module_.symbols()[static_cast<size_t>(symbol)]);
    }
    const auto type_of = [&own](Type type) {
      for (int i = 0; i < type.shape.rank(); ++i) {
        if (type.shape[i].is_constant()) continue;
        const auto symbol = static_cast<size_t>(type.shape[i].symbol());
        type.shape.set(i, Extent::Symbol(static_cast<int32_t>(own[symbol])));
      }
      return type;
    };
    for (int i = 0; i < f.num_arguments(); ++i) {
      entry.arguments.push_back({f.parameter(i).name, type_of(f.parameter(i).type)});
    }
    for (int i = 0; i < f.num_outputs(); ++i) {
      entry.results.push_back({f.result_name(i), type_of(f.type(f.results()[static_cast<size_t>(i)]))});
    }
    auto values = Values(f, symbols, &entry);
    if (!values.ok()) return values.status();
    for (const std::vector<int64_t>& v : *values) {
      Extents extents(module_.symbols().size(), -1);
      for (size_t k = 0; k < symbols.size(); ++k) extents[static_cast<size_t>(symbols[k])] = v[k];
      const auto name = passes::AddSpecialized(module_, f.name(), extents, &out_.module);
      if (!name.ok()) return name.status();
      entry.variants.push_back({v, static_cast<int32_t>(out_.entries.size())});
      out_.entries.push_back(*name);
    }
    out_.offered.push_back(std::move(entry));
    return absl::OkStatus();
  }

  // Values of the symbols for which there is a program: one list for each.
  absl::StatusOr<std::vector<std::vector<int64_t>>> Values(const ir::Function& f, const std::vector<int32_t>& symbols,
                                                           ObjectEntry* entry) const {
    entry->rowwise = symbols.size() == 1 && passes::IsRowwise(module_, f, symbols[0]);
    std::vector<std::vector<int64_t>> combinations{{}};
    for (const ir::Symbol& symbol : entry->symbols) {
      const auto values = entry->rowwise ? Chunks(symbol) : ValuesFor(f, symbol);
      if (!values.ok()) return values.status();
      std::vector<std::vector<int64_t>> longer;
      for (const auto& c : combinations) {
        for (int64_t v : *values) {
          longer.push_back(c);
          longer.back().push_back(v);
        }
      }
      combinations = std::move(longer);
      if (combinations.size() > kMaxVariants) {
        return absl::InvalidArgumentError(
            StrCat("@", f.name(), ": more than ", kMaxVariants, " combinations of extents; choose fewer values"));
      }
    }
    return combinations;
  }

  // Numbers of rows, the largest first, the last of them 1.
  absl::StatusOr<std::vector<int64_t>> Chunks(const ir::Symbol& symbol) const {
    std::vector<int64_t> rows = ValuesOf(symbol, given_);
    for (int64_t n = 1; n <= std::min(kMaxRows, symbol.max); n *= 2) rows.push_back(n);
    std::sort(rows.begin(), rows.end(), std::greater<>());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
  }

  absl::StatusOr<std::vector<int64_t>> ValuesFor(const ir::Function& f, const ir::Symbol& symbol) const {
    std::vector<int64_t> values = ValuesOf(symbol, given_);
    if (values.empty() && symbol.max - symbol.min < kMaxValues) {
      for (int64_t v = symbol.min; v <= symbol.max; ++v) values.push_back(v);
    }
    if (!values.empty()) return values;
    return absl::UnimplementedError(StrCat("@", f.name(), ": results depend on all of extent ", symbol.name, ", from ",
                                           symbol.min, " to ", symbol.max,
                                           ": an object has one program for each of its values; choose them, with "
                                           "CompileOptions::extents or --extent ",
                                           symbol.name, "=NUMBER, once for each"));
  }

  const ir::Module& module_;
  const Given& given_;
  SizedModule out_;
};

}  // namespace

absl::StatusOr<SizedModule> SizeModule(const ir::Module& module, const Given& extents) {
  if (absl::Status s = CheckGiven(module, extents); !s.ok()) return s;
  if (module.symbols().empty()) return SizedModule{module, {}, {}};
  auto fixed = FixSingle(module, extents);
  if (!fixed.ok()) return fixed.status();
  if (fixed->symbols().empty()) return SizedModule{*std::move(fixed), {}, {}};
  return Sizer(*fixed, extents).Run();
}

void Offer(const SizedModule& sized, Program* program) {
  program->offered = sized.offered;
  for (ObjectEntry& offered : program->offered) {
    for (ObjectEntry::Variant& v : offered.variants) {
      const std::string& name = sized.entries[static_cast<size_t>(v.entry)];
      const auto at = std::find_if(program->entries.begin(), program->entries.end(),
                                   [&](const EntryPoint& e) { return e.name == name; });
      v.entry = static_cast<int32_t>(at - program->entries.begin());
    }
  }
}

}  // namespace reel::codegen
