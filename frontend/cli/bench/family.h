#ifndef REEL_FRONTEND_CLI_BENCH_FAMILY_H_
#define REEL_FRONTEND_CLI_BENCH_FAMILY_H_

#include <functional>
#include <string>
#include <vector>

#include "frontend/cli/bench/workloads.h"

// What the files of workloads share. Each is written as a user of the public headers would write
// it; shapes, initial values and formulas are those of tests/bench/peers/workloads.py.

namespace reel::cli {

/// The tensors of one workload: read from its files, or made of own random numbers of the same
/// distribution.
class Inputs {
 public:
  Inputs(const std::string& folder, const std::string& workload);
  bool given() const { return !folder_.empty(); }

  Tensor Normal(const std::string& name, const Shape& shape, NormalOptions options = {}) const;
  Tensor Uniform(const std::string& name, const Shape& shape, UniformOptions options = {}) const;
  /// i32 in 0, ..., classes - 1.
  Tensor Labels(const std::string& name, const Shape& shape, int64_t classes) const;
  /// The file of this type, else the value itself.
  Tensor Value(const std::string& name, const Tensor& value) const;

 private:
  Tensor Read(const std::string& name, const Type& type) const;

  std::string folder_;
  Generator generator_;
};

/// A name and what makes its workload. A group is a name for several.
struct Entry {
  std::string name, group;
  std::function<Workload(const Inputs&)> make;
};

std::vector<Entry> DenseWorkloads();        ///< mlp_*
std::vector<Entry> ConvWorkloads();         ///< cnn_mnist, resblock, depthwise
std::vector<Entry> SequenceWorkloads();     ///< lstm_char, gpt_char, gpt2_124m
std::vector<Entry> IntegrationWorkloads();  ///< rk4_*
std::vector<Entry> LayerWorkloads();        ///< attention_*, vocab_loss, norm_gelu
std::vector<Entry> ElementwiseWorkloads();  ///< ew_*, adam_*
std::vector<Entry> MixtureWorkloads();      ///< gmm_*
std::vector<Entry> KernelWorkloads();       ///< top_k_*, sort_*, upsample_*
std::vector<Entry> FactorWorkloads();       ///< cholesky_*, process_*
std::vector<Entry> SmallWorkloads();        ///< add_*, matmul_*, bmm_64x64, matvec_*, chain1000, ...

using Loss = std::function<Tensor(const std::vector<Tensor>& inputs)>;

/// The loss of the inputs; the optimizer updates the variables by its gradient.
Workload::Step TrainStep(Loss loss, std::vector<Variable> variables, Optimizer optimizer);

/// The loss of the inputs and its gradients by the first `count` of them.
Workload::Step GradientStep(Loss loss, size_t count);

/// Elements of all, for the formulas.
double Size(const std::vector<Variable>& variables);
double Size(const std::vector<Tensor>& tensors);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_BENCH_FAMILY_H_
