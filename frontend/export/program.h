#ifndef REEL_FRONTEND_EXPORT_PROGRAM_H_
#define REEL_FRONTEND_EXPORT_PROGRAM_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

// What a writer of another format begins with: one entry point of a module, in the ops that the format has.

namespace reel::exports {

/// A variable of the entry point: an argument with a value to begin with, and a result if it is updated.
struct State {
  std::string variable;
  ir::Literal initial;
  bool updated = false;  ///< else the function only reads it
};

struct Program {
  ir::Module module;       ///< the entry point and the functions of its loops and branches
  std::string entry;
  std::vector<State> state;  ///< in the order of main().state()

  const ir::Function& main() const { return *module.FindFunction(entry); }
};

/// What a format asks for.
struct Format {
  std::string_view name;  ///< "onnx": errors begin with it
  /// Nodes that become the composition of passes/expand; null: none does.
  std::function<bool(const ir::Function&, const ir::Node&)> expands = nullptr;
  bool has_complex = true;  ///< else complex values become two real ones; at the borders c64[S] is f32[S, 2]
  bool has_random_bits = false;  ///< else random_bits becomes its rounds of Philox, in i64 and u64
  /// Why the format cannot say a node; empty if it can. Asked of what is left when all else is done.
  std::function<std::string(const ir::Function&, const ir::Node&)> refuses = nullptr;
};

/// The entry point (empty: "main" or the only one) with calls written out, for the format. An error names the op, the
/// function and the user's line.
absl::StatusOr<Program> Prepare(const ir::Module& module, std::string_view entry, const Format& format);

}  // namespace reel::exports

#endif  // REEL_FRONTEND_EXPORT_PROGRAM_H_
