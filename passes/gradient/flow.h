#ifndef REEL_PASSES_GRADIENT_FLOW_H_
#define REEL_PASSES_GRADIENT_FLOW_H_

#include <memory>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/hash_map.h"

namespace reel::passes {

/// One bit per parameter or result of a function, per operand or result of a node.
using Mask = std::vector<bool>;
/// True if any bit is set.
bool Any(const Mask& mask);

/// Which results of a function depend differentiably on which parameters, through calls, branches
/// and loops. Answers are cached per question, found without recursion: a question that meets a
/// call whose answer is not known waits on an explicit stack. Only nodes that something reaches are
/// visited, once for each value that newly reaches them.
class Flow {
 public:
  explicit Flow(const ir::Module* module) : module_(module) {}

  /// Results of the node that depend on the operands in `active`.
  Mask Forward(const ir::Function& f, const ir::Node& node, const Mask& active);
  /// Operands of the node that the results in `wanted` depend on.
  Mask Backward(const ir::Function& f, const ir::Node& node, const Mask& wanted);
  /// The closure of a loop's carried values under its body: those that `seed` reaches after any
  /// number of iterations (forward) or that reach `seed` (backward).
  Mask LoopForward(const ir::Node& node, const Mask& seed);
  Mask LoopBackward(const ir::Node& node, const Mask& seed);

 private:
  struct Question {
    const ir::Function* function;
    bool forward;
    bool loop;  // of a body: results are parameters of the next iteration; the mask is of carried values
    Mask mask;
    template <typename H>
    friend H AbslHashValue(H h, const Question& q) {
      return H::combine(std::move(h), q.function, q.forward, q.loop, q.mask);
    }
    friend bool operator==(const Question&, const Question&) = default;
  };
  // By value: the nodes that read it, and which results it is.
  struct Uses {
    std::vector<int32_t> first_node, nodes;
    std::vector<int32_t> first_result, results;
  };
  struct Work {
    Question question;
    const Uses* uses;
    Mask reached;  // by value
    Mask queued;   // by node
    std::vector<int32_t> queue;  // a heap: the first in the direction is visited first
  };

  // The answer if all answers it builds on are known; else missing_ is the first unknown one.
  const Mask* Find(const Question& question);
  bool TryNode(const ir::Function& f, const ir::Node& node, bool forward, const Mask& in, Mask* out);
  const Uses& UsesOf(const ir::Function& f);
  void Reach(Work* work, ir::Value v);
  bool Advance(Work* work);
  Work Begin(Question question);
  void Answer(Question question);
  const Mask& Ask(const Question& question);
  const ir::Function* Callee(const ir::Node& node, std::string_view attribute) const;

  const ir::Module* module_;
  HashMap<Question, Mask> answers_;
  HashMap<const ir::Function*, std::unique_ptr<Uses>> uses_;
  Question missing_{};
};

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_FLOW_H_
