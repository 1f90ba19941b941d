#ifndef REEL_FRONTEND_PROGRAM_AGREEMENT_H_
#define REEL_FRONTEND_PROGRAM_AGREEMENT_H_

#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "reel/distributed.h"

// Members of a group that would not compute the same notice it before they do.

namespace reel::internal {

/// What all members must have alike.
struct Trait {
  static constexpr size_t kBytes = 64;  ///< of a text that goes over the wire, with its end; longer ones are cut

  std::string what;  ///< "version of Reel"
  std::string text;
  std::string fix;  ///< what to do where they differ
};

/// What decides the bits of a data-parallel step: Reel's version, the class of the machine (whether products are fused
/// with the additions after them: no other difference between CPUs does), the options, and the graph on the global
/// batch, whatever values its variables begin with.
std::vector<Trait> TraitsOf(const ir::Module& module, const std::string& entry, const DataParallelOptions& options);

/// Compares the members' traits, for which all members call it with as many. Throws kFailedPrecondition, the same text
/// in each, naming the first trait that differs, who has another than member 0, and both values. Alone: does nothing.
void RequireAgreement(std::span<const Trait> traits);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_AGREEMENT_H_
