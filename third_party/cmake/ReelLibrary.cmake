# reel_add_library(NAME GRAPH file.reel [CPU cpu] [OS system] [OPTIONS option...]): a library NAME of what `reel compile`
# makes of a graph, the functions NAME_* and the header NAME.h. It needs nothing but the C library.
#   CPU      as for `reel compile`: native, a level, or several levels for an object that chooses (v2,v3,v4)
#   OPTIONS  go to `reel compile`, e.g. --extent B=32
function(reel_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 R "" "GRAPH;CPU;OS" "OPTIONS")
  if(NOT R_GRAPH OR R_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "reel_add_library(${name}): write reel_add_library(${name} GRAPH file.reel [CPU cpu] [OS system] "
                        "[OPTIONS option...])")
  endif()
  if(NOT TARGET Reel::program)
    message(FATAL_ERROR "reel_add_library(${name}): there is no Reel::program. ${Reel_missing}")
  endif()
  get_filename_component(graph "${R_GRAPH}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/reel_${name}")
  set(files "${folder}/${name}.a" "${folder}/${name}.h")
  file(MAKE_DIRECTORY "${folder}")
  if(R_CPU)
    list(APPEND R_OPTIONS --cpu "${R_CPU}")
  endif()
  if(R_OS)
    list(APPEND R_OPTIONS --os "${R_OS}")
  endif()
  add_custom_command(OUTPUT ${files}
                     COMMAND Reel::program compile "${graph}" -o "${folder}/${name}" --emit a,header ${R_OPTIONS}
                     DEPENDS "${graph}" COMMENT "Compiling ${name} with Reel" VERBATIM)
  add_custom_target(${name}_reel DEPENDS ${files})
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_reel)
  target_include_directories(${name} INTERFACE "${folder}")
  target_link_libraries(${name} INTERFACE "${folder}/${name}.a")
endfunction()
