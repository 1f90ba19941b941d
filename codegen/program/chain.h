#ifndef REEL_CODEGEN_PROGRAM_CHAIN_H_
#define REEL_CODEGEN_PROGRAM_CHAIN_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "codegen/loop/outer_loop.h"
#include "codegen/program/block.h"
#include "ir/hash_map.h"

namespace reel::codegen {

/// Finds chains among a block's kernels while its items are made. A chain runs chunk after chunk, in each kernel after
/// kernel, so that what one hands to the next is still in L2: attention goes through its heads, of each the scores,
/// their softmax and the product with the values.
///
/// Kernels belong to a chain if their outermost loops walk the leading axis of all values they hand on or read twice,
/// these are larger than half of L2 as a whole but fit in it by the chunk, and what each chunk reads as a whole, like
/// weights, is small. One may take 8 rows at a time and the next 64: a granule is as many as all of them take whole
/// steps for, but the last. There are at least 8 chunks, counted from shapes; the bits do not change. What updates a
/// variable in place belongs to none: nothing that a chain reads is written over.
class ChainBuilder {
 public:
  /// Takes a kernel to the program, and whether it stands in a chain; returns its number.
  using AddKernel = std::function<int32_t(Kernel, bool)>;
  /// `add` takes finished kernels. l2_bytes 0: there are no chains. The block carries
  /// its results to its own parameters if it is a loop's body.
  ChainBuilder(Block* block, bool is_body, int64_t l2_bytes, const Tuning& tuning, AddKernel add);

  /// The kernel of the block's last item, empty if it has none. The item may be placed behind later ones, if it is no
  /// part of a chain that goes on without it: attention's loss stands between its heads and their gradients. Or before
  /// that chain, if it is small and needs nothing of it.
  void Add(Kernel kernel);
  /// All items are placed, the last chain has ended.
  void Finish();

 private:
  struct Link {
    size_t item = 0;
    Kernel kernel;
    OuterLoop outer;
    int64_t steps = 1;  // iterations of the outer loop for a granule
  };

  const BlockItem& item(const Link& link) const { return block_->items[link.item]; }
  int64_t bytes(ir::Value v) const { return block_->f.type(v).bytes(); }
  bool Append(Link* link);
  void Begin(Link link);
  bool GoesFirst(const BlockItem& own) const;
  bool MakesLarge() const;
  void PlaceFirst(Kernel kernel);
  void End();
  void PlaceWaiting();
  bool Updates(const BlockItem& own) const;
  int64_t SliceIn(const Link& link, ir::Value v) const;
  struct Slice {
    ir::Value v;
    int64_t elements = 0;  // of an iteration
    bool written = false, handed = false;  // by the link; by one before it
  };
  bool Align(const std::vector<Slice>& slices, Link* link);
  int64_t Granules() const;
  const Link* WriterOf(ir::Value v) const;
  int64_t GranulesOfChunk() const;

  Block* block_;
  const int64_t l2_bytes_;
  const Tuning& tuning_;
  const AddKernel add_;
  HashMap<int32_t, int32_t> old_;  // of results: the parameter whose place they take
  std::vector<Link> links_;
  std::vector<std::pair<BlockItem, Kernel>> waiting_;  // they come after the chain
  HashSet<int32_t> awaited_;  // values they write
  HashMap<int32_t, int64_t> granule_;  // by value that is walked: elements of a granule
  int64_t whole_ = 0;  // bytes that every chunk reads as a whole
  std::vector<ir::Value> shared_;  // written and read in the chain, or read twice
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_CHAIN_H_
