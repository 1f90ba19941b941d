#include "runtime/abi.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <type_traits>

#include "runtime/thread_pool.h"

extern "C" {
size_t AbiHeaderSizeInC(void);
size_t AbiContextOffsetInC(void);
const char* AbiMessageInC(int32_t status);
}

namespace {

TEST(Abi, HeaderLayoutIsFixed) {
  EXPECT_EQ(sizeof(reel_instance), 64u);
  EXPECT_EQ(offsetof(reel_instance, magic), 0u);
  EXPECT_EQ(offsetof(reel_instance, parallel_for), 8u);
  EXPECT_EQ(offsetof(reel_instance, context), 16u);
  EXPECT_EQ(offsetof(reel_instance, profile), 24u);
  EXPECT_EQ(offsetof(reel_instance, fault), 32u);
  EXPECT_EQ(offsetof(reel_instance, communicator), 48u);
  EXPECT_EQ(offsetof(reel_instance, stop), 56u);
  // Another layout has another REEL_COMMUNICATOR_VERSION.
  EXPECT_EQ(REEL_COMMUNICATOR_VERSION, 0x5245454C434F4D02);
  EXPECT_EQ(offsetof(reel_communicator, version), 0u);
  EXPECT_EQ(offsetof(reel_communicator, rank), 8u);
  EXPECT_EQ(offsetof(reel_communicator, size), 16u);
  EXPECT_EQ(offsetof(reel_communicator, context), 24u);
  EXPECT_EQ(offsetof(reel_communicator, all_to_all), 32u);
  EXPECT_EQ(offsetof(reel_communicator, all_gather), 40u);
  EXPECT_EQ(offsetof(reel_communicator, broadcast), 48u);
  EXPECT_EQ(offsetof(reel_communicator, start_all_to_all), 56u);
  EXPECT_EQ(offsetof(reel_communicator, start_all_gather), 64u);
  EXPECT_EQ(offsetof(reel_communicator, wait), 72u);
  EXPECT_EQ(sizeof(reel_communicator), 80u);
}

TEST(Abi, SameInC99) {
  EXPECT_EQ(AbiHeaderSizeInC(), sizeof(reel_instance));
  EXPECT_EQ(AbiContextOffsetInC(), offsetof(reel_instance, context));
  EXPECT_STREQ(AbiMessageInC(REEL_OVERLAP), reel_status_message(REEL_OVERLAP));
}

TEST(Abi, StatusValuesAreDenseAndStable) {
  EXPECT_EQ(REEL_OK, 0);
  EXPECT_EQ(REEL_NOT_INITIALIZED, 7);
  int expected = 0;
#define REEL_CHECK_VALUE(name, value, message) EXPECT_EQ(name, expected++) << #name;
  REEL_STATUS_LIST(REEL_CHECK_VALUE)
#undef REEL_CHECK_VALUE
  EXPECT_EQ(expected, REEL_STATUS_COUNT);
}

TEST(Abi, EveryStatusHasItsOwnMessage) {
  std::set<std::string> messages;
  for (int status = 0; status < REEL_STATUS_COUNT; ++status) {
    messages.insert(reel_status_message(status));
  }
  EXPECT_EQ(messages.size(), static_cast<size_t>(REEL_STATUS_COUNT));
  EXPECT_EQ(messages.count("unknown status"), 0u);
  EXPECT_STREQ(reel_status_message(-1), "unknown status");
  EXPECT_STREQ(reel_status_message(REEL_STATUS_COUNT), "unknown status");
}

// A compiled entry as the code generator would write it: results[0][i] = 2 * arguments[0][i].
int32_t DoublingEntry(void* memory, const void* const* arguments, void* const* results) {
  auto* const instance = static_cast<reel_instance*>(memory);
  if (instance->magic != REEL_INSTANCE_MAGIC) return REEL_NOT_INITIALIZED;
  struct Pointers {
    const double* in;
    double* out;
  } pointers{static_cast<const double*>(arguments[0]), static_cast<double*>(results[0])};
  const reel_body body = [](void* argument, int64_t i) {
    auto* const p = static_cast<Pointers*>(argument);
    p->out[i] = 2 * p->in[i];
  };
  if (instance->parallel_for != nullptr) {
    instance->parallel_for(instance->context, 100, body, &pointers);
  } else {
    for (int64_t i = 0; i < 100; ++i) body(&pointers, i);
  }
  return REEL_OK;
}

TEST(Abi, EntryRunsSeriallyAndOnTheGang) {
  static_assert(std::is_convertible_v<decltype(&DoublingEntry), reel_entry_fn>);
  double in[100];
  for (int i = 0; i < 100; ++i) in[i] = i;
  const reel_parallel_for_fn choices[] = {nullptr, &reel_gang_parallel_for};
  for (const reel_parallel_for_fn parallel_for : choices) {
    alignas(REEL_INSTANCE_ALIGNMENT) reel_instance instance{};
    double out[100] = {};
    const void* const arguments[] = {in};
    void* const results[] = {out};
    EXPECT_EQ(DoublingEntry(&instance, arguments, results), REEL_NOT_INITIALIZED);
    instance.magic = REEL_INSTANCE_MAGIC;
    instance.parallel_for = parallel_for;
    ASSERT_EQ(DoublingEntry(&instance, arguments, results), REEL_OK);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(out[i], 2.0 * i);
  }
}

}  // namespace
