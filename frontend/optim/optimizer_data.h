#ifndef REEL_FRONTEND_OPTIM_OPTIMIZER_DATA_H_
#define REEL_FRONTEND_OPTIM_OPTIMIZER_DATA_H_

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/ops/common.h"
#include "frontend/values/promotion.h"
#include "reel/optimizers.h"
#include "runtime/fork.h"

namespace reel::internal {

/// What a variable's slots and steps are computed in: f32 for halves, in which a small epsilon
/// would be 0, a beta near 1 would be 1, and a small step would change nothing.
inline DType StepType(const Variable& p) { return IsHalf(p.dtype()) ? kFloat32 : p.dtype(); }
/// A hyperparameter as the variable needs it.
inline Tensor As(const Tensor& hyper, const Variable& p) { return Cast(hyper, StepType(p)); }

/// decay old + (1 - decay) value, `rest` = 1 - decay.
inline Tensor Blend(const Operand& old, const Tensor& decay, const Tensor& value, const Tensor& rest) {
  return Add(Mul(old, decay), Mul(value, rest));
}

/// Where weight decay enters: nowhere or where the rule says, into the gradient (g + decay p), or
/// beside it (p - rate decay p).
enum class DecayKind { kNone, kCoupled, kDecoupled };

/// Hyperparameters, slots, and the update rule of an optimizer.
struct OptimizerData {
  /// With `counted` the rule itself needs the number of the step.
  OptimizerData(std::string name_, Schedule schedule_, bool counted = false)
      : name(std::move(name_)), schedule(std::move(schedule_)) {
    learning_rate = Hyper("learning_rate", schedule.constant() ? schedule.value() : 0);
    if (counted || !schedule.constant()) step = Create("step", Tensor(int64_t{0}));
  }
  virtual ~OptimizerData() = default;

  /// Once per Apply, before the variables; `rate` is known.
  virtual void BeginStep() {}
  /// The names of the rule's slots: all that it may ever ask for.
  virtual std::vector<std::string_view> SlotNames() const = 0;
  /// What is subtracted from p for its gradient; both of p's StepType.
  virtual Tensor Step(const Variable& p, const Tensor& g) = 0;
  /// Steps the rows of p that g has, once for each of its entries, if that is the step for their sums; false if not.
  virtual bool StepRows(const Variable&, const IndexedSlices&) { return false; }
  /// Whether a step of some rows of p leaves the other rows, those of slots too, as they are.
  virtual bool LeavesOthers(const Variable&) const { return false; }

  /// Everything that Apply does; where `condition` (if defined) is false, no variable changes.
  void Apply(const GradientList& gradients, const Tensor& condition);

  /// A number, f32; a variable of another dtype gets it converted.
  /// None may be negative, infinite or NaN.
  Variable Hyper(const char* what, double value);
  void Decay(DecayKind kind, const WeightDecay& weight_decay);
  bool Decays(const Variable& p) const { return decay.defined() && (!decays || decays(p)); }

  /// The slot of a variable: at first `initial` everywhere.
  Variable Slot(const char* what, const Variable& p, double initial = 0) { return Slot(what, p, p.shape(), initial); }
  Variable Slot(const char* what, const Variable& p, const Shape& shape, double initial = 0);

  /// What a step sees of p and its slots, and makes of them: all, or the rows of a sparse gradient.
  Tensor Old(const Variable& v) const { return rows.defined() ? RowsOf(v) : v.value(); }
  /// Assigns, unless this step is one that changes nothing.
  void Set(const Variable& v, const Tensor& value) const {
    if (rows.defined()) return SetRows(v, ir::Op::kScatterSet, rows, value);
    v.Assign(condition.defined() ? Where(condition, value, v) : value);
  }
  void SetRows(const Variable& v, ir::Op op, const Tensor& indices, const Tensor& values) const;

