#include <algorithm>
#include <map>

#include "frontend/autodiff/custom_gradient.h"
#include "frontend/autodiff/tape.h"
#include "frontend/values/location.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"

// What a tape says about itself: why a gradient is None, and what it has recorded.

namespace reel::internal {
namespace {

constexpr size_t kMaxReasons = 3;

std::string At(SourceLine line) { return line.file ? StrCat(" at ", line.file, ":", line.line) : ""; }

// Followed or not: what ran, by the ids of its values.
struct Step {
  const TapeEntry* entry;      // null if it was not followed
  const UnfollowedOp* missed;  // null if it was
  absl::Span<const uint64_t> operands, results;
  SourceLine line() const { return entry ? entry->line : missed->line; }
};

class Explanation {
 public:
  Explanation(absl::Span<const TapeEntry> entries, const std::deque<UnfollowedOp>& missed,
              const HashSet<uint64_t>& followed, const TapeOptions& options, std::string end)
      : followed_(followed), options_(options), end_(std::move(end)) {
    for (const TapeEntry& e : entries) steps_.push_back({&e, nullptr, e.operands, e.results});
    for (const UnfollowedOp& m : missed) steps_.push_back({nullptr, &m, m.operands, m.results});
    std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
      return a.results.front() < b.results.front();  // ids grow
    });
    for (size_t i = 0; i < steps_.size(); ++i) {
      for (uint64_t id : steps_[i].results) producer_[id] = i;
    }
  }

  std::string Explain(const Source& target, const Source& source) {
    MarkBehind(target.id());
    for (const auto& [what, end] : {std::pair("source", &source), std::pair("target", &target)}) {
      if (IsDifferentiable(end->type().dtype)) continue;
      return StrCat("the ", what, Made(*end), " is ", end->type().ToString(),
                    ": only floating and complex tensors have gradients; Cast it", Before(*end));
    }
    if (!behind_.contains(source.id())) return NotConnected(target, source);
    if (!followed_.contains(source.id())) return NotWatched(source);
    return Cut(target, source);
  }

 private:
  // " (mul at file:line)" if the tape saw it made.
  std::string Made(const Source& end) const {
    if (end.is_variable()) return StrCat(" '", end.variable().name(), "'");
    const auto it = producer_.find(end.id());
    return it == producer_.end() ? "" : StrCat(" (", Describe(steps_[it->second]), ")");
  }
  std::string Describe(const Step& step) const {
    const ir::Op op = step.entry ? step.entry->op : step.missed->op;
    const bool custom = step.entry && step.entry->custom;
    return StrCat(custom ? step.entry->custom->name : ir::Name(op), At(step.line()));
  }

  // Everything that the target was computed from.
  void MarkBehind(uint64_t target) {
    std::vector<uint64_t> work = {target};
    while (!work.empty()) {
      const uint64_t id = work.back();
      work.pop_back();
      if (!behind_.insert(id).second) continue;
      const auto it = producer_.find(id);
      if (it == producer_.end()) continue;
      for (uint64_t operand : steps_[it->second].operands) work.push_back(operand & ~kDetached);
    }
  }

  std::string NotConnected(const Source& target, const Source& source) const {
    const bool read = std::any_of(steps_.begin(), steps_.end(), [&](const Step& s) {
      return std::any_of(s.operands.begin(), s.operands.end(),
                         [&](uint64_t id) { return (id & ~kDetached) == source.id(); });
    });
    if (!target.is_variable() && !producer_.contains(target.id())) {
      return StrCat(
          "the target was not computed while the tape recorded: it is older than the tape, "
          "from another thread, or was computed after the tape stopped",
          end_, "; compute it while the tape records");
    }
    if (source.is_variable() && !read) {
      return StrCat("variable '", source.variable().name(),
                    "' was not read while the tape recorded: what was computed from it before is a "
                    "constant to the tape; read it inside");
    }
    return StrCat("the target", Made(target), " was not computed from the source",
                  source.is_variable() ? Made(source) : "",
                  "; what is assigned to a variable, or computed outside of Reel, is a constant to the tape");
  }

  // " before mul at file:line": the first op on the way that used it.
  std::string Before(const Source& source) const {
    const auto use = std::find_if(steps_.begin(), steps_.end(), [&](const Step& s) {
      return std::any_of(s.operands.begin(), s.operands.end(),
                         [&](uint64_t id) { return (id & ~kDetached) == source.id(); }) &&
             std::any_of(s.results.begin(), s.results.end(), [&](uint64_t id) { return behind_.contains(id); });
    });
    return use == steps_.end() ? "" : StrCat(" before ", Describe(*use));
  }

  std::string NotWatched(const Source& source) const {
    const std::string where = Before(source);
    if (source.is_variable()) {
      const std::string name = StrCat("variable '", source.variable().name(), "'");
      if (!source.variable().trainable()) {
        return StrCat(name, " is not trainable, so reading it does not watch it; Watch it", where);
      }
      if (!options_.watch_accessed_variables) {
        return StrCat(name,
                      " is not watched: the tape was made with watch_accessed_variables = "
                      "false; Watch it",
                      where);
      }
      return StrCat(name, " was read while recording was stopped; read it outside of StopRecording");
    }
    return StrCat("the source", Made(source), " was not watched; Watch it", where,
                  "; only variables are watched when they are read, and what is computed from one is a tensor");
  }

