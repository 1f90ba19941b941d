#include "ir/infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "ir/builder.h"

// Attribute and shape mistakes: the error names the op, what is wrong and the types in question.
// Operand counts, dtypes and elementwise mismatches are tested for every op in
// tests/ops/table_test.cc.

namespace reel::ir {
namespace {

using Ints = std::vector<int64_t>;

struct Mistake {
  Op op;
  std::vector<Type> operands;
  Attributes attributes;
  std::vector<std::string> parts;  // of the error
};

void ExpectErrors(const std::vector<Mistake>& mistakes) {
  for (const Mistake& m : mistakes) {
    const auto types = InferTypes({m.op, m.operands, m.attributes, nullptr});
    EXPECT_EQ(types.status().code(), absl::StatusCode::kInvalidArgument) << Name(m.op);
    const std::string message(types.status().message());
    EXPECT_EQ(message.find(std::string(Name(m.op)) + ": "), 0u) << message;
    for (const std::string& part : m.parts) EXPECT_THAT(message, testing::HasSubstr(part));
  }
}

Type F(const Shape& shape) { return {kFloat32, shape}; }
Type I(const Shape& shape) { return {kInt64, shape}; }

TEST(InferTypes, ReduceMistakes) {
  const auto axes = [](Ints v) { return Attributes{{"axes", std::move(v)}}; };
  ExpectErrors({
      {Op::kReduceSum, {F({2, 3})}, axes({2}), {"axis 2 is out of range for rank 2"}},
      {Op::kReduceSum, {F({2, 3})}, axes({-1}), {"axis -1 is out of range"}},
      {Op::kReduceMax, {F({2, 3})}, axes({1, 1}), {"axis 1 is repeated"}},
      {Op::kReduceMin, {F({2, 3})}, axes({1, 0}), {"must be increasing"}},
      {Op::kReduceSum, {F({})}, axes({0}), {"axis 0 is out of range for rank 0"}},
      {Op::kReduceSum, {F({2})}, {{"axes", int64_t{0}}}, {"attribute 'axes' must be of kind ints, not int"}},
      {Op::kReduceSum, {{kBool, {2}}}, axes({0}), {"must be a number", "bool[2]", "cast"}},
  });
}

TEST(InferTypes, ShapeMistakes) {
  const auto slice = [](Ints starts, Ints limits, Ints strides) {
    return Attributes{{"starts", std::move(starts)}, {"limits", std::move(limits)}, {"strides", std::move(strides)}};
  };
  const auto broadcast = [](const Shape& shape, Ints axes) {
    return Attributes{{"shape", shape}, {"axes", std::move(axes)}};
  };
  const auto pad = [](Ints low, Ints high, Ints interior) {
    return Attributes{{"low", std::move(low)}, {"high", std::move(high)}, {"interior", std::move(interior)}};
  };
  constexpr int64_t kHuge = int64_t{1} << 62;
  ExpectErrors({
      {Op::kReshape, {F({2, 3})}, {{"shape", Shape{4}}}, {"f32[2,3]", "[4]"}},
      {Op::kReshape, {F({0})}, {{"shape", Shape{kHuge, 0}}}, {"too large"}},
      {Op::kTranspose,
       {F({2, 3})},
       {{"permutation", Ints{0}}},
       {"'permutation' has 1 entries for rank 2 (operand f32[2,3]); give 2"}},
      {Op::kTranspose, {F({2, 3})}, {{"permutation", Ints{1, 1}}}, {"axis 1 is repeated"}},
      {Op::kTranspose, {F({2, 3})}, {{"permutation", Ints{0, 2}}}, {"axis 2 is out of range"}},
      {Op::kSlice, {F({5})}, slice({3}, {2}, {1}), {"axis 0 of f32[5]", "start 3", "limit 2"}},
      {Op::kSlice, {F({5})}, slice({0}, {6}, {1}), {"limit 6"}},
      {Op::kSlice, {F({5})}, slice({0}, {5}, {0}), {"stride 0"}},
      {Op::kSlice, {F({5})}, slice({-1}, {5}, {1}), {"start -1"}},
      {Op::kSlice, {F({5})}, slice({0, 0}, {5}, {1}), {"'starts' has 2 entries for rank 1"}},
      {Op::kBroadcast, {F({2})}, broadcast({3}, {0}), {"axis 0 of f32[2]", "[3]", "only extent 1"}},
      {Op::kBroadcast, {F({2})}, broadcast({2}, {1}), {"axis 1 is out of range"}},
      {Op::kBroadcast, {F({2, 3})}, broadcast({3, 2}, {1, 0}), {"must be increasing"}},
      {Op::kBroadcast, {F({})}, broadcast({kHuge}, {}), {"too large"}},
      {Op::kPad, {F({2}), F({1})}, pad({0}, {0}, {0}), {"must be f32[]", "f32[1]"}},
      {Op::kPad, {F({2}), I({})}, pad({0}, {0}, {0}), {"must be f32[]", "i64[]"}},
      {Op::kPad,
       {F({2}), F({})},
       pad({-1}, {0}, {0}),
       {"low -1, high 0 and interior 0 on axis 0 of f32[2]", "negative", "slice"}},
      {Op::kPad, {F({2}), F({})}, pad({kHuge}, {kHuge}, {0}), {"overflows", "pad less"}},
      {Op::kPad, {F({3}), F({})}, pad({0}, {0}, {kHuge}), {"overflows"}},
      {Op::kIota,
       {},
       {{"axis", int64_t{0}}, {"dtype", kInt32}, {"shape", Shape{}}},
       {"axis 0 is out of range for rank 0"}},
      {Op::kIota, {}, {{"axis", int64_t{0}}, {"dtype", kBool}, {"shape", Shape{2}}}, {"got bool", "cast"}},
  });
}

TEST(InferTypes, ContractMistakes) {
  const auto axes = [](Ints ab, Ints bb, Ints ac, Ints bc) {
    return Attributes{{"a_batch", std::move(ab)},
                      {"b_batch", std::move(bb)},
                      {"a_contract", std::move(ac)},
                      {"b_contract", std::move(bc)}};
  };
  ExpectErrors({
      {Op::kContract, {F({2, 3}), F({4, 5})}, axes({}, {}, {1}, {0}), {"axis 1 of f32[2,3]", "axis 0 of f32[4,5]"}},
      {Op::kContract, {F({2, 3}), I({3, 5})}, axes({}, {}, {1}, {0}), {"dtypes differ", "f32[2,3]", "i64[3,5]"}},
      {Op::kContract, {F({2, 3}), F({3, 5})}, axes({}, {}, {1}, {}), {"equally many"}},
      {Op::kContract, {F({2, 3}), F({2, 5})}, axes({0}, {}, {1}, {1}), {"equally many"}},
      {Op::kContract, {F({2, 3}), F({3, 5})}, axes({}, {}, {2}, {0}), {"axis of a 2 is out of range"}},
      {Op::kContract, {F({2, 2}), F({2, 2})}, axes({0}, {0}, {0}, {1}), {"axis of a 0 is repeated"}},
      {Op::kContract, {F({1, 1, 1, 1, 1, 1}), F({1, 1, 1, 1, 1, 1})}, axes({}, {}, {}, {}), {"rank 12 exceeds 10"}},
  });
}

TEST(InferTypes, IndexMistakes) {
  const Attributes axis0{{"axis", int64_t{0}}}, axis2{{"axis", int64_t{2}}};
  ExpectErrors({
      {Op::kGather, {F({3}), F({2})}, axis0, {"indices must be i32 or i64", "f32[2]"}},
      {Op::kGather, {F({3}), {kInt8, {2}}}, axis0, {"indices must be i32 or i64", "i8[2]"}},
      {Op::kGather, {F({3, 2}), I({2})}, axis2, {"axis 2 is out of range for rank 2"}},
      {Op::kGather, {F({}), I({2})}, axis0, {"axis 0 is out of range for rank 0"}},
      {Op::kScatterAdd, {F({3, 2}), I({4}), F({4, 3})}, axis0, {"must be f32[4,2]", "got f32[4,3]"}},
      {Op::kScatterAdd, {F({3, 2}), I({4}), I({4, 2})}, axis0, {"must be f32[4,2]", "got i64[4,2]"}},
      {Op::kDynamicSlice, {F({3}), I({})}, {{"axis", int64_t{0}}, {"size", int64_t{4}}}, {"size 4", "f32[3]"}},
      {Op::kDynamicSlice, {F({3}), I({})}, {{"axis", int64_t{0}}, {"size", int64_t{-1}}}, {"size -1"}},
      {Op::kDynamicSlice,
       {F({3}), I({1})},
       {{"axis", int64_t{0}}, {"size", int64_t{1}}},
       {"start must have rank 0", "i64[1]"}},
      {Op::kDynamicUpdate, {F({3}), F({4}), I({})}, axis0, {"f32[4] does not fit into f32[3]"}},
      {Op::kDynamicUpdate, {F({3, 2}), F({1, 1}), I({})}, axis0, {"does not fit"}},
      {Op::kDynamicUpdate, {F({3}), I({1}), I({})}, axis0, {"i64[1] does not fit into f32[3]"}},
      {Op::kRandomBits, {I({3})}, {{"shape", Shape{2}}}, {"state must be i64[2]", "i64[3]"}},
  });
}

TEST(InferTypes, SelectAndCast) {
  ExpectErrors({
      {Op::kSelect, {{kBool, {2}}, F({3}), F({3})}, {}, {"bool[2]", "f32[3]", "broadcast"}},
      {Op::kSelect, {F({2}), F({2}), F({2})}, {}, {"must be bool", "f32[2]"}},
      {Op::kCast, {F({2})}, {{"dtype", int64_t{3}}}, {"attribute 'dtype' must be of kind dtype, not int"}},
  });
}

// The extents that are easy to get wrong.
TEST(InferTypes, Extents) {
  const auto shape = [](Op op, const std::vector<Type>& operands, const Attributes& attributes) {
    const auto types = InferTypes({op, operands, attributes, nullptr});
    EXPECT_TRUE(types.ok()) << types.status();
    return types.ok() ? (*types)[0].ToString() : "";
  };
  const auto slice = [&](Ints starts, Ints limits, Ints strides) {
    return shape(Op::kSlice, {F({7})}, {{"starts", starts}, {"limits", limits}, {"strides", strides}});
  };
  EXPECT_EQ(slice({0}, {7}, {2}), "f32[4]");
  EXPECT_EQ(slice({1}, {7}, {2}), "f32[3]");
  EXPECT_EQ(slice({1}, {7}, {9}), "f32[1]");
  EXPECT_EQ(slice({7}, {7}, {1}), "f32[0]");
  const auto pad = [&](int64_t n, int64_t low, int64_t high, int64_t interior) {
    return shape(Op::kPad, {F({n}), F({})}, {{"low", Ints{low}}, {"high", Ints{high}}, {"interior", Ints{interior}}});
  };
  EXPECT_EQ(pad(3, 1, 2, 4), "f32[14]");
  EXPECT_EQ(pad(1, 0, 0, 4), "f32[1]");
  EXPECT_EQ(pad(0, 1, 0, 4), "f32[1]");
  EXPECT_EQ(shape(Op::kContract, {F({2, 3, 4}), F({5, 4, 2})},
                  {{"a_batch", Ints{0}}, {"b_batch", Ints{2}}, {"a_contract", Ints{2}}, {"b_contract", Ints{1}}}),
            "f32[2,3,5]");
  EXPECT_EQ(shape(Op::kGather, {F({2, 5, 3}), I({7, 1})}, {{"axis", int64_t{1}}}), "f32[2,7,1,3]");
  EXPECT_EQ(shape(Op::kReduceSum, {F({2, 5, 3})}, {{"axes", Ints{0, 2}}}), "f32[5]");
  EXPECT_EQ(shape(Op::kEqual, {F({2}), F({2})}, {}), "bool[2]");
  EXPECT_EQ(shape(Op::kCast, {F({2})}, {{"dtype", kInt32}}), "i32[2]");
}

// Symbolic extents are equal if and only if they are the same symbol.
TEST(InferTypes, Symbols) {
  Module m;
  m.symbols().push_back({"batch", 0, 100});
  const Extent n = Extent::Symbol(0);
  const auto infer = [&](Op op, const std::vector<Type>& operands, const Attributes& attributes) {
    return InferTypes({op, operands, attributes, &m});
  };
  const auto added = infer(Op::kAdd, {F({n, 2}), F({n, 2})}, {});
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_EQ((*added)[0], F({n, 2}));
  EXPECT_FALSE(infer(Op::kAdd, {F({n}), F({2})}, {}).ok());
  EXPECT_TRUE(infer(Op::kReshape, {F({n, 6})}, {{"shape", Shape{2, n, 3}}}).ok());
  EXPECT_FALSE(infer(Op::kReshape, {F({n, 6})}, {{"shape", Shape{n, 7}}}).ok());
  EXPECT_FALSE(infer(Op::kReshape, {F({n, 6})}, {{"shape", Shape{60}}}).ok());
  EXPECT_FALSE(
      infer(Op::kIota, {}, {{"axis", int64_t{0}}, {"dtype", kInt32}, {"shape", Shape{Extent::Symbol(1)}}}).ok());
  EXPECT_FALSE(infer(Op::kSlice, {F({n})}, {{"starts", Ints{0}}, {"limits", Ints{1}}, {"strides", Ints{1}}}).ok());
  const auto slice = [&](int64_t start, int64_t limit, int64_t stride) {
    return infer(Op::kSlice, {F({n, 6})},
                 {{"starts", Ints{start, 1}}, {"limits", Ints{limit, 5}}, {"strides", Ints{stride, 2}}});
  };
  EXPECT_EQ((*slice(0, -1, 1))[0], F({n, 2}));  // the whole axis
  EXPECT_FALSE(slice(1, -1, 1).ok());
  EXPECT_FALSE(slice(0, -1, 2).ok());
  const auto pad = [&](int64_t low) {
    return infer(Op::kPad, {F({n, 2}), F({})}, {{"low", Ints{low, 1}}, {"high", Ints{0, 1}}, {"interior", Ints{0, 0}}});
  };
  EXPECT_EQ((*pad(0))[0], F({n, 4}));
  EXPECT_THAT(std::string(pad(1).status().message()), testing::HasSubstr("pad: needs a constant extent"));
  const auto bits = infer(Op::kRandomBits, {I({2})}, {{"shape", Shape{n, 3}}});
  ASSERT_TRUE(bits.ok()) << bits.status();
  EXPECT_EQ((*bits)[0].shape, (Shape{n, 3}));
}

// A symbol is no number: nothing goes on with a wrong one.
TEST(InferTypes, SymbolsThrowWhereNumbersAreWanted) {
  const Shape shape{Extent::Symbol(0), 3};
  EXPECT_THROW((void)shape.dim(0), std::exception);
  EXPECT_THROW((void)shape.size(), std::exception);
  EXPECT_THROW((void)shape.dims(), std::exception);
  EXPECT_EQ(shape.dim(1), 3);
  EXPECT_FALSE(shape.has_zero());
  Shape changed = shape;
  changed.insert(0, 5);
  changed.insert(3, 0);
  EXPECT_EQ(changed, (Shape{5, Extent::Symbol(0), 3, 0}));
  EXPECT_TRUE(changed.has_zero());
  changed.erase(1);
  EXPECT_EQ(changed, (Shape{5, 3, 0}));
}

// Control ops check the functions they name.
TEST(InferTypes, ControlMistakes) {
  Module m;
  Function identity("identity"), test("test"), drop("drop");
  const Value x = identity.AddParameter("x", F({2}));
  identity.SetResults({x});
  test.AddParameter("x", F({2}));
  Builder b(&test);
  test.SetResults({b.Constant(Literal::ScalarInt(kBool, 1))});
  drop.AddParameter("x", F({2}));
  drop.SetResults({});
  m.AddFunction(std::move(identity));
  m.AddFunction(std::move(test));
  m.AddFunction(std::move(drop));
  const auto error = [&](Op op, const std::vector<Type>& operands, const Attributes& attributes) {
    return std::string(InferTypes({op, operands, attributes, &m}).status().message());
  };
  const auto names = [](std::string a, std::string f, std::string c, std::string g) {
    return Attributes{{a, std::move(f)}, {c, std::move(g)}};
  };
  const Type condition{kBool, {}};
  EXPECT_EQ(error(Op::kCall, {F({2})}, {{"callee", std::string("missing")}}), "call: there is no function @missing");
  EXPECT_EQ(error(Op::kCall, {F({3})}, {{"callee", std::string("identity")}}),
            "call: @identity takes (f32[2]), got (f32[3])");
  EXPECT_EQ(error(Op::kIf, {F({2})}, names("then", "identity", "else", "identity")),
            "if: the first operand must be bool[]");
  EXPECT_THAT(error(Op::kIf, {condition, F({2})}, names("then", "identity", "else", "drop")),
              testing::HasSubstr("branches return different types"));
  EXPECT_THAT(error(Op::kWhile, {F({2})}, names("cond", "identity", "body", "identity")),
              testing::HasSubstr("must return one bool[]"));
  EXPECT_THAT(error(Op::kWhile, {F({2})}, names("cond", "test", "body", "drop")),
              testing::HasSubstr("must return what it takes"));
  Attributes negative = names("cond", "test", "body", "identity");
  negative.Set("maximum_iterations", int64_t{-1});
  EXPECT_THAT(error(Op::kWhile, {F({2})}, negative), testing::HasSubstr("negative"));
  EXPECT_EQ(error(Op::kWhile, {F({2})}, names("cond", "test", "body", "identity")), "");
}

TEST(InferTypes, WindowMistakes) {
  const auto window = [](Ints axes, Ints sizes, Ints strides, Ints dilations) {
    return Attributes{{"axes", std::move(axes)},
                      {"sizes", std::move(sizes)},
                      {"strides", std::move(strides)},
                      {"dilations", std::move(dilations)}};
  };
  constexpr int64_t kHuge = int64_t{1} << 62;
  ExpectErrors({
      {Op::kReverse, {F({2, 3})}, {{"axes", Ints{2}}}, {"axis 2 is out of range for rank 2"}},
      {Op::kReverse, {F({2, 3})}, {{"axes", Ints{0, 0}}}, {"axis 0 is repeated"}},
      {Op::kWindow, {F({2, 5})}, window({2}, {1}, {1}, {1}), {"axis 2 is out of range for rank 2"}},
      {Op::kWindow, {F({2, 5})}, window({1, 1}, {1, 1}, {1, 1}, {1, 1}), {"axis 1 is repeated"}},
      {Op::kWindow, {F({2, 5})}, window({1}, {1, 1}, {1}, {1}), {"'sizes' has 2 entries for axis count 1"}},
      {Op::kWindow, {F({2, 5})}, window({1}, {-1}, {1}, {1}), {"size -1 must be at least 1", "axis 1 of f32[2,5]"}},
      {Op::kWindow, {F({2, 5})}, window({1}, {0}, {1}, {1}), {"size 0 must be at least 1"}},
      {Op::kWindow, {F({2, 5})}, window({1}, {2}, {0}, {1}), {"stride 0 must be at least 1"}},
      {Op::kWindow, {F({2, 5})}, window({1}, {2}, {1}, {0}), {"dilation 0 must be at least 1"}},
      {Op::kWindow, {F({2, 5})}, window({1}, {6}, {1}, {1}), {"6 elements", "does not fit into extent 5", "pad"}},
      {Op::kWindow, {F({2, 5})}, window({1}, {3}, {1}, {3}), {"3 elements, 3 apart, does not fit"}},
      {Op::kWindow, {F({2, 5})}, window({1}, {5}, {1}, {kHuge}), {"does not fit"}},
  });
}

TEST(InferTypes, ConvMistakes) {
  const auto conv = [](int64_t stride, int64_t low, int64_t a_dilation, int64_t b_dilation, int64_t high = 0) {
    return Attributes{{"strides", Ints{stride}},
                      {"low", Ints{low}},
                      {"high", Ints{high}},
                      {"a_dilation", Ints{a_dilation}},
                      {"b_dilation", Ints{b_dilation}}};
  };
  constexpr int64_t kHuge = int64_t{1} << 62, kLowest = std::numeric_limits<int64_t>::min(),
                    kHighest = std::numeric_limits<int64_t>::max();
  const Type a = F({1, 5, 2, 3}), b = F({3, 2, 3, 4});
  ExpectErrors({
      {Op::kConv, {a, F({3, 2, 3})}, conv(1, 0, 1, 1), {"input must be [n, spatial..., groups, channels]"}},
      {Op::kConv, {F({1, 2, 3}), F({2, 3, 4})}, conv(1, 0, 1, 1), {"1 to 3 spatial axes"}},
      {Op::kConv, {a, F({3, 1, 3, 4})}, conv(1, 0, 1, 1), {"f32[1,5,2,3]", "f32[3,1,3,4]", "the groups"}},
      {Op::kConv, {a, F({3, 2, 6, 4})}, conv(1, 0, 1, 1), {"the channels of a group"}},
      {Op::kConv, {a, {kFloat64, b.shape}}, conv(1, 0, 1, 1), {"dtypes differ", "cast"}},
      {Op::kConv, {a, b}, conv(0, 0, 1, 1), {"stride 0 must be at least 1"}},
      {Op::kConv, {a, b}, conv(1, 0, 0, 1), {"a_dilation 0 must be at least 1 on spatial axis 0 of f32[1,5,2,3]"}},
      {Op::kConv, {a, b}, conv(1, 0, 1, 0), {"dilation 0 must be at least 1"}},
      {Op::kConv, {a, b}, conv(1, -6, 1, 1), {"cuts more than there is of spatial axis 0", "f32[1,5,2,3]"}},
      {Op::kConv, {a, b}, conv(1, -3, 1, 1), {"does not fit into extent 2", "f32[3,2,3,4]"}},
      {Op::kConv, {a, b}, conv(1, 0, kHuge, 1), {"a_dilation 4611686018427387904 is too large"}},
      {Op::kConv, {a, b}, conv(1, kHuge, 1, 1), {"is too large", "axis 0 of f32[1,5,2,3]"}},
      {Op::kConv, {a, b}, conv(1, kLowest, 1, 1, kHighest), {"is too large", "pad or cut less"}},
      {Op::kConv, {a, b}, conv(1, kHighest, 1, 1, kLowest), {"is too large"}},
      {Op::kConv, {a, b}, conv(1, -kHuge, 1, 1, kHuge), {"is too large"}},
      {Op::kConv, {a, b}, conv(1, kHuge / 4, 1, 1, 0), {"is too large"}},  // the result
  });
}

TEST(InferTypes, RecurrenceAndSortMistakes) {
  const auto along = [](int64_t axis) { return Attributes{{"axis", axis}, {"reverse", false}}; };
  ExpectErrors({
      {Op::kRecurrence, {F({2}), F({3})}, along(0), {"f32[2]", "f32[3]", "broadcast one"}},
      {Op::kRecurrence, {F({2}), F({2})}, along(1), {"axis 1 is out of range for rank 1"}},
      {Op::kArgsort, {F({})}, {{"axis", int64_t{0}}, {"descending", false}}, {"axis 0 is out of range for rank 0"}},
  });
}

// Only the identity is left out; what is no permutation is refused.
TEST(Builder, Transpose) {
  const auto transpose = [](std::vector<int64_t> permutation) {
    Function f("f");
    const Value x = f.AddParameter("x", F({2, 3}));
    Builder b(&f);
    const Value y = b.Transpose(x, std::move(permutation));
    return !b.status().ok() ? "refused" : y == x ? "x" : b.type(y).ToString();
  };
  EXPECT_EQ(transpose({0, 1}), "x");
  EXPECT_EQ(transpose({1, 0}), "f32[3,2]");
  for (const Ints& wrong : {Ints{1, 2}, Ints{-1, 0}, Ints{0, 2}, Ints{0}, Ints{0, 1, 2}, Ints{}}) {
    EXPECT_EQ(transpose(wrong), "refused");
  }
}

TEST(Module, UniqueFunctionNames) {
  Module m;
  const auto add = [&m](const std::string& base) { return m.AddFunction(Function(m.UniqueFunctionName(base))).name(); };
  EXPECT_EQ(add("f"), "f");
  EXPECT_EQ(add("f"), "f.1");
  EXPECT_EQ(add("f"), "f.2");
  EXPECT_EQ(add("f.1"), "f.1.1");
  EXPECT_EQ(add("g.body"), "g.body");
  EXPECT_EQ(add("g.body"), "g.body.1");
  for (const char* name : {"f.7", "f.x", "f.", "f.-1", "f.007", "f.4611686018427387904"}) {
    m.AddFunction(Function(name));
  }
  EXPECT_EQ(add("f"), "f.8");
  const Module copy = m;
  EXPECT_EQ(copy.UniqueFunctionName("f"), m.UniqueFunctionName("f"));
  m.AddFunction(Function("f.4611686018427387903"));  // numbers that count on end here
  EXPECT_EQ(add("f"), "f.4611686018427387905");
  EXPECT_EQ(add("f"), "f.4611686018427387906");
}

// By probing this would be 10^10 look-ups.
TEST(Module, UniqueFunctionNamesAreLinear) {
  Module m;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 150000; ++i) m.AddFunction(Function(m.UniqueFunctionName("cholesky.body")));
  EXPECT_EQ(m.functions().back()->name(), "cholesky.body.149999");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace reel::ir
