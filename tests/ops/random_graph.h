#ifndef REEL_TESTS_OPS_RANDOM_GRAPH_H_
#define REEL_TESTS_OPS_RANDOM_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace reel::optable {

/// A valid module with one function @main (and callees), made of ops of the table, and inputs for
/// it. Floats stay finite and bounded, and ops with jumps (floor, compare, casts to integers) only
/// see values that every engine computes to the bit; so the reference can bound the error of every
/// result.
struct RandomGraph {
  ir::Module module;
  std::vector<ir::Literal> inputs;
  /// Per result: how far two correct engines may be apart; 0 = the same bits as the reference that
  /// rounds each op (EvalOptions::round_each_op).
  std::vector<double> allowed;
};

struct RandomGraphOptions {
  int min_nodes = 10, max_nodes = 40;  // of @main; composed steps may add a few more
  bool control = true;                 // call, if, while
};

/// The same graph for the same seed on every machine.
RandomGraph MakeRandomGraph(uint64_t seed, const RandomGraphOptions& options = {});

}  // namespace reel::optable

#endif  // REEL_TESTS_OPS_RANDOM_GRAPH_H_
