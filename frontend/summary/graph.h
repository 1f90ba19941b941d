#ifndef REEL_FRONTEND_SUMMARY_GRAPH_H_
#define REEL_FRONTEND_SUMMARY_GRAPH_H_

#include <string>

#include "ir/graph.h"

namespace reel::summary {

/// A module as the bytes of a GraphDef: what SummaryWriter::AddGraph says. Names of nodes are
///
///   dense/kernel                      a variable
///   FUNCTION/inputs/x                 an argument
///   FUNCTION/forward/dense/add_2      node 2, of layer dense; /forward/net.py-L7/add_2 of line 7 of net.py
///   FUNCTION/backward/dense/mul_30    of a gradient rule; of the layer that it differentiates
///   FUNCTION/update/adam/sub_40       computed from gradients
///   FUNCTION/outputs/loss             a result
///   FUNCTION/assigned/dense/kernel    what a variable is assigned
std::string GraphDefOf(const ir::Module& module);

}  // namespace reel::summary

#endif  // REEL_FRONTEND_SUMMARY_GRAPH_H_
