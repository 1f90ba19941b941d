#include "tests/paths.h"

namespace reel {

std::string SourceDir() { return REEL_SOURCE_DIR; }
std::string BinaryDir() { return REEL_BINARY_DIR; }

}  // namespace reel
