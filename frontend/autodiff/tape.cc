#include "frontend/autodiff/tape.h"

#include <algorithm>
#include <cstdio>

#include "frontend/autodiff/custom_gradient.h"
#include "frontend/values/status.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "reel/tape.h"
#include "runtime/per_thread.h"

namespace reel {
namespace internal {

void PushSink(std::shared_ptr<EventSink> sink) { State().sinks.push_back(std::move(sink)); }

bool PopSink(const EventSink* sink) {
  ThreadState* const state = runtime::FindPerThread<ThreadState>();  // a destructor asks, which may not throw
  if (state == nullptr) return false;
  auto& sinks = state->sinks;
  const bool last = !sinks.empty() && sinks.back().get() == sink;
  sinks.erase(std::remove_if(sinks.begin(), sinks.end(), [&](const auto& s) { return s.get() == sink; }), sinks.end());
  return last;
}

void TellTapes(const CustomEvent& event) {
  for (const auto& sink : State().sinks) {
    auto* tape = dynamic_cast<TapeCore*>(sink.get());
    if (tape && tape->listening()) tape->OnCustom(event);
  }
}

PauseTapesScope::PauseTapesScope() {
  for (const auto& sink : State().sinks) {
    auto tape = std::dynamic_pointer_cast<TapeCore>(sink);
    if (!tape) continue;
    tapes_.push_back(std::move(tape));
  }
  for (const auto& tape : tapes_) tape->Pause();
}
PauseTapesScope::~PauseTapesScope() {
  for (const auto& tape : tapes_) tape->Resume();
}

void TapeCore::OnOp(const OpEvent& event) {
  const std::lock_guard lock(mutex_);
  if (event.results.empty()) return;
  uint32_t wanted = 0;  // operands that are followed; bit 31 stands for all from the 32nd on
  for (size_t i = 0; i < event.operands.size(); ++i) {
    if (on_tape_.contains(event.operands[i].id())) wanted |= 1u << std::min<size_t>(i, 31);
  }
  bool followed = false;
  if (wanted != 0 && paused_ == 0 && passes::HasGradient(event.op)) {
    for (const Tensor& y : event.results) {
      if (!IsDifferentiable(y.dtype())) continue;
      on_tape_.insert(y.id());
      followed = true;
    }
  }
  if (followed) return Record(MakeEntry(event, wanted, &types_));
  UnfollowedOp op{event.op, paused_ != 0, event.results[0].dtype(), event.line, {}, {}};
  for (const Tensor& x : event.operands) op.operands.push_back(x.id());
  for (const Tensor& y : event.results) op.results.push_back(y.id());
  Miss(std::move(op));
}

void TapeCore::Record(TapeEntry entry) {
  entries_.push_back(std::move(entry));
  if (entries_.size() < next_drop_) return;
  DropDead();
  next_drop_ = std::max(kFirstDrop, 2 * entries_.size());  // linear in all
}

void TapeCore::DropDead() {
  HashMap<uint64_t, long> kept;  // handles that the tape itself holds
  for (const TapeEntry& entry : entries_) {
    for (const Tensor& t : entry.kept) ++kept[t.id()];
    if (!entry.custom) continue;
    for (const Tensor& t : entry.custom->held) {
      if (t.defined()) ++kept[t.id()];
    }
  }
  HashSet<uint64_t> needed;
  std::vector<bool> live(entries_.size());
  for (size_t e = entries_.size(); e-- > 0;) {
    const TapeEntry& entry = entries_[e];
    for (size_t i = 0; i < entry.results.size(); ++i) {
      const uint64_t id = entry.results[i];
      const auto own = kept.find(id);
      const long handles = entry.alive[i].use_count() - (own == kept.end() ? 0 : own->second);
      if (handles > 0 || needed.contains(id)) live[e] = true;
    }
    for (uint64_t id : entry.operands) {
      if (live[e]) needed.insert(id & ~kDetached);
    }
  }
  size_t next = 0;
  for (size_t e = 0; e < entries_.size(); ++e) {
    if (live[e]) {
      if (next != e) entries_[next] = std::move(entries_[e]);
      ++next;
    } else {
      for (uint64_t id : entries_[e].results) on_tape_.erase(id);
    }
  }
  entries_.resize(next);
}

void TapeCore::Miss(UnfollowedOp op) {
  constexpr size_t kMost = 65536;
  if (missed_.size() == kMost) missed_.pop_front();
  missed_.push_back(std::move(op));
}

void TapeCore::OnCustom(const CustomEvent& event) {
  const std::lock_guard lock(mutex_);
  if (paused_ != 0) return;
  std::vector<bool> followed;
  for (const Tensor& x : event.operands) followed.push_back(on_tape_.contains(x.id()));
  for (const VariablePtr& v : event.custom->variables) followed.push_back(WatchRead(v));
  if (std::find(followed.begin(), followed.end(), true) == followed.end()) return;
  for (const Tensor& y : event.results) {
    if (IsDifferentiable(y.dtype())) on_tape_.insert(y.id());
  }
  Record(MakeCustomEntry(event, followed, &types_));
}

void TapeCore::MarkFollowed(absl::Span<const Tensor> tensors, std::vector<bool>* followed) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (on_tape_.contains(tensors[i].id())) (*followed)[i] = true;
  }
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
  if (paused_ != 0 || !WatchRead(variable)) {
    return Miss({ir::Op::kIdentity, paused_ != 0, value.dtype(), line, {variable->id}, {value.id()}});
  }
  on_tape_.insert(value.id());
  Record(MakeReadEntry(variable, value, line, &types_));
}

