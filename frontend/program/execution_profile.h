#ifndef REEL_FRONTEND_PROGRAM_EXECUTION_PROFILE_H_
#define REEL_FRONTEND_PROGRAM_EXECUTION_PROFILE_H_

#include <functional>
#include <string>

#include "codegen/program/program.h"
#include "reel/profile.h"
#include "runtime/profile.h"

namespace reel::internal {

/// What a profiler saw of a program, with what its kernels do.
ExecutionProfile ProfileOf(const codegen::Program& program, const runtime::Profiler& profiler);

/// The same as a Chrome trace (JSON): a slice for each call of an entry point, and within it one for each
/// kernel on each thread that ran chunks of it.
std::string TraceOf(const codegen::Program& program, const runtime::Profiler& profiler);

/// The table with one more column if `limit_seconds` tells the least time for all calls of a row.
std::string ProfileTable(const ExecutionProfile& profile,
                         const std::function<double(const KernelProfile&)>& limit_seconds = {});

/// What REEL_PROFILE asks for when an instance goes away: the table on stderr, or its slices added to
/// the file. What cannot be written is told on stderr.
void ReportProfile(const codegen::Program& program, const runtime::Profiler& profiler) noexcept;

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_EXECUTION_PROFILE_H_
