#ifndef REEL_PASSES_VECTORIZE_RULE_H_
#define REEL_PASSES_VECTORIZE_RULE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/hash_map.h"
#include "passes/gradient/flow.h"
#include "passes/without.h"

// How a batching rule is written. Every op of ops.def has exactly one definition
//
//   BATCH(Reverse) { c.Emit({c.rows()}, c.Shifted({"axes"})); }
//   SHARED(Iota)   // no operands: never batched
//
// in rules/<family>.cc (elementwise ops have theirs from ops.def); a missing one is a link error. A
// rule runs for nodes of which an operand is batched, which means: has the rows as its first axis.

namespace reel::passes {

/// Asks for a function with leading axes on these parameters, and on these results at least.
struct BatchKey {
  std::string function;
  Mask parameters, results = {};  ///< results: empty = none is asked for
  template <typename H>
  friend H AbslHashValue(H h, const BatchKey& k) {
    return H::combine(std::move(h), k.function, k.parameters, k.results);
  }
  friend bool operator==(const BatchKey&, const BatchKey&) = default;
};

struct BuiltBatch {
  std::string name;  ///< in the module
  Mask results;      ///< which have the leading axis
};

/// The batched functions made so far, and the number of rows.
class BatchFunctions {
 public:
  BatchFunctions(ir::Module* module, Extent rows) : module_(module), rows_(rows) {}

  ir::Module* module() { return module_; }
  Extent rows() const { return rows_; }
  /// Null if it is not built.
  const BuiltBatch* Find(const BatchKey& key) const;
  void Add(const BatchKey& key, BuiltBatch built);
  /// Adds a function under the first free name like its own; returns that name.
  std::string AddFunction(ir::Function function);
  /// A function that does the same without checks, or the function itself: what runs for rows that do not ask for
  /// its results must not fail.
  std::string WithoutChecks(const std::string& function);

 private:
  ir::Module* module_;
  Extent rows_;
  HashMap<BatchKey, std::unique_ptr<BuiltBatch>> built_;
  Names unchecked_;
};

/// [rows, shape...]; an error of the builder if that has too many axes.
Shape WithRows(ir::Builder& b, Extent rows, const Shape& shape);
/// x repeated along a new leading axis.
ir::Value Repeat(ir::Builder& b, Extent rows, ir::Value x);
/// A value per row [rows], repeated in the shape [rows, ...].
ir::Value PerRow(ir::Builder& b, ir::Value x, const Shape& shape);
/// The axis moved to another position, the others in their order.
ir::Value MoveAxis(ir::Builder& b, ir::Value x, int64_t from, int64_t to);

/// What a rule sees of a node, and where it leaves its results.
class BatchContext {
 public:
  BatchContext(ir::Builder* b, const ir::Function* from, const ir::Node& node, BatchFunctions* functions,
               ir::ValueList operands, Mask batched)
      : b_(b),
        from_(from),
        node_(node),
        functions_(functions),
        operands_(std::move(operands)),
        batched_(std::move(batched)),
        results_(static_cast<size_t>(node.num_results)),
        result_batched_(static_cast<size_t>(node.num_results)) {}

  using Ints = std::vector<int64_t>;

  const ir::Node& node() const { return node_; }
  BatchFunctions& functions() { return *functions_; }
  ir::Module* module() { return functions_->module(); }
  Extent num_rows() const { return functions_->rows(); }
  /// The number of rows, for rules that count with it; an error of the builder if it is symbolic.
  int64_t CountRows();
  int num_operands() const { return static_cast<int>(operands_.size()); }
  const Mask& batched() const { return batched_; }
  bool batched(int i) const { return batched_[static_cast<size_t>(i)]; }
  /// Operand i as it is: one for all rows unless batched(i).
  ir::Value in(int i = 0) const { return operands_[static_cast<size_t>(i)]; }
  /// Operand i with the leading axis, repeated if it had none.
  ir::Value rows(int i = 0);
  ir::ValueList AllRows();
  /// Types in the function of one example.
  const Type& x_type(int i = 0) const { return from_->type(node_.operands[static_cast<size_t>(i)]); }
  const Type& y_type(int i = 0) const { return from_->type(node_.result(i)); }
  const Ints& ints(std::string_view name) const { return node_.attr<Ints>(name); }
  /// The node's attributes with the axes named by these one further.
  ir::Attributes Shifted(std::initializer_list<std::string_view> axes) const;

  /// Result i, with the leading axis unless `batched` is false.
  void Set(int i, ir::Value y, bool batched = true) {
    results_[static_cast<size_t>(i)] = y;
    result_batched_[static_cast<size_t>(i)] = batched;
  }
  /// The node's op on batched operands: all results are batched.
  void Emit(absl::Span<const ir::Value> operands, ir::Attributes attributes);
  void Emit(std::initializer_list<ir::Value> operands, ir::Attributes attributes) {
    Emit(absl::MakeConstSpan(operands.begin(), operands.size()), std::move(attributes));
  }

  /// For control ops: a batched function, or null after noting that it must be built first: the
  /// rule then returns without emitting anything and is run again.
  const BuiltBatch* Require(BatchKey key) {
    const BuiltBatch* built = functions_->Find(key);
    if (!built) request_ = std::move(key);
    return built;
  }

 private:
  friend class FunctionBatch;
  ir::Builder* b_;
  const ir::Function* from_;
  const ir::Node& node_;
  BatchFunctions* functions_;
  ir::ValueList operands_;
  Mask batched_;
  ir::ValueList results_;
  Mask result_batched_;
  std::optional<BatchKey> request_;
};

struct BatchRule {
  void (*emit)(BatchContext& c, ir::Builder& b);  // null: without operands, so never batched
};

#define BATCH(Enum)                                         \
  static void Batch##Enum(BatchContext& c, ir::Builder& b); \
  extern const BatchRule k##Enum##Batching;                 \
  const BatchRule k##Enum##Batching{Batch##Enum};           \
  static void Batch##Enum([[maybe_unused]] BatchContext& c, [[maybe_unused]] ir::Builder& b)
#define SHARED(Enum)                        \
  extern const BatchRule k##Enum##Batching; \
  const BatchRule k##Enum##Batching{nullptr};

}  // namespace reel::passes

#endif  // REEL_PASSES_VECTORIZE_RULE_H_
