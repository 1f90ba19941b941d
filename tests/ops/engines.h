#ifndef REEL_TESTS_OPS_ENGINES_H_
#define REEL_TESTS_OPS_ENGINES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"

namespace reel::optable {

/// One way to run a module. To add one: a function that makes it, and its line in engines.def.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  /// Runs a function without state of a verified module.
  virtual absl::StatusOr<std::vector<ir::Literal>> Run(const ir::Module& module, std::string_view function,
                                                       absl::Span<const ir::Literal> inputs) = 0;
  /// True for the reference and its round trips: doubles, rounded at the end. Such engines agree
  /// bit for bit with the reference; all others agree bit for bit with each other, and with the
  /// reference within a tolerance.
  virtual bool is_reference() const { return false; }
  /// True if an index out of range is an error, as in eager.
  virtual bool checks_indices() const { return false; }
  /// True if a run starts processes: the tests give it a sample of their cases.
  virtual bool is_slow() const { return false; }
};

/// The engines of engines.def, in its order; the first is the reference.
const std::vector<std::unique_ptr<Engine>>& AllEngines();

#define ENGINE(Name) std::unique_ptr<Engine> Make##Name##Engine();
#include "tests/ops/engines.def"
#undef ENGINE

}  // namespace reel::optable

#endif  // REEL_TESTS_OPS_ENGINES_H_
