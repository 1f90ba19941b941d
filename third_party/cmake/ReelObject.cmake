# reel_add_object(NAME MODULE [OPTIONS option...]): a library NAME of what `reel compile MODULE` makes, the functions NAME_*
# and the header NAME.h. It needs nothing but the C library. OPTIONS go to `reel compile`, e.g. --cpu x86-64-v3.
function(reel_add_object name module)
  cmake_parse_arguments(PARSE_ARGV 2 R "" "" "OPTIONS")
  if(NOT TARGET Reel::program)
    message(FATAL_ERROR "reel_add_object(${name}): there is no Reel::program. ${Reel_missing}")
  endif()
  get_filename_component(module "${module}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/reel_${name}")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${folder}/${name}.o" "${folder}/${name}.h"
                     COMMAND Reel::program compile "${module}" -o "${folder}/${name}" ${R_OPTIONS}
                     DEPENDS "${module}" COMMENT "Compiling ${name} with Reel" VERBATIM)
  add_custom_target(${name}_reel DEPENDS "${folder}/${name}.o" "${folder}/${name}.h")
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_reel)
  target_include_directories(${name} INTERFACE "${folder}")
  target_link_libraries(${name} INTERFACE "${folder}/${name}.o" m)
endfunction()
