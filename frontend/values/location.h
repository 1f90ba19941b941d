#ifndef REEL_FRONTEND_VALUES_LOCATION_H_
#define REEL_FRONTEND_VALUES_LOCATION_H_

#include <cstdint>
#include <source_location>

#include "reel/variable.h"

// Where in the user's program an op was called: for errors, graphs and profiles.

namespace reel::internal {

/// Line of the user's program, and which function of Reel it called; strings with static lifetime, null if unknown.
struct SourceLine {
  const char* file = nullptr;
  uint32_t line = 0;
  const char* function = nullptr;
};

/// Finds the user's line in another language. Called only when an error or a consumer of the event
/// stream needs it, for calls whose std::source_location is default-constructed.
using LineFinder = SourceLine (*)();
void SetLineFinder(LineFinder find);

/// The line of the op in progress; found by the binding of another language if the call came from there.
SourceLine UserLine();

/// Ops inside carry this line unless an enclosing scope already set one: the user's line wins.
class LocationScope {
 public:
  explicit LocationScope(const std::source_location& location, const char* function = __builtin_FUNCTION());
  explicit LocationScope(const Operand& x, const char* function = __builtin_FUNCTION())
      : LocationScope(x.location(), function) {}
  ~LocationScope();
  LocationScope(const LocationScope&) = delete;
  LocationScope& operator=(const LocationScope&) = delete;

 private:
  bool outermost_;
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_VALUES_LOCATION_H_
