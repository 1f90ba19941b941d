#ifndef REEL_PYTHON_REGISTER_H_
#define REEL_PYTHON_REGISTER_H_

#include "common.h"

// What module.cc calls, one function per file.

namespace reel::python {

void RegisterErrors(nb::module_& m);
void RegisterDTypes(nb::module_& m);
void RegisterTensor(nb::module_& m);
void RegisterVariable(nb::module_& m);
void RegisterTape(nb::module_& m);
void RegisterCreation(nb::module_& m);
void RegisterElementwise(nb::module_& m);
void RegisterReductions(nb::module_& m);
void RegisterShapes(nb::module_& m);
void RegisterIndexing(nb::module_& m);
void RegisterLinalg(nb::module_& m);
void RegisterNn(nb::module_& m);
void RegisterLayers(nb::module_& m);
void RegisterWindows(nb::module_& m);
void RegisterRandom(nb::module_& m);
void RegisterOptim(nb::module_& m);
void RegisterTraining(nb::module_& m);
void RegisterExecutables(nb::module_& m);
void RegisterGraphs(nb::module_& m);
void RegisterLoops(nb::module_& m);
void RegisterTransforms(nb::module_& m);
void RegisterCustom(nb::module_& m);
void RegisterCallbacks(nb::module_& m);
void RegisterPacking(nb::module_& m);
void RegisterCallable(nb::module_& m);
void RegisterGraphAware(nb::module_& m);
void RegisterData(nb::module_& m);
void RegisterDistributed(nb::module_& m);
void RegisterKeep(nb::module_& m);
void RegisterSummary(nb::module_& m);
void RegisterTf(nb::module_& m);
/// Calls that no signature takes say what is wrong with them; after all others.
void ExplainMistakes(nb::module_& m);

}  // namespace reel::python

#endif  // REEL_PYTHON_REGISTER_H_
