#ifndef REEL_PASSES_EXPAND_LOOP_H_
#define REEL_PASSES_EXPAND_LOOP_H_

#include <functional>
#include <string>

#include "ir/builder.h"

namespace reel::passes {

/// Writes loops of an expansion as `while`, whose functions it adds to the module.
class Loops {
 public:
  /// The functions are called name.body, name.cond, ... .
  Loops(ir::Module* module, std::string_view name) : module_(module), name_(name) {}

  using Values = absl::Span<const ir::Value>;
  /// One step: new carried values from the step's number (i32), the carried and the fixed values.
  using Body = std::function<ir::ValueList(ir::Builder& b, ir::Value i, Values carried, Values fixed)>;
  /// Whether to go on, a bool[].
  using Condition = std::function<ir::Value(ir::Builder& b, Values carried)>;

  /// Runs body for i = 0, 1, ... below `count`; returns the carried values. With a condition, only
  /// as long as it holds of the carried values.
  ir::ValueList For(ir::Builder& b, int64_t count, Values carried, Values fixed, const Body& body,
                    const Condition& condition = nullptr);

 private:
  ir::Module* module_;
  std::string name_;
};

}  // namespace reel::passes

#endif  // REEL_PASSES_EXPAND_LOOP_H_