  // The source is followed: where do all paths end?
  std::string Cut(const Source& target, const Source& source) {
    HashSet<uint64_t> reached = {source.id()};
    for (const Step& s : steps_) {
      if (!s.entry ||
          std::none_of(s.operands.begin(), s.operands.end(), [&](uint64_t id) { return reached.contains(id); })) {
        continue;
      }
      if (NoneFrom(s, reached)) continue;
      for (uint64_t id : s.results) {
        if (followed_.contains(id)) reached.insert(id);
      }
    }
    if (reached.contains(target.id())) {
      return StrCat("nothing: the target", Made(target), " has a gradient by the source");
    }
    std::string out;
    size_t reasons = 0;
    for (const Step& s : steps_) {
      const bool leads = std::any_of(s.results.begin(), s.results.end(),
                                     [&](uint64_t id) { return behind_.contains(id) && !reached.contains(id); });
      const bool uses = std::any_of(s.operands.begin(), s.operands.end(),
                                    [&](uint64_t id) { return reached.contains(id & ~kDetached); });
      if (!leads || !uses || ++reasons > kMaxReasons) continue;
      StrAppend(&out, out.empty() ? "" : "; ", Reason(s));
    }
    if (reasons > kMaxReasons) StrAppend(&out, "; and ", reasons - kMaxReasons, " more");
    return out;
  }

  // Whether the user's gradient returned None for all the operands that are reached.
  static bool NoneFrom(const Step& s, const HashSet<uint64_t>& reached) {
    if (!s.entry->custom || s.entry->custom->none.empty()) return false;
    for (size_t i = 0; i < s.operands.size(); ++i) {
      if (reached.contains(s.operands[i]) && !s.entry->custom->none[i]) return false;
    }
    return true;
  }

  std::string Reason(const Step& s) const {
    const std::string what = Describe(s);
    if (s.entry && s.entry->custom && !s.entry->custom->none.empty())
      return StrCat(what, ": ", s.entry->custom->why_none);
    if (s.entry || (!s.missed->stopped && passes::HasGradient(s.missed->op) && IsDifferentiable(s.missed->dtype))) {
      return StrCat(what, " ran before the source was watched; Watch it earlier");
    }
    if (s.missed->stopped) return StrCat(what, " ran while recording was stopped");
    if (s.missed->op == ir::Op::kStopGradient) return StrCat(what, " cuts the path");
    if (!IsDifferentiable(s.missed->dtype))
      return StrCat(what, " gives ", ::reel::Name(s.missed->dtype), ", which carries no gradient");
    return StrCat(what, " has no gradient: its derivative is zero wherever there is one");
  }

  const HashSet<uint64_t>& followed_;
  const TapeOptions& options_;
  std::string end_;
  std::vector<Step> steps_;  // in the order in which they ran
  HashMap<uint64_t, size_t> producer_;
  HashSet<uint64_t> behind_;
};

std::string Bytes(int64_t n) {
  return n < 1024 ? StrCat(n, " B") : n < (1 << 20) ? StrCat(n >> 10, " KiB") : StrCat(n >> 20, " MiB");
}

}  // namespace

std::string TapeCore::ExplainNone(const Source& target, const Source& source) {
  const std::lock_guard lock(mutex_);
  return Explanation(entries_, missed_, on_tape_, options_, At(end_)).Explain(target, source);
}

std::string TapeCore::Summary() {
  const std::lock_guard lock(mutex_);
  struct Row {
    int64_t count = 0, bytes = 0;
  };
  std::map<std::string, Row> rows;  // by op and line
  HashSet<uint64_t> seen;
  Row total;
  for (const TapeEntry& e : entries_) {
    const bool read = e.op == ir::Op::kIdentity && variables_.contains(e.operands[0]);
    const std::string_view name = e.custom ? e.custom->name : read ? "read" : ir::Name(e.op);
    Row& row = rows[StrCat(name, At(e.line))];
    ++row.count;
    ++total.count;
    const auto keep = [&](const Tensor& t) {
      if (!t.defined() || !seen.insert(t.id()).second) return;
      row.bytes += t.type().bytes();
      total.bytes += t.type().bytes();
    };
    for (const Tensor& t : e.kept) keep(t);
    if (!e.custom) continue;
    for (const Tensor& t : e.custom->held) keep(t);
  }
  std::string out = StrCat("GradientTape: ", recording() ? "recording" : "stopped",
                           options_.persistent ? ", persistent" : "", "; ", total.count, " ops, ", seen.size(),
                           " tensors of ", Bytes(total.bytes), " kept, ", variables_.size(), " variables watched\n");
  for (const auto& [id, v] : variables_) StrAppend(&out, "  variable '", v->name, "' ", v->type.ToString(), "\n");
  for (const auto& [what, row] : rows) {
    StrAppend(&out, "  ", what, ": ", row.count, row.count == 1 ? " op" : " ops");
    if (row.bytes > 0) StrAppend(&out, ", keeps ", Bytes(row.bytes));
    out += "\n";
  }
  return out;
}

}  // namespace reel::internal
