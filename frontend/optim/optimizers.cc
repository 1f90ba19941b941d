#include "reel/optimizers.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "frontend/eager/dispatch.h"
#include "frontend/eager/update_rows.h"
#include "frontend/ops/index.h"
#include "frontend/optim/optimizer_data.h"
#include "frontend/optim/row_sums.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/functions.h"
#include "reel/indexing.h"
#include "reel/reductions.h"

// What all optimizers share, SGD, and those of Adam's family; the others are in
// optimizers_adaptive.cc.

namespace reel {
namespace internal {

Variable OptimizerData::Create(const char* what, const Tensor& initial) {
  const SuspendScope eager;
  Variable v(initial, {.name = StrCat(name, "/", what), .trainable = false});
  all.push_back(v);
  return v;
}

Variable OptimizerData::Hyper(const char* what, double value) {
  if (!(value >= 0) || std::isinf(value)) {
    ThrowInvalid(StrCat(name, ": ", what, " is ", value, "; it must be a finite number that is not negative"));
  }
  return Create(what, ScalarOf(kFloat32, value));
}

void OptimizerData::Decay(DecayKind kind, const WeightDecay& weight_decay) {
  if (weight_decay.amount == 0) return;
  decay_kind = kind;
  decay = Hyper("weight_decay", weight_decay.amount);
  decays = weight_decay.applies;
}

Variable OptimizerData::Slot(const char* what, const Variable& p, const Shape& shape, double initial) {
  const std::pair<std::string, uint64_t> key(what, p.id());
  {
    const std::lock_guard lock(mutex);
    if (const auto found = slots.find(key); found != slots.end()) return found->second;
  }
  if (!HasSlot(what)) ThrowError(ErrorCode::kInternal, StrCat(name, ": SlotNames() has no '", what, "'"));
  const SuspendScope eager;
  const std::string owner = Owner(p), full = StrCat(owner, "/", what);
  Tensor value = TakeKept(full, {StepType(p), shape});
  if (!value.defined() && kept_whole && kept_owners.contains(owner)) {
    ThrowInvalid(StrCat(name, ": the state that was loaded has slots of '", p.name(), "', but no '", what,
                        "'; is it of an optimizer with other options?"));
  }
  if (!value.defined()) value = Full(shape, initial, StepType(p));
  Variable slot(value, {.name = full, .trainable = false});
  const std::lock_guard lock(mutex);
  kept.erase(full);
  const auto [at, is_new] = slots.emplace(key, std::move(slot));
  if (is_new) all.push_back(at->second), slot_starts[at->second.id()] = initial;
  return at->second;
}

// "adam/dense/kernel", to which "/m" comes. A second variable of one name is called name_1 here, and so on, in the
// order of first steps.
std::string OptimizerData::Owner(const Variable& p) {
  const std::lock_guard lock(mutex);
  const auto [owner, is_new] = slot_owners.try_emplace(p.id(), p.name());
  for (int n = 1; is_new && !owner_names.insert(owner->second).second; ++n) owner->second = StrCat(p.name(), "_", n);
  return StrCat(name, "/", owner->second);
}

void OptimizerData::Keep(std::map<std::string, Tensor> values, bool whole) {
  const std::lock_guard lock(mutex);
  kept = std::move(values);
  kept_whole = whole;
  kept_unchecked = whole && !kept.empty();
  kept_owners.clear();
  for (const auto& [slot, value] : kept) kept_owners.insert(slot.substr(0, slot.rfind('/')));
}

// Slots that were loaded for variables of other names would be left alone, and those of this step begin anew,
// unnoticed.
void OptimizerData::CheckKept(const GradientList& gradients) {
  std::set<std::string> others;
  std::set<uint64_t> stepped;
  {
    const std::lock_guard lock(mutex);
    if (!std::exchange(kept_unchecked, false)) return;
    others = kept_owners;
    for (const auto& [key, slot] : slots) stepped.insert(key.second);
  }
  std::string missing;
  for (const GradientEntry& entry : gradients) {
    if (!entry.gradient || !entry.source.is_variable()) continue;
    const Variable& p = entry.source.variable();
    if (others.erase(Owner(p)) == 0 && !stepped.contains(p.id())) missing = p.name();
  }
  if (missing.empty() || others.empty()) return;
  ThrowInvalid(StrCat(name, ": slots were loaded for '", others.begin()->substr(name.size() + 1),
                      "', and the step has '", missing,
                      "', for which there are none. Layers that are made without a name are counted: give them "
                      "names, or make them in the same order as when the state was saved"));
}

Tensor OptimizerData::TakeKept(const std::string& slot, const Type& type) {
  const std::lock_guard lock(mutex);
  const auto found = kept.find(slot);
  if (found == kept.end()) return {};
  if (found->second.type() != type) {
    ThrowInvalid(StrCat(name, ": the value that was loaded for slot '", slot, "' is ", found->second.type().ToString(),
                        ", the variable needs ", type.ToString(), "; is it the state of another model?"));
  }
  return found->second;
}

bool OptimizerData::HasSlot(std::string_view what) const {
  for (const std::string_view slot : SlotNames()) {
    if (slot == what) return true;
  }
  return false;
}

namespace {

void WarnWithoutGradient(const std::string& optimizer, const std::string& variable) {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  std::fprintf(stderr, "reel: %s: variable '%s' has no gradient and is not updated; does the loss depend on it?\n",
               optimizer.c_str(), variable.c_str());
}

}  // namespace

void OptimizerData::Begin() {
  if (schedule.constant()) {
    rate = learning_rate.value();
  } else {
    rate = Cast(schedule(step), kFloat32);
    Set(learning_rate, rate);
  }
  if (step.defined()) {
    count = Add(step, int64_t{1});
    Set(step, count);
  }
  if (decay.defined()) decay_value = decay.value();
  BeginStep();
}

void OptimizerData::Update(const Variable& p, Tensor g) {
  const bool decayed = Decays(p);
  g = Wide(g);
  if (decayed && decay_kind == DecayKind::kCoupled) {
    const Tensor value = Wide(Old(p));
    g = Add(g, Mul(value, As(decay_value, p)));
  }
  const Tensor delta = Step(p, g);
  Tensor value = Wide(Old(p));
  if (decayed && decay_kind == DecayKind::kDecoupled) value = Mul(value, As(Sub(1, Mul(rate, decay_value)), p));
  Set(p, Cast(Sub(value, delta), p.dtype()));
}

Tensor OptimizerData::RowsOf(const Variable& v) const { return RowsAt(v.value(), rows); }

void OptimizerData::SetRows(const Variable& v, ir::Op op, const Tensor& indices, const Tensor& values) const {
  UpdateRows(v.internal_data(), op, condition.defined() ? Where(condition, indices, -1) : indices, values);
}

void OptimizerData::UpdateSparse(const Variable& p, const IndexedSlices& g) {
  Shape shape = g.values().shape();
  if (p.shape().rank() == shape.rank()) shape.set(0, p.shape()[0]);
  if (shape != p.type().shape || (g.dense_shape() && *g.dense_shape() != p.type().shape)) {
    ThrowInvalid(StrCat(name, ": the gradient of variable '", p.name(), "' has rows ", g.values().type().ToString(),
                        " of ", g.dense_shape() ? g.dense_shape()->ToString() : "an unknown shape",
                        ", the variable is ", p.type().ToString(), "; pass gradients in the order of their variables"));
  }
  if (!LeavesOthers(p)) return Update(p, g.Dense());
  const Tensor indices = CheckIndices("scatter_add", p.type(), g.indices(), 0);
  const IndexedSlices checked(g.values(), indices, p.type().shape);
  if (StepRows(p, checked)) return;
  const RowSums sums(checked);
  rows = sums.rows;
  const absl::Cleanup all = [this] { rows = Tensor(); };
  Update(p, sums.values);
}

void OptimizerData::Apply(const GradientList& gradients, const Tensor& when) {
  condition = when;
  CheckKept(gradients);
  Begin();
  for (const GradientEntry& entry : gradients) {
    if (!entry.source.is_variable()) {
      ThrowInvalid(
          StrCat(name, ": a source is a tensor ", entry.source.type().ToString(), "; only variables can be updated"));
    }
    const Variable& p = entry.source.variable();
    if (!entry.gradient) {
      if (p.trainable()) WarnWithoutGradient(name, p.name());
    } else if (!entry.gradient->sparse() && entry.gradient->shape() != p.type().shape) {
      ThrowInvalid(StrCat(name, ": the gradient of variable '", p.name(), "' has the shape ",
                          entry.gradient->shape().ToString(), ", the variable ", p.type().shape.ToString(),
                          "; pass gradients in the order of their variables"));
    } else if (entry.gradient->sparse()) {
      UpdateSparse(p, entry.gradient->slices());
    } else {
      Update(p, entry.gradient->Dense());
    }
  }
}

namespace {

struct SgdData : OptimizerData {
  explicit SgdData(const SgdOptions& options)
      : OptimizerData("sgd", options.learning_rate), nesterov(options.nesterov), lazy(options.lazy) {
    if (options.momentum != 0) momentum = Hyper("momentum", options.momentum);
    Decay(DecayKind::kCoupled, options.weight_decay);
  }

