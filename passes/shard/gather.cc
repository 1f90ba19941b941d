#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/strings.h"
#include "passes/shard/shard.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

struct Part {
  int64_t rows = 0, members = 0;
};

// What a member has of the variable whose new value v is: its rows, from its rank times their number on; members 0:
// all.
Part PartOf(const ir::Function& f, Value v) {
  const ir::Node* const update = f.producer(v);
  if (!update || update->op != Op::kDynamicUpdate || f.is_parameter(update->operands[2])) return {};
  const ir::Node& start = *f.producer(update->operands[2]);
  if (start.op != Op::kMul || !f.Is(start.operands[0], Op::kGroupRank)) return {};
  const auto members = f.producer(start.operands[0])->attr<int64_t>("size");
  return {f.type(update->operands[1]).shape.dim(0), members};
}

}  // namespace

absl::Status AddGather(ir::Module* m, std::string_view function, const std::string& name) {
  if (m->FindFunction(name)) return absl::InvalidArgumentError(StrCat("the module has a function @", name));
  const ir::Function& f = *m->FindFunction(function);
  ir::Function out(name);
  ir::Builder b(&out, m);
  std::vector<std::pair<Value, Part>> parts;
  std::vector<Value> results;
  for (int i = f.num_arguments(); i < f.num_parameters(); ++i) {
    const Part part = PartOf(f, f.results()[static_cast<size_t>(i - f.num_arguments() + f.num_outputs())]);
    if (part.members == 0) continue;
    parts.emplace_back(out.AddState(f.parameter(i).name, f.parameter(i).type), part);
  }
  for (const auto& [variable, part] : parts) {
    const Value rank = b.Emit(Op::kGroupRank, {}, {{"size", part.members}});
    const Value rows = b.Constant(ir::Literal::ScalarInt(kInt64, part.rows));
    const Value own = b.DynamicSlice(variable, b.Mul(rank, rows), 0, part.rows);
    results.push_back(b.Emit(Op::kAllGather, {own}, {{"size", part.members}}));
  }
  if (!b.status().ok()) return b.status();
  out.SetResults(std::move(results));
  m->AddFunction(std::move(out));
  return absl::OkStatus();
}

}  // namespace reel::passes
