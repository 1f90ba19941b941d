#include "reel/distributed.h"

#include <string>

#include "bind.h"
#include "frontend/program/mpi_library.h"
#include "register.h"

// reel.distributed: groups of processes. The names and texts that users see are in reel/distributed.py.

namespace reel::python {
namespace {

Combine ToCombine(const std::string& op) {
  if (op == "sum") return Combine::kSum;
  if (op == "mean") return Combine::kMean;
  if (op == "max") return Combine::kMax;
  throw nb::value_error(("op must be 'sum', 'mean' or 'max', got '" + op + "'").c_str());
}

}  // namespace

void RegisterDistributed(nb::module_& m) {
  m.def("_group_size", &GroupSize);
  m.def("_group_rank", &GroupRank);
  m.def("_started_by_mpi", &StartedByMpi);
  m.def("_join_mpi", &JoinMpi);
  m.def("_join_mpi_with", [](uintptr_t comm, const std::string& library) {
    internal::JoinMpiWith(reinterpret_cast<const void*>(comm), library);
  });
  m.def("_leave_mpi", &internal::LeaveMpi);
  m.def("_fail_group", &FailGroup);
  m.def("_all_reduce", [](TensorLike x, const std::string& op) { return AllReduce(x.operand(), ToCombine(op)); });
  m.def("_all_gather", [](TensorLike x) { return AllGather(x.operand()); });
  m.def("_reduce_scatter",
        [](TensorLike x, const std::string& op) { return ReduceScatter(x.operand(), ToCombine(op)); });
  m.def("_all_to_all", [](TensorLike x) { return AllToAll(x.operand()); });
  m.def("_broadcast_from", [](TensorLike x, int64_t root) { return BroadcastFrom(x.operand(), root); });
  m.def("_data_parallel", [](const Function& step, int64_t shards, int64_t members, nb::list whole,
                             int64_t bucket_bytes, bool shard_optimizer) {
    DataParallelOptions options{
        .shards = shards, .members = members, .bucket_bytes = bucket_bytes, .shard_optimizer = shard_optimizer};
    for (const nb::handle name : whole) options.whole.emplace_back(nb::str(name).c_str());
    return DataParallel(step, options);
  });
  m.def("_gather_state", &GatherState);
}

}  // namespace reel::python