  void BeginStep() override {
    if (momentum.defined()) inertia = momentum.value();
  }

  std::vector<std::string_view> SlotNames() const override {
    if (!momentum.defined()) return {};
    return {"momentum"};
  }
  Tensor Step(const Variable& p, const Tensor& g) override {
    if (!momentum.defined()) return Mul(g, As(rate, p));
    const Variable velocity = Slot("momentum", p);
    const Tensor u = Add(Mul(Old(velocity), As(inertia, p)), g);
    Set(velocity, u);
    return Mul(nesterov ? Add(g, Mul(u, As(inertia, p))) : u, As(rate, p));
  }

  bool StepRows(const Variable& p, const IndexedSlices& g) override {
    if (momentum.defined() || Decays(p) || IsHalf(p.dtype())) return false;
    SetRows(p, ir::Op::kScatterAdd, g.indices(), Neg(Mul(g.values(), As(rate, p))));
    return true;
  }
  bool LeavesOthers(const Variable& p) const override { return lazy || (!momentum.defined() && !Decays(p)); }

  bool nesterov, lazy;
  Variable momentum;
  Tensor inertia;  // of the step in progress
};

struct AdamData : Moments {
  AdamData(const char* name_, const AdamOptions& options)
      : Moments(name_, options.learning_rate, options.beta_1, options.beta_2, options.epsilon),
        amsgrad(options.amsgrad),
        lazy(options.lazy) {
    power_1 = Hyper("beta_1_power", 1);
    power_2 = Hyper("beta_2_power", 1);
  }