void TapeCore::Watch(const Source& source) {
  if (!source.is_variable() && !source.tensor().defined())
    ThrowInvalid("watch: a null tensor; watch one that was computed, or a variable");
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

std::vector<TapeEntry> TapeCore::Borrow(GradientRequest* request) {
  const SourceLine line = UserLine();  // before the lock: it may wait for Python
  const std::lock_guard lock(mutex_);
  if (used_) {
    ThrowError(ErrorCode::kFailedPrecondition,
               "A non-persistent GradientTape can only be used to compute one set of gradients; "
               "construct it with {.persistent = true} to call Gradient again");
  }
  // What the tape never followed is not connected; sources stay, since a target may be its own
  // source.
  const auto followed = [&](uint64_t id) {
    return on_tape_.contains(id) || std::any_of(request->sources.begin(), request->sources.end(),
                                                [id](const GradientEnd& x) { return x.id == id; });
  };
  for (size_t i = request->targets.size(); i-- > 0;) {
    if (followed(request->targets[i].id)) continue;
    request->targets.erase(request->targets.begin() + static_cast<std::ptrdiff_t>(i));
    if (!request->seeds.empty()) request->seeds.erase(request->seeds.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (options_.persistent) return entries_;  // the backward may be recorded here too
  used_ = true;
  recording_ = false;
  end_ = line;
  return std::exchange(entries_, {});
}

void TapeCore::Return(std::vector<TapeEntry> entries) noexcept {
  if (options_.persistent) return;
  try {
    for (TapeEntry& entry : entries) {  // for explanations, without values
      entry.kept.clear();
      entry.alive.clear();
      entry.attributes.reset();
      if (entry.custom) entry.custom = entry.custom->WithoutValues();  // other tapes may have it too
    }
  } catch (const std::bad_alloc&) {
    entries.clear();  // nothing is explained
  }
  const std::lock_guard lock(mutex_);
  entries_ = std::move(entries);
}

std::vector<std::optional<GradientValue>> TapeCore::Gradient(const Targets& targets, const Sources& sources,
                                                             const GradientOptions& options, bool sparse) {
  GradientRequest request = MakeRequest(targets, sources, options);
  request.sparse = sparse;
  std::vector<TapeEntry> entries = Borrow(&request);
  try {
    auto gradients = RunGradient(entries, request);
    Return(std::move(entries));
    return gradients;
  } catch (...) {  // it may be asked again
    const std::lock_guard lock(mutex_);
    if (std::exchange(used_, false)) entries_ = std::move(entries);
    throw;
  }
}

void TapeCore::Start() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(used_, false)) {  // what is left is for explanations only
    entries_.clear();
    on_tape_.clear();
    variables_.clear();
  }
  recording_ = true;
}

void TapeCore::Stop() {
  const SourceLine line = UserLine();
  const std::lock_guard lock(mutex_);
  if (recording_) end_ = line;
  recording_ = false;
}

void TapeCore::Reset() {
  if (!recording()) {
    ThrowError(ErrorCode::kFailedPrecondition, "reset: the tape is not recording; construct a new one");
  }
  const std::lock_guard lock(mutex_);
  entries_.clear();
  missed_.clear();
  on_tape_.clear();
  variables_.clear();
}

GradientList MakeGradientList(const Sources& sources, std::vector<std::optional<GradientValue>> gradients) {
  std::vector<GradientEntry> entries;
  for (size_t i = 0; i < gradients.size(); ++i) {
    entries.push_back({sources.list()[i], std::move(gradients[i])});
  }
  return GradientList(std::move(entries));
}

}  // namespace internal

