#include "frontend/data/node.h"

#include <algorithm>
#include <cmath>

#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "runtime/philox.h"

// Steps of a pipeline: which examples they ask of the one before, and what they make of them.

namespace reel {
namespace internal {

int64_t SplitKey(int64_t seed, int64_t i) {
  // Two words for each key: four to a block.
  const auto block = runtime::PhiloxBlock(seed, i / 2);
  const size_t at = i % 2 == 0 ? 0 : 2;
  return static_cast<int64_t>(uint64_t{block[at + 1]} << 32 | block[at]);
}

std::vector<int64_t> Permutation(int64_t n, int64_t key) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  constexpr size_t kPart = 1024;  // numbers drawn at once
  std::vector<uint32_t> words(2 * kPart);
  for (size_t end = order.size(); end > 1;) {
    const size_t begin = (end - 1) / kPart * kPart;
    runtime::RandomBits(key, 0, static_cast<int64_t>(2 * begin), words);
    for (; end > begin && end > 1; --end) {
      const size_t i = end - 1;  // changes places with one of 0, ..., i
      const uint64_t bits = uint64_t{words[2 * (i - begin) + 1]} << 32 | words[2 * (i - begin)];
      const auto j = static_cast<size_t>((static_cast<unsigned __int128>(bits) * (i + 1)) >> 64);
      std::swap(order[i], order[j]);
    }
  }
  return order;
}

const std::vector<int64_t>& FetchMemory::Order(const DatasetNode* shuffle, int64_t n, int64_t seed, int64_t epoch) {
  Entry& entry = entries_[shuffle];
  if (entry.epoch != epoch) {
    entry.order = Permutation(n, SplitKey(seed, epoch));
    entry.epoch = epoch;
  }
  return entry.order;
}

namespace {

/// A step over another.
class StepNode : public DatasetNode {
 public:
  StepNode(int64_t size, NodePtr inner, std::string step)
      : DatasetNode(size, inner->info()), inner_(std::move(inner)), step_(std::move(step)) {}
  std::vector<Spec> Specs() const override { return inner_->Specs(); }
  std::string Text() const override { return StrCat(inner_->Text(), ".", step_); }
  std::string Identity() const override { return StrCat(inner_->Identity(), ".", step_); }
  int64_t prefetch() const override { return inner_->prefetch(); }

 protected:
  const DatasetNode& inner() const { return *inner_; }
  const NodePtr& inner_node() const { return inner_; }

 private:
  const NodePtr inner_;
  const std::string step_;
};

/// The same examples in another order, or some of them.
class OrderNode : public StepNode {
 public:
  using StepNode::StepNode;
  Example Fetch(int64_t epoch, std::span<const int64_t> indices, bool batched, FetchMemory* memory) const override {
    std::vector<int64_t> from(indices.begin(), indices.end());
    Place(epoch, &from, memory);
    return inner().Fetch(epoch, from, batched, memory);
  }
  /// Makes indices of this step those of the one before.
  virtual void Place(int64_t epoch, std::vector<int64_t>* indices, FetchMemory* memory) const = 0;
};

class ShuffleNode : public OrderNode {
 public:
  ShuffleNode(const NodePtr& inner, int64_t seed)
      : OrderNode(inner->size(), inner, StrCat("shuffle(", seed, ")")), seed_(seed) {}
  void Place(int64_t epoch, std::vector<int64_t>* indices, FetchMemory* memory) const override {
    const std::vector<int64_t>& order = memory->Order(this, size(), seed_, epoch);
    for (int64_t& i : *indices) i = order[static_cast<size_t>(i)];
  }

 private:
  const int64_t seed_;
};

/// Examples [first, first + size).
class RangeOfNode : public OrderNode {
 public:
  RangeOfNode(const NodePtr& inner, int64_t first, int64_t size, std::string step)
      : OrderNode(size, inner, std::move(step)), first_(first) {}
  void Place(int64_t, std::vector<int64_t>* indices, FetchMemory*) const override {
    for (int64_t& i : *indices) i += first_;
  }

