#include "codegen/plan/text.h"

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>

#include "ir/strings.h"
#include "ir/text/token_reader.h"

namespace reel::codegen {
namespace {

using ir::Tok;
using ir::Value;

constexpr std::string_view kWhyNames[] = {"none", "result", "root", "read", "repeated", "long", "operand", "unfused"};
constexpr std::string_view kApartNames[] = {"none",  "whole", "closed",  "elsewhere",
                                            "roots", "large", "between", "unfused"};
constexpr std::string_view kStageNames[] = {"whole", "partial", "final"};
constexpr int64_t kMaxKernelKinds = std::variant_size_v<KernelDetail>;
constexpr int64_t kMaxValues = int64_t{1} << 24;  // of a text: more is no plan of ours

template <typename Enum, size_t kSize>
std::string_view NameOf(const std::string_view (&names)[kSize], Enum e) {
  return names[static_cast<size_t>(e)];
}

// visit(name, field) for all of a kernel, which may be const.
template <typename Kernel, typename Visit>
void VisitKernel(Kernel* k, const Visit& visit) {
  visit("root", k->root);
  VisitFields(&k->detail, visit);
  visit("producer", k->producer);
  visit("epilogue", k->epilogue);
  visit("reads", k->inputs);
  visit("nodes", k->nodes);
  visit("last", k->last);
  visit("apart", k->apart);
  visit("from", k->apart_from);
}

class PlanPrinter {
 public:
  PlanPrinter(const ir::Function& f, const PlanGraph& plan) : f_(f), plan_(plan) {}

  std::string Run() {
    StrAppend(&out_, "plan @", f_.name(), " {\n");
    for (size_t k = 0; k < plan_.kernels.size(); ++k) PrintKernel(k, plan_.kernels[k]);
    StrAppend(&out_, "  values ", plan_.stored.size(), " planned ", plan_.why.size(), "\n");
    for (size_t v = 0; v < plan_.stored.size(); ++v) PrintValue(v);
    return std::move(out_ += "}\n");
  }

 private:
  // What has nothing to say is left out.
  void Add(std::string_view name, std::integral auto n) { StrAppend(&out_, " ", name, "=", n); }
  void Add(std::string_view name, ReduceKernel::Stage stage) {
    StrAppend(&out_, " ", name, "=", NameOf(kStageNames, stage));
  }
  void Add(std::string_view name, Apart apart) {
    if (apart != Apart::kNone) StrAppend(&out_, " ", name, "=", NameOf(kApartNames, apart));
  }
  void Add(std::string_view name, Value v) {
    if (v.valid()) StrAppend(&out_, " ", name, "=%", v.id);
  }
  void Add(std::string_view name, const std::optional<PartialReduction>& reduction) {
    if (reduction) Add(name, std::vector{*reduction});
  }
  template <typename T>
  void Add(std::string_view name, const std::vector<T>& list) {
    if (list.empty()) return;
    StrAppend(&out_, " ", name, "=[");
    for (const T& x : list) {
      if (&x != list.data()) out_ += ", ";
      Show(x);
    }
    out_ += "]";
  }
  void Show(int64_t n) { StrAppend(&out_, n); }
  void Show(Value v) { StrAppend(&out_, "%", v.id); }
  void Show(const PartialReduction& r) { StrAppend(&out_, "%", r.root.id, " -> %", r.to.id); }

  void PrintKernel(size_t number, const KernelPlan& kernel) {
    StrAppend(&out_, "  ", KindName(kernel.kind()));
    VisitKernel(&kernel, [this](std::string_view name, const auto& field) { Add(name, field); });
    StrAppend(&out_, "  // #", number);
    kernel.VisitMembers([this](Value v) {
      if (const ir::Node* node = f_.producer(v)) StrAppend(&out_, " ", Name(node->op));
    });
    const Value shown = kernel.root.valid() ? kernel.root : kernel.epilogue.empty() ? Value() : kernel.epilogue[0];
    if (shown.valid()) StrAppend(&out_, ": ", f_.type(shown).ToString());
    out_ += "\n";
  }

  void PrintValue(size_t v) {
    StrAppend(&out_, "  %", v, ":");
    if (plan_.materialized[v]) out_ += " made";
    if (plan_.stored[v]) out_ += " stored";
    if (plan_.kernel_of[v] >= 0) Add("kernel", plan_.kernel_of[v]);
    if (const auto& view = plan_.views[v]) {
      Add("view", view->base);
      Add("offset", view->offset);
      Add("strides", view->strides);
    }
    if (v < plan_.why.size()) {
      StrAppend(&out_, " why=", NameOf(kWhyNames, plan_.why[v]), " readers=", plan_.readers[v],
                " cost=", plan_.cost[v]);
    }
    out_ += "\n";
  }

  const ir::Function& f_;
  const PlanGraph& plan_;
  std::string out_;
};

class PlanParser {
 public:
  PlanParser(std::string_view text, std::string_view file_name) : r_(text, file_name) {}

  absl::StatusOr<PlanGraph> Run() {
    std::string name;
    if (r_.ExpectWord("plan") && r_.ReadName(Tok::kGlobal, "the function's name", &name) && r_.Expect('{')) Body();
    if (!r_.status().ok()) return r_.status();
    return std::move(plan_);
  }

