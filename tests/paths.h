#ifndef REEL_TESTS_PATHS_H_
#define REEL_TESTS_PATHS_H_

#include <string>

namespace reel {

/// The folder of Reel's sources. Known to one small file, so that compiled tests serve any checkout and any build.
std::string SourceDir();
/// The folder of the build that the test belongs to.
std::string BinaryDir();

}  // namespace reel

#endif  // REEL_TESTS_PATHS_H_
