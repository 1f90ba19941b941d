#include "codegen/library/specs.h"

#include <algorithm>
#include <array>
#include <optional>

#include "codegen/program/program.h"
#include "ir/graph.h"
#include "ir/infer.h"
#include "ir/reduction_order.h"
#include "ir/strings.h"

// A module of one op on vectors of a marker length is planned like any other; then the loop over
// the marker becomes one over the runtime length. So eager ops have the schedules, and the bits, of
// compiled programs.

namespace reel::codegen {
namespace {

using Dtypes = std::vector<DType>;

// No extent or stride of a schedule is any of these.
constexpr int64_t kLength = 1021, kCostlyLength = 61;  // the second where the first would make chunks
constexpr int64_t kBlock = ir::kReducedBlock - 1, kShort = ir::kPartials - 1;  // of reductions
constexpr int64_t kRows = ir::kPartials, kColumns = 61;  // reductions of rows: a group, as long as its rows are apart
constexpr int64_t kUnbounded = int64_t{1} << 40;

bool IsReduction(ir::Op op) { return ir::Info(op).Has(ir::kReduction); }

// Replaces the marker by the runtime length: as the extent of a loop, which becomes `most`, or as
// what clips one. False if it stands elsewhere. As deep as loops nest.
bool UseLength(std::vector<Stmt>* body, int64_t marker, int64_t most, int* found) {
  for (Stmt& s : *body) {
    if (s.kind == Stmt::Kind::kSort || s.loop_kind == LoopKind::kParallel) return false;
    if (s.kind != Stmt::Kind::kLoop) continue;
    if (s.clip_total == marker) {
      s.clip_total = kRuntimeLength;
      ++*found;
    } else if (s.extent.value() == marker && s.clip_total < 0) {
      s.extent = most;
      s.clip_base = {};
      s.clip_total = kRuntimeLength;
      ++*found;
    }
    if (!UseLength(&s.body, marker, most, found)) return false;
    const Stmt* inner = s.body.empty() ? nullptr : &s.body[0];
    if (inner && inner->kind == Stmt::Kind::kLoop && inner->clip_total == kRuntimeLength &&
        inner->clip_base.coefficient(s.axis) == 64) {
      s.clip_base = {};
      s.clip_total = kRuntimeRows;
    }
  }
  return true;
}

// The one kernel of f(x0, x1, ...) = op on operands of a shape that ends with `length`, if it is one.
std::optional<LibrarySpec> Plan(ir::Op op, const Dtypes& dtypes, const ir::Attributes& attributes, const Shape& shape,
                                int64_t most, const Target& target) {
  const int64_t length = shape.dim(shape.rank() - 1);
  ir::Module module("library");
  ir::Function f("main");
  ir::TypeList types;
  ir::ValueList values;
  for (DType d : dtypes) {
    types.push_back({d, shape});
    values.push_back(f.AddParameter(StrCat("x", values.size()), types.back()));
  }
  const auto inferred = ir::InferTypes({op, types, attributes, &module});
  if (!inferred.ok()) return std::nullopt;
  const auto shared = attributes.empty() ? nullptr : std::make_shared<ir::Attributes>(attributes);
  f.SetResults({f.AddNode(op, values, shared, *inferred).result()});
  module.AddFunction(std::move(f));
  auto program = BuildProgram(module, target, {});
  if (!program.ok() || program->kernels.size() != 1) return std::nullopt;
  const std::vector<Step>& steps = program->entries[0].steps;
  if (steps.size() != 1 || steps[0].kernel != 0) return std::nullopt;

  LibrarySpec spec{"", std::move(program->kernels[0]), {}};
  int found = 0;
  if (!UseLength(&spec.kernel.body, length, most, &found) || found != 1) return std::nullopt;
  spec.entry.op = static_cast<uint8_t>(op);
  spec.entry.result = static_cast<uint8_t>((*inferred)[0].dtype);
  std::fill_n(spec.entry.operand, 3, LibraryKernel::kNone);
  std::fill_n(spec.entry.order, 4, LibraryKernel::kNone);
  for (size_t i = 0; i < dtypes.size(); ++i) {
    spec.entry.operand[i] = static_cast<uint8_t>(dtypes[i]);
  }
  for (size_t i = 0; i < steps[0].buffers.size(); ++i) {
    const Slot& slot = steps[0].buffers[i];
    const bool argument = slot.kind == Slot::Kind::kArgument;
    if (i >= 4 || (!argument && slot.kind != Slot::Kind::kResult)) return std::nullopt;
    spec.entry.order[i] = argument ? static_cast<uint8_t>(slot.index) : LibraryKernel::kResult;
  }
  spec.symbol = StrCat("reel_", ir::Name(op));
  for (DType d : dtypes) StrAppend(&spec.symbol, "_", Name(d));
  StrAppend(&spec.symbol, "_", Name((*inferred)[0].dtype));
  return spec;
}

// Puts what another buffer holds in the place of the marker: rows are so far apart. False if the marker stands nowhere.
bool UseStride(LibrarySpec* spec) {
  Kernel& k = spec->kernel;
  constexpr ExprId kAdded = 3;  // expressions in front of all others: the distance, the row, their product
  AxisId rows = -1;
  for (Expr& e : k.exprs) {
    for (const auto& [axis, coefficient] : e.index.terms) {
      if (coefficient == kColumns) rows = axis;
    }
    const int64_t stride = rows < 0 ? 0 : e.index.coefficient(rows);
    if (stride != 0 && (stride != kColumns || e.kind != Expr::Kind::kLoad || e.dynamic >= 0)) return false;
    for (ExprId& o : e.operands) o += kAdded;
    if (e.guard >= 0) e.guard += kAdded;
    if (stride == 0) continue;
    e.index.Add(rows, -kColumns);
    e.dynamic = kAdded - 1;
    e.dynamic_stride = 1;
  }
  if (rows < 0) return false;
  std::vector<std::vector<Stmt>*> stack{&k.body};
  while (!stack.empty()) {
    std::vector<Stmt>* list = stack.back();
    stack.pop_back();
    for (Stmt& s : *list) {
      for (ExprId* e : {&s.a, &s.b, &s.dynamic, &s.guard}) *e += *e < 0 ? 0 : kAdded;
      stack.push_back(&s.body);
    }
  }
  const BufferId apart = k.AddBuffer("apart", kInt64, false);
  Expr stride, row, offset;
  stride.kind = Expr::Kind::kLoad;
  stride.buffer = apart;
  row.kind = Expr::Kind::kIndex;
  row.index.Add(rows, 1);
  offset.kind = Expr::Kind::kOp;
  offset.op = ir::Op::kMul;
  offset.operands = {0, 1};
  for (Expr* e : {&stride, &row, &offset}) e->dtype = kInt64;
  k.exprs.insert(k.exprs.begin(), {stride, row, offset});
  spec->entry.order[apart] = 1;
  return true;
}

constexpr DType kReals[] = {kBool,   kInt8,   kInt16,   kInt32,    kInt64,   kUInt8,  kUInt16,
                            kUInt32, kUInt64, kFloat16, kBFloat16, kFloat32, kFloat64};

// What the operands of an op with `count` of them may be, one combination each.
std::vector<Dtypes> Combinations(ir::Op op, int count) {
  std::vector<Dtypes> all;
  for (DType d : kReals) {
    all.push_back(Dtypes(static_cast<size_t>(count), d));
    if (op == ir::Op::kSelect) all.back()[0] = kBool;
  }
  return all;
}

void AddElementwise(ir::Op op, const Target& target, std::vector<LibrarySpec>* out) {
  const auto add = [&](const Dtypes& dtypes, const ir::Attributes& attributes) {
    for (const int64_t length : {kLength, kCostlyLength}) {
      auto spec = Plan(op, dtypes, attributes, {length}, kUnbounded, target);
      if (!spec) continue;
      out->push_back(std::move(*spec));
      return;
    }
  };
  for (const Dtypes& dtypes : Combinations(op, ir::Info(op).operands)) {
    if (op != ir::Op::kCast && op != ir::Op::kBitcast) {
      add(dtypes, {});
      continue;
    }
    for (DType to : kReals) {
      if (to != dtypes[0]) add(dtypes, ir::Attributes{{"dtype", to}});
    }
  }
}

void AddReduction(ir::Op op, const Target& target, std::vector<LibrarySpec>* out) {
  const ir::Attributes axes{{"axes", std::vector<int64_t>{0}}};
  for (DType d : kReals) {
    const auto add = [&](std::optional<LibrarySpec> spec, uint8_t variant, std::string_view suffix) {
      if (!spec) return;
      spec->entry.variant = variant;
      StrAppend(&spec->symbol, suffix);
      out->push_back(std::move(*spec));
    };
    add(Plan(op, {d}, axes, {kBlock}, 64, target), LibraryKernel::kWhole, "");
    add(Plan(op, {d}, axes, {kShort}, 64, target), LibraryKernel::kShort, "_short");
    auto columns = Plan(op, {d}, axes, {kRows, kColumns}, kUnbounded, target);
    if (columns && UseStride(&*columns)) add(std::move(columns), LibraryKernel::kColumns, "_columns");
  }
}

}  // namespace

std::vector<LibrarySpec> LibrarySpecs(const Target& target) {
  std::vector<LibrarySpec> all;
  for (const ir::Op op : ir::AllOps()) {
    if (op == ir::Op::kIdentity || op == ir::Op::kStopGradient || ir::IsCheck(op)) continue;
    if (ir::Info(op).Has(ir::kElementwise)) AddElementwise(op, target, &all);
    if (IsReduction(op)) AddReduction(op, target, &all);
  }
  return all;
}

}  // namespace reel::codegen
