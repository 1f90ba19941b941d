// Cost of whole modules, counted in nodes made and nodes looked at: four times the module, four times the work,
// whatever goes through it. No clock is asked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/budget_scope.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "passes/gradient/gradient.h"
#include "passes/gradient/split.h"
#include "passes/pipeline.h"
#include "tests/passes/gradient_testing.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Module;

// x < 1, of the first carried value.
void DefineMore(Module* m, const std::vector<Type>& types) {
  Define(m, "more", types, [](Builder& b, const Values& p) {
    const Value first = b.shape(p[0]).rank() == 0 ? p[0] : b.ReduceSum(p[0], {0});
    return Values{b.Less(first, b.Scalar(kFloat64, 1))};
  });
}

std::string Level(int i, int n) { return i == n ? "main" : StrCat("f", i); }

// Functions in the order in which they are defined, or callers before callees.
Module Reversed(const Module& m) {
  Module out(m.name());
  for (size_t i = m.functions().size(); i-- > 0;) out.AddFunction(*m.functions()[i]);
  return out;
}

// The body of each loop is a loop; the innermost has a product of what no loop changes.
Module NestedLoops(int n, int64_t bound) {
  Module m;
  const std::vector<Type> types{F64(), F64({4})};
  DefineMore(&m, types);
  for (int i = 0; i <= n; ++i) {
    Define(&m, Level(i, n), types, [&](Builder& b, const Values& p) {
      if (i > 0) return Values{b.While("more", Level(i - 1, n), p, bound)[0], p[1]};
      return Values{b.Add(b.Sin(p[0]), b.ReduceSum(b.Tanh(b.Reverse(p[1], {0})), {0})), p[1]};
    });
  }
  return m;
}

Module NestedCalls(int n) {
  Module m;
  for (int i = 0; i <= n; ++i) {
    Define(&m, Level(i, n), {F64()}, [&](Builder& b, const Values& p) {
      return Values{i == 0 ? b.Sin(p[0]) : b.Mul(b.Call(Level(i - 1, n), p)[0], p[0])};
    });
  }
  return m;
}

Module NestedBranches(int n) {
  Module m;
  Define(&m, "other", {F64()}, [](Builder& b, const Values& p) { return Values{b.Exp(p[0])}; });
  for (int i = 0; i <= n; ++i) {
    Define(&m, Level(i, n), {F64()}, [&](Builder& b, const Values& p) {
      if (i == 0) return Values{b.Sin(p[0])};
      const Value less = b.Less(p[0], b.Scalar(kFloat64, i));
      return Values{b.Mul(b.If(less, Level(i - 1, n), "other", p)[0], p[0])};
    });
  }
  return m;
}

// A loop around a call of a loop around ...
Module LoopsAndCalls(int n) {
  Module m;
  DefineMore(&m, {F64()});
  for (int i = 0; i <= n; ++i) {
    Define(&m, Level(i, n), {F64()}, [&](Builder& b, const Values& p) {
      if (i == 0) return Values{b.Sin(p[0])};
      if (i % 2 == 0) return Values{b.Mul(b.Call(Level(i - 1, n), p)[0], p[0])};
      return Values{b.While("more", Level(i - 1, n), p, 3)[0]};
    });
  }
  return m;
}

Module LoopsInARow(int n, int64_t bound) {
  Module m;
  DefineMore(&m, {F64()});
  Define(&m, "body", {F64()}, [](Builder& b, const Values& p) { return Values{b.Add(p[0], b.Sin(p[0]))}; });
  Define(&m, "main", {F64()}, [&](Builder& b, const Values& p) {
    Values x = p;
    for (int i = 0; i < n; ++i) x[0] = b.While("more", "body", x, bound)[0];
    return x;
  });
  return m;
}

Module ManyCalls(int n) {
  Module m;
  Define(&m, "f", {F64()}, [](Builder& b, const Values& p) {
    Value x = p[0];
    for (int i = 0; i < 20; ++i) x = b.Sin(x);
    return Values{x};
  });
  Define(&m, "main", {F64()}, [&](Builder& b, const Values& p) {
    Value x = p[0];
    for (int i = 0; i < n; ++i) x = b.Call("f", {x})[0];
    return Values{x};
  });
  return m;
}

// A loop that hands each value on to the next: what depends on what shows after n iterations.
Module DelayLine(int n, bool backward) {
  Module m;
  const std::vector<Type> types(static_cast<size_t>(n), F64());
  DefineMore(&m, types);
  Define(&m, "body", types, [&](Builder& b, const Values& p) {
    Values out;
    for (size_t i = 0; i < p.size(); ++i) {
      const size_t from = backward ? (i + 1 < p.size() ? i + 1 : i) : (i > 0 ? i - 1 : i);
      out.push_back(b.Sin(p[from]));
    }
    return out;
  });
  Define(&m, "main", types, [&](Builder& b, const Values& p) {
    const ir::ValueList out = b.While("more", "body", p, 3);
    return Values{backward ? out[0] : out[p.size() - 1]};
  });
  return m;
}

// Loops over the same many values, each a number longer than the last.
Module GrowingLoops(int n) {
  Module m;
  const std::vector<Type> types(static_cast<size_t>(n), F64());
  DefineMore(&m, types);
  Define(&m, "body", types, [](Builder& b, const Values& p) {
    Values out = p;
    out[0] = b.Sin(p[0]);
    return out;
  });
  Define(&m, "main", types, [](Builder& b, const Values& p) {
    const Value once = b.While("more", "body", p, 3)[0];
    return Values{b.Add(once, b.While("more", "body", p, 4)[0])};
  });
  return m;
}

