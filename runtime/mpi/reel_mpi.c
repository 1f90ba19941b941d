#define _POSIX_C_SOURCE 199309L /* nanosleep, sysconf */

#include "reel_mpi.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static MPI_Comm comm;
static int is_crowded; /* this machine has more processes of the group than cores */

/* Waits awake for as long as small messages take, then naps between questions: large ones go on only when MPI is asked.
 * After a nap the core is back at once. sched_yield may give it to a program of little priority for a whole time slice,
 * but changes turns faster where members share cores, so these begin with it. Who has waited long sleeps long. No
 * seconds: for ever. */
static int Wait(MPI_Request* request, double seconds) {
  const double start = MPI_Wtime(), alone = 100e-6, turns = 5e-3, patient = 0.1;
  const struct timespec nap = {0, 20000}, sleep = {0, 1000000};
  int done = 0;
  while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
    const double waited = MPI_Wtime() - start;
    if (seconds > 0 && waited > seconds) return 1;
    if (waited < alone) continue;
    if (is_crowded && waited < turns) {
      sched_yield();
    } else {
      nanosleep(waited > patient ? &sleep : &nap, NULL);
    }
  }
  return !done;
}

/* One element of so many bytes: MPI counts in int. */
static MPI_Datatype TypeOf(int64_t bytes) {
  const int64_t block = 1 << 20;
  MPI_Datatype type, parts[2];
  if (bytes <= INT_MAX) {
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
  } else {
    const int lengths[2] = {1, (int)(bytes % block)};
    const MPI_Aint places[2] = {0, (MPI_Aint)(bytes - bytes % block)};
    MPI_Datatype unit;
    MPI_Type_contiguous((int)block, MPI_BYTE, &unit);
    MPI_Type_contiguous((int)(bytes / block), unit, &parts[0]);
    parts[1] = MPI_BYTE;
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Type_free(&unit);
    MPI_Type_free(&parts[0]);
  }
  MPI_Type_commit(&type);
  return type;
}

static int32_t Finish(int started, MPI_Request* request, MPI_Datatype* type) {
  const int failed = started != MPI_SUCCESS || Wait(request, 0);
  MPI_Type_free(type);
  return failed;
}

/* What has been started and not waited for. */
struct UnderWay {
  int used;
  MPI_Request request;
  MPI_Datatype type;
};
static struct UnderWay* under_way;
static int64_t places;

static int64_t FreePlace(void) {
  const int64_t before = places;
  int64_t i = 0;
  struct UnderWay* more;
  while (i < places && under_way[i].used) ++i;
  if (i < places) return i;
  more = realloc(under_way, (size_t)(2 * before + 16) * sizeof *more);
  if (more == NULL) return -1;
  for (under_way = more, places = 2 * before + 16; i < places; ++i) under_way[i].used = 0;
  return before;
}

