#ifndef REEL_FRONTEND_CLI_BENCH_WORKLOADS_H_
#define REEL_FRONTEND_CLI_BENCH_WORKLOADS_H_

#include <string>
#include <vector>

#include "reel/reel.h"

namespace reel::cli {

/// What is timed: one call of a function on fixed inputs. The same as in
/// tests/bench/peers/workloads.py.
struct Workload {
  enum class Kind {
    kTrain,  ///< values: losses of steps 1 to 5
    kGrad,   ///< values: the loss, the L2 norm of each gradient
    kOp,     ///< values: the L2 norm of each output
  };
  std::string name;
  Kind kind = Kind::kTrain;
  double flops = 0, bytes = 0;  ///< of one step: arithmetic, least memory traffic
  bool given = false;           ///< the inputs were read, not made
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> step = {};
  std::vector<Tensor> inputs = {};
};

/// Names of single workloads; "ew_chain" stands for all of ew_*.
std::vector<std::string> ExpandWorkloads(const std::vector<std::string>& names);

/// Inputs come from FOLDER/NAME/*.npy, as `workloads.py export` writes them; from own numbers if it
/// is empty.
Workload MakeWorkload(const std::string& name, const std::string& folder);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_BENCH_WORKLOADS_H_
