// A loop over the states of a small system carries them as [..., 3] and its body stacks what it computes column by
// column, only to take it apart again. Such values are kept apart: each becomes its columns, through elementwise ops,
// tables of rows and the loops themselves.

#include <algorithm>
#include <string>

#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/columns.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

using ir::Function;
using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

size_t Number(Value v) { return static_cast<size_t>(v.id); }
size_t Number(int64_t i) { return static_cast<size_t>(i); }

template <typename T>
std::vector<T> Without(std::vector<T> list, int64_t axis) {
  list.erase(list.begin() + axis);
  return list;
}

Shape Without(Shape shape, int64_t axis) {
  shape.erase(static_cast<int>(axis));
  return shape;
}

using Values = std::vector<Value>;

// The columns of a function's values, and the ops that make them, in a new function.
class ColumnBuilder {
 protected:
  ColumnBuilder(const Function& f, const std::vector<int64_t>& axes, const ir::Module& m)
      : f_(f),
        axes_(axes),
        out_(f.name()),
        copier_(f, &out_),
        b_(&out_, &m),
        columns_(static_cast<size_t>(f.num_values())) {}

  int64_t axis(Value v) const { return axes_[Number(v)]; }
  int64_t count(Value v) const { return f_.type(v).shape.dim(static_cast<int>(axis(v))); }
  Shape ColumnShape(Value v) const { return Without(f_.type(v).shape, axis(v)); }

  // The columns of a value along its axis.
  const Values& Columns(Value v) {
    Values& columns = columns_[Number(v)];
    if (columns.empty()) columns = b_.Elements(copier_(v), {axis(v)});
    return columns;
  }

  // Column k along an axis, of any value.
  Value Column(Value v, int64_t a, int64_t k) {
    if (axis(v) == a) return Columns(v)[Number(k)];
    Values& elements = elements_[{v.id, a}];
    if (elements.empty()) elements = b_.Elements(Whole(v), {a});
    return elements[Number(k)];
  }

  // The value in one piece.
  Value Whole(Value v) {
    if (copier_(v).valid()) return copier_(v);
    const Type& type = f_.type(v);
    Shape one = type.shape;
    one.set(static_cast<int>(axis(v)), Extent(1));
    Value x;
    for (int64_t k = 0; k < count(v); ++k) {
      const Value column = b_.Reshape(Columns(v)[Number(k)], one);
      if (k == 0) {
        Ints none(Number(type.shape.rank()), 0), high = none;
        high[Number(axis(v))] = count(v) - 1;
        x = b_.Pad(column, b_.Scalar(type.dtype, 0), none, high, none);
      } else {
        x = b_.DynamicUpdate(x, column, b_.Constant(ir::Literal::ScalarInt(kInt64, k)), axis(v));
      }
    }
    copier_.Map(v, x);
    return x;
  }

  // False: it is made in one piece.
  bool MakeColumns(const Node& node, Values* out) {
    const Value y = node.result();
    const Target to{ColumnShape(y), axis(y), count(y), out};
    if (ir::Info(node.op).Has(ir::kElementwise)) {
      return to.Each([&](int64_t k) {
        Values operands;
        for (Value v : node.operands) operands.push_back(Column(v, to.axis, k));
        return b_.Emit(node.op, operands, node.attrs());
      });
    }
    switch (node.op) {
      case Op::kReshape: return MakeReshape(node, to);
      case Op::kBroadcast: return MakeBroadcast(node, to);
      case Op::kTranspose: return MakeTranspose(node, to);
      case Op::kReverse: return MakeReverse(node, to);
      case Op::kSlice: return MakeSlice(node, to);
      case Op::kPad: return MakePad(node, to);
      case Op::kDynamicSlice: return MakeDynamicSlice(node, to);
      case Op::kDynamicUpdate: return MakeDynamicUpdate(node, to);
      default: return false;
    }
  }

  const Function& f_;
  const std::vector<int64_t>& axes_;
  Function out_;
  Copier copier_;
  ir::Builder b_;
  std::vector<Values> columns_;  // by value

 private:
  // Axis numbers of what has lost one.
  static Ints Shifted(Ints axes, int64_t lost) {
    for (int64_t& axis : axes) axis -= axis > lost;
    return axes;
  }

  // The columns of a node's result along its axis.
  struct Target {
    Shape shape;  // of a column
    int64_t axis, count;
    Values* columns;

    template <typename Make>
    bool Each(Make make) const {
      for (int64_t k = 0; k < count; ++k) columns->push_back(make(k));
      return true;
    }
  };

  bool MakeReshape(const Node& node, const Target& to) {
    const Value x = node.operands[0];
    const int64_t from = SameAxis(f_.type(node.result()).shape, to.axis, f_.type(x).shape);
    return from >= 0 && to.Each([&](int64_t k) { return b_.Reshape(Column(x, from, k), to.shape); });
  }

