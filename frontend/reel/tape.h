#ifndef REEL_TAPE_H_
#define REEL_TAPE_H_

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "reel/indexed_slices.h"
#include "reel/tensor.h"
#include "reel/variable.h"

namespace reel {

namespace internal {
class TapeCore;
}

/// A tensor or a variable, as something to differentiate by.
class Source {
 public:
  Source(const Tensor& tensor) : tensor_(tensor) {}          // NOLINT: implicit
  Source(const Variable& variable) : variable_(variable) {}  // NOLINT: implicit
  /// Which of both it is, and what it has.
  bool is_variable() const { return variable_.defined(); }
  const Tensor& tensor() const { return tensor_; }
  const Variable& variable() const { return variable_; }
  const Type& type() const { return is_variable() ? variable_.type() : tensor_.type(); }
  uint64_t id() const { return is_variable() ? variable_.id() : tensor_.id(); }

 private:
  Tensor tensor_;
  Variable variable_;
};

/// An ordered list of sources: {w, b}, {x, w}, a vector of variables or of tensors.
class Sources {
 public:
  Sources(std::initializer_list<Source> sources) : list_(sources) {}
  Sources(const std::vector<Variable>& variables) : list_(variables.begin(), variables.end()) {}  // NOLINT
  Sources(const std::vector<Tensor>& tensors) : list_(tensors.begin(), tensors.end()) {}  // NOLINT
  Sources(std::vector<Source> sources) : list_(std::move(sources)) {}  // NOLINT
  /// In the order given.
  const std::vector<Source>& list() const { return list_; }

 private:
  std::vector<Source> list_;
};

/// What is differentiated: one tensor or variable, or several, whose gradients are summed.
class Targets {
 public:
  Targets(const Tensor& tensor) : list_({tensor}) {}  // NOLINT: implicit
  Targets(const Variable& variable) : list_({variable}) {}  // NOLINT: implicit
  Targets(std::initializer_list<Source> targets) : list_(targets) {}
  Targets(const std::vector<Tensor>& tensors) : list_(tensors.begin(), tensors.end()) {}  // NOLINT
  Targets(std::vector<Source> targets) : list_(std::move(targets)) {}  // NOLINT
  /// In the order given.
  const std::vector<Source>& list() const { return list_; }

 private:
  std::vector<Source> list_;
};

/// What an unconnected source gets: nothing, or zeros of its type.
enum class UnconnectedGradients { kNone, kZero };

/// Options of GradientTape::Gradient.
struct GradientOptions {
  /// One seed per target, of its type; an empty optional means ones. Empty: ones for all.
  std::vector<std::optional<Tensor>> output_gradients = {};
  UnconnectedGradients unconnected_gradients = UnconnectedGradients::kNone;
};

/// Options of GradientTape::Jacobian and BatchJacobian.
struct JacobianOptions {
  UnconnectedGradients unconnected_gradients = UnconnectedGradients::kNone;
  /// All rows at once, as one vectorized gradient; else one after the other, which needs a persistent tape.
  bool vectorize = true;
  /// Rows that are vectorized at once; 0: all. Fewer take less memory.
  int64_t parallel_iterations = 0;
};

/// The gradient of one source; none if no target depends on it.
struct GradientEntry {
  GradientEntry(Source source_, std::optional<Tensor> tensor) : source(std::move(source_)) {
    if (tensor) gradient.emplace(std::move(*tensor));
  }
  GradientEntry(Source source_, std::nullopt_t) : source(std::move(source_)) {}
  GradientEntry(Source source_, std::optional<GradientValue> gradient_)
      : source(std::move(source_)), gradient(std::move(gradient_)) {}

  /// What the gradient is by, and the gradient.
  Source source;
  std::optional<GradientValue> gradient;
};

/// Gradients in the order of the sources. The gradient of a tensor or variable by lookups along its
/// first axis alone (Gather, embeddings) stays sparse: the rows of all lookups one after the other,
/// duplicates included; with any other part in the sum, or a symbolic number of rows, it is dense.
class GradientList {
 public:
  GradientList() = default;
  explicit GradientList(std::vector<GradientEntry> entries) : entries_(std::move(entries)) {}
  size_t size() const { return entries_.size(); }
  const GradientEntry& operator[](size_t i) const { return entries_[i]; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  /// The gradient of source i as a tensor; throws NotFound if there is none.
  Tensor Dense(size_t i, std::source_location location = std::source_location::current()) const;

 private:
  std::vector<GradientEntry> entries_;
};

/// Options of GradientTape.
struct TapeOptions {
  /// Allows several calls of Gradient; values are kept until the tape dies.
  bool persistent = false;
  /// Trainable variables are watched when they are read.
  bool watch_accessed_variables = true;
};

/// Records the ops of this thread that depend on what it watches, from construction until it is
/// destroyed or stopped, and differentiates them.
///
///   GradientTape tape;
///   Tensor loss = ReduceMean(Square(MatMul(x, w) - y));
///   optimizer.Apply(tape.Gradient(loss, {w}));
///
/// Tapes nest; a backward computation is recorded by the tapes around it, so gradients of gradients
/// need nothing more. They must be destroyed in reverse order of construction, on their thread.
class GradientTape {
 public:
  explicit GradientTape(TapeOptions options = {});
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  /// Follows what is computed from these from now on. Integers are ignored with a warning; an empty
  /// list, such as the variables of a layer that is not built yet, gives one too.
  void Watch(const Sources& sources);
  template <typename S>
    requires std::same_as<S, Tensor> || std::same_as<S, Variable>
  void Watch(const S& source) {
    Watch(Sources{source});
  }
  /// Variables watched or read so far, in the order of their creation.
  std::vector<Variable> WatchedVariables() const;