 private:
  const int64_t first_;
};

/// Examples of a list.
class ListNode : public OrderNode {
 public:
  ListNode(const NodePtr& inner, std::vector<int64_t> list, std::string step)
      : OrderNode(static_cast<int64_t>(list.size()), inner, std::move(step)), list_(std::move(list)) {}
  void Place(int64_t, std::vector<int64_t>* indices, FetchMemory*) const override {
    for (int64_t& i : *indices) i = list_[static_cast<size_t>(i)];
  }

 private:
  const std::vector<int64_t> list_;
};

class RepeatNode : public StepNode {
 public:
  RepeatNode(int64_t size, const NodePtr& inner, int64_t epochs, std::string step)
      : StepNode(size, inner, std::move(step)), epochs_(epochs) {}
  Example Fetch(int64_t epoch, std::span<const int64_t> indices, bool batched, FetchMemory* memory) const override {
    const int64_t n = inner().size();
    std::vector<Example> parts;  // each of one epoch of the step before
    std::vector<int64_t> from;
    for (size_t i = 0; i < indices.size(); i += from.size()) {
      const int64_t round = indices[i] / n;
      from.clear();
      for (size_t k = i; k < indices.size() && indices[k] / n == round; ++k) from.push_back(indices[k] % n);
      // For ever: an epoch of its own has 2^32 epochs of the step before.
      const int64_t first = epochs_ == kForever ? epoch << 32 : epoch * epochs_;
      parts.push_back(inner().Fetch(first + round, from, batched, memory));
    }
    return Concat(parts);
  }

 private:
  const int64_t epochs_;
};

/// Of what is made one by one: as many as are asked for.
template <typename F>
Example FetchEach(std::span<const int64_t> indices, bool batched, std::string_view what, const F& fetch) {
  if (!batched) return fetch(indices.front());
  std::vector<Example> out;
  out.reserve(indices.size());
  for (const int64_t i : indices) out.push_back(fetch(i));
  return Stack(out, what);
}

/// All rows of a batch, or one of the equal parts that a group shares it out in.
class BatchNode : public StepNode {
 public:
  BatchNode(int64_t size, const NodePtr& inner, int64_t n, bool drop_remainder, int64_t part = 0, int64_t parts = 1)
      : StepNode(size, inner, StrCat("batch(", n, drop_remainder ? ")" : ", drop_remainder=false)")),
        n_(n),
        part_(part),
        parts_(parts),
        drop_remainder_(drop_remainder),
        smaller_(!drop_remainder && inner->size() % n != 0) {}
  NodePtr Part(int64_t part, int64_t parts) const {
    return std::make_shared<BatchNode>(size(), inner_node(), n_, drop_remainder_, part, parts);
  }

  Example Fetch(int64_t epoch, std::span<const int64_t> indices, bool batched, FetchMemory* memory) const override {
    return FetchEach(indices, batched, "batch", [&](int64_t i) {
      const int64_t first = i * n_ + part_ * rows();
      std::vector<int64_t> from(static_cast<size_t>(std::min(rows(), inner().size() - first)));
      for (size_t k = 0; k < from.size(); ++k) from[k] = first + static_cast<int64_t>(k);
      return inner().Fetch(epoch, from, true, memory);
    });
  }
  // Not Identity(): a place is the same for all parts, and for any number of them.
  std::string Text() const override {
    return StrCat(StepNode::Text(), parts_ > 1 ? StrCat(".shard(", part_, ", ", parts_, ")") : "");
  }
  int64_t rows() const { return n_ / parts_; }
  bool whole() const { return parts_ == 1; }
  bool smaller() const { return smaller_; }
  std::vector<Spec> Specs() const override {
    std::vector<Spec> out = inner().Specs();
    for (Spec& spec : out) {
      spec.type.shape.insert(0, rows());
      if (smaller_ && spec.symbols.empty() && n_ > 1) {
        spec.type.shape.set(0, Extent::Symbol(0));
        spec.symbols = {Dim("batch", 1, n_)};
      }
    }
    return out;
  }

