#include "frontend/eager/program_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "frontend/eager/kernel.h"
#include "frontend/program/compiled_data.h"
#include "frontend/values/tensor_data.h"
#include "ir/key_hash.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "runtime/communicator.h"
#include "runtime/environment.h"
#include "runtime/fork.h"

namespace reel::internal {

std::optional<std::vector<Tensor>> CachedProgram::Run(absl::Span<const void* const> arguments) const {
  const codegen::Program& program = code_->program();
  const auto instance = runtime::Buffer::TryAllocate(static_cast<size_t>(program.instance_bytes));
  if (!instance) return std::nullopt;
  InitHeader(instance.data());
  static_cast<reel_instance*>(instance.data())->communicator = runtime::CurrentCommunicator();
  std::vector<Tensor> results;
  std::vector<void*> out;
  for (const ir::Parameter& r : program.entries[0].results) {
    auto buffer = runtime::Buffer::TryAllocate(static_cast<size_t>(r.type.bytes()));
    if (!buffer) return std::nullopt;
    out.push_back(buffer.data());
    results.push_back(MakeTensor(r.type, std::move(buffer)));
  }
  if (code_->entry(0)(instance.data(), arguments.data(), out.data()) != 0) return std::nullopt;
  return results;
}

namespace {

constinit Lazy<ProgramCache> the_cache;

// While a fork is under way the background rests; the child has none.
thread_local constinit Background* resting = nullptr;

const struct BackgroundForkHooks {
  BackgroundForkHooks() {
    runtime::OnFork(
        [] {
          if ((resting = ProgramCache::background())) resting->BeforeFork();
        },
        [] {
          if (resting) resting->AfterForkInParent();
        },
        [] {
          if (resting) resting->AfterForkInChild();
        });
  }
} background_fork_hooks;

}  // namespace

ProgramCache& ProgramCache::Get() {
  return the_cache.Get([] { return std::make_unique<ProgramCache>(); });
}

Background* ProgramCache::background() {
  ProgramCache* const cache = the_cache.found();
  return cache ? &cache->background_ : nullptr;
}

ProgramCache::ProgramCache() : enabled_(runtime::GetEnvironment().tape_cache) {
  set_compile(nullptr);
  std::atexit([] { Get().Stop(); });
}

namespace {

// Runs away when the background is to stop: the compiler finds its time spent.
double Clock() {
  static std::atomic<int> calls{0};
  constexpr double kYear = 3e7;
  return ir::SteadySeconds() + (ProgramCache::Get().cancelled() ? kYear * ++calls : 0);
}

// exit() must join the thread before it destroys what the thread uses. LLVM has objects that are made when it compiles
// for the first time, and what is made later is destroyed earlier: so a small program comes first, then the order to
// join.
void CompileFirst(const codegen::CompilerOptions& options) {
  ir::Module module("tape");
  ir::Function f("first");
  const ir::Value x = f.AddParameter("x", {kFloat32, {16}});
  f.SetResults({f.AddNode(ir::Op::kMul, {x, x}, nullptr, {{kFloat32, {16}}}).result()});
  module.AddFunction(std::move(f));
  reel_compiler()->Compile(module, options).IgnoreError();
  std::atexit([] { ProgramCache::Get().Stop(); });
}

absl::StatusOr<std::unique_ptr<codegen::CompiledModule>> CompileModule(const ir::Module& module) {
  codegen::CompilerOptions options = DefaultCompilerOptions();
  options.dump_to.clear();  // files are named after modules, and these come at any time
  options.budget.max_ops = ProgramCache::kMaxOps;
  options.clock = Clock;
  static constinit std::atomic<bool> first{true};
  if (first.exchange(false)) CompileFirst(options);
  return reel_compiler()->Compile(module, options);
}

std::string Text(const ProgramCache::Site& site) {
  return site.line.file ? StrCat(site.what, " (", site.line.file, ":", site.line.line, ")") : site.what;
}

}  // namespace

void ProgramCache::set_compile(Compile compile) {
  const std::lock_guard lock(mutex_);
  compile_ = compile ? std::move(compile) : CompileModule;
}

bool ProgramCache::HasRoom(SiteState* site, size_t most, size_t hash, bool* ran_out) {
  if (site->over) return false;
  auto& seen = site->structures;
  if (std::find(seen.begin(), seen.end(), hash) != seen.end()) return true;
  if (seen.size() < most) {
    seen.push_back(hash);
    return true;
  }
  *ran_out = site->over = true;
  site->structures = {};
  return false;
}

bool ProgramCache::Serves(const Site& site) {
  if (!enabled_) return false;
  const std::lock_guard lock(mutex_);
  const auto state = sites_.find(KeyOf(site));
  return state == sites_.end() || !state->second.over;
}

ProgramCache::Found ProgramCache::Find(const Site& site, const std::string& key) {
  Found found;
  if (!enabled_) return found;
  found.site = site;
  found.hash = ir::KeyHash()(key);
  bool ran_out = false;
  {
    const std::lock_guard lock(mutex_);
    const auto has_room = [&] { return HasRoom(&sites_[KeyOf(site)], site.most_structures, found.hash, &ran_out); };
    if (!site.counts_seen || has_room()) {
      Prune();
      Structure& s = structures_[found.hash];
      const bool same = s.state == Structure::State::kCounting || s.key == key;
      s.last_use = ++clock_;
      if (same && s.state == Structure::State::kReady) {
        found.program = s.program;
      } else if (same && s.state == Structure::State::kCounting && ++s.seen >= kSeenBefore && has_room()) {
        found.wanted = true;
        found.key = key;
      }
    }
  }
  if (ran_out) {
    std::fputs(StrCat("reel: ", Text(site), " has had more than ", site.most_structures,
                      " structures; it is not compiled there any more, it stays op by op\n")
                   .c_str(),
               stderr);
  }
  return found;
}

// Structures that were seen once or twice are many where shapes change.
void ProgramCache::Prune() {
  constexpr size_t kMost = 4096;
  if (sites_.size() > kMost) sites_.clear();
  if (structures_.size() < kMost) return;
  for (auto s = structures_.begin(); s != structures_.end();) {
    const auto state = s->second.state;
    s = state == Structure::State::kCounting || state == Structure::State::kNever ? structures_.erase(s) : s + 1;
  }
}

namespace {

// Whether the end of this thread is the process's; where that cannot be told, it is taken to be.
bool EndsProcess() {
#if defined(__linux__)
  return getpid() == gettid();
#elif defined(__APPLE__)
  return pthread_main_np() != 0;
#else
  return true;
#endif
}

// Of a thread that has left work to the background: exit() destroys those of its thread before all else.
struct JoinAtExit {
  ~JoinAtExit() {
    Background* const background = ProgramCache::background();
    if (background && EndsProcess()) background->Stop();
  }
};
bool WillJoin() {
  thread_local const JoinAtExit join;
  static_cast<void>(join);  // made here
  return true;
}
// For the thread that opens the library, mostly the main one, while there is memory: glibc ends the process without.
[[maybe_unused]] const bool first_will_join = WillJoin();

}  // namespace

void ProgramCache::Add(Found found, Make make) {
  if (EndsProcess()) WillJoin();
  std::string key = found.key;
  const auto work = std::make_shared<const std::pair<Found, Make>>(std::move(found), std::move(make));
  Background::Job job = [this, work] { return CompileJob(work->first, work->second); };
  {
    const std::lock_guard lock(mutex_);
    Structure& s = structures_[work->first.hash];
    if (s.state != Structure::State::kCounting) return;  // another thread was first
    if (waiting_ == kMaxPrograms) return;                // the next request asks again
    ++waiting_;
    s.state = Structure::State::kQueued;
    s.key = std::move(key);
  }
  if (!background_.Submit(std::move(job))) Publish(work->first, nullptr);  // it stays op by op
}

bool ProgramCache::CompileJob(const Found& found, const Make& make) {
  absl::StatusOr<std::shared_ptr<const CachedProgram>> program = nullptr;
  try {
    std::unique_lock lock(mutex_);
    const Compile compile = compile_;
    lock.unlock();
    program = make(compile);
  } catch (const std::bad_alloc&) {
    program = absl::Status(absl::StatusCode::kResourceExhausted, "");  // takes no memory
  } catch (const std::exception& e) {
    program = absl::InternalError(e.what());
  }
  if (!program.ok() && background_.cancelled()) return false;
  Publish(found, std::move(program));
  return true;
}

void ProgramCache::Publish(const Found& found, absl::StatusOr<std::shared_ptr<const CachedProgram>> program) {
  bool complain = false;
  {
    const std::lock_guard lock(mutex_);
    --waiting_;
    const auto it = structures_.find(found.hash);
    if (it == structures_.end() || it->second.key != found.key) return;  // cleared
    Structure& s = it->second;
    if (program.ok() && *program) {
      s.program = *std::move(program);
      s.state = Structure::State::kReady;
      s.last_use = ++clock_;
      ++stats_.compiled;
      if (++stats_.programs > static_cast<int64_t>(kMaxPrograms)) Evict();
      return;
    }
    s.state = Structure::State::kNever;
    if (program.ok()) return;  // there is nothing to run
    ++stats_.failed;
    complain = !std::exchange(complained_, true);
  }
  if (!complain) return;
  const auto message = program.status().message();
  std::fputs(StrCat("reel: ", Text(found.site), " cannot be compiled and stays op by op: ",
                    message.empty() ? "out of memory" : message, "; others may, too\n")
                 .c_str(),
             stderr);
}

// A structure that comes back is counted anew.
void ProgramCache::Evict() {
  auto oldest = structures_.end();
  for (auto s = structures_.begin(); s != structures_.end(); ++s) {
    if (s->second.state != Structure::State::kReady) continue;
    if (oldest == structures_.end() || s->second.last_use < oldest->second.last_use) oldest = s;
  }
  structures_.erase(oldest);
  --stats_.programs;
  ++stats_.evicted;
}

void ProgramCache::CountHit() {
  const std::lock_guard lock(mutex_);
  ++stats_.hits;
}

ProgramCacheStats ProgramCache::stats() {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void ProgramCache::Clear() {
  Wait();
  const std::lock_guard lock(mutex_);
  structures_.clear();
  sites_.clear();
  stats_.programs = 0;
  complained_ = false;
}

}  // namespace reel::internal
