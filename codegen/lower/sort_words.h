#ifndef REEL_CODEGEN_LOWER_SORT_WORDS_H_
#define REEL_CODEGEN_LOWER_SORT_WORDS_H_

#include "codegen/llvm/ir_headers.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// The module's `void f(ptr words, i64 n)`: puts n distinct i64 in ascending order, in place and in O(n log n) for
/// every input. Short pieces go through sorting networks in registers (Batcher's bitonic sorter), longer ones are
/// parted (quicksort); a piece that was parted too often without getting short is made a heap (introsort: Musser 1997).
llvm::Function* SortWordsFunction(llvm::Module* module, const Target& target);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_SORT_WORDS_H_
