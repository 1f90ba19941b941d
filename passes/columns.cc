#include "passes/columns.h"

#include <algorithm>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Function;
using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

constexpr int64_t kMaxColumns = 8;
constexpr int64_t kMaxNodes = 3000;     // that a class may become
constexpr int64_t kMaxOfAll = 12000;    // that all may
constexpr int64_t kNever = 1 << 20;      // uses of a value that stays whole

size_t Number(Value v) { return static_cast<size_t>(v.id); }
size_t Number(int64_t i) { return static_cast<size_t>(i); }

bool IsWholeAxis(const Function& f, const Node& slice, int64_t axis) {
  const size_t a = Number(axis);
  return slice.attr<Ints>("starts")[a] == 0 && slice.attr<Ints>("strides")[a] == 1 &&
         slice.attr<Ints>("limits")[a] == f.type(slice.operands[0]).shape.dim(static_cast<int>(axis));
}

class Planner {
 public:
  explicit Planner(const ir::Module& m) : m_(m) {}

  ColumnPlan Run() {
    for (const auto& f : m_.functions()) CountReferences(*f);
    for (const auto& f : m_.functions()) AddAxes(*f);
    for (const auto& f : m_.functions()) {
      in_loop_ = bodies_.contains(f->name()) || conditions_.contains(f->name());
      for (const Node& node : f->nodes()) Add(*f, node);
    }
    return Choose();
  }

 private:
  struct Class {
    int64_t columns = 0, whole = 0, members = 0;  // ops in loops that handle single columns, that need all; axes
  };

  void CountReferences(const Function& f) {
    ir::ChargeVisits(f.nodes().size());
    for (const Node& node : f.nodes()) {
      if (!ir::Info(node.op).Has(ir::kControl)) continue;
      for (const char* name : {"body", "cond", "then", "else", "callee", "vjp"}) {
        if (const auto* callee = node.attrs().Find(name)) ++references_[std::get<std::string>(*callee)];
      }
    }
    for (const Node& node : f.nodes()) {
      if (node.op != Op::kWhile) continue;
      bodies_.insert(node.attr<std::string>("body"));
      conditions_.insert(node.attr<std::string>("cond"));
    }
  }

  void AddAxes(const Function& f) {
    std::vector<int32_t>& first = first_[f.name()];
    ir::ChargeVisits(static_cast<size_t>(f.num_values()));
    for (int v = 0; v < f.num_values(); ++v) {
      const Shape& shape = f.type({v}).shape;
      const bool short_axis = shape.is_constant() && std::any_of(shape.begin(), shape.end(), [](Extent e) {
                                return e.value() > 1 && e.value() <= kMaxColumns;
                              });
      first.push_back(short_axis ? static_cast<int32_t>(parent_.size()) : -1);
      for (int a = 0; short_axis && a < shape.rank(); ++a) parent_.push_back(static_cast<int32_t>(parent_.size()));
    }
    classes_.resize(parent_.size());
  }

  // The number of an axis of a value; -1: it is none to take apart.
  int32_t Id(const Function& f, Value v, int64_t axis) {
    const int32_t first = first_.at(f.name())[Number(v)];
    if (first < 0 || axis < 0) return -1;
    const int64_t extent = f.type(v).shape.dim(static_cast<int>(axis));
    return extent > 1 && extent <= kMaxColumns ? first + static_cast<int32_t>(axis) : -1;
  }

  int32_t Find(int32_t id) {
    while (parent_[Number(id)] != id) id = parent_[Number(id)] = parent_[Number(parent_[Number(id)])];
    return id;
  }
  Class& ClassOf(int32_t id) { return classes_[Number(Find(id))]; }

  void Unite(int32_t a, int32_t b) {
    if (a < 0 || b < 0) return;
    a = Find(a), b = Find(b);
    if (a == b) return;
    parent_[Number(b)] = a;
    Class &to = classes_[Number(a)], &from = classes_[Number(b)];
    to.columns += from.columns;
    to.whole += from.whole;
  }
  // What happens outside of loops happens once.
  void Column(int32_t id) {
    if (id >= 0 && in_loop_) ++ClassOf(id).columns;
  }
  void Whole(int32_t id) {
    if (id >= 0 && in_loop_) ++ClassOf(id).whole;
  }
  void Whole(const Function& f, Value v) {
    for (int a = 0; a < f.type(v).shape.rank(); ++a) Whole(Id(f, v, a));
  }

  void Add(const Function& f, const Node& node) {
    ir::ChargeVisits(1 + node.operands.size());
    if (node.op == Op::kWhile) return AddLoop(f, node);
    if (node.num_results == 1 && Relate(f, node)) return;
    for (Value v : node.operands) Whole(f, v);
    for (int k = 0; k < node.num_results; ++k) Whole(f, node.result(k));
  }

