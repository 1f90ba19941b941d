#ifndef REEL_CODEGEN_JIT_LOADER_H_
#define REEL_CODEGEN_JIT_LOADER_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "ir/hash_map.h"

// A static linker for what our code generator writes: relocatable ELF objects for x86-64 with code
// and read-only data.

namespace reel::codegen {

/// Linked code in this process. Never writable and executable at once; unmapped with the object.
class LoadedCode {
 public:
  using Symbols = HashMap<std::string, const void*>;

  /// Links the objects with each other and with `outside`; nothing else of the process is visible
  /// to them. Whatever the bytes are, the result is code or an error.
  static absl::StatusOr<LoadedCode> Load(std::span<const std::string> objects, const Symbols& outside);
  LoadedCode() = default;
  LoadedCode(LoadedCode&& other) noexcept { *this = std::move(other); }
  LoadedCode& operator=(LoadedCode&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(symbols_, other.symbols_);
    return *this;
  }
  ~LoadedCode();

  /// Address of a global symbol, null if there is none.
  const void* Find(std::string_view symbol) const;

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  Symbols symbols_;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_JIT_LOADER_H_
