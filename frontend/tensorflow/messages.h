#ifndef REEL_FRONTEND_TENSORFLOW_MESSAGES_H_
#define REEL_FRONTEND_TENSORFLOW_MESSAGES_H_

#include "frontend/tensorflow/emitter.h"
#include "frontend/tensorflow/schema.h"

// The plain structs of emitter.h as messages.

namespace reel::tensorflow {

void ToFunctionDef(const Body& body, proto::FunctionDef* out);
/// A body without arguments, beside the functions that it uses.
void ToGraphDef(const Body& body, const Library& library, proto::GraphDef* out);
/// Which versions of TensorFlow read it.
void SetVersions(proto::VersionDef* out);

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_MESSAGES_H_
