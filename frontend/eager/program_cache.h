#ifndef REEL_FRONTEND_EAGER_PROGRAM_CACHE_H_
#define REEL_FRONTEND_EAGER_PROGRAM_CACHE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/compiler.h"
#include "frontend/eager/background.h"
#include "frontend/values/location.h"
#include "ir/hash_map.h"
#include "runtime/fork.h"

// What eager code asks for again and again, compiled in the background: gradients of tapes (tape_cache) and
// compositions of ops (composite). The third request of a structure runs op by op as the first two did and leaves its
// graph to a thread, which compiles it; when that is done, requests run the program. The bits are the same
// (ir/README.md).

namespace reel::internal {

/// A compiled function of tensors. Owners derive from it what else they have to know.
class CachedProgram {
 public:
  explicit CachedProgram(std::unique_ptr<codegen::CompiledModule> code) : code_(std::move(code)) {}
  virtual ~CachedProgram() = default;
  /// The results; nothing if there is no memory for them, or the code reports an error: then ops have to.
  std::optional<std::vector<Tensor>> Run(absl::Span<const void* const> arguments) const;

 private:
  const std::unique_ptr<codegen::CompiledModule> code_;
};

/// Counters of the process.
struct ProgramCacheStats {
  int64_t hits = 0;      ///< requests that ran a program
  int64_t compiled = 0;  ///< programs made
  int64_t failed = 0;    ///< structures that could not be compiled
  int64_t evicted = 0;   ///< programs dropped for others
  int64_t programs = 0;  ///< kept now
};

/// The process's programs by structure. Thread safe.
class ProgramCache {
 public:
  static constexpr int kSeenBefore = 3;        ///< requests until a structure is compiled
  static constexpr size_t kMaxPrograms = 64;   ///< the longest unused goes first; as many wait to be compiled
  static constexpr int64_t kMaxOps = 1 << 16;  ///< of a graph that is compiled

  using Compile = std::function<absl::StatusOr<std::unique_ptr<codegen::CompiledModule>>(const ir::Module&)>;
  /// Makes a program with the compiler given; null if there is nothing to compute.
  using Make = std::function<absl::StatusOr<std::shared_ptr<const CachedProgram>>(const Compile&)>;

  /// Who asks. Requests of one site that have too many structures stay op by op, which is said once.
  struct Site {
    const char* what;         ///< "a tape's gradient", or the name of a composition
    SourceLine line;          ///< where; may have no file
    size_t most_structures;
    bool counts_seen;         ///< all that were seen are counted, else those that are compiled
  };

  /// What the cache knows of a request.
  struct Found {
    std::shared_ptr<const CachedProgram> program;  ///< null: op by op
    bool wanted = false;                           ///< its graph is to be given to Add
    size_t hash = 0;                               ///< of the structure
    std::string key;                               ///< its bytes, if wanted
    Site site = {};
  };

  /// Never destroyed.
  static ProgramCache& Get();
  ProgramCache();

  /// Whether requests of the site may run programs.
  bool Serves(const Site& site);
  /// Counts a request. The key: bytes that fix the structure, and begin with what no other kind of request begins with.
  Found Find(const Site& site, const std::string& key);
  /// Compiles what Find wanted, in the background.
  void Add(Found found, Make make);
  /// A program of Find ran.
  void CountHit();
  /// Returns when nothing is left to compile.
  void Wait() { background_.Wait(); }
  /// Compiles nothing any more, and joins the thread: at exit.
  void Stop() { background_.Stop(); }
  /// What compiles should end soon.
  bool cancelled() const { return background_.cancelled(); }

  ProgramCacheStats stats();
  /// Forgets all but the counters; for tests.
  void Clear();
  /// Turns it off and on; for tests and measurements. It begins as REEL_TAPE_CACHE says.
  void set_enabled(bool enabled) { enabled_ = enabled; }
  /// That of the process, once there is one: null if nobody has asked for the cache.
  static Background* background();
  /// What compiles; for tests. Null: the compiler.
  void set_compile(Compile compile);

 private:
  struct Structure {
    enum class State { kCounting, kQueued, kReady, kNever };
    State state = State::kCounting;
    int seen = 0;
    std::string key;  // unless counting
    std::shared_ptr<const CachedProgram> program;  // if ready
    uint64_t last_use = 0;
  };
  struct SiteState {
    std::vector<size_t> structures;  // hashes
    bool over = false;
  };
  using SiteKey = std::pair<const char*, uint32_t>;

  static SiteKey KeyOf(const Site& site) {
    return site.line.file ? SiteKey{site.line.file, site.line.line} : SiteKey{site.what, 0};
  }
  // Under the lock. ran_out: that was one structure too many.
  static bool HasRoom(SiteState* site, size_t most, size_t hash, bool* ran_out);
  void Prune();
  void Evict();
  bool CompileJob(const Found& found, const Make& make);
  void Publish(const Found& found, absl::StatusOr<std::shared_ptr<const CachedProgram>> program);

  std::atomic<bool> enabled_;
  Background background_;
  runtime::Mutex mutex_;  // guards everything below
  HashMap<size_t, Structure> structures_;  // by the key's hash
  HashMap<SiteKey, SiteState> sites_;
  Compile compile_;
  ProgramCacheStats stats_;
  uint64_t clock_ = 0;
  size_t waiting_ = 0;  // structures to compile
  bool complained_ = false;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_EAGER_PROGRAM_CACHE_H_
