#ifndef REEL_CODEGEN_AOT_HEADER_H_
#define REEL_CODEGEN_AOT_HEADER_H_

#include <string>

#include "codegen/aot/layout.h"
#include "codegen/aot/names.h"
#include "codegen/program/program.h"

namespace reel::codegen {

/// The C99 header of an object, with a C++ class of the same name.
std::string HeaderText(const Program& program, const ObjectNames& names, const ObjectLayout& layout);

/// What the object holds, as JSON.
std::string ManifestText(const Program& program, const ObjectNames& names, const ObjectLayout& layout);

/// The one of ObjectEntries that the C++ class's Run() calls: of those without symbolic extents "predict" if there is
/// one, else the first; -1 without any.
int RunEntry(const Program& program);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_HEADER_H_
