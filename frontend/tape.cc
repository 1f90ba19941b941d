#include "frontend/tape.h"

#include <algorithm>
#include <cstdio>

#include "frontend/custom_gradient.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "reel/tape.h"

namespace reel {
namespace internal {

void PushSink(std::shared_ptr<EventSink> sink) { State().sinks.push_back(std::move(sink)); }

bool PopSink(const EventSink* sink) {
  auto& sinks = State().sinks;
  const bool last = !sinks.empty() && sinks.back().get() == sink;
  sinks.erase(
      std::remove_if(sinks.begin(), sinks.end(), [&](const auto& s) { return s.get() == sink; }),
      sinks.end());
  return last;
}

PauseTapesScope::PauseTapesScope() {
  for (const auto& sink : State().sinks) {
    auto tape = std::dynamic_pointer_cast<TapeCore>(sink);
    if (!tape) continue;
    tape->Pause();
    tapes_.push_back(std::move(tape));
  }
}
PauseTapesScope::~PauseTapesScope() {
  for (const auto& tape : tapes_) tape->Resume();
}

void TapeCore::OnOp(const OpEvent& event) {
  const std::lock_guard lock(mutex_);
  if (!passes::HasGradient(event.op)) return;
  uint32_t wanted = 0;  // operands that are followed; bit 31 stands for all from the 32nd on
  for (size_t i = 0; i < event.operands.size(); ++i) {
    if (on_tape_.contains(event.operands[i].id())) wanted |= 1u << std::min<size_t>(i, 31);
  }
  if (wanted == 0) return;
  bool followed = false;
  for (const Tensor& y : event.results) {
    if (!IsDifferentiable(y.dtype())) continue;
    on_tape_.insert(y.id());
    followed = true;
  }
  if (followed) entries_.push_back(MakeEntry(event, wanted));
}

void TapeCore::OnCustom(const CustomEvent& event) {
  const std::lock_guard lock(mutex_);
  std::vector<bool> followed;
  for (const Tensor& x : event.operands) followed.push_back(on_tape_.contains(x.id()));
  for (const VariablePtr& v : event.custom->variables) followed.push_back(WatchRead(v));
  if (std::find(followed.begin(), followed.end(), true) == followed.end()) return;
  for (const Tensor& y : event.results) {
    if (IsDifferentiable(y.dtype())) on_tape_.insert(y.id());
  }
  entries_.push_back(MakeCustomEntry(event, followed));
}

bool TapeCore::WatchRead(const VariablePtr& variable) {
  if (!IsDifferentiable(variable->type.dtype)) return false;
  const bool watched = on_tape_.contains(variable->id);
  if (!watched && !(variable->trainable && options_.watch_accessed_variables)) return false;
  variables_.emplace(variable->id, variable);
  on_tape_.insert(variable->id);
  return true;
}

void TapeCore::OnRead(const VariablePtr& variable, const Tensor& value, SourceLine line) {
  const std::lock_guard lock(mutex_);
  if (!WatchRead(variable)) return;
  on_tape_.insert(value.id());
  entries_.push_back(MakeReadEntry(variable, value, line));
}

void TapeCore::Watch(const Source& source) {
  if (!IsDifferentiable(source.type().dtype)) {
    static std::atomic<int> warnings{0};
    if (warnings.fetch_add(1) < 5) {
      std::fprintf(stderr, "reel: watch: %s cannot be differentiated, only floats can\n",
                   source.type().ToString().c_str());
    }
    return;
  }
  const std::lock_guard lock(mutex_);
  on_tape_.insert(source.id());
  if (source.is_variable()) variables_.emplace(source.id(), source.variable().internal_data());
}

std::vector<Variable> TapeCore::WatchedVariables() {
  const std::lock_guard lock(mutex_);
  std::vector<Variable> out;
  for (const auto& [id, variable] : variables_) out.push_back(Variable(variable));
  return out;
}

GradientList TapeCore::Gradient(const Targets& targets, const Sources& sources,
                                const GradientOptions& options) {
  GradientRequest request = MakeRequest(targets, sources, options);
  std::vector<TapeEntry> entries;
  {
    const std::lock_guard lock(mutex_);
    if (used_) {
      ThrowError(ErrorCode::kFailedPrecondition,
                 "A non-persistent GradientTape can only be used to compute one set of gradients; "
                 "construct it "
                 "with {.persistent = true} to call Gradient again");
    }
    // What the tape never followed is not connected; sources stay, since a target may be its own
    // source.
    const auto followed = [&](uint64_t id) {
      return on_tape_.contains(id) ||
             std::any_of(request.sources.begin(), request.sources.end(),
                         [id](const GradientEnd& x) { return x.id == id; });
    };
    for (size_t i = request.targets.size(); i-- > 0;) {
      if (followed(request.targets[i].id)) continue;
      request.targets.erase(request.targets.begin() + static_cast<std::ptrdiff_t>(i));
      if (!request.seeds.empty())
        request.seeds.erase(request.seeds.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (options_.persistent) {
      entries = entries_;  // the backward may be recorded here too
    } else {
      used_ = true;
      recording_ = false;
      entries = std::exchange(entries_, {});
      on_tape_.clear();
    }
  }
  return MakeGradientList(sources, RunGradient(entries, request));
}

void TapeCore::Reset() {
  if (!listening()) {
    ThrowError(ErrorCode::kFailedPrecondition,
               "reset: the tape is not recording; construct a new one");
  }
  const std::lock_guard lock(mutex_);
  entries_.clear();
  on_tape_.clear();
  variables_.clear();
}

}  // namespace internal

GradientTape::GradientTape(TapeOptions options)
    : core_(std::make_shared<internal::TapeCore>(options)) {
  internal::PushSink(core_);
}

GradientTape::~GradientTape() {
  core_->Stop();
  if (internal::PopSink(core_.get())) return;
  std::fputs(
      "reel: a GradientTape was not destroyed in reverse order of construction on its thread; it "
      "is detached\n",
      stderr);
}

void GradientTape::Watch(const Sources& sources) {
  for (const Source& source : sources.list()) core_->Watch(source);
}

std::vector<Variable> GradientTape::WatchedVariables() const { return core_->WatchedVariables(); }

GradientList GradientTape::Gradient(const Targets& target, const Sources& sources,
                                    GradientOptions options, std::source_location location) {
  const internal::LocationScope scope(location);
  return core_->Gradient(target, sources, options);
}

void GradientTape::Reset() { core_->Reset(); }
void GradientTape::Stop() { core_->Stop(); }
bool GradientTape::recording() const { return core_->listening(); }

GradientTape::StopScope GradientTape::StopRecording() {
  if (!core_->recording()) {
    internal::ThrowError(ErrorCode::kFailedPrecondition,
                         "Trying to stop recording a tape which is not recording.");
  }
  return StopScope(core_);
}

GradientTape::StopScope::StopScope(std::shared_ptr<internal::TapeCore> core)
    : core_(std::move(core)) {
  core_->Pause();
}
GradientTape::StopScope::~StopScope() {
  if (core_) core_->Resume();
}

TapeScope::TapeScope(const GradientTape& tape) : core_(tape.internal_core()) {
  internal::PushSink(core_);
}
TapeScope::~TapeScope() { internal::PopSink(core_.get()); }

const Tensor& GradientList::Dense(size_t i) const {
  if (i >= entries_.size()) {
    internal::ThrowError(ErrorCode::kOutOfRange,
                         StrCat("gradient ", i, " of ", entries_.size(), " does not exist"));
  }
  const GradientEntry& entry = entries_[i];
  if (!entry.gradient) {
    internal::ThrowError(ErrorCode::kNotFound,
                         StrCat("source ", i, " of type ", entry.source.type().ToString(),
                                " has no gradient: the target does not depend on it; ask for "
                                "UnconnectedGradients::kZero to get zeros"));
  }
  return *entry.gradient;
}

}  // namespace reel
