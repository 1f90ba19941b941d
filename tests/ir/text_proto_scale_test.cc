#include <pthread.h>

#include <optional>

#include "ir/verifier.h"
#include "tests/ir/text_util.h"

namespace reel::ir {
namespace {

constexpr int kOps = 1000000;

Module Chain() {
  Module module("chain");
  Function f("f");
  const Type type{kFloat32, {4}};
  const Value x = f.AddParameter("x", type);
  Value y = x;
  for (int i = 0; i < kOps; ++i) y = f.AddNode(i % 2 ? Op::kAdd : Op::kMul, {y, x}, nullptr, {type}).result();
  f.SetResults({y});
  module.AddFunction(std::move(f));
  return module;
}

void* RoundTrip(void*) {
  std::optional<Module> module = Chain();
  const uint64_t fingerprint = Fingerprint(*module->functions()[0]);
  EXPECT_TRUE(Verify(*module).ok());
  const std::string text = Print(*module);
  const auto bytes = SerializeModule(*module);
  module.reset();
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (!bytes.ok()) return nullptr;
  for (const std::string* form : {&text, &*bytes}) {
    const auto again = ParseBytes(*form);
    EXPECT_TRUE(again.ok()) << again.status();
    if (!again.ok()) continue;
    EXPECT_EQ(Fingerprint(*again->functions()[0]), fingerprint);
    EXPECT_TRUE(Print(*again) == text);
  }
  return nullptr;
}

// Nothing recurses over the graph: 8 MiB of stack are enough for any length.
TEST(Scale, AMillionOpsOnASmallStack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{8} << 20);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, RoundTrip, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace
}  // namespace reel::ir
