#ifndef REEL_FRONTEND_CLI_BENCH_WORKLOADS_H_
#define REEL_FRONTEND_CLI_BENCH_WORKLOADS_H_

#include <functional>
#include <string>
#include <vector>

#include "reel/reel.h"

namespace reel::cli {

/// What is timed: one call of a function on fixed inputs. The same as in
/// tests/bench/peers/workloads.py.
struct Workload {
  enum class Kind {
    kTrain,   ///< values: losses of steps 1 to 5
    kGrad,    ///< values: the loss, the L2 norm of each gradient
    kOp,      ///< values: the L2 norm of each output
    kUpdate,  ///< values: the L2 norm of all variables after five steps
  };
  using Step = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

  Kind kind = Kind::kTrain;
  double flops = 0, bytes = 0;  ///< of one step: arithmetic, least memory traffic
  double resident = 0;          ///< bytes that the traffic touches; 0: each once
  Step step = {};
  std::vector<Tensor> inputs = {};
  std::vector<Variable> variables = {};  ///< that kUpdate changes
  DType dtype = kFloat32;                ///< of the arithmetic
  std::function<Tensor(const std::vector<Tensor>&)> eager = {};  ///< called in the place of a compiled step
  bool given = false;                    ///< the inputs were read, not made
};

/// Names of single workloads. Groups stand for their members, "all" for every workload but
/// gpt2_124m, which is large.
std::vector<std::string> ExpandWorkloads(const std::vector<std::string>& names);

/// Groups and names, for help: "mlp (mlp_small, ...), cnn_mnist, ...".
std::string DescribeWorkloads();

/// Inputs come from FOLDER/NAME/*.npy, as `workloads.py export` writes them; from own numbers if
/// the folder is empty.
Workload MakeWorkload(const std::string& name, const std::string& folder);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_BENCH_WORKLOADS_H_
