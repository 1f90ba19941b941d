#ifndef REEL_CODEGEN_PLAN_ARRAYS_H_
#define REEL_CODEGEN_PLAN_ARRAYS_H_

#include <vector>

#include "codegen/target/tuning.h"
#include "ir/graph.h"

namespace reel::codegen {

/// Values that are few operations away from one array as large, beside small ones.
struct Arrays {
  std::vector<ir::Value> of;  ///< by value: the array it is a map of, else itself
  std::vector<int> maps;      ///< by array: how many maps of it several readers share
};

/// `uses`: by value, how many read it.
Arrays FindArrays(const ir::Function& function, const std::vector<int>& uses, const Tuning& tuning);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_ARRAYS_H_
