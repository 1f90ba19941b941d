/* The group of processes that mpirun has started, for programs of Reel with collectives:
 *
 *   char error[256];
 *   const struct reel_communicator* group = reel_mpi_join(error, sizeof error);
 *   if (!group) return puts(error), 1;
 *   if (reel_mpi_agree(TINY_SIGNATURE, error, sizeof error)) return puts(error), 1;
 *   if (tiny_set_communicator(model, group)) return puts("compile reel_mpi.c of the Reel that made tiny.o"), 1;
 *
 *   mpicc main.c tiny.o reel_mpi.c && mpirun -n 4 ./a.out
 */
#ifndef REEL_MPI_H_
#define REEL_MPI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As the header of an object has it. */
#ifndef REEL_COMMUNICATOR
#define REEL_COMMUNICATOR
#define REEL_COMMUNICATOR_VERSION INT64_C(0x5245454C434F4D02)
struct reel_communicator {
  int64_t version;
  int64_t rank, size;
  void* context;
  int32_t (*all_to_all)(void* context, const void* send, void* receive, int64_t bytes);
  int32_t (*all_gather)(void* context, const void* send, void* receive, int64_t bytes);
  int32_t (*broadcast)(void* context, void* buffer, int64_t bytes, int64_t root);
  int32_t (*start_all_to_all)(void* context, const void* send, void* receive, int64_t bytes, int64_t* number);
  int32_t (*start_all_gather)(void* context, const void* send, void* receive, int64_t bytes, int64_t* number);
  int32_t (*wait)(void* context, int64_t number);
};
#endif

/* Starts MPI, unless the program has, and gives the group, which lives as long as the process. Null: MPI does not
 * start; the reason is in `error`. If it started MPI, it ends it when the process exits. */
const struct reel_communicator* reel_mpi_join(char* error, int64_t error_bytes);
/* The same of some processes only: `comm` is the address of their MPI_Comm, of which a copy is made; null: all. A
 * program that ends MPI itself calls reel_mpi_leave before. */
const struct reel_communicator* reel_mpi_join_comm(const void* comm, char* error, int64_t error_bytes);
/* Whether this is the MPI that gives such a text as its version (MPI_Get_library_version). */
int32_t reel_mpi_is_library(const char* version);
/* Waits until all processes have come here; after ten seconds it ends those that have not. */
void reel_mpi_leave(void);
/* Compares the processes before the first step: NAME_SIGNATURE of the object's header, and whether the CPU has a fused
 * multiply-add, which decides bits where an object has code for both. All call it. Not 0: they differ; `error`, the
 * same text in each, says which do. */
int reel_mpi_agree(uint64_t signature, char* error, int64_t error_bytes);
/* This process cannot go on: ends all of them with this status. */
void reel_mpi_fail(int status);

#ifdef __cplusplus
}
#endif

#endif /* REEL_MPI_H_ */
