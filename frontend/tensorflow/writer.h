#ifndef REEL_FRONTEND_TENSORFLOW_WRITER_H_
#define REEL_FRONTEND_TENSORFLOW_WRITER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/export/names.h"
#include "ir/graph.h"

// An entry point as a function of a TensorFlow library (what a SavedModel holds), or as a frozen graph. All is checked
// before anything is written: Unimplemented for an op that TensorFlow does not have, InvalidArgument for an unknown
// entry point or extent.

namespace reel::tensorflow {

namespace proto {
class FunctionDefLibrary;
}

/// A tensor at the border of an entry point.
struct Port {
  std::string name;      ///< Reel's: any text
  std::string argument;  ///< of the FunctionDef: [a-z][a-z0-9_]*, unique among its inputs or outputs
  Type type;             ///< a symbolic extent is -1 in TensorFlow
};

/// A variable that an entry point touches.
struct VariableUse {
  std::string name;      ///< Reel's: any text
  std::string argument;  ///< of the FunctionDef, of DT_RESOURCE
  ir::Literal initial;   ///< what it begins with; its type is the variable's
  bool updated = false;  ///< else it is only read
};

/// What an entry point has become: a FunctionDef whose arguments are `inputs`, then one resource per variable; its
/// results are `outputs`. Variables are read first, and assigned last by control outputs.
struct FunctionGraph {
  std::string entry;     ///< Reel's name
  std::string function;  ///< the FunctionDef's
  std::vector<Port> inputs, outputs;
  std::vector<VariableUse> variables;
};

using Dims = std::map<std::string, int64_t>;

/// Characters of a function's name.
bool InFunctionName(char c);

/// Appends an entry point (empty: "main" or the only one) and what it calls to a library. `functions` gives the names
/// of all functions of that library: exports::Names(InFunctionName).
FunctionGraph AddEntry(const ir::Module& module, std::string_view entry, const Dims& dims, exports::Names* functions,
                       proto::FunctionDefLibrary* library);

/// The bytes of a frozen GraphDef.
std::string WriteGraphDef(const ir::Module& module, std::string_view entry, const Dims& dims);

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_WRITER_H_
