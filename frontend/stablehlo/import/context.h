#ifndef REEL_FRONTEND_STABLEHLO_IMPORT_CONTEXT_H_
#define REEL_FRONTEND_STABLEHLO_IMPORT_CONTEXT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "frontend/stablehlo/import/syntax.h"
#include "reel/ops.h"
#include "reel/tensor.h"

// What the functions that read one operation (ops/*.cc) see of it, and their table.

namespace reel::stablehlo::reading {

using Tensors = std::vector<Tensor>;
using Ints = std::vector<int64_t>;

/// A value of the program in the trace, and what is known of its elements.
struct Value {
  Value() = default;
  Value(Tensor tensor_) : tensor(std::move(tensor_)) {}  // NOLINT: nothing is known

  Tensor tensor;
  std::shared_ptr<const ir::Literal> element;  ///< what all elements are, of rank 0; null if not known
  int iota_axis = -1;                          ///< the elements are their positions along this axis
  Tensor companion;                            ///< Q beside a factorization in LAPACK's form
};
using Values = std::vector<Value>;

/// Throws Unimplemented: Reel does not have this.
[[noreturn]] void Refuse(std::string_view what);
/// Throws InvalidArgument: the operation is wrong.
[[noreturn]] void Malformed(std::string_view what);

/// The processes that run a program together, by the module's attributes mhlo.num_replicas and mhlo.num_partitions.
struct Processes {
  int64_t replicas = 1, partitions = 1;
  bool said = false;  ///< the module has one of the attributes
  absl::Span<const Mesh> meshes;

  int64_t count() const { return replicas * partitions; }
};

/// One operation as its handler sees it.
class Context {
 public:
  /// Runs a region of the operation within its scope.
  using RunRegion = std::function<Tensors(const Region&, const Tensors& arguments)>;
  /// What the scope knows of a value by name; null if there is no such value.
  using LookUp = std::function<const Value*(const std::string& name)>;

  Context(const Operation& op, const Processes& processes, Values inputs, RunRegion run, LookUp look_up)
      : op_(op),
        processes_(processes),
        inputs_(std::move(inputs)),
        run_(std::move(run)),
        look_up_(std::move(look_up)) {}

  const Operation& op() const { return op_; }
  const Processes& processes() const { return processes_; }
  size_t size() const { return inputs_.size(); }
  /// Operand i; throws if there are fewer.
  const Value& Input(size_t i) const;
  const Tensor& x(size_t i) const { return Input(i).tensor; }
  Tensors All() const;
  /// The type that the text says result i has.
  const Type& type(size_t i = 0) const;

  // Attributes, of both spellings.
  bool Has(std::string_view name) const { return op_.Find(name) != nullptr; }
  /// The field of a record that is an attribute, such as dot_dimension_numbers, or of the operation itself.
  const Attribute* Field(std::string_view record, std::string_view name) const;
  /// Integers of a list or of dense<...>; `otherwise` if it is left out.
  Ints ReadInts(std::string_view name, const Ints& otherwise = {}) const;
  Ints ReadInts(const Attribute* attribute, std::string_view name, const Ints& otherwise = {}) const;
  Ints NeedInts(std::string_view name) const;
  int64_t Int(std::string_view name, int64_t otherwise) const;
  int64_t NeedInt(std::string_view name) const;
  bool Bool(std::string_view name, bool otherwise) const;
  /// The word or string, or `otherwise`.
  std::string Word(std::string_view name, std::string_view otherwise = "") const;
  /// Pairs of a matrix n x 2, for n axes; zeros if it is left out.
  std::vector<std::pair<int64_t, int64_t>> Pairs(std::string_view name, size_t n) const;

  const Region& region(size_t i) const;
  Tensors Run(const Region& region, const Tensors& arguments) const { return run_(region, arguments); }
  const Value* Find(const std::string& name) const { return look_up_(name); }

 private:
  const Operation& op_;
  const Processes& processes_;
  Values inputs_;
  RunRegion run_;
  LookUp look_up_;
};

/// How one operation is read: its results.
struct ImportRow {
  std::string_view name;
  Values (*handler)(const Context&);  ///< null: it cannot be, and the note says why
  std::string_view note = "";
};

absl::Span<const ImportRow> ElementwiseRows();
absl::Span<const ImportRow> ComposedRows();
absl::Span<const ImportRow> ShapeRows();
absl::Span<const ImportRow> ReduceRows();
absl::Span<const ImportRow> ContractRows();
absl::Span<const ImportRow> IndexRows();
absl::Span<const ImportRow> ControlRows();
absl::Span<const ImportRow> LinalgRows();
absl::Span<const ImportRow> CollectiveRows();
/// Functions that stablehlo.custom_call names.
absl::Span<const ImportRow> CustomCallRows();
absl::Span<const ImportRow> RefusedRows();

/// The row of an operation, or of what a custom_call names ("custom_call @name"); null if there is none.
const ImportRow* FindRow(const Operation& op);
/// The table as Markdown: each operation, done, or why not.
std::string ImportTable();

// --- what handlers share ---

/// A constant; a splat is one number, stretched.
Tensor ConstantOf(const DenseElements& dense);
/// An integer of every element's dtype, as a scalar.
Tensor ScalarOf(DType dtype, int64_t value);
/// The elements along one axis.
Tensor Transposed(const Tensor& x, const Ints& permutation);
Tensor Reshaped(const Tensor& x, const Shape& shape);
/// Operand axis i becomes axis axes[i] of the shape.
Tensor BroadcastAlong(const Tensor& x, const Shape& shape, const Ints& axes);
/// Low, high (negative: cut) and interior padding of every axis with a scalar.
Tensor Padded(const Tensor& x, const Tensor& value, const Ints& low, const Ints& high, const Ints& interior);
/// The inverse of a permutation.
Ints Inverse(const Ints& permutation);
/// Axes in order, distinct and below rank; throws Malformed.
void CheckAxes(const Ints& axes, int rank, std::string_view what);

/// What a region of 2 n scalars computes for operand i: the name of the one operation on its pair of arguments, "first"
/// or "second" if it returns one of them, "" if it is something else.
std::string CombinerOf(const Region& region, size_t i);
/// Elements along the leading axis, one at least, combined by the operation's region, which the specification says is
/// associative: neighbours, until one is left.
Tensors FoldRows(const Context& c, Tensors xs);
/// Whether the literal is what the combiner leaves everything as it is with.
bool IsNeutral(std::string_view combiner, const ir::Literal& element);

}  // namespace reel::stablehlo::reading

#endif  // REEL_FRONTEND_STABLEHLO_IMPORT_CONTEXT_H_
