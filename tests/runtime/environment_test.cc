#include "runtime/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "runtime/cores.h"

namespace reel::runtime {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Variables = std::map<std::string, std::string>;

Environment Parse(const Variables& variables) {
  return ParseEnvironment([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Environment, DefaultsWhenUnsetOrEmpty) {
  for (const Environment& values :
       {Parse({}), Parse({{"REEL_NUM_THREADS", ""}, {"REEL_PROFILE", ""}, {"REEL_DUMP_TO", ""}})}) {
    EXPECT_EQ(values.error, "");
    EXPECT_EQ(values.dump_to, "");
    EXPECT_THAT(values.dump_passes, IsEmpty());
    EXPECT_THAT(values.disable_passes, IsEmpty());
    EXPECT_FALSE(values.pass_limit.has_value());
    EXPECT_FALSE(values.profile);
    EXPECT_EQ(values.num_threads, 0);
    EXPECT_EQ(values.cache_dir, "");
    EXPECT_TRUE(values.tape_cache);
    EXPECT_FALSE(values.verify);
  }
}

TEST(Environment, ReadsEveryVariable) {
  const Environment values = Parse({{"REEL_DUMP_TO", "out/dumps"},
                                    {"REEL_DUMP_PASSES", "cse,fold-constants"},
                                    {"REEL_DISABLE_PASSES", "dce"},
                                    {"REEL_PASS_LIMIT", "0"},
                                    {"REEL_PROFILE", "1"},
                                    {"REEL_NUM_THREADS", "1024"},
                                    {"REEL_CACHE_DIR", "/var/cache/reel x"},
                                    {"REEL_TAPE_CACHE", "0"},
                                    {"REEL_VERIFY", "1"}});
  EXPECT_EQ(values.error, "");
  EXPECT_EQ(values.dump_to, "out/dumps");
  EXPECT_THAT(values.dump_passes, ElementsAre("cse", "fold-constants"));
  EXPECT_THAT(values.disable_passes, ElementsAre("dce"));
  EXPECT_EQ(values.pass_limit, 0);
  EXPECT_TRUE(values.profile);
  EXPECT_EQ(values.num_threads, 1024);
  EXPECT_EQ(values.cache_dir, "/var/cache/reel x");
  EXPECT_FALSE(values.tape_cache);
  EXPECT_TRUE(values.verify);
}

TEST(Environment, ProfileIsAFlagOrAFile) {
  EXPECT_FALSE(Parse({{"REEL_PROFILE", "0"}}).profile);
  EXPECT_EQ(Parse({{"REEL_PROFILE", "0"}}).profile_to, "");
  EXPECT_EQ(Parse({{"REEL_PROFILE", "1"}}).profile_to, "");
  const Environment file = Parse({{"REEL_PROFILE", "out/trace.json"}});
  EXPECT_EQ(file.error, "");
  EXPECT_TRUE(file.profile);
  EXPECT_EQ(file.profile_to, "out/trace.json");
}

TEST(Environment, MalformedValuesPrintTheGrammar) {
  const Variables malformed[] = {{{"REEL_NUM_THREADS", "0"}},     {{"REEL_NUM_THREADS", "1025"}},
                                 {{"REEL_NUM_THREADS", "-1"}},    {{"REEL_NUM_THREADS", "+2"}},
                                 {{"REEL_NUM_THREADS", " 2"}},    {{"REEL_NUM_THREADS", "2x"}},
                                 {{"REEL_NUM_THREADS", "0x2"}},   {{"REEL_NUM_THREADS", "99999999999999999999"}},
                                 {{"REEL_PASS_LIMIT", "-0"}},     {{"REEL_PASS_LIMIT", "1.5"}},
                                 {{"REEL_PROFILE", "yes"}},       {{"REEL_PROFILE", "11"}},
                                 {{"REEL_PROFILE", ".json"}},     {{"REEL_TAPE_CACHE", "2"}},
                                 {{"REEL_DUMP_PASSES", ","}},     {{"REEL_DUMP_PASSES", "a,,b"}},
                                 {{"REEL_DUMP_PASSES", "a,"}},    {{"REEL_DISABLE_PASSES", "a b"}},
                                 {{"REEL_DISABLE_PASSES", "CSE"}}};
  for (const Variables& variables : malformed) {
    const auto& [name, value] = *variables.begin();
    EXPECT_THAT(Parse(variables).error,
                AllOf(HasSubstr(name + "='" + value + "'"), HasSubstr("expected " + name + "=")));
  }
}

TEST(Environment, ErrorsAreOneLineEachAndOtherValuesStay) {
  const Environment values = Parse({{"REEL_PROFILE", "on"}, {"REEL_NUM_THREADS", "many"}, {"REEL_PASS_LIMIT", "12"}});
  EXPECT_EQ(values.error,
            "REEL_PROFILE='on' is malformed: expected REEL_PROFILE=0 or REEL_PROFILE=1 or "
            "REEL_PROFILE=FILE.json\n"
            "REEL_NUM_THREADS='many' is malformed: expected REEL_NUM_THREADS=COUNT, a decimal "
            "number from 1 to 1024");
  EXPECT_EQ(values.pass_limit, 12);
  EXPECT_EQ(values.num_threads, 0);
}

TEST(Environment, HostileValuesAreQuotedPrintableAndShort) {
  const Environment values = Parse({{"REEL_PROFILE", "\x1b[31m\n" + std::string(100000, 'x')}});
  EXPECT_LT(values.error.size(), 200u);
  for (const char c : values.error) EXPECT_TRUE(c >= ' ' && c <= '~');
}

TEST(Cores, AtLeastOne) {
  EXPECT_GE(AvailableCores(), 1);
  EXPECT_EQ(AvailableCores(), AvailableCores());
}

}  // namespace
}  // namespace reel::runtime
