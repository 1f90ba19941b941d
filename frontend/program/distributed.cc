#include "reel/distributed.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/program/agreement.h"
#include "frontend/program/mpi_library.h"
#include "frontend/program/parts.h"
#include "frontend/record/event_log.h"
#include "frontend/values/status.h"
#include "ir/calls.h"
#include "ir/lazy.h"
#include "ir/number.h"
#include "ir/strings.h"
#include "ir/suggest.h"
#include "ir/verifier.h"
#include "passes/shard/shard.h"
#include "runtime/communicator.h"
#include "runtime/fork.h"
#include "runtime/shared_library.h"

namespace reel {

using internal::Check;
using internal::ModuleData;
using internal::ThrowError;
using internal::ThrowInvalid;

namespace {

// Which arguments are batches along axis 0.
std::vector<bool> BatchArguments(const ir::Function& f, const std::vector<std::string>& whole) {
  std::vector<std::string> names;
  std::vector<bool> split;
  for (int i = 0; i < f.num_arguments(); ++i) {
    const ir::Parameter& p = f.parameter(i);
    names.push_back(p.name);
    split.push_back(p.type.shape.rank() > 0 && std::find(whole.begin(), whole.end(), p.name) == whole.end());
  }
  for (const std::string& name : whole) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    ThrowInvalid(StrCat("data_parallel: the step has no argument '", name, "'", ir::DidYouMean(name, names)));
  }
  if (std::find(split.begin(), split.end(), true) != split.end()) return split;
  ThrowInvalid("data_parallel: no argument of the step is a batch; it has nothing to share out");
}

// What libreel_mpi.so offers: runtime/mpi/reel_mpi.h.
struct MpiLibrary {
  runtime::Mutex mutex;
  const reel_communicator* communicator = nullptr;
  const reel_communicator* (*join)(const void* comm, char* error, int64_t error_bytes) = nullptr;
  int32_t (*is_library)(const char* version) = nullptr;
  void (*fail)(int status) = nullptr;
  void (*leave)() = nullptr;
};
constinit Lazy<MpiLibrary> the_mpi;
constexpr char kOtherLibrary[] = "distributed: libreel_mpi.so is of another version of Reel; install both of one build";

// Opens it once; the lock is held.
void Open(MpiLibrary* mpi) {
  std::string why;
  void* const library = runtime::OpenBeside("libreel_mpi.so", &why);
  if (!library) {
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("distributed: ", why, "; install Open MPI (libopenmpi-dev) and build Reel again"));
  }
  const auto find = [library](const char* name, auto* function) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(::dlsym(library, name));
    if (*function == nullptr) ThrowError(ErrorCode::kFailedPrecondition, kOtherLibrary);
  };
  find("reel_mpi_is_library", &mpi->is_library);
  find("reel_mpi_fail", &mpi->fail);
  find("reel_mpi_leave", &mpi->leave);
  find("reel_mpi_join_comm", &mpi->join);
}

void Join(const void* comm, const std::string& library) {
  MpiLibrary& mpi = the_mpi.Get();
  const std::lock_guard lock(mpi.mutex);
  if (mpi.communicator) return;
  if (!mpi.join) Open(&mpi);
  if (comm && !mpi.is_library(library.c_str())) {
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("distributed: the communicator is of another MPI than Reel was built with: ", library,
                      "; build mpi4py with the same one"));
  }
  char error[256] = "";
  mpi.communicator = mpi.join(comm, error, sizeof error);
  if (!mpi.communicator) ThrowError(ErrorCode::kUnavailable, StrCat("distributed: MPI does not start: ", error));
  if (mpi.communicator->version != REEL_COMMUNICATOR_VERSION) {
    mpi.communicator = nullptr;
    ThrowError(ErrorCode::kFailedPrecondition, kOtherLibrary);
  }
  runtime::SetProcessCommunicator(mpi.communicator);
}

}  // namespace

