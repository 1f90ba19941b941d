#ifndef REEL_FRONTEND_REPORT_DRAWN_H_
#define REEL_FRONTEND_REPORT_DRAWN_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace reel::internal {

/// What part of a step a node belongs to: each has columns of its own in the drawing.
enum class Part : uint8_t { kForward, kGradient, kUpdate };
inline constexpr std::array<const char*, 3> kPartNames = {"forward", "gradient", "update"};

/// A box of the drawing. Constants are none: they stand in the text of what reads them.
struct DrawnNode {
  enum class Kind : uint8_t { kArgument, kVariable, kOp, kResult, kNewVariable };
  Kind kind = Kind::kOp;
  Part part = Part::kForward;
  int32_t node = -1;     ///< kOp: index in nodes()
  ir::Value value;  ///< its first result; of results and new variables, what they are; invalid: an op without any
  int32_t partner = -1;  ///< the forward box that it is the gradient of, -1: unknown or none
  std::vector<int32_t> operands = {};  ///< boxes, all of them before this one
  int32_t x = 0, y = 0;  ///< place in a grid
};

/// A function with a place for each of its nodes: forward ops from top to bottom, gradient ops beside the forward op
/// that they are the gradient of, from bottom to top, and what is made of gradients beside these.
struct DrawnGraph {
  std::vector<DrawnNode> nodes;  ///< in the order of the function
  std::array<int32_t, 3> first_column{}, columns{};  ///< by Part
  int32_t rows = 0;
};

/// Linear in the function, but for sorting.
DrawnGraph Draw(const ir::Function& f);

/// Text of a box: the op's or the parameter's or result's name.
std::string LabelOf(const ir::Function& f, const DrawnNode& node);
/// Attributes and constant operands of an op as text: "axes=[0], constant 2".
std::string DetailOf(const ir::Function& f, const DrawnNode& node);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_REPORT_DRAWN_H_
