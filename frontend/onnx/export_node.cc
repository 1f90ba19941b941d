#include "frontend/onnx/export_node.h"

#include <array>

#include "ir/lazy.h"
#include "ir/strings.h"

namespace reel::onnx {

Val Frame::Get(ir::Value v) {
  Val& value = values_[v.index()];
  if (value.name.empty()) value = w.Expand(thin_[v.index()], f.type(v).shape);
  return value;
}

Val Frame::Thin(ir::Value v, bool* whole) {
  *whole = thin_[v.index()].name.empty();
  return *whole ? Get(v) : thin_[v.index()];
}

void WriteNodes(Frame* frame) {
  for (const ir::Node& node : frame->f.nodes()) {
    const ExportRow& row = FindExport(node.op);
    row.write({*frame, node, row.name});
  }
}

Val ToIndex(GraphWriter& w, const Val& x) {
  const Val cast = w.Cast(x, kInt64);
  if (x.dtype != kUInt64) return cast;
  return w.Where(w.Compare("Less", cast, w.ScalarInt(kInt64, 0)), w.ScalarInt(kInt64, HighestInt(kInt64)), cast);
}

Val DivideIntegers(GraphWriter& w, const Val& a, const Val& b) {
  // Kernels divide as the processor does: by 0, and the lowest number by -1, is a fault.
  const DType dtype = b.dtype;
  const Val zero = w.ScalarInt(dtype, 0), one = w.ScalarInt(dtype, 1);
  const Val by_zero = w.Compare("Equal", b, zero);
  Val faulty = by_zero, by_minus;
  if (!IsUnsigned(dtype)) {
    by_minus = w.Compare("Equal", b, w.ScalarInt(dtype, -1));
    faulty = w.One("Or", {by_zero, by_minus}, kBool);
  }
  Val quotient = w.Same("Div", {a, w.Where(faulty, one, b)});
  if (!IsUnsigned(dtype)) quotient = w.Where(by_minus, w.Same("Sub", {zero, a}), quotient);
  return w.Where(by_zero, zero, quotient);
}

namespace {

using ByOp = std::array<const ExportRow*, 256>;

const ByOp& RowsByOp() {
  static constinit Lazy<ByOp> lazy;
  return lazy.Get([] {
    auto rows = std::make_unique<ByOp>();
    for (const ExportRows family :
         {ElementwiseExports(), FunctionExports(), ReduceExports(), ShapeExports(), ContractExports(), ConvExports(),
          IndexExports(), SequenceExports(), ControlExports(), RefusedExports()}) {
      for (const ExportRow& row : family) (*rows)[static_cast<size_t>(row.op)] = &row;
    }
    return rows;
  });
}

}  // namespace

const ExportRow& FindExport(ir::Op op) { return *RowsByOp()[static_cast<size_t>(op)]; }

std::string ExportTable() {
  std::string out =
      "# Primitives in ONNX\n\nGenerated from the table of the exporter by `REEL_UPDATE_GOLDEN=1 "
      "build/tests/onnx_export_test`.\n\nHow each primitive of `ir/ops.def` is said in ONNX, opset 17 and newer, and "
      "what "
      "that changes; or why it cannot be said:\nthen the export is an error before a file is written. Where ONNX "
      "Runtime "
      "has no kernel for a dtype, the value is carried by\na wider one between two casts, which changes no bit.\n\n"
      "| primitive | ONNX | notes |\n| --- | --- | --- |\n";
  for (const ir::Op op : ir::AllOps()) {
    const ExportRow& row = FindExport(op);
    const std::string_view kind = row.write ? "" : row.composed ? "composed: " : "refused: ";
    StrAppend(&out, "| ", ir::Name(op), " | ", kind, row.name, " | ", row.note, " |\n");
  }
  return out;
}

}  // namespace reel::onnx
