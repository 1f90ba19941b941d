#include "ir/ops.h"

#include "frontend/cli/cli.h"
#include "passes/gradient/gradient.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string name;
};

Json Row(ir::Op op) {
  const ir::OpInfo& info = ir::Info(op);
  Json attributes = Json::array();
  for (const ir::AttrSpec& a : info.attributes) {
    attributes.push_back({{"name", a.name}, {"kind", ir::Name(a.kind)}, {"optional", a.optional}});
  }
  return {{"name", info.name},
          {"operands", info.operands},
          {"dtypes", ir::Describe(info.dtypes)},
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

void Run(const Options& options, Program* program) {
  Json rows = Json::array();
  for (const ir::Op op : ir::AllOps()) {
    if (options.name.empty() || ir::Name(op) == options.name) rows.push_back(Row(op));
  }
  if (rows.empty())
    Fail(kInvalid, StrCat("there is no op '", options.name, "'; `reel ops` lists all"));
  for (const Json& row : rows) program->out += options.json ? row.dump() + "\n" : Line(row);
}

}  // namespace

void AddOps(Program* program) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      AddCommand(program, "ops", "List the primitive ops", "reel ops contract --json",
                 options.get(), [options, program] { Run(*options, program); });
  command->add_option("op", options->name, "Only this op");
}

}  // namespace reel::cli
