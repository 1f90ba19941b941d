// LLVM's linker of modules and writer of static libraries: what aot/ includes beside its IR.
#ifndef REEL_CODEGEN_LLVM_OBJECT_HEADERS_H_
#define REEL_CODEGEN_LLVM_OBJECT_HEADERS_H_

#include "codegen/llvm/ir_headers.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <llvm/Linker/Linker.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/MemoryBuffer.h>

#pragma GCC diagnostic pop

#endif  // REEL_CODEGEN_LLVM_OBJECT_HEADERS_H_