  /// d(sum of target)/d(source) for each source. Without `persistent`, the tape stops recording,
  /// and a second call throws. Total derivatives: a source may be intermediate.
  GradientList Gradient(const Targets& target, const Sources& sources, GradientOptions options = {},
                        std::source_location location = std::source_location::current());
  /// The same for one source, always dense; no value if it is not connected.
  template <typename S>
    requires std::same_as<S, Tensor> || std::same_as<S, Variable>
  std::optional<Tensor> Gradient(const Targets& target, const S& source, GradientOptions options = {},
                                 std::source_location location = std::source_location::current()) {
    return DenseGradient(target, source, options, location);
  }

  /// d target/d source for each source, of shape target.shape + source.shape: the gradients of all elements of the
  /// target. A tape that is not persistent can do this once. Errors: FailedPrecondition as Gradient, and without
  /// `vectorize` if the tape is not persistent.
  std::vector<std::optional<Tensor>> Jacobian(const Tensor& target, const Sources& sources,
                                              const JacobianOptions& options = {},
                                              std::source_location location = std::source_location::current());
  /// The same for one source; no value if it is not connected.
  template <typename S>
    requires std::same_as<S, Tensor> || std::same_as<S, Variable>
  std::optional<Tensor> Jacobian(const Tensor& target, const S& source, const JacobianOptions& options = {},
                                 std::source_location location = std::source_location::current()) {
    return Jacobian(target, Sources{source}, options, location)[0];
  }
  /// The Jacobian of each example: target [b, y...] by source [b, x...] is [b, y..., x...], where example i of the
  /// target depends on example i of the source alone. Zeros if it is not connected. Errors: InvalidArgument for a
  /// rank below 2 or different first dimensions.
  Tensor BatchJacobian(const Tensor& target, const Source& source, const JacobianOptions& options = {},
                       std::source_location location = std::source_location::current());

  /// Why Gradient(target, source) is None, in a sentence that names file and line: the source was
  /// not watched, or is of integers; an op on the way has no gradient, gives integers, stops the
  /// gradient, or ran while recording was stopped; the target was computed outside of the tape. Also
  /// after Gradient. Ops that nothing watched went into are known up to the last 65,536.
  std::string ExplainNone(const Source& target, const Source& source) const;
  /// What was recorded: the watched variables, the ops by line, and the bytes kept for gradients.
  std::string Summary() const;

  /// Forgets everything recorded and watched.
  void Reset();
  /// Goes on recording, on this thread, after what was recorded before Stop; after the Gradient of a tape that is not
  /// persistent it starts anew. Errors: FailedPrecondition while it records.
  void Start();
  /// Ends recording; Gradient remains possible.
  void Stop(std::source_location location = std::source_location::current());
  bool recording() const;

  /// While it lives, its tape records nothing.
  class StopScope {
   public:
    ~StopScope();
    StopScope(StopScope&& other) noexcept : core_(std::move(other.core_)) {}
    StopScope& operator=(StopScope&&) = delete;

   private:
    friend class GradientTape;
    explicit StopScope(std::shared_ptr<internal::TapeCore> core);
    std::shared_ptr<internal::TapeCore> core_;
  };
  /// Stops recording until the scope ends.
  [[nodiscard]] StopScope StopRecording();

  const std::shared_ptr<internal::TapeCore>& internal_core() const { return core_; }

 private:
  std::optional<Tensor> DenseGradient(const Targets& target, const Source& source, const GradientOptions& options,
                                      std::source_location location);

  std::shared_ptr<internal::TapeCore> core_;
  bool attached_ = true;  // to this thread's stream
};

/// Records the ops of another thread on a tape while it lives. Only one thread at a time may use
/// the tape. Throws FailedPrecondition if the tape records this thread already.
class TapeScope {
 public:
  explicit TapeScope(const GradientTape& tape);
  ~TapeScope();
  TapeScope(const TapeScope&) = delete;
  TapeScope& operator=(const TapeScope&) = delete;

 private:
  std::shared_ptr<internal::TapeCore> core_;
};

}  // namespace reel

#endif  // REEL_TAPE_H_
