#include <algorithm>
#include <mutex>

#include "frontend/data/iterator.h"
#include "frontend/keep/state.h"
#include "frontend/nn/layer_data.h"
#include "frontend/optim/optimizer_data.h"
#include "frontend/values/status.h"
#include "ir/strings.h"

// What states are made of: layers, optimizers, averages, variables, numbers, and parts with names.

namespace reel {
namespace internal {
namespace {

/// The name behind "outer/"; all of it if it does not begin so.
std::string Behind(std::string_view outer, std::string_view name) {
  if (!outer.empty() && name.starts_with(outer) && name.substr(outer.size()).starts_with('/'))
    name.remove_prefix(outer.size() + 1);
  return std::string(name);
}

class VariablesSource : public StateSource {
 public:
  /// Names without what they all begin with.
  explicit VariablesSource(std::vector<Variable> variables, std::string outer = "")
      : variables_(std::move(variables)), outer_(std::move(outer)) {
    for (const Variable& v : variables_) {
      if (!v.defined()) ThrowInvalid("state: a variable is null");
    }
  }
  std::vector<StateEntry> Entries() const override {
    std::vector<StateEntry> out;
    for (const Variable& v : variables_) out.push_back(EntryOf(Behind(outer_, v.name()), v));
    return out;
  }

 private:
  std::vector<Variable> variables_;
  std::string outer_;
};

/// One variable, or one number, that is the whole.
class OneSource : public StateSource {
 public:
  explicit OneSource(StateEntry entry) : entry_(std::move(entry)) {}
  std::vector<StateEntry> Entries() const override { return {entry_}; }

 private:
  StateEntry entry_;
};

StateEntry EntryOfNumber(int64_t* number) {
  if (!number) ThrowInvalid("state: the pointer to a number is null");
  return {"",
          {kInt64, Shape()},
          [number] { return Tensor(*number); },
          [number](const Tensor& value) { *number = value.item<int64_t>(); }};
}

class LayerSource : public StateSource {
 public:
  explicit LayerSource(std::shared_ptr<LayerData> layer) : layer_(std::move(layer)) {}

  std::vector<StateEntry> Entries() const override {
    std::vector<StateEntry> out;
    for (const Variable& v : AllVariables(layer_.get()))
      out.push_back(EntryOf(Behind(layer_->options.name, v.name()), v));
    return out;
  }

  void Make(const StateDict& values) override {
    KeptVariables kept;
    for (const auto& [name, value] : values) kept.emplace(name, Variable(value));
    made_ = BuildKept(layer_.get(), kept);
  }
  void Unmake() override {
    for (LayerData* layer : made_) {
      layer->built = false;
      layer->variables.clear();
    }
    made_.clear();
  }
  std::vector<std::string> Unmade() const override {
    std::vector<std::string> out;
    for (const LayerData* layer : Family(layer_.get())) {
      if (!layer->built)
        out.push_back(layer == layer_.get() ? layer->options.name : Behind(layer_->options.name, layer->options.name));
    }
    return out;
  }

 private:
  const std::shared_ptr<LayerData> layer_;
  std::vector<LayerData*> made_;
};

/// An optimizer or averages: variables, and values kept for those to come, all of them called outer/...
template <typename Data>
class SlotsSource : public StateSource {
 public:
  SlotsSource(std::shared_ptr<Data> data, std::string outer) : data_(std::move(data)), outer_(std::move(outer)) {}

  std::vector<StateEntry> Entries() const override {
    const std::lock_guard lock(data_->mutex);
    std::vector<StateEntry> out;
    for (const Variable& v : data_->all) {
      out.push_back(EntryOf(Behind(outer_, v.name()), v));
      out.back().owner = data_.get();
      if constexpr (std::is_same_v<Data, OptimizerData>) {
        if (const auto start = data_->slot_starts.find(v.id()); start != data_->slot_starts.end())
          out.back().start = start->second;
      }
    }
    return out;
  }
  StateDict Waiting() const override {
    const std::lock_guard lock(data_->mutex);
    StateDict out;
    for (const auto& [name, value] : data_->kept) out.emplace_back(Behind(outer_, name), value);
    return out;
  }
  bool Expects(std::string_view name) const override {
    if constexpr (std::is_same_v<Data, AverageData>) {
      return name != "count" && name != "decay";
    } else {
      const size_t slash = name.rfind('/');
      return slash != name.npos && data_->HasSlot(name.substr(slash + 1));
    }
  }
  void Wait(const StateDict& values, bool whole) override {
    std::map<std::string, Tensor> kept;
    for (const auto& [name, value] : values) kept.emplace(StrCat(outer_, "/", name), value);
    if constexpr (std::is_same_v<Data, OptimizerData>) {
      data_->Keep(std::move(kept), whole);
    } else {
      const std::lock_guard lock(data_->mutex);
      data_->kept = std::move(kept);
    }
  }

