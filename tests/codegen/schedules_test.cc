// Schedules as text, and books of them: what is not legal, or no schedule at all, is told and changes nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/loop/key.h"
#include "codegen/schedule/book.h"
#include "tests/codegen/program_util.h"

namespace reel::codegen {
namespace {

TEST(Wishes, AreWrittenAndReadAgain) {
  for (const char* text : {"map", "matmul mr=6 nr=4", "rows together=2 registers=-1"}) {
    const auto wish = ParseWish(text);
    ASSERT_TRUE(wish.ok()) << wish.status();
    EXPECT_EQ(ToString(*wish), text);
  }
  EXPECT_EQ(ToString(*ParseWish("  map   registers=4  ")), "map registers=4");
}

TEST(Wishes, ErrorsSayWhere) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "an empty schedule"},
      {"   ", "an empty schedule"},
      {"=4", "column 1: expected the kind"},
      {"matmul mr", "column 8: expected NAME=NUMBER, not \"mr\""},
      {"matmul mr=", "column 8: expected NAME=NUMBER"},
      {"matmul mr=4 nr=x", "column 13: expected NAME=NUMBER"},
      {"matmul mr=99999999999999999999", "column 8: expected NAME=NUMBER"},
      {std::string("ma\0p", 4), "column 1: expected the kind"},
      {std::string(2000, 'a'), "at most 1024 bytes"},
  };
  for (const auto& [text, message] : cases) {
    const auto wish = ParseWish(text);
    ASSERT_FALSE(wish.ok()) << text;
    EXPECT_NE(wish.status().message().find(message), std::string::npos) << wish.status();
  }
}

constexpr char kProduct[] =
    "func @f(%x: f32[96,64], %y: f32[64,160]) -> (f32[96,160]) {\n"
    "  %0 = contract %x, %y {a_batch=[], b_batch=[], a_contract=[1], b_contract=[0]} : f32[96,160]\n"
    "  return %0\n}";

TEST(Books, DecideWhatKernelsAreMadeOf) {
  const Program usual = PlanFunctions(kProduct, {.list_schedules = true});
  ASSERT_EQ(usual.kernels.size(), 1u);
  const Kernel& kernel = usual.kernels[0];
  EXPECT_EQ(kernel.schedule.substr(0, 7), "matmul ");
  EXPECT_GE(kernel.other_schedules.size(), 10u);
  for (const std::string& other : kernel.other_schedules) {
    ScheduleBook book;
    book.Set("x86-64-v4", kernel.problem, *ParseWish(other));
    const Program changed = PlanFunctions(kProduct, {.schedules = &book});
    EXPECT_EQ(book.refused(), 0) << other;
    EXPECT_EQ(changed.kernels[0].schedule.substr(0, 7), "matmul ");
  }
  ScheduleBook book;
  book.Set("x86-64-v4", kernel.problem, *ParseWish("matmul mr=3"));
  EXPECT_NE(KeyOf(PlanFunctions(kProduct, {.schedules = &book}).kernels[0]), KeyOf(kernel));
  book.Erase("x86-64-v4", kernel.problem);
  book.Set("x86-64-v3", kernel.problem, *ParseWish("matmul mr=3"));  // of another target
  EXPECT_EQ(KeyOf(PlanFunctions(kProduct, {.schedules = &book}).kernels[0]), KeyOf(kernel));
}

TEST(Books, WhatIsNotLegalChangesNothing) {
  const Program usual = PlanFunctions(kProduct, {.list_schedules = true});
  const Kernel& kernel = usual.kernels[0];
  for (const char* line : {"matmul mr=0", "matmul mr=1000", "matmul nr=-5", "matmul pack=2", "map registers=4",
                           "matmul colour=3", "matmul mc=1000000000000"}) {
    ScheduleBook book;
    book.Set("x86-64-v4", kernel.problem, *ParseWish(line));
    EXPECT_EQ(KeyOf(PlanFunctions(kProduct, {.schedules = &book}).kernels[0]), KeyOf(kernel)) << line;
    EXPECT_EQ(book.refused(), 1) << line;
  }
}

TEST(Books, LinesThatAreNoneAreCounted) {
  const std::string kernel(32, 'a');
  const ScheduleBook book = ScheduleBook::Parse(
      "reel schedules 1\n# a comment\n\nx86-64-v4 " + kernel + " map registers=2  # add\n" + "x86-64-v4 short map\n" +
          "x86-64-v4 " + kernel + "\n" + std::string("\0\xff\n", 3) + "x86-64-v4 " + kernel + " map registers=1",
      "b.schedules");
  EXPECT_EQ(book.size(), 1u);
  EXPECT_EQ(book.ignored(), 3);
  EXPECT_NE(book.problem().find("b.schedules:5: expected TARGET"), std::string::npos) << book.problem();
  ASSERT_NE(book.Find("x86-64-v4", kernel), nullptr);
  EXPECT_EQ(ToString(*book.Find("x86-64-v4", kernel)), "map registers=1");  // the last one
  EXPECT_EQ(book.Find("x86-64-v3", kernel), nullptr);
  EXPECT_EQ(ScheduleBook::Parse("no book", "b").ignored(), 1);
  EXPECT_EQ(ScheduleBook::Parse("", "b").ignored(), 0);
}