 private:
  void Body() {
    while (!r_.AtWord("values")) {
      if (!Kernel()) return;
    }
    int64_t values = 0, planned = 0;
    r_.Advance();
    if (!Number(&values) || !r_.ExpectWord("planned") || !Number(&planned)) return;
    if (values < 0 || values > kMaxValues || planned < 0 || planned > values)
      return void(r_.Fail("as many values as a function has"));
    const auto n = static_cast<size_t>(values), m = static_cast<size_t>(planned);
    plan_.materialized.assign(n, false);
    plan_.stored.assign(n, false);
    plan_.kernel_of.assign(n, -1);
    plan_.views.resize(n);
    plan_.why.assign(m, Why::kNone);
    plan_.readers.assign(m, 0);
    plan_.cost.assign(m, 0);
    while (r_.At(Tok::kValue)) {
      if (!ValueLine()) return;
    }
    if (r_.Expect('}')) r_.Expect(Tok::kEnd, "the end");
  }

  template <typename T>
  bool Number(T* out) {
    int64_t n = 0;
    if (!r_.ReadInt("a number", &n)) return false;
    if (!std::in_range<T>(n)) return r_.Fail("a smaller number");
    *out = static_cast<T>(n);
    return true;
  }
  bool Read(std::integral auto* n) { return Number(n); }
  bool Read(Apart* apart) { return Name(kApartNames, apart); }
  bool Read(ReduceKernel::Stage* stage) { return Name(kStageNames, stage); }
  bool Read(Value* v) {
    *v = {r_.token().number};
    return r_.Expect(Tok::kValue, "a value");
  }
  bool Read(PartialReduction* r) { return Read(&r->root) && r_.Expect(Tok::kArrow, "->") && Read(&r->to); }
  bool Read(std::optional<PartialReduction>* out) {
    std::vector<PartialReduction> list;
    if (!Read(&list)) return false;
    if (list.size() != 1) return r_.Fail("one reduction");
    *out = list[0];
    return true;
  }
  template <typename T>
  bool Read(std::vector<T>* out) {
    if (!r_.Expect('[')) return false;
    if (r_.Accept(']')) return true;
    do {
      if (!Read(&out->emplace_back())) return false;
    } while (r_.Accept(','));
    return r_.Expect(']');
  }
  template <typename Enum, size_t kSize>
  bool Name(const std::string_view (&names)[kSize], Enum* out) {
    for (size_t i = 0; i < kSize; ++i) {
      if (r_.AcceptWord(names[i])) return *out = static_cast<Enum>(i), true;
    }
    return r_.Fail(StrCat("one of ", Join(names)));
  }

  static std::string Join(absl::Span<const std::string_view> names) {
    std::string all;
    for (std::string_view name : names) StrAppend(&all, all.empty() ? "" : ", ", name);
    return all;
  }

  bool Kernel() {
    KernelPlan kernel;
    int64_t kind = 0;
    while (kind < kMaxKernelKinds && !r_.AtWord(KindName(static_cast<KernelKind>(kind)))) ++kind;
    if (kind == kMaxKernelKinds) return r_.Fail("a kernel or `values`");
    r_.Advance();
    kernel.detail = DetailOf(static_cast<KernelKind>(kind));
    while (r_.At(Tok::kWord)) {
      const size_t begin = r_.token().begin;
      const std::string name(r_.token().name);
      r_.Advance();
      if (!r_.At('=')) {  // the next kernel
        r_.Seek(begin);
        break;
      }
      r_.Advance();
      if (!Field(name, &kernel)) return false;
    }
    plan_.kernels.push_back(std::move(kernel));
    return true;
  }

  bool Field(std::string_view name, KernelPlan* kernel) {
    bool known = false, ok = true;
    VisitKernel(kernel, [&](std::string_view field, auto& value) {
      if (field != name) return;
      known = true;
      ok = Read(&value);
    });
    if (known) return ok;
    return r_.FailWith(absl::InvalidArgumentError(StrCat(KindName(kernel->kind()), " has no ", name)));
  }

  bool ValueLine() {
    const auto v = static_cast<size_t>(r_.token().number);
    if (v >= plan_.stored.size()) return r_.Fail(StrCat("a value below %", plan_.stored.size()));
    r_.Advance();
    if (!r_.Expect(':')) return false;
    const auto number = [&](auto* out) { return r_.Expect('=') && Number(out); };
    View view;
    while (r_.At(Tok::kWord)) {
      const bool planned = v < plan_.why.size();
      bool ok = true;
      if (r_.AcceptWord("made")) {
        plan_.materialized[v] = true;
      } else if (r_.AcceptWord("stored")) {
        plan_.stored[v] = true;
      } else if (r_.AcceptWord("kernel")) {
        ok = number(&plan_.kernel_of[v]);
      } else if (r_.AcceptWord("view")) {
        ok = r_.Expect('=') && Read(&view.base) && r_.ExpectWord("offset") && number(&view.offset);
        if (ok && r_.AcceptWord("strides")) ok = r_.Expect('=') && Read(&view.strides);
        plan_.views[v] = view;
      } else if (planned && r_.AcceptWord("why")) {
        ok = r_.Expect('=') && Name(kWhyNames, &plan_.why[v]);
      } else if (planned && r_.AcceptWord("readers")) {
        ok = number(&plan_.readers[v]);
      } else if (planned && r_.AcceptWord("cost")) {
        ok = number(&plan_.cost[v]);
      } else {
        ok = r_.Fail("made, stored, kernel=, view=, why=, readers= or cost=");
      }
      if (!ok) return false;
    }
    return true;
  }

  ir::TokenReader r_;
  PlanGraph plan_;
};

}  // namespace

std::string Print(const ir::Function& function, const PlanGraph& plan) { return PlanPrinter(function, plan).Run(); }

absl::StatusOr<PlanGraph> ParsePlan(std::string_view text, std::string_view file_name) {
  return PlanParser(text, file_name).Run();
}

}  // namespace reel::codegen
