#include "bind.h"
#include "register.h"

// reel._core: what the package reel re-exports.

NB_MODULE(_core, m) {
  using namespace reel::python;
  m.doc() = "The C++ part of Reel; import reel instead.";
  nanobind::set_leak_warnings(false);  // dtypes and error classes live as long as the process
  RegisterErrors(m);
  RegisterDTypes(m);
  RegisterTensor(m);
  RegisterVariable(m);
  RegisterTape(m);
  RegisterCreation(m);
  RegisterElementwise(m);
  RegisterReductions(m);
  RegisterShapes(m);
  RegisterIndexing(m);
  RegisterLinalg(m);
  RegisterNn(m);
  RegisterRandom(m);
  RegisterWindows(m);
  RegisterLayers(m);
  RegisterOptim(m);
  RegisterTraining(m);
  RegisterGraphs(m);
  RegisterLoops(m);
  RegisterTransforms(m);
  RegisterCustom(m);
  RegisterCallbacks(m);
  RegisterPacking(m);
  RegisterCallable(m);
  RegisterGraphAware(m);
  RegisterData(m);
  RegisterDistributed(m);
  RegisterKeep(m);
  RegisterSummary(m);
  RegisterTf(m);
  m.attr("_methods") = MethodNames();
  ExplainMistakes(m);
}
