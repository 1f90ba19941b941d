#ifndef REEL_FRONTEND_AUTODIFF_TAPE_CACHE_H_
#define REEL_FRONTEND_AUTODIFF_TAPE_CACHE_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/autodiff/backward.h"
#include "frontend/eager/program_cache.h"

// Compiled gradients of tapes. A structure is all that fixes the backward graph of a request: the recorded ops with
// their attributes, wiring and types, and what was asked. Values are inputs, numbers of the user's program among them.
//
// Op by op stay: custom gradients and control flow, requests that something else records (an outer tape, a Recording, a
// ForwardAccumulator), requests inside of a trace, more than 65536 recorded ops, and what cannot be compiled.

namespace reel::internal {

/// What becomes of a function's values: the roots are what has to be computed, a source's gradient is one of them or
/// made of the rows of some.
struct GradientRoots {
  struct Of {
    int root = -1;  ///< < 0: rows, or no gradient
    std::vector<std::pair<int, int>> rows;  ///< roots: indices, and what is added there
  };
  std::vector<ir::Value> values;
  std::vector<Of> sources;
};

/// Where a tape keeps a value.
struct KeptAt {
  int32_t entry = -1;  ///< < 0: a seed of the request
  int32_t slot = -1;  ///< of TapeEntry::kept, or the seed's; < 0: nowhere
  bool number = false;  ///< all its elements are TensorData::number, which programs are given in its place
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
class GradientProgram : public CachedProgram {
 public:
  struct Root {
    KeptAt kept;  ///< of a value that the program is given
    int result = -1;  ///< else
  };
  GradientProgram(std::unique_ptr<codegen::CompiledModule> code, GradientRoots roots, std::vector<KeptAt> inputs,
                  std::vector<Root> of_root)
      : CachedProgram(std::move(code)),
        roots_(std::move(roots)),
        inputs_(std::move(inputs)),
        of_root_(std::move(of_root)) {}

  static absl::StatusOr<std::shared_ptr<const CachedProgram>> Make(const GradientGraph& graph,
                                                                   const ProgramCache::Compile& compile);
  const GradientRoots& roots() const { return roots_; }
  /// The roots, or nothing, as CachedProgram::Run.
  std::optional<std::vector<std::optional<Tensor>>> RunOn(absl::Span<const TapeEntry> entries,
                                                          const GradientRequest& request) const;

 private:
  const GradientRoots roots_;
  const std::vector<KeptAt> inputs_;
  const std::vector<Root> of_root_;
};

/// Counts the request; a program found is a GradientProgram.
ProgramCache::Found FindGradient(absl::Span<const TapeEntry> entries, const GradientRequest& request);
/// Compiles a graph that FindGradient wanted, in the background.
void AddGradient(ProgramCache::Found found, GradientGraph graph);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_AUTODIFF_TAPE_CACHE_H_
