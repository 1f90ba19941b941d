#ifndef REEL_FRONTEND_CLI_TRAIN_DATA_H_
#define REEL_FRONTEND_CLI_TRAIN_DATA_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/types.h"

// The data of the main job, read from the files in tests/data.

namespace reel::cli {

/// Rows of `width` elements of 4 bytes with one label each: first those to train on, then those to
/// test.
struct Dataset {
  DType dtype = kFloat32;
  int64_t width = 0, classes = 0, num_train = 0, num_test = 0;
  std::vector<std::byte> rows;
  std::vector<int32_t> labels;

  std::span<const std::byte> row(int64_t i) const {
    return std::span(rows).subspan(static_cast<size_t>(i * width * 4), static_cast<size_t>(width * 4));
  }
};

/// 0, 1, ... n - 1 in an order that depends on `key` alone: Fisher and Yates with Philox numbers.
std::vector<int32_t> Shuffled(int64_t n, int64_t key);

/// MNIST's 10,000 test images, shuffled: pixels divided by 255; the first 8,000 to train, 2,000 to
/// test.
Dataset ReadMnist(const std::string& folder);

/// Windows of `window` characters of tinyshakespeare at random places, each labelled with the
/// character that follows; those to test come from the last tenth of the text.
Dataset ReadCharacters(const std::string& folder, int64_t window, int64_t num_train, int64_t num_test);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_TRAIN_DATA_H_
