#ifndef REEL_FRONTEND_ONNX_EXPORT_NODE_H_
#define REEL_FRONTEND_ONNX_EXPORT_NODE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/onnx/graph_writer.h"

// What the functions that write one primitive (export_ops/*.cc) see of it, and their table.

namespace reel::onnx {

/// The values of one function while its nodes are written into a graph. A broadcast is written where somebody reads
/// all of it: elementwise ops of ONNX stretch extents of 1 themselves.
class Frame {
 public:
  Frame(const ir::Function& f, GraphWriter* w)
      : f(f), w(*w), values_(static_cast<size_t>(f.num_values())), thin_(values_.size()) {}

  const ir::Function& f;
  GraphWriter& w;

  Val Get(ir::Value v);
  /// Of the same rank or 0, with extents of 1 where a broadcast would repeat; *whole: it has the whole shape.
  Val Thin(ir::Value v, bool* whole);
  void Set(ir::Value v, Val val) { values_[v.index()] = std::move(val); }
  void SetThin(ir::Value v, Val val) { thin_[v.index()] = std::move(val); }

 private:
  Vals values_, thin_;  // no name: not written yet
};

/// One node of the IR.
struct Site {
  Frame& frame;
  const ir::Node& node;
  std::string_view name;  ///< the row's: the op of ONNX that says it

  GraphWriter& w() const { return frame.w; }
  Val x(size_t i = 0) const { return frame.Get(node.operands[i]); }
  const Type& type(size_t i = 0) const { return frame.f.type(node.operands[i]); }
  const Shape& shape(size_t i = 0) const { return type(i).shape; }
  const Type& result(int i = 0) const { return frame.f.type(node.result(i)); }
  const Ints& ints(std::string_view attribute) const { return node.attr<Ints>(attribute); }
  int64_t axis() const { return node.attr<int64_t>("axis"); }
  void Set(Val val, int i = 0) const { frame.Set(node.result(i), std::move(val)); }
};

/// What decides whether a node can be said.
struct Asked {
  const ir::Function& f;
  const ir::Node& node;
  int64_t opset;

  const Type& type(size_t i = 0) const { return f.type(node.operands[i]); }
};

/// A row of the table: how a primitive is said.
struct ExportRow {
  ir::Op op;
  void (*write)(const Site& site);  ///< null: refused, or composed of others before
  std::string_view name;  ///< the ops of ONNX; of a row without `write` why there is none
  std::string_view note = "";
  std::string (*refuses)(const Asked& asked) = nullptr;  ///< why this node cannot be said; empty if it can
  bool composed = false;  ///< it has been replaced by other primitives before
};
using ExportRows = std::span<const ExportRow>;

ExportRows ElementwiseExports();
ExportRows FunctionExports();
ExportRows ReduceExports();
ExportRows ShapeExports();
ExportRows ContractExports();
ExportRows ConvExports();
ExportRows IndexExports();
ExportRows SequenceExports();
ExportRows ControlExports();
ExportRows RefusedExports();

const ExportRow& FindExport(ir::Op op);
/// EXPORT.md.
std::string ExportTable();

/// Writes the nodes of a function; its parameters have their values in the frame.
void WriteNodes(Frame* frame);

// Shared by families.
/// Any integers as i64; what i64 cannot hold becomes its largest.
Val ToIndex(GraphWriter& w, const Val& x);
/// Whole quotients toward zero, x / 0 = 0.
Val DivideIntegers(GraphWriter& w, const Val& a, const Val& b);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_EXPORT_NODE_H_
