#ifndef REEL_FRONTEND_NN_LAYER_DATA_H_
#define REEL_FRONTEND_NN_LAYER_DATA_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reel/layers.h"
#include "runtime/fork.h"

namespace reel::internal {

/// While it lives, layers of this thread that make variables take these, by the part of the name behind the layer's
/// ("kernel"), in the place of first values. One of another type than the layer needs is left: it gets zeros.
using KeptVariables = std::map<std::string, Variable>;
class KeptScope {
 public:
  explicit KeptScope(const KeptVariables& variables);
  ~KeptScope();
  KeptScope(const KeptScope&) = delete;
  KeptScope& operator=(const KeptScope&) = delete;

 private:
  const KeptVariables* outer_;
};
/// The shape of a variable of the present scope if it has that rank, else null.
const Shape* KeptShape(const char* what, int rank);

/// What a call gave last, for summaries. Threads may share it.
class LastOutput {
 public:
  void Note(const Tensor& y);
  /// Its type, in a trace with the names of its extents; empty before the first call.
  std::string Text() const;

 private:
  mutable runtime::Mutex mutex_;
  Type type_;
  std::string text_;
  bool known_ = false;
};

/// What a layer has: a name, its variables, and the layers inside it. Concrete layers add their
/// sizes.
struct LayerData {
  LayerData(std::string kind_, LayerOptions options_);
  virtual ~LayerData() = default;

  /// A variable "name/what", with its value computed now, in a trace too.
  Variable Create(const char* what, const Shape& shape, const Initializer& initializer, bool trainable = true);
  /// Makes the variables of a layer that has none yet, of the sizes that those of the present KeptScope have.
  virtual void BuildKept() {}
  /// Calls create, which makes all variables of the layer, unless that is done. If it throws, the
  /// layer stays without variables, and the next call tries again.
  template <typename F>
  void BuildOnce(F create) {
    const std::lock_guard lock(mutex);
    if (built) return;
    variables.clear();  // of a call that a fork cut off
    try {
      const runtime::ForkWindow initializers_are_the_users(mutex);
      create();
    } catch (...) {
      variables.clear();
      throw;
    }
    built = true;
  }
  /// The user's initializer of the kernel or the bias, or the layer's own.
  Initializer KernelInit(const Initializer& otherwise) const {
    return options.kernel_init ? options.kernel_init : otherwise;
  }
  Initializer BiasInit() const { return options.bias_init ? options.bias_init : ZerosInit(); }
  /// Options for a layer inside this one, named "name/what".
  LayerOptions Inner(const char* what) const;
  /// How C++ makes it, "Dense(8, Tanh)"; the arguments that say its sizes.
  std::string Text() const;
  virtual std::string Arguments() const { return ""; }
  /// Whether all its variables exist.
  bool Built();

  const std::string kind;  // dense, embedding, ...
  LayerOptions options;
  bool named;                       // by the user or by a Sequential
  bool built = false;               // all variables of its own exist
  runtime::Mutex mutex;             // guards building
  std::vector<Variable> variables;  // its own, in the order of creation
  std::vector<std::shared_ptr<LayerData>> children;
  LastOutput output;
};

/// What stands in a Sequential, in order: layers, and functions without variables.
struct Step {
  std::function<Tensor(const Operand&)> function;
  std::shared_ptr<LayerData> layer;  // null: a function
  std::string label;                 // of a function
  std::shared_ptr<LastOutput> output = std::make_shared<LastOutput>();
};
struct SequentialData : LayerData {
  // Without a name, and no prefix to what is inside, until it is in a Sequential itself.
  explicit SequentialData(const char* kind_);
  std::vector<Step> steps;
  std::map<std::string, int> counts;  // layers of each kind
};

/// A layer and those inside it, each once, after what contains it.
std::vector<LayerData*> Family(LayerData* layer);
/// Makes the variables of those that have none yet of these, by their names behind the outer layer's, where they are of
/// the right kind; gives the layers that it made (keep/sources.cc).
std::vector<LayerData*> BuildKept(LayerData* outer, const KeptVariables& variables);
/// Its variables and those of the layers inside, in order; those of a layer that stands there twice
/// once.
std::vector<Variable> AllVariables(LayerData* layer);
/// Changes the prefix of all names; an empty one is prepended to.
void Rename(LayerData* layer, const std::string& name);

/// "dense", "dense_1", ...: the n-th use of a name.
std::string Numbered(const std::string& kind, int n);
/// Arguments with the name of an activation behind them, if there is one.
std::string WithActivation(std::string arguments, const Activation& activation);
/// Throws unless value >= least: "dense: 0 units; there must be at least 1".
void CheckAtLeast(const std::string& kind, const char* what, int64_t value, int64_t least = 1);

template <typename Data>
Data& As(const std::shared_ptr<LayerData>& data) {
  return static_cast<Data&>(*data);
}

}  // namespace reel::internal

#endif  // REEL_FRONTEND_NN_LAYER_DATA_H_