  std::vector<std::string_view> SlotNames() const override {
    if (!amsgrad) return {"m", "v"};
    return {"m", "v", "v_max"};
  }

  // scaled / (sqrt(v) scale + epsilon) with scaled = learning_rate / (1 - beta_1^t) m, scale = 1 /
  // sqrt(1 - beta_2^t)
  void BeginStep() override {
    Moments::BeginStep();
    const Tensor p1 = Raise(power_1, b1), p2 = Raise(power_2, b2);
    scaled_rate = Div(rate, Sub(1, p1));
    scale = Rsqrt(Sub(1, p2));
  }

  Tensor Step(const Variable& p, const Tensor& g) override {
    const Tensor m = NextFirst(p, g);
    Tensor v = NextSecond(p, g);
    if (amsgrad) {
      const Variable largest = Slot("v_max", p);
      v = Maximum(Old(largest), v);
      Set(largest, v);
    }
    const Tensor root = Add(Mul(Sqrt(v), As(scale, p)), As(eps, p));
    return Div(Mul(m, As(scaled_rate, p)), root);
  }
  bool LeavesOthers(const Variable&) const override { return lazy; }

  bool amsgrad, lazy;
  Variable power_1, power_2;
  Tensor scaled_rate, scale;  // of the step in progress
};

struct AdamaxData : Moments {
  explicit AdamaxData(const AdamaxOptions& options)
      : Moments("adamax", options.learning_rate, options.beta_1, options.beta_2, options.epsilon) {
    power_1 = Hyper("beta_1_power", 1);
    Decay(DecayKind::kCoupled, options.weight_decay);
  }

