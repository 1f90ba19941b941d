#ifndef REEL_FRONTEND_KEEP_STATE_H_
#define REEL_FRONTEND_KEEP_STATE_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reel/weights.h"

namespace reel::internal {

/// One value of a state: its type, how to read and how to set it.
struct StateEntry {
  std::string name;
  Type type;
  std::function<Tensor()> get;
  std::function<void(const Tensor&)> set;
  /// Of a slot: what it begins with, and whose it is. The state of an optimizer from before its first step has none.
  std::optional<double> start = {};
  const void* owner = nullptr;
  /// What is wrong with a value of this type; empty: nothing.
  std::function<std::string(const Tensor&)> check = {};
};

/// What a StateRef is made of. Names are relative to it; "" is one that is the whole of it.
class StateSource {
 public:
  virtual ~StateSource() = default;
  /// What exists.
  virtual std::vector<StateEntry> Entries() const = 0;
  /// Values of what does not exist yet, but will begin with them.
  virtual StateDict Waiting() const { return {}; }
  /// Makes variables for these values where their sizes follow from them; Unmake() is the way back.
  virtual void Make(const StateDict&) {}
  virtual void Unmake() {}
  /// What has no variables, and had to have some, after Make(): names of layers.
  virtual std::vector<std::string> Unmade() const { return {}; }
  /// Whether a variable of that name may come.
  virtual bool Expects(std::string_view) const { return false; }
  /// Takes the place of all that waits. `whole`: it is all that there will be.
  virtual void Wait(const StateDict&, bool /*whole*/) {}
};

StateEntry EntryOf(std::string name, const Variable& variable);
/// LoadState(); `what` begins the error.
void LoadState(StateSource* source, const StateDict& values, bool strict, std::string_view what);
/// GetState().
StateDict ValuesOf(const StateSource& source);
/// outer/inner; either alone if the other is empty.
std::string Joined(std::string_view outer, std::string_view inner);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_KEEP_STATE_H_
