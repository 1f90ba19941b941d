#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "codegen/compiler.h"
#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "passes/rewrite.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"

// State: a function whose parameters became variables must compute, step after step, what the function
// without state computes when it is given the variables' values. The first writes in place, the second cannot.

namespace reel::codegen {
namespace {

using ir::Literal;
using ir::Value;

// Argument i of the stateless function is variable `state[i]`'s value, replaced by result `next[i]`.
struct Stateful {
  ir::Module module;
  std::vector<int> state;          // indices of the arguments that became variables
  std::vector<int> next;           // per state entry: the result it takes, or -1 - j: the old value of state j
};

// Every argument whose type some result has becomes a variable; further ones are swapped or kept.
Stateful MakeStateful(const optable::RandomGraph& g) {
  const ir::Function& f = *g.module.FindFunction("main");
  Stateful out{g.module, {}, {}};
  std::map<std::string, std::vector<int>> results;
  for (int r = 0; r < f.num_outputs(); ++r) {
    results[f.type(f.results()[static_cast<size_t>(r)]).ToString()].push_back(r);
  }
  std::map<std::string, int> last;  // type -> last state entry of it
  for (int i = 0; i < f.num_arguments(); ++i) {
    const std::string type = f.parameter(i).type.ToString();
    auto& options = results[type];
    const bool swap = options.empty() && last.contains(type);
    if (options.empty() && !swap) continue;
    out.state.push_back(i);
    out.next.push_back(swap ? -1 - last[type] : options.back());
    if (!swap) options.pop_back();
    last[type] = static_cast<int>(out.state.size()) - 1;
  }
  ir::Function h("main");
  passes::Copier copier(f, &h);
  for (int i = 0; i < f.num_arguments(); ++i) {
    if (std::find(out.state.begin(), out.state.end(), i) != out.state.end()) continue;
    copier.Map({i}, h.AddParameter(f.parameter(i).name, f.parameter(i).type));
  }
  for (int i : out.state) {
    const ir::Parameter& p = f.parameter(i);
    out.module.AddVariable({p.name, p.type, true, g.inputs[static_cast<size_t>(i)]});
    copier.Map({i}, h.AddState(p.name, p.type));
  }
  copier.CopyNodes();
  std::vector<Value> values;
  for (int r = 0; r < f.num_outputs(); ++r) values.push_back(copier(f.results()[static_cast<size_t>(r)]));
  for (int n : out.next) {
    values.push_back(n >= 0 ? values[static_cast<size_t>(n)] : copier(Value{out.state[static_cast<size_t>(-1 - n)]}));
  }
  h.SetResults(values);
  out.module.AddFunction(std::move(h));
  return out;
}

class Instance {
 public:
  Instance(const ir::Module& module, int opt_level) {
    CompilerOptions options;
    options.opt_level = opt_level;
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
      EXPECT_EQ(code_->entry(static_cast<int>(e))(memory_.data(), arguments.data(), results.data()), 0);
      std::vector<Literal> out;
      for (size_t i = 0; i < bytes.size(); ++i) out.emplace_back(entry.results[i].type, std::move(bytes[i]));
      return out;
    }
    ADD_FAILURE() << "no entry point main";
    return {};
  }

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
  const Stateful stateful = MakeStateful(g);
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

// What is skipped above is the exception.
TEST(StatefulGraphs, AreMost) {
  int stateful = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    stateful += MakeStateful(optable::MakeRandomGraph(seed)).state.empty() ? 0 : 1;
  }
  EXPECT_GE(stateful, 90);
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