  bool MakeBroadcast(const Node& node, const Target& to) {
    const Value x = node.operands[0];
    const auto& axes = node.attr<Ints>("axes");
    const auto at = std::find(axes.begin(), axes.end(), to.axis);
    if (at == axes.end()) {
      const Value column = b_.Broadcast(Whole(x), to.shape, Shifted(axes, to.axis));
      return to.Each([&](int64_t) { return column; });
    }
    const int64_t from = at - axes.begin();
    const bool stretched = f_.type(x).shape.dim(static_cast<int>(from)) != to.count;
    const Ints rest = Shifted(Without(axes, from), to.axis);
    return to.Each([&](int64_t k) { return b_.Broadcast(Column(x, from, stretched ? 0 : k), to.shape, rest); });
  }

  bool MakeTranspose(const Node& node, const Target& to) {
    const auto& permutation = node.attr<Ints>("permutation");
    const int64_t from = permutation[Number(to.axis)];
    const Ints rest = Shifted(Without(permutation, to.axis), from);
    return to.Each([&](int64_t k) { return b_.Transpose(Column(node.operands[0], from, k), rest); });
  }

  bool MakeReverse(const Node& node, const Target& to) {
    Ints axes = node.attr<Ints>("axes");
    const bool turned = std::erase(axes, to.axis) > 0;
    axes = Shifted(axes, to.axis);
    return to.Each(
        [&](int64_t k) { return b_.Reverse(Column(node.operands[0], to.axis, turned ? to.count - 1 - k : k), axes); });
  }

  bool MakeSlice(const Node& node, const Target& to) {
    const int64_t a = to.axis;
    const auto &starts = node.attr<Ints>("starts"), &strides = node.attr<Ints>("strides");
    const Ints limits = Without(node.attr<Ints>("limits"), a);
    const int64_t first = starts[Number(a)], stride = strides[Number(a)];
    return to.Each([&](int64_t k) {
      return b_.Slice(Column(node.operands[0], a, first + k * stride), Without(starts, a), limits, Without(strides, a));
    });
  }

  bool MakePad(const Node& node, const Target& to) {
    const Value x = node.operands[0];
    const int64_t a = to.axis;
    const auto &low = node.attr<Ints>("low"), &high = node.attr<Ints>("high"), &interior = node.attr<Ints>("interior");
    if (interior[Number(a)] != 0) return false;
    const int64_t first = low[Number(a)], extent = f_.type(x).shape.dim(static_cast<int>(a));
    const Value padding = Whole(node.operands[1]);
    return to.Each([&](int64_t k) {
      if (k < first || k >= first + extent) return b_.BroadcastTo(padding, to.shape);
      return b_.Pad(Column(x, a, k - first), padding, Without(low, a), Without(high, a), Without(interior, a));
    });
  }

  bool MakeDynamicSlice(const Node& node, const Target& to) {
    const int64_t along = node.attr<int64_t>("axis"), size = node.attr<int64_t>("size");
    if (along == to.axis) return false;
    const Value start = Whole(node.operands[1]);
    return to.Each([&](int64_t k) {
      return b_.DynamicSlice(Column(node.operands[0], to.axis, k), start, along - (along > to.axis), size);
    });
  }

  bool MakeDynamicUpdate(const Node& node, const Target& to) {
    const int64_t a = to.axis, along = node.attr<int64_t>("axis");
    const Value x = node.operands[0], update = node.operands[1];
    if (along != a) {
      const Value start = Whole(node.operands[2]);
      return to.Each([&](int64_t k) {
        return b_.DynamicUpdate(Column(x, a, k), Column(update, a, k), start, along - (along > a));
      });
    }
    const auto start = StartOfUpdate(f_, node, a);
    if (!start) return false;
    const int64_t extent = f_.type(update).shape.dim(static_cast<int>(a));
    return to.Each([&](int64_t k) {
      return k < *start || k >= *start + extent ? Column(x, a, k) : Column(update, a, k - *start);
    });
  }

  HashMap<std::pair<int32_t, int64_t>, Values> elements_;  // by value that stays whole, and axis
};

// One function with the values of the plan in columns.
class Unstacker : ColumnBuilder {
 public:
  Unstacker(const Function& f, const ColumnPlan& plan, const ir::Module& m)
      : ColumnBuilder(f, plan.axes.at(f.name()), m), plan_(plan) {}

  // Parameters and results of loops come in columns, too.
  absl::StatusOr<Function> Run() {
    const bool is_body = plan_.bodies.contains(f_.name());
    const bool of_loop = is_body || plan_.conditions.contains(f_.name());
    of_loop&& f_.state().empty() ? AddParameters() : CopySignature(f_, &out_, &copier_);  // others keep theirs whole
    for (const Node& node : f_.nodes()) {
      b_.set_location(copier_.MapLocation(node.location));
      Visit(node);
      if (!b_.status().ok()) return b_.status();
    }
    std::vector<Value> results;
    for (Value v : f_.results()) {
      if (is_body && axis(v) >= 0) {
        results.insert(results.end(), Columns(v).begin(), Columns(v).end());
      } else {
        results.push_back(Whole(v));
      }
    }
    if (!b_.status().ok()) return b_.status();
    out_.SetResults(std::move(results));
    out_.set_result_names(f_.result_names());
    return std::move(out_);
  }

