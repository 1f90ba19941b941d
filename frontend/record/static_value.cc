#include "frontend/record/static_value.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/eager/dispatch.h"
#include "frontend/record/event_log.h"
#include "ir/hash_map.h"
#include "runtime/per_thread.h"

namespace reel::internal {
namespace {

constexpr int64_t kMostBytes = 1 << 16;
constexpr size_t kMostOps = 256;

struct Innermost {
  const StaticLogScope* scope = nullptr;
};

bool IsSmall(const Type& type) { return type.shape.is_constant() && type.bytes() <= kMostBytes; }

// An op that gives the same elements for the same operands, whenever it runs.
bool IsPure(const LogEvent& e) {
  return e.kind == LogEvent::Kind::kOp && !ir::Info(e.op).Has(ir::kControl) &&
         std::ranges::all_of(e.result_types, IsSmall);
}

// Steps of a computation whose inputs are constants; latest first.
struct Plan {
  std::vector<const LogEvent*> events;
  HashMap<uint64_t, Tensor> values;
};

std::optional<Plan> PlanFor(const Tensor& x, const std::vector<const EventLog*>& logs) {
  Plan plan;
  HashSet<uint64_t> wanted = {x.id()};
  for (const EventLog* log : logs) {
    for (size_t i = log->events().size(); i-- > 0 && !wanted.empty();) {
      const LogEvent& e = log->events()[i];
      if (std::ranges::none_of(e.results, [&](uint64_t id) { return wanted.contains(id); })) continue;
      if (!IsPure(e) || plan.events.size() == kMostOps) return std::nullopt;
      for (const uint64_t id : e.results) wanted.erase(id);
      for (const uint64_t id : e.operands) {
        const Tensor* captured = log->Captured(id);
        if (!captured || captured->symbolic()) {
          wanted.insert(id);
        } else if (IsSmall(captured->type())) {
          plan.values.emplace(id, *captured);
        } else {
          return std::nullopt;
        }
      }
      plan.events.push_back(&e);
    }
  }
  if (!wanted.empty()) return std::nullopt;
  return plan;
}

}  // namespace

StaticLogScope::StaticLogScope(const EventLog* log)
    : log_(log), outer_(std::exchange(runtime::PerThread<Innermost>().scope, this)) {}
StaticLogScope::~StaticLogScope() { runtime::PerThread<Innermost>().scope = outer_; }

Tensor StaticValue(const Tensor& x) {
  if (!x.symbolic()) return x;
  if (!IsSmall(x.type())) return {};
  std::vector<const EventLog*> logs;
  for (const StaticLogScope* s = runtime::PerThread<Innermost>().scope; s; s = s->outer_) logs.push_back(s->log_);
  std::optional<Plan> plan = PlanFor(x, logs);
  if (!plan) return {};
  const SuspendScope nothing_listens;
  for (size_t i = plan->events.size(); i-- > 0;) {
    const LogEvent& e = *plan->events[i];
    std::vector<Tensor> operands;
    for (const uint64_t id : e.operands) operands.push_back(plan->values.at(id));
    const TensorList results = DispatchAll(e.op, e.attributes, operands);
    for (size_t k = 0; k < e.results.size(); ++k) plan->values[e.results[k]] = results[k];
  }
  return plan->values.at(x.id());
}

}  // namespace reel::internal
