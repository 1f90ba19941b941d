#ifndef REEL_PYTHON_PACKING_H_
#define REEL_PYTHON_PACKING_H_

#include <utility>
#include <vector>

#include "common.h"

namespace reel::python {

/// How the tensors that a program gives stand in what its function returned: steps of a stack machine, made once by
/// Python code (reel/_calls.py), run at each call without it.
class Packing {
 public:
  /// `tensor`: the class of the tensors. `steps`: pairs (kind, what), see _calls.steps_of.
  Packing(nb::type_object tensor, nb::list steps);

  /// The structure with the tensors in their places. What it calls may throw.
  nb::object Pack(std::vector<Tensor> tensors) const;

  int Traverse(visitproc visit, void* arg) const;
  void Clear() { const std::vector<Step> gone = std::exchange(steps_, {}); }

 private:
  struct Step {
    enum class Kind : uint8_t { kTensor, kConstant, kList, kTuple, kDict, kCall };
    Kind kind;
    size_t count = 0;  // which tensor; how many parts
    nb::object what;   // the constant; the keys; what is called with the parts
  };
  static Step ToStep(nb::handle pair);
  static nb::object Join(const Step& step, nb::object* parts);

  PyTypeObject* tensor_;
  std::vector<Step> steps_;
};

void RegisterPacking(nb::module_& m);

}  // namespace reel::python

#endif  // REEL_PYTHON_PACKING_H_
