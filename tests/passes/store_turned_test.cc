// Which variables are stored in the order of axes in which they are read.

#include "passes/store_turned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"

namespace reel::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Ints = std::vector<int64_t>;

constexpr const char* kVariable = "reel 1\nmodule \"m\"\nvariable @w: f32[2,3] = [1, 2, 3, 4, 5, 6]\n";
constexpr const char* kReader = R"(func @f(%x: f32[4,3]) state(@w: f32[2,3]) -> (f32[3,2], f32[3,2]) {
  %0 = transpose @w {permutation=[1, 0]} : f32[3,2]
  %1 = neg %0 : f32[3,2]
  %2 = transpose @w {permutation=[1, 0]} : f32[3,2]
  return %1, %2 state(@w)
}
)";

// The values of a 2 x 3 matrix in the other order.
ir::Literal Turn(const ir::Literal& initial, const Ints& permutation) {
  EXPECT_EQ(permutation, (Ints{1, 0}));
  std::vector<float> turned;
  for (int64_t j = 0; j < 3; ++j) {
    for (int64_t i = 0; i < 2; ++i) turned.push_back(static_cast<float>(initial.AsDouble(3 * i + j)));
  }
  return ir::Literal::From<float>({3, 2}, std::span<const float>(turned));
}

// The names of what is turned; the module's text in `text`.
std::vector<std::string> Turned(const std::string& functions, std::string* text = nullptr) {
  auto m = ir::ParseModule(kVariable + functions, "m");
  EXPECT_TRUE(m.ok()) << m.status();
  const std::string before = ir::Print(*m);
  const auto list = StoreTurned(&*m, Turn);
  EXPECT_TRUE(list.ok()) << list.status();
  EXPECT_TRUE(ir::Verify(*m).ok()) << ir::Verify(*m);
  std::vector<std::string> names;
  for (const TurnedVariable& v : *list) {
    names.push_back(v.name);
    EXPECT_EQ(v.permutation, (Ints{1, 0}));
  }
  EXPECT_EQ(names.empty(), ir::Print(*m) == before) << ir::Print(*m);
  if (text) *text = ir::Print(*m);
  return names;
}

TEST(StoreTurned, WhatAllReadInOneOrder) {
  std::string text;
  EXPECT_THAT(Turned(kReader, &text), ElementsAre("w"));
  EXPECT_THAT(text, HasSubstr("variable @w: f32[3,2] = [1, 4, 2, 5, 3, 6]"));
  EXPECT_THAT(text, HasSubstr("state(@w: f32[3,2])"));
}

TEST(StoreTurned, NotWhatIsReadOtherwise) {
  EXPECT_THAT(Turned(R"(func @f() state(@w: f32[2,3]) -> (f32[3,2], f32[2,3]) {
  %0 = transpose @w {permutation=[1, 0]} : f32[3,2]
  %1 = neg @w : f32[2,3]
  return %0, %1 state(@w)
}
)"),
              IsEmpty());
  EXPECT_THAT(Turned(R"(func @f() state(@w: f32[2,3]) -> (f32[3,2], f32[2,3]) {
  %0 = transpose @w {permutation=[1, 0]} : f32[3,2]
  return %0, @w state(@w)
}
)"),
              IsEmpty());
  // Another function, too.
  EXPECT_THAT(Turned(StrCat(kReader, R"(func @g() state(@w: f32[2,3]) -> (f32[2,3]) {
  %0 = neg @w : f32[2,3]
  return %0 state(@w)
}
)")),
              IsEmpty());
  EXPECT_THAT(Turned(R"(func @f(%x: f32[4,3]) -> (f32[4,3]) {
  return %x
}
)"),
              IsEmpty());
}

TEST(StoreTurned, NotWhatAFunctionChanges) {
  EXPECT_THAT(Turned(R"(func @f() state(@w: f32[2,3]) -> (f32[3,2]) {
  %0 = transpose @w {permutation=[1, 0]} : f32[3,2]
  %1 = transpose %0 {permutation=[1, 0]} : f32[2,3]
  %2 = neg %1 : f32[2,3]
  return %0 state(%2)
}
)"),
              IsEmpty());
}

}  // namespace
}  // namespace reel::passes