// A table of sums costs more than a few products: blocks are rows of the image, straight to the result. Deep products
// take blocks of several rows, whose places are looked up.
TEST(Schedules, ShallowConvolutionsNeedNoTableOfSums) {
  const auto schedule = [](int64_t channels) {
    const Program p = PlanFunctions(
        StrCat("func @f(%x: f32[2,58,58,1,", channels, "], %w: f32[3,3,1,", channels,
               ",64]) -> (f32[2,56,56,1,64]) {\n  %0 = conv %x, %w {a_dilation=[1,1], b_dilation=[1,1], high=[0,0], "
               "low=[0,0], strides=[1,1]} : f32[2,56,56,1,64]\n  return %0\n}"));
    const auto is_product = [](const Kernel& k) { return k.schedule.starts_with("matmul"); };
    const auto product = std::find_if(p.kernels.begin(), p.kernels.end(), is_product);
    return product == p.kernels.end() ? "" : product->schedule;
  };
  EXPECT_NE(schedule(2).find(" direct=1"), std::string::npos) << schedule(2);
  EXPECT_NE(schedule(2).find(" mc=56"), std::string::npos) << schedule(2);
  EXPECT_NE(schedule(8), "");
  EXPECT_EQ(schedule(8).find(" direct="), std::string::npos) << schedule(8);
}

// An operand beyond L2 is read once, for all rows; of one that stays there, blocks of rows are for threads.
TEST(Schedules, LargeOperandsOfFewRowsAreReadOnce) {
  const auto schedule = [](int64_t depth) {
    const std::string x = StrCat("f32[128,", depth, "]"), w = StrCat("f32[", depth, ",512]");
    const Program p = PlanFunctions(StrCat("func @f(%x: ", x, ", %y: ", w,
                                           ") -> (f32[128,512]) {\n  %0 = contract %x, %y {a_batch=[], b_batch=[], "
                                           "a_contract=[1], b_contract=[0]} : f32[128,512]\n  return %0\n}"));
    return p.kernels[0].schedule;
  };
  EXPECT_NE(schedule(784).find(" mc=128"), std::string::npos) << schedule(784);
  EXPECT_EQ(schedule(256).find(" mc=128"), std::string::npos) << schedule(256);
}

// f32[32,512] times f32[512, columns]: tiles of 24 sums are of 3 registers or of 4.
TEST(Schedules, OperandsFarBeyondL2AreReadInPairsOfLines) {
  const auto schedule = [](int64_t columns) {
    const std::string y = StrCat("f32[32,", columns, "]");
    const Program program = PlanFunctions(StrCat(
        "func @f(%x: f32[32,512], %y: f32[512,", columns, "]) -> (", y, ") {\n",
        "  %0 = contract %x, %y {a_batch=[], b_batch=[], a_contract=[1], b_contract=[0]} : ", y, "\n  return %0\n}"));
    return program.kernels[0].schedule;
  };
  EXPECT_NE(schedule(1000).find("pack=0 nr=3 mr=8 "), std::string::npos) << schedule(1000);  // 2 MB
  EXPECT_NE(schedule(4000).find("pack=0 nr=4 "), std::string::npos) << schedule(4000);       // 8 MB
}

// Softmax has two arrays of rows.
TEST(Schedules, RowsThatMemoryHoldsGoSideBySide) {
  const auto together = [](int64_t rows, int64_t columns, int64_t l3_bytes) {
    Target target = *FindTarget("x86-64-v4");
    target.machine.l3_bytes = l3_bytes;
    const auto program = BuildProgram(ParseFunctions(SoftmaxText(rows, columns)), target, {});
    EXPECT_TRUE(program.ok()) << program.status();
    const auto wish = ParseWish(program->kernels[0].schedule);
    return wish.ok() && wish->values[0].first == "together" ? wish->values[0].second : 0;
  };
  constexpr int64_t kColumns = 50000, kRow = 2 * 4 * kColumns;
  EXPECT_EQ(together(256, kColumns, 16 << 20), 8);
  EXPECT_EQ(together(256, kColumns, 5 * kRow), 4);
  EXPECT_EQ(together(256, kColumns, kRow), 1);
  EXPECT_EQ(together(256, kColumns, 256 * kRow), 1);  // the last cache has them all
  EXPECT_EQ(together(16, kColumns, 4 << 20), 2);      // threads want steps
  EXPECT_EQ(together(4096, 4000, 16 << 20), 1);       // they wait on the stack
}

}  // namespace
}  // namespace reel::codegen
