# What `cmake --install` puts where, for find_package(Reel CONFIG) and pkg-config. All paths are relative to the prefix:
# an installed tree can be moved.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# include/reel is the root of the public headers: reel/*.h and what these use of ir/.
set(REEL_INSTALL_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}/reel")
set(REEL_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/Reel")

# The libraries find each other beside themselves, the program finds them in ../lib.
set_target_properties(reel reel_compiler reel_kernels PROPERTIES INSTALL_RPATH "\$ORIGIN")
file(RELATIVE_PATH REEL_LIB_FROM_BIN "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_target_properties(reel_cli PROPERTIES INSTALL_RPATH "\$ORIGIN/${REEL_LIB_FROM_BIN}")
set_target_properties(reel_compiler PROPERTIES EXPORT_NAME compiler)

install(TARGETS reel EXPORT ReelTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Runtime)
install(TARGETS reel_kernels LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Runtime)
install(TARGETS reel_compiler EXPORT ReelCompilerTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Compiler)
install(FILES "${PROJECT_SOURCE_DIR}/runtime/mpi/reel_mpi.c" "${PROJECT_SOURCE_DIR}/runtime/mpi/reel_mpi.h"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/reel" COMPONENT Development)  # for objects: mpicc main.c step.o reel_mpi.c
if(TARGET reel_mpi)
  install(TARGETS reel_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Runtime)
endif()
install(TARGETS reel_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT Compiler)

# Manual pages and completion scripts are what the program prints of its own commands.
set(pages "${CMAKE_BINARY_DIR}/share")
add_custom_command(
  OUTPUT "${pages}.stamp"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${pages}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${pages}/bash-completion/completions" "${pages}/zsh/site-functions"
          "${pages}/fish/vendor_completions.d"
  COMMAND reel_cli man --output-dir "${pages}/man/man1"
  COMMAND reel_cli completion bash -o "${pages}/bash-completion/completions/reel"
  COMMAND reel_cli completion zsh -o "${pages}/zsh/site-functions/_reel"
  COMMAND reel_cli completion fish -o "${pages}/fish/vendor_completions.d/reel.fish"
  COMMAND "${CMAKE_COMMAND}" -E touch "${pages}.stamp"
  DEPENDS reel_cli
  VERBATIM)
add_custom_target(reel_pages ALL DEPENDS "${pages}.stamp")
install(DIRECTORY "${pages}/" DESTINATION "${CMAKE_INSTALL_DATADIR}" COMPONENT Compiler)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/frontend/reel/" DESTINATION "${REEL_INSTALL_INCLUDEDIR}/reel"
        COMPONENT Development FILES_MATCHING PATTERN "*.h")
set(REEL_PUBLIC_IR_HEADERS ir/budget.h ir/half.h ir/types.h)  # tests/install checks that these are all
list(TRANSFORM REEL_PUBLIC_IR_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/")
install(FILES ${REEL_PUBLIC_IR_HEADERS} DESTINATION "${REEL_INSTALL_INCLUDEDIR}/ir" COMPONENT Development)

install(EXPORT ReelTargets NAMESPACE Reel:: DESTINATION "${REEL_INSTALL_CMAKEDIR}" COMPONENT Development)
install(EXPORT ReelCompilerTargets NAMESPACE Reel:: DESTINATION "${REEL_INSTALL_CMAKEDIR}" COMPONENT Development)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/ReelConfig.cmake.in" "${CMAKE_BINARY_DIR}/ReelConfig.cmake"
                              INSTALL_DESTINATION "${REEL_INSTALL_CMAKEDIR}" PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/ReelConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH REEL_PREFIX_FROM_PC "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/reel.pc.in" "${CMAKE_BINARY_DIR}/reel.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/ReelConfig.cmake" "${CMAKE_BINARY_DIR}/ReelConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/ReelLibrary.cmake"
        DESTINATION "${REEL_INSTALL_CMAKEDIR}" COMPONENT Development)
install(FILES "${CMAKE_BINARY_DIR}/reel.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT Development)
