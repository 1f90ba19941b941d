#include "reel/tensorflow.h"

#include "frontend/record/event_log.h"
#include "frontend/tensorflow/writer.h"
#include "frontend/values/status.h"
#include "ir/file/writer.h"

namespace reel {

void SaveGraphDef(const Module& module, const std::string& path, const TensorFlowOptions& options) {
  internal::Check(
      ir::WriteFile(path, tensorflow::WriteGraphDef(module.internal_data()->module, options.entry, options.dims)));
}

}  // namespace reel
