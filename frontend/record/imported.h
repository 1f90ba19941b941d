#ifndef REEL_FRONTEND_RECORD_IMPORTED_H_
#define REEL_FRONTEND_RECORD_IMPORTED_H_

#include <string>
#include <utility>

#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "ir/hash_map.h"

// What readers of other programs share: they run a program's operations inside a trace.

namespace reel::internal {

/// Calls of an imported program that nest deeper are refused: importers run them recursively.
inline constexpr size_t kDeepestCall = 64;

/// Values of a region by their names; a name that is not here is looked up in the region around it.
template <typename Value>
struct NameScope {
  HashMap<std::string, Value> values;
  const NameScope* outer = nullptr;

  const Value* Find(const std::string& name) const {
    for (const NameScope* scope = this; scope; scope = scope->outer) {
      const auto it = scope->values.find(name);
      if (it != scope->values.end()) return &it->second;
    }
    return nullptr;
  }
};

/// Ops inside carry this line of the imported file. Its name must live as long as the trace.
class ImportedLine {
 public:
  ImportedLine(const char* file, uint32_t line) : saved_(std::exchange(State().location, {file, line})) {}
  ~ImportedLine() { State().location = saved_; }
  ImportedLine(const ImportedLine&) = delete;
  ImportedLine& operator=(const ImportedLine&) = delete;

 private:
  SourceLine saved_;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_RECORD_IMPORTED_H_
