#ifndef REEL_CODEGEN_AOT_RESERVED_H_
#define REEL_CODEGEN_AOT_RESERVED_H_

#include <string>
#include <string_view>

namespace reel::codegen {

/// True for identifiers that C99 to C23 or C++98 to C++23 keep for themselves, and for types and macros of their
/// libraries and of the usual compilers.
bool IsReservedWord(std::string_view identifier);

/// Those, what has the form of a macro, and macros of windows.h: a header may define them before ours.
bool IsReserved(std::string_view identifier);

/// The identifier, or one made of it that is not reserved: double -> double_, NULL -> NULL_v, __x -> v__x.
std::string Unreserved(std::string_view identifier);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_RESERVED_H_
