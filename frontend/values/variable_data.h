#ifndef REEL_FRONTEND_VALUES_VARIABLE_DATA_H_
#define REEL_FRONTEND_VALUES_VARIABLE_DATA_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "reel/variable.h"
#include "runtime/buffer.h"

namespace reel::internal {

/// What a variable is; who reads or assigns it goes through eager/dispatch.h.
struct VariableData {
  uint64_t id;
  std::string name;
  bool trainable;
  Type type;
  using Hold = std::unique_lock<std::mutex>;  // under a NoFork, as Load and Store

  std::mutex mutex;  // guards what follows but for `whole`; held by a call that writes over the value
  runtime::Buffer buffer;  // present value; replaced, never written to while shared
  bool in_parts = false;   // there is none here: members of a group have parts of it (program/parts.h)
  std::weak_ptr<VariableData> part;  // this member's, which was made last
  std::shared_ptr<VariableData> whole;  // what this is a part of; null: it is no part

  /// Both throw kFailedPrecondition if the value is in parts; the second one under the lock.
  runtime::Buffer Load();
  void RequireValue() const;
  void Store(runtime::Buffer value);
};
using VariablePtr = std::shared_ptr<VariableData>;

}  // namespace reel::internal

#endif  // REEL_FRONTEND_VALUES_VARIABLE_DATA_H_
