#ifndef REEL_CODEGEN_LIBRARY_SPECS_H_
#define REEL_CODEGEN_LIBRARY_SPECS_H_

#include <string>
#include <vector>

#include "codegen/library/library.h"
#include "codegen/loop/loop.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// A library kernel before LLVM.
struct LibrarySpec {
  std::string symbol;  ///< "reel_add_f32_f32_f32"
  Kernel kernel;       ///< of runtime length
  LibraryKernel entry; ///< without code
};

/// Every elementwise op and reduction of ops.def for every combination of dtypes that compiles to
/// one kernel with one loop over its elements. The others (complex numbers) are compiled on use.
std::vector<LibrarySpec> LibrarySpecs(const Target& target);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LIBRARY_SPECS_H_