  void BeginStep() override {
    Moments::BeginStep();
    scaled_rate = Div(rate, Sub(1, Raise(power_1, b1)));
  }

  std::vector<std::string_view> SlotNames() const override { return {"m", "u"}; }
  Tensor Step(const Variable& p, const Tensor& g) override {
    const Tensor m = NextFirst(p, g);
    const Variable norm = Slot("u", p);
    const Tensor u = Maximum(Mul(norm, As(b2, p)), Add(Abs(g), As(eps, p)));
    Set(norm, u);
    return Div(Mul(m, As(scaled_rate, p)), u);
  }

  Variable power_1;
  Tensor scaled_rate;  // of the step in progress
};

struct NadamData : Moments {
  explicit NadamData(const NadamOptions& options)
      : Moments("nadam", options.learning_rate, options.beta_1, options.beta_2, options.epsilon) {
    power_2 = Hyper("beta_2_power", 1);
    product = Hyper("momentum_product", 1);
    factor = Hyper("momentum_factor", std::pow(0.96, options.momentum_decay));
    factor_power = Hyper("momentum_factor_power", 1);
    Decay(DecayKind::kCoupled, options.weight_decay);
  }

  void BeginStep() override {
    Moments::BeginStep();
    const Tensor f = factor.value(), now = Raise(factor_power, f);
    const auto momentum = [&](const Tensor& power) {  // beta_1 (1 - 0.96^(t decay) / 2)
      return Mul(b1, Sub(1, Mul(power, 0.5)));
    };
    const Tensor mu = momentum(now), next = momentum(Mul(now, f));
    const Tensor all_mu = Raise(product, mu);
    of_gradient = Div(Mul(rate, Sub(1, mu)), Sub(1, all_mu));
    of_mean = Div(Mul(rate, next), Sub(1, Mul(all_mu, next)));
    scale = Rsqrt(Sub(1, Raise(power_2, b2)));
  }

  Tensor Step(const Variable& p, const Tensor& g) override {
    const Tensor m = NextFirst(p, g), v = NextSecond(p, g);
    const Tensor root = Add(Mul(Sqrt(v), As(scale, p)), As(eps, p));
    return Div(Add(Mul(g, As(of_gradient, p)), Mul(m, As(of_mean, p))), root);
  }

  Variable power_2, product, factor, factor_power;
  Tensor of_gradient, of_mean, scale;  // of the step in progress
};

std::shared_ptr<AdamData> MakeAdam(const char* name, const AdamOptions& options, DecayKind kind) {
  auto data = std::make_shared<AdamData>(name, options);
  data->Decay(kind, options.weight_decay);
  return data;
}

}  // namespace
}  // namespace internal

void Optimizer::Apply(const GradientList& gradients, std::source_location location) const {
  const internal::LocationScope scope(location);
  data_->Apply(gradients, Tensor());
}

void Optimizer::ApplyIf(const Operand& condition, const GradientList& gradients) const {
  const internal::LocationScope scope(condition);
  const Tensor when = condition.tensor();
  if (when.type() != Type{kBool, Shape()}) {
    internal::ThrowInvalid(StrCat(data_->name, ": the condition must be bool[], got ", when.type().ToString(),
                                  "; reduce it with ReduceAll"));
  }
  data_->Apply(gradients, when);
}

std::vector<Variable> Optimizer::variables() const {
  const std::lock_guard lock(data_->mutex);
  return data_->all;
}

const Variable& Optimizer::learning_rate() const { return data_->learning_rate; }

using internal::DecayKind;

Sgd::Sgd(const SgdOptions& options) : Optimizer(std::make_shared<internal::SgdData>(options)) {}
Adam::Adam(const AdamOptions& options) : Optimizer(internal::MakeAdam("adam", options, DecayKind::kCoupled)) {}
AdamW::AdamW(const AdamOptions& options) : Optimizer(internal::MakeAdam("adamw", options, DecayKind::kDecoupled)) {}
Adamax::Adamax(const AdamaxOptions& options) : Optimizer(std::make_shared<internal::AdamaxData>(options)) {}
Nadam::Nadam(const NadamOptions& options) : Optimizer(std::make_shared<internal::NadamData>(options)) {}

}  // namespace reel
