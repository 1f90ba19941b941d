#include "passes/expand/half.h"

#include "ir/infer.h"

namespace reel::passes {
namespace {

// Ops that only move elements, or that code generation knows for 16 bits, and calls: the functions they
// name are rewritten themselves.
bool KeepsHalves(ir::Op op) {
  switch (op) {
    case ir::Op::kIdentity:
    case ir::Op::kStopGradient:
    case ir::Op::kCast:
    case ir::Op::kBitcast:
    case ir::Op::kSelect:
    case ir::Op::kConstant:
    case ir::Op::kReshape:
    case ir::Op::kTranspose:
    case ir::Op::kReverse:
    case ir::Op::kWindow:
    case ir::Op::kSlice:
    case ir::Op::kBroadcast:
    case ir::Op::kPad:
    case ir::Op::kGather:
    case ir::Op::kScatterSet:
    case ir::Op::kDynamicSlice:
    case ir::Op::kDynamicUpdate:
    case ir::Op::kAllGather:
    case ir::Op::kAllToAll:
    case ir::Op::kBroadcastFrom:
    case ir::Op::kCallback: return true;
    default: return ir::Info(op).Has(ir::kControl);
  }
}

// The half dtype of iota, the only one attributes name here, replaced: positions are exact as
// integers.
ir::Attributes Widened(const ir::Attributes& attributes) {
  ir::Attributes out = attributes;
  for (const auto& [name, value] : attributes.entries()) {
    const DType* dtype = std::get_if<DType>(&value);
    if (dtype && IsHalf(*dtype)) out.Set(name, kInt64);
  }
  return out;
}

}  // namespace

bool ComputesInHalf(const ir::Function& f, const ir::Node& node) {
  if (KeepsHalves(node.op)) return false;
  for (ir::Value v : node.operands) {
    if (IsHalf(f.type(v).dtype)) return true;
  }
  for (int i = 0; i < node.num_results; ++i) {
    if (IsHalf(f.type(node.result(i)).dtype)) return true;
  }
  return false;
}

ir::ValueList ExpandHalf(ExpandContext& c) {
  ir::ValueList wide;
  for (ir::Value v : c.operands) wide.push_back(IsHalf(c.b.type(v).dtype) ? c.b.Cast(v, kFloat32) : v);
  const auto types =
      ir::InferTypes({c.node.op, ir::OperandTypes(*c.b.function(), c.operands), c.node.attrs(), c.module});
  if (!types.ok()) return {c.b.Fail(types.status())};
  ir::ValueList results = c.b.EmitAll(c.node.op, wide, Widened(c.node.attrs()));
  for (size_t i = 0; i < results.size(); ++i) results[i] = c.b.Cast(results[i], (*types)[i].dtype);
  return results;
}

}  // namespace reel::passes
