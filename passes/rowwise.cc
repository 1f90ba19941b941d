#include "passes/rowwise.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"

namespace reel::passes {
namespace {

using ir::Op;
using Ints = std::vector<int64_t>;

// Of a value: the axis of the rows, row r of which depends on rows r alone; kSame: it depends on no row.
constexpr int kSame = -1;
using Axes = std::vector<int>;

bool Has(const Ints& v, int64_t x) { return std::find(v.begin(), v.end(), x) != v.end(); }

class RowAnalysis {
 public:
  RowAnalysis(const ir::Module& module, int32_t symbol) : module_(module), rows_(Extent::Symbol(symbol)) {}

  // The axes of the results, if the function works row by row with parameters of these axes. Asked once for each.
  std::optional<Axes> Run(const ir::Function& f, const Axes& axes, int depth) {
    constexpr int kMaxDepth = 64;  // of functions in functions
    if (depth > kMaxDepth) return std::nullopt;
    std::pair<const ir::Function*, Axes> question(&f, axes);
    if (const auto it = known_.find(question); it != known_.end()) return it->second;
    auto results = Look(f, axes, depth);
    known_.emplace(std::move(question), results);
    return results;
  }

  // Where the rows are; kSame: nowhere; kTwice.
  static constexpr int kTwice = -2;
  int RowAxis(const Shape& shape) const {
    int found = kSame;
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] == rows_) found = found == kSame ? i : kTwice;
    }
    return found;
  }

 private:
  std::optional<Axes> Look(const ir::Function& f, Axes axes, int depth) {
    ir::ChargeVisits(f.nodes().size());
    axes.resize(static_cast<size_t>(f.num_values()));
    for (const ir::Node& node : f.nodes()) {
      Axes in;
      for (ir::Value v : node.operands) in.push_back(axes[static_cast<size_t>(v.id)]);
      const auto out = ir::Info(node.op).Has(ir::kControl) ? Control(node, in, depth) : Single(f, node, in);
      if (!out) return std::nullopt;
      for (int i = 0; i < node.num_results; ++i) {
        const int axis = (*out)[static_cast<size_t>(i)];
        if (axis == kTwice || axis != RowAxis(f.type(node.result(i)).shape)) return std::nullopt;
        axes[static_cast<size_t>(node.result(i).id)] = axis;
      }
    }
    Axes results;
    for (ir::Value v : f.results()) results.push_back(axes[static_cast<size_t>(v.id)]);
    return results;
  }

  std::optional<Axes> Control(const ir::Node& node, const Axes& in, int depth) {
    const auto callee = [&](std::string_view attribute) -> const ir::Function& {
      return *module_.FindFunction(node.attr<std::string>(attribute));
    };
    switch (node.op) {
      case Op::kCall: return Run(callee("callee"), in, depth + 1);
      case Op::kIf: {
        if (in[0] != kSame) return std::nullopt;
        const Axes rest(in.begin() + 1, in.end());
        const auto yes = Run(callee("then"), rest, depth + 1), no = Run(callee("else"), rest, depth + 1);
        return yes && no && *yes == *no ? yes : std::nullopt;
      }
      default: {  // while: a bool[] has no rows, but may depend on them
        const auto condition = Run(callee("cond"), in, depth + 1), body = Run(callee("body"), in, depth + 1);
        return condition && body && *body == in ? body : std::nullopt;
      }
    }
  }

  // Whether the rows alone are after the reduced axes: of one row, the elements are added in another order.
  static bool DecidesOrder(const Shape& shape, const Ints& reduced, int rows) {
    if (reduced.empty() || rows < reduced.back()) return false;
    for (int i = static_cast<int>(reduced.back()) + 1; i < shape.rank(); ++i) {
      if (i != rows && shape[i] != Extent(1)) return false;
    }
    return true;
  }

  // All results have one axis.
  std::optional<Axes> Single(const ir::Function& f, const ir::Node& node, const Axes& in) const {
    const auto axis = AxisOf(f, node, in);
    if (!axis) return std::nullopt;
    return Axes(static_cast<size_t>(node.num_results), *axis);
  }

  std::optional<int> AxisOf(const ir::Function& f, const ir::Node& node, const Axes& in) const {
    const auto ints = [&](std::string_view name) -> const Ints& { return node.attr<Ints>(name); };
    const bool any = std::any_of(in.begin(), in.end(), [](int axis) { return axis != kSame; });
    const int made = RowAxis(f.type(node.result()).shape);
    if (!any && made == kSame) return kSame;
    if (ir::Info(node.op).Has(ir::kElementwise)) return made;
    switch (node.op) {
      case Op::kBroadcast:  // of what has no rows: all rows are equal
        if (in[0] == kSame) return made;
        return static_cast<int>(ints("axes")[static_cast<size_t>(in[0])]);
      case Op::kIota: return made == node.attr<int64_t>("axis") ? std::nullopt : std::optional(made);
      case Op::kReduceSum:
      case Op::kReduceMax:
      case Op::kReduceMin:
      case Op::kReduceProd: {
        const auto& axes = ints("axes");
        if (Has(axes, in[0]) || DecidesOrder(f.type(node.operands[0]).shape, axes, in[0])) return std::nullopt;
        return in[0] - static_cast<int>(std::count_if(axes.begin(), axes.end(), [&](int64_t a) { return a < in[0]; }));
      }
      case Op::kReshape:
        return made >= 0 && Before(f.type(node.operands[0]).shape, in[0]) == Before(f.type(node.result()).shape, made)
                   ? std::optional(made)
                   : std::nullopt;
      case Op::kTranspose: {
        const auto& permutation = ints("permutation");
        return static_cast<int>(std::find(permutation.begin(), permutation.end(), in[0]) - permutation.begin());
      }
      case Op::kSlice:  // these need a number along the axes they change
      case Op::kPad:
      case Op::kReverse:
      case Op::kWindow:
      case Op::kArgsort:
      case Op::kDynamicSlice: return OnlyFirst(in);
      case Op::kRecurrence: return made;
      case Op::kDynamicUpdate: return in[2] == kSame ? std::optional(made) : std::nullopt;
      case Op::kContract: return Contracted(node, in, made);
      case Op::kConv: return in[0] == 0 && in[1] == kSame ? std::optional(0) : std::nullopt;
      case Op::kGather:  // rows of a table, or along an axis of rows
        return in[0] == kSame || (in[1] == kSame && in[0] != node.attr<int64_t>("axis")) ? std::optional(made)
                                                                                         : std::nullopt;
      case Op::kScatterAdd:
      case Op::kScatterSet:
      case Op::kScatterMax:
      case Op::kScatterMin:
      case Op::kScatterMul:
        return in[1] == kSame && in[0] != kSame && in[0] != node.attr<int64_t>("axis") ? std::optional(made)
                                                                                       : std::nullopt;
      case Op::kCholesky:
      case Op::kTriangularSolve:
      case Op::kLu:
      case Op::kQr:
      case Op::kEigh:
      case Op::kSvd:  // a batch changes none of its matrices
        return in[0] < f.type(node.operands[0]).shape.rank() - 2 ? std::optional(in[0]) : std::nullopt;
      default: return std::nullopt;
    }
  }

  // The first operand's, if no other has rows.
  static std::optional<int> OnlyFirst(const Axes& in) {
    const bool only = std::all_of(in.begin() + 1, in.end(), [](int axis) { return axis == kSame; });
    return only ? std::optional(in[0]) : std::nullopt;
  }

  static std::optional<int> Contracted(const ir::Node& node, const Axes& in, int made) {
    for (size_t i = 0; i < 2; ++i) {
      if (in[i] != kSame && Has(node.attr<Ints>(i == 0 ? "a_contract" : "b_contract"), in[i])) return std::nullopt;
    }
    return made;  // twice, if both have rows but not as one batch
  }

  // Elements before an axis; 0 if they are not known.
  static int64_t Before(const Shape& shape, int axis) {
    int64_t n = 1;
    for (int i = 0; i < axis; ++i) n = shape[i].is_constant() ? n * shape.dim(i) : 0;
    return n == 0 ? -axis - 2 : n;
  }

  const ir::Module& module_;
  const Extent rows_;
  HashMap<std::pair<const ir::Function*, Axes>, std::optional<Axes>> known_;
};

}  // namespace

bool IsRowwise(const ir::Module& module, const ir::Function& function, int32_t symbol) {
  RowAnalysis analysis(module, symbol);
  Axes axes;
  for (int i = 0; i < function.num_parameters(); ++i) {
    axes.push_back(analysis.RowAxis(function.parameter(i).type.shape));
    if (axes.back() != kSame && axes.back() != 0) return false;
  }
  for (size_t i = 0; i < function.state().size(); ++i) {
    const ir::Value v = function.results()[static_cast<size_t>(function.num_outputs()) + i];
    if (v.id != function.num_arguments() + static_cast<int>(i)) return false;
  }
  const auto results = analysis.Run(function, axes, 0);
  return results && std::all_of(results->begin(), results->end(), [](int axis) { return axis == kSame || axis == 0; });
}

}  // namespace reel::passes
