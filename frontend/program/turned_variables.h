#ifndef REEL_FRONTEND_PROGRAM_TURNED_VARIABLES_H_
#define REEL_FRONTEND_PROGRAM_TURNED_VARIABLES_H_

#include <cstddef>
#include <vector>

#include "codegen/program/program.h"
#include "passes/store_turned.h"
#include "reel/tensor.h"

namespace reel::internal {

/// Which variables of compiled code are stored in another order of their axes than the module has, or in panels
/// (passes/store_turned.h).
class TurnedVariables {
 public:
  /// Changes a module that is compiled next: weights that it only reads are stored as its products want them.
  void Turn(ir::Module* module);

  /// The type that the variable has for users.
  Type TypeOf(const codegen::VariableSlot& slot) const;
  /// Its value, of the bytes that are stored.
  Tensor Read(const codegen::VariableSlot& slot, const std::byte* stored) const;
  /// What is stored for a value of its type.
  Tensor Stored(const codegen::VariableSlot& slot, const Tensor& value) const;

 private:
  const passes::TurnedVariable* Find(const codegen::VariableSlot& slot) const;

  std::vector<passes::TurnedVariable> list_;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_TURNED_VARIABLES_H_
