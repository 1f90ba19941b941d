#include "codegen/program/chain.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "codegen/loop/ceil.h"
#include "codegen/plan/order.h"
#include "codegen/plan/rules.h"

namespace reel::codegen {
namespace {

using ir::Value;

constexpr int64_t kTriedChunks = 65536;  // numbers of chunks that are looked at: extents may be huge and prime
constexpr size_t kMaxLinks = 256;       // each looks at all before it
constexpr size_t kMaxWaiting = 16;      // items between kernels of a chain, which run after it

}  // namespace

ChainBuilder::ChainBuilder(Block* block, bool is_body, int64_t l2_bytes, const Tuning& tuning, AddKernel add)
    : block_(block), l2_bytes_(l2_bytes), tuning_(tuning), add_(std::move(add)) {
  const ir::Function& f = block->f;
  const int from = is_body ? 0 : f.num_outputs(), to = is_body ? 0 : f.num_arguments();
  for (int r = from; r < static_cast<int>(f.results().size()); ++r) {
    old_.emplace(f.results()[static_cast<size_t>(r)].id, to + r - from);
  }
}

// Whether the kernel reads what a result of it takes the place of.
bool ChainBuilder::Updates(const BlockItem& own) const {
  for (size_t b = 0; b < own.values.size(); ++b) {
    const auto old = own.writes[b] ? old_.find(own.values[b].id) : old_.end();
    if (old != old_.end() && std::count(own.values.begin(), own.values.end(), Value{old->second}) > 0) return true;
  }
  return false;
}

void ChainBuilder::Add(Kernel kernel) {
  const BlockItem& own = block_->items.back();
  const auto waits = [this](Value v) { return awaited_.contains(v.id); };
  Link link{block_->items.size() - 1, std::move(kernel), {}};
  const bool reads_waiting = waits(own.updated) || std::any_of(own.values.begin(), own.values.end(), waits);
  if (Holds(Rule::kTileAwaits, !reads_waiting) && Append(&link)) return;
  if (GoesFirst(own)) return PlaceFirst(std::move(link.kernel));
  if (waiting_.empty() && GranulesOfChunk() == 0) return Begin(std::move(link));
  for (size_t b = 0; b < own.values.size(); ++b) {
    if (own.kind == BlockItem::Kind::kCopy ? b == 0 : own.writes[b]) awaited_.insert(own.values[b].id);
  }
  waiting_.emplace_back(own, std::move(link.kernel));
  block_->items.pop_back();
  if (waiting_.size() == kMaxWaiting) PlaceWaiting();
}

// Whether a kernel that is no part of what may become a chain can run before it: it needs nothing that this makes, and
// makes little, which the chain may need.
bool ChainBuilder::GoesFirst(const BlockItem& own) const {
  if (own.kind != BlockItem::Kind::kKernel || own.updated.valid() || Updates(own) || !MakesLarge()) return false;
  int64_t made = 0;
  for (size_t b = 0; b < own.values.size(); ++b) {
    const Value v = own.values[b];
    const bool needs = WriterOf(v) || awaited_.contains(v.id) || (own.writes[b] && old_.contains(v.id));
    if (!Holds(Rule::kTileFirst, !needs)) return false;
    if (own.writes[b]) made += std::min(bytes(v), l2_bytes_);
  }
  return made <= l2_bytes_ / 16;
}

// Whether there is something to go on with.
bool ChainBuilder::MakesLarge() const {
  return std::any_of(links_.begin(), links_.end(), [this](const Link& link) {
    const BlockItem& i = item(link);
    for (size_t b = 0; b < i.values.size(); ++b) {
      if (i.writes[b] && bytes(i.values[b]) > l2_bytes_ / 2) return true;
    }
    return false;
  });
}

void ChainBuilder::PlaceFirst(Kernel kernel) {
  BlockItem own = std::move(block_->items.back());
  block_->items.pop_back();
  if (!kernel.body.empty()) own.kernel = add_(std::move(kernel), false);
  block_->items.insert(block_->items.begin() + static_cast<std::ptrdiff_t>(links_.front().item), std::move(own));
  for (Link& link : links_) ++link.item;
}

void ChainBuilder::Begin(Link link) {
  End();
  if (!Append(&link) && !link.kernel.body.empty())
    block_->items[link.item].kernel = add_(std::move(link.kernel), false);
}

void ChainBuilder::PlaceWaiting() {
  awaited_.clear();
  for (auto& [own, kernel] : std::exchange(waiting_, {})) {
    block_->items.push_back(std::move(own));
    Link link{block_->items.size() - 1, std::move(kernel), {}};
    if (!Append(&link)) Begin(std::move(link));
  }
}

void ChainBuilder::Finish() {
  PlaceWaiting();
  End();
}

int64_t ChainBuilder::SliceIn(const Link& link, Value v) const {
  const std::vector<Value>& values = item(link).values;
  const auto at = std::find(values.begin(), values.end(), v) - values.begin();
  return SliceOf(link.kernel, link.outer, static_cast<BufferId>(at), block_->f.type(v).shape.size());
}

// Of the whole chain, the last of which may be smaller.
int64_t ChainBuilder::Granules() const {
  const Link& link = links_.front();
  return Ceil(link.outer.extent, link.steps);
}

// Whether granules of whole steps of the link, and of those before it, are the same parts of what it is handed, or of
// large values that are read again. Makes the granules as large as that needs.
bool ChainBuilder::Align(const std::vector<Slice>& slices, Link* link) {
  int64_t times = 1;
  bool aligned = links_.empty();
  std::vector<Value> shared;
  for (const bool handed : {true, false}) {
    for (const Slice& s : slices) {
      const auto it = granule_.find(s.v.id);
      if (s.handed != handed || s.written || it == granule_.end() || (!handed && bytes(s.v) <= l2_bytes_ / 2)) continue;
      if (!aligned) {
        times = s.elements / std::gcd(s.elements, it->second);
        if (times > Granules()) return false;
        link->steps = it->second * times / s.elements;
        aligned = true;
      }
      const bool same = it->second * times == link->steps * s.elements;
      if (same) shared.push_back(s.v);
      if (handed && !Holds(Rule::kTileAligned, same)) return false;
    }
  }
  const int64_t granules = Ceil(link->outer.extent, link->steps);
  if (!aligned || granules < tuning_.fused_min_chunks) return false;
  shared_.insert(shared_.end(), shared.begin(), shared.end());
  for (Link& before : links_) before.steps *= times;
  for (auto& [v, elements] : granule_) elements *= times;
  for (const Slice& s : slices) granule_.emplace(s.v.id, link->steps * s.elements);
  return true;
}

const ChainBuilder::Link* ChainBuilder::WriterOf(Value v) const {
  for (const Link& link : links_) {
    const BlockItem& i = item(link);
    for (size_t b = 0; b < i.values.size(); ++b) {
      if (i.writes[b] && i.values[b] == v) return &link;
    }
  }
  return nullptr;
}

// Takes the kernel if it goes on with the chain, or may begin one.
bool ChainBuilder::Append(Link* link) {
  const BlockItem& own = item(*link);
  if (l2_bytes_ == 0 || links_.size() == kMaxLinks) return false;
  if (own.kind != BlockItem::Kind::kKernel || own.updated.valid() || Updates(own)) return false;
  if (!links_.empty() && links_.back().item + 1 != link->item) return false;
  const auto outer = FindOuterLoop(link->kernel);
  if (!outer || !Holds(Rule::kTileCarries, !outer->carries)) return false;
  link->outer = *outer;
  if (outer->extent < tuning_.fused_min_chunks) return false;
  int64_t whole = whole_;
  std::vector<Slice> slices;
  for (size_t b = 0; b < own.values.size(); ++b) {
    const Value v = own.values[b];
    const int64_t slice = SliceIn(*link, v);
    const bool handed = !own.writes[b] && WriterOf(v);
    if (slice > 0) slices.push_back({v, slice, own.writes[b], handed});
    if (handed && !Holds(Rule::kTileSlices, slice > 0 && granule_.contains(v.id))) return false;
    if (!own.writes[b] && slice == 0) whole += std::min(bytes(v), l2_bytes_);  // sums of large shapes do not wrap
  }
  if (whole > l2_bytes_ / 4 || !Align(slices, link)) return false;
  whole_ = whole;
  links_.push_back(std::move(*link));
  return true;
}

// In the fewest chunks by which the largest value shared on is an eighth of L2, equal ones if there are such; else one.
// 0: no chain pays.
int64_t ChainBuilder::GranulesOfChunk() const {
  std::vector<Value> values = shared_;
  SortUnique(&values);
  int64_t sum = 0, largest = 0;
  for (Value v : values) {
    sum += std::min(bytes(v), l2_bytes_);
    largest = std::max(largest, bytes(v));
  }
  if (links_.size() < 2 || sum < l2_bytes_ / 2) return 0;
  const int64_t granules = Granules();
  if (largest / granules > l2_bytes_) return 0;
  const int64_t least = std::max(tuning_.fused_min_chunks, largest / (l2_bytes_ / 8 + 1));
  const int64_t end = std::min(granules, least + kTriedChunks);
  for (int64_t n = least; n < end; ++n) {
    if (granules % n == 0 && largest / n <= l2_bytes_ / 8) return granules / n;
  }
  return 1;
}

void ChainBuilder::End() {
  const int64_t granules = GranulesOfChunk();
  if (granules > 0) {
    HashSet<int32_t> seen;
    for (Link& link : links_) {
      Rechunk(&link.kernel, link.outer, granules * link.steps);
      for (size_t b = 0; b < item(link).values.size(); ++b) {
        const Value v = item(link).values[b];
        if (WriterOf(v)) DropPrefetches(&link.kernel, static_cast<BufferId>(b));
        link.kernel.buffers[b].near = WriterOf(v) || !seen.insert(v.id).second;
      }
    }
    Chain chain{static_cast<int32_t>(links_.front().item),
                static_cast<int32_t>(links_.back().item),
                Ceil(Granules(), granules),
                {}};
    for (const auto& [v, elements] : granule_) {
      chain.slices.emplace(v, granules * elements * SizeOf(block_->f.type(Value{v}).dtype));
    }
    block_->chains.push_back(std::move(chain));
  }
  for (Link& link : links_) block_->items[link.item].kernel = add_(std::move(link.kernel), granules > 0);
  links_.clear();
  shared_.clear();
  granule_.clear();
  whole_ = 0;
}

}  // namespace reel::codegen
