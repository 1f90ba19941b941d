#include "runtime/philox.h"

#include <cstddef>

namespace reel::runtime {

void RandomBits(int64_t key, int64_t counter, int64_t first, std::span<uint32_t> out) noexcept {
  const auto origin = static_cast<uint64_t>(first);
  for (size_t i = 0; i < out.size();) {
    const uint64_t element = origin + i;
    const uint64_t block = static_cast<uint64_t>(counter) + element / 4;
    const std::array<uint32_t, 4> lanes = PhiloxBlock(key, static_cast<int64_t>(block));
    for (size_t lane = element % 4; lane < 4 && i < out.size(); ++lane) out[i++] = lanes[lane];
  }
}

}  // namespace reel::runtime
