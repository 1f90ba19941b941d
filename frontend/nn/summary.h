#ifndef REEL_FRONTEND_NN_SUMMARY_H_
#define REEL_FRONTEND_NN_SUMMARY_H_

#include <string>
#include <vector>

#include "reel/variable.h"

namespace reel::internal {

/// A line of a summary.
struct SummaryRow {
  int depth = 0;  // how many layers contain it
  std::string label;
  std::string output;               // empty: not known
  std::vector<Variable> variables;  // its own
  bool built = true;                // all of these exist
};

/// The table of reel/summary.h: variables count once, where they are first.
std::string SummaryTable(const std::vector<SummaryRow>& rows);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_NN_SUMMARY_H_
