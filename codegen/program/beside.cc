#include "codegen/program/beside.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "codegen/plan/rules.h"
#include "ir/budget_scope.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Value;

// In which so many cycles are shared out.
int64_t RunsOf(double cycles, const Tuning& tuning) {
  const double worth = cycles / static_cast<double>(tuning.beside_cycles);
  const double runs = std::clamp(worth, 1.0, static_cast<double>(tuning.max_chunks));
  return static_cast<int64_t>(runs);
}

class Finder {
 public:
  Finder(const Tuning& tuning, int64_t most_bytes, const std::function<KernelCycles(int32_t)>& cycles, Block* block)
      : tuning_(tuning),
        most_bytes_(most_bytes),
        cycles_(cycles),
        block_(block),
        is_result_(static_cast<size_t>(block->f.num_values())) {
    for (Value v : block->f.results()) is_result_[v.index()] = true;
  }

  void Run() {
    auto chain = block_->chains.begin();
    const auto end = static_cast<int32_t>(block_->items.size());
    for (int32_t i = 0; i < end; ++i) {
      if (chain != block_->chains.end() && chain->first == i) {
        Close();
        i = chain++->last;
      } else {
        Add(i);
      }
    }
    Close();
  }

 private:
  const BlockItem& item(int32_t i) const { return block_->items[static_cast<size_t>(i)]; }

  void Add(int32_t i) {
    const BlockItem& own = item(i);
    ir::ChargeVisits(1 + own.values.size());
    const bool calls = own.kind == BlockItem::Kind::kKernel && own.kernel >= 0 && !own.updated.valid();
    const KernelCycles cycles = calls ? cycles_(own.kernel) : KernelCycles();
    if (!calls || cycles.work > static_cast<double>(tuning_.beside_most)) return Close();
    bool needs = false;
    int64_t bytes = 0;
    for (size_t b = 0; b < own.values.size(); ++b) {
      const Value v = own.values[b];
      if (!own.writes[b]) needs = needs || written_.contains(v.id);
      if (own.writes[b] && !is_result_[v.index()]) bytes += std::min(block_->f.type(v).bytes(), most_bytes_ + 1);
    }
    if (!Holds(Rule::kBesideApart, !needs) || bytes_ + bytes > most_bytes_) Close();
    if (bytes > most_bytes_) return;
    if (found_.cycles.empty()) found_.first = i;
    found_.last = i;
    found_.cycles.push_back(cycles.work);
    estimates_.push_back(cycles);
    bytes_ += bytes;
    for (size_t b = 0; b < own.values.size(); ++b) {
      if (own.writes[b]) written_.insert(own.values[b].id);
    }
  }

  // Whether two threads take less time for them together: one after the other each of several chunks is a fork, and one
  // thread has those of one chunk.
  bool IsWorthIt() const {
    double apart = 0, all = 0, longest = 0;
    for (const KernelCycles& kernel : estimates_) {
      apart += kernel.With(2);
      all += kernel.work;
      longest = std::max(longest, kernel.work / static_cast<double>(std::max<int64_t>(kernel.chunks, 1)));
    }
    const double saved = apart - std::max(all / 2, longest);
    return RunsOf(all, tuning_) > 1 && saved >= static_cast<double>(tuning_.beside_gain);
  }

  void Close() {
    if (found_.cycles.size() > 1 && IsWorthIt()) block_->beside.push_back(std::move(found_));
    found_ = {};
    estimates_.clear();
    written_.clear();
    bytes_ = 0;
  }

  const Tuning& tuning_;
  const int64_t most_bytes_;
  const std::function<KernelCycles(int32_t)>& cycles_;
  Block* block_;
  std::vector<bool> is_result_;  // by value
  Beside found_;  // so far
  std::vector<KernelCycles> estimates_;  // of its kernels
  HashSet<int32_t> written_;  // values, by these
  int64_t bytes_ = 0;  // of temporaries that they make
};

}  // namespace

void FindBeside(const Tuning& tuning, int64_t most_bytes, const std::function<KernelCycles(int32_t)>& cycles,
                Block* block) {
  Finder(tuning, most_bytes, cycles, block).Run();
}

std::vector<Step> ShareOut(const std::vector<Step>& calls, const std::vector<double>& cycles,
                           const std::vector<Kernel>& kernels, const Tuning& tuning) {
  const double all = std::accumulate(cycles.begin(), cycles.end(), 0.0);
  const int64_t runs = RunsOf(all, tuning);
  const double each_run = std::max(all / static_cast<double>(runs), 1.0);
  std::vector<Step> parts;
  double before = 0;
  int64_t last = -1, run = -1;  // of equal shares of the cycles; as numbered, of those that have something
  for (size_t c = 0; c < calls.size(); ++c) {
    const int64_t chunks = kernels[static_cast<size_t>(calls[c].kernel)].chunks();
    const double each = cycles[c] / static_cast<double>(std::max<int64_t>(chunks, 1));
    ir::ChargeVisits(static_cast<size_t>(chunks));
    for (int64_t chunk = 0; chunk < chunks; ++chunk, before += each) {
      const auto share = static_cast<int64_t>(std::min((before + each / 2) / each_run, static_cast<double>(runs - 1)));
      if (share != last) ++run;
      if (chunk == 0 || share != last) {
        parts.push_back(calls[c]);
        parts.back().bytes = chunk;
        parts.back().lanes = run;
      }
      last = share;
      ++parts.back().chunks;
    }
  }
  return parts;
}

}  // namespace reel::codegen
