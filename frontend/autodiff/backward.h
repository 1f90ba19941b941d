#ifndef REEL_FRONTEND_AUTODIFF_BACKWARD_H_
#define REEL_FRONTEND_AUTODIFF_BACKWARD_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "ir/hash_map.h"
#include "reel/tape.h"

// Differentiates a list of recorded ops: builds them as an ir::Function, lets the gradient pass
// append the backward graph, and sends the backward nodes through Dispatch. So there is one
// gradient, and tapes, recordings and traces around it see the backward ops as ordinary ops.

namespace reel::internal {

/// In the id of an operand: the tape did not follow it when the op ran, so no gradient flows to it.
inline constexpr uint64_t kDetached = uint64_t{1} << 63;

/// The types of recorded values: each exists once, as long as the table does.
class TypeTable {
 public:
  const Type* operator()(const Type& type) {
    for (const Type* recent : recent_) {
      if (recent && *recent == type) return recent;
    }
    return Find(type);
  }

 private:
  const Type* Find(const Type& type);

  std::array<const Type*, 4> recent_{};
  size_t next_ = 0;  // of recent_
  HashMap<std::string, std::unique_ptr<const Type>> types_;  // by key.h
};

/// One recorded op. A value is known by the id of its tensor, or of its variable. Types are of a table.
struct TapeEntry {
  ir::Op op;
  AttributesPtr attributes;
  absl::InlinedVector<uint64_t, 3> operands;
  absl::InlinedVector<const Type*, 3> operand_types;
  absl::InlinedVector<uint64_t, 1> results;
  absl::InlinedVector<const Type*, 1> result_types;
  absl::InlinedVector<Tensor, 2> kept;  // operands and results whose values the backward may need
  SourceLine line;
  std::shared_ptr<CustomCall> custom = {};  // of a function with its own gradient, else null
  absl::InlinedVector<std::weak_ptr<TensorData>, 1> alive = {};  // the results, for those who ask
};

/// A target, source or stop: the id under which entries know it, and its type.
struct GradientEnd {
  uint64_t id;
  Type type;
};

struct GradientRequest {
  std::vector<GradientEnd> targets;
  std::vector<std::optional<Tensor>> seeds;  // per target; empty = ones for all
  std::vector<GradientEnd> sources;
  std::vector<GradientEnd> stops;
  bool zero_unconnected = false;
  bool sparse = false;  // gradients of lookups stay rows
};

/// The gradients of the sources, computed now. In a trace, where every value can be named again,
/// `trace` is its id and entries need not keep values; else 0.
std::vector<std::optional<GradientValue>> RunGradient(absl::Span<const TapeEntry> entries,
                                                      const GradientRequest& request, uint64_t trace = 0);

/// The recorded op whose gradient the ops that run now on this thread are part of; null outside of a gradient.
std::optional<ir::Op>& GradientOf();

/// Records one op, detached from the operands that are not in `wanted` (bit i for operand i), with
/// the values that the gradients of the others need.
TapeEntry MakeEntry(const OpEvent& event, uint32_t wanted, TypeTable* types);
/// Records a function with its own gradient, detached from the operands that are not in `followed`.
TapeEntry MakeCustomEntry(const CustomEvent& event, const std::vector<bool>& followed, TypeTable* types);
/// A variable's read: an identity of the variable.
TapeEntry MakeReadEntry(const VariablePtr& variable, const Tensor& value, SourceLine line, TypeTable* types);

/// Ends of a public list; checks options against targets.
GradientRequest MakeRequest(const Targets& targets, const Sources& sources, const GradientOptions& options);

/// Results beside their sources.
GradientList MakeGradientList(const Sources& sources, std::vector<std::optional<GradientValue>> gradients);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_AUTODIFF_BACKWARD_H_
