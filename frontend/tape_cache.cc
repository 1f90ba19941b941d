#include "frontend/tape_cache.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/hash/hash.h"
#include "frontend/compiled.h"
#include "frontend/kernel.h"
#include "frontend/key.h"
#include "ir/strings.h"
#include "passes/rewrite.h"
#include "runtime/environment.h"

namespace reel::internal {
namespace {

// Small numbers for ids, by first appearance. Results have ids in the order in which they were made, so that most are
// looked up in an array.
class Numbering {
 public:
  void Start(absl::Span<const TapeEntry> entries) {
    count_ = 0;
    first_ = entries.empty() ? 0 : entries.front().results.front();
    const uint64_t last = entries.empty() ? 0 : entries.back().results.back();
    const uint64_t range = last - first_ + 1;  // wraps if there is no order
    dense_.assign(range <= 16 * entries.size() + 1024 ? range : 0, 0);
    others_.clear();
  }
  void Add(uint64_t id) { At(id) = ++count_; }
  // *is_new: it had no number.
  uint64_t Of(uint64_t id, bool* is_new) {
    uint64_t& number = At(id);
    *is_new = number == 0;
    if (*is_new) number = ++count_;
    return number;
  }

 private:
  uint64_t& At(uint64_t id) { return id - first_ < dense_.size() ? dense_[id - first_] : others_[id]; }

  uint64_t first_ = 0, count_ = 0;
  std::vector<uint64_t> dense_;  // 0: none yet
  absl::flat_hash_map<uint64_t, uint64_t> others_;
};

// Writes a structure as bytes: equal if and only if the backward graphs are.
class StructureWriter {
 public:
  // False if the request cannot be compiled.
  bool Write(absl::Span<const TapeEntry> entries, const GradientRequest& request) {
    if (entries.size() > static_cast<size_t>(TapeCache::kMaxOps)) return false;
    key_.clear();
    numbers_.Start(entries);
    for (const TapeEntry& entry : entries) {
      if (entry.custom || ir::Info(entry.op).Has(ir::kControl)) return false;
      WriteEntry(entry);
    }
    AppendKey(&key_, int64_t{request.zero_unconnected} | int64_t{request.sparse} << 1);
    for (const auto* ends : {&request.targets, &request.sources, &request.stops}) {
      AppendKey(&key_, static_cast<int64_t>(ends->size()));
      for (const GradientEnd& end : *ends) WriteValue(end.id, end.type);
    }
    AppendKey(&key_, static_cast<int64_t>(request.seeds.size()));
    for (const auto& seed : request.seeds) {
      if (seed)
        WriteValue(seed->id(), seed->type());
      else
        AppendKey(&key_, 0);
    }
    return true;
  }
  const std::string& key() const { return key_; }

 private:
  void WriteEntry(const TapeEntry& entry) {
    constexpr size_t kWord = sizeof(uint64_t);
    const size_t operands = entry.operands.size(), begin = key_.size();
    key_.resize(begin + (1 + operands) * kWord);
    const auto write = [&](size_t i, uint64_t word) { std::memcpy(key_.data() + begin + i * kWord, &word, kWord); };
    write(0, static_cast<uint64_t>(entry.op) | uint64_t{entry.attributes != nullptr} << 15 | operands << 16 |
                 entry.results.size() << 40);
    for (size_t i = 0; i < operands; ++i) {
      const uint64_t id = entry.operands[i];
      bool is_new;
      write(1 + i, numbers_.Of(id & ~kDetached, &is_new) | (id & kDetached));
      if (is_new) AppendKey(&key_, *entry.operand_types[i]);
    }
    if (entry.attributes) AppendKey(&key_, *entry.attributes);
    for (uint64_t id : entry.results) numbers_.Add(id);
  }

  // Types of results follow from the op, its operands and attributes.
  void WriteValue(uint64_t id, const Type& type) {
    bool is_new;
    AppendKey(&key_, static_cast<int64_t>(numbers_.Of(id, &is_new)));
    if (is_new) AppendKey(&key_, type);
  }