GradientTape::GradientTape(TapeOptions options) : core_(std::make_shared<internal::TapeCore>(options)) {
  internal::PushSink(core_);
}

GradientTape::~GradientTape() {
  core_->Stop();
  if (!attached_ || internal::PopSink(core_.get())) return;
  std::fputs(
      "reel: a GradientTape was not destroyed in reverse order of construction on its thread; it "
      "is detached\n",
      stderr);
}

void GradientTape::Watch(const Sources& sources) {
  if (sources.list().empty()) {
    std::fputs("reel: watch: the list is empty; a layer has no variables before its first call\n", stderr);
  }
  for (const Source& source : sources.list()) core_->Watch(source);
}

std::vector<Variable> GradientTape::WatchedVariables() const { return core_->WatchedVariables(); }

GradientList GradientTape::Gradient(const Targets& target, const Sources& sources, GradientOptions options,
                                    std::source_location location) {
  const internal::LocationScope scope(location);
  return internal::MakeGradientList(sources, core_->Gradient(target, sources, options, true));
}

std::optional<Tensor> GradientTape::DenseGradient(const Targets& target, const Source& source,
                                                  const GradientOptions& options, std::source_location location) {
  const internal::LocationScope scope(location);
  return core_->Gradient(target, Sources{source}, options, false)[0];
}

std::string GradientTape::ExplainNone(const Source& target, const Source& source) const {
  return core_->ExplainNone(target, source);
}
std::string GradientTape::Summary() const { return core_->Summary(); }

void GradientTape::Reset() { core_->Reset(); }
void GradientTape::Stop(std::source_location location) {
  const internal::LocationScope scope(location);
  core_->Stop();
  if (internal::PopSink(core_.get())) attached_ = false;  // else the destructor says what is wrong
}
void GradientTape::Start() {
  if (!core_->stopped()) internal::ThrowError(ErrorCode::kFailedPrecondition, "Tape is still recording; Stop it first");
  if (attached_) internal::PopSink(core_.get());  // it goes on as the innermost
  internal::PushSink(core_);
  attached_ = true;
  core_->Start();
}
bool GradientTape::recording() const { return core_->recording(); }

GradientTape::StopScope GradientTape::StopRecording() {
  if (core_->stopped()) {
    internal::ThrowError(ErrorCode::kFailedPrecondition, "Trying to stop recording a tape which is not recording.");
  }
  return StopScope(core_);
}

GradientTape::StopScope::StopScope(std::shared_ptr<internal::TapeCore> core) : core_(std::move(core)) {
  core_->Pause();
}
GradientTape::StopScope::~StopScope() {
  if (core_) core_->Resume();
}

TapeScope::TapeScope(const GradientTape& tape) : core_(tape.internal_core()) {
  for (const auto& sink : internal::State().sinks) {
    if (sink != core_) continue;
    internal::ThrowError(ErrorCode::kFailedPrecondition,
                         "Tape is still recording on this thread; a TapeScope is for another one");
  }
  internal::PushSink(core_);
}
TapeScope::~TapeScope() { internal::PopSink(core_.get()); }

Tensor GradientList::Dense(size_t i, std::source_location location) const {
  const internal::LocationScope scope(location);
  if (i >= entries_.size()) {
    internal::ThrowError(ErrorCode::kOutOfRange, StrCat("gradient ", i, " of ", entries_.size(), " does not exist"));
  }
  const GradientEntry& entry = entries_[i];
  if (!entry.gradient) {
    internal::ThrowError(ErrorCode::kNotFound,
                         StrCat("source ", i, " of type ", entry.source.type().ToString(), " has no gradient: ",
                                IsDifferentiable(entry.source.type().dtype)
                                    ? "the target does not depend on it; the tape's ExplainNone(target, source) says "
                                      "why, UnconnectedGradients::kZero gives zeros"
                                    : "only floating and complex sources have one; Cast it, then watch that"));
  }
  return entry.gradient->Dense(location);
}

}  // namespace reel