/* Messages go on when MPI is asked: those under way are, at every start. */
static int32_t Started(int code, int64_t place, const struct UnderWay* one) {
  int64_t i;
  int done = 0;
  if (code != MPI_SUCCESS) {
    MPI_Datatype type = one->type;
    MPI_Type_free(&type);
    return 1;
  }
  under_way[place] = *one;
  for (i = 0; i < places; ++i) {
    if (under_way[i].used && MPI_Test(&under_way[i].request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 1;
  }
  return 0;
}

static int32_t StartAllToAll(void* context, const void* send, void* receive, int64_t bytes, int64_t* number) {
  struct UnderWay one = {1, MPI_REQUEST_NULL, MPI_DATATYPE_NULL};
  (void)context;
  if ((*number = FreePlace()) < 0) return 1;
  one.type = TypeOf(bytes);
  return Started(MPI_Ialltoall(send, 1, one.type, receive, 1, one.type, comm, &one.request), *number, &one);
}

static int32_t StartAllGather(void* context, const void* send, void* receive, int64_t bytes, int64_t* number) {
  struct UnderWay one = {1, MPI_REQUEST_NULL, MPI_DATATYPE_NULL};
  (void)context;
  if ((*number = FreePlace()) < 0) return 1;
  one.type = TypeOf(bytes);
  return Started(MPI_Iallgather(send, 1, one.type, receive, 1, one.type, comm, &one.request), *number, &one);
}

static int32_t WaitFor(void* context, int64_t number) {
  (void)context;
  under_way[number].used = 0;
  return Finish(MPI_SUCCESS, &under_way[number].request, &under_way[number].type);
}

static int32_t AllToAll(void* context, const void* send, void* receive, int64_t bytes) {
  int64_t number = 0;
  return StartAllToAll(context, send, receive, bytes, &number) || WaitFor(context, number);
}

static int32_t AllGather(void* context, const void* send, void* receive, int64_t bytes) {
  int64_t number = 0;
  return StartAllGather(context, send, receive, bytes, &number) || WaitFor(context, number);
}

static int32_t Broadcast(void* context, void* buffer, int64_t bytes, int64_t root) {
  MPI_Datatype type = TypeOf(bytes);
  MPI_Request request;
  (void)context;
  return Finish(MPI_Ibcast(buffer, 1, type, (int)root, comm, &request), &request, &type);
}

static struct reel_communicator group = {
    REEL_COMMUNICATOR_VERSION, 0, 0, NULL, AllToAll, AllGather, Broadcast, StartAllToAll, StartAllGather, WaitFor};

/* One that waits for this one in a collective never comes: it is ended. */
void reel_mpi_leave(void) {
  const double patience = 10; /* seconds: writing a last file, not a step */
  MPI_Request request;
  int ended = 1;
  if (group.size == 0 || MPI_Finalized(&ended) != MPI_SUCCESS || ended) return;
  if (MPI_Ibarrier(comm, &request) != MPI_SUCCESS || Wait(&request, patience)) {
    fprintf(stderr, "reel: process %d of %d has ended before the others; they are ended, too\n", (int)group.rank,
            (int)group.size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Ends MPI when all processes have come here. */
static void End(void) {
  int ended = 1;
  if (MPI_Finalized(&ended) != MPI_SUCCESS || ended) return;
  reel_mpi_leave();
  MPI_Finalize();
}

void reel_mpi_fail(int status) {
  int ended = 1;
  if (group.size > 0 && MPI_Finalized(&ended) == MPI_SUCCESS && !ended) MPI_Abort(MPI_COMM_WORLD, status);
}

static int IsCrowded(int rank) {
  MPI_Comm near;
  int size = 1;
  if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near) != MPI_SUCCESS) return 1;
  MPI_Comm_size(near, &size);
  MPI_Comm_free(&near);
  return size > sysconf(_SC_NPROCESSORS_ONLN);
}

const struct reel_communicator* reel_mpi_join(char* error, int64_t error_bytes) {
  return reel_mpi_join_comm(NULL, error, error_bytes);
}

int32_t reel_mpi_is_library(const char* version) {
  char own[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  return MPI_Get_library_version(own, &length) == MPI_SUCCESS && strcmp(own, version) == 0;
}

const struct reel_communicator* reel_mpi_join_comm(const void* of, char* error, int64_t error_bytes) {
  int started = 0, level = 0, rank = 0, size = 0, code = MPI_SUCCESS;
  if (group.size > 0) return &group;
  MPI_Initialized(&started);
  if (!started) code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  if (code == MPI_SUCCESS) code = MPI_Comm_dup(of ? *(const MPI_Comm*)of : MPI_COMM_WORLD, &comm);
  if (code != MPI_SUCCESS) {
    snprintf(error, (size_t)error_bytes, "MPI gives error %d", code);
    return NULL;
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  is_crowded = IsCrowded(rank);
  group.rank = rank;
  group.size = size;
  if (!started) atexit(End);
  return &group;
}

static uint64_t HasFusedMultiplyAdd(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma") != 0;
#else
  return 1; /* all of an architecture have it or not */
#endif
}

int reel_mpi_agree(uint64_t signature, char* error, int64_t error_bytes) {
  const uint64_t own[2] = {signature, HasFusedMultiplyAdd()};
  uint64_t* const all = group.size > 0 ? malloc((size_t)group.size * sizeof own) : NULL;
  int64_t other = 0;
  if (all == NULL || AllGather(NULL, own, all, sizeof own) != 0) {
    snprintf(error, (size_t)error_bytes, "the processes cannot compare what they run: %s",
             group.size > 0 ? "no memory, or MPI fails" : "call reel_mpi_join first");
    free(all);
    return 1;
  }
  while (other < group.size && all[2 * other] == all[0] && all[2 * other + 1] == all[1]) ++other;
  if (other < group.size) {
    const char* const what = all[2 * other] != all[0] ? "program than process 0: link all with one object"
                                                      : "class of CPU than process 0: only one has fused multiply-add";
    snprintf(error, (size_t)error_bytes, "process %d of %d has another %s", (int)other, (int)group.size, what);
  }
  free(all);
  return other < group.size;
}