  // Its functions are named by no other op and touch no variables.
  bool IsOwn(const Node& loop) const {
    const auto& body = loop.attr<std::string>("body");
    const auto& cond = loop.attr<std::string>("cond");
    if (references_.at(body) != 1 || references_.at(cond) != 1) return false;
    return m_.FindFunction(body)->state().empty() && m_.FindFunction(cond)->state().empty();
  }

  void AddLoop(const Function& f, const Node& node) {
    const bool own = IsOwn(node);
    const Function& body = *m_.FindFunction(node.attr<std::string>("body"));
    const Function& cond = *m_.FindFunction(node.attr<std::string>("cond"));
    for (int i = 0; i < node.num_results; ++i) {
      const Value start = node.operands[Number(i)];
      for (int a = 0; a < f.type(start).shape.rank(); ++a) {
        if (!own) {
          Whole(Id(f, start, a));
          Whole(Id(f, node.result(i), a));
          for (int32_t id : {Id(body, {i}, a), Id(cond, {i}, a), Id(body, body.results()[Number(i)], a)}) {
            if (id >= 0) ClassOf(id).whole += kNever;
          }
          continue;
        }
        const int32_t id = Id(body, {i}, a);
        Unite(id, Id(body, body.results()[Number(i)], a));
        Unite(id, Id(cond, {i}, a));
        Unite(id, Id(f, start, a));
        Unite(id, Id(f, node.result(i), a));
      }
    }
  }

  // Unites the axes that the op leaves alone; false: it needs all whole.
  bool Relate(const Function& f, const Node& node) {
    const Value y = node.result();
    const Value x = node.operands.empty() ? Value{} : node.operands[0];
    const int rank = x.valid() ? f.type(x).shape.rank() : 0;
    // Each axis of x with that of y which is the same.
    const auto each = [&](auto axis_of) {
      for (int a = 0; a < rank; ++a) Unite(Id(f, x, a), Id(f, y, axis_of(a)));
      return true;
    };
    if (ir::Info(node.op).Has(ir::kElementwise)) {
      for (Value v : node.operands) {
        for (int a = 0; a < rank; ++a) Unite(Id(f, v, a), Id(f, y, a));
      }
      return true;
    }
    switch (node.op) {
      case Op::kConstant: return SplatOf(f, y).has_value();
      case Op::kIota: return true;
      case Op::kReshape: return f.type(y).shape.is_constant() && RelateReshape(f, x, y);
      case Op::kBroadcast: return each([&](int a) { return node.attr<Ints>("axes")[Number(a)]; });
      case Op::kTranspose:
        for (int a = 0; a < rank; ++a) Unite(Id(f, x, node.attr<Ints>("permutation")[Number(a)]), Id(f, y, a));
        return true;
      case Op::kReverse: return each([](int a) { return a; });
      case Op::kSlice: return f.type(y).shape.is_constant() && RelateSlice(f, node);
      case Op::kPad: return RelatePad(f, node);
      case Op::kDynamicSlice: return RelateDynamicSlice(f, node);
      case Op::kDynamicUpdate: return RelateDynamicUpdate(f, node);
      default: return false;
    }
  }

  bool RelateReshape(const Function& f, Value x, Value y) {
    const Shape &from = f.type(x).shape, &shape = f.type(y).shape;
    for (int a = 0; a < from.rank(); ++a) {
      const int64_t to = SameAxis(from, a, shape);
      to >= 0 ? Unite(Id(f, x, a), Id(f, y, to)) : Whole(Id(f, x, a));
    }
    for (int a = 0; a < shape.rank(); ++a) {
      if (SameAxis(shape, a, from) < 0) Whole(Id(f, y, a));
    }
    return true;
  }

  bool RelateSlice(const Function& f, const Node& node) {
    const Value x = node.operands[0], y = node.result();
    for (int a = 0; a < f.type(y).shape.rank(); ++a) {
      if (IsWholeAxis(f, node, a)) {
        Unite(Id(f, x, a), Id(f, y, a));
      } else {
        f.type(y).shape.dim(a) == 1 ? Column(Id(f, x, a)) : Whole(Id(f, x, a));
      }
    }
    return true;
  }

  bool RelatePad(const Function& f, const Node& node) {
    const Value x = node.operands[0], y = node.result();
    const Shape &from = f.type(x).shape, &shape = f.type(y).shape;
    for (int a = 0; a < shape.rank(); ++a) {
      if (node.attr<Ints>("interior")[Number(a)] != 0) {
        Whole(Id(f, x, a));
        Whole(Id(f, y, a));
      } else if (from[a] == shape[a]) {
        Unite(Id(f, x, a), Id(f, y, a));
      } else {
        from[a] == Extent(1) ? Column(Id(f, y, a)) : Whole(Id(f, y, a));
      }
    }
    return true;
  }

