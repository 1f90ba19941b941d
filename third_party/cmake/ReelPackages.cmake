# The dependencies. Everything comes from the system; nothing is downloaded at configure time.
# LLVM's version file accepts only an exact major.minor, so the major is compared here.
find_package(LLVM REQUIRED CONFIG PATHS "/usr/lib/llvm-${REEL_LLVM_VERSION}" NO_DEFAULT_PATH)
if(NOT LLVM_VERSION_MAJOR EQUAL REEL_LLVM_VERSION)
  message(FATAL_ERROR "REEL_LLVM_VERSION is ${REEL_LLVM_VERSION}, but LLVM ${LLVM_PACKAGE_VERSION} "
                      "was found in ${LLVM_DIR}; configure with --fresh, or set LLVM_DIR")
endif()
if(REEL_STATIC_LLVM AND REEL_BUILD_TESTS)
  message(FATAL_ERROR "REEL_STATIC_LLVM: the tests use LLVM themselves, so they need its shared library")
endif()
find_package(absl REQUIRED CONFIG)
find_package(Protobuf REQUIRED)
find_package(ZLIB REQUIRED)
find_library(REEL_ZIP_LIBRARY zip REQUIRED)  # Debian's libzip-config.cmake wants its command-line tools as well
find_library(REEL_CSV_LIBRARY csv REQUIRED)
find_package(PNG REQUIRED)
find_library(REEL_JPEG_LIBRARY turbojpeg REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
if(REEL_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_library(REEL_MPFR_LIBRARY mpfr REQUIRED)
endif()

# What Reel's own sources and tests link; users of Reel::reel see none of it.
add_library(reel_internal INTERFACE)
target_link_libraries(reel_internal INTERFACE absl::status absl::statusor absl::strings
                      absl::str_format absl::inlined_vector absl::flat_hash_map absl::flat_hash_set
                      absl::span absl::hash Threads::Threads)
