#include <cmath>
#include <nlohmann/json.hpp>

#include "frontend/cli/cli.h"
#include "ir/names.h"
#include "ir/text/printer.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string old_file, new_file;
};

/// What differs between two modules, by name.
class Differ {
 public:
  Differ(const ir::Module& a, const ir::Module& b) : a_(a), b_(b) {}

  Json Run() {
    Named(
        "variable", a_.variables(), b_.variables(), [](const ir::Variable& v) { return v.name; },
        [this](const ir::Variable& x, const ir::Variable& y) { CompareVariables(x, y); });
    Named(
        "function", a_.functions(), b_.functions(), [](const auto& f) { return f->name(); },
        [this](const auto& x, const auto& y) { CompareFunctions(*x, *y); });
    return rows_;
  }

 private:
  void Say(const std::string& kind, const std::string& name, const std::string& what) {
    rows_.push_back({{"kind", kind}, {"name", name}, {"what", what}});
  }

  /// Rows for what one side lacks; `compare` for what both have.
  template <typename List, typename NameOf, typename Compare>
  void Named(const std::string& kind, const List& olds, const List& news, const NameOf& name_of,
             const Compare& compare) {
    std::map<std::string, const typename List::value_type*> left;
    for (const auto& item : news) left[name_of(item)] = &item;
    for (const auto& item : olds) {
      const auto found = left.find(name_of(item));
      if (found == left.end()) {
        Say(kind, name_of(item), "removed");
        continue;
      }
      compare(item, *found->second);
      left.erase(found);
    }
    for (const auto& item : news) {
      if (left.contains(name_of(item))) Say(kind, name_of(item), "added");
    }
  }

  void CompareVariables(const ir::Variable& x, const ir::Variable& y) {
    const std::string old_type = ir::Print(x.type, a_), new_type = ir::Print(y.type, b_);
    if (old_type != new_type) Say("variable", x.name, StrCat(old_type, " became ", new_type));
    if (x.trainable != y.trainable) Say("variable", x.name, y.trainable ? "became trainable" : "is not trainable now");
    if (old_type != new_type) return;
    const auto *old_value = std::get_if<ir::Literal>(&x.initial), *new_value = std::get_if<ir::Literal>(&y.initial);
    if (old_value == nullptr || new_value == nullptr) {
      if (x.initial.index() != y.initial.index() ||
          std::get<std::string>(x.initial) != std::get<std::string>(y.initial))
        Say("variable", x.name, "another initial value");
      return;
    }
    CompareValues(x.name, *old_value, *new_value);
  }

  void CompareValues(const std::string& name, const ir::Literal& x, const ir::Literal& y) {
    const std::span<const std::byte> p = x.bytes(), q = y.bytes();
    if (std::equal(p.begin(), p.end(), q.begin(), q.end())) return;
    const auto size = static_cast<size_t>(SizeOf(x.type().dtype));
    int64_t count = 0;
    for (size_t i = 0; i < p.size(); i += size) count += std::memcmp(&p[i], &q[i], size) != 0;
    Say("variable", name, StrCat("value: ", count, " of ", x.type().shape.size(), " elements differ", Largest(x, y)));
  }

  /// Of float32 and float64, how far elements are apart.
  static std::string Largest(const ir::Literal& x, const ir::Literal& y) {
    const auto largest = [&]<typename T>(T) {
      double most = 0;
      for (size_t i = 0; i < x.data<T>().size(); ++i) {
        most = std::fmax(most, std::fabs(double{x.data<T>()[i]} - double{y.data<T>()[i]}));
      }
      char text[48];
      std::snprintf(text, sizeof text, ", by at most %.3g", most);
      return std::string(text);
    };
    if (x.type().dtype == kFloat32) return largest(0.0f);
    return x.type().dtype == kFloat64 ? largest(0.0) : "";
  }

  void CompareFunctions(const ir::Function& x, const ir::Function& y) {
    const std::vector<std::string> old_lines = Lines(x, a_), new_lines = Lines(y, b_);
    if (old_lines == new_lines) return;
    if (old_lines[0] != new_lines[0]) Say("function", x.name(), StrCat(old_lines[0], " became ", new_lines[0]));
    if (const std::string ops = OpsThatDiffer(x, y); !ops.empty()) Say("function", x.name(), ops);
    const auto [p, q] = std::mismatch(old_lines.begin() + 1, old_lines.end(), new_lines.begin() + 1, new_lines.end());
    const auto text = [](auto at, const auto& lines) { return at == lines.end() ? std::string("(its end)") : *at; };
    if (p != old_lines.end() || q != new_lines.end()) {
      Say("function", x.name(), StrCat("first other line: ", text(p, old_lines), " became ", text(q, new_lines)));
    }
  }

  static std::vector<std::string> Lines(const ir::Function& f, const ir::Module& module) {
    std::vector<std::string> lines;
    std::istringstream text(ir::Print(f, {.elide_large_constants = false}, &module));
    for (std::string line; std::getline(text, line);) lines.push_back(line.substr(line.find_first_not_of(' ')));
    return lines;
  }

  /// "12 nodes more: +8 mul, -2 add".
  static std::string OpsThatDiffer(const ir::Function& x, const ir::Function& y) {
    std::map<std::string_view, int64_t> counts;
    for (const ir::Node& n : x.nodes()) --counts[Info(n.op).name];
    for (const ir::Node& n : y.nodes()) ++counts[Info(n.op).name];
    std::string out;
    for (const auto& [name, count] : counts) {
      if (count != 0) StrAppend(&out, out.empty() ? "" : ", ", count > 0 ? "+" : "", count, " ", name);
    }
    return out.empty() ? "" : StrCat("nodes ", x.nodes().size(), " became ", y.nodes().size(), ": ", out);
  }

  const ir::Module& a_;
  const ir::Module& b_;
  Json rows_ = Json::array();
};

void Run(const Options& options, Program* program) {
  const ir::Module a = ReadModule(options.old_file, options.budget), b = ReadModule(options.new_file, options.budget);
  for (const Json& row : Differ(a, b).Run()) {
    if (options.json) {
      StrAppend(&program->out, JsonText(row), "\n");
      continue;
    }
    StrAppend(&program->out, row["kind"].get<std::string>(), " ", ir::Quoted(row["name"].get<std::string>()), ": ",
              Printable(row["what"].get<std::string>(), 1000), "\n");
  }
}

}  // namespace

void AddDiff(Program* program) {
  auto options = std::make_shared<Options>();
  Command command =
      AddCommand(program, "diff", "Say what differs between two modules, by name; nothing if they are equal",
                 "reel diff before.reel after.reel", options.get(), [options, program] { Run(*options, program); });
  command.Add("old", &options->old_file, "A .reel or .reel.txt file").Required().TypeName("FILE");
  command.Add("new", &options->new_file, "The other one").Required().TypeName("FILE");
}

}  // namespace reel::cli