 private:
  // A name for column k of parameter i that no other parameter has.
  std::string NameOf(int i, int64_t k) {
    constexpr size_t kLong = 200;
    const std::string& whole = f_.parameter(i).name;
    std::string name = whole.size() > kLong ? StrCat("column", i, ".", k) : StrCat(whole, ".", k);
    while (!names_.insert(name).second) name += '_';
    return name;
  }

  void AddParameters() {
    for (int i = 0; i < f_.num_parameters(); ++i) names_.insert(f_.parameter(i).name);
    for (int i = 0; i < f_.num_parameters(); ++i) {
      const ir::Parameter& p = f_.parameter(i);
      if (axis({i}) < 0) {
        copier_.Map({i}, out_.AddParameter(p.name, p.type));
        continue;
      }
      for (int64_t k = 0; k < count({i}); ++k) {
        columns_[Number(i)].push_back(out_.AddParameter(NameOf(i, k), {p.type.dtype, ColumnShape({i})}));
      }
    }
  }

  void Visit(const Node& node) {
    if (node.op == Op::kWhile) return Loop(node);
    if (node.num_results == 1) {
      const Value y = node.result();
      if (axis(y) >= 0 && MakeColumns(node, &columns_[Number(y)])) return;
      if (node.op == Op::kSlice && OneColumn(node)) return;
    }
    for (Value v : node.operands) Whole(v);
    copier_.CopyNode(node);
  }

  // A slice that takes one column is that column.
  bool OneColumn(const Node& slice) {
    const Value x = slice.operands[0], y = slice.result();
    const int64_t a = axis(x);
    if (a < 0 || f_.type(y).shape[static_cast<int>(a)] != Extent(1)) return false;
    const auto& starts = slice.attr<Ints>("starts");
    const Value column = b_.Slice(Columns(x)[Number(starts[Number(a)])], Without(starts, a),
                                  Without(slice.attr<Ints>("limits"), a), Without(slice.attr<Ints>("strides"), a));
    copier_.Map(y, b_.Reshape(column, f_.type(y).shape));
    return true;
  }

  void Loop(const Node& node) {
    const auto body = plan_.axes.find(node.attr<std::string>("body"));
    const auto in_columns = [&](int i) { return body != plan_.axes.end() && body->second[Number(i)] >= 0; };
    Values operands;
    for (int i = 0; i < node.num_results; ++i) {
      const Value v = node.operands[Number(i)];
      if (in_columns(i)) {
        operands.insert(operands.end(), Columns(v).begin(), Columns(v).end());
      } else {
        operands.push_back(Whole(v));
      }
    }
    const ir::ValueList results = b_.EmitAll(Op::kWhile, operands, node.attrs());
    if (!b_.status().ok()) return;
    auto next = results.begin();
    for (int i = 0; i < node.num_results; ++i) {
      const Value v = node.result(i);
      if (!in_columns(i)) {
        copier_.Map(v, *next++);
        continue;
      }
      for (int64_t k = 0; k < count(v); ++k) columns_[Number(v)].push_back(*next++);
    }
  }

  const ColumnPlan& plan_;
  HashSet<std::string> names_;                            // of parameters
};

// The functions of the plan, each after those of its loops.
std::vector<std::string> CalleesFirst(const ir::Module& m, const ColumnPlan& plan) {
  std::vector<std::string> order, open;
  HashSet<std::string> seen;
  for (const auto& f : m.functions()) {
    if (plan.axes.contains(f->name())) open.push_back(f->name());
  }
  // Each is met twice: first its callees are put before it.
  HashSet<std::string> done;
  while (!open.empty()) {
    const std::string name = open.back();
    if (done.contains(name)) {
      open.pop_back();
    } else if (!seen.insert(name).second) {
      open.pop_back();
      done.insert(name);
      if (plan.axes.contains(name)) order.push_back(name);
    } else {
      for (const Node& node : m.FindFunction(name)->nodes()) {
        if (node.op != Op::kWhile) continue;
        for (const char* part : {"body", "cond"}) {
          if (!seen.contains(node.attr<std::string>(part))) open.push_back(node.attr<std::string>(part));
        }
      }
    }
  }
  return order;
}

}  // namespace

absl::StatusOr<bool> Unstack(ir::Module* m, const PassContext&) {
  const bool loops = std::any_of(m->functions().begin(), m->functions().end(), [](const auto& f) {
    return std::any_of(f->nodes().begin(), f->nodes().end(), [](const Node& n) { return n.op == Op::kWhile; });
  });
  if (!loops) return false;
  const ColumnPlan plan = PlanColumns(*m);
  for (const std::string& name : CalleesFirst(*m, plan)) {
    auto made = Unstacker(*m->FindFunction(name), plan, *m).Run();
    if (!made.ok()) return made.status();
    m->AddFunction(*std::move(made));
  }
  return !plan.axes.empty();
}

}  // namespace reel::passes
