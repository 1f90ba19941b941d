#include "runtime/cores.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace reel::runtime {
namespace {

#ifdef __linux__
// First CPU that shares a core with `cpu`; `cpu` itself when the system does not say.
int FirstSibling(int cpu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  int first = cpu;
  return file >> first ? first : cpu;
}

// CPUs that the control group's quota pays for, rounded up; 0 without a quota.
int QuotaCpus() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");  // "max 100000" or "150000 100000" (microseconds)
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::min((quota + period - 1) / period, 1e6));
}

// Distinct cores in the affinity mask; 0 when it cannot be read.
int CoresInMask() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 0;
  std::set<int> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) cores.insert(FirstSibling(cpu));
  }
  return static_cast<int>(cores.size());
}
#else
int QuotaCpus() { return 0; }
int CoresInMask() { return 0; }
#endif

}  // namespace

int AvailableCores() {
  int cores = CoresInMask();
  if (cores == 0) cores = static_cast<int>(std::thread::hardware_concurrency());
  const int quota = QuotaCpus();
  if (quota > 0) cores = std::min(cores, quota);
  return std::max(cores, 1);
}

}  // namespace reel::runtime