Module ManyRows(int n) {
  Module m;
  Define(&m, "main", {F64({8, 2})}, [&](Builder& b, const Values& p) {
    Value sum = b.Zeros(F64({2}));
    for (int i = 0; i < n; ++i) {
      const Value index = b.Constant(ir::Literal::ScalarInt(kInt64, i % 8));
      sum = b.Add(sum, b.Sin(b.Reshape(b.DynamicSlice(p[0], index, 0, 1), {2})));
    }
    return Values{b.ReduceSum(sum, {0})};
  });
  return m;
}

struct Kind {
  std::string name;
  std::function<Module(int)> make;
};

std::vector<Kind> Kinds() {
  return {
      {"nested loops", [](int n) { return NestedLoops(n, 3); }},
      {"nested loops without bounds", [](int n) { return NestedLoops(n, -1); }},
      {"nested loops, callers first", [](int n) { return Reversed(NestedLoops(n, 3)); }},
      {"nested calls", NestedCalls},
      {"nested calls, callers first", [](int n) { return Reversed(NestedCalls(n)); }},
      {"nested branches", NestedBranches},
      {"loops and calls", LoopsAndCalls},
      {"loops in a row", [](int n) { return LoopsInARow(n, 3); }},
      {"loops in a row without bounds", [](int n) { return LoopsInARow(n, -1); }},
      {"many calls", ManyCalls},
      {"delay line", [](int n) { return DelayLine(n, false); }},
      {"delay line backwards", [](int n) { return DelayLine(n, true); }},
      {"growing loops", GrowingLoops},
      {"many rows", ManyRows},
  };
}

struct Verb {
  std::string name;
  std::function<absl::Status(Module*)> run;
};

absl::Status Differentiate(Module* m, const std::string& name) { return AddGradientFunction(m, name, {}, {}).status(); }

std::vector<Verb> Verbs() {
  std::vector<Verb> verbs{
      {"verify", [](Module* m) { return ir::Verify(*m); }},
      {"print and parse", [](Module* m) { return ir::ParseModule(ir::Print(*m)).status(); }},
      {"gradient", [](Module* m) { return Differentiate(m, "main"); }},
      {"split gradient",
       [](Module* m) {
         const int n = m->FindFunction("main")->num_parameters();
         return AddSplitGradient(m, "main", Mask(static_cast<size_t>(n), true)).status();
       }},
      {"jvp",
       [](Module* m) {
         const int n = m->FindFunction("main")->num_arguments();
         return AddJvpFunction(m, "main", std::vector<bool>(static_cast<size_t>(n), true)).status();
       }},
      {"optimize",
       [](Module* m) {
         PipelineOptions options;
         options.context.entry_points = {"main"};
         return Optimize(m, options).status();
       }},
  };
  for (const PassEntry& entry : OptimizationPipeline()) {
    const auto run = [&entry](Module* m) { return RunPasses(m, {&entry, 1}, {}).status(); };
    const bool flattens_all = entry.pass == Inline;  // without entry points: of nested calls what it makes is n^2
    if (!flattens_all) verbs.push_back({std::string(entry.name), run});
  }
  return verbs;
}

struct Cost {
  int64_t nodes = 0, visits = 0;
};

Cost Count(const Kind& kind, const Verb& verb, int n) {
  Module m = kind.make(n);
  const ir::BudgetMeter meter({.max_memory = int64_t{1} << 50}, [] { return 0.0; });
  const ir::BudgetScope scope(meter, false);
  const absl::Status s = verb.run(&m);
  EXPECT_TRUE(s.ok()) << kind.name << ", " << verb.name << ": " << s.message();
  return {scope.nodes(), scope.visits()};
}

TEST(ModuleScale, FourTimesTheModuleIsFourTimesTheWork) {
  constexpr int kSmall = 40;
  for (const Kind& kind : Kinds()) {
    for (const Verb& verb : Verbs()) {
      // The gradient of each call runs the callee's forward part again: flattened, that is n^2 until equal nodes merge.
      if (verb.name == "split gradient" && kind.name.starts_with("nested calls")) continue;
      const Cost small = Count(kind, verb, kSmall), large = Count(kind, verb, 4 * kSmall);
      EXPECT_LE(large.nodes, 5 * small.nodes + 100) << kind.name << ", " << verb.name << ": nodes made";
      EXPECT_LE(large.visits, 5 * small.visits + 100) << kind.name << ", " << verb.name << ": nodes looked at";
    }
  }
}

// What a gradient costs a level, so that a constant cannot grow unseen.
TEST(ModuleScale, AThousandNestedLoops) {
  const Verb gradient{"gradient", [](Module* m) { return Differentiate(m, "main"); }};
  for (const Kind& kind : Kinds()) {
    if (!kind.name.starts_with("nested")) continue;
    const Cost cost = Count(kind, gradient, 1000);
    EXPECT_LE(cost.nodes, 1000 * 600) << kind.name;
    EXPECT_LE(cost.visits, 1000 * 3000) << kind.name;
  }
}

}  // namespace
}  // namespace reel::passes
