# One way to add sources to a library and one way to add a test.

# Flags of all of Reel's own targets. -ffp-contract=off: an fma exists only where an op's definition has one.
add_library(reel_flags INTERFACE)
target_compile_options(reel_flags INTERFACE -Wall -Wextra -Wconversion -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ calls its own deprecated functions (std::stable_sort); what LLVM deprecates is still seen.
  target_compile_options(reel_flags INTERFACE -U__DEPRECATED)
endif()
if(REEL_WERROR)
  # Warnings of g++'s data flow depend on what was inlined, down to the length of the source folder's name: never errors.
  set(REEL_FLOW_WARNINGS array-bounds stringop-overflow stringop-overread restrict maybe-uninitialized
                         dangling-pointer free-nonheap-object use-after-free null-dereference)
  list(TRANSFORM REEL_FLOW_WARNINGS PREPEND "-Wno-error=")
  target_compile_options(reel_flags INTERFACE -Werror "$<$<CXX_COMPILER_ID:GNU>:${REEL_FLOW_WARNINGS}>")
endif()
if(REEL_SANITIZE)
  target_compile_options(reel_flags INTERFACE -fsanitize=${REEL_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer -g1)
  # -Bsymbolic-functions: the libraries call their own, sanitized, copies of inline functions, not those of a test.
  target_link_options(reel_flags INTERFACE -fsanitize=${REEL_SANITIZE} -Wl,-Bsymbolic-functions)
endif()
target_include_directories(reel_flags INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/frontend")

# Sources of one folder that are compiled as one: most of the time goes into headers. tests/style/tidy.py compiles each
# by itself, and so finds one that lacks an include.
set(REEL_UNITY 8 CACHE STRING "Sources of a folder that are compiled as one; 1: each by itself")

# reel_sources(TARGET [APART] file...): adds sources of the current folder to TARGET with the common flags.
# APART: each is compiled by itself, since they use the same names for their own things.
function(reel_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 S "APART" "" "")
  set(sources ${S_UNPARSED_ARGUMENTS})
  list(TRANSFORM sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(${target} PRIVATE ${sources})
  target_link_libraries(${target} PRIVATE reel_flags)
  if(NOT S_APART)
    reel_unity(${target} ${sources})
  endif()
endfunction()

# reel_unity(TARGET file...): compiles those of a folder together, in parts of equal size.
function(reel_unity target)
  if(REEL_UNITY LESS 2)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(folders)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    list(APPEND folders "${folder}")
    list(APPEND "in ${folder}" "${source}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" name "${name}")
    list(LENGTH "in ${folder}" count)
    math(EXPR parts "(${count} + ${REEL_UNITY} - 1) / ${REEL_UNITY}")
    set(i 0)
    foreach(source IN LISTS "in ${folder}")
      math(EXPR part "${i} * ${parts} / ${count}")
      set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${name}_${part}")
      math(EXPR i "${i} + 1")
    endforeach()
  endforeach()
endfunction()

# Headers that most files include and that change only with the packages. reel_precompile(TARGET header...) adds more.
set(REEL_STABLE_HEADERS
    <algorithm> <cmath> <cstring> <functional> <memory> <optional> <set> <span> <string> <string_view> <utility>
    <variant> <vector> <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h>
    <absl/container/inlined_vector.h> <absl/status/statusor.h> <absl/types/span.h>)
function(reel_precompile target)
  target_precompile_headers(${target} PRIVATE ${REEL_STABLE_HEADERS} ${ARGN})
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # ccache needs it
endfunction()

# reel_export_own_names(TARGET): others see nothing of the libraries that it is made of. Sanitizers want to see all.
function(reel_export_own_names target)
  if(NOT REEL_SANITIZE)
    set(map "${PROJECT_SOURCE_DIR}/third_party/cmake/exports.map")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
  endif()
endfunction()

# reel_test_objects(TARGET source...): the sources of a target of the tests, or what a build of the same sources in
# REEL_TEST_OBJECTS has compiled of them: that halves a sanitized build, and the libraries are what sanitizers look at.
function(reel_test_objects target)
  set(list "tests/objects/${target}.txt")
  if(NOT REEL_TEST_OBJECTS)
    target_sources(${target} PRIVATE ${ARGN})
    file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/${list}" CONTENT "$<JOIN:$<TARGET_OBJECTS:${target}>,\n>\n")
    return()
  endif()
  file(STRINGS "${REEL_TEST_OBJECTS}/${list}" objects REGEX "\\.o$")  # not the precompiled header
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${REEL_TEST_OBJECTS}/${list}")
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_sources(${target} PRIVATE ${objects})
endfunction()

# reel_test(NAME name SRCS file... [DEPS target...] [LABEL label] [SHARDS n] [OWN_OBJECTS]): a GoogleTest program known to
# ctest. Links libreel, libreel_compiler and gtest_main; DEPS adds more. SHARDS: n tests that ctest can run side by side.
# OWN_OBJECTS: its sources are compiled anew in each build, since they depend on how that is built.
function(reel_test)
  cmake_parse_arguments(T "OWN_OBJECTS" "NAME;LABEL;TIMEOUT;SHARDS" "SRCS;DEPS" ${ARGN})
  if(NOT TARGET reel_test_headers)  # the precompiled headers of all tests
    file(WRITE "${CMAKE_BINARY_DIR}/tests/headers.cc" "")
    add_library(reel_test_headers OBJECT "${CMAKE_BINARY_DIR}/tests/headers.cc")
    target_link_libraries(reel_test_headers PRIVATE reel_flags reel_internal GTest::gmock)
    reel_precompile(reel_test_headers <gmock/gmock.h> <gtest/gtest.h>)
    # Where this checkout and this build are: the one object that depends on it.
    add_library(reel_test_paths STATIC "${PROJECT_SOURCE_DIR}/tests/paths.cc")
    target_link_libraries(reel_test_paths PRIVATE reel_flags)
    target_compile_definitions(reel_test_paths PRIVATE REEL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                               REEL_BINARY_DIR="${CMAKE_BINARY_DIR}")
  endif()
  add_executable(${T_NAME})
  if(T_OWN_OBJECTS)
    target_sources(${T_NAME} PRIVATE ${T_SRCS})
  else()
    reel_test_objects(${T_NAME} ${T_SRCS})
  endif()
  if(T_OWN_OBJECTS OR NOT REEL_TEST_OBJECTS)
    target_precompile_headers(${T_NAME} REUSE_FROM reel_test_headers)
  endif()
  target_compile_options(${T_NAME} PRIVATE -fPIC $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  target_link_libraries(${T_NAME} PRIVATE reel_flags reel reel_compiler reel_internal
                        GTest::gmock GTest::gtest_main ${T_DEPS} reel_test_paths)
  add_dependencies(${T_NAME} reel_kernels)  # opened at run time
  set_target_properties(${T_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)  # seconds, a watchdog for what hangs; sanitized code takes several times as long
    if(REEL_SANITIZE)
      set(T_TIMEOUT 900)
    endif()
  endif()
  if(NOT T_SHARDS)
    add_test(NAME ${T_NAME} COMMAND ${T_NAME})
    set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABEL}" ENVIRONMENT REEL_VERIFY=1)
    return()
  endif()
  foreach(shard RANGE 1 ${T_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${T_NAME}_${shard} COMMAND ${T_NAME})
    set_tests_properties(${T_NAME}_${shard} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABEL}"
      ENVIRONMENT "REEL_VERIFY=1;GTEST_TOTAL_SHARDS=${T_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
