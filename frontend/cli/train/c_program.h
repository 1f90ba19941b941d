#ifndef REEL_FRONTEND_CLI_TRAIN_C_PROGRAM_H_
#define REEL_FRONTEND_CLI_TRAIN_C_PROGRAM_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/cli/train/data.h"
#include "frontend/cli/train/models.h"

// The C program that trains with the compiled object alone.

namespace reel::cli {

/// A variable's name and size, in the order in which the program writes them.
using VariableList = std::vector<std::pair<std::string, int64_t>>;

/// main.c for a model: C99 that is also C++.
std::string MakeMainC(const Model& model, const VariableList& variables);

/// What the program reads: counts, examples, labels, and which examples each step takes.
std::string MakeDataFile(const Dataset& data, const std::vector<int32_t>& order, int64_t batch);

/// What the program prints.
struct CResult {
  std::vector<float> losses;  ///< of its steps, bit for bit
  double accuracy = 0;        ///< on the test examples
  double seconds = 0;         ///< of all steps, processor time
};
CResult ParseCResult(const std::string& text);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_TRAIN_C_PROGRAM_H_