  /// The slot becomes decay slot + rest value; returns that.
  Tensor Average(const Variable& slot, const Tensor& decay_, const Tensor& value, const Tensor& rest) const {
    const Tensor next = Blend(Old(slot), decay_, value, rest);
    Set(slot, next);
    return next;
  }

  const std::string name;
  const Schedule schedule;
  Variable learning_rate;
  Variable step;     // number of steps done; null if nobody asks
  runtime::Mutex mutex;  // guards slots and all
  std::map<std::pair<std::string, uint64_t>, Variable> slots;
  std::map<uint64_t, double> slot_starts;       // what slots begin with, by their ids
  std::map<uint64_t, std::string> slot_owners;  // what slots call their variable, by its id: names, made distinct
  std::set<std::string> owner_names;
  std::map<std::string, Tensor> kept;           // values of slots that do not exist yet, by their names
  std::set<std::string> kept_owners;  // whose slots were loaded, as kept names them, without the slot's own
  bool kept_whole = false;  // loaded strictly: all slots of its variables, and of no others
  bool kept_unchecked = false;  // no step has looked whether they are those of its variables
  std::vector<Variable> all;

  /// Takes the place of all that is kept.
  void Keep(std::map<std::string, Tensor> values, bool whole);

  /// Whether the rule has slots of that name.
  bool HasSlot(std::string_view what) const;

  DecayKind decay_kind = DecayKind::kNone;
  Variable decay;
  std::function<bool(const Variable&)> decays;

  // Of the step in progress:
  Tensor rate, decay_value;
  Tensor count;  // number of this step, from 1 on
  Tensor condition;  // null: always
  Tensor rows;  // indices of the rows of a sparse gradient, each once, and -1 in places left over; null: all

 private:
  std::string Owner(const Variable& p);
  void CheckKept(const GradientList& gradients);
  Tensor TakeKept(const std::string& slot, const Type& type);
  Variable Create(const char* what, const Tensor& initial);
  Tensor RowsOf(const Variable& v) const;
  void Begin();
  void Update(const Variable& p, Tensor g);
  void UpdateSparse(const Variable& p, const IndexedSlices& g);
};

/// What Adam and its relatives keep: decaying means of g and of g^2.
struct Moments : OptimizerData {
  Moments(std::string name_, Schedule schedule_, double b1_, double b2_, double epsilon_)
      : OptimizerData(std::move(name_), std::move(schedule_)) {
    beta_1 = Hyper("beta_1", b1_);
    beta_2 = Hyper("beta_2", b2_);
    epsilon = Hyper("epsilon", epsilon_);
  }

  void BeginStep() override {
    b1 = beta_1.value();
    b2 = beta_2.value();
    eps = epsilon.value();
    rest_1 = Sub(1, b1);
    rest_2 = Sub(1, b2);
  }

  std::vector<std::string_view> SlotNames() const override { return {"m", "v"}; }

  // The power of a decay after this step; starts at 1.
  Tensor Raise(const Variable& power, const Tensor& by) {
    const Tensor next = Mul(power, by);
    Set(power, next);
    return next;
  }
  Tensor NextFirst(const Variable& p, const Tensor& g) { return Average(Slot("m", p), As(b1, p), g, As(rest_1, p)); }
  Tensor NextSecond(const Variable& p, const Tensor& g) {
    return Average(Slot("v", p), As(b2, p), Square(g), As(rest_2, p));
  }

  Variable beta_1, beta_2, epsilon;
  Tensor b1, b2, eps, rest_1, rest_2;  // of the step in progress
};

/// What an ExponentialMovingAverage has.
struct AverageData {
  Variable decay, count;
  runtime::Mutex mutex;  // guards averages, kept and all
  std::map<uint64_t, Variable> averages;
  std::map<std::string, Tensor> kept;  // values of averages that do not exist yet, by their names
  std::vector<Variable> all;

  /// Made at the first call, with the value that was kept for it or the variable's.
  Variable AverageOf(const Variable& v);
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPTIM_OPTIMIZER_DATA_H_
