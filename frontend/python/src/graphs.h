#ifndef REEL_FRONTEND_PYTHON_SRC_GRAPHS_H_
#define REEL_FRONTEND_PYTHON_SRC_GRAPHS_H_

#include "common.h"
#include "reel/module.h"

// What graphs.cc and executables.cc share.

namespace reel::python {

/// A reel.Budget; None is the default one.
Budget ToBudget(nb::handle budget);
nb::object NameTuple(const std::vector<std::string>& names);

/// f of a Module or a Function, while other threads run.
template <typename F>
auto WithGraph(nb::handle graph, F f) {
  Module* module = nullptr;
  if (nb::try_cast(graph, module) && module) {
    const nb::gil_scoped_release other_threads;
    return f(*module);
  }
  Function* function = nullptr;
  if (nb::try_cast(graph, function) && function) {
    const nb::gil_scoped_release other_threads;
    return f(*function);
  }
  ThrowType("expected a Module or a Function, not " + TypeName(graph));
}

}  // namespace reel::python

#endif  // REEL_FRONTEND_PYTHON_SRC_GRAPHS_H_
