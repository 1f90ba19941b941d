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
  std::mutex mutex;        // guards buffer
  runtime::Buffer buffer;  // present value; replaced, never written to while shared
  std::recursive_mutex updating;  // held by a call that assigns it, from what it reads on

  runtime::Buffer Load();
  void Store(runtime::Buffer value);
};
using VariablePtr = std::shared_ptr<VariableData>;

}  // namespace reel::internal

#endif  // REEL_FRONTEND_VALUES_VARIABLE_DATA_H_