 private:
  const std::shared_ptr<Data> data_;
  const std::string outer_;
};

class PartsSource : public StateSource {
 public:
  using Parts = std::vector<std::pair<std::string, StateRef>>;
  explicit PartsSource(Parts parts) : parts_(std::move(parts)) {}

  std::vector<StateEntry> Entries() const override {
    std::vector<StateEntry> out;
    for (const auto& [name, part] : parts_) {
      for (StateEntry& entry : part.internal_data()->Entries()) {
        entry.name = Joined(name, entry.name);
        out.push_back(std::move(entry));
      }
    }
    return out;
  }
  StateDict Waiting() const override {
    StateDict out;
    for (const auto& [name, part] : parts_) {
      for (const auto& [inner, value] : part.internal_data()->Waiting()) out.emplace_back(Joined(name, inner), value);
    }
    return out;
  }
  void Make(const StateDict& values) override {
    for (const auto& [name, part] : parts_) part.internal_data()->Make(Of(name, values));
  }
  void Unmake() override {
    for (const auto& [name, part] : parts_) part.internal_data()->Unmake();
  }
  std::vector<std::string> Unmade() const override {
    std::vector<std::string> out;
    for (const auto& [name, part] : parts_) {
      for (const std::string& layer : part.internal_data()->Unmade()) out.push_back(Joined(name, layer));
    }
    return out;
  }
  bool Expects(std::string_view full) const override {
    for (const auto& [name, part] : parts_) {
      if (Has(name, full) && part.internal_data()->Expects(Behind(name, full))) return true;
    }
    return false;
  }
  void Wait(const StateDict& values, bool whole) override {
    for (const auto& [name, part] : parts_) {
      StateDict own;
      for (auto& value : Of(name, values)) {
        if (part.internal_data()->Expects(value.first)) own.push_back(std::move(value));
      }
      part.internal_data()->Wait(own, whole);
    }
  }

 private:
  static bool Has(std::string_view part, std::string_view full) {
    return part.empty() || (full.starts_with(part) && full.substr(part.size()).starts_with('/'));
  }
  static StateDict Of(const std::string& part, const StateDict& values) {
    StateDict out;
    for (const auto& [name, value] : values) {
      if (Has(part, name)) out.emplace_back(Behind(part, name), value);
    }
    return out;
  }

  const Parts parts_;
};

}  // namespace

std::vector<LayerData*> BuildKept(LayerData* outer, const KeptVariables& variables) {
  std::vector<LayerData*> built;
  for (LayerData* layer : Family(outer)) {
    if (layer->built) continue;
    const std::string prefix = layer == outer ? "" : StrCat(Behind(outer->options.name, layer->options.name), "/");
    KeptVariables own;
    for (auto v = variables.lower_bound(prefix); v != variables.end() && v->first.starts_with(prefix); ++v)
      own.emplace(v->first.substr(prefix.size()), v->second);
    if (own.empty()) continue;
    const KeptScope scope(own);
    try {
      layer->BuildKept();
    } catch (const Error& error) {  // values that are not its own: a difference like others
      if (error.code() != ErrorCode::kInvalidArgument) throw;
    }
    if (layer->built) built.push_back(layer);
  }
  return built;
}

}  // namespace internal

using internal::EntryOf;

StateRef::StateRef(const Layer& layer) : data_(std::make_shared<internal::LayerSource>(layer.internal_data())) {}
StateRef::StateRef(const Optimizer& optimizer)
    : data_(std::make_shared<internal::SlotsSource<internal::OptimizerData>>(optimizer.internal_data(),
                                                                             optimizer.internal_data()->name)) {}
StateRef::StateRef(const Generator& generator) {
  if (!generator.state().defined())
    internal::ThrowInvalid("state: a generator from a key has no state of its own; keep the key");
  data_ = std::make_shared<internal::OneSource>(EntryOf("", generator.state()));
}
StateRef::StateRef(const ExponentialMovingAverage& average)
    : data_(std::make_shared<internal::SlotsSource<internal::AverageData>>(average.internal_data(), "average")) {}
StateRef::StateRef(const LossScale& scale)
    : data_(std::make_shared<internal::VariablesSource>(scale.variables(), "loss_scale")) {}
StateRef::StateRef(const DatasetIterator& iterator) : data_(std::make_shared<internal::OneSource>(EntryOf(iterator))) {}
StateRef::StateRef(const Variable& variable) {
  if (!variable.defined()) internal::ThrowInvalid("state: a variable is null");
  data_ = std::make_shared<internal::OneSource>(EntryOf("", variable));
}
StateRef::StateRef(const std::vector<Variable>& variables)
    : data_(std::make_shared<internal::VariablesSource>(variables)) {}
StateRef::StateRef(int64_t* number) : data_(std::make_shared<internal::OneSource>(internal::EntryOfNumber(number))) {}
StateRef::StateRef(std::vector<std::pair<std::string, StateRef>> parts)
    : data_(std::make_shared<internal::PartsSource>(std::move(parts))) {}

}  // namespace reel
