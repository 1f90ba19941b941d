#ifndef REEL_FRONTEND_REPORT_LAYOUT_H_
#define REEL_FRONTEND_REPORT_LAYOUT_H_

#include "frontend/report/drawn.h"

namespace reel::internal {

/// Gives each box its place. Boxes of a band, one after another from top to bottom, have the same distance from what
/// the forward part begins with; within its band a gradient goes up. A row has at most kMaxInRow boxes of a part, each
/// below the one that it goes on from if there is room.
inline constexpr int32_t kMaxInRow = 6;
void Place(DrawnGraph* graph);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_REPORT_LAYOUT_H_
