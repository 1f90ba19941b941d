#ifndef REEL_FRONTEND_TAPE_CACHE_H_
#define REEL_FRONTEND_TAPE_CACHE_H_

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/compiler.h"
#include "frontend/background.h"
#include "frontend/gradient.h"

// Compiled gradients of tapes. A structure is all that fixes the backward graph of a request: the recorded ops with their
// attributes, wiring and types, and what was asked. Values are inputs, numbers of the user's program among them. The
// third request of a structure runs op by op as the first two did and leaves its backward graph to a thread in the
// background, which compiles it; when that is done, requests run the program. The bits are the same (ir/README.md).
//
// Op by op stay: custom gradients and control flow, requests that something else records (an outer tape, a Recording, a
// ForwardAccumulator), requests inside of a trace, more than 65536 recorded ops, and what cannot be compiled.

namespace reel::internal {

/// What becomes of a function's values: the roots are what has to be computed, a source's gradient is one of them or
/// made of the rows of some.
struct GradientRoots {
  struct Of {
    int root = -1;                          ///< < 0: rows, or no gradient
    std::vector<std::pair<int, int>> rows;  ///< roots: indices, and what is added there
  };
  std::vector<ir::Value> values;
  std::vector<Of> sources;
};

/// Where a tape keeps a value.
struct KeptAt {
  int32_t entry = -1;  ///< < 0: a seed of the request
  int32_t slot = -1;   ///< of TapeEntry::kept, or the seed's; < 0: nowhere
};

/// A backward graph that ran op by op: the function whose nodes from `first_node` on it is, and where the values from
/// before are kept.
struct GradientGraph {
  ir::Function function;
  size_t first_node;
  GradientRoots roots;
  std::vector<KeptAt> kept;  ///< by value of the forward part
};

/// A compiled backward graph.
class GradientProgram {
 public:
  using Compile = std::function<absl::StatusOr<std::unique_ptr<codegen::CompiledModule>>(const ir::Module&)>;

  /// Null if there is nothing to compute.
  static absl::StatusOr<std::shared_ptr<const GradientProgram>> Make(const GradientGraph& graph, const Compile& compile);
  const GradientRoots& roots() const { return roots_; }
  /// The roots; nothing if there is no memory for it, or the code reports an error: then ops have to.
  std::optional<std::vector<std::optional<Tensor>>> Run(absl::Span<const TapeEntry> entries, const GradientRequest& request) const;

 private:
  struct Root {
    KeptAt kept;      // of a value that the program is given
    int result = -1;  // else
  };
  std::unique_ptr<codegen::CompiledModule> code_;
  GradientRoots roots_;
  std::vector<KeptAt> inputs_;
  std::vector<Root> of_root_;
};

/// Counters of the process.
struct TapeCacheStats {
  int64_t hits = 0;      ///< requests that ran a program
  int64_t compiled = 0;  ///< programs made
  int64_t failed = 0;    ///< structures that could not be compiled
  int64_t evicted = 0;   ///< programs dropped for others
  int64_t programs = 0;  ///< kept now
};

/// The process's programs by structure. Thread safe.
class TapeCache {
 public:
  static constexpr int kSeenBefore = 3;          ///< requests until a structure is compiled
  static constexpr size_t kMaxPrograms = 64;     ///< the longest unused goes first; as many wait to be compiled
  static constexpr size_t kMaxOfSite = 16;       ///< structures; a line with more stays op by op
  static constexpr int64_t kMaxOps = 1 << 16;    ///< recorded, and of a graph that is compiled

  /// What the cache knows of a request.
  struct Found {
    std::shared_ptr<const GradientProgram> program;  ///< null: op by op
    bool wanted = false;                             ///< that graph is to be given to Add
    size_t hash = 0;                                 ///< of the structure
    std::string key;                                 ///< its bytes, if wanted
    SourceLine site;
  };

  /// Never destroyed.
  static TapeCache& Get();

  /// Counts the request.
  Found Find(absl::Span<const TapeEntry> entries, const GradientRequest& request);
  /// Compiles a graph that Find wanted, in the background.
  void Add(Found found, GradientGraph graph);
  /// A program of Find ran.
  void CountHit();
  /// Returns when nothing is left to compile.
  void Wait() { background_.Wait(); }
  /// Compiles nothing any more, and joins the thread: at exit.
  void Stop() { background_.Stop(); }
  /// What compiles should end soon.
  bool cancelled() const { return background_.cancelled(); }

  TapeCacheStats stats();
  /// Forgets all but the counters; for tests.
  void Clear();
  /// Turns it off and on; for tests and measurements. It begins as REEL_TAPE_CACHE says.
  void set_enabled(bool enabled) { enabled_ = enabled; }
  /// What compiles; for tests. Null: the compiler.
  void set_compile(GradientProgram::Compile compile);

 private:
  struct Structure {
    enum class State { kCounting, kQueued, kReady, kNever };
    State state = State::kCounting;
    int seen = 0;
    std::string key;                                 // unless counting
    std::shared_ptr<const GradientProgram> program;  // if ready
    uint64_t last_use = 0;
  };
  struct Site {
    std::vector<size_t> structures;  // hashes; at most kMaxOfSite
    bool over = false;
  };
  using SiteKey = std::pair<const char*, uint32_t>;

  TapeCache();
  ~TapeCache() = delete;
  // Under the lock. ran_out: that was one structure too many.
  static bool HasRoom(Site* site, size_t hash, bool* ran_out);
  void Prune();
  void Evict();
  bool CompileJob(const Found& found, const GradientGraph& graph);
  void Publish(const Found& found, absl::StatusOr<std::shared_ptr<const GradientProgram>> program);

  std::atomic<bool> enabled_;
  Background background_;
  std::mutex mutex_;  // guards everything below
  absl::flat_hash_map<size_t, Structure> structures_;  // by the key's hash
  absl::flat_hash_map<SiteKey, Site> sites_;
  GradientProgram::Compile compile_;
  TapeCacheStats stats_;
  uint64_t clock_ = 0;
  size_t waiting_ = 0;  // structures to compile
  bool complained_ = false;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_TAPE_CACHE_H_
