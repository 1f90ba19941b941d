#ifndef REEL_DISTRIBUTED_H_
#define REEL_DISTRIBUTED_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reel/module.h"
#include "reel/tensor.h"
#include "reel/variable.h"

// Training by a group of processes, or of threads of one process. A member is alone until it joins a group. All members
// run the same collectives in the same order: one that goes another way, or ends, makes those of the others fail.

namespace reel {

/// Members of this thread's group, 1 if it is alone, and which of them this one is, from 0.
int64_t GroupSize();
int64_t GroupRank();

/// Joins the processes that `mpirun` has started; the group is that of all threads of the process that have none of
/// their own. Opens libreel_mpi.so; a second call does nothing. Throws kFailedPrecondition if this library is not there
/// (Reel was built without MPI), kUnavailable if MPI does not start.
void JoinMpi();
/// Whether an MPI launcher has started this process.
bool StartedByMpi();
/// As which of them, from 0; -1 if none has, or it does not say.
int64_t MpiRank();

/// This process cannot go on: ends all processes of the MPI group, this one too, with this status. Does nothing if this
/// process has not joined one. A process that ends by itself is noticed, but later.
void FailGroup(int status);

/// Runs member(rank) on `size` threads that are a group, and returns when all have ended. The first exception of a
/// member is thrown; the others' collectives fail then. For tests and for trying out: threads share the process's
/// variables, so each member runs an Executable of its own (Executable::NewInstance).
void RunMembers(int64_t size, const std::function<void(int64_t rank)>& member);

/// How all_reduce combines: Mean takes floats.
enum class Combine { kSum, kMean, kMax };

/// The members' x combined in a balanced tree in the order of ranks, the same bits for each. Real numbers. Gradients of
/// all of these are those of the sum of the members' targets: that of a sum is the sum of the cotangents, and a maximum
/// is shared equally by the members that have it. Of all: traced, an op is for a group of this size.
Tensor AllReduce(const Operand& x, Combine combine = Combine::kSum);
/// The members' x, one behind the other along axis 0. x has rank 1 or more.
Tensor AllGather(const Operand& x);
/// This member's part of AllReduce(x): of GroupSize() equal parts along axis 0. kInvalidArgument if there are no equal
/// parts.
Tensor ReduceScatter(const Operand& x, Combine combine = Combine::kSum);
/// x has GroupSize() equal parts along axis 0, part i for member i; the parts for this one, in the order of ranks.
Tensor AllToAll(const Operand& x);
/// Member root's x.
Tensor BroadcastFrom(const Operand& x, int64_t root = 0);

/// Options of DataParallel.
struct DataParallelOptions {
  /// Parts of the global batch, each computed by itself; results of parts are added in a balanced tree. The bits of a
  /// step depend on this number, not on that of members, which must divide it.
  int64_t shards = 8;
  int64_t members = 0;  ///< 0: GroupSize()
  /// Arguments that every member gets whole, by name. Of the others, those of rank 1 or more are batches along axis 0,
  /// and scalars are whole.
  std::vector<std::string> whole = {};
  /// Gradients smaller than half of this travel together, about so many bytes at a time, as soon as they are there. No
  /// bits depend on it; all members must have the same.
  int64_t bucket_bytes = 64 << 10;
  /// Each member updates its part of the variables and sends it to the others: an optimizer costs a member a part of
  /// its time and memory. Of slots, which updates alone read, a member holds its part alone. No bits depend on it
  /// (ZeRO-1: Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", 2020). Of
  /// variables of fewer than 256 elements, or whose rows (axis 0) the members do not divide, each member does all.
  ///
  /// A call of the step takes its part of slots that have a value and frees that: reading one is then an error
  /// (kFailedPrecondition) until GatherState, a checkpoint or an assignment gives it a value. An Executable has the
  /// part as its variable: LoadFrom takes it of whole values, StoreTo gathers, for which all members call it. Slots
  /// whose parts are not alike (those of new optimizers are zero) are NaN in it until LoadFrom.
  bool shard_optimizer = false;
};

/// What one of the members runs for a training step that was written, or recorded, for one machine and the global
/// batch: its batch arguments are its own part, [batch / members, ...]; the losses, variables and results of rank 0 are
/// those of the global batch, for every member, with the same bits for every number of members. Results that have a
/// row per example are gathered.
///
/// Each op is computed by shards as far as its operands have rows of the batch. A sum, matrix product or maximum over
/// these rows is computed by shards and combined in the tree; halves are added in f32. An op that looks for single rows
/// (a sort, a lookup in the batch, the rows of an embedding that an optimizer updates) gets those of all members.
/// Random numbers are those of the global batch. So a step computes what it does on one machine but for the order of
/// additions, batch normalization and unusual losses included. Throws kInvalidArgument where `shards` does not divide a
/// batch or `members` does not divide `shards`, kUnimplemented, naming the op, where an op mixes the rows in another
/// way (a reversal, a loop over the batch).
///
/// All members of a group call it, with one graph and as many shards, with one version of Reel, on CPUs that all have
/// a fused multiply-add or all lack it (nothing else of a CPU changes bits): they compare, and each throws
/// kFailedPrecondition, naming who differs, before the first step. With `members` that are not GroupSize() nobody is
/// asked.
Function DataParallel(const Function& step, const DataParallelOptions& options = {});

/// A function without arguments, for all members to call before slots are read, saved or used by another group: its
/// results are the whole values of the variables of which each member has a part, in a step made by DataParallel with
/// shard_optimizer. A call on live Variables gives them these values, too.
Function GatherState(const Function& step);
/// The other way: a function of these values, in the same order, of which the member keeps its parts. For objects,
/// which have no LoadFrom.
Function ScatterState(const Function& step);

}  // namespace reel

#endif  // REEL_DISTRIBUTED_H_
