#include "ir/verifier.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "ir/builder.h"

namespace reel::ir {
namespace {

const Type kVector{kFloat32, {4}};
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

std::shared_ptr<const Attributes> Attrs(Attributes attributes) {
  return std::make_shared<const Attributes>(std::move(attributes));
}

// @f(%x: f32[4]) with the nodes that `fill` adds; returns the last value.
Module With(const std::function<void(Function*, Value)>& fill) {
  Module module("m");
  Function f("f");
  const Value x = f.AddParameter("x", kVector);
  fill(&f, x);
  if (f.results().empty()) f.SetResults({{f.num_values() - 1}});
  module.AddFunction(std::move(f));
  return module;
}

Function Identity(std::string name) {
  Function f(std::move(name));
  f.SetResults({f.AddParameter("x", kVector)});
  return f;
}

Variable Constant(std::string name, Type type = kVector) { return {std::move(name), type, true, Literal::Zeros(type)}; }

std::string Error(const Module& module) { return std::string(Verify(module).message()); }

TEST(Verifier, AcceptsAGoodModule) {
  Module module = With([](Function* f, Value x) { f->AddNode(Op::kExp, {x}, nullptr, {kVector}); });
  module.AddVariable(Constant("w"));
  EXPECT_TRUE(Verify(module).ok()) << Verify(module);
}

TEST(Verifier, Nodes) {
  const struct {
    std::function<void(Function*, Value)> fill;
    std::string message;
  } kCases[] = {
      {[](Function* f, Value) { f->AddNode(Op::kExp, {{1}}, nullptr, {kVector}); },
       "@f, node %0: exp: operand is not defined before its use"},
      {[](Function* f, Value) { f->AddNode(Op::kExp, {{7}}, nullptr, {kVector}); },
       "@f, node %0: exp: operand is not defined before its use"},
      {[](Function* f, Value) { f->AddNode(Op::kExp, {{-1}}, nullptr, {kVector}); },
       "@f, node %0: exp: operand is not defined before its use"},
      {[](Function* f, Value x) { f->AddNode(Op::kExp, {x, x}, nullptr, {kVector}); },
       "@f, node %0: exp: takes 1 operands, got 2"},
      {[](Function* f, Value x) { f->AddNode(Op::kExp, {x}, nullptr, {{kFloat64, {4}}}); },
       "@f, node %0: exp: result is f32[4], declared f64[4]"},
      {[](Function* f, Value x) { f->AddNode(Op::kExp, {x}, nullptr, {{kFloat32, {5}}}); },
       "@f, node %0: exp: result is f32[4], declared f32[5]"},
      {[](Function* f, Value x) { f->AddNode(Op::kExp, {x}, nullptr, {kVector, kVector}); },
       "@f, node %0: exp: has 1 results, declared 2"},
      {[](Function* f, Value x) { f->AddNode(Op::kNot, {x}, nullptr, {kVector}); },
       "@f, node %0: not: operand must be bool or an integer, got f32[4]; cast it first"},
      {[](Function* f, Value x) { f->AddNode(Op::kReduceSum, {x}, nullptr, {kVector}); },
       "@f, node %0: reduce_sum: attribute 'axes' of kind ints is missing"},
      {[](Function* f, Value x) { f->AddNode(Op::kReduceSum, {x}, Attrs({{"axes", int64_t{0}}}), {kVector}); },
       "@f, node %0: reduce_sum: attribute 'axes' must be of kind ints, not int"},
      {[](Function* f, Value x) { f->AddNode(Op::kExp, {x}, Attrs({{"axes", int64_t{0}}}), {kVector}); },
       "@f, node %0: exp: unknown attribute 'axes'"},
      {[](Function* f, Value x) {
         f->AddNode(Op::kReduceSum, {x}, Attrs({{"axes", std::vector<int64_t>{kHuge}}}), {kVector});
       },
       "@f, node %0: reduce_sum: axis 9223372036854775807 is out of range for rank 1"},
      {[](Function* f, Value x) {
         const Shape shape{kHuge, kHuge, 4};
         f->AddNode(Op::kBroadcast, {x}, Attrs({{"axes", std::vector<int64_t>{2}}, {"shape", shape}}),
                    {{kFloat32, shape}});
       },
       "@f, node %0: broadcast: result f32[9223372036854775807,9223372036854775807,4] is too "
       "large"},
      {[](Function* f, Value x) {
         const Shape shape{-3, 4};
         f->AddNode(Op::kBroadcast, {x}, Attrs({{"axes", std::vector<int64_t>{1}}, {"shape", shape}}),
                    {{kFloat32, shape}});
       },
       "@f, node %0: broadcast: shape [?2,4] has a negative extent or an unknown symbol"},
      {[](Function* f, Value) { f->AddNode(Op::kConstant, {}, Attrs({{"value", Literal()}}), {Literal().type()}); },
       "@f, node %0: the bytes of the literal do not make a f32[]"},
      {[](Function* f, Value) {
         const Type type{kBool, {1}};
         f->AddNode(Op::kConstant, {}, Attrs({{"value", Literal(type, {std::byte{2}})}}), {type});
       },
       "@f, node %0: a bool literal has a byte that is neither 0 nor 1"},
      {[](Function* f, Value x) { f->AddNode(Op::kCall, {x}, Attrs({{"callee", std::string("g")}}), {kVector}); },
       "@f, node %0: call: there is no function @g"},
      {[](Function* f, Value x) {
         const int32_t line = f->AddLocation({"train.cc", 12});
         f->AddNode(Op::kExp, {x, x}, nullptr, {kVector}, line);
       },
       "@f, node %0 (train.cc:12): exp: takes 1 operands, got 2"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Error(With(c.fill)), c.message);
  }
}

TEST(Verifier, SignaturesAndResults) {
  EXPECT_EQ(Error(With([](Function* f, Value) { f->SetResults({{9}}); })), "@f: a result is not defined");
  EXPECT_EQ(Error(With([](Function* f, Value) { f->SetResults({{-1}}); })), "@f: a result is not defined");
  EXPECT_EQ(Error(With([](Function* f, Value) { f->AddParameter("x", kVector); })),
            "@f: parameter name 'x' is empty or repeated");
  EXPECT_EQ(Error(With([](Function* f, Value) { f->AddParameter("", kVector); })), "@f: parameter name is empty");
  EXPECT_EQ(Error(With([](Function* f, Value) { f->AddParameter("y", {kFloat32, {-1}}); })),
            "@f: f32[?0] has a negative extent or an unknown symbol");
  EXPECT_EQ(Error(With([](Function* f, Value) { f->AddParameter("y", {kFloat32, {kHuge}}); })),
            "@f: parameter %y is too large");
  EXPECT_EQ(Error(With([](Function* f, Value) { f->set_result_names({"a", "b"}); })),
            "@f: has 1 results but 2 names for them");
  EXPECT_EQ(Error(With([](Function* f, Value) { f->AddState("w", kVector); })), "@f: there is no variable @w");

  Module module;
  module.AddVariable(Constant("w"));
  module.AddFunction(*With([](Function* f, Value) {
                        const Value w = f->AddState("w", kVector);
                        f->AddState("w", kVector);
                        f->SetResults({w, w});
                      }).functions()[0]);
  EXPECT_EQ(Error(module), "@f: variable @w is listed twice");
  module.AddFunction(*With([](Function* f, Value) { f->AddState("w", {kFloat32, {}}); }).functions()[0]);
  EXPECT_EQ(Error(module), "@f: variable @w is f32[4], used as f32[]");
  module.AddFunction(*With([](Function* f, Value x) {
                        const Value w = f->AddState("w", kVector);
                        const Value sum =
                            f->AddNode(Op::kReduceSum, {w}, Attrs({{"axes", std::vector<int64_t>{0}}}), {{}}).result();
                        f->SetResults({x, sum});
                      }).functions()[0]);
  EXPECT_EQ(Error(module), "@f: new value of @w is f32[], must be f32[4]");
}

TEST(Verifier, ModuleParts) {
  const auto error = [](const std::function<void(Module*)>& fill) {
    Module module("m");
    fill(&module);
    return Error(module);
  };
  EXPECT_EQ(error([](Module* m) { m->AddVariable(Constant("w")), m->AddVariable(Constant("w")); }),
            "variable @w: name is repeated");
  EXPECT_EQ(error([](Module* m) { m->AddVariable(Constant("")); }), "variable name is empty");
  EXPECT_EQ(error([](Module* m) { m->AddVariable({"w", kVector, true, Literal::Zeros({kFloat32, {5}})}); }),
            "variable @w: is f32[4], its initial value f32[5]");
  EXPECT_EQ(error([](Module* m) { m->AddVariable({"w", {kFloat32, {}}, true, Literal()}); }),
            "variable @w: the bytes of the literal do not make a f32[]");
  EXPECT_EQ(error([](Module* m) { m->AddVariable({"w", {kFloat32, {-2}}, true, Literal()}); }),
            "variable @w: shape must be constant and not negative");
  EXPECT_EQ(error([](Module* m) { m->AddVariable({"w", kVector, true, "init"}); }),
            "variable @w: there is no init function @init");
  EXPECT_EQ(error([](Module* m) {
              m->AddVariable({"w", kVector, true, "init"});
              m->AddFunction(Identity("init"));
            }),
            "variable @w: init function @init must be () -> f32[4]");
  const auto in_parts = [&](const Type& type, int64_t parts) {
    return error([&](Module* m) { m->AddVariable({"w", type, true, Literal::Zeros(type), parts}); });
  };
  EXPECT_EQ(in_parts(kVector, 2), "");
  EXPECT_EQ(in_parts(kVector, 0), "variable @w: is in 0 parts, needs at least one");
  EXPECT_EQ(in_parts({kFloat32, {}}, 2), "variable @w: is in 2 parts, but has no axis that they divide");
  EXPECT_EQ(in_parts(kVector, kHuge), "variable @w: is too large as a whole of 9223372036854775807 parts");
  EXPECT_EQ(error([](Module* m) {
              m->AddFunction(Identity("init"));
              m->AddVariable({"w", kVector, true, "init", 2});
            }),
            "variable @w: is in parts, so its initial value must be a literal");
  EXPECT_EQ(error([](Module* m) { m->symbols() = {{"B", 1, 2}, {"B", 1, 2}}; }), "symbol 'B': is declared twice");
  EXPECT_EQ(error([](Module* m) { m->symbols() = {{"B", 3, 2}}; }), "symbol 'B': needs 0 <= min <= max");
  EXPECT_EQ(error([](Module* m) { m->symbols() = {{"", 1, 2}}; }), "symbol name is empty");
  EXPECT_EQ(error([](Module* m) {
              m->AddFunction(Identity("f"));
              m->AddFunction(Identity("g")).set_name("f");
            }),
            "@f: two functions have this name");
}

TEST(Verifier, NamesArePrintable) {
  for (const char* bad : {"a\nb", "\x1b[31m", "\x7f", "\xc2\x9b", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x82"}) {
    Module module(bad);
    EXPECT_NE(Error(module).find("is not printable UTF-8"), std::string::npos) << bad;
    Module hint = With(
        [bad](Function* f, Value x) { f->set_name_hint(f->AddNode(Op::kExp, {x}, nullptr, {kVector}).result(), bad); });
    EXPECT_NE(Error(hint).find("is not printable UTF-8"), std::string::npos) << bad;
    for (char c : Error(hint)) EXPECT_TRUE(c >= ' ' && c <= '~');
  }
  EXPECT_TRUE(Verify(Module("größe λ 模型 🎞")).ok());
  EXPECT_TRUE(Verify(Module(std::string(4096, 'a'))).ok());
  EXPECT_FALSE(Verify(Module(std::string(4097, 'a'))).ok());
}

void AddCall(Module* module, std::string caller, std::string callee) {
  Function f(std::move(caller));
  const Value x = f.AddParameter("x", kVector);
  f.SetResults({f.AddNode(Op::kCall, {x}, Attrs({{"callee", std::move(callee)}}), {kVector}).result()});
  module->AddFunction(std::move(f));
}

TEST(Verifier, Recursion) {
  Module self;
  AddCall(&self, "f", "f");
  EXPECT_EQ(Error(self), "@f: calls @f, which calls it: recursion is not supported, write a while loop");
  Module three;
  AddCall(&three, "a", "b");
  AddCall(&three, "b", "c");
  AddCall(&three, "c", "a");
  EXPECT_EQ(Error(three), "@c: calls @a, which calls it: recursion is not supported, write a while loop");
}

TEST(Verifier, DeepCallChainsAreFine) {
  Module module;
  constexpr int kDepth = 100000;
  for (int i = 0; i < kDepth; ++i) AddCall(&module, std::to_string(i), std::to_string(i + 1));
  module.AddFunction(Identity(std::to_string(kDepth)));
  EXPECT_TRUE(Verify(module).ok()) << Verify(module);
}

}  // namespace
}  // namespace reel::ir
