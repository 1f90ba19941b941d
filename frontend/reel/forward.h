#ifndef REEL_FORWARD_H_
#define REEL_FORWARD_H_

#include <memory>
#include <optional>
#include <source_location>
#include <vector>

#include "reel/tape.h"

namespace reel {

namespace internal {
class ForwardCore;
}

/// Forward mode: computes directional derivatives beside the ops of this thread, from construction until it is
/// destroyed or stopped. Nothing of the way is kept: the cost is that of the ops, whatever their number.
///
///   ForwardAccumulator acc({x}, {v});
///   Tensor y = Sin(x) * x;
///   std::optional<Tensor> dy = acc.Jvp(y);   // J v
///
/// Accumulators nest, with each other and with tapes: what one computes is seen by those that were started
/// before it, so Jvp of a gradient is a Hessian-vector product, and the gradient of a Jvp another. Functions with
/// gradients of their own move by the transpose of those. Accumulators must be destroyed in reverse order of
/// construction, on their thread.
class ForwardAccumulator {
 public:
  /// One tangent per primal, of its shape; its dtype is converted. Integer primals are ignored with a warning.
  /// Errors: InvalidArgument for wrong shapes and numbers, and for a primal that is named multiple times.
  ForwardAccumulator(const Sources& primals, const std::vector<Tensor>& tangents,
                     std::source_location location = std::source_location::current());
  ~ForwardAccumulator();
  ForwardAccumulator(const ForwardAccumulator&) = delete;
  ForwardAccumulator& operator=(const ForwardAccumulator&) = delete;

  /// Follows further primals, as the constructor; the tangent of one that moves already is added to.
  void Watch(const Sources& primals, const std::vector<Tensor>& tangents,
             std::source_location location = std::source_location::current());

  /// How a tensor or variable moves: looked up, not computed, as often as wanted, also after Stop(). None (or zeros)
  /// if nothing that moves went into it while this recorded.
  std::optional<Tensor> Jvp(const Source& target, UnconnectedGradients unconnected = UnconnectedGradients::kNone) const;
  std::vector<std::optional<Tensor>> Jvp(const std::vector<Tensor>& targets,
                                         UnconnectedGradients unconnected = UnconnectedGradients::kNone) const;

  /// Ends recording until Start(): what runs between is not followed.
  void Stop();
  /// Goes on, as the innermost one. FailedPrecondition if it is recording.
  void Start();
  bool recording() const;

  const std::shared_ptr<internal::ForwardCore>& internal_core() const { return core_; }

 private:
  std::shared_ptr<internal::ForwardCore> core_;
};

}  // namespace reel

#endif  // REEL_FORWARD_H_