void RunMembers(int64_t size, const std::function<void(int64_t rank)>& member) {
  constexpr int64_t kMost = 1024;  // threads
  if (size < 1 || size > kMost) ThrowInvalid(StrCat("run_members: size must be from 1 to ", kMost, ", got ", size));
  runtime::ThreadGroup group(size);
  std::vector<std::exception_ptr> thrown(static_cast<size_t>(size));
  std::atomic<int64_t> first{-1};
  const auto run = [&](int64_t rank) {
    const runtime::CommunicatorScope scope(group.member(rank));
    try {
      member(rank);
    } catch (...) {
      thrown[static_cast<size_t>(rank)] = std::current_exception();
      int64_t none = -1;
      first.compare_exchange_strong(none, rank);
    }
    group.Abort(rank);  // whoever waits for it now would wait for ever
  };
  std::vector<std::thread> threads;
  try {
    for (int64_t rank = 0; rank < size; ++rank) threads.emplace_back(run, rank);
  } catch (...) {
    group.Abort(static_cast<int64_t>(threads.size()));
    for (std::thread& t : threads) t.join();
    throw;
  }
  for (std::thread& t : threads) t.join();
  if (first >= 0) std::rethrow_exception(thrown[static_cast<size_t>(first.load())]);
}

bool StartedByMpi() {
  // Open MPI, MPICH and Intel MPI, Slurm's PMI.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

int64_t MpiRank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    int64_t rank = -1;
    if (const char* const text = std::getenv(name); text && ir::ParseNumber(text, &rank)) return rank;
  }
  return -1;
}

void JoinMpi() { Join(nullptr, ""); }

namespace internal {

void JoinMpiWith(const void* comm, const std::string& library) { Join(comm, library); }

void LeaveMpi() {
  MpiLibrary& mpi = the_mpi.Get();
  const std::lock_guard lock(mpi.mutex);
  if (mpi.communicator) mpi.leave();
}

}  // namespace internal

void FailGroup(int status) {
  MpiLibrary& mpi = the_mpi.Get();
  const std::lock_guard lock(mpi.mutex);
  if (mpi.communicator) mpi.fail(status);
}

namespace {

// In the place of whole variables, this member's parts of them.
void BindParts(const std::vector<passes::PartedVariable>& parts, ModuleData* data) {
  for (const passes::PartedVariable& p : parts) {
    const ir::Variable& v = *data->module.FindVariable(p.name);
    internal::VariablePtr& bound = data->bound[static_cast<size_t>(&v - data->module.variables().data())];
    bound = internal::PartOf(bound, v.type);
  }
}

}  // namespace

Function DataParallel(const Function& step, const DataParallelOptions& options) {
  if (!step.internal_data()) ThrowError(ErrorCode::kFailedPrecondition, "a null function; assign it first");
  if (options.shard_optimizer) internal::BoundVariables(*step.internal_data(), /*make=*/true);
  auto data = std::make_shared<ModuleData>(*step.internal_data());
  const ir::Function& f = *data->module.FindFunction(data->entry);
  if (options.members == 0 || options.members == GroupSize())
    internal::RequireAgreement(internal::TraitsOf(data->module, data->entry, options));
  const passes::ShardOptions shard{options.shards, options.members == 0 ? GroupSize() : options.members,
                                   BatchArguments(f, options.whole), options.bucket_bytes, options.shard_optimizer};
  const auto parts = internal::Take(passes::Shard(&data->module, data->entry, shard));
  BindParts(parts, data.get());
  ir::KeepReached(&data->module, {data->module.FindFunction(data->entry)});
  Check(ir::Verify(data->module));
  return Function(std::move(data));
}

namespace {

// What `add` adds to the step's module, for its parted variables.
using AddFunction = absl::Status (*)(ir::Module*, const std::vector<passes::PartedVariable>&, const std::string&);
std::shared_ptr<ModuleData> OfParts(const Function& step, AddFunction add, const char* name) {
  if (!step.internal_data()) ThrowError(ErrorCode::kFailedPrecondition, "a null function; assign it first");
  auto data = std::make_shared<ModuleData>(*step.internal_data());
  std::vector<passes::PartedVariable> parts;
  for (size_t i = 0; i < data->bound.size(); ++i) {
    const internal::VariablePtr& v = data->bound[i];
    if (v && v->whole) parts.push_back({data->module.variables()[i].name, v->whole->type});
  }
  Check(add(&data->module, parts, name));
  data->entry = name;
  ir::KeepReached(&data->module, {data->module.FindFunction(name)});
  Check(ir::Verify(data->module));
  return data;
}

}  // namespace

Function GatherState(const Function& step) {
  auto data = OfParts(step, passes::AddGather, "gather_state");
  data->gathers = true;
  return Function(std::move(data));
}

Function ScatterState(const Function& step) { return Function(OfParts(step, passes::AddScatter, "scatter_state")); }

}  // namespace reel
