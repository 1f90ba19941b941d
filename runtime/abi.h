// The contract between generated code and whoever calls it. C99 and C++; depends on nothing.
//
// An instance is one block of the caller's memory, 64-byte aligned:
//
//   byte 0    struct reel_instance (64 bytes)
//   byte 64   variables, then the arena, at constant offsets that only the generated code knows
//
// Generated code never allocates, never keeps a pointer between calls and never writes outside the
// instance and the results.
#ifndef REEL_RUNTIME_ABI_H_
#define REEL_RUNTIME_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Alignment of an instance and of every variable and temporary inside it, in bytes.
#define REEL_INSTANCE_ALIGNMENT 64

// First word of an initialised instance: "REEL" followed by the version of this contract.
#define REEL_INSTANCE_MAGIC UINT64_C(0x5245454C00000001)

// One chunk of a parallel step. It must not throw, fork, or end its thread.
typedef void (*reel_body)(void* argument, int64_t chunk);

// Calls body(argument, chunk) once for each chunk in [0, n), in any order, on any threads, and
// returns when all have finished.
typedef void (*reel_parallel_for_fn)(void* context, int64_t n, reel_body body, void* argument);

// The group that collectives talk to: `size` members, this one is number `rank`. Functions move bytes and know nothing
// of what they are; they return 0, or anything else on failure, after which no member can go on. All members call the
// same functions in the same order with the same `bytes`. No buffer overlaps another. The version is REEL_COMM and a
// number that changes with the struct: code compiled with another refuses the table before it reads further.
#ifndef REEL_COMMUNICATOR
#define REEL_COMMUNICATOR
#define REEL_COMMUNICATOR_VERSION INT64_C(0x5245454C434F4D02)
struct reel_communicator {
  int64_t version;  // REEL_COMMUNICATOR_VERSION
  int64_t rank, size;
  void* context;  // first argument of the functions
  // `send` has `bytes` for each member in the order of ranks; `receive` gets theirs for this one, in that order.
  int32_t (*all_to_all)(void* context, const void* send, void* receive, int64_t bytes);
  // `receive` gets the `bytes` of each member in the order of ranks.
  int32_t (*all_gather)(void* context, const void* send, void* receive, int64_t bytes);
  // `buffer` of member `root` goes to that of all others.
  int32_t (*broadcast)(void* context, void* buffer, int64_t bytes, int64_t root);
  // All three null: who starts one of the first two has it done at once. Else these start it and return: `*number` is
  // its own until wait(context, number) has returned, and so long nobody else touches its buffers. Many may be under
  // way; all members start them in the same order, and wait in any. One that fails ends all that are under way.
  int32_t (*start_all_to_all)(void* context, const void* send, void* receive, int64_t bytes, int64_t* number);
  int32_t (*start_all_gather)(void* context, const void* send, void* receive, int64_t bytes, int64_t* number);
  int32_t (*wait)(void* context, int64_t number);
};
#endif

// Header of every instance. A null parallel_for means serial execution, with the same bits.
struct reel_instance {
  uint64_t magic;  // REEL_INSTANCE_MAGIC
  reel_parallel_for_fn parallel_for;  // may be null
  void* context;  // first argument of parallel_for
  void* profile;  // of code compiled with profiling (runtime/profile.h); may be null
  int64_t fault[2];  // of a call that found an index out of range: number of the check, index;
                     // of a load that failed: number of the variable or -1, place in the file
  const struct reel_communicator* communicator;  // of code with collectives; may be null where groups have one member
  const volatile int32_t* stop;  // may be null; not 0 there: loops that may be long give REEL_CANCELLED
};

// A compiled entry point. arguments and results point to row-major tensors in signature order;
// either may be null when the signature has none. Returns a reel_status.
typedef int32_t (*reel_entry_fn)(void* instance, const void* const* arguments, void* const* results);

// Every status: X(name, value, message). Values never change; new ones go to the end.
#define REEL_STATUS_LIST(X)                                                                                       \
  X(REEL_OK, 0, "ok")                                                                                             \
  X(REEL_INVALID_ARGUMENT, 1, "an argument has a value outside its declared range")                               \
  X(REEL_NULL_POINTER, 2, "a pointer is null")                                                                    \
  X(REEL_MISALIGNED, 3, "a pointer is not aligned to its element type (instance: 64)")                            \
  X(REEL_OVERLAP, 4, "a result overlaps an argument, another result or the instance")                             \
  X(REEL_MEMORY_TOO_SMALL, 5, "the memory that was given is too small")                                           \
  X(REEL_UNSUPPORTED_CPU, 6, "the code needs CPU features that this machine lacks")                               \
  X(REEL_NOT_INITIALIZED, 7, "the instance was not initialised by this program's init")                           \
  X(REEL_STATE_PARTLY_UPDATED, 8, "the call failed after it had changed some variables")                          \
  X(REEL_INDEX_OUT_OF_RANGE, 9, "an index, a label or a divisor is out of range; no variable was changed")        \
  X(REEL_CANCELLED, 10, "the call was stopped in a loop; variables may have changed")                             \
  X(REEL_NOT_SAFETENSORS, 11, "this is no safetensors file, or it is cut off in its header")                      \
  X(REEL_BAD_HEADER, 12, "the header of the safetensors file is damaged")                                         \
  X(REEL_NO_SUCH_VARIABLE, 13, "the file has an entry that is no variable of the program")                        \
  X(REEL_VARIABLE_MISSING, 14, "the file has no entry for a variable")                                            \
  X(REEL_VARIABLE_TWICE, 15, "the file has two entries for a variable")                                           \
  X(REEL_WRONG_DTYPE, 16, "an entry of the file has another dtype than its variable")                             \
  X(REEL_WRONG_SHAPE, 17, "an entry of the file has another shape than its variable")                             \
  X(REEL_WRONG_BYTES, 18, "the bytes of an entry are too few or too many, or not in the file")                    \
  X(REEL_NOT_BOOL, 19, "a bool in the file is neither 0 nor 1")                                                   \
  X(REEL_NO_COMMUNICATOR, 20, "the program is for a group of processes, and no communicator of its size was set") \
  X(REEL_COMMUNICATION_FAILED, 21, "communication with the group failed; variables may have changed")             \
  X(REEL_OTHER_COMMUNICATOR, 22, "the communicator has another version than the program: compile it with its header")

// Result of every call into generated code.
enum reel_status {
#define REEL_STATUS_ENUMERATOR(name, value, message) name = value,
  REEL_STATUS_LIST(REEL_STATUS_ENUMERATOR)
#undef REEL_STATUS_ENUMERATOR
      REEL_STATUS_COUNT
};

// Message of a status, a string with static lifetime; never null.
static inline const char* reel_status_message(int32_t status) {
  switch (status) {
#define REEL_STATUS_CASE(name, value, message) \
  case value: return message;
    REEL_STATUS_LIST(REEL_STATUS_CASE)
#undef REEL_STATUS_CASE
    default: return "unknown status";
  }
}

#ifdef __cplusplus
}  // extern "C"

static_assert(sizeof(reel_instance) == 64, "the instance header is one cache line");
#endif

#endif  // REEL_RUNTIME_ABI_H_
