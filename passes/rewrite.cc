#include "passes/rewrite.h"

#include <stdexcept>
#include <string>

#include "ir/budget_scope.h"

namespace reel::passes {

ir::ValueList Copier::operator()(absl::Span<const ir::Value> from) const {
  ir::ValueList out;
  for (ir::Value v : from) out.push_back((*this)(v));
  return out;
}

int32_t Copier::MapLocation(int32_t location) {
  if (location < 0 || static_cast<size_t>(location) >= locations_.size()) return -1;
  int32_t& mapped = locations_[static_cast<size_t>(location)];
  if (mapped < 0) mapped = to_->AddLocation(from_.locations()[static_cast<size_t>(location)]);
  return mapped;
}

void Copier::CopyNode(const ir::Node& node) {
  const ir::TypeList types = [&] {
    ir::ValueList results;
    for (int i = 0; i < node.num_results; ++i) results.push_back(node.result(i));
    return ir::OperandTypes(from_, results);
  }();
  const int32_t location = MapLocation(node.location);
  const ir::Value first = to_->AddNode(node.op, (*this)(node.operands), node.attributes, types, location).result(0);
  for (int i = 0; i < node.num_results; ++i) {
    const ir::Value copy{first.id + i};
    Map(node.result(i), copy);
    const std::string_view hint = from_.name_hint(node.result(i));
    if (!hint.empty()) to_->set_name_hint(copy, std::string(hint));
  }
}

void Copier::CopyNodes() {
  for (const ir::Node& node : from_.nodes()) CopyNode(node);
}

void CopySignature(const ir::Function& from, ir::Function* to, Copier* copier) {
  for (int i = 0; i < from.num_parameters(); ++i) {
    const ir::Parameter& p = from.parameter(i);
    copier->Map({i}, i < from.num_arguments() ? to->AddParameter(p.name, p.type) : to->AddState(p.name, p.type));
  }
}

void CopyResults(const ir::Function& from, ir::Function* to, const Copier& copier) {
  std::vector<ir::Value> results;
  for (ir::Value v : from.results()) results.push_back(copier(v));
  to->SetResults(std::move(results));
  to->set_result_names(from.result_names());
}

std::vector<int> CountReads(const ir::Function& f) {
  std::vector<int> reads(static_cast<size_t>(f.num_values()));
  for (ir::Value v : f.results()) ++reads[v.index()];
  for (const ir::Node& node : f.nodes()) {
    for (ir::Value v : node.operands) ++reads[v.index()];
  }
  return reads;
}

std::vector<bool> LiveNodes(const ir::Function& f) {
  ir::ChargeVisits(f.nodes().size());
  std::vector<bool> live(f.nodes().size());
  const auto mark = [&](ir::Value v) {
    if (const int32_t i = f.producer_index(v); i >= 0) live[static_cast<size_t>(i)] = true;
  };
  for (ir::Value v : f.results()) mark(v);
  for (size_t i = f.nodes().size(); i-- > 0;) {
    if (!live[i]) continue;
    for (ir::Value v : f.nodes()[i].operands) mark(v);
  }
  return live;
}

ir::Function WithoutDeadNodes(const ir::Function& f, const std::vector<bool>* keep_parameter) {
  if (keep_parameter && !f.state().empty()) throw std::logic_error("the parameters of states cannot be dropped");
  ir::Function out(f.name());
  Copier copier(f, &out);
  if (!keep_parameter) {
    CopySignature(f, &out, &copier);
  } else {
    for (int i = 0; i < f.num_parameters(); ++i) {
      if (!(*keep_parameter)[static_cast<size_t>(i)]) continue;
      copier.Map({i}, out.AddParameter(f.parameter(i).name, f.parameter(i).type));
    }
  }
  const std::vector<bool> live = LiveNodes(f);
  for (size_t i = 0; i < live.size(); ++i) {
    if (live[i]) copier.CopyNode(f.nodes()[i]);
  }
  CopyResults(f, &out, copier);
  return out;
}

}  // namespace reel::passes