 private:
  const int64_t n_, part_, parts_;
  const bool drop_remainder_;
  const bool smaller_;  // the last one is
};

class MapNode : public StepNode {
 public:
  using Function = std::function<Example(const Example&, const Generator&)>;
  MapNode(const NodePtr& inner, Function f, std::optional<int64_t> seed)
      : StepNode(inner->size(), inner, seed ? StrCat("map(f, seed=", *seed, ")") : "map(f)"),
        f_(std::move(f)),
        seed_(seed) {}

  Example Fetch(int64_t epoch, std::span<const int64_t> indices, bool batched, FetchMemory* memory) const override {
    return FetchEach(indices, batched, "batch of what map makes",
                     [&](int64_t i) { return Call(inner().Fetch(epoch, {&i, 1}, false, memory), epoch, i); });
  }
  std::vector<Spec> Specs() const override {
    if (size() == 0) return {};
    FetchMemory memory;
    const int64_t first = 0;
    const Example example = Fetch(0, {&first, 1}, false, &memory);
    std::vector<Spec> out;
    for (size_t i = 0; i < example.size(); ++i)
      out.emplace_back(example.tensors()[i], example.names().empty() ? "" : example.names()[i]);
    return out;
  }

 private:
  Example Call(const Example& x, int64_t epoch, int64_t i) const {
    // A stream of its own for each example: the key of the epoch, then that of the place in it.
    const int64_t key = seed_ ? SplitKey(SplitKey(*seed_, epoch), i) : 0;
    const SuspendScope eager;
    Example out = f_(x, seed_ ? Generator::FromKey(Tensor({key, int64_t{0}})) : Generator::Default());
    for (const Tensor& t : out) {
      if (!t.defined() || t.symbolic())
        throw FetchError{absl::InvalidArgumentError("map: the function gave a tensor without elements")};
    }
    if (out.size() == 0) throw FetchError{absl::InvalidArgumentError("map: the function gave no tensors")};
    return out;
  }

  const Function f_;
  const std::optional<int64_t> seed_;
};

class PrefetchNode : public StepNode {
 public:
  PrefetchNode(const NodePtr& inner, int64_t n)
      : StepNode(inner->size(), inner, StrCat("prefetch(", n, ")")), inner_identity_(inner->Identity()), n_(n) {}
  Example Fetch(int64_t epoch, std::span<const int64_t> indices, bool batched, FetchMemory* memory) const override {
    return inner().Fetch(epoch, indices, batched, memory);
  }
  std::string Identity() const override { return inner_identity_; }
  int64_t prefetch() const override { return std::max(n_, inner().prefetch()); }

 private:
  const std::string inner_identity_;
  const int64_t n_;
};

void CheckCount(const char* step, int64_t n, int64_t least) {
  if (n < least) ThrowInvalid(StrCat(step, ": ", n, " is too small; it takes ", least, " or more"));
}

void CheckEnds(const char* step, const NodePtr& node) {
  if (node->size() == kForever)
    ThrowInvalid(StrCat(step, ": ", node->Text(), " never ends; write ", step, " before repeat"));
}

template <typename Node, typename... Arguments>
Dataset MakeStep(Arguments&&... arguments) {
  return Dataset(std::make_shared<Node>(std::forward<Arguments>(arguments)...));
}

}  // namespace
}  // namespace internal

using internal::CheckCount;
using internal::CheckEnds;
using internal::kForever;
using internal::MakeStep;

Dataset Dataset::Shuffle(int64_t seed) const {
  CheckEnds("shuffle", node_);
  return MakeStep<internal::ShuffleNode>(node_, seed);
}

Dataset Dataset::Batch(int64_t n, bool drop_remainder) const {
  CheckCount("batch", n, 1);
  const int64_t all = node_->size();
  if (drop_remainder && all > 0 && all < n) {
    internal::ThrowInvalid(StrCat("batch: ", node_->Text(), " has ", all, " examples, less than one batch of ", n,
                                  "; take smaller batches, or drop_remainder=false"));
  }
  const int64_t size = all == kForever ? kForever : all / n + (!drop_remainder && all % n != 0 ? 1 : 0);
  return MakeStep<internal::BatchNode>(size, node_, n, drop_remainder || all == kForever);
}