  std::string key_;
  Numbering numbers_;
};

const Tensor* Find(const KeptAt& at, absl::Span<const TapeEntry> entries, const GradientRequest& request) {
  const auto slot = static_cast<size_t>(at.slot);
  return at.entry < 0 ? &*request.seeds[slot] : &entries[static_cast<size_t>(at.entry)].kept[slot];
}

// The nodes from graph.first_node on that the roots need. Parameters: the values from before that these use.
ir::Function BackwardFunction(const GradientGraph& graph, std::vector<ir::Value>* given, std::vector<ir::Value>* results) {
  const ir::Function& f = graph.function;
  const auto& nodes = f.nodes();
  const int32_t before = graph.first_node < nodes.size() ? nodes[graph.first_node].first_result : f.num_values();
  std::vector<bool> used(static_cast<size_t>(f.num_values()));
  for (ir::Value v : graph.roots.values) {
    if (v.id >= before && !used[static_cast<size_t>(v.id)]) results->push_back(v);
    if (v.id >= before) used[static_cast<size_t>(v.id)] = true;
  }
  std::vector<bool> live(nodes.size());
  for (size_t n = nodes.size(); n-- > graph.first_node;) {
    for (int i = 0; i < nodes[n].num_results; ++i) {
      if (used[static_cast<size_t>(nodes[n].result(i).id)]) live[n] = true;
    }
    for (ir::Value v : nodes[n].operands) {
      if (live[n]) used[static_cast<size_t>(v.id)] = true;
    }
  }
  ir::Function out("gradient");
  passes::Copier copier(f, &out);
  for (ir::Value v{0}; v.id < before; ++v.id) {
    if (!used[static_cast<size_t>(v.id)]) continue;
    copier.Map(v, out.AddParameter(StrCat("p", given->size()), f.type(v)));
    given->push_back(v);
  }
  for (size_t n = graph.first_node; n < nodes.size(); ++n) {
    if (live[n]) copier.CopyNode(nodes[n]);
  }
  const ir::ValueList copied = copier(*results);
  out.SetResults({copied.begin(), copied.end()});
  return out;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const GradientProgram>> GradientProgram::Make(const GradientGraph& graph,
                                                                             const Compile& compile) {
  auto program = std::make_shared<GradientProgram>();
  std::vector<ir::Value> given, results;
  ir::Module module("tape");
  module.AddFunction(BackwardFunction(graph, &given, &results));
  if (results.empty()) return nullptr;
  const auto kept = [&](ir::Value v) {
    const auto at = static_cast<size_t>(v.id);
    return at < graph.kept.size() ? graph.kept[at] : KeptAt{};
  };
  for (ir::Value v : given) {
    program->inputs_.push_back(kept(v));
    if (program->inputs_.back().slot < 0) return absl::InternalError("the tape did not keep a value");
  }
  absl::flat_hash_map<int32_t, int> result_of;
  for (size_t i = 0; i < results.size(); ++i) result_of[results[i].id] = static_cast<int>(i);
  for (ir::Value v : graph.roots.values) {
    const auto result = result_of.find(v.id);
    program->of_root_.push_back({kept(v), result == result_of.end() ? -1 : result->second});
  }
  auto code = compile(module);
  if (!code.ok()) return code.status();
  program->code_ = *std::move(code);
  program->roots_ = graph.roots;
  return program;
}

std::optional<std::vector<std::optional<Tensor>>> GradientProgram::Run(absl::Span<const TapeEntry> entries,
                                                                       const GradientRequest& request) const {
  const codegen::Program& program = code_->program();
  std::vector<const void*> in;
  in.reserve(inputs_.size());
  for (const KeptAt& at : inputs_) {
    const Tensor* x = Find(at, entries, request);
    if (x->symbolic()) return std::nullopt;  // of a trace that is gone
    in.push_back(x->internal_data()->buffer.data());
  }
  const auto instance = runtime::Buffer::TryAllocate(static_cast<size_t>(program.instance_bytes));
  if (!instance) return std::nullopt;
  InitHeader(instance.data());
  std::vector<Tensor> results;
  std::vector<void*> out;
  for (const ir::Parameter& r : program.entries[0].results) {
    auto buffer = runtime::Buffer::TryAllocate(static_cast<size_t>(r.type.bytes()));
    if (!buffer) return std::nullopt;
    out.push_back(buffer.data());
    results.push_back(MakeTensor(r.type, std::move(buffer)));
  }
  if (code_->entry(0)(instance.data(), in.data(), out.data()) != 0) return std::nullopt;
  std::vector<std::optional<Tensor>> roots;
  roots.reserve(of_root_.size());
  for (const Root& r : of_root_) {
    roots.emplace_back(r.result < 0 ? *Find(r.kept, entries, request) : results[static_cast<size_t>(r.result)]);
  }
  return roots;
}

TapeCache& TapeCache::Get() {
  static TapeCache* const cache = new TapeCache();
  return *cache;
}

TapeCache::TapeCache() : enabled_(runtime::GetEnvironment().tape_cache) {
  set_compile(nullptr);
  std::atexit([] { Get().Stop(); });
  pthread_atfork(
      [] {
        Get().background_.BeforeFork();
        Get().mutex_.lock();
      },
      [] {
        Get().mutex_.unlock();
        Get().background_.AfterForkInParent();
      },
      [] {
        Get().mutex_.unlock();
        Get().background_.AfterForkInChild();
      });
}

namespace {

// Runs away when the background is to stop: the compiler finds its time spent.
double Clock() {
  static std::atomic<int> calls{0};
  constexpr double kYear = 3e7;
  return ir::SteadySeconds() + (TapeCache::Get().cancelled() ? kYear * ++calls : 0);
}

// exit() must join the thread before it destroys what the thread uses. LLVM has objects that are made when it compiles
// for the first time, and what is made later is destroyed earlier: so a small program comes first, then the order to join.
void CompileFirst(const codegen::CompilerOptions& options) {
  ir::Module module("tape");
  ir::Function f("first");
  const ir::Value x = f.AddParameter("x", {kFloat32, {16}});
  f.SetResults({f.AddNode(ir::Op::kMul, {x, x}, nullptr, {{kFloat32, {16}}}).result()});
  module.AddFunction(std::move(f));
  reel_compiler()->Compile(module, options).IgnoreError();
  std::atexit([] { TapeCache::Get().Stop(); });
}

absl::StatusOr<std::unique_ptr<codegen::CompiledModule>> CompileModule(const ir::Module& module) {
  codegen::CompilerOptions options = DefaultCompilerOptions();
  options.dump_to.clear();  // files are named after modules, and these come at any time
  options.budget.max_ops = TapeCache::kMaxOps;
  options.clock = Clock;
  static std::once_flag first;
  std::call_once(first, CompileFirst, options);
  return reel_compiler()->Compile(module, options);
}

std::string Text(const SourceLine& site) {
  return site.file ? StrCat(" (", site.file, ":", site.line, ")") : "";
}

}  // namespace

void TapeCache::set_compile(GradientProgram::Compile compile) {
  const std::lock_guard lock(mutex_);
  compile_ = compile ? std::move(compile) : CompileModule;
}

bool TapeCache::HasRoom(Site* site, size_t hash, bool* ran_out) {
  if (site->over) return false;
  auto& seen = site->structures;
  if (std::find(seen.begin(), seen.end(), hash) != seen.end()) return true;
  if (seen.size() < kMaxOfSite) {
    seen.push_back(hash);
    return true;
  }
  *ran_out = site->over = true;
  site->structures = {};
  return false;
}

TapeCache::Found TapeCache::Find(absl::Span<const TapeEntry> entries, const GradientRequest& request) {
  thread_local StructureWriter writer;
  Found found;
  if (!enabled_) return found;
  found.site = UserLine();  // may wait for another language: not under the lock
  const SiteKey site_key{found.site.file, found.site.line};
  {
    const std::lock_guard lock(mutex_);
    const auto site = sites_.find(site_key);
    if (site != sites_.end() && site->second.over) return found;
  }
  if (!writer.Write(entries, request)) return found;
  found.hash = absl::HashOf(writer.key());
  bool ran_out = false;
  {
    const std::lock_guard lock(mutex_);
    if (HasRoom(&sites_[site_key], found.hash, &ran_out)) {
      Prune();
      Structure& s = structures_[found.hash];
      const bool same = s.state == Structure::State::kCounting || s.key == writer.key();
      s.last_use = ++clock_;
      if (same && s.state == Structure::State::kReady) {
        found.program = s.program;
      } else if (same && s.state == Structure::State::kCounting && ++s.seen >= kSeenBefore) {
        found.wanted = true;
        found.key = writer.key();
      }
    }
  }
  if (ran_out) {
    std::fputs(StrCat("reel: a tape's gradient", Text(found.site), " has had more than ", kMaxOfSite,
                      " structures; it is not compiled there any more, it stays op by op\n").c_str(), stderr);
  }
  return found;
}

// Structures that were seen once or twice are many where shapes change.
void TapeCache::Prune() {
  constexpr size_t kMost = 4096;
  if (sites_.size() > kMost) sites_.clear();
  if (structures_.size() < kMost) return;
  absl::erase_if(structures_, [](const auto& s) {
    return s.second.state == Structure::State::kCounting || s.second.state == Structure::State::kNever;
  });
}

namespace {

// Of a thread that has left work to the background: exit() destroys those of its thread before all else.
struct JoinAtExit {
  ~JoinAtExit() {
    if (getpid() == gettid()) TapeCache::Get().Stop();  // the process ends, not only a thread
  }
};

}  // namespace

void TapeCache::Add(Found found, GradientGraph graph) {
  thread_local const JoinAtExit join;
  static_cast<void>(join);  // made here
  {
    const std::lock_guard lock(mutex_);
    Structure& s = structures_[found.hash];
    if (s.state != Structure::State::kCounting) return;  // another thread was first
    if (waiting_ == kMaxPrograms) return;                // the next request asks again
    ++waiting_;
    s.state = Structure::State::kQueued;
    s.key = found.key;
  }
  const auto work = std::make_shared<std::pair<Found, GradientGraph>>(std::move(found), std::move(graph));
  background_.Submit([this, work] { return CompileJob(work->first, work->second); });
}

bool TapeCache::CompileJob(const Found& found, const GradientGraph& graph) {
  GradientProgram::Compile compile;
  {
    const std::lock_guard lock(mutex_);
    compile = compile_;
  }
  absl::StatusOr<std::shared_ptr<const GradientProgram>> program = nullptr;
  try {
    program = GradientProgram::Make(graph, compile);
  } catch (const std::exception& e) {
    program = absl::InternalError(e.what());
  }
  if (!program.ok() && background_.cancelled()) return false;
  Publish(found, std::move(program));
  return true;
}

void TapeCache::Publish(const Found& found, absl::StatusOr<std::shared_ptr<const GradientProgram>> program) {
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
  std::fputs(StrCat("reel: a tape's gradient", Text(found.site), " cannot be compiled and stays op by op: ",
                    program.status().message(), "; others may, too\n").c_str(), stderr);
}

// A structure that comes back is counted anew.
void TapeCache::Evict() {
  auto oldest = structures_.end();
  for (auto s = structures_.begin(); s != structures_.end(); ++s) {
    if (s->second.state != Structure::State::kReady) continue;
    if (oldest == structures_.end() || s->second.last_use < oldest->second.last_use) oldest = s;
  }
  structures_.erase(oldest);
  --stats_.programs;
  ++stats_.evicted;
}

void TapeCache::CountHit() {
  const std::lock_guard lock(mutex_);
  ++stats_.hits;
}

TapeCacheStats TapeCache::stats() {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void TapeCache::Clear() {
  Wait();
  const std::lock_guard lock(mutex_);
  structures_.clear();
  sites_.clear();
  stats_.programs = 0;
  complained_ = false;
}

}  // namespace reel::internal
