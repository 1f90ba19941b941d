#include "reel/tensorflow.h"

#include "frontend/record/event_log.h"
#include "frontend/tensorflow/saved_model.h"
#include "frontend/tensorflow/writer.h"
#include "frontend/values/status.h"
#include "ir/file/writer.h"

namespace reel {

void SaveGraphDef(const Module& module, const std::string& path, const TensorFlowOptions& options) {
  internal::Check(
      ir::WriteFile(path, tensorflow::WriteGraphDef(module.internal_data()->module, options.entry, options.dims)));
}

void SaveSavedModel(const Module& module, const std::string& path, const TensorFlowOptions& options) {
  internal::Check(tensorflow::WriteSavedModel(module.internal_data()->module, path, options.entry, options.dims));
}

}  // namespace reel
