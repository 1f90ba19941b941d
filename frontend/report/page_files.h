#ifndef REEL_FRONTEND_REPORT_PAGE_FILES_H_
#define REEL_FRONTEND_REPORT_PAGE_FILES_H_

#include <string_view>

namespace reel::internal {

/// The files of page/, which the build puts into a source (CMakeLists.txt): the frame, the style, all scripts.
extern const std::string_view kPageFrame, kPageStyle, kPageScript;

}  // namespace reel::internal

#endif  // REEL_FRONTEND_REPORT_PAGE_FILES_H_
