#ifndef REEL_CODEGEN_CACHE_CODE_CACHE_H_
#define REEL_CODEGEN_CACHE_CODE_CACHE_H_

#include <optional>
#include <string>

#include "codegen/cache/cache.h"
#include "codegen/program/code.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// Machine code of one program in a DiskCache. Not of one with callbacks, which are of this process alone.
class CodeCache {
 public:
  CodeCache(const std::string& folder, const Program& program, const Target& target, int opt_level);

  std::optional<CodeObjects> Get() const;
  void Put(const CodeObjects& code) const;

 private:
  const DiskCache cache_;
  const std::string key_;
};

/// All that the code of a program without callbacks depends on, as bytes: kernels, steps and places; target and level;
/// this version of Reel and its compiler library, LLVM's version. Not names, and not the values of constants and
/// variables.
std::string CodeKey(const Program& program, const Target& target, int opt_level);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_CACHE_CODE_CACHE_H_
