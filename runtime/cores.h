// How many threads this process can keep busy.
#ifndef REEL_RUNTIME_CORES_H_
#define REEL_RUNTIME_CORES_H_

namespace reel::runtime {

// Physical cores the process may run on: its affinity mask with hyper-threads of a core counted
// once, limited by the CPU quota of its control group. At least 1.
int AvailableCores();

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_CORES_H_