Dataset Dataset::Shard(int64_t rank, int64_t size) const {
  const auto* const batch = dynamic_cast<const internal::BatchNode*>(node_.get());
  if (size < 1 || rank < 0 || rank >= size)
    internal::ThrowInvalid(StrCat("shard: there is no part ", rank, " of ", size, "; parts count from 0"));
  if (!batch || !batch->whole()) {
    internal::ThrowInvalid(
        StrCat("shard: ", node_->Text(), " is not what batch gives; write shard right behind batch"));
  }
  if (batch->smaller() || batch->rows() % size != 0) {
    internal::ThrowInvalid(StrCat("shard: ", size, " processes do not divide ", batch->smaller() ? "the last" : "a",
                                  " batch of ", node_->Text(), "; take a batch that they divide, without a remainder"));
  }
  return Dataset(batch->Part(rank, size));
}

Dataset Dataset::Repeat(std::optional<int64_t> epochs) const {
  if (epochs) CheckCount("repeat", *epochs, 0);
  CheckEnds("repeat", node_);
  const int64_t n = node_->size();
  int64_t size = n == 0 ? 0 : kForever;
  if (epochs && __builtin_mul_overflow(n, *epochs, &size))
    internal::ThrowInvalid(StrCat("repeat: ", *epochs, " epochs of ", n, " examples are too many to count"));
  const std::string step = epochs ? StrCat("repeat(", *epochs, ")") : "repeat()";
  return MakeStep<internal::RepeatNode>(size, node_, epochs.value_or(kForever), step);
}

Dataset Dataset::Map(std::function<Example(const Example&)> f) const {
  if (!f) internal::ThrowInvalid("map: the function is null");
  return MakeStep<internal::MapNode>(
      node_, [f = std::move(f)](const Example& x, const Generator&) { return f(x); }, std::nullopt);
}

Dataset Dataset::Map(std::function<Example(const Example&, const Generator&)> f, int64_t seed) const {
  if (!f) internal::ThrowInvalid("map: the function is null");
  return MakeStep<internal::MapNode>(node_, std::move(f), seed);
}

Dataset Dataset::Take(int64_t n) const {
  CheckCount("take", n, 0);
  return MakeStep<internal::RangeOfNode>(node_, 0, std::min(n, node_->size()), StrCat("take(", n, ")"));
}

Dataset Dataset::Skip(int64_t n) const {
  CheckCount("skip", n, 0);
  const int64_t first = std::min(n, node_->size() == kForever ? n : node_->size());
  const int64_t size = node_->size() == kForever ? kForever : node_->size() - first;
  return MakeStep<internal::RangeOfNode>(node_, first, size, StrCat("skip(", n, ")"));
}

std::pair<Dataset, Dataset> Dataset::Split(double fraction, std::optional<int64_t> seed) const {
  CheckEnds("split", node_);
  if (!(fraction > 0 && fraction < 1))
    internal::ThrowInvalid(StrCat("split: the fraction ", fraction, " is not between 0 and 1"));
  const int64_t n = node_->size();
  if (n < 2) internal::ThrowInvalid(StrCat("split: ", node_->Text(), " has ", n, " examples, and two parts need 2"));
  const auto first = std::clamp<int64_t>(std::llround(static_cast<double>(n) * fraction), 1, n - 1);
  const std::string step = StrCat("split(", fraction, seed ? StrCat(", ", *seed) : ", in order", ")");
  if (!seed) {
    return {MakeStep<internal::RangeOfNode>(node_, 0, first, step + "[0]"),
            MakeStep<internal::RangeOfNode>(node_, first, n - first, step + "[1]")};
  }
  const std::vector<int64_t> order = internal::Permutation(n, *seed);
  std::vector<int64_t> a(order.begin(), order.begin() + first), b(order.begin() + first, order.end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return {MakeStep<internal::ListNode>(node_, std::move(a), step + "[0]"),
          MakeStep<internal::ListNode>(node_, std::move(b), step + "[1]")};
}

Dataset Dataset::Prefetch(int64_t n) const {
  CheckCount("prefetch", n, 1);
  if (n > 1024) internal::ThrowInvalid(StrCat("prefetch: ", n, " examples ahead are more than 1024"));
  return MakeStep<internal::PrefetchNode>(node_, n);
}

}  // namespace reel
