// What Plan() says of a kernel besides its cost: what it loops over, why it was not part of another, why its results
// are in memory.
#include <algorithm>

#include "codegen/plan/uses.h"
#include "codegen/schedule/schedule.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

using ir::Value;

constexpr size_t kMaxResults = 8;   // lines about results
constexpr size_t kMaxNamed = 1024;  // results among which a value's name is looked for

struct Context {
  const ir::Function& f;
  const PlanGraph& plan;
  const KernelPlan& kernel_plan;
  const Kernel& kernel;

  bool Stored(Value v) const { return plan.stored[static_cast<size_t>(v.id)]; }
};

// The name of a result, or of a variable's new value.
std::string ResultName(const ir::Function& f, Value v) {
  const size_t n = std::min(f.results().size(), kMaxNamed), outputs = static_cast<size_t>(f.num_outputs());
  const auto it = std::find(f.results().begin(), f.results().begin() + static_cast<std::ptrdiff_t>(n), v);
  const auto i = static_cast<size_t>(it - f.results().begin());
  if (i == n) return "";
  return i < outputs ? f.result_name(static_cast<int>(i)) : StrCat("new @", f.state()[i - outputs]);
}

// name: f32[2,3]
std::string Text(const ir::Function& f, Value v) {
  std::string name(f.name_hint(v));
  if (name.empty()) name = ResultName(f, v);
  return StrCat(name.empty() ? StrCat("v", v.id) : name, ": ", f.type(v).ToString());
}

// Lanes of the widest vector loop, 1 without one.
int64_t Lanes(const std::vector<Stmt>& body) {
  int64_t lanes = 1;
  for (const Stmt& s : body) {
    if (s.kind == Stmt::Kind::kLoop && s.loop_kind == LoopKind::kVector) lanes = std::max(lanes, s.width);
    lanes = std::max(lanes, Lanes(s.body));
  }
  return lanes;
}

// Kinds that say more themselves have a line already.
std::string KindText(const Context& c) {
  const KernelPlan& plan = c.kernel_plan;
  const auto operand = [&](size_t k) { return c.f.type(c.f.producer(plan.root)->operands[k]).ToString(); };
  switch (plan.kind()) {
    case KernelKind::kMap: {
      const int64_t lanes = Lanes(c.kernel.body);
      return StrCat("map of ", plan.nodes, plan.nodes == 1 ? " op over " : " ops over ",
                    c.f.type(plan.epilogue[0]).ToString(), lanes > 1 ? StrCat(", ", lanes, " elements a step") : "");
    }
    case KernelKind::kReduce:
      if (c.f.producer(plan.root)->op == ir::Op::kContract) {
        return StrCat("sums of a product's blocks to ", c.f.type(plan.root).ToString());
      }
      return StrCat("reduction of ", operand(0), " to ", c.f.type(plan.root).ToString(),
                    plan.LeavesRoot()           ? ", block by block"
                    : plan.BeginsWith().valid() ? ", of partial sums that another kernel makes"
                                                : "");
    case KernelKind::kScatter: return StrCat("scatter of ", operand(2), " into ", operand(0));
    case KernelKind::kUpdate:
      if (c.f.producer(plan.root)->op == ir::Op::kPad) {
        return StrCat("border of ", c.f.type(plan.root).ToString(), " around ", operand(0));
      }
      return StrCat("update of a part ", operand(1), " of ", operand(0));
    case KernelKind::kScan: return StrCat("recurrence over ", operand(0));
    case KernelKind::kSort: {
      const ir::Node& sort = SortOf(c.f, plan);
      const std::string part =
          sort.result() == plan.root ? "" : StrCat("the first of each, ", c.f.type(plan.root).ToString(), ", of a ");
      return StrCat(part, "sort of rows of ", c.f.type(sort.operands[0]).ToString());
    }
    default: return "";
  }
}

std::string ApartText(const Context& c) {
  const KernelPlan& plan = c.kernel_plan;
  if (plan.apart == Apart::kNone || !plan.apart_from.valid()) return "";
  const std::string from = Text(c.f, plan.apart_from);
  switch (plan.apart) {
    case Apart::kWhole: return StrCat("apart: needs all of ", from, " before it begins");
    case Apart::kClosed: return StrCat("apart: the kernel of ", from, " takes nothing in");
    case Apart::kElsewhere: return StrCat("apart: reads other elements of ", from, " than it computes");
    case Apart::kRoots: return StrCat("apart: the kernel of ", from, " has its reduction or product");
    case Apart::kLarge: return StrCat("apart: the kernel of ", from, " has as many ops as one may have");
    case Apart::kBetween: return StrCat("apart: another kernel must run between it and that of ", from);
    default: return "apart: at level 0 each op is a kernel";
  }
}

std::string StoredText(const Context& c, Value v) {
  const auto i = static_cast<size_t>(v.id);
  const PlanGraph& g = c.plan;
  if (i >= g.why.size()) {
    const std::vector<PartialReduction> partials = c.kernel_plan.Partials();
    const bool blocks = std::count(partials.begin(), partials.end(), PartialReduction{c.kernel_plan.root, v}) > 0;
    return StrCat(Text(c.f, v), " stored: ", blocks ? "results of blocks" : "partial sums of rows");
  }
  std::string why;
  switch (g.why[i]) {
    case Why::kResult: why = "a result"; break;
    case Why::kRoot: why = "other loops read it"; break;
    case Why::kRead: why = StrCat("read by ", g.readers[i], " ops, and costs ", g.cost[i], " to compute again"); break;
    case Why::kRepeated: why = StrCat("its readers repeat it, and it costs ", g.cost[i], " to compute again"); break;
    case Why::kLong: why = "a longer expression would compile slowly"; break;
    case Why::kJoined: why = "each of its parts has a loop of its own"; break;
    case Why::kOperand: why = "its reader loads it from memory"; break;
    default: why = "level 0 stores all";
  }
  return StrCat(Text(c.f, v), " stored: ", why);
}

}  // namespace

void Explain(const ir::Function& f, const PlanGraph& plan, int index, Kernel* kernel) {
  const KernelPlan& kernel_plan = plan.kernels[static_cast<size_t>(index)];
  const Context c{f, plan, kernel_plan, *kernel};
  std::vector<std::string>& why = kernel->why;
  const auto add = [&why](std::string line) {
    if (!line.empty()) why.push_back(std::move(line));
  };
  add(KindText(c));
  if (!kernel->schedule.empty()) add(StrCat("schedule: ", kernel->schedule));
  add(ApartText(c));
  std::vector<Value> stored;
  for (const auto* list : {&kernel_plan.producer, &kernel_plan.epilogue}) {
    for (Value v : *list) {
      if (c.Stored(v)) stored.push_back(v);
    }
  }
  if (kernel_plan.root.valid() && c.Stored(kernel_plan.root)) stored.push_back(kernel_plan.root);
  for (const auto& [root, to] : kernel_plan.Partials()) stored.push_back(to);
  for (size_t i = 0; i < std::min(stored.size(), kMaxResults); ++i) add(StoredText(c, stored[i]));
  if (stored.size() > kMaxResults) add(StrCat("and ", stored.size() - kMaxResults, " more"));
}

}  // namespace reel::codegen
