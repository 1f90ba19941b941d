// Calls of members of a group: functions on live variables update them in place, objects refuse tables of another
// version.

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "reel/distributed.h"
#include "reel/reel.h"
#include "runtime/buffer.h"
#include "runtime/communicator.h"
#include "tests/frontend/expect.h"
#include "tests/frontend/same_bits.h"
#include "tests/frontend/training_steps.h"

namespace reel {
namespace {

using testing::HasSubstr;

constexpr int64_t kMembers = 2;

const void* Place(const Variable& v) { return v.value().raw_data(); }

// Variables of a step, but for slots of which members have parts.
std::vector<Variable> WholeOnes(const Function& step, bool shard_optimizer) {
  std::vector<Variable> out = step.variables();
  std::erase_if(out, [&](const Variable& v) { return shard_optimizer && v.name().starts_with("adam/"); });
  return out;
}

// Variables after some steps of a member; in place from the second step on.
std::vector<Tensor> Trained(const TrainingStep& t, const DataParallelOptions& options, int64_t rank) {
  const Function step = DataParallel(t.step, options);
  const auto run = [&](int64_t i) {
    const std::vector<Tensor> batch = t.batch(i);
    step(RowsOf(batch[0], rank, kMembers), RowsOf(batch[1], rank, kMembers));
  };
  run(0);
  const std::vector<Variable> variables = WholeOnes(step, options.shard_optimizer);
  std::vector<const void*> places;
  for (const Variable& v : variables) places.push_back(Place(v));
  for (int64_t i = 1; i < 4; ++i) run(i);
  std::vector<Tensor> out;
  for (size_t k = 0; k < places.size(); ++k) {
    EXPECT_EQ(Place(variables[k]), places[k]) << k;
    out.push_back(variables[k].value());
  }
  return out;
}

// Messages are waited for behind the first updates, which would be too late if a check had to find old values.
TEST(GroupCalls, UpdateVariablesWhereTheyAre) {
  for (const bool shard_optimizer : {false, true}) {
    SCOPED_TRACE(shard_optimizer);
    const DataParallelOptions options{.shards = 2, .bucket_bytes = 8192, .shard_optimizer = shard_optimizer};
    std::vector<TrainingStep> steps;  // each with variables of its own
    for (int64_t i = 0; i < kMembers; ++i) {
      SetSeed(7);
      steps.push_back(Wide());
    }
    std::vector<std::vector<Tensor>> values(kMembers);
    RunMembers(kMembers, [&](int64_t rank) {
      const auto r = static_cast<size_t>(rank);
      values[r] = Trained(steps[r], options, rank);
    });
    ASSERT_FALSE(values[0].empty());
    for (size_t k = 0; k < values[0].size(); ++k) EXPECT_TRUE(SameBits(values[0][k], values[1][k]));
  }
}

// Others may read a variable's value as long as it is under way.
TEST(GroupCalls, WhatIsSentIsTheOldValue) {
  constexpr int64_t kSize = 100'000;
  RunMembers(kMembers, [&](int64_t rank) {
    const Variable v(Zeros({kSize}) + static_cast<double>(1 + rank));
    const Function step = Trace(
        [&](const Tensor& x) {
          const Tensor all = AllGather(v.value());
          v.Assign(v * 3.0 + x);
          return ReduceMax(Reshape(all, {kMembers, kSize}), {1}) + ReduceSum(x);
        },
        {Spec(kFloat32, {kSize})});
    const Tensor x = Zeros({kSize});
    float factor = 1;
    for (int i = 0; i < 8; ++i, factor *= 3) {
      const Tensor seen = step(x);
      for (int64_t k = 0; k < kMembers; ++k) {
        ASSERT_EQ(seen.data<float>()[static_cast<size_t>(k)], factor * static_cast<float>(k + 1)) << "call " << i;
      }
    }
  });
}

// A library made of an object of two members, and an instance of it.
class Object {
 public:
  Object() : path_(testing::TempDir() + "of_a_group") {
    CompileToSharedLibrary(Module::Lift({{"train", DataParallel(t_.step, {.members = kMembers})}}), path_);
    library_ = ::dlopen((path_ + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    memory_ = runtime::Buffer::Allocate(Find<size_t()>("size")());
    instance_ = Find<void*(void*, size_t, int*)>("init")(memory_.data(), memory_.size(), nullptr);
  }
  ~Object() {
    ::dlclose(library_);
    for (const char* suffix : {".so", ".h"}) std::filesystem::remove(path_ + suffix);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  int Set(const void* table) { return SetOf(instance_, table); }
  int SetOf(void* instance, const void* table) {
    return Find<int(void*, const void*)>("set_communicator")(instance, table);
  }
  int Train() {
    float loss = 0;
    const std::vector<Tensor> batch = t_.batch(0);
    return Find<int(void*, const void*, const void*, float*)>("train")(instance_, batch[0].raw_data(),
                                                                       batch[1].raw_data(), &loss);
  }
  std::string Message(int code) { return Find<const char*(int)>("error")(code); }

 private:
  template <typename Signature>
  Signature* Find(const char* function) {
    return reinterpret_cast<Signature*>(::dlsym(library_, (std::string("of_a_group_") + function).c_str()));
  }

  const TrainingStep t_ = Wide();
  const std::string path_;
  void* library_ = nullptr;
  runtime::Buffer memory_;
  void* instance_ = nullptr;
};

int32_t Fails(void*, const void*, void*, int64_t) { return 1; }

// The version alone is read of it: what lies behind may be shorter.
TEST(GroupCalls, ObjectsRefuseTablesOfAnotherVersion) {
  Object object;
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  void* const pages = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(::mprotect(static_cast<char*>(pages) + page, page, PROT_NONE), 0);
  void* const table = static_cast<char*>(pages) + page - sizeof(int64_t);
  for (const int64_t version : {int64_t{0}, int64_t{1}, REEL_COMMUNICATOR_VERSION - 1, REEL_COMMUNICATOR_VERSION + 1}) {
    std::memcpy(table, &version, sizeof version);
    EXPECT_EQ(object.Set(table), REEL_OTHER_COMMUNICATOR) << version;
    EXPECT_EQ(object.Train(), REEL_NO_COMMUNICATOR) << "the group is as it was";
  }
  ::munmap(pages, 2 * page);
  EXPECT_THAT(object.Message(REEL_OTHER_COMMUNICATOR), HasSubstr("another version than the program"));

  reel_communicator fails = {};
  fails.version = REEL_COMMUNICATOR_VERSION;
  fails.size = kMembers;
  fails.all_to_all = fails.all_gather = Fails;
  EXPECT_EQ(object.Set(&fails), REEL_OK);
  EXPECT_EQ(object.Train(), REEL_COMMUNICATION_FAILED);
  EXPECT_EQ(object.Set(nullptr), REEL_OK);
  EXPECT_EQ(object.Train(), REEL_NO_COMMUNICATOR);
  EXPECT_EQ(object.SetOf(nullptr, &fails), REEL_NULL_POINTER);
}

}  // namespace
}  // namespace reel
