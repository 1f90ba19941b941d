#ifndef REEL_FRONTEND_TENSORFLOW_SAVED_MODEL_PARTS_H_
#define REEL_FRONTEND_TENSORFLOW_SAVED_MODEL_PARTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "frontend/tensorflow/saved_model.pb.h"
#include "frontend/tensorflow/writer.h"

// What a SavedModel is made of, and its two views: a graph, for sessions of version 1 and servers, and objects, for
// tf.saved_model.load. Both run the same functions of one library.

namespace reel::tensorflow {

/// The signature that names what TensorFlow runs when it loads.
inline constexpr char kInitSignature[] = "__saved_model_init_op";

struct SavedVariable {
  std::string name;     ///< Reel's
  std::string node;     ///< in the graph; TensorFlow's name of the variable, too
  std::string key;      ///< in the checkpoint
  int object = 0;       ///< index of its SavedObject
  bool trainable = true;
  ir::Literal initial;
};

/// An entry point.
struct Signature {
  FunctionGraph graph;
  std::string key;                    ///< Reel's name, among the signatures
  std::string method;                 ///< attribute of the loaded object that is the function
  std::vector<std::string> keywords;  ///< Python's names of graph.inputs
  std::vector<std::string> results;   ///< keys of graph.outputs in the dictionary of results
  std::vector<size_t> variables;      ///< those of graph.variables, in SavedModelParts
  // TensorFlow passes arguments by name and gives results in the order of their names.
  std::vector<size_t> input_order, output_order;
  std::string by_keyword, by_position;  ///< FunctionDefs: arguments in input_order, and in Reel's order
};

struct SavedModelParts {
  std::vector<SavedVariable> variables;
  std::vector<Signature> signatures;
};

/// An identifier of Python near the text: it begins with a letter, and is neither a keyword nor `self`.
std::string PythonName(std::string_view text, exports::Names* names);

/// The objects; gives variables their objects and keys. Variables are attributes by the parts of their names between
/// slashes (`m.dense.kernel`), and in the lists `m.variables` and `m.trainable_variables`.
void AddObjects(SavedModelParts* parts, proto::SavedObjectGraph* out);
/// The same tree as a checkpoint keeps it.
proto::TrackableObjectGraph CheckpointObjects(const SavedModelParts& parts, const proto::SavedObjectGraph& objects);

/// The functions by_keyword and by_position of every signature.
void AddCalls(const SavedModelParts& parts, proto::FunctionDefLibrary* library);
/// The graph with variables, one call per signature, and what saves and restores a checkpoint; all that names them.
/// `objects` is the text of CheckpointObjects.
void AddGraph(const SavedModelParts& parts, const std::string& objects, proto::MetaGraphDef* out);

/// The text with a beginning that a node's name can have, and an end that TensorFlow keeps.
std::string SavedNameNear(std::string_view text);

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_SAVED_MODEL_PARTS_H_
