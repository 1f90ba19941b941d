#include <algorithm>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"
#include "reel/shapes.h"

// Sequences and optional values exist at import only: how long a sequence is and which element is
// meant must be known then.

namespace reel::onnx {
namespace {

// More elements of a sequence than these are wrong.
constexpr int64_t kMostParts = 1 << 14;

Tensors Give(const NodeContext& c, Sequence sequence) {
  c.Give(0, Value::Of(std::move(sequence)));
  return {};
}

// A place in a sequence, counted from the end if it is negative; `last` of them.
size_t PlaceOf(const NodeContext& c, size_t input, size_t last) {
  const int64_t count = static_cast<int64_t>(last);
  const int64_t at = c.KnownInt(input);
  if (at < -count || at >= count) Wrong(StrCat("position ", at, " in a sequence of ", last));
  return static_cast<size_t>(at < 0 ? at + count : at);
}

Tensors ImportSequenceConstruct(const NodeContext& c) {
  Sequence sequence;
  for (size_t i = 0; i < c.num_inputs(); ++i) sequence.push_back(c.ValueIn(i));
  return Give(c, std::move(sequence));
}

Tensors ImportSequenceEmpty(const NodeContext& c) {
  c.Ignore("dtype");
  return Give(c, {});
}

Tensors ImportSequenceAt(const NodeContext& c) {
  const Sequence& sequence = c.SequenceIn(0);
  c.Give(0, sequence[PlaceOf(c, 1, sequence.size())]);
  return {};
}

Tensors ImportSequenceInsert(const NodeContext& c) {
  Sequence sequence = c.SequenceIn(0);
  int64_t at = static_cast<int64_t>(sequence.size());
  if (c.Has(2)) at = c.KnownInt(2) < 0 ? c.KnownInt(2) + at : std::clamp<int64_t>(c.KnownInt(2), 0, INT64_MAX);
  if (at < 0 || at > static_cast<int64_t>(sequence.size()))
    Wrong(StrCat("position ", at, " in a sequence of ", sequence.size()));
  sequence.insert(sequence.begin() + at, c.ValueIn(1));
  return Give(c, std::move(sequence));
}

Tensors ImportSequenceErase(const NodeContext& c) {
  Sequence sequence = c.SequenceIn(0);
  if (sequence.empty()) Wrong("the sequence is empty");
  const size_t at = c.Has(1) ? PlaceOf(c, 1, sequence.size()) : sequence.size() - 1;
  sequence.erase(sequence.begin() + static_cast<std::ptrdiff_t>(at));
  return Give(c, std::move(sequence));
}

Tensors ImportSequenceLength(const NodeContext& c) { return {Tensor(static_cast<int64_t>(c.SequenceIn(0).size()))}; }

Tensors ImportConcatFromSequence(const NodeContext& c) {
  Tensors parts;
  for (const Value& value : c.SequenceIn(0)) parts.push_back(value.Get());
  if (parts.empty()) Wrong("the sequence is empty");
  const bool stack = c.Int("new_axis", 0) != 0;
  const int64_t axis = AxisOf(c, "axis", 0, parts[0].rank() + (stack ? 1 : 0));
  return {stack ? Stack(parts, axis) : Concat(parts, axis)};
}

// Into parts of one length, the last one shorter, or of the lengths given; without them, one by one.
Tensors ImportSplitToSequence(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t axis = AxisOf(c, "axis", 0, x.rank()), extent = x.shape().dim(static_cast<int>(axis));
  const bool squeeze = c.Int("keepdims", 1) == 0 && !c.Has(1);
  std::vector<int64_t> sizes;
  if (c.Has(1) && c.In(1).rank() == 1) {
    sizes = c.KnownInts(1);
  } else {
    const int64_t part = c.Has(1) ? c.KnownInt(1) : 1;
    if (part < 1 || extent / part > kMostParts) Wrong(StrCat("parts of ", part, " of ", extent));
    for (int64_t done = 0; done < extent; done += part) sizes.push_back(std::min(part, extent - done));
  }
  Sequence sequence;
  if (sizes.empty()) return Give(c, std::move(sequence));
  for (const Tensor& part : Split(x, sizes, axis))
    sequence.push_back(Value{squeeze ? Squeeze(part, axis) : part, {}, {}, ""});
  return Give(c, std::move(sequence));
}

// The body for each element of the sequences; other inputs are the same for all.
Tensors ImportSequenceMap(const NodeContext& c) {
  const Graph& body = c.Subgraph("body");
  const size_t count = c.SequenceIn(0).size();
  std::vector<Sequence> results(c.num_outputs());
  for (size_t i = 0; i < count; ++i) {
    Tensors arguments;
    for (size_t k = 0; k < c.num_inputs(); ++k) {
      const Value& input = c.ValueIn(k);
      if (input.sequence && input.sequence->size() != count) Wrong("the sequences are not of one length");
      arguments.push_back(input.sequence ? (*input.sequence)[i].Get() : input.Get());
    }
    const Tensors out = c.Run(body, arguments);
    if (out.size() < results.size()) Wrong("the body returns too few values");
    for (size_t k = 0; k < results.size(); ++k) results[k].push_back(Value{out[k], {}, {}, ""});
  }
  for (size_t k = 0; k < results.size(); ++k) c.Give(k, Value::Of(std::move(results[k])));
  return {};
}

Tensors ImportIdentity(const NodeContext& c) {
  if (!c.ValueIn(0).sequence) {
    if (c.Small(0) != 0) c.MarkSmall(0, c.Small(0));
    return {c.Carried(0)};
  }
  c.Give(0, c.ValueIn(0));
  return {};
}

// --- optional values: here they have one, or the node has no input ---

Tensors ImportOptional(const NodeContext& c) {
  c.Ignore("type");
  if (!c.Has(0)) Refuse("an optional value that is empty");
  c.Give(0, c.ValueIn(0));
  return {};
}

Tensors ImportOptionalHasElement(const NodeContext& c) { return {Tensor(c.Has(0))}; }

constexpr OpRow kRows[] = {
    {"ConcatFromSequence", 11, ImportConcatFromSequence, false},
    {"Identity", 1, ImportIdentity},
    {"Optional", 15, ImportOptional, false},
    {"OptionalGetElement", 15, ImportOptional, false},
    {"OptionalHasElement", 15, ImportOptionalHasElement, false},
    {"SequenceAt", 11, ImportSequenceAt, false},
    {"SequenceConstruct", 11, ImportSequenceConstruct, false},
    {"SequenceEmpty", 11, ImportSequenceEmpty, false},
    {"SequenceErase", 11, ImportSequenceErase, false},
    {"SequenceInsert", 11, ImportSequenceInsert, false},
    {"SequenceLength", 11, ImportSequenceLength, false},
    {"SequenceMap", 17, ImportSequenceMap, false},
    {"SplitToSequence", 11, ImportSplitToSequence, false},
};

}  // namespace

absl::Span<const OpRow> SequenceOps() { return kRows; }

}  // namespace reel::onnx
