#ifndef REEL_FRONTEND_PROGRAM_MPI_LIBRARY_H_
#define REEL_FRONTEND_PROGRAM_MPI_LIBRARY_H_

#include <string>

// Groups of an MPI that somebody else in the process has started: mpi4py in Python.

namespace reel::internal {

/// As JoinMpi(), with a communicator in the place of all processes: `comm` is the address of an MPI_Comm of the MPI
/// that says `library` of itself (MPI_Get_library_version). Throws kFailedPrecondition if that is not the one that
/// Reel was built with, whose communicators are another type.
void JoinMpiWith(const void* comm, const std::string& library);
/// Before that somebody ends MPI: waits for the others, and ends them if they do not come, as is done where Reel has
/// started it.
void LeaveMpi();

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_MPI_LIBRARY_H_
