#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "codegen/compiler.h"
#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "tests/codegen/graph_variants.h"
#include "tests/codegen/program_util.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"

// State: a function whose parameters became variables must compute, step after step, what the function
// without state computes when it is given the variables' values. The first writes in place, the second cannot. Nor must
// anybody see which results of a function of tensors are written over its arguments.

namespace reel::codegen {
namespace {

using ir::Literal;
using ir::Value;

class Instance {
 public:
  Instance(const ir::Module& module, int opt_level, std::vector<InPlace> in_place = {}) {
    CompilerOptions options;
    options.opt_level = opt_level;
    options.in_place = std::move(in_place);
    auto code = reel_compiler()->Compile(module, options);
    EXPECT_TRUE(code.ok()) << code.status();
    code_ = *std::move(code);
    const Program& program = code_->program();
    memory_ = runtime::Buffer::Allocate(static_cast<size_t>(program.instance_bytes));
    std::memset(memory_.data(), 0xAB, static_cast<size_t>(program.instance_bytes));
    (new (memory_.data()) reel_instance{})->magic = REEL_INSTANCE_MAGIC;
    for (const VariableSlot& v : program.variables) {
      std::memcpy(at(v), v.initial.bytes().data(), v.initial.bytes().size());
    }
  }

  std::vector<Literal> Run(const std::vector<Literal>& inputs) {
    for (size_t e = 0; e < code_->program().entries.size(); ++e) {
      const EntryPoint& entry = code_->program().entries[e];
      if (entry.name != "main") continue;
      std::vector<const void*> arguments;
      for (const Literal& l : inputs) arguments.push_back(l.bytes().data());
      std::vector<std::vector<std::byte>> bytes;
      std::vector<void*> results;
      for (const ir::Parameter& r : entry.results) {
        bytes.emplace_back(static_cast<size_t>(r.type.bytes()));
        results.push_back(bytes.back().data());
      }
      for (const InPlace& pair : entry.in_place) {
        const Literal& old = inputs[static_cast<size_t>(pair.parameter)];
        if (!old.bytes().empty())
          std::memcpy(results[static_cast<size_t>(pair.result)], old.bytes().data(), old.bytes().size());
        arguments[static_cast<size_t>(pair.parameter)] = nullptr;  // nobody looks there
      }
      EXPECT_EQ(code_->entry(static_cast<int>(e))(memory_.data(), arguments.data(), results.data()), 0);
      std::vector<Literal> out;
      for (size_t i = 0; i < bytes.size(); ++i) out.emplace_back(entry.results[i].type, std::move(bytes[i]));
      return out;
    }
    ADD_FAILURE() << "no entry point main";
    return {};
  }

  const Program& program() const { return code_->program(); }

  Literal Variable(const std::string& name) {
    for (const VariableSlot& v : code_->program().variables) {
      if (v.name != name) continue;
      std::vector<std::byte> bytes(static_cast<size_t>(v.type.bytes()));
      std::memcpy(bytes.data(), at(v), bytes.size());
      return Literal(v.type, std::move(bytes));
    }
    ADD_FAILURE() << "no variable " << name;
    return {};
  }

 private:
  std::byte* at(const VariableSlot& v) { return static_cast<std::byte*>(memory_.data()) + v.offset; }