  bool RelateDynamicSlice(const Function& f, const Node& node) {
    const Value x = node.operands[0], y = node.result();
    for (int a = 0; a < f.type(y).shape.rank(); ++a) {
      if (a != node.attr<int64_t>("axis")) {
        Unite(Id(f, x, a), Id(f, y, a));
      } else {
        Whole(Id(f, x, a));
        Whole(Id(f, y, a));
      }
    }
    return true;
  }

  bool RelateDynamicUpdate(const Function& f, const Node& node) {
    const Value x = node.operands[0], update = node.operands[1], y = node.result();
    for (int a = 0; a < f.type(y).shape.rank(); ++a) {
      Unite(Id(f, x, a), Id(f, y, a));
      if (a != node.attr<int64_t>("axis")) {
        Unite(Id(f, update, a), Id(f, y, a));
      } else if (Id(f, y, a) >= 0) {
        StartOfUpdate(f, node, a) ? Column(Id(f, y, a)) : Whole(Id(f, y, a));
      }
    }
    return true;
  }

  ColumnPlan Choose() {
    ColumnPlan plan;
    const auto visit = [&](auto act) {
      for (const auto& f : m_.functions()) {
        for (int v = 0; v < f->num_values(); ++v) {
          for (int a = 0; a < f->type({v}).shape.rank(); ++a) {
            if (const int32_t id = Id(*f, {v}, a); id >= 0) act(*f, v, a, Find(id));
          }
        }
      }
    };
    visit(
        [&](const Function& f, int v, int a, int32_t id) { classes_[Number(id)].members += f.type({v}).shape.dim(a); });
    const auto is_chosen = [&](int32_t id) {
      const Class& c = classes_[Number(id)];
      return c.columns >= 2 && c.columns > 2 * c.whole && c.members <= kMaxNodes;
    };
    // Of two classes that share a value none is chosen: which of its axes goes first would matter. Nor what is too
    // much.
    std::vector<bool> shares(parent_.size());
    HashMap<std::pair<const Function*, int>, int32_t> taken;
    visit([&](const Function& f, int v, int, int32_t id) {
      if (!is_chosen(id)) return;
      const auto [it, added] = taken.try_emplace({&f, v}, id);
      if (!added) shares[Number(id)] = shares[Number(it->second)] = true;
    });
    int64_t left = kMaxOfAll;
    for (size_t i = 0; i < classes_.size(); ++i) {
      if (parent_[i] != static_cast<int32_t>(i) || !is_chosen(static_cast<int32_t>(i)) || shares[i]) continue;
      shares[i] = classes_[i].members > left;
      left -= shares[i] ? 0 : classes_[i].members;
    }
    visit([&](const Function& f, int v, int a, int32_t id) {
      if (!is_chosen(id) || shares[Number(id)]) return;
      std::vector<int64_t>& axes = plan.axes[f.name()];
      axes.resize(static_cast<size_t>(f.num_values()), -1);
      axes[Number(v)] = a;
    });
    plan.bodies = std::move(bodies_);
    plan.conditions = std::move(conditions_);
    return plan;
  }

  const ir::Module& m_;
  HashMap<std::string, int> references_;
  HashSet<std::string> bodies_, conditions_;
  HashMap<std::string, std::vector<int32_t>> first_;  // by function and value: number of its first axis
  std::vector<int32_t> parent_;                                   // by axis
  std::vector<Class> classes_;
  bool in_loop_ = false;
};

}  // namespace

int64_t SameAxis(const Shape& from, int64_t axis, const Shape& to) {
  int64_t before = 1, seen = 1;
  for (int64_t i = 0; i < axis; ++i) before *= from.dim(static_cast<int>(i));
  for (int j = 0; j < to.rank(); seen *= to.dim(j++)) {
    if (seen == before && to.dim(j) == from.dim(static_cast<int>(axis))) return j;
  }
  return -1;
}

std::optional<int64_t> StartOfUpdate(const Function& f, const Node& update, int64_t axis) {
  const auto literal = SplatOf(f, update.operands[2]);
  if (!literal || literal->dtype() == kUInt64) return std::nullopt;
  const int a = static_cast<int>(axis);
  const int64_t room = f.type(update.operands[0]).shape.dim(a) - f.type(update.operands[1]).shape.dim(a);
  return std::clamp<int64_t>(literal->AsInt(0), 0, room);
}

ColumnPlan PlanColumns(const ir::Module& m) { return Planner(m).Run(); }

}  // namespace reel::passes
