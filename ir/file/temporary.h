#ifndef REEL_IR_FILE_TEMPORARY_H_
#define REEL_IR_FILE_TEMPORARY_H_

#include <sys/types.h>

#include <string>

#include "ir/file/descriptor.h"

namespace reel::ir {

/// Makes a file in the folder under a random name that nobody had, and locks it: as long as a descriptor of it
/// is open somewhere, SweepTemporaries leaves it alone. Not ok, with errno, on failure.
Descriptor CreateTemporary(int folder, mode_t mode, std::string* name);

/// The same of a folder: what is in it goes with it.
Descriptor CreateTemporaryFolder(int folder, mode_t mode, std::string* name);

/// Removes what writers that have died left in the folder: regular files and folders of CreateTemporary's names,
/// ours, that nobody holds. Looks into a folder once per process as long as no other is written to.
void SweepTemporaries(int folder);

}  // namespace reel::ir

#endif  // REEL_IR_FILE_TEMPORARY_H_
