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
ir::Literal Turn(const ir::Literal& initial, const TurnedVariable& variable) {
  EXPECT_EQ(variable.permutation, (Ints{1, 0}));
  EXPECT_EQ(variable.panel, 0);
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

// A filter of 128 x 64 in the order of another program; what the convolution has besides, and what reads it.
std::string Filtered(const std::string& dilation, const std::string& more = "") {
  const std::string places = dilation == "1" ? "5" : "9";
  return StrCat("func @f(%x: f32[1,5,5,1,128]) state(@k: f32[64,128,3,3]) -> (f32[1,", places, ",", places,
                R"(,1,64]) {
  %0 = transpose @k {permutation=[2, 3, 1, 0]} : f32[3,3,128,64]
  %1 = reshape %0 {shape=[3,3,1,128,64]} : f32[3,3,1,128,64]
  %2 = conv %x, %1 {a_dilation=[)",
                dilation, ", ", dilation, R"(], b_dilation=[1, 1], high=[1, 1], low=[1, 1], strides=[1, 1]} : f32[1,)",
                places, ",", places, ",1,64]\n", more, "  return %2 state(@k)\n}\n");
}

// Columns of the panels in which a variable is stored, whose own and whose stored shapes are these.
int64_t Panel(const std::string& functions, const Shape& own, const Shape& turned_shape, const Shape& panels) {
  const Type type{kFloat32, own};
  ir::Module variables("m");
  variables.AddVariable({.name = "k", .type = type, .trainable = false, .initial = ir::Literal::Zeros(type)});
  auto m = ir::ParseModule(ir::Print(variables) + functions, "m");
  EXPECT_TRUE(m.ok()) << m.status();
  const auto list = StoreTurned(&*m, [&](const ir::Literal&, const TurnedVariable& turned) {
    const Type stored = StoredType(type, turned);
    EXPECT_EQ(TypeOfStored(stored, turned), type);
    EXPECT_EQ(stored.shape, turned.panel > 0 ? panels : turned_shape);
    return ir::Literal::Zeros(stored);
  });
  EXPECT_TRUE(list.ok()) << list.status();
  EXPECT_TRUE(ir::Verify(*m).ok()) << ir::Verify(*m);
  return list->empty() ? -1 : (*list)[0].panel;
}
int64_t FilterPanel(const std::string& function) {
  return Panel(function, {64, 128, 3, 3}, {3, 3, 128, 64}, {2, 3, 3, 128, 32});
}

// A product of so many rows and a matrix in its own order.
int64_t MatrixPanel(int64_t rows, int64_t columns) {
  const std::string a = StrCat("f32[", rows, ",512]"), b = StrCat("f32[512,", columns, "]"),
                    y = StrCat("f32[", rows, ",", columns, "]");
  return Panel(StrCat("func @f(%x: ", a, ") state(@k: ", b, ") -> (", y, R"() {
  %0 = contract %x, @k {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : )",
                      y, "\n  return %0 state(@k)\n}\n"),
               {512, columns}, {512, columns}, {columns / 32, 512, 32});
}

TEST(StoreTurned, LargeFiltersInPanels) {
  EXPECT_EQ(FilterPanel(Filtered("1")), 32);
  EXPECT_EQ(FilterPanel(Filtered("2")), 0) << "phases are parts of the filter";
  EXPECT_EQ(FilterPanel(Filtered("1", "  %3 = neg %1 : f32[3,3,1,128,64]\n")), 0) << "another op reads it as it lies";
}

TEST(StoreTurned, LargeMatricesInPanels) {
  EXPECT_EQ(MatrixPanel(16, 256), 32);
  EXPECT_EQ(MatrixPanel(1, 512), 32);
  EXPECT_EQ(MatrixPanel(1, 256), -1) << "one run";
  EXPECT_EQ(MatrixPanel(16, 64), -1) << "small";
  EXPECT_EQ(MatrixPanel(16, 500), -1) << "no whole panels";
}

}  // namespace
}  // namespace reel::passes