  std::unique_ptr<CompiledModule> code_;
  runtime::Buffer memory_;
};

class State : public testing::TestWithParam<uint64_t> {};

TEST_P(State, InPlaceUpdatesAreInvisible) {
  const optable::RandomGraph g = optable::MakeRandomGraph(GetParam());
  const Stateful stateful = MakeStateful(g.module, g.inputs);
  ASSERT_TRUE(ir::Verify(stateful.module).ok()) << ir::Verify(stateful.module);
  if (stateful.state.empty()) GTEST_SKIP() << "no parameter of this graph can be a variable";
  const ir::Function& f = *g.module.FindFunction("main");
  for (int level : {0, 2}) {
    SCOPED_TRACE("level " + std::to_string(level));
    Instance with(stateful.module, level), without(g.module, level);
    std::vector<Literal> inputs = g.inputs, arguments;
    for (int i = 0; i < f.num_arguments(); ++i) {
      if (std::find(stateful.state.begin(), stateful.state.end(), i) == stateful.state.end()) {
        arguments.push_back(inputs[static_cast<size_t>(i)]);
      }
    }
    for (int step = 0; step < 3; ++step) {
      const std::vector<Literal> got = with.Run(arguments), want = without.Run(inputs);
      EXPECT_EQ(got, want) << "outputs of step " << step;
      const std::vector<Literal> old = inputs;
      for (size_t s = 0; s < stateful.state.size(); ++s) {
        const int n = stateful.next[s];
        Literal& value = inputs[static_cast<size_t>(stateful.state[s])];
        value = n >= 0 ? want[static_cast<size_t>(n)]
                       : old[static_cast<size_t>(stateful.state[static_cast<size_t>(-1 - n)])];
        EXPECT_EQ(with.Variable(f.parameter(stateful.state[s]).name), value) << "variable after step " << step;
      }
    }
  }
  if (HasFailure()) FAIL() << "seed " << GetParam() << "\n" << ir::Print(stateful.module);
}

TEST_P(State, ResultsOverArgumentsAreThoseBesideThem) {
  const optable::RandomGraph g = optable::MakeRandomGraph(GetParam());
  const std::vector<InPlace> pairs = InPlaceOf(PairsOf(g.module));
  if (pairs.empty()) GTEST_SKIP() << "no argument of this graph has the type of a result";
  for (int level : {0, 2}) {
    SCOPED_TRACE("level " + std::to_string(level));
    Instance over(g.module, level, pairs), beside(g.module, level);
    std::vector<Literal> inputs = g.inputs;
    for (int step = 0; step < 3; ++step) {
      const std::vector<Literal> want = beside.Run(inputs);
      EXPECT_EQ(over.Run(inputs), want) << "step " << step;
      for (const InPlace& pair : pairs) {
        inputs[static_cast<size_t>(pair.parameter)] = want[static_cast<size_t>(pair.result)];
      }
    }
  }
  if (HasFailure()) FAIL() << "seed " << GetParam() << "\n" << ir::Print(g.module);
}

// What is skipped above is the exception, and what is not in place, as it may go on for long.
TEST(StatefulGraphs, AreMost) {
  int stateful = 0, in_place = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const optable::RandomGraph g = optable::MakeRandomGraph(seed);
    const Stateful s = PairsOf(g.module);
    stateful += s.state.empty() ? 0 : 1;
    const auto p = BuildProgram(g.module, *FindTarget("x86-64-v3"), {.in_place = InPlaceOf(s)});
    ASSERT_TRUE(p.ok()) << p.status();
    for (const EntryPoint& entry : p->entries) in_place += entry.name == "main" && !entry.in_place.empty();
  }
  EXPECT_GE(stateful, 90);
  EXPECT_GE(in_place, 80);
}

// A call changes all or nothing: not in place where it could fail halfway, or a fork would have to wait for long.
TEST(ResultsOverArguments, OnlyWhereCallsCannotStopHalfway) {
  const std::string loop =
      "func @go(%i: i64[]) -> (bool[]) {\n  %0 = cast %i {dtype=f32} : f32[]\n  %1 = sin %0 : f32[]\n"
      "  %2 = greater_equal %1, %0 : bool[]\n  return %2\n}\n"
      "func @next(%i: i64[]) -> (i64[]) {\n  %0 = add %i, %i : i64[]\n  return %0\n}\n";
  const std::string begin = "func @f(%w: f32[8], %i: i64[]) -> (f32[8], f32[]) {\n  %0 = sin %w : f32[8]\n";
  const auto looping = [](const std::string& most) {
    return "  %1 = while %i {body=@next, cond=@go" + most + "} : i64[]\n";
  };
  const auto checking = [](const std::string& i) {
    return "  %2 = check_index " + i + " {axis=0, dtype=f32, labels=false, of=\"gather\", shape=[8]} : i64[]\n";
  };
  const std::string gather = "  %3 = gather %0, %2 {axis=0} : f32[]\n  return %0, %3\n}";
  const struct {
    const char* what;
    std::string text;
    bool in_place;
  } cases[] = {
      {"a check of an argument", begin + "  %1 = neg %i : i64[]\n" + checking("%i") + gather, true},
      {"a short loop", loop + begin + looping(", maximum_iterations=9") + "  %2 = neg %1 : i64[]\n" + gather, true},
      {"a check behind a loop", loop + begin + looping(", maximum_iterations=9") + checking("%1") + gather, false},
      {"a loop without a bound", loop + begin + looping("") + "  %2 = neg %1 : i64[]\n" + gather, false},
  };
  for (const auto& c : cases) {
    const Program p = PlanFunctions(c.text, {.in_place = {{0, 0}}});
    EXPECT_EQ(!p.entries.at(0).in_place.empty(), c.in_place) << c.what << "\n" << ToString(p);
    EXPECT_EQ(ToString(p).find(", after variables changed"), std::string::npos) << c.what;
  }
}

// Variables that init functions compute, with ops that expansions would round in other places.
TEST(InitialValues, AreThoseOfTheReference) {
  ir::Module m;
  const auto add = [&m](const std::string& name, const ir::Literal& x, ir::Op op, int operands) {
    ir::Function f("init." + name);
    ir::Builder b(&f);
    const Value v = b.Constant(x);
    const Value y = b.EmitAll(op, std::vector<Value>(static_cast<size_t>(operands), v))[0];
    ASSERT_TRUE(b.status().ok()) << b.status();
    const Type type = b.type(y);
    f.SetResults({y});
    m.AddVariable({name, type, true, f.name()});
    m.AddFunction(std::move(f));
  };
  optable::Rng rng(7);
  const optable::Domain domain{-3, 3};
  add("product", optable::Sample({kComplex64, {20}}, domain, rng), ir::Op::kMul, 2);
  add("q", optable::Sample({kFloat32, {7, 5}}, domain, rng), ir::Op::kQr, 1);
  add("w", optable::Sample({kFloat32, {6, 6}}, domain, rng), ir::Op::kEigh, 1);
  add("u", optable::Sample({kFloat32, {4, 6}}, domain, rng), ir::Op::kSvd, 1);
  ir::Function main("main");
  const Value z = main.AddState("product", m.FindVariable("product")->type);
  main.SetResults({z, z});
  m.AddFunction(std::move(main));
  ASSERT_TRUE(ir::Verify(m).ok()) << ir::Verify(m);
  const auto want = ir::InitialState(m);
  ASSERT_TRUE(want.ok()) << want.status();
  for (int level : {0, 2}) {
    Instance instance(m, level);
    for (size_t i = 0; i < want->size(); ++i) {
      const std::string& name = m.variables()[i].name;
      EXPECT_EQ(instance.Variable(name), (*want)[i]) << name << ", level " << level;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, State, testing::Range(uint64_t{0}, uint64_t{100}));

}  // namespace
}  // namespace reel::codegen
