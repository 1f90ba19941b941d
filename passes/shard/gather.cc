#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/strings.h"
#include "passes/shard/shard.h"

// Functions that move variables of which each member has a part.

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

/// A function of the module on such variables.
class PartsFunction {
 public:
  PartsFunction(ir::Module* m, const std::string& name) : m_(m), out_(name), b_(&out_, m) {}

  Type PartOf(const PartedVariable& v) const { return m_->FindVariable(v.name)->type; }
  Value AddState(const PartedVariable& v) { return out_.AddState(v.name, PartOf(v)); }
  Value AddArgument(const PartedVariable& v) { return out_.AddParameter(v.name, v.whole); }
  Value Constant(const ir::Literal& value) { return b_.Constant(value); }

  Value Gathered(Value part, const PartedVariable& v) {
    return b_.Emit(Op::kAllGather, {part}, {{"size", MembersOf(v)}});
  }
  /// The member's part.
  Value Own(Value whole, const PartedVariable& v) {
    const int64_t rows = PartOf(v).shape.dim(0);
    const Value rank = b_.Emit(Op::kGroupRank, {}, {{"size", MembersOf(v)}});
    return b_.DynamicSlice(whole, b_.Mul(rank, b_.Constant(ir::Literal::ScalarInt(kInt64, rows))), 0, rows);
  }

  absl::Status Finish(std::vector<Value> results, std::vector<std::string> names) {
    if (m_->FindFunction(out_.name())) {
      return absl::InvalidArgumentError(StrCat("the module has a function @", out_.name()));
    }
    if (!b_.status().ok()) return b_.status();
    out_.SetResults(std::move(results));
    out_.set_result_names(std::move(names));
    m_->AddFunction(std::move(out_));
    return absl::OkStatus();
  }

 private:
  int64_t MembersOf(const PartedVariable& v) const { return v.whole.shape.dim(0) / PartOf(v).shape.dim(0); }

  ir::Module* const m_;
  ir::Function out_;
  ir::Builder b_;
};

}  // namespace

absl::Status AddGather(ir::Module* m, const std::vector<PartedVariable>& parts, const std::string& name) {
  PartsFunction f(m, name);
  std::vector<Value> state, results;
  std::vector<std::string> names;
  for (const PartedVariable& v : parts) state.push_back(f.AddState(v));
  for (size_t i = 0; i < parts.size(); ++i) {
    results.push_back(f.Gathered(state[i], parts[i]));
    names.push_back(parts[i].name);
  }
  results.insert(results.end(), state.begin(), state.end());
  return f.Finish(std::move(results), std::move(names));
}

absl::Status AddScatter(ir::Module* m, const std::vector<PartedVariable>& parts, const std::string& name) {
  PartsFunction f(m, name);
  std::vector<Value> whole, results;
  for (const PartedVariable& v : parts) whole.push_back(f.AddArgument(v));
  for (const PartedVariable& v : parts) f.AddState(v);
  for (size_t i = 0; i < parts.size(); ++i) results.push_back(f.Own(whole[i], parts[i]));
  return f.Finish(std::move(results), {});
}

absl::Status AddBegin(ir::Module* m, const std::vector<PartedVariable>& parts, const std::string& name) {
  PartsFunction f(m, name);
  std::vector<Value> results;
  for (const PartedVariable& v : parts) f.AddState(v);
  for (const PartedVariable& v : parts) results.push_back(f.Own(f.Constant(v.initial), v));
  return f.Finish(std::move(results), {});
}

}  // namespace reel::passes
