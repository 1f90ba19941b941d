#ifndef REEL_RECORDING_H_
#define REEL_RECORDING_H_

#include <memory>
#include <source_location>
#include <string>

#include "reel/module.h"

namespace reel {

namespace internal {
class EventLog;
}

/// Options of Recording::Lift.
struct LiftOptions {
  std::string name = "main";  ///< of the function
  /// Largest sum of the tensors that become constants because the step used them without being
  /// given them.
  int64_t max_captured_bytes = int64_t{16} << 20;
};

/// Logs everything this thread does, from construction until it is lifted, stopped or destroyed:
/// ops, variable reads and assigns, random draws, inner gradient calls. Holds captured tensors but
/// no intermediate values.
///
///   Recording recording;
///   Tensor loss = train(images, labels);
///   Function step = recording.Lift({images, labels}, {loss});   // the very step that ran
class Recording {
 public:
  Recording();
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// The graph of what ran, from the arguments to the results and the variables' new values; stops
  /// the recording. Variables become state, other tensors that were used become constants.
  Function Lift(const NamedTensors& arguments, const NamedTensors& results, const LiftOptions& options = {},
                std::source_location location = std::source_location::current());
  void Stop();
  bool recording() const;

 private:
  std::shared_ptr<internal::EventLog> log_;
};

}  // namespace reel

#endif  // REEL_RECORDING_H_
