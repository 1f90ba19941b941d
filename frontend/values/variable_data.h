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

  std::mutex mutex;  // guards buffer; held by a call that writes over it
  runtime::Buffer buffer;  // present value; replaced, never written to while shared

  runtime::Buffer Load();
  void Store(runtime::Buffer value);
};
using VariablePtr = std::shared_ptr<VariableData>;

}  // namespace reel::internal

#endif  // REEL_FRONTEND_VALUES_VARIABLE_DATA_H_
