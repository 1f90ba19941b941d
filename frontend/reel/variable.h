#ifndef REEL_VARIABLE_H_
#define REEL_VARIABLE_H_

#include <iosfwd>
#include <memory>
#include <source_location>
#include <string>

#include "reel/indexed_slices.h"
#include "reel/tensor.h"

namespace reel {

class Operand;

/// How a Variable is made: `Variable w(Zeros({2}), {.name = "w"});`
struct VariableOptions {
  std::string name = "variable";
  bool trainable = true;
};

/// A named, mutable value of fixed type: a shared handle, copies are the same variable. Assigning
/// never changes a tensor that was read before. Ops take variables as operands and read them at
/// that moment.
class Variable {
 public:
  /// The null handle.
  Variable() = default;
  explicit Variable(const Tensor& initial, VariableOptions options = {},
                    std::source_location location = std::source_location::current());

  /// What it was made with.
  const std::string& name() const;
  bool trainable() const;
  const Type& type() const;
  DType dtype() const { return type().dtype; }
  const Shape& shape() const { return type().shape; }
  /// Position in the order of creation, and identity.
  uint64_t id() const;
  bool defined() const { return data_ != nullptr; }

  /// The present value, as a new tensor. Tapes see a read.
  Tensor value(std::source_location location = std::source_location::current()) const;
  /// Replaces the value; dtype and shape must be the variable's (weak scalars are converted).
  void Assign(const Operand& value) const;
  /// Assign(value() + delta) and Assign(value() - delta).
  void AssignAdd(const Operand& delta) const;
  void AssignSub(const Operand& delta) const;

  /// Name, type and present value: "w: f32[2] = [1. 2.]". No tape, recording or trace sees a read.
  std::string str() const;
  friend std::ostream& operator<<(std::ostream& stream, const Variable& variable);

  explicit Variable(std::shared_ptr<internal::VariableData> data) : data_(std::move(data)) {}
  const std::shared_ptr<internal::VariableData>& internal_data() const { return data_; }

 private:
  std::shared_ptr<internal::VariableData> data_;
};

/// What ops accept: a tensor, a variable (read when the op runs) or a number. A number is weak: it
/// takes the dtype of the other operand. Remembers the user's line.
class Operand {
 public:
  Operand(const Tensor& tensor,  // NOLINT: implicit by design
          std::source_location location = std::source_location::current())
      : tensor_(tensor), location_(location) {}
  Operand(const Variable& variable,  // NOLINT
          std::source_location location = std::source_location::current())
      : variable_(variable), location_(location) {}
  template <internal::Element T>
  Operand(T value, std::source_location location = std::source_location::current())  // NOLINT
      : tensor_(value), weak_(true), location_(location) {}

  template <internal::MaybeSparse G>
  Operand(const G& gradient,  // NOLINT: made dense
          std::source_location location = std::source_location::current())
      : tensor_(gradient.Dense(location)), location_(location) {}

  /// The tensor; reads a variable. A number has its own C++ type here.
  Tensor tensor() const { return variable_.defined() ? variable_.value(location_) : tensor_; }
  /// The tensor, if the operand is one rather than a variable or a number, else null.
  const Tensor* plain() const { return weak_ || variable_.defined() ? nullptr : &tensor_; }
  /// The variable, or the null handle if the operand is none.
  const Variable& variable() const { return variable_; }
  /// Type without reading.
  const Type& type() const { return variable_.defined() ? variable_.type() : tensor_.type(); }
  /// True for a C++ number.
  bool weak() const { return weak_; }
  const std::source_location& location() const { return location_; }

 private:
  Tensor tensor_;
  Variable variable_;
  bool weak_ = false;
  std::source_location location_;
};

}  // namespace reel

#endif  // REEL_VARIABLE_H_
