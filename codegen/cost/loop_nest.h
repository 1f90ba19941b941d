#ifndef REEL_CODEGEN_COST_LOOP_NEST_H_
#define REEL_CODEGEN_COST_LOOP_NEST_H_

#include <map>
#include <set>
#include <vector>

#include "codegen/loop/depends.h"
#include "codegen/loop/loop.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// What runs again and again as one piece of machine code: the statements of a loop without those of the loops in it.
/// Unrolled loops, and vector loops of one step, are code of the loop around them. 0 is what is outside of all loops.
using BodyId = size_t;

/// The loops around a statement while somebody walks through a kernel, and where values stand in them.
class LoopNest {
 public:
  struct Loop {
    const Stmt* stmt;
    int32_t id;           ///< in the order they are entered
    double trips, times;  ///< iterations: of a run, in all; on average where clips and guards leave some out
    bool is_code;         ///< of the body around it
    BodyId body;
  };
  struct Body {
    double runs = 1, iterations = 1;  ///< of its loop; of a vector loop: steps
  };

  LoopNest(const Kernel& kernel, const Target& target);

  const std::vector<Loop>& open() const { return open_; }
  const std::vector<Body>& bodies() const { return bodies_; }
  const Dependencies& NeedsOf(ExprId e) const { return needs_[static_cast<size_t>(e)]; }
  /// Of the innermost loops so many of the outermost ones have.
  BodyId BodyAt(size_t depth) const { return depth == 0 ? 0 : open_[depth - 1].body; }
  /// The innermost body at hand.
  BodyId body() const { return BodyAt(open_.size()); }

  /// False: it has no iterations.
  bool Enter(const Stmt& loop);
  void Leave() { open_.pop_back(); }
  /// How often a clip leaves less than all of an unrolled loop: once for each of the loops around what it counts from.
  double Ends(const Stmt& loop) const;

  /// Whether something may be another one in each iteration of a loop.
  bool Needs(const Dependencies& n, const Loop& loop) const;
  /// Loops that something must be inside of: those further in have its value already.
  size_t DepthOf(const Dependencies& n) const;
  /// How often it is computed: iterations of its body, times copies that unrolled loops make of it.
  double Count(const Dependencies& n, size_t depth) const;
  /// The same of a statement, of which they always do.
  double Count() const;

  /// The vector loop around, or null.
  const Stmt* Vector() const;
  /// Lanes of a step of a vector loop; registers that they take; 1 of none.
  double Lanes(const Stmt* vector) const;
  double Registers(const Stmt* vector, DType dtype) const;

  /// Whether a local is on the stack; if its elements are known while code is made, they are in registers.
  bool IsInMemory(LocalId local) const { return in_memory_.contains(local); }

 private:
  void Scan(const std::vector<Stmt>& body, std::vector<const Stmt*>* around);
  void PlaceLocal(LocalId local, const Affine& index, ExprId dynamic);
  double Trips(const Stmt& loop) const;
  double Share(ExprId guard) const;

  const Kernel& k_;
  const Target& target_;
  const std::vector<Dependencies> needs_;  // by expression
  std::map<const Stmt*, Dependencies> writes_;  // by loop: locals and buffers
  std::map<AxisId, bool> is_code_;
  std::set<LocalId> in_memory_;
  std::vector<Loop> open_;
  std::vector<Body> bodies_{1};
  int32_t next_id_ = 0;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_COST_LOOP_NEST_H_
