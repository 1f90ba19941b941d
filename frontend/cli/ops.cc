#include "ir/ops.h"

#include <nlohmann/json.hpp>

#include "frontend/cli/cli.h"
#include "ir/builder.h"
#include "ir/suggest.h"
#include "passes/gradient/gradient.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string name;
  bool markdown = false;
  bool header = false;
};

// Every op runs in these, bit for bit the same but for the reference: tests/ops has no exceptions.
constexpr const char* kEngines[] = {"reference", "eager", "jit", "object"};

// The operands of a function of floats whose derivative is an error: a gradient by each is tried.
Json OperandsWithoutGradient(ir::Op op) {
  Json none = Json::array();
  const ir::OpInfo& info = ir::Info(op);
  if (!info.Has(ir::kElementwise) || !ir::Contains(info.dtypes, kFloat64)) return none;
  ir::Module module("probe");
  ir::Function f("f");
  std::vector<ir::Value> operands;
  for (int i = 0; i < info.operands; ++i) {
    operands.push_back(f.AddParameter(StrCat("x", i), {kFloat64, {}}));
  }
  ir::Builder b(&f, &module);
  const ir::Value y =
      b.Emit(op, operands, info.attributes.empty() ? ir::Attributes{} : ir::Attributes{{"dtype", kFloat64}});
  for (int i = 0; i < info.operands; ++i) {
    const auto gradient = passes::Gradients(&f, &module, {y}, {operands[static_cast<size_t>(i)]});
    if (absl::IsUnimplemented(gradient.status())) none.push_back(i);
  }
  return none;
}

std::string GradientOf(ir::Op op) {
  if (!passes::HasGradient(op)) return "none";
  std::string but;
  for (const Json& i : OperandsWithoutGradient(op)) StrAppend(&but, but.empty() ? "" : ", ", i.get<int>());
  return but.empty() ? "every order" : StrCat("every order, not by operand ", but);
}

Json Row(ir::Op op) {
  const ir::OpInfo& info = ir::Info(op);
  Json attributes = Json::array();
  for (const ir::AttrSpec& a : info.attributes) {
    attributes.push_back({{"name", a.name}, {"kind", ir::Name(a.kind)}, {"optional", a.optional}});
  }
  Json supported = Json::array();
  for (int n = 0; n < kNumDTypes; ++n) {
    const auto dtype = static_cast<DType>(n);
    if (ir::Contains(info.dtypes, dtype)) supported.push_back(Name(dtype));
  }
  return {{"name", info.name},
          {"operands", info.operands},
          {"dtypes", ir::Describe(info.dtypes)},
          {"supported", {{"dtypes", supported}, {"engines", kEngines}, {"gradient", GradientOf(op)}}},
          {"attributes", attributes},
          {"version", info.version},
          {"differentiable", passes::HasGradient(op)},
          {"doc", info.doc}};
}

// add(2)  a number  a + b; integers wrap
std::string Line(const Json& row) {
  std::string head = row["name"];
  std::string attributes;
  for (const Json& a : row["attributes"]) {
    StrAppend(&attributes, attributes.empty() ? " {" : ", ", a["name"].get<std::string>(),
              a["optional"].get<bool>() ? "?" : "");
  }
  if (!attributes.empty()) StrAppend(&head, attributes, "}");
  constexpr size_t kColumn = 44;
  head.append(head.size() < kColumn ? kColumn - head.size() : 1, ' ');
  return StrCat(head, row["doc"].get<std::string>(), "\n");
}

// "yes", "yes, not by operand 0", "".
std::string MarkdownGradient(const std::string& gradient) {
  if (gradient == "none") return "";
  constexpr std::string_view kAll = "every order";
  return StrCat("yes", gradient.substr(kAll.size()));
}

// A row of the page ir/OPS.md.
std::string MarkdownLine(const Json& row) {
  std::string attributes;
  for (const Json& a : row["attributes"]) {
    StrAppend(&attributes, attributes.empty() ? "" : ", ", a["name"].get<std::string>(), ": ",
              a["kind"].get<std::string>(), a["optional"].get<bool>() ? "?" : "");
  }
  std::string doc = row["doc"];
  for (size_t at = 0; (at = doc.find('|', at)) != std::string::npos; at += 2) doc.insert(at, 1, '\\');
  const int operands = row["operands"];
  return StrCat("| `", row["name"].get<std::string>(), "` | ", operands < 0 ? "any" : std::to_string(operands), " | ",
                row["dtypes"].get<std::string>(), " | ", attributes, " | ",
                MarkdownGradient(row["supported"]["gradient"]), " | ", doc, " |\n");
}

std::string Markdown(const Json& rows) {
  std::string page = StrCat(
      "# The primitives\n\nGenerated from `ops.def` by `reel ops --markdown`. Every op takes every "
      "dtype of its set, and runs in the reference evaluator, eagerly, in the JIT and in objects; "
      "those with a gradient have it to every order, in reverse and forward mode. Operands are "
      "counted from 0; \"not by operand\": that derivative has no closed form and is an error.\n\n"
      "| op | operands | first operand | attributes | gradient | meaning |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  for (const Json& row : rows) page += MarkdownLine(row);
  return page;
}

// The public functions that are nothing but an op of ops.def: frontend/reel/elementary.h.
std::string Header() {
  constexpr ir::Op kFunctions[] = {
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) ir::Op::k##Enum,
#include "ir/ops.def"
#undef OP
  };
  std::string text =
      "// Generated from ir/ops.def by `reel ops --header`.\n"
      "#ifndef REEL_ELEMENTARY_H_\n#define REEL_ELEMENTARY_H_\n\n"
      "#include \"reel/tensor.h\"\n#include \"reel/variable.h\"\n\n"
      "// Functions of floats, element by element, within 1 ULP of the exact value where nothing else is said.\n\n"
      "namespace reel {\n\n";
  for (const ir::Op op : kFunctions) {
    const ir::OpInfo& info = ir::Info(op);
    StrAppend(&text, "/// ", info.doc, "\nTensor ", info.enum_name, "(const Operand& x);\n");
  }
  return text + "\n}  // namespace reel\n\n#endif  // REEL_ELEMENTARY_H_\n";
}

void Run(const Options& options, Program* program) {
  if (options.header) {
    program->out += Header();
    return;
  }
  Json rows = Json::array();
  for (const ir::Op op : ir::AllOps()) {
    if (options.name.empty() || ir::Name(op) == options.name) rows.push_back(Row(op));
  }
  if (rows.empty()) {
    std::vector<std::string> names;
    for (const ir::Op op : ir::AllOps()) names.emplace_back(ir::Name(op));
    const std::string near = ir::DidYouMean(options.name, names);
    Fail(kInvalid, StrCat("there is no op '", options.name, "'; `reel ops` lists all", near));
  }
  if (options.markdown) {
    program->out += Markdown(rows);
    return;
  }
  for (const Json& row : rows) program->out += options.json ? JsonText(row) + "\n" : Line(row);
}

}  // namespace

void AddOps(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = AddCommand(program, "ops", "List the primitive ops", "reel ops contract --json", options.get(),
                               [options, program] { Run(*options, program); });
  command.Add("op", &options->name, "Only this op").TypeName("NAME");
  command.Flag("--markdown", &options->markdown, "As the page ir/OPS.md");
  command.Flag("--header", &options->header, "As the header reel/elementary.h");
}

}  // namespace reel::cli
