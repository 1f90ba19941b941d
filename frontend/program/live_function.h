#ifndef REEL_FRONTEND_PROGRAM_LIVE_FUNCTION_H_
#define REEL_FRONTEND_PROGRAM_LIVE_FUNCTION_H_

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "codegen/program/program.h"
#include "frontend/autodiff/custom_gradient.h"
#include "frontend/program/live_function_binding.h"
#include "frontend/record/closure.h"
#include "passes/gradient/split.h"
#include "reel/compile.h"
#include "runtime/fork.h"

// Functions that run compiled on live tensors and variables. While a tape records, one runs as "@f.fwd", which also
// returns what "@f.bwd" reads of it; both are ordinary functions of tensors, so that other tapes follow them in turn.

namespace reel::internal {

/// A function of tensors without state, compiled when it first runs, as is its gradient when a tape first asks for it.
/// Thread-safe.
class PureFunction : public std::enable_shared_from_this<PureFunction> {
 public:
  /// `updates`: results that may be written over operands, where nobody else has them.
  PureFunction(std::shared_ptr<ir::Module> module, std::string name,
               std::shared_ptr<runtime::Mutex> mutex = std::make_shared<runtime::Mutex>(),
               std::vector<codegen::InPlace> updates = {});

  /// The results. To this thread's tapes it is one op, whose gradient they have. In a trace: a call. Other consumers of
  /// the thread's events see the ops.
  std::vector<Tensor> Apply(absl::Span<const Tensor> operands);
  /// Only runs it.
  std::vector<Tensor> Run(absl::Span<const Tensor> operands) { return Run(Ready(), operands); }

  struct Compiled {
    runtime::Mutex mutex;  // held to compile
    std::atomic<bool> made{false};  // then the rest is there for good
    Executable run;
    /// Operands that no other tensor or variable shares become `updates`. A call changes all of them, or fails and
    /// leaves them as they are.
    bool in_place = false;
    bool calls_back = false;  ///< functions of the process
  };
  /// What runs now; compiles it first.
  const Compiled& Ready();
  std::vector<Tensor> Run(const Compiled& compiled, absl::Span<const Tensor> operands);
  const ir::Function& function() const { return function_; }

 private:
  using Mask = passes::Mask;
  // A compiled gradient by some cotangents.
  struct Backward {
    passes::BackwardFunction info;
    std::shared_ptr<PureFunction> function;
  };
  // What runs under a tape that follows some operands.
  struct Forward {
    Mask wanted;
    std::shared_ptr<PureFunction> function;
    passes::BackwardFunction usual;  // by the cotangents of all results but residuals
    std::map<Mask, Backward> backward;  // by the results that have cotangents
  };
  void Make(Compiled* compiled);
  Tensor Overwritten(const codegen::InPlace& update, const Tensor& operand) const;
  // A call of the trace, or the ops one by one.
  std::vector<Tensor> Traced(absl::Span<const Tensor> operands);
  // Runs it, seen by logs but by no tape.
  std::vector<Tensor> RunBeside(absl::Span<const Tensor> operands, bool logs);
  std::vector<Tensor> ApplyTaped(absl::Span<const Tensor> operands, const Mask& followed, bool logs, bool hold_all);
  Forward* FindForward(const Mask& wanted);
  const Backward& FindBackward(Forward* forward, const Mask& seeded);
  std::vector<std::optional<GradientValue>> Gradient(Forward* forward, const CustomCall& call,
                                                     const OptionalTensors& dys);
  // What the gradient by all cotangents reads, or all: the operands, then the results; null tensors for the others.
  static std::vector<Tensor> Held(const Forward& forward, absl::Span<const Tensor> operands,
                                  absl::Span<const Tensor> results, bool all);

  // A copy of it and of what it names; the same as one that is kept.
  ModuleData CopyAlone();
  std::shared_ptr<ir::Module> Alone();

  const std::shared_ptr<ir::Module> module_;
  const std::string name_;
  const ir::Function& function_;
  std::vector<Type> result_types_;
  const std::vector<codegen::InPlace> updates_;
  std::vector<bool> reads_;  // by parameter
  const std::shared_ptr<runtime::Mutex> mutex_;  // guards the module and forward_
  std::array<Compiled, 3> compiled_;  // by NumericsCheck: code keeps the checks that it was compiled with
  std::shared_ptr<ir::Module> alone_;  // for those who see the ops
  std::map<Mask, std::unique_ptr<Forward>> forward_;  // by the operands that a tape follows
};

/// A function on live variables: what a call of a Function, or of a Python function, runs.
class LiveFunction {
 public:
  /// Result names may be empty.
  /// `gathers`: ModuleData::gathers.
  LiveFunction(ClosedFunction closed, std::string name, std::vector<std::string> result_names, bool gathers = false);

  /// Reads the variables, runs, assigns those that the function assigns; of calls that assign one variable each sees
  /// what the last one made. Throws kInvalidArgument for other types.
  std::vector<Tensor> Call(const std::vector<Tensor>& arguments);
  const std::shared_ptr<const std::vector<std::string>>& result_names() const { return result_names_; }
  /// About how much a call computes, in elements of cheap ops; more than any number if that is not known.
  int64_t work() const { return work_; }
  const ClosedFunction& closed() const { return closed_; }

 private:
  void CheckArguments(const std::vector<Tensor>& arguments) const;
  // With the extents of the arguments in the place of symbols.
  std::shared_ptr<PureFunction> Specialized(const std::vector<Tensor>& arguments);
  // What nothing looks at but its caller.
  std::vector<Tensor> CallAlone(PureFunction* pure, TensorList* operands) const;
  std::vector<Tensor> CallInPlace(PureFunction* pure, const PureFunction::Compiled& compiled,
                                  TensorList* operands) const;
  void Assign(const std::vector<Tensor>& results) const;

  const ClosedFunction closed_;
  const std::string name_;
  const bool gathers_;
  std::vector<VariablePtr> parts_;  // of the variables
  std::shared_ptr<const std::vector<std::string>> result_names_;
  std::vector<codegen::InPlace> updates_;  // by assigned variable
  std::vector<bool> reads_;  // by variable; others are only assigned
  std::vector<VariablePtr> in_order_;  // those that are assigned, in the order of locking
  std::vector<std::shared_ptr<runtime::CallMutex>> locked_;  // theirs
  runtime::Mutex specializing_;
  std::map<std::vector<int64_t>, std::shared_ptr<PureFunction>> specialized_;  // by extents
  int64_t work_ = 0;
  std::shared_ptr<PureFunction> pure_;
};

/// The function of a module on the variables it was made from.
std::shared_ptr<LiveFunction> MakeLive(const ModuleData& data);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_LIVE_FUNCTION_H_
